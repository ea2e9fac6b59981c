"""Sizing as a use case: what was asked for → profile of the model → fits; batches, guides' set-ups, lessons of jobs."""
