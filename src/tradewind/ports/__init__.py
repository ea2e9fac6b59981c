"""What the inside needs from outside, as protocols and the values that cross them. Imports ``domain`` only."""
