"""Checks a table's journal without the program that wrote it: one file, nothing but Python's standard library.

Written from docs/journal.md and docs/witness.md, for a reader who trusts neither the table's machine nor its software.
It shares no code with `shoe-controller journal verify`, never changes the journal, and replays nothing: whether the
cards lead to the results is not its question, only whether the records are those that were once signed or seen.

Exit codes: 0 whole, and proved where a key, a head or a witness's file was given; 1 damaged; 2 arguments that cannot
be used; 3 nothing wrong was found, but something that was given proves nothing, or the keys begin anew somewhere.
"""

# ruff: noqa: T201, S608 - reports to the terminal; statements are made of the column names in this file

import argparse
import base64
import hashlib
import json
import re
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

# --- the layout, as docs/journal.md gives it --------------------------------------------------------------------------

APPLICATION = 0x53484A31
KINDS = {
    1: ("raw", "opening", "snapshot", "input", "fact", "message", "pruned"),
    2: ("raw", "opening", "snapshot", "input", "event", "pruned", "checkpoint", "fact", "message"),
}
SCHEMA = {
    "journal": """CREATE TABLE journal ( id INTEGER PRIMARY KEY CHECK (id = 1), table_name TEXT NOT NULL,
        journal_id TEXT NOT NULL, created_ms INTEGER NOT NULL ) STRICT""",
    "record": """CREATE TABLE record ( number INTEGER PRIMARY KEY, entry INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN (KINDS)), name TEXT NOT NULL, wall_ms INTEGER NOT NULL,
        mono_ns INTEGER NOT NULL, synchronised INTEGER NOT NULL, shoe INTEGER NOT NULL, round INTEGER NOT NULL,
        seq INTEGER, software TEXT NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL ) STRICT""",
    "position": """CREATE TABLE position ( id INTEGER PRIMARY KEY CHECK (id = 1), head_number INTEGER NOT NULL,
        head_hash BLOB NOT NULL, last_seq INTEGER NOT NULL, published_seq INTEGER NOT NULL, link_state BLOB ) STRICT""",
    "tombstone": """CREATE TABLE tombstone ( first INTEGER PRIMARY KEY, last INTEGER NOT NULL,
        previous_hash BLOB NOT NULL, first_hash BLOB NOT NULL, last_hash BLOB NOT NULL, last_seq INTEGER NOT NULL,
        shoe INTEGER NOT NULL, counts TEXT NOT NULL, first_wall_ms INTEGER NOT NULL, last_wall_ms INTEGER NOT NULL,
        export_name TEXT NOT NULL, export_digest BLOB NOT NULL ) STRICT""",
    "record_by_seq": "CREATE UNIQUE INDEX record_by_seq ON record (seq) WHERE seq IS NOT NULL",
    "record_starts": "CREATE INDEX record_starts ON record (number) WHERE kind IN ('opening', 'snapshot')",
    "record_checkpoints": "CREATE INDEX record_checkpoints ON record (number) WHERE kind = 'checkpoint'",
    "record_never_changes": """CREATE TRIGGER record_never_changes BEFORE UPDATE ON record
        BEGIN SELECT raise(ABORT, 'a record of the journal never changes'); END""",
    "record_stays_until_pruned": """CREATE TRIGGER record_stays_until_pruned BEFORE DELETE ON record
        WHEN NOT EXISTS (SELECT 1 FROM tombstone WHERE old.number BETWEEN first AND last)
        BEGIN SELECT raise(ABORT, 'a record stays until its shoe has a tombstone'); END""",
}


class Record(NamedTuple):
    number: int
    entry: int
    kind: str
    name: str
    wall_ms: int
    mono_ns: int
    synchronised: int
    shoe: int
    round: int
    seq: int | None
    software: str
    body: bytes
    hash: bytes


class Tombstone(NamedTuple):
    first: int
    last: int
    previous_hash: bytes
    first_hash: bytes
    last_hash: bytes
    last_seq: int
    shoe: int
    counts: str
    first_wall_ms: int
    last_wall_ms: int
    export_name: str
    export_digest: bytes

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.first <= number <= self.last


class Head(NamedTuple):
    number: int
    hash: bytes
    whence: str
    time: int | None = None
    """When it was seen elsewhere, milliseconds since 1970."""


class UnusableError(Exception):
    """An argument that cannot be used."""


def plain(file: Path) -> Path:
    """The same path, unless it leads to a pipe, which would be waited for, or to a device that never ends."""
    if file.exists() and not file.is_file():
        raise UnusableError(f"{file} is not a file.")
    return file


class DamagedError(Exception):
    """Damage that leaves nothing more to check."""


@dataclass
class Findings:
    problems: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)
    """What was to be proved with the arguments, and is not."""
    notes: list[str] = field(default_factory=list)
    proved: list[tuple[int, int | None, str]] = field(default_factory=list)
    """Records, each with everything before it: number, time, by what."""

    def demand(self, condition: object, problem: str) -> bool:
        if not condition:
            self.problems.append(problem)
        return bool(condition)


# --- hashes -----------------------------------------------------------------------------------------------------------


def packed(*values: int) -> bytes:
    return b"".join(value.to_bytes(8, "big", signed=True) for value in values)


def with_lengths(numbers: Iterable[int], *texts: str | bytes) -> bytes:
    data = [text.encode() if isinstance(text, str) else text for text in texts]
    return packed(*numbers, *map(len, data)) + b"".join(data)


