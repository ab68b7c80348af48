"""The reader's end of a line: shoe events in, lines out. For the emulator and for tests.

Like a real reader it sends each id once, as it passes, and loses what it sends while no host is connected.
"""

from firmware_protocol.events import AnyShoeEvent, CardDrawn, CardReadAgain, CutCard, ForeignCard, Misread
from firmware_protocol.lines.cards_file import IdsName
from firmware_protocol.lines.pattern import LINE_END, LinePattern
from firmware_protocol.link import LinkReport, LinkUsageError, ShoeNotice


class LinesShoe:
    """See `ShoeLink`. `cut_card` is the id of the cut card; without one the reader does not notice it."""

    def __init__(self, pattern: LinePattern, *, ids: IdsName = "pieces", cut_card: str = "") -> None:
        self._pattern = pattern
        self._ids = ids
        self._cut_card = cut_card
        self._plugged_in = False
        self._sent = 0
        self._out = b""

    def connected(self, now: float) -> None:  # noqa: ARG002 - the interface brings the time
        self._plugged_in = True

    def disconnected(self, now: float) -> list[LinkReport]:  # noqa: ARG002 - as above
        self._plugged_in = False
        self._out = b""
        return []

    def report(self, event: AnyShoeEvent, now: float) -> int:  # noqa: ARG002 - as above
        line = self._line_of(event)
        self._sent += 1
        if self._plugged_in:
            self._out += line
        return self._sent

    def receive(self, data: bytes, now: float) -> list[ShoeNotice | LinkReport]:  # noqa: ARG002 - it does not listen
        return []

    def next_deadline(self) -> float | None:
        return None

    def tick(self, now: float) -> list[ShoeNotice | LinkReport]:  # noqa: ARG002 - it has no timers
        return []

    def to_send(self) -> bytes:
        out, self._out = self._out, b""
        return out

    def _line_of(self, event: AnyShoeEvent) -> bytes:
        match event:
            case CardDrawn() | ForeignCard() | CardReadAgain():
                face = None if event.card is None else event.card.value
                # A foreign card has an id that no file knows, also where ids name faces.
                by_piece = self._ids == "pieces" or isinstance(event, ForeignCard)
                reader_id = event.card_id if by_piece else face
                if reader_id is not None:
                    return self._pattern.write(reader_id)
            case Misread() if self._pattern.unread:
                return f"{self._pattern.unread}{LINE_END}".encode()
            case CutCard() if self._cut_card:
                return self._pattern.write(self._cut_card)
        raise LinkUsageError(f"a reader of ids has no line for {event}")
