"""What the board and the console have in common: how a process serves pages to browsers.

    follow/ ──▶ board or console ──▶ push.py ──▶ server.py ──▶ browsers

`server.py` is the one file that knows the web server, `process.py` keeps everything running. `static/language.js` makes
words from the codes of the messages, by the tables in `shoe_controller/messages/words`. Nothing here knows a board or a
console.
"""