def genesis(table_name: str, journal_id: str) -> bytes:
    return hashlib.blake2s(with_lengths((), table_name, journal_id), person=b"shoegen1").digest()


def record_hash(before: bytes, of: Record) -> bytes:
    numbers = (of.number, of.entry, of.wall_ms, of.mono_ns, of.synchronised, of.shoe, of.round, of.seq or 0)
    data = before + with_lengths(numbers, of.kind, of.name, of.software, of.body)
    return hashlib.blake2s(data, person=b"shoerec1").digest()


def tombstones_digest(stones: Iterable[Tombstone]) -> bytes:
    digest = hashlib.blake2s(person=b"shoetmb1")
    for of in stones:
        numbers = (of.first, of.last, of.last_seq, of.shoe, of.first_wall_ms, of.last_wall_ms)
        texts = (of.previous_hash, of.first_hash, of.last_hash, of.counts, of.export_name, of.export_digest)
        digest.update(with_lengths(numbers, *texts))
    return digest.digest()


# --- Ed25519, RFC 8032; points are (x, y, z, t) with x/z and y/z on the curve and t = xy/z ----------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int, int, int]
ZERO: Point = (0, 1, 1, 0)


def add(one: Point, other: Point) -> Point:
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % P, (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def same_point(one: Point, other: Point) -> bool:
    return not any((one[i] * other[2] - other[i] * one[2]) % P for i in (0, 1))


def decoded(data: bytes) -> Point | None:
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if len(data) != 32 or y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = decoded(bytes([0x58] + 31 * [0x66])) or ZERO


def has_small_order(point: Point) -> bool:
    for _ in range(3):
        point = add(point, point)
    return same_point(point, ZERO)


def is_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    point, commitment = decoded(key), decoded(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or commitment is None or len(signature) != 64 or scalar >= ORDER:
        return False
    if has_small_order(point) or has_small_order(commitment):
        return False  # with such a key anything would be signed; no signer makes such a commitment
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    negative: Point = (P - point[0], point[1], 1, P - point[3])
    choices = (ZERO, BASE, negative, add(BASE, negative))
    result = ZERO
    for bit in range(252, -1, -1):
        result = add(result, result)
        result = add(result, choices[(scalar >> bit & 1) + 2 * (challenge >> bit & 1)])
    return same_point(result, commitment)


# --- JSON that may have been written by an attacker -------------------------------------------------------------------


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def json_value(data: str | bytes) -> object:
    """Raise ValueError unless it is JSON, in UTF-8."""
    try:
        return json.loads(data if isinstance(data, str) else data.decode(), parse_constant=refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_object(data: str | bytes) -> dict[str, Any]:
    """Raise ValueError unless it is a JSON object."""
    value = json_value(data)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")  # noqa: TRY004 - for the caller, JSON of another type is bad JSON
    return value


def wanted(value: object, **types: type) -> list[Any]:
    """These fields, each of exactly its type; raises ValueError where one is not."""
    if not isinstance(value, dict) or any(type(value.get(name)) is not kind for name, kind in types.items()):
        raise ValueError("fields are missing or of another type")
    return [value[name] for name in types]


def hexadecimal(text: str, size: int) -> bytes:
    if not re.fullmatch(f"[0-9a-f]{{{2 * size}}}", text):
        raise ValueError(f"not {size} bytes in hexadecimal")
    return bytes.fromhex(text)


# --- the chain --------------------------------------------------------------------------------------------------------

STAGES = {"raw": 0, "opening": 1, "snapshot": 1, "input": 1, "event": 2, "fact": 2, "message": 3}
ALONE = ("pruned", "checkpoint")


class Chain:
    """Takes one record after the other, of the journal or of an export, and finds what does not follow."""

    def __init__(self, findings: Findings, where: str, last: int, before: bytes, seq: int) -> None:
        self.findings = findings
        self.where = where
        self.last, self.before, self.seq = last, before, seq
        self.whole_up_to: int | None = None
        """The last record before the first one that does not follow, once there is one."""
        self._entry: list[Record] = []

    def take(self, record: Record) -> None:
        follows = record.number == self.last + 1 and record.hash == record_hash(self.before, record)
        if not follows and self.whole_up_to is None:
            self.whole_up_to = self.last
        self.findings.demand(follows, f"{self.where}record {record.number} does not follow from record {self.last}.")
        if record.entry == record.number:
            self.end_entry()
        else:
            fits = self._entry and record.entry == self._entry[0].number
            self.findings.demand(fits, f"{self.where}record {record.number} belongs to no entry before it.")
        self._entry.append(record)
        if record.kind in {"event", "message"}:
            in_order = record.seq == self.seq + 1
            self.seq = self.seq + 1 if record.seq is None else record.seq
        else:
            in_order = record.seq is None
        self.findings.demand(in_order, f"{self.where}record {record.number} has the wrong event number.")
        self.last, self.before = record.number, record.hash

    def end_entry(self) -> None:
        """The form of an entry: raw bytes, at most one input, then what it led to; some kinds are alone."""
        kinds = [record.kind for record in self._entry]
        if not kinds:
            return
        stages = [STAGES.get(kind, -1) for kind in kinds]
        fine = stages == sorted(stages) and -1 not in stages and stages.count(1) <= 1
        fine = fine and (1 in stages or max(stages) == 0) and not ("event" in kinds and "fact" in kinds)
        twice = [[record.body for record in self._entry if record.kind == kind] for kind in ("fact", "message")]
        fine = (fine and twice[0] == twice[1]) or (len(kinds) == 1 and kinds[0] in ALONE)
        self.findings.demand(fine, f"{self.where}the entry of record {self._entry[0].number} is not a whole entry.")
        self._entry = []


# --- checkpoints ------------------------------------------------------------------------------------------------------


CHECKPOINT = ("journal", "index", "number", "hash", "time", "key", "next_key", "succeeds", "signature")
"""The fields of its body, in order."""


@dataclass(frozen=True)
class Checkpoint:
    journal: str
    index: int
    number: int
    hash: bytes
    time: int
    key: bytes
    next_key: bytes
    succeeds: tuple[str, int]
    signature: bytes

    @classmethod
    def read(cls, body: dict[str, Any]) -> "Checkpoint":
        """Raise ValueError where it is none; the body of a record has these fields in this order, and no others."""
        journal, index, number, time = wanted(body, journal=str, index=int, number=int, time=int)
        digest, key, next_key, signature = wanted(body, hash=str, key=str, next_key=str, signature=str)
        succeeds = ("", 0)
        if body.get("succeeds") is not None:
            old_journal, old_index = wanted(body["succeeds"], journal=str, index=int)
            succeeds = (old_journal, old_index)
        _ = journal.encode(), succeeds[0].encode()  # raises at halves of characters, which are no UTF-8
        if max(abs(value) for value in (index, number, time, succeeds[1])) >= 2**63:
            raise ValueError("a number is too large")
        keys = hexadecimal(key, 32), hexadecimal(next_key, 32)
        return cls(journal, index, number, hexadecimal(digest, 32), time, *keys, succeeds, hexadecimal(signature, 64))

    @property
    def is_genuine(self) -> bool:
        numbers = (self.index, self.number, self.time, self.succeeds[1])
        names = self.journal.encode(), self.succeeds[0].encode()
        message = b"shoechk1" + packed(*numbers, *map(len, names)) + self.hash + self.next_key + b"".join(names)
        return is_signed(self.key, message, self.signature)


class Checkpoints:
    """Follows the keys from checkpoint to checkpoint."""

    def __init__(self, findings: Findings, journal_id: str, keys: set[bytes]) -> None:
        self.findings = findings
        self.journal_id = journal_id
        self.keys = keys
        self.found: dict[int, Checkpoint] = {}
        self.newest: Checkpoint | None = None
        self.trusted = False
        self.proved: Checkpoint | None = None

    def take(self, record: Record, before: bytes | None) -> None:
        """`before` is the hash of the record before it, where that is known."""
        try:
            body = json_object(record.body)
            made = Checkpoint.read(body)
            if tuple(body) != CHECKPOINT or record.body != json.dumps(body, separators=(",", ":")).encode():
                raise ValueError("it is not written as a checkpoint is")  # noqa: TRY301 - as whatever else is wrong
        except ValueError as error:
            self.findings.problems.append(f"The checkpoint in record {record.number} cannot be read: {error}.")
            return
        name = f"Checkpoint {made.index}, record {record.number},"
        fits = (made.journal, made.number, made.time) == (self.journal_id, record.number - 1, record.wall_ms)
        fits = fits and before in (None, made.hash) and record.hash == record_hash(made.hash, record)
        good = self.findings.demand(fits, f"{name} does not fit what it signs.")
        good &= self.findings.demand(made.is_genuine, f"{name} is not signed with its key.")
        good &= self.findings.demand(
            (body["succeeds"] is not None) == (made.index == 0),
            f"{name} names an earlier journal, which checkpoint 0 does and no other.",
        )
        last = self.newest
        follows = made.index in (0, 1) if last is None else made.index == last.index + 1
        good &= self.findings.demand(
            follows, f"{name} does not come next: one before it is missing, or it is there twice."
        )
        anew = last is not None and made.key != last.next_key
        if anew and made.key not in self.keys:
            self.findings.unproved.append(f"The keys begin anew at checkpoint {made.index}, record {record.number}.")
        self.trusted = good and (made.key in self.keys or (self.trusted and not anew))
        if self.trusted:
            self.proved = made
        self.newest = self.found[made.index] = made


LONGEST = 1 << 20
"""Bytes of a witness's line, or of a public key's file, that are read at most."""

# --- the witness's file -----------------------------------------------------------------------------------------------


class HeadDigest(NamedTuple):
    """Heads of which one digest was kept: SHA-256 over their hashes."""

    line: int
    numbers: tuple[int, ...]
    digest: bytes


@dataclass
class Witness:
    heads: list[Head] = field(default_factory=list)
    digests: list[HeadDigest] = field(default_factory=list)
    checkpoints: list[tuple[int, Checkpoint]] = field(default_factory=list)
    """Each with the time when it was seen."""
    notes: list[str] = field(default_factory=list)


DENSE_HASH = 8
"""Characters of its hash that a dense line begins with, in base64."""


def base64_text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def from_base64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class WitnessLines:
    """The lines of one file, as objects; dense ones refer to the lines before them."""

    def __init__(self) -> None:
        self.hash, self.number, self.time = bytes(32), 0, 0
        self.controllers: dict[int, dict[str, Any]] = {}
        self.next_keys: dict[str, str] = {}

    def take(self, line: bytes) -> dict[str, Any]:
        """The next line; raises ValueError unless it follows from the one before."""
        check, _, text = line.partition(b" ")
        digest = hashlib.sha256(self.hash + text).digest()
        dense = len(check) == DENSE_HASH
        if check.decode("ascii", "replace") != (base64_text(digest)[:DENSE_HASH] if dense else digest.hex()):
            raise ValueError("does not follow")
        value = self.whole(json_value(text)) if dense else json_object(text)
        self.hash, self.number = digest, self.number + 1
        kind, self.time = wanted(value, kind=str, time=int)
        if kind == "controller":
            self.controllers[self.number] = value
        elif kind == "checkpoint" and not value.get("disputed"):
            (made,) = wanted(value, checkpoint=dict)
            self.next_keys[made.get("journal", "")] = made.get("next_key", "")
        return value

    def whole(self, fields: object) -> dict[str, Any]:
        """The object that a dense line stands for."""
        if not isinstance(fields, list):
            raise ValueError("a dense line is an array")  # noqa: TRY004 - for the caller, JSON of another type is bad JSON
        try:
            names = self.controllers[fields[1]]
            value = {"line": self.number + 1, "time": self.time + int(fields[2]), "table": names["table"]}
            journal = names["journal"]
            if fields[0] == "h":
                _, _, _, session, head, back, digest = fields
                number, _, newest = head.partition(":")
                numbers = [int(number)]
                for step in back.split():
                    numbers.append(numbers[-1] - int(step))
                return value | {
                    "kind": "head",
                    "journal": journal,
                    "session": names["session"] + session,
                    "head": f"{number}:{from_base64(newest).hex()}",
                    "earlier": numbers[:0:-1],
                    "digest": from_base64(digest).hex(),
                }
            if fields[0] == "c":
                _, _, _, index, number, digest, time, next_key, signature = fields
                made = {
                    "journal": journal,
                    "index": index,
                    "number": number,
                    "hash": from_base64(digest).hex(),
                    "time": value["time"] + time,
                    "key": self.next_keys[journal],
                    "next_key": from_base64(next_key).hex(),
                    "signature": from_base64(signature).hex(),
                }
                return value | {"kind": "checkpoint", "checkpoint": made}
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"a dense line that cannot be read: {error}") from error
        raise ValueError("a dense line of an unknown kind")


def is_finished(line: bytes) -> bool:
    """Whether a line was written to its end, so that it must follow; a power cut leaves less than that."""
    check, _, text = line.partition(b" ")
    try:
        return len(check) in (DENSE_HASH, 64) and bool(json_value(text))
    except ValueError:
        return False


def read_witness(file: Path, journal_id: str) -> Witness:
    seen, read, passed, journals = Witness(), WitnessLines(), 0, set[str]()
    with plain(file).open("rb") as lines:
        while line := lines.readline(LONGEST):
            try:
                value = read.take(line.removesuffix(b"\n"))
            except ValueError:
                if is_finished(line):
                    raise UnusableError(f"{file} was changed before or in its line {read.number + 1}.") from None
                passed += len(line)
                continue
            # Bytes that a power cut left are named by the start that comes after them; no others may be there.
            if value.get("line") != read.number or (
                passed and (value.get("kind"), value.get("torn")) != ("started", passed)
            ):
                raise UnusableError(f"{file} was changed before or in its line {read.number}; it proves nothing.")
            passed = 0
            try:
                journals.add(take_witness_line(seen, value, journal_id))
            except ValueError as error:
                raise UnusableError(f"{file}, line {read.number}, cannot be read: {error}.") from error
    if read.number == 0:
        raise UnusableError(f"{file} is no witness's file, or its first line was changed.")
    seen.notes.append(f"The witness's file ends with line {read.number}:{read.hash.hex()}.")
    if passed:
        seen.notes.append(f"The last {passed} bytes of the witness's file are no whole line: a power cut, or a change.")
    others = ", ".join(sorted(journals - {journal_id, ""}))
    if others:
        seen.notes.append(f"The witness also saw the journals {others}.")
    return seen


def take_witness_line(seen: Witness, value: dict[str, Any], journal_id: str) -> str:
    """Keep what is about this journal; returns the journal that the line is about, or nothing."""
    number, time, kind = wanted(value, line=int, time=int, kind=str)
    if kind == "head":
        journal, text = wanted(value, journal=str, head=str)
        if journal == journal_id:
            seen.heads.append(read_head(text, f"the witness's line {number}", time))
            if value.get("earlier"):
                earlier, digest = wanted(value, earlier=list, digest=str)
                seen.digests.append(HeadDigest(number, tuple(earlier), hexadecimal(digest, 32)))
        return str(journal)
    if kind == "checkpoint":
        (body,) = wanted(value, checkpoint=dict)
        made = Checkpoint.read(body)
        if made.journal == journal_id and not value.get("disputed"):
            seen.checkpoints.append((time, made))
        return made.journal
    if kind == "alarm":
        (alarm,) = wanted(value, alarm=dict)
        if alarm.get("journal") in (None, journal_id):
            seen.notes.append(f"The witness raised an alarm for table {value.get('table')}, line {number}: {alarm}.")
    return ""


def read_head(text: str, whence: str, time: int | None = None) -> Head:
    number, _, digest = text.partition(":")
    if not re.fullmatch("[0-9]{1,18}", number):
        raise ValueError(f"a head is NUMBER:HASH, not {text!r}")
    return Head(int(number), hexadecimal(digest, 32), whence, time)


# --- the file ---------------------------------------------------------------------------------------------------------


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The journal, read without a lock or a trace; with its log, from a copy, because SQLite would write beside it."""
    log = file.with_name(f"{file.name}-wal")
    if not file.is_file():
        raise UnusableError(f"{file} is not a file.")
    with tempfile.TemporaryDirectory(prefix="verify-journal-") as folder:
        if log.is_file() and log.stat().st_size:
            copy = Path(folder, "journal")
            shutil.copyfile(log, f"{copy}-wal")
            shutil.copyfile(file, copy)
            address = copy.as_uri()
        else:
            address = f"{file.absolute().as_uri()}?immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as journal:
            journal.execute("PRAGMA trusted_schema = OFF")
            yield journal


def state_of(file: Path) -> list[tuple[int, int, int] | None]:
    """What shows that the journal or its log was written to."""
    looks = (each.stat() if each.exists() else None for each in (file, file.with_name(f"{file.name}-wal")))
    return [look and (look.st_ino, look.st_size, look.st_mtime_ns) for look in looks]


def check_bytes(journal: sqlite3.Connection, file: Path) -> None:
    """The length that the file says it has; looked at first, because SQLite believes it and reads for minutes."""
    log = file.with_name(f"{file.name}-wal")
    with file.open("rb") as content:
        header = content.read(100)
    if len(header) < 100 or header[:16] != b"SQLite format 3\0":
        raise DamagedError(f"{file} is no SQLite database.")
    size = {1: 65536}.get(int.from_bytes(header[16:18], "big"), int.from_bytes(header[16:18], "big"))
    length, logged = file.stat().st_size, log.stat().st_size if log.is_file() else 0
    says = int.from_bytes(header[28:32], "big") * size
    if not logged and length != says:
        raise DamagedError(f"{file} has {length} bytes, but says that it has {says}.")
    (pages,) = journal.execute("PRAGMA page_count").fetchone()
    if size < 512 or length % size or pages * size > length + logged:
        raise DamagedError(f"{file} has {length} bytes and {logged} in its log, which do not make {pages} pages.")


def check_layout(journal: sqlite3.Connection, findings: Findings) -> None:
    (application,), (layout,) = (
        journal.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    if application != APPLICATION or layout not in KINDS:
        raise DamagedError(
            f"Not a journal of a layout that is known here (application {application}, layout {layout})."
        )
    kinds = ", ".join(f"'{kind}'" for kind in KINDS[layout])
    should = {name: " ".join(sql.replace("KINDS", kinds).split()) for name, sql in SCHEMA.items()}
    if layout == 1:
        del should["record_checkpoints"]
    found = {
        name: " ".join((sql or "").split()) for name, sql in journal.execute("SELECT name, sql FROM sqlite_schema")
    }
    for name in sorted(should.keys() | found.keys()):
        same = should.get(name) == found.get(name)
        findings.demand(same, f"The table, index or trigger {name} is missing, or not as the layout has it.")
    if findings.problems:
        return
    for (line,) in journal.execute("PRAGMA integrity_check(20)"):
        findings.demand(line == "ok", f"SQLite finds damage: {line}")


# --- tombstones and exports -------------------------------------------------------------------------------------------


def as_told(stone: Tombstone) -> dict[str, Any]:
    told = {
        name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for name, value in stone._asdict().items()
    }
    return told | {"counts": json_object(stone.counts)}


def check_tombstones(stones: list[Tombstone], first_hash: bytes, findings: Findings) -> None:
    last, before, seq = 0, first_hash, 0
    for stone in stones:
        follows = (stone.first, stone.previous_hash) == (last + 1, before)
        follows = follows and stone.last >= stone.first and stone.last_seq >= seq
        findings.demand(follows, f"The tombstone of record {stone.first} does not follow from record {last}.")
        last, before, seq = stone.last, stone.last_hash, stone.last_seq


def check_confirmed(record: Record, stones: list[Tombstone], findings: Findings) -> int:
    """A `pruned` record against the tombstones: returns how many of them it confirms."""
    try:
        told = json_object(record.body)
        digest = told.pop("tombstones", None)
        place = next(at for at, stone in enumerate(stones) if told == as_told(stone))
        of_all = base64.b64encode(tombstones_digest(stones[: place + 1])).decode()
        if digest in (None, of_all) and stones[place].last < record.number:
            return place + 1
    except (ValueError, StopIteration):
        pass
    findings.problems.append(f"Record {record.number} tells of other tombstones than those that are there.")
    return 0


def export_of(stone: Tombstone, paths: list[Path]) -> Path | None:
    if "/" in stone.export_name:
        return None
    places = (path / stone.export_name if path.is_dir() else path for path in paths)
    return next((place for place in places if place.name == stone.export_name and place.is_file()), None)


def read_export(lines: Iterable[bytes]) -> Iterator[Record]:
    """Raise ValueError at a line that is no record."""
    for line in lines:
        value = json_object(line)
        if ("text" in value) == ("base64" in value):
            raise ValueError("it has no body, or two")
        body = (
            wanted(value, text=str)[0].encode() if "text" in value else base64.b64decode(wanted(value, base64=str)[0])
        )
        columns = wanted(value, number=int, entry=int, kind=str, name=str, wall_ms=int, mono_ns=int)
        columns += wanted(value, synchronised=bool, shoe=int, round=int)
        columns += wanted(value, seq=int) if "seq" in value else [None]
        software, digest = wanted(value, software=str, hash=str)
        yield Record._make([*columns, software, body, hexadecimal(digest, 32)])


def check_export(
    stone: Tombstone, seq: int, file: Path, findings: Findings, keep: Callable[[Record, bytes], None]
) -> None:
    """An export against its tombstone; `seq` is the last event before it.

    Each record goes to `keep`, with the hash of the one before it.
    """
    chain = Chain(findings, f"{file.name}: ", stone.first - 1, stone.previous_hash, seq)
    kinds: Counter[str] = Counter()
    first = None
    try:
        with plain(file).open("rb") as lines:
            if hashlib.file_digest(lines, hashlib.blake2s).digest() != stone.export_digest:
                findings.problems.append(f"{file} is not the export that its tombstone names.")
                return
            lines.seek(0)
            for record in read_export(lines):
                first = first or record.hash
                before = chain.before
                chain.take(record)
                keep(record, before)
                kinds[record.kind] += 1
        counts = json_object(stone.counts)
    except (ValueError, AttributeError, OverflowError) as error:
        findings.problems.append(f"{file} cannot be read as records: {error}.")
        return
    chain.end_entry()
    ends = (first, chain.last, chain.before, chain.seq) == (
        stone.first_hash,
        stone.last,
        stone.last_hash,
        stone.last_seq,
    )
    findings.demand(ends and counts == kinds, f"{file} does not hold the records that its tombstone names.")


# --- all of it --------------------------------------------------------------------------------------------------------


class Check:
    """One journal, with what was kept elsewhere."""

    def __init__(self, journal: sqlite3.Connection, options: argparse.Namespace, findings: Findings) -> None:
        self.journal = journal
        self.options = options
        self.findings = findings
        (self.table, self.id) = self._row("SELECT table_name, journal_id FROM journal")
        self.witness = Witness()
        for file in options.witness:
            seen = read_witness(file, self.id)
            self.witness.heads += seen.heads
            self.witness.digests += seen.digests
            self.witness.checkpoints += seen.checkpoints
            findings.notes += seen.notes
            if not seen.heads and not seen.checkpoints:
                findings.unproved.append(f"{file} knows nothing of this journal ({self.id} of table {self.table}).")
        self.of_checkpoints = {
            Head(made.number, made.hash, f"the witness's checkpoint {made.index}", time)
            for time, made in self.witness.checkpoints
        }
        self.heads = [*options.head, *self.witness.heads, *sorted(self.of_checkpoints)]
        self.heads_of: dict[int, list[Head]] = {}
        for head in self.heads:
            self.heads_of.setdefault(head.number, []).append(head)
        self.numbers = set(self.heads_of)
        self.numbers.update(number for each in self.witness.digests for number in each.numbers)
        self.known: dict[int, tuple[bytes, int]] = {}
        """Hash and time of the records that heads are about, where they are known."""
        self.stones = [
            Tombstone(*row)
            for row in journal.execute(f"SELECT {', '.join(Tombstone._fields)} FROM tombstone ORDER BY first")
        ]
        self.checkpoints = Checkpoints(findings, self.id, options.key)
        self.exported: set[Tombstone] = set()
        self.left: dict[int, Record] = {}
        """Records in pruned parts."""
        self.confirmed = 0
        """How many of the tombstones the newest record that tells of pruning confirms."""
        self.confirmed_by: dict[Tombstone, int] = {}
        """The first record that confirms each."""
        self.uncovered = 1
        """The first record that no checkpoint and no head has covered yet, of those that follow without a gap."""
        self.cut_off: list[tuple[int, int]] = []
        """Records that only a tombstone ties to what follows: the export of that is missing."""
        for path in options.export:
            named = path.is_dir() or path.name in {stone.export_name for stone in self.stones}
            findings.demand(named, f"{path} is not an export of what was pruned from this journal.")

    def _row(self, statement: str) -> tuple[Any, ...]:
        rows = self.journal.execute(statement).fetchall()
        if len(rows) != 1:
            raise DamagedError(f"{len(rows)} rows where there is one: {statement}")
        row: tuple[Any, ...] = rows[0]
        return row

    def run(self) -> None:
        first_hash = genesis(self.table, self.id)
        check_tombstones(self.stones, first_hash, self.findings)
        self._know(0, first_hash, 0)
        cut = self.stones[-1].last if self.stones else 0
        self.left = {record.number: record for record in self._records("number <= ?", cut)}
        seq = 0
        for stone in self.stones:
            file = export_of(stone, self.options.export)
            if file is not None:
                check_export(stone, seq, file, self.findings, self._exported)
                self.exported.add(stone)
            else:
                self._pass(stone, seq)
            seq = stone.last_seq
            self._know(stone.last, stone.last_hash, stone.last_wall_ms)
        for number in self.left:
            self.findings.problems.append(f"Record {number} lies in a pruned part, or before the first record.")
        chain = Chain(self.findings, "", cut, self.stones[-1].last_hash if self.stones else first_hash, seq)
        opens = not self.stones
        for record in self._records("number > ?", cut):
            opens = opens or (record.kind == "opening" and record.entry == cut + 1)
            if record.kind == "checkpoint":
                self.checkpoints.take(record, chain.before)
            elif record.kind == "pruned":
                self._confirm(record)
            chain.take(record)
            self._keep(record)
        chain.end_entry()
        self.findings.demand(
            opens, f"Record {cut + 1}, after the last tombstone, does not begin the entry that opens a shoe."
        )
        self.findings.demand(self.confirmed == len(self.stones), "The chain does not confirm the last tombstones.")
        self._check_position(chain)
        self._compare(chain)

    def _records(self, which: str, number: int) -> Iterator[Record]:
        columns = ", ".join(Record._fields)
        statement = f"SELECT {columns} FROM record WHERE {which} ORDER BY number"
        for record in map(Record._make, self.journal.execute(statement, (number,))):
            self.findings.demand(
                len(record.hash) == 32 and record.synchronised in (0, 1), f"Record {record.number} is malformed."
            )
            yield record

    def _know(self, number: int, digest: bytes, time: int) -> None:
        if number in self.numbers:
            self.known[number] = digest, time

    def _keep(self, record: Record) -> None:
        self._know(record.number, record.hash, record.wall_ms)
        if any(
            (head.number, head.hash) == (record.number, record.hash) for head in self.heads_of.get(record.number, ())
        ):
            self.uncovered = record.number + 1

    def _confirm(self, record: Record) -> None:
        self.confirmed = check_confirmed(record, self.stones, self.findings)
        for stone in self.stones[: self.confirmed]:
            self.confirmed_by.setdefault(stone, record.number)

    def _exported(self, record: Record, before: bytes) -> None:
        """A record of an export; where the journal has it too, both are the same."""
        self._keep(record)
        if record.kind == "pruned":
            self._confirm(record)
        if record.kind == "checkpoint":
            self.checkpoints.take(record, before)
            if self.checkpoints.trusted:
                self.uncovered = record.number
        self.findings.demand(
            self.left.pop(record.number, record) == record, f"Record {record.number} is not the one in its export."
        )

    def _pass(self, stone: Tombstone, seq: int) -> None:
        """A pruned part without its export, in which checkpoints stay.

        Pruning takes the last records first: one that was interrupted leaves the beginning of the last part too.
        """
        chain = Chain(self.findings, "", stone.first - 1, stone.previous_hash, seq)
        hashes = {stone.first: stone.first_hash, stone.last: stone.last_hash}
        for number in sorted(number for number in self.left if number in stone):
            record = self.left[number]
            follows = number == chain.last + 1
            if record.kind == "checkpoint":
                self.checkpoints.take(record, chain.before if follows else None)
                if follows and self.checkpoints.trusted:
                    self.uncovered = number
            if follows and (record.kind == "checkpoint" or stone is self.stones[-1]):
                chain.take(record)
                if record.kind == "pruned":
                    self._confirm(record)
            elif record.kind != "checkpoint":
                continue
            self._keep(record)
            fits = hashes.get(number, record.hash) == record.hash
            self.findings.demand(fits, f"Record {number} does not fit the tombstones.")
            del self.left[number]
        if chain.last == stone.last:
            self.exported.add(stone)  # it was not begun: all of them are here
            return
        if self.uncovered <= chain.last:
            self.cut_off.append((self.uncovered, chain.last))
        self.uncovered = stone.last + 1

    def _check_position(self, chain: Chain) -> None:
        number, digest, last_seq, published = self._row(
            "SELECT head_number, head_hash, last_seq, published_seq FROM position"
        )
        self.findings.demand(
            (number, digest, last_seq) == (chain.last, chain.before, chain.seq),
            f"The journal ends with record {chain.last} and event {chain.seq}; its position has {number} and "
            f"{last_seq}, or another hash.",
        )
        self.findings.demand(0 <= published <= last_seq, f"Event {published} cannot be the last one published.")

    def _compare(self, chain: Chain) -> None:
        """What is proved, by heads, by the witness's checkpoints and by the keys."""
        whole = chain.last if chain.whole_up_to is None else chain.whole_up_to
        for head in self.heads:
            digest, time = self.known.get(head.number, (None, 0))
            if digest is None and any(head.number in stone for stone in self.stones):
                # A checkpoint stays when the records around it are pruned, and is compared below.
                if head in self.of_checkpoints:
                    continue
                self.findings.unproved.append(
                    f"Record {head.number} ({head.whence}) was pruned, and its export was not given."
                )
            elif digest is None and head.number > chain.last:
                self.findings.problems.append(
                    f"The journal ends at record {chain.last}; {head.whence} knows of record {head.number}."
                )
            elif digest != head.hash:
                self.findings.problems.append(f"Record {head.number} is not the one that {head.whence} knows.")
            elif 0 < head.number <= whole:
                self.findings.proved.append((head.number, head.time or time, head.whence))
        self._compare_digests()
        for _, made in self.witness.checkpoints:
            self.findings.demand(
                self.checkpoints.found.get(made.index) == made,
                f"Checkpoint {made.index} is missing or another one than the witness has seen.",
            )
        signed = self.checkpoints.proved
        if signed is not None and signed.number <= whole:
            self.findings.proved.append(
                (signed.number, signed.time, f"checkpoint {signed.index}, from the key that was given")
            )
        elif self.options.key:
            self.findings.unproved.append("The key proves nothing: no checkpoint follows from it.")
        self._list_the_rest(chain.last)

    def _compare_digests(self) -> None:
        for each in self.witness.digests:
            # Where one was pruned or cut off, the newest head of the same line shows it above.
            hashes = [self.known[number][0] for number in each.numbers if number in self.known]
            self.findings.demand(
                len(hashes) < len(each.numbers) or hashlib.sha256(b"".join(hashes)).digest() == each.digest,
                f"Records {', '.join(map(str, each.numbers))} are not all those that the witness's line {each.line} "
                "knows.",
            )

    def _list_the_rest(self, last: int) -> None:
        proved = max((number for number, _, _ in self.findings.proved), default=0)
        if proved < last:
            self.findings.notes.append(
                f"Records {proved + 1} to {last} are not proved: who held the machine since may have changed them."
            )
        for first, end in self.cut_off if self.findings.proved else ():
            self.findings.unproved.append(
                f"Records {first} to {end} are there, but the export of what follows them was not given, and no "
                "checkpoint or head covers them."
            )
        for stone in self.stones:
            if stone in self.exported:
                continue
            text = (
                f"Records {stone.first} to {stone.last} (shoe {stone.shoe}) were pruned, and their export was not given"
            )
            told_by = self.confirmed_by.get(stone, last)
            if self.findings.proved and told_by > proved:
                self.findings.unproved.append(f"{text}; no record before {told_by}, which is not proved, tells of it.")
            else:
                self.findings.notes.append(f"{text}.")


def verified(options: argparse.Namespace) -> tuple[Findings, dict[str, str]]:
    findings, before = Findings(), state_of(options.file)
    about: dict[str, str] = {}
    try:
        with opened(options.file) as journal:
            check_bytes(journal, options.file)
            check_layout(journal, findings)
            if not findings.problems:
                check = Check(journal, options, findings)
                about = {"table": check.table, "journal": check.id}
                check.run()
    except (sqlite3.DatabaseError, DamagedError) as error:
        findings.problems.append(str(error))
    if state_of(options.file) != before:
        raise UnusableError(f"{options.file} was written to meanwhile. Copy it with its log, and check the copy.")
    return findings, about


# --- the command ------------------------------------------------------------------------------------------------------


def key_argument(text: str) -> bytes:
    """A file with comments and 64 hexadecimal digits, or the digits themselves."""
    lines = [text]
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        try:
            with plain(Path(text)).open(encoding="utf-8") as file:
                lines = file.read(LONGEST).splitlines()
        except (OSError, UnusableError) as error:
            raise ValueError(str(error)) from error
    (digits,) = (line.strip() for line in lines if line.strip() and not line.startswith("#"))
    return hexadecimal(digits.lower(), 32)


def head_argument(text: str) -> Head:
    return read_head(text, f"the head {text[:30]}… that was given")


def clock(milliseconds: int | None) -> str:
    try:
        time = datetime.fromtimestamp((milliseconds or 0) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{milliseconds} ms after 1970"
    return time.isoformat(sep=" ", timespec="seconds")


def report(findings: Findings, about: dict[str, str], options: argparse.Namespace) -> int:
    code = 1 if findings.problems else 3 if findings.unproved else 0
    number, time, whence = max(findings.proved, key=lambda proof: proof[0], default=(0, None, ""))
    if options.json:
        proof = {"record": number, "time": time, "by": whence}
        lists = {"problems": findings.problems, "unproved": findings.unproved, "notes": findings.notes}
        print(json.dumps({"exit": code, "file": str(options.file), **about, "proved": proof, **lists}))
        return code
    words = {0: "whole", 1: "DAMAGED", 3: "whole, but not all of it is proved"}
    named = ", ".join(f"{name} {value}" for name, value in about.items()) or "not recognised"
    lines = [f"{options.file} ({named}): {words[code]}.", *findings.problems[:100]]
    if len(findings.problems) > 100:
        lines.append(f"… and {len(findings.problems) - 100} more problems.")
    lines += [f"Not proved: {line}" for line in findings.unproved]
    lines.append(
        f"Proved up to record {number}, {clock(time)}, by {whence}."
        if whence
        else "Nothing is proved by anything kept elsewhere."
    )
    # Texts of the file may hold control characters for the terminal.
    for line in [*lines, *findings.notes]:
        print(printable(line))
    return code


def printable(text: str) -> str:
    """Names of files may contain what moves the cursor."""
    return "".join(char if char.isprintable() else "?" for char in text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="the journal; its log (-wal) is read too")
    parser.add_argument(
        "--key",
        type=key_argument,
        action="append",
        default=[],
        metavar="PUBLIC",
        help="the first public key, or its file",
    )
    parser.add_argument(
        "--head", type=head_argument, action="append", default=[], metavar="NUMBER:HASH", help="kept elsewhere"
    )
    parser.add_argument(
        "--witness", type=Path, action="append", default=[], metavar="FILE", help="the file of a witness"
    )
    parser.add_argument(
        "--export", type=Path, action="append", default=[], metavar="PATH", help="an export, or their folder"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    options.key = set(options.key)
    try:
        for path in options.export:
            if not path.is_dir() and not path.is_file():
                raise UnusableError(f"{path} is neither an export nor a folder with exports.")  # noqa: TRY301 - see below
        return report(*verified(options), options)
    except (UnusableError, OSError) as error:
        print(printable(f"Cannot be checked: {error}"), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
