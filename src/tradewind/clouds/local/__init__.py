"""This computer as a cloud like the others: an instance is a process group with a folder and tags."""
