"""What somebody who means harm does to a table, its journal, its broker and its pages, and what held.

Each module has `ATTACKS`: attacks that `make attack` runs at full length, and of which `test_attacks.py` runs a small
sample with `make test`.
"""
