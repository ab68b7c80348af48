"""`shoe-controller cards learn|check`: which card each id of a reader stands for.

`learn` has every card read once, deck by deck, and writes each to the file before it asks for the next: it can be
broken off at any time, and goes on where it was. The wire is in `firmware_protocol/lines`.
"""

import argparse
import asyncio
import fcntl
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_protocol.lines.cards_file import (
    CUT,
    MOST_DECKS,
    BadCardsFileError,
    CardRow,
    CardsFile,
    CardsHeader,
    begins_row,
    encode,
    read_cards_file,
    whole,
)
from firmware_protocol.lines.controller import QUIET_AFTER, REPEAT_WITHIN
from firmware_protocol.lines.learning import AlreadyKnown, EndOfOther, Learned, Learner
from firmware_protocol.lines.pattern import Id, LinePattern, NotAnId, Unread
from firmware_protocol.lines.splitting import DamagedLine, Line, LineReader
from shoe_controller.commands.line_options import add_pattern_options, pattern_from
from shoe_controller.commands.output import GOOD, add_json_option, as_text, bad_input, print_json
from shoe_controller.config.plain_files import read_plain
from shoe_controller.config.shoe import ShoeSettings, port_of
from shoe_controller.transports.transport import TransportError

STANDARD_INPUT = "-"
UNFINISHED = 1
SETTLES = 0.3
"""Seconds after the port opened in which nothing is learned: a reader may still send what it read before."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("cards", help="learn which card each id of a reader stands for, or check it")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    learn = actions.add_parser(
        "learn",
        help="read every card once, and write its id to a file",
        description="Have every card read once: deck by deck, in each deck clubs, diamonds, hearts and spades, in each "
        "suit ace to king. Each card is stored before the next is asked for; the same command goes on where it was.",
    )
    learn.add_argument("file", type=Path, metavar="FILE", help="the file to write, or to go on with")
    learn.add_argument(
        "--port", required=True, help="where the reader is, as in the table's file; - for one that types (a keyboard)"
    )
    learn.add_argument("--baud", type=int, metavar="N", help="of a serial port (default: 9600)")
    learn.add_argument("--decks", type=int, metavar="N", help="decks of the set")
    learn.add_argument(
        "--faces", action="store_true", help="the ids name faces, not pieces: one deck is enough for all of them"
    )
    learn.add_argument("--set", default="", metavar="NAME", help="name of this set of decks, where there are several")
    learn.add_argument("--cut-card", action="store_true", help="the cut card has an id too: it is asked for last")
    add_pattern_options(learn)
    learn.set_defaults(run=run_learn, json=False)
    check = actions.add_parser("check", help="check that a file is of whole decks")
    check.add_argument("file", type=Path, metavar="FILE", help="a file that `cards learn` wrote")
    add_json_option(check)
    check.set_defaults(run=run_check)


def run_check(args: argparse.Namespace) -> int:
    try:
        file = read_cards_file(read_plain(args.file), str(args.file))
        whole(file, str(args.file))
    except BadCardsFileError as error:
        return bad_input(args, "bad_cards_file", str(error))
    header = file.header
    cut = any(row.card == CUT for row in file.rows)
    if args.json:
        print_json(
            {"ids": header.ids, "decks": header.decks, "set": header.set, "cards": file.learned, "cut_card": cut}
        )
        return GOOD
    decks = "one of each face" if header.ids == "faces" else f"{header.decks} whole deck{'s' * (header.decks > 1)}"
    of_set = f", set {as_text(header.set)}" if header.set else ""
    sys.stdout.write(f"{as_text(str(args.file))}: {decks}{of_set}, the cut card has {'an' if cut else 'no'} id\n")
    return GOOD


def run_learn(args: argparse.Namespace) -> int:
    if args.faces == (args.decks is not None):
        return bad_input(args, "bad_option", "give --decks N for ids that name pieces, or --faces, and not both")
    if args.decks is not None and not 1 <= args.decks <= MOST_DECKS:
        return bad_input(args, "bad_option", f"--decks {args.decks}: write a number from 1 to {MOST_DECKS}")
    wanted = CardsHeader(ids="faces" if args.faces else "pieces", decks=args.decks or 1, set=args.set)
    try:
        # A file that could not be read again is not begun.
        read_cards_file(encode(wanted), str(args.file))
        with CardsBook(args.file, wanted) as book:
            return _learn(args, book)
    except (BadCardsFileError, TransportError) as error:
        return bad_input(args, "cannot_learn", str(error))


def _learn(args: argparse.Namespace, book: "CardsBook") -> int:
    learner = Learner(book.content, cut_card=args.cut_card, repeat_within=REPEAT_WITHIN)
    lesson = Lesson(learner, book.add, pattern_from(args), joins=args.port != STANDARD_INPUT)
    if lesson.is_over():
        sys.stdout.write(f"{as_text(str(args.file))} is whole already\n")
        return GOOD
    try:
        if args.port == STANDARD_INPUT:
            _from_standard_input(lesson)
        else:
            asyncio.run(_from_port(ShoeSettings("lines", args.port, args.baud, None, commands=False), lesson))
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    if lesson.is_over():
        whole(read_cards_file(read_plain(args.file), str(args.file)), str(args.file))
        sys.stdout.write(f"{as_text(str(args.file))} is whole: name it as cards_files in the [shoe] section\n")
        return GOOD
    sys.stdout.write(
        f"broken off before {learner.next_card}: {learner.left} cards are left. The same command goes on there.\n"
    )
    return UNFINISHED


def _from_standard_input(lesson: "Lesson") -> None:
    lesson.ask()
    while not lesson.is_over() and (data := sys.stdin.buffer.readline(4096)):
        lesson.feed(data, time.monotonic())


async def _from_port(settings: ShoeSettings, lesson: "Lesson") -> None:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    listening = False

    def came(data: bytes) -> None:
        if not listening:
            lesson.pass_over(data, time.monotonic())
        elif not done.done():
            try:
                lesson.feed(data, time.monotonic())
            except OSError as error:
                done.set_exception(error)
            else:
                if lesson.is_over():
                    done.set_result(None)

    def lost(error: TransportError) -> None:
        if not done.done():
            done.set_exception(error)

    line = await port_of(settings).open(came, lost)
    try:
        await asyncio.sleep(SETTLES)
        listening = True
        lesson.ask()
        await done
    finally:
        await line.close()


class Lesson:
    """Asks for one card after another, and says what came."""

    def __init__(
        self, learner: Learner, store: Callable[[CardRow], None], pattern: LinePattern, *, joins: bool
    ) -> None:
        """`joins`: the first line may have begun before it was heard."""
        self._learner = learner
        self._store = store
        self._pattern = pattern
        self._reader = LineReader()
        self._last_byte_at = 0.0
        # The rest of a line has no prefix, and hardly ever the right checksum.
        self._shows_its_beginning = bool(pattern.prefix) or pattern.checksum != "none"
        self._may_be_rest = joins and not self._shows_its_beginning
        self._perhaps = ""
        """The id that such a line had."""

    def is_over(self) -> bool:
        return self._learner.next_card is None

    def ask(self) -> None:
        asked_for = self._learner.next_card
        if asked_for is not None:
            _say(f"{self._learner.left} to go. Next: {asked_for}")

    def pass_over(self, data: bytes, now: float) -> None:
        """Learn nothing from lines that end here."""
        self._last_byte_at = now
        if self._reader.read(data):
            self._may_be_rest = False

    def feed(self, data: bytes, now: float) -> None:
        if self._reader.waiting and now >= self._last_byte_at + QUIET_AFTER:
            broken = self._reader.give_up("the reader fell silent")
            _say(f"  {'a line' if broken is None else broken.reason}. Read the card again.")
            self._may_be_rest, self._perhaps = not self._shows_its_beginning, ""
        self._last_byte_at = now
        for item in self._reader.read(data):
            if self.is_over():
                return
            if isinstance(item, Line) and isinstance(found := self._pattern.read(item.text), Id):
                self._take(found.text, now)
            else:
                # Whatever it was, the next line begins after it.
                self._may_be_rest = False
                self._say_why_not(item)

    def _say_why_not(self, item: Line | DamagedLine) -> None:
        if isinstance(item, DamagedLine):
            _say(f"  {item.reason}. Read the card again.")
            return
        match self._pattern.read(item.text):
            case NotAnId(reason=reason):
                _say(f"  {item.text}: {reason}. Read the card again.")
            case Unread():
                _say("  The reader could not read the card. Once more.")

    def _take(self, reader_id: str, now: float) -> None:
        if self._may_be_rest and not (self._perhaps and reader_id.endswith(self._perhaps)):
            # Of two readings of one card the second is whole, also where the first was not.
            self._perhaps = reader_id
            _say(f"  {reader_id}: this may be the end of a line only. Read {self._learner.next_card} once more.")
            return
        self._may_be_rest = False
        self._learn(reader_id, now)

    def _learn(self, reader_id: str, now: float) -> None:
        match self._learner.read(reader_id, now):
            case Learned(row=row):
                self._store(row)
                _say(f"  {row}: {reader_id}")
                self.ask()
            case AlreadyKnown(is_card=known, asked_for=asked_for):
                _say(
                    f"  {reader_id} is {known}, which was read before. Put it back in its place, and read {asked_for}."
                )
            case EndOfOther(other=other, asked_for=asked_for):
                _say(
                    f"  {reader_id} and {other.id}, which is {other}: one is the end of the other, and half a line "
                    f"would be taken for the wrong card. Read {asked_for} again; if that changes nothing, have the "
                    "reader send ids of one length, with leading zeros."
                )


class CardsBook:
    """The file while it is written: each card is on the disk before the next is asked for."""

    def __init__(self, path: Path, wanted: CardsHeader) -> None:
        self._path = path
        self._wanted = wanted
        self._file = -1
        self.content = CardsFile(wanted, ())

    def __enter__(self) -> Self:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadCardsFileError(
                    f"{self._path} is being written by another `cards learn`: end that one"
                ) from None
            self._begin(read_plain(self._path))
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def _begin(self, text: bytes) -> None:
        header = encode(self._wanted)
        if header.startswith(text):
            # It is new, or its first line was cut off with the power.
            self._write(header[len(text) :])
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
            os.fsync(folder)
            os.close(folder)
            return
        kept = _without_torn_end(text)
        # A file that is not to be gone on with stays as it is.
        self.content = read_cards_file(kept, str(self._path))
        if self.content.header != self._wanted:
            there = encode(self.content.header).decode().strip()
            raise BadCardsFileError(f"{self._path} was begun for another set: {there}. Give the same, or another file")
        if kept != text:
            os.ftruncate(self._file, len(kept))
        elif not text.endswith(_LINE_ENDS):
            self._write(b"\n")  # an editor left it out

    def add(self, row: CardRow) -> None:
        self._write(encode(row))

    def _write(self, line: bytes) -> None:
        os.write(self._file, line)
        os.fsync(self._file)


_LINE_ENDS = (b"\n", b"\r")


def _without_torn_end(text: bytes) -> bytes:
    """Without a last line that was cut off with the power: that card is asked for again."""
    last = b"" if text.endswith(_LINE_ENDS) else text.splitlines()[-1]
    return text[: len(text) - len(last)] if last and begins_row(last) and not last.endswith(b"}") else text


def _say(text: str) -> None:
    sys.stdout.write(f"{as_text(text)}\n")
    sys.stdout.flush()
