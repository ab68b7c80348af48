"""Sets of cards and links for the tests of this wire."""

from firmware_protocol.lines.cards_file import CUT, CardIds, CardRow, CardsFile, CardsHeader, IdsName, card_at
from firmware_protocol.lines.controller import LinesController, LinesState
from firmware_protocol.lines.pattern import LinePattern

PATTERN = LinePattern(prefix="$", suffix="*", checksum="crc16", unread="NOREAD", ignore=("# ",))
PLAIN = LinePattern(unread="NOREAD")
CUT_ID = "CUT0000"


def piece(card: str, deck: int = 1) -> str:
    """The id of a piece in these sets."""
    return f"E00{card}{deck:02d}"


def some_set(ids: IdsName = "pieces", decks: int = 2, name: str = "") -> CardsFile:
    decks = decks if ids == "pieces" else 1
    cards = [card_at(number) for number in range(52 * decks)]
    rows = [
        CardRow(id=piece(row.card, row.deck) if ids == "pieces" else row.card, card=row.card, deck=row.deck)
        for row in cards
    ]
    return CardsFile(CardsHeader(ids=ids, decks=decks, set=name), (*rows, CardRow(id=CUT_ID, card=CUT)))


def link(
    ids: IdsName = "pieces",
    *,
    pattern: LinePattern = PLAIN,
    state: LinesState | None = None,
    state_age: float = 0.0,
    card_takes: float = 0.0,
    joined: bool = True,
) -> LinesController:
    """A controller whose port is open; `joined`: a line has ended since, so that none can be the rest of one."""
    made = LinesController(
        cards=CardIds([some_set(ids)]),
        pattern=pattern,
        card_takes=card_takes,
        state=state or LinesState(),
        state_age=state_age,
    )
    made.connected(0.0)
    made.tick(0.0)
    if joined:
        assert made.receive(b"NOREAD\n", 0.0)
    return made
