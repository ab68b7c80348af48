"""The least that any controller must do with a card: read it, store it durably, publish it. A process of its own.

`python -m tests.bench.floors.card TTY DATABASE MQTT_PORT`: each read from the terminal is one row, one commit with
SQLite's WAL and synchronous=FULL, and one QoS 1 publish by aiomqtt. Nothing is decoded, checked or chained.
"""

import asyncio
import os
import socket
import sqlite3
import sys
import tty

import aiomqtt

TOPIC = "floor/event/card"
BODY = b"x" * 900
"""About what the records of one card hold together."""
PAYLOAD = b"x" * 330
"""About what the message of one card holds."""


async def main(terminal: str, database: str, port: int) -> None:
    line = os.open(terminal, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(line)
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS record (number INTEGER PRIMARY KEY, raw BLOB, body BLOB)")
    at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    arrived: asyncio.Queue[bytes] = asyncio.Queue()
    asyncio.get_running_loop().add_reader(line, lambda: arrived.put_nowait(os.read(line, 4096)))
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=at_once) as client:
        await client.publish("floor/ready", b"", qos=1, retain=True)
        while True:
            data = await arrived.get()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO record (raw, body) VALUES (?, ?)", (data, BODY))
            connection.execute("COMMIT")
            await client.publish(TOPIC, PAYLOAD, qos=1)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
