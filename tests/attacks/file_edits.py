"""The edits of `journal_edits.py`, as functions; each returns the first record that is no longer as it was, if any."""

# ruff: noqa: S608 - the statements are made of the numbers in this file

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from shoe_controller.journal.chain import genesis, link
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.records import Head, Record
from shoe_controller.journal.tombstones import as_body
from tests.attacks.journal_forging import (
    end_with,
    forge_note,
    forge_tombstone,
    rechain,
    records_of,
    tombstones_of,
)
from tests.attacks.table_journal import HANDS, IDENTITY, TableJournal, table_journal
from tests.journal.tampering import query, tampered

# --- where ------------------------------------------------------------------------------------------------------------


def number_in(path: Path, statement: str) -> int:
    return int(query(path, statement)[0][0])


def victim(path: Path, kind: str, name: str = "%") -> int:
    """The number of the first such record in the fifth shoe."""
    cut = number_in(path, "SELECT max(last) FROM tombstone")
    inside = f"number > {cut + 5} AND shoe = 5"
    return number_in(path, f"SELECT min(number) FROM record WHERE {inside} AND kind = '{kind}' AND name LIKE '{name}'")


def tail(journal: TableJournal) -> int:
    """The number of the raw record of the last entry: behind the last head and the last checkpoint."""
    number = number_in(journal.path, "SELECT max(number) FROM record WHERE kind = 'raw'")
    assert number > journal.heads[-1].number
    return number


def changed(journal: TableJournal, number: int, **fields: Any) -> list[Record]:  # noqa: ANN401 - fields of a record
    """The records, one of which is changed."""
    return [one._replace(**fields) if one.number == number else one for one in records_of(journal.path)]


def body_of(path: Path, number: int) -> bytes:
    return next(one.body for one in records_of(path) if one.number == number)


def column(kind: str, statement: str, name: str = "%") -> Callable[[TableJournal], int]:
    """One column of one record."""

    def edit(journal: TableJournal) -> int:
        number = victim(journal.path, kind, name)
        tampered(journal.path, f"UPDATE record SET {statement} WHERE number = {number}")
        return number

    return edit


def sql(*statements: str) -> Callable[[TableJournal], None]:
    return lambda journal: tampered(journal.path, *statements)


def other_winner(body: bytes) -> bytes:
    swapped = body.replace(b'"player"', b'"\0"').replace(b'"banker"', b'"player"').replace(b'"\0"', b'"banker"')
    assert swapped != body
    return swapped


# --- records ---------------------------------------------------------------------------------------------------------


def fact_changed(journal: TableJournal) -> int:
    number = victim(journal.path, "event", "round_result")
    body = other_winner(body_of(journal.path, number))
    tampered(journal.path, f"UPDATE record SET body = ? WHERE number = {number}", values=(body,))
    return number


def record_removed(journal: TableJournal) -> int:
    number = victim(journal.path, "event")
    tampered(journal.path, f"DELETE FROM record WHERE number = {number}")
    return number


def entry_removed(journal: TableJournal) -> int:
    entry = number_in(journal.path, f"SELECT entry FROM record WHERE number = {victim(journal.path, 'event')}")
    tampered(journal.path, f"DELETE FROM record WHERE entry = {entry}")
    return entry


def swapped(journal: TableJournal) -> int:
    one = victim(journal.path, "event")
    tampered(
        journal.path,
        f"UPDATE record SET number = -1 WHERE number = {one}",
        f"UPDATE record SET number = {one} WHERE number = {one + 3}",
        f"UPDATE record SET number = {one + 3} WHERE number = -1",
    )
    return one


def put_in(at: Callable[[TableJournal], int]) -> Callable[[TableJournal], int]:
    """A copy of a raw record under another number."""

    def edit(journal: TableJournal) -> int:
        number = at(journal)
        original = next(one for one in records_of(journal.path) if one.kind == "raw")
        marks = ", ".join("?" * len(original))
        values = tuple(original._replace(number=number, entry=number))
        tampered(journal.path, f"INSERT INTO record VALUES ({marks})", values=values)
        return number

    return edit


def own_hash(journal: TableJournal) -> int:
    number = victim(journal.path, "raw")
    before = next(one.hash for one in records_of(journal.path) if one.number == number - 1)
    forged = next(one for one in changed(journal, number, body=b"forged") if one.number == number)
    tampered(
        journal.path,
        f"UPDATE record SET body = ?, hash = ? WHERE number = {number}",
        values=(forged.body, link(before, forged)),
    )
    return number


# --- the chain recomputed --------------------------------------------------------------------------------------------


