"""The use cases; chooses and wires adapters; owns the clock and the settings."""
