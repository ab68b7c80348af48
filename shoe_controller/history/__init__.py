"""The last rounds of a table, put together again from its facts, and drawn for a terminal."""
