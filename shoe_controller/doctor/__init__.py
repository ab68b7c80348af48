"""`shoe-controller doctor`: checks everything around a table that can be wrong.

`findings.py` defines what a check finds, `checks.py` is the table of all checks; the checks themselves are in one file
per subject. A check changes nothing: it stores no card, acknowledges none, and publishes nothing a display accepts.
"""
