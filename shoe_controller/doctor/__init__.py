"""`shoe-controller doctor`: everything around a table that can be wrong, looked at one after the other.

`findings.py` is what a check finds, `checks.py` the table of all checks; the checks themselves stand in a file for each
subject. A check changes nothing: it stores no card, acknowledges none, and says nothing that a display would believe.
"""
