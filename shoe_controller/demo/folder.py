"""What a demonstration writes into its temporary folder: each table's file and its shoe's key.

Nothing here outlives the demonstration, so keys and PINs may come from the seed that is passed in.
"""

import random
from pathlib import Path
from typing import NamedTuple

from shoe_controller.demo.settings import DECKS, SEATS, SITE, DemoSettings, table_name
from shoe_controller.pins import hash_pin

SUPERVISOR, SUPERVISOR_NAME = "rana", "Rana"


class TableFiles(NamedTuple):
    name: str
    config: Path
    port: Path
    """The symbolic link under which the shoe is plugged in."""
    key: Path | None
    truth: Path
    journal: Path
    pin: str


def write_table(folder: Path, number: int, settings: DemoSettings, broker_port: int) -> TableFiles:
    generator = random.Random(f"table {number} {settings.seed}")  # noqa: S311 - secrets of an emulated table
    name = table_name(number)
    files = TableFiles(
        name=name,
        config=folder / f"{name}.toml",
        port=folder / f"{name}.shoe",
        key=folder / f"{name}.key" if settings.wire == "native" else None,
        truth=folder / f"{name}.truth.jsonl",
        journal=folder / f"{name}.journal",
        pin=f"{generator.randrange(100_000, 1_000_000)}",
    )
    if files.key is not None:
        _write_secret(files.key, generator.randbytes(32).hex())
    pin_hash = hash_pin(files.pin, generator.randbytes(16))
    _write_secret(files.config, _table_file(files, settings, broker_port, pin_hash))
    return files


def _write_secret(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")


def _table_file(files: TableFiles, settings: DemoSettings, broker_port: int, pin_hash: str) -> str:
    seats = ", ".join(f'"{seat}"' for seat in SEATS)
    key = "" if files.key is None else f'key_file = "{files.key.name}"\n'
    return f"""\
[house]
base_game = "{settings.game}"
decks = {DECKS}
layout = "nepal_super_baccarat"
offer = ["base", "pairs", "lucky_6"]
seats = [{seats}]
limits = {{ all = {{ min = 100, max = 10_000 }} }}

[table]
site = "{SITE}"
name = "{files.name}"
title = "{files.name.replace("-", " ").capitalize()}"

[shoe]
wire = "{settings.wire}"
port = "{files.port}"
{key}
[mqtt]
host = "127.0.0.1"
port = {broker_port}

[journal]
file = "{files.journal.name}"

[[people]]
id = "{SUPERVISOR}"
name = "{SUPERVISOR_NAME}"
role = "supervisor"
pin = "{pin_hash}"
"""
