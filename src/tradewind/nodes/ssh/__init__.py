"""Reaching a host over SSH: one connection, one session on it, the agent's door at its other end. See ../README.md."""
