"""The sections `[table]`, `[journal]` and `[log]` of a table's file: the table's identity, and where it writes."""

import os
import re
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.messages.topics import RESERVED_TABLES

JOURNALS = Path("/var/lib/shoe-controller")
"""Default folder of journals: the system's folder for a service's own data. The daemon can write to it and it outlives
an upgrade; the folder of the configuration is often neither."""

ANCHORS = Path("/var/lib/shoe-controller-anchor")
"""Default folder of anchors. It is not that of the journals: whoever puts an older journal back must not do so with
its anchor by the way."""

LONGEST_NAME = 40
LONGEST_TITLE = 80
LONGEST_CURRENCY = 20
LONGEST_HEADLINE = 300
MOST_DECIMALS = 4

_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}")


def is_name(text: str) -> bool:
    """Whether a site or a table can be called so: it is a part of MQTT topics."""
    return _NAME.fullmatch(text) is not None


class TableEntry(msgspec.Struct):
    site: str | None = None
    name: str | None = None
    title: str | None = None
    currency: str = ""
    decimals: int = 2
    headline: str = ""


class JournalEntry(msgspec.Struct):
    file: str | None = None
    keys: str | None = None
    anchor: str | None = None
    seal_key_file: str | None = None


LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["auto", "json", "text"]


class LogEntry(msgspec.Struct):
    level: LogLevel = "info"
    format: LogFormat = "auto"


class TableSettings(NamedTuple):
    site: str
    name: str
    """Both are parts of MQTT topics."""
    title: str
    """The table's name on boards."""
    currency: str
    decimals: int
    """Digits of an amount in minor units behind the decimal point."""
    headline: str


class JournalSettings(NamedTuple):
    file: Path
    keys: Path
    """The folder with the keys of its checkpoints."""
    anchor: Path | None = None
    """Where the table notes how far its journal has come; `None` if nothing says where."""
    seal_key_file: Path | None = None
    """The key by which the table knows its own messages at the broker."""


class LogSettings(NamedTuple):
    level: LogLevel
    format: LogFormat


def table_from(entry: TableEntry, problems: list[Problem]) -> TableSettings | None:
    section = Section("table", problems)
    for key, name, example in (("site", entry.site, "kathmandu"), ("name", entry.name, "baccarat-3")):
        section.require(key, name, f'a name of letters, digits, - and _, as in {key} = "{example}"')
        if name is not None and not is_name(name):
            message = f"must be 1 to {LONGEST_NAME} letters (a-z, A-Z), digits, - or _, because it is part of topics"
            section.problem(key, f"{message}; not {name!r}")
    if entry.name in RESERVED_TABLES:
        section.problem("name", f"must not be {entry.name!r}, which topics use for something else")
    section.one_line("title", entry.title, LONGEST_TITLE, may_be_empty=False)
    section.one_line("currency", entry.currency, LONGEST_CURRENCY)
    if not 0 <= entry.decimals <= MOST_DECIMALS:
        section.problem("decimals", f"must be 0 to {MOST_DECIMALS}, not {entry.decimals}")
    section.one_line("headline", entry.headline, LONGEST_HEADLINE)
    if entry.site is None or entry.name is None:
        return None
    return TableSettings(
        site=entry.site,
        name=entry.name,
        title=entry.title or entry.name,
        currency=entry.currency,
        decimals=entry.decimals,
        headline=entry.headline,
    )


def journal_from(
    entry: JournalEntry, folder: Path, table: TableSettings | None, problems: list[Problem]
) -> JournalSettings | None:
    """Return where the journal and its keys are; `None` if neither the section nor the table's name gives it."""
    section = Section("journal", problems)
    file = section.path("file", entry.file, folder)
    keys = section.path("keys", entry.keys, folder)
    anchor = section.path("anchor", entry.anchor, folder)
    seal_key_file = section.path("seal_key_file", entry.seal_key_file, folder)
    if file is None and table is not None:
        file = JOURNALS / f"{table.name}.journal"
    if anchor is None and table is not None:
        anchor = ANCHORS / f"{table.site}-{table.name}.anchor"
    if file is None:
        return None
    if anchor is not None and os.path.normpath(anchor) in _files_of(file):
        section.problem("anchor", "this is the journal's own file: name another one, or leave this key out")
    return JournalSettings(file, keys or keys_beside(file), anchor, seal_key_file)


def _files_of(journal: Path) -> set[str]:
    """The names that the journal and what belongs to it have in its folder."""
    name = os.path.normpath(journal)
    return {name, *(f"{name}{end}" for end in ("-wal", "-shm", ".lock", ".keys"))}


def keys_beside(journal: Path) -> Path:
    """The default folder of a journal's keys."""
    return journal.with_name(f"{journal.name}.keys")
