"""Any bytes from a reader of ids: never an exception, never more held than one line, no card but those of the file.

An input is a conversation of up to sixteen pieces, each any bytes or a right line around a known id.
"""

from firmware_protocol.events import CardDrawn, CardReadAgain
from firmware_protocol.lines.cards_file import CardIds
from firmware_protocol.lines.controller import LinesController, remember
from firmware_protocol.lines.pattern import LinePattern
from firmware_protocol.lines.splitting import MAX_LINE
from firmware_protocol.link import Delivery, LineError
from tests.firmware_protocol.lines.sets import piece, some_set
from tests.fuzz.source import Source

INSTRUMENTED = (
    "firmware_protocol.lines.controller",
    "firmware_protocol.lines.flood",
    "firmware_protocol.lines.pattern",
    "firmware_protocol.lines.splitting",
)
LONGEST_INPUT = 64

SETS = {ids: CardIds([some_set(ids)]) for ids in ("pieces", "faces")}
PATTERNS = (
    LinePattern(),
    LinePattern(prefix="$", suffix="*", checksum="crc16", unread="NOREAD", ignore=("# ",)),
    LinePattern(checksum="hex_xor8"),
)
CARDS = ("9H", "4D", "KS")


def one_input(data: bytes) -> None:
    source = Source(data)
    ids = "pieces" if source.flag() else "faces"
    pattern = PATTERNS[source.number(2)]
    controller = LinesController(cards=SETS[ids], pattern=pattern)
    now = 0.0
    controller.connected(now)
    received = 0
    delivered = 0
    while source.left:
        kind = source.number(255)
        sent = source.take(kind % 16 + 1)
        if kind & 0x10:
            card = CARDS[kind % 3]
            sent = pattern.write(piece(card) if ids == "pieces" else card)
        elif kind & 0x20:
            sent += b"\n"
        now += (kind >> 6) * 0.7
        if kind == 0:
            controller.disconnected(now)
            controller.connected(now)
        received += len(sent)
        for item in [*controller.receive(sent, now), *controller.tick(now)]:
            if isinstance(item, Delivery):
                delivered += 1
                assert item.sequence == delivered
                assert remember(controller.memory(item)).delivered == delivered
                if isinstance(item.event, CardDrawn | CardReadAgain):
                    assert (item.event.card_id is None) == (ids == "faces")
                if kind & 1:
                    controller.committed(item, now)
            if isinstance(item, LineError):
                assert 0 <= item.offset < item.offset + item.length <= received
        assert len(controller._reader._held) <= MAX_LINE  # noqa: SLF001 - nobody else could know
        assert controller.to_send() == b""
