"""What the board and the console have in common: how a process follows tables over MQTT and serves pages to browsers.

    broker ──▶ following.py ──▶ whoever follows (board, console) ──▶ push.py ──▶ server.py ──▶ browsers

`server.py` is the one file that knows the web server, `process.py` keeps everything running. `sentences.py` takes apart
what the table says in English, so that pages can say it in three languages; the words for it are data, in `static/`.
Nothing here knows a board or a console.
"""
