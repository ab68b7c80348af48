"""Bytes and telegrams: `ENQ number data… ETX bcc bcc`, with noise around them. Nothing here knows what a card is.

`TelegramReader` takes the line in pieces of any size and returns telegrams, answers to host commands where they are
expected, and garbage with its place on the line. It holds at most one unfinished telegram, looks at each byte a bounded
number of times, and restarts at every ENQ. `messages.py` decodes what a telegram contains.
"""

import re
from functools import reduce
from operator import xor
from typing import NamedTuple

ENQ = 0x05
ETX = 0x03

MAX_DATA = 32
"""Bytes between number and ETX. The longest telegram seen has three; anything longer is noise."""

_DATA = rb"[\x20-\xff]{1,%d}" % MAX_DATA
_WHOLE = re.compile(rb"\x05[0-9]" + _DATA + rb"\x03([0-9A-F]{2})")
_BEGINNING = re.compile(rb"\x05(?:[0-9](?:" + _DATA + rb"(?:\x03[0-9A-F]?)?)?)?")

# The sources write the code of a NAK as two characters; none shows whether the line carries those or one byte of that
# value. No code byte is also a hexadecimal digit, so both can be read.
_ANSWER = re.compile(rb"\x06|\x15(?:([0-9A-F]{2})|([\x01-\x03\x11-\x14\x21\x22\xff]))")
_ANSWER_BEGINNING = re.compile(rb"\x15[0-9A-F]?\Z")

_NOISE = "noise between telegrams"


class Telegram(NamedTuple):
    """A telegram with correct check characters."""

    raw: bytes
    offset: int

    @property
    def number(self) -> int:
        """The sequence digit: 0 for start-up, then 1 to 9 and 1 again."""
        return self.raw[1] - 0x30

    @property
    def data(self) -> bytes:
        return self.raw[2:-3]


class Answer(NamedTuple):
    """The shoe's answer to a host command: ACK, or NAK with a code of two hexadecimal digits."""

    offset: int
    length: int
    nak_code: str | None


class Garbage(NamedTuple):
    """Bytes that make no telegram, and why not."""

    offset: int
    length: int
    reason: str


def check_characters(covered: bytes) -> bytes:
    """The bcc: all bytes XORed, as two upper-case hexadecimal digits."""
    return b"%02X" % reduce(xor, covered, 0)


def encode_telegram(number: int, data: bytes) -> bytes:
    covered = b"%d%b\x03" % (number, data)
    return b"\x05" + covered + check_characters(covered)


class TelegramReader:
    """Splits the line into telegrams. Offsets count from the first byte ever received."""

    def __init__(self, *, answers: bool = False) -> None:
        self._answers = answers
        self._held = b""
        self._held_offset = 0
        self._run: Garbage | None = None
        """Garbage that may still grow: it ends at the next ENQ, or when the line goes quiet."""

    @property
    def unfinished(self) -> bool:
        """Whether an unfinished telegram or garbage is held; `give_up` reports it."""
        return bool(self._held) or self._run is not None

    def read(self, data: bytes) -> list[Telegram | Answer | Garbage]:
        buffer = self._held + data
        base = self._held_offset
        end = len(buffer)
        items: list[Telegram | Answer | Garbage] = []
        at = 0
        while at < end:
            if buffer[at] == ENQ:
                self._close_run(items)
                whole = _WHOLE.match(buffer, at)
                if whole is not None:
                    items.append(_checked(whole[0], whole[1], base + at))
                    at = whole.end()
                    continue
                good_until = _end_of(_BEGINNING, buffer, at)
                if good_until == end:
                    break
                self._run = Garbage(base + at, good_until - at, _why_broken(buffer, at, good_until))
                at = good_until
                continue
            if self._answers and self._run is None:
                # Only directly after a complete item: an 06 in the middle of noise is noise.
                answer = _ANSWER.match(buffer, at)
                if answer is not None:
                    items.append(_answer(answer, base + at))
                    at = answer.end()
                    continue
                if _ANSWER_BEGINNING.match(buffer, at):
                    break
            next_enq = buffer.find(ENQ, at)
            noise_until = end if next_enq < 0 else next_enq
            run = self._run or Garbage(base + at, 0, _NOISE)
            self._run = run._replace(length=run.length + noise_until - at)
            at = noise_until
        self._held = buffer[at:]
        self._held_offset = base + at
        return items

    def give_up(self, why: str) -> list[Garbage]:
        """Stop waiting for the rest of what is unfinished; `why` completes "the telegram is unfinished: …"."""
        items: list[Telegram | Answer | Garbage] = []
        self._close_run(items)
        garbage = [item for item in items if isinstance(item, Garbage)]
        if self._held:
            garbage.append(Garbage(self._held_offset, len(self._held), f"the telegram is unfinished: {why}"))
            self._held_offset += len(self._held)
            self._held = b""
        return garbage

    def _close_run(self, items: list[Telegram | Answer | Garbage]) -> None:
        if self._run is not None:
            items.append(self._run)
            self._run = None


def _end_of(pattern: re.Pattern[bytes], buffer: bytes, at: int) -> int:
    match = pattern.match(buffer, at)
    return at if match is None else match.end()


def _checked(raw: bytes, bcc: bytes, offset: int) -> Telegram | Garbage:
    right = check_characters(raw[1:-2])
    if bcc == right:
        return Telegram(raw, offset)
    return Garbage(
        offset, len(raw), f"wrong check characters: received {bcc.decode()}, expected {right.decode()} [{raw.hex(' ')}]"
    )


def _answer(match: re.Match[bytes], offset: int) -> Answer:
    characters, byte = match.groups()
    code = characters.decode() if characters else f"{byte[0]:02X}" if byte else None
    return Answer(offset, len(match[0]), code)


def _why_broken(buffer: bytes, at: int, broken_at: int) -> str:
    """Why the telegram that begins at `at` cannot go on with the byte at `broken_at`."""
    byte = buffer[broken_at]
    begun = buffer[at:broken_at]
    if byte == ENQ:
        return f"a telegram was cut off by the start of the next [{begun.hex(' ')}]"
    if len(begun) == 1:
        return f"byte {byte:02x} after ENQ is not a sequence digit"
    if ETX in begun:
        return f"byte {byte:02x} is not a check character [{begun.hex(' ')}]"
    if byte == ETX:
        return "a telegram without data"
    if len(begun) == 2 + MAX_DATA and byte >= 0x20:
        return f"a telegram longer than {MAX_DATA} bytes of data"
    return f"control byte {byte:02x} inside a telegram [{begun.hex(' ')}]"
