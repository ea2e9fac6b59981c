"""Reaching nodes: bundling the work, putting agent and work there, reading on from offsets. See README.md."""
