"""Records as the contracts' JSON objects."""
