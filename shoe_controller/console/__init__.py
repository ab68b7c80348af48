"""The dealer's and supervisor's console of one table: a process of its own that serves a page to a touch screen.

`table_client.py` talks to the table over MQTT and updates `model.py`, which follows the table with
`shoe_controller/follow`; `sections.py` makes of it what the page shows; `forms.py` sends what the page asks for, and
`failures.py` has the reasons why that may fail; `web.py` is the server, and
`static/` the page. The table decides everything: whether a PIN is right, and which acts are possible.
"""
