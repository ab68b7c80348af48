"""The dealer's and supervisor's console of one table: a process of its own that serves a page to a touch screen.

`table_client.py` talks to the table over MQTT and updates `model.py`; `allowed.py` and `sections.py` make of it what
the page shows; `forms.py` does what the page asks for; `sessions.py` knows who is signed in; `web.py` is the server,
and `static/` the page. The table decides everything: whether a PIN is right, and whether an act is allowed.
"""
