"""The results board and the pit view: a process of its own that reads over MQTT and serves pages to browsers.

    broker ──▶ follow/ ──▶ floor.py (all tables) ──▶ model.py (one table) ──▶ sections.py ──▶ web.py ──▶ browsers

`model.py`, `floor.py`, `sections.py`, `feeds.py` and `prices.py` are pure. What the board shares with the console is in
`shoe_controller/follow` and `shoe_controller/web`. The board lives on retained messages alone: it follows no events and
sends nothing.
"""
