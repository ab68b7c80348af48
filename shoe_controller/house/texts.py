"""The rules of a house as texts, which a journal can store, and the same rules rebuilt from these texts alone.

A replay years later must settle as the table did, whatever has become of the table's file, of the built-in catalogue
and of the guard's rules since then.
"""

import json
from functools import cache, lru_cache
from importlib import resources

import msgspec

from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.config.house import HouseEntry, house_from
from shoe_controller.config.strict_reading import BadFileError, Problem, read
from shoe_controller.house.catalogue_files import built_in_catalogue, extend

CatalogueTexts = tuple[tuple[str, str], ...]
"""Names, without folders, and texts of catalogue files in the order in which they are read."""

HOUSES_REMEMBERED = 8
"""A journal seldom has more: a house changes its rules a few times a year, and every shoe needs them."""

_WRITTEN_IF_SET = ("allow_lower_price", "counted_limit")
"""Keys that came later and change no payment: a file without them has the text that it had before, so that a shoe that
was opened then has the rules of the file."""

_WHERE = "the recorded rules of the house"


@cache
def built_in_texts() -> CatalogueTexts:
    folder = resources.files("shoe_controller.baccarat") / "catalogue"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return tuple((file.name, file.read_text(encoding="utf-8")) for file in files)


def house_text_of(entry: HouseEntry) -> str:
    """Return the section in canonical form, however it was written: JSON with every key, sorted.

    Defaults are written out, so that they stay what they were. The names of catalogue files are left out: their texts
    are stored beside this one, and a file that moves changes no rule. So is the limit of a warning of `config check`.
    """
    alone = msgspec.to_builtins(msgspec.structs.replace(entry, catalogue=(), counted_limit=None))
    for key in _WRITTEN_IF_SET:
        if not alone[key]:
            del alone[key]
    return json.dumps(alone, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


@lru_cache(maxsize=HOUSES_REMEMBERED)
def house_from_texts(house_text: str, catalogue_texts: CatalogueTexts) -> House:
    """Rebuild the house from these texts; raise `BadFileError` if they are not ours.

    The guard does not check again. It did when the table's file was read, and what was dealt since then stands.
    """
    problems: list[Problem] = []
    try:
        data = json.loads(house_text)
    except (ValueError, RecursionError) as error:
        raise BadFileError(_WHERE, [Problem("", f"cannot be read: {error}")]) from None
    entry = read(data, HouseEntry, problems, "house")
    house = None if entry is None else house_from(entry, catalogue_from_texts(catalogue_texts), problems, guarded=False)
    if house is None:
        raise BadFileError(_WHERE, problems)
    return house


@lru_cache(maxsize=HOUSES_REMEMBERED)
def catalogue_from_texts(texts: CatalogueTexts) -> Catalogue:
    """Rebuild the catalogue from these texts."""
    built_in = built_in_texts()
    if texts[: len(built_in)] == built_in:
        return extend(built_in_catalogue(), texts[len(built_in) :])
    return extend(Catalogue(documents={}, groups={}, wagers={}, base_games={}, layouts={}), texts)
