"""The one TOML file of a table, read and checked as a whole.

Everything wrong with it is reported at once, each with its place: unknown keys, wrong types, contradictions between
settings, and what the guard objects to. `docs/table.example.toml` shows every key.
"""

from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.catalogue_files import catalogue_with
from shoe_controller.house_config import HouseEntry, house_from
from shoe_controller.strict_reading import BadFileError, Problem, parse_toml, read_text, read_what_fits


class _ConfigFile(msgspec.Struct):
    house: HouseEntry


class Config(NamedTuple):
    """A table's configuration that was found good."""

    house: House
    catalogue: Catalogue


def load_config(file: Path) -> Config:
    """Read a table's file; `BadFileError` has everything that is wrong with it."""
    problems: list[Problem] = []
    entry = read_what_fits(parse_toml(str(file), read_text(file)), _ConfigFile, problems)
    if entry is None:
        raise BadFileError(str(file), problems)
    catalogue = catalogue_with(file.parent / name for name in entry.house.catalogue)
    house = house_from(entry.house, catalogue, problems)
    if house is None:
        raise BadFileError(str(file), problems)
    return Config(house, catalogue)
