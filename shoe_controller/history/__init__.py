"""The last rounds of a table, reassembled from its facts, and drawn for a terminal."""
