"""A decorator of any Compute that can reclaim: it wears the planned offer's notice, and injects or replays a market."""
