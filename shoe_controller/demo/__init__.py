"""`shoe-controller demo`: the whole chain on one machine, to be watched.

Broker, emulated shoes, daemons and the pages for browsers (`pages.py`) are programs of their own in a temporary folder
(`programs.py`, `local_ports.py`, `folder.py`). Here are the people around the table (`people.py`), what goes wrong
(`fault_script.py`) and what people put right (`irregular_scripts.py`), a display like any other (`display.py`,
`picture.py`), what the pit finds (`pit_alarms.py`), and at the end the check that truth, journal and display agree
(`report.py`, with `simulator/reckoner`). `show.py` puts it together. Nothing else of the simulator is imported: it is
started by its ordinary commands.
"""
