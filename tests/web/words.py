"""The words of the pages, and those for the codes that tables publish, read from their files."""

import json
from collections.abc import Iterator
from typing import Any

from shoe_controller.board.process import STATIC as BOARD
from shoe_controller.console.process import STATIC as CONSOLE
from shoe_controller.web.static_files import LANGUAGES, TABLE_WORDS

TAGS = tuple(LANGUAGES.values())
FOLDERS = {"table": TABLE_WORDS, "board": BOARD, "console": CONSOLE}


def read(kind: str, tag: str) -> dict[str, Any]:
    """`kind` is "table", "board" or "console"."""
    name = "table" if kind == "table" else "words"
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
