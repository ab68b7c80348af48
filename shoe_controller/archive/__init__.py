"""`shoe-controller archive`: every event of every table of a site, in PostgreSQL, once.

    broker ──▶ site.py ──▶ table.py (one table's events, in order) ──▶ steps.py (the queue) ──▶ intake.py ──▶ store.py

All before `intake.py` is pure: messages and positions in, steps and requests out. `intake.py` has the one connection to
the database, which also holds the lock of the archive; `store.py` stores a batch of steps and the positions of their
journals in one transaction, with what `derived/` makes of its events; `migrate.py` makes the schema from the files of
`migrations/`. `journal_file.py` compares a journal's file with the archive, and loads it; `process.py` puts the parts
together.
"""
