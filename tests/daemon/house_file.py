"""The file of the table that the tests run, as plain values that a test may change before it is written."""

import hashlib
from pathlib import Path
from typing import Any, Literal

from shoe_controller.config.scrypt_hash import HASH_SIZE, MEMORY_LIMIT, ScryptHash
from tests.table_files import Data, write

Wire = Literal["native", "angel_eye", "lines"]

SITE, TABLE = "test-site", "table-1"

PINS = {"rana": "480612", "shah": "773501", "thapa": "905183"}
"""Of the three supervisors; the dealer has a PIN too, which nobody asks him for."""
DEALER, DEALER_PIN = "anita", "264079"

SHOE_KEY = bytes(range(100, 132))
SEAL_KEY = bytes(range(50, 82))
OTHER_KEY = bytes(range(200, 232))

CARDS_FILE = "cards.jsonl"
"""Beside the table's file, where a reader sends ids."""

SEATS = ("1", "2", "3", "5", "6", "7", "8", "9")


def quick_hash(pin: str, salt: bytes) -> str:
    """A hash with the least effort that a file may ask for."""
    digest = hashlib.scrypt(pin.encode(), salt=salt, n=1 << 12, r=1, p=1, maxmem=MEMORY_LIMIT, dklen=HASH_SIZE)
    return ScryptHash(12, 1, 1, len(pin), salt, digest).text()


def person(name: str, role: str, pin: str) -> Data:
    salt = hashlib.sha256(name.encode()).digest()[:16]
    return {"id": name, "name": name.title(), "role": role, "pin": quick_hash(pin, salt)}


def people() -> list[Data]:
    return [
        person(DEALER, "dealer", DEALER_PIN),
        *(person(name, "supervisor", pin) for name, pin in PINS.items()),
    ]


def table_file(
    *,
    wire: Wire,
    shoe_port: str,
    journal: Path,
    key_file: Path | None = None,
    seal_key_file: Path | None = None,
    broker_port: int | None = None,
    decks: int = 8,
    procedure: dict[str, Any] | None = None,
    mqtt: dict[str, Any] | None = None,
    log: dict[str, Any] | None = None,
) -> Data:
    """What the table's file holds. Every seat may bet on everything, and small sums."""
    shoe: Data = {"wire": wire, "port": shoe_port}
    if wire == "angel_eye":
        shoe |= {"commands": True, "card_takes": 0}  # a recording is played at once, and a test's machine may be busy
    elif wire == "lines":
        shoe |= {"cards_files": [CARDS_FILE], "prefix": "$", "suffix": "*", "checksum": "crc16", "unread": "NOREAD"}
        shoe["card_takes"] = 0  # the virtual dealer is quicker than any hand
    elif key_file is None:
        shoe["insecure"] = True
    else:
        shoe["key_file"] = str(key_file)
    data: Data = {
        "house": {
            "base_game": "commission",
            "decks": decks,
            "layout": "nepal_super_baccarat",
            "seats": list(SEATS),
            "limits": {"all": {"min": 100, "max": 100_000}},
        },
        "procedure": procedure or {},
        "table": {"site": SITE, "name": TABLE},
        "shoe": shoe,
        "journal": {"file": str(journal), "anchor": str(journal.with_suffix(".anchor"))},
        "people": people(),
        "log": {"level": "info", "format": "json"} | (log or {}),
    }
    if seal_key_file is not None:
        data["journal"]["seal_key_file"] = str(seal_key_file)
    if broker_port is not None:
        data["mqtt"] = {"host": "127.0.0.1", "port": broker_port, "keep_alive": 2} | (mqtt or {})
    return data


def write_secret(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    return file


def write_table_file(folder: Path, data: Data) -> Path:
    file = write(folder, data)
    file.chmod(0o600)
    return file
