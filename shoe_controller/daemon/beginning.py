"""Begins a table's journal where there is none: by itself for a table that has never dealt, else only when asked.

A path that is mistyped, or a disk that is not mounted, looks like a new table. So whatever says that the table has
dealt before is a sign: its anchor, a journal that is kept beside the missing one, its `status` at the broker. With a
sign, `run` refuses, and `shoe-controller journal begin` begins a journal whose first entry names the signs.
"""

from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.clock.moment import Moment
from shoe_controller.config.plain_files import make_folder
from shoe_controller.config.table import JOURNALS, JournalSettings
from shoe_controller.daemon.table_journal import SOFTWARE, entry_for, read_input
from shoe_controller.house.rules import read_rules
from shoe_controller.journal import opening, succession
from shoe_controller.journal.anchor import read_anchor
from shoe_controller.journal.database import files_of
from shoe_controller.journal.errors import NotBegunError, UnreadableAnchorError
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import INPUTS, Entry, stored_input
from shoe_controller.messages.details import DealtSign
from shoe_controller.table.inputs import (
    AnyInput,
    DealtBefore,
    JournalBegun,
    JournalFailed,
    JournalTrouble,
    RolledBack,
)
from shoe_controller.table.state import TableState
from shoe_controller.table.table import Table

FIRST_RECORDS = 100
"""Records in which the reason for a new journal is found: it is among the first inputs."""

COMMAND = "`shoe-controller journal begin {}`"


class Sign(NamedTuple):
    """Something that says that the table has dealt before."""

    kind: DealtSign
    what: str
    """For the person who must act."""


def signs(journal: JournalSettings, status_of: str | None) -> list[Sign]:
    """All that says so; `status_of` is the journal that the table's `status` at the broker names, if there is one."""
    found = [*_in_anchor(journal.anchor)]
    if journal.file.parent.is_dir():
        found += [Sign(DealtSign.KEPT, f"{name} is kept beside it") for name in opening.kept_names(journal.file)]
    if status_of is not None:
        found.append(Sign(DealtSign.STATUS, f"the broker has its status, from the journal {status_of or 'of no name'}"))
    return found


def _in_anchor(anchor: Path | None) -> list[Sign]:
    try:
        claims = () if anchor is None else read_anchor(anchor)
    except UnreadableAnchorError as error:
        return [Sign(DealtSign.ANCHOR, f"there is an anchor that says nothing: {str(error).removesuffix('.')}")]
    return [
        Sign(
            DealtSign.ANCHOR,
            f"its anchor {anchor} knows the journal {claim.journal}, with {claim.head.number} records",
        )
        for claim in claims[-1:]
    ]


def is_missing(journal: JournalSettings) -> bool:
    """Whether there is no journal, and none is to be begun for one that was set aside: a log alone is a damaged one."""
    main, log, _ = files_of(journal.file)
    return not main.exists() and not log.exists() and not opening.is_being_replaced(main)


def allow_beginning(journal: JournalSettings, status_of: str | None, config: Path) -> None:
    """Raise `NotBegunError` if there is no journal and none may be begun unasked; make the default folder.

    `config` is the table's file, for the command that begins one.
    """
    file, command = journal.file, COMMAND.format(config)
    if file.exists():
        opening.end_replacing(file)
        return
    if not file.parent.is_dir() and file.parent != JOURNALS:
        raise NotBegunError(
            file,
            f"its folder {file.parent} does not exist. Correct file in the section [journal], or mount its disk. For a "
            f"new journal in a new folder: {command}.",
        )
    found = signs(journal, status_of) if is_missing(journal) else []
    if found:
        listed = "; ".join(sign.what for sign in found)
        raise NotBegunError(
            file,
            f"there is no journal here, and this table has dealt before: {listed}. Correct file in the section "
            f"[journal], mount its disk, or put the journal back. If it is lost: {command} begins a new one, on the "
            "record.",
        )
    make_folder(file.parent)


def begin(file: Path, identity: Identity, found: list[Sign], at: Moment) -> None:
    """Begin a journal because a person asks for it; its first entry names the signs that the table has dealt before."""
    given = JournalBegun(state=TableState(), signs=tuple(dict.fromkeys(sign.kind for sign in found)))
    entry: Entry = entry_for(given, Table(read_rules).handle(given, at), at)
    make_folder(file.parent)
    succession.begin(file, identity, entry, created_ms=at.wall_ms, software=SOFTWARE)
    opening.end_replacing(file)


def is_unexplained(reader: JournalReader) -> bool:
    """Whether nothing of this journal was ever published, and nothing in it says why it was begun."""
    if reader.position().published_seq:
        return False
    first = (read_input(stored_input(each).input) for each in reader.records(0, FIRST_RECORDS) if each.kind in INPUTS)
    return not any(map(_explains, first))


def _explains(given: AnyInput) -> bool:
    """Whether this says why a table that has dealt before has a new journal."""
    if isinstance(given, JournalFailed):
        return given.trouble is JournalTrouble.DAMAGED
    return isinstance(given, JournalBegun | RolledBack | DealtBefore)


class _OwnStatus(msgspec.Struct):
    journal: str = ""


_decode = msgspec.json.Decoder(_OwnStatus).decode


def journal_in(status: bytes | None) -> str | None:
    """The journal that a status names; nothing if there is no status."""
    if status is None:
        return None
    try:
        return _decode(status).journal
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
