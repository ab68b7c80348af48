"""Tries a shoe of the native wire against every clause of `firmware_protocol/native/PROTOCOL.md`.

It plays a controller, a nasty one too. `clauses.py` reads the clauses of the page, `trials` has what is tried,
`bench.py` what a trial is made with, `verdicts.py` what was found out, `run.py` makes them all. Pure: the line, the
operator, the time and chance come from outside. The program is in `shoe_controller/conformance`.
"""
