"""Host commands to the shoe, and the shoe's answers: `STX "OP" type data ETX bcc bcc`, then ACK or NAK.

`CommandLane` is the controller's side, one command at a time; `CommandReader` is the shoe's side, and a listener's.
"""

from collections import deque

import msgspec

from firmware_protocol.angel_eye.telegrams import Answer, Garbage, check_characters
from firmware_protocol.link import LinkReport

STX = b"\x02"
ETX = b"\x03"
ACK = b"\x06"
NAK = b"\x15"
COMMAND_LENGTH = 10

NAK_MEANINGS = {
    "01": "line error",
    "02": "wrong check characters",
    "03": "no ETX",
    "11": "wrong format",
    "12": "wrong address",
    "13": "unknown command",
    "14": "unknown type",
    "21": "busy",
    "22": "a write is in progress",
    "FF": "other error",
}
_RETRY_CODES = frozenset({"01", "02", "03", "21", "22"})


class HostCommand(LinkReport, frozen=True, kw_only=True, tag="host_command"):
    """One command: its type and data."""

    type: str
    data: str


UNLOCK = HostCommand(type="LK", data="01")
LOCK = HostCommand(type="LK", data="02")
CONFIRM_GAME = HostCommand(type="GP", data="00")


class CommandDone(LinkReport, frozen=True, kw_only=True, tag="command_done"):
    """The shoe accepted one of our commands."""

    command: HostCommand


class CommandFailed(LinkReport, frozen=True, kw_only=True, tag="command_failed"):
    """The shoe refused one of our commands or did not answer it; there is no automatic retry after this."""

    command: HostCommand
    reason: str
    nak_code: str | None = None


class AnswerOverheard(LinkReport, frozen=True, kw_only=True, tag="answer"):
    """The shoe's answer to another host's command."""

    accepted: bool
    nak_code: str | None = None
    meaning: str | None = None


def clear_error(number: int) -> HostCommand:
    return HostCommand(type="EC", data=f"{number:02d}")


def encode_command(command: HostCommand, *, stx_in_bcc: bool) -> bytes:
    covered = f"OP{command.type}{command.data}".encode() + ETX
    return STX + covered + check_characters(STX + covered if stx_in_bcc else covered)


def nak_meaning(code: str) -> str:
    return NAK_MEANINGS.get(code, f"unknown code {code}")


class CommandLane:
    """Command queue with one command in flight: sent, answered or timed out, retried once, then reported as failed."""

    def __init__(self, *, stx_in_bcc: bool, answer_timeout: float) -> None:
        self._stx_in_bcc = stx_in_bcc
        self._answer_timeout = answer_timeout
        self._waiting: deque[HostCommand] = deque()
        self._in_flight: HostCommand | None = None
        self._tries = 0
        self._nak_code: str | None = None
        self._deadline = 0.0
        self._out = b""

    def queue(self, command: HostCommand, now: float) -> None:
        """Queue a command. It replaces a waiting gate command; a duplicate of any other waiting command is dropped."""
        if command.type == "LK":
            self._waiting = deque(waiting for waiting in self._waiting if waiting.type != "LK")
        if command not in self._waiting:
            self._waiting.append(command)
        if self._in_flight is None:
            self._send_next(now)

    def answered(self, answer: Answer, now: float) -> list[LinkReport] | None:
        """Match an answer to the command in flight; `None` if nothing is in flight or it has its answer already."""
        if self._in_flight is None or self._nak_code is not None:
            return None
        command = self._in_flight
        code = answer.nak_code
        if code is None:
            self._send_next(now)
            return [CommandDone(command=command)]
        if code in _RETRY_CODES and self._tries == 1:
            # The retry waits for the deadline of the first attempt: a busy shoe needs the time.
            self._nak_code = code
            return []
        self._send_next(now)
        return [CommandFailed(command=command, reason=f"the shoe refused it: {nak_meaning(code)}", nak_code=code)]

    def tick(self, now: float) -> list[LinkReport]:
        if self._in_flight is None or now < self._deadline:
            return []
        if self._tries == 1:
            self._send(self._in_flight, now)
            return []
        command = self._in_flight
        self._send_next(now)
        return [CommandFailed(command=command, reason="the shoe did not answer either of two attempts")]

    def next_deadline(self) -> float | None:
        return None if self._in_flight is None else self._deadline

    def to_send(self) -> bytes:
        out, self._out = self._out, b""
        return out

    def line_closed(self) -> list[LinkReport]:
        given_up = ([self._in_flight] if self._in_flight else []) + list(self._waiting)
        self._waiting.clear()
        self._in_flight = None
        self._out = b""
        return [CommandFailed(command=command, reason="the line closed before an answer") for command in given_up]

    def _send_next(self, now: float) -> None:
        self._in_flight = None
        self._tries = 0
        if self._waiting:
            self._in_flight = self._waiting.popleft()
            self._send(self._in_flight, now)

    def _send(self, command: HostCommand, now: float) -> None:
        self._out += encode_command(command, stx_in_bcc=self._stx_in_bcc)
        self._tries += 1
        self._nak_code = None
        self._deadline = now + self._answer_timeout


