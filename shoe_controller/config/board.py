"""The `[board]` section of a table's file: where results boards and pit view are served, and their appearance."""

import re
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.config.table import LONGEST_NAME
from shoe_controller.config.web import Language, check_serving

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}")

Look = Literal["dark", "light"]


class BoardEntry(msgspec.Struct):
    site: str | None = None
    tables: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8080
    language: Language = "en"
    look: Look = "dark"
    pit: bool = True
    username: str | None = None
    password_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


class BoardSettings(NamedTuple):
    site: str
    tables: tuple[str, ...]
    """The tables shown; all of the site if empty."""
    host: str
    port: int
    language: Language
    look: Look
    pit: bool
    """Whether the pit view is served beside the boards."""
    username: str | None
    """The board's user at the broker; `None` for the one of `[mqtt]`."""
    password_file: Path | None
    cert_file: Path | None
    key_file: Path | None
    """With both, pages are served over TLS."""


def board_from(entry: BoardEntry, folder: Path, site: str | None, problems: list[Problem]) -> BoardSettings | None:
    """Check the section. `site` is the table's, the default for the board's."""
    section = Section("board", problems)
    chosen = entry.site or site
    section.require("site", chosen, 'the site whose tables are shown, as in site = "kathmandu"')
    for key, names in (("site", (entry.site,)), ("tables", entry.tables)):
        for name in names:
            if name is not None and not _NAME.fullmatch(name):
                message = (
                    f"must be 1 to {LONGEST_NAME} letters (a-z, A-Z), digits, - or _, because it is part of topics"
                )
                section.problem(key, f"{message}; not {name!r}")
    check_serving(section, entry)
    if chosen is None:
        return None
    return BoardSettings(
        site=chosen,
        tables=entry.tables,
        host=entry.host,
        port=entry.port,
        language=entry.language,
        look=entry.look,
        pit=entry.pit,
        username=entry.username,
        password_file=section.path("password_file", entry.password_file, folder),
        cert_file=section.path("cert_file", entry.cert_file, folder),
        key_file=section.path("key_file", entry.key_file, folder),
    )
