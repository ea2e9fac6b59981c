"""The command line: parses, asks the inside through ``app.interface``, draws. Decides nothing."""
