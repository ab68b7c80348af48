"""Follows tables over MQTT, by the rules of `docs/mqtt.md`, "A display that is never wrong".

    broker ──▶ connection.py ──▶ table.py (one table) ──▶ event_sequencer.py (its events in order) ──▶ an `EventFold`

`table.py` and `event_sequencer.py` are pure: bytes and the time in, requests out. `connection.py` holds the connection
to the broker. Board, console, demonstration and simulation all follow tables with this; each adds what it makes of the
events. It knows the types of the messages alone, nothing that decides at a table.
"""
