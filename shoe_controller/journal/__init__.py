"""The memory of a table: one SQLite file that holds all that came, and all that it led to, which is also published.

The journal knows nothing of cards and topics. To it an input and an event are bytes with a name, a shoe and a round.
What the engine submits as one entry is stored whole or not at all, and is answered only when it is on the disk.
`docs/journal.md` describes the file.

- `records.py`: what goes in and what comes out
- `chain.py`: how each record is tied to the one before it
- `errors.py`: what can go wrong, each with a sentence
- `database.py`: the one file that knows sqlite3
- `schema.py`: the tables in the file, their version, and how an older file is brought up to date
- `opening.py`: finds out whether a file can be trusted, makes a new one, sets a damaged one aside
- `store.py`: the writer, with its thread and its group commit; `loop_callbacks.py`: its answers in an event loop
- `inode_watch.py`: whether the journal's files are still the ones it opened; `lock_safe_open.py`: opens
  them beside SQLite without losing its locks
- `reading.py`: start-up, outbox and records in order, beside a running writer
- `verify.py`, with `replay_check.py` and, for the exports of what was pruned, `exported.py`; `export.py`; `prune.py`,
  which leaves `tombstones.py`: what an auditor and an operator do with a journal
"""
