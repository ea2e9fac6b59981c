"""One package a cloud; each implements the ports, none imports another."""
