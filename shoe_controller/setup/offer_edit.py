"""Takes a wager out of what a table's file offers, and out of every setting that would then be about nothing. Pure."""

import tomllib
from collections.abc import Collection, Iterator
from typing import Any

from shoe_controller.baccarat.wagers import Catalogue, CatalogueError
from shoe_controller.config.house import ALL_WAGERS
from shoe_controller.config.table_file import Config
from shoe_controller.setup.toml_edit import EditError, with_value, without

TABLES_BY_WAGER = ("limits", "pay_tables")
LISTS_OF_WAGERS = (("needs_base",), ("round_limit", "groups"))


def without_wager(text: str, config: Config, name: str) -> str:
    """Return the text without this wager, or group of wagers, in the offer."""
    try:
        gone = set(config.catalogue.expand((name,)))
    except CatalogueError as error:
        raise EditError(str(error)) from None
    if gone.isdisjoint(config.house.offered):
        raise EditError(f"{name} is not offered at this table: {', '.join(config.house.offered)}")
    left = [wager for wager in config.house.offered if wager not in gone]
    if not left:
        raise EditError(f"without {name} the table would offer nothing")
    text = _without_offer(text, config.catalogue, gone)
    for keys in _about_nothing(tomllib.loads(text)["house"], config.catalogue, left):
        text = without(text, ("house", *keys))
    return text


def _without_offer(text: str, catalogue: Catalogue, gone: Collection[str]) -> str:
    house: Any = tomllib.loads(text)["house"]
    offer = house.get("offer")
    if offer is not None and all(_is_whole(catalogue, name, gone) for name in offer):
        for number in reversed(range(len(offer))):
            if not _what_is_left(catalogue, offer[number], gone):
                text = without(text, ("house", "offer", f"[{number}]"))
        return text
    layouts = [house["layout"]] if isinstance(house["layout"], str) else house["layout"]
    names = offer or [each for layout in layouts for each in catalogue.layouts[layout].offers]
    kept = [each for name in names for each in _what_is_left(catalogue, name, gone)]
    return with_value(text, ("house", "offer"), list(dict.fromkeys(kept)))


def _is_whole(catalogue: Catalogue, name: str, gone: Collection[str]) -> bool:
    """Whether all of a group goes, or nothing of it."""
    return _what_is_left(catalogue, name, gone) in ([], [name])


def _what_is_left(catalogue: Catalogue, name: str, gone: Collection[str]) -> list[str]:
    wagers = catalogue.expand((name,))
    left = [wager for wager in wagers if wager not in gone]
    return [name] if len(left) == len(wagers) else left


def _about_nothing(house: Any, catalogue: Catalogue, left: Collection[str]) -> Iterator[tuple[str, ...]]:  # noqa: ANN401 - as the file has it
    """Settings that name no wager of the offer any more; of a list the last first, so that places stay true."""

    def nothing(name: str) -> bool:
        return name != ALL_WAGERS and not set(catalogue.expand((name,))) & set(left)

    for table in TABLES_BY_WAGER:
        yield from ((table, name) for name in house.get(table, {}) if nothing(name))
    for keys in LISTS_OF_WAGERS:
        found = house
        for key in keys:
            found = found.get(key, {})
        yield from ((*keys, f"[{number}]") for number in reversed(range(len(found))) if nothing(found[number]))
