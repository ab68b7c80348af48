"""The program `shoe-conformance`: a real port, an operator and a terminal around the trials of `simulator/conformance`.

`cli.py` is the command, `real_line.py` the port, `operators.py` a person at a terminal, a program in a person's place,
or nobody; `report.py` writes what was found out.
"""
