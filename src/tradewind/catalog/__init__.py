"""What can be rented, where, at which price and how sure that is: one indexed snapshot, built from diffable CSV files.

Import what is needed from its own file: a search loads sqlite3 and three files of ``domain``, nothing else.
"""
