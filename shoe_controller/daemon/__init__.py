"""`shoe-controller run`: the controller of one table, as a process.

`run.py` starts it, `daemon.py` joins its parts, which `assembly.py` makes from the configuration. `engine.py` takes one
input after another through table and journal; `table_journal.py` stores them and restores a table.
"""
