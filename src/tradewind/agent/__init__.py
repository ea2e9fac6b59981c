"""Supervises one attempt on a node. Standard library only, Python 3.8 up; imports ``wire`` and nothing else of ours."""
