"""`shoe-controller witness`: keeps heads and checkpoints of all journals of a site elsewhere, and raises alarms.

    broker ──▶ follow/connection.py ──▶ site.py ──▶ table.py (one table) ──▶ judgement.py ──▶ lines_file.py

- `lines.py`: what a line of the file says, and the chain of its lines; pure
- `lines_file.py`: the file, to which lines are only ever added; the one that touches the disk
- `judgement.py`: what was seen of one table, and what cannot be as it should; pure
- `table.py`: checkpoints in order, and what must be requested; pure
- `site.py`: all tables of a site: sorts messages, writes lines before anything is published
- `process.py`: the process
- `evidence.py`: what a file proves of a journal, for `journal verify --witness`
"""
