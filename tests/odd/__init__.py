"""Odd worlds: a cloud and nodes that misbehave by schedule, a supervisor in virtual time, and the laws for both."""