def rechained(kind: str, **fields: Any) -> Callable[[TableJournal], int]:  # noqa: ANN401 - fields of a record
    def edit(journal: TableJournal) -> int:
        number = victim(journal.path, kind)
        rechain(journal.path, changed(journal, number, **fields))
        return number

    return edit


def fact_rechained(journal: TableJournal) -> int:
    number = victim(journal.path, "event", "round_result")
    rechain(journal.path, changed(journal, number, body=other_winner(body_of(journal.path, number))))
    return number


def other_software(journal: TableJournal) -> int:
    """Every record of another version, so that nothing is replayed."""
    number = victim(journal.path, "event", "round_result")
    records = changed(journal, number, body=other_winner(body_of(journal.path, number)))
    rechain(journal.path, [one._replace(software="0.0.9") for one in records])
    return min(one.number for one in records)


def removed_and_rechained(journal: TableJournal) -> int:
    number = victim(journal.path, "raw")
    rechain(journal.path, [one for one in records_of(journal.path) if one.number != number])
    return number


def swapped_and_rechained(journal: TableJournal) -> int:
    number = victim(journal.path, "raw")
    other = number_in(journal.path, f"SELECT min(number) FROM record WHERE kind = 'raw' AND number > {number}")
    bodies = {number: body_of(journal.path, other), other: body_of(journal.path, number)}
    records = [one._replace(body=bodies.get(one.number, one.body)) for one in records_of(journal.path)]
    rechain(journal.path, records)
    return number


def round_removed_and_rechained(journal: TableJournal) -> int:
    """A whole round, so that what is left may well have happened."""
    records = records_of(journal.path)
    gone = [one for one in records if one.shoe == 5 and one.round == 2]
    rechain(journal.path, [one for one in records if one not in gone])
    return gone[0].number


def tail_rechained(journal: TableJournal) -> int:
    number = tail(journal)
    rechain(journal.path, changed(journal, number, body=b"another card"))
    return number


def renamed_and_rechained(journal: TableJournal) -> int:
    """Another table's name, with a new genesis, tombstones and records that tell of them."""
    tampered(journal.path, "UPDATE journal SET table_name = 'north/t2'")
    tampered(
        journal.path,
        "UPDATE tombstone SET previous_hash = ? WHERE first = 1",
        values=(genesis("north/t2", IDENTITY.journal_id),),
    )
    tombstones = tombstones_of(journal.path)
    bodies = {
        one.number: as_body(tombstones[: place + 1])
        for one in records_of(journal.path)
        if one.kind == "pruned"
        for place, tombstone in enumerate(tombstones)
        if msgspec.json.decode(one.body)["first"] == tombstone.first
    }
    records = [one._replace(body=bodies.get(one.number, one.body)) for one in records_of(journal.path)]
    rechain(journal.path, records)
    return min(bodies)


def other_evening(journal: TableJournal) -> int:
    """A journal of other cards, dealt by this very program under the same names."""
    folder = journal.path.parent / "other"
    folder.mkdir()
    shutil.move(table_journal(folder, hands=HANDS[::-1]).path, journal.path)
    return 1


# --- the end ---------------------------------------------------------------------------------------------------------


def cut(journal: TableJournal, last: int, *, set_back: bool) -> int:
    tampered(journal.path, f"DELETE FROM record WHERE number > {last}")
    if set_back:
        records = records_of(journal.path)
        seq = max(one.seq for one in records if one.seq is not None)
        end_with(journal.path, Head(number=last, hash=records[-1].hash), seq)
    return last + 1


def cut_at_entry(journal: TableJournal, *, set_back: bool) -> int:
    """Between two entries, with the last heads behind."""
    head = journal.heads[-2].number
    entry = number_in(journal.path, f"SELECT min(entry) FROM record WHERE entry > {head}")
    return cut(journal, entry - 1, set_back=set_back)


def cut_in_entry(journal: TableJournal) -> int:
    """Between an input and what it led to."""
    number = number_in(
        journal.path, f"SELECT min(number) FROM record WHERE kind = 'event' AND number > {journal.heads[-2].number}"
    )
    number = number_in(journal.path, f"SELECT min(number) FROM record WHERE kind = 'event' AND entry > {number}")
    return cut(journal, number - 1, set_back=True)


def last_entry_cut(journal: TableJournal) -> int:
    entry = number_in(journal.path, "SELECT max(entry) FROM record")
    assert entry > journal.heads[-1].number
    return cut(journal, entry - 1, set_back=True)


# --- tombstones ------------------------------------------------------------------------------------------------------


