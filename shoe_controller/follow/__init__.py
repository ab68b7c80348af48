"""Follows tables over MQTT, by the rules of `docs/mqtt.md`, "A display that is never wrong".

    broker ──▶ connection.py ──▶ retained.py (one table's retained messages)
                            └──▶ table.py (and its events) ──▶ event_sequencer.py (in order) ──▶ an `EventFold`

All these but `connection.py` are pure: bytes and the time in, requests out. `connection.py` holds the connection to the
broker, and `process.py` keeps it up in a process of its own, for board, console and witness. The board follows retained
messages alone; console, demonstration and simulation follow the events too, and each adds what it makes of them. It
knows the types of the messages alone, nothing that decides at a table.
"""
