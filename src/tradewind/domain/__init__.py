"""The nouns of Tradewind as frozen, typed values and their laws: no I/O, no clock."""