def second_round(journal: TableJournal) -> tuple[int, int]:
    first, last = query(journal.path, "SELECT min(number), max(number) FROM record WHERE shoe = 5 AND round = 2")[0]
    return first, last


def oldest_shoe(journal: TableJournal) -> tuple[int, int]:
    first = number_in(journal.path, "SELECT max(last) + 1 FROM tombstone")
    return first, number_in(
        journal.path, f"SELECT min(entry) - 1 FROM record WHERE kind = 'opening' AND entry > {first}"
    )


def buried(part: Callable[[TableJournal], tuple[int, int]], *, told: bool) -> Callable[[TableJournal], int]:
    def edit(journal: TableJournal) -> int:
        first, last = part(journal)
        forge_tombstone(journal.path, first, last)
        if told:
            forge_note(journal.path)
        return first

    return edit


def up_to_round(journal: TableJournal) -> tuple[int, int]:
    return oldest_shoe(journal)[0], second_round(journal)[1]


def longer_tombstone(journal: TableJournal) -> int:
    cut = tombstones_of(journal.path)[-1].last
    record = next(one for one in records_of(journal.path) if one.number == cut + 1)
    tampered(
        journal.path, f"UPDATE tombstone SET last = last + 1, last_hash = ? WHERE last = {cut}", values=(record.hash,)
    )
    tampered(journal.path, f"DELETE FROM record WHERE number = {cut + 1}")
    return cut + 1


def merged_tombstones(journal: TableJournal) -> int:
    one, other = (next(each for each in tombstones_of(journal.path) if each.shoe == shoe) for shoe in (1, 2))
    tampered(
        journal.path,
        f"DELETE FROM tombstone WHERE first = {other.first}",
        f"UPDATE tombstone SET last = {other.last}, last_hash = ?, last_seq = {other.last_seq} WHERE shoe = 1",
        values=(other.last_hash,),
    )
    return one.first


# --- the file --------------------------------------------------------------------------------------------------------


def write(at: Callable[[bytes], int], data: bytes) -> Callable[[TableJournal], None]:
    def edit(journal: TableJournal) -> None:
        content = bytearray(journal.path.read_bytes())
        place = at(bytes(content))
        content[place : place + len(data)] = data
        journal.path.write_bytes(content)

    return edit


def guard_removed(journal: TableJournal) -> None:
    with closing(sqlite3.connect(journal.path)) as database:
        database.execute("DROP TRIGGER record_never_changes")


def page_in_use(content: bytes) -> int:
    return content.rindex(b"round_result") // 4096 * 4096


def free_page(content: bytes) -> int:
    """The middle of the first page that is in no use, after its list of others."""
    trunk = int.from_bytes(content[32:36])
    count = int.from_bytes(content[4096 * (trunk - 1) + 4 :][:4])
    assert count, "there is no free page"
    page = int.from_bytes(content[4096 * (trunk - 1) + 8 :][:4])
    return 4096 * (page - 1) + 2000


def cut_file(journal: TableJournal) -> None:
    content = journal.path.read_bytes()
    journal.path.write_bytes(content[: len(content) // 2])


def older_page(journal: TableJournal) -> None:
    """Every page that the older file has, but for the first, which says how long the file is."""
    content, older = bytearray(journal.path.read_bytes()), journal.older.read_bytes()
    content[4096 : len(older)] = older[4096:]
    journal.path.write_bytes(content)


def older_file(journal: TableJournal) -> int:
    shutil.copy(journal.older, journal.path)
    return number_in(journal.path, "SELECT max(number) + 1 FROM record")


def lost_log(journal: TableJournal) -> int:
    """A crash left the last shoe in the log beside the file, and then the log was lost."""
    log = journal.path.with_name(f"{journal.path.name}-wal")
    new = journal.path.with_name("new.journal")
    shutil.move(journal.path, new)
    shutil.copy(journal.older, journal.path)
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("ATTACH ? AS newer", (str(new),))
        database.execute(
            "INSERT INTO record SELECT * FROM newer.record WHERE number > (SELECT max(number) FROM record)"
        )
        database.execute("UPDATE position SET head_number = (SELECT head_number FROM newer.position)")
        crashed = journal.path.read_bytes()
        assert log.stat().st_size > 0
    journal.path.write_bytes(crashed)
    log.unlink(missing_ok=True)
    return number_in(journal.path, "SELECT max(number) + 1 FROM record")


def put_in_its_place(identity: Identity) -> Callable[[TableJournal], int]:
    def edit(journal: TableJournal) -> int:
        folder = journal.path.parent / "other"
        folder.mkdir()
        shutil.move(table_journal(folder, identity).path, journal.path)
        return 1

    return edit
