"""The configuration file of a table, board or console, read and checked as a whole: one module per section.

`table_file.py` reads the file, `strict_reading.py` finds everything that is wrong with it at once, `secret_files.py`
and `pins.py` handle secrets. `docs/table.example.toml` shows every key.
"""