class BadCommand(msgspec.Struct, frozen=True):
    """A complete command that cannot be obeyed, with the NAK code that answers it."""

    offset: int
    nak_code: str
    reason: str


class CommandReader:
    """Splits a host's bytes into commands. Buffers fewer than `COMMAND_LENGTH` bytes and restarts at every STX."""

    def __init__(self, *, stx_in_bcc: bool | None) -> None:
        self._stx_in_bcc = stx_in_bcc
        """Whether the check covers STX; `None` accepts either."""
        self._held = b""
        self._held_offset = 0

    def read(self, data: bytes) -> list[HostCommand | BadCommand | Garbage]:
        buffer = self._held + data
        base = self._held_offset
        end = len(buffer)
        items: list[HostCommand | BadCommand | Garbage] = []
        at = 0
        while at < end:
            next_stx = buffer.find(STX, at + 1, at + COMMAND_LENGTH)
            if buffer[at : at + 1] != STX:
                next_stx = buffer.find(STX, at)
                until = end if next_stx < 0 else next_stx
                items.append(Garbage(base + at, until - at, "bytes from the host that belong to no command"))
            elif next_stx >= 0:
                until = next_stx
                items.append(Garbage(base + at, until - at, "a command was cut off by the start of the next"))
            elif end - at < COMMAND_LENGTH:
                break
            else:
                until = at + COMMAND_LENGTH
                items.append(self._judge(buffer[at:until], base + at))
            at = until
        self._held = buffer[at:]
        self._held_offset = base + at
        return items

    def give_up(self) -> list[Garbage]:
        """End of input: report what is unfinished."""
        held, self._held = self._held, b""
        offset, self._held_offset = self._held_offset, self._held_offset + len(held)
        return [Garbage(offset, len(held), "the command is unfinished")] if held else []

    def _judge(self, raw: bytes, offset: int) -> HostCommand | BadCommand:
        covered, bcc = raw[:-2], raw[-2:]
        with_stx = bcc == check_characters(covered)
        without_stx = bcc == check_characters(covered[1:])
        right = (with_stx or without_stx) if self._stx_in_bcc is None else with_stx if self._stx_in_bcc else without_stx
        address, kind, data = raw[1:3], raw[3:5].decode("latin-1"), raw[5:7].decode("latin-1")
        known_data = {"LK": ("01", "02"), "GP": ("00",), "EC": tuple(f"{number:02d}" for number in range(100))}
        if raw[7:8] != ETX:
            code = "03"
        elif not right:
            code = "02"
        elif address != b"OP":
            code = "13"
        elif kind not in known_data:
            code = "14"
        elif data not in known_data[kind]:
            code = "11"
        else:
            return HostCommand(type=kind, data=data)
        return BadCommand(offset, code, f"{NAK_MEANINGS[code]} [{raw.hex(' ')}]")
