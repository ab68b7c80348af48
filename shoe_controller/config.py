"""The one TOML file of a table, read and checked as a whole.

Everything wrong with it is reported at once, each with its place: unknown keys, wrong types, contradictions between
settings, and what the guard objects to. `docs/table.example.toml` shows every key.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.catalogue_files import catalogue_with
from shoe_controller.house_config import HouseEntry, house_from
from shoe_controller.strict_reading import BadFileError, Problem, read


class _ConfigFile(msgspec.Struct):
    house: HouseEntry


class Config(NamedTuple):
    """A table's configuration that was found good."""

    house: House
    catalogue: Catalogue


def load_config(file: Path) -> Config:
    """Read a table's file; `BadFileError` has everything that is wrong with it."""
    problems: list[Problem] = []
    entry = read(_read_toml(file), _ConfigFile, problems)
    if entry is None:
        raise BadFileError(str(file), problems)
    catalogue = catalogue_with(file.parent / name for name in entry.house.catalogue)
    house = house_from(entry.house, catalogue, problems)
    if house is None:
        raise BadFileError(str(file), problems)
    return Config(house, catalogue)


def _read_toml(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        problem = Problem("", f"cannot be read: {error}")
    except tomllib.TOMLDecodeError as error:
        problem = Problem("", f"is not valid TOML: {error}")
    raise BadFileError(str(file), [problem])
