"""Tables, transactions and the work queue: SQLite by default. Every change and its event commit together."""
