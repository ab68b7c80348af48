"""What all pages have in common: how a process serves them to browsers, and who is signed in.

    follow/ ──▶ board, console or pit ──▶ push.py ──▶ server.py ──▶ browsers

`server.py` is the one file that knows the web server, `process.py` keeps everything running. `session_guard.py` says
which requests come from a page on which somebody is signed in, `sessions.py` who that is; `login.py` and `tries.py` are
the door for people of a site, with passwords. `static/language.js` makes words from the codes of the messages, by the
tables in `shoe_controller/messages/words`; `tiles/` draws tables. Nothing here knows a board, a console or a pit.
"""
