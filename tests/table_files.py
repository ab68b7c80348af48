"""Configurations of a table for tests: made from plain values, written to a file and loaded as anyone's file is."""

import datetime as dt
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import Config, load_config

EXAMPLE = Path(__file__).parent.parent / "docs" / "table.example.toml"

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"
"""They look like the files of a TLS connection, and are none."""

Data = dict[str, Any]


def small_house(**settings: Any) -> Data:  # noqa: ANN401 - settings are what a file may hold, right or wrong
    """The fewest settings that make a table, and those that a test is about."""
    house = {
        "base_game": "nepal",
        "decks": 8,
        "layout": "nepal_super_baccarat",
        "seats": ["1", "2"],
        "limits": {"all": {"min": 2, "max": 100}},
    }
    return {"house": house | settings}


def example() -> Data:
    return tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))


def as_toml(value: object) -> str:
    """Any plain value on one line. JSON's texts are TOML's, but for a character that we do not use."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(as_toml, value)) + "]"
        case str():
            return json.dumps(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case _:
            return str(value)


def write(folder: Path, data: Data) -> Path:
    file = folder / "table.toml"
    file.write_text("".join(f"{json.dumps(key)} = {as_toml(value)}\n" for key, value in data.items()), encoding="utf-8")
    return file


def load(folder: Path, data: Data) -> Config:
    return load_config(write(folder, data))


def problems_of(folder: Path, data: Data) -> list[str]:
    with pytest.raises(BadFileError) as caught:
        load(folder, data)
    assert caught.value.file == str(folder / "table.toml")
    return [str(problem) for problem in caught.value.problems]
