"""The words of the pages, and those for the codes that tables publish, read from their files."""

import json
from collections.abc import Iterator
from typing import Any

from shoe_controller.board.process import STATIC as BOARD
from shoe_controller.console.process import STATIC as CONSOLE
from shoe_controller.pit.web import STATIC as PIT
from shoe_controller.web.static_files import LANGUAGES, TABLE_WORDS, TILES

TAGS = tuple(LANGUAGES.values())
FOLDERS = {"table": TABLE_WORDS, "tiles": TILES, "board": BOARD, "console": CONSOLE, "pit": PIT}


def read(kind: str, tag: str) -> dict[str, Any]:
    """`kind` is one of `FOLDERS`."""
    name = kind if kind in ("table", "tiles") else "words"
    words: dict[str, Any] = json.loads((FOLDERS[kind] / f"{name}.{tag}.json").read_text(encoding="utf-8"))
    return words


TABLE = {tag: read("table", tag) for tag in TAGS}


def texts(words: Any, place: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    """Every text with its place, as in ("alerts.misread.to_do", "…")."""
    if isinstance(words, str):
        yield place, words
    elif isinstance(words, list):
        for number, each in enumerate(words):
            yield from texts(each, f"{place}.{number}")
    else:
        for key, each in words.items():
            yield from texts(each, f"{place}.{key}".lstrip("."))
