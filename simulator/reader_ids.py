"""The ids that an emulated reader sends, and the cards file that says which cards they are.

The pieces of a face are numbered in the order in which they come out: the first nine of hearts is always the same id,
so that one file fits every shuffle.
"""

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, CutCard, ForeignCard, Misread
from firmware_protocol.lines.cards_file import CUT, CardRow, CardsHeader, IdsName, card_at, encode
from firmware_protocol.lines.pattern import LinePattern

EMULATED_PATTERN = LinePattern(prefix="$", suffix="*", checksum="crc16", unread="NOREAD")
CUT_ID = "E0CUT0"
_OWN, _FOREIGN = "E0", "F0"


def reader_id(card: Card, deck: int, kind: str = _OWN) -> str:
    return f"{kind}{card.value}{deck:02d}"


def cards_file(decks: int, ids: IdsName) -> bytes:
    """The file for these ids, whole."""
    decks = decks if ids == "pieces" else 1
    rows = map(card_at, range(52 * decks))
    learned = [
        CardRow(id=reader_id(Card(row.card), row.deck) if ids == "pieces" else row.card, card=row.card, deck=row.deck)
        for row in rows
    ]
    text = encode(CardsHeader(ids=ids, decks=decks))
    return text + b"".join(map(encode, [*learned, CardRow(id=CUT_ID, card=CUT)]))


class ReaderIds:
    """Turns what the firmware knows of a card into what a reader knows of it."""

    def __init__(self) -> None:
        self.last: CardDrawn | ForeignCard | None = None
        """What was read last."""
        self.deck_set = ""
        """The cards in the shoe."""
        self._pieces: dict[str, str] = {}
        """The id of each piece that has come out."""
        self._copies: dict[Card, int] = {}

    def loaded(self, deck_set: str) -> None:
        self.deck_set = deck_set
        self._pieces.clear()
        self._copies.clear()

    def as_read(self, event: AnyShoeEvent) -> AnyShoeEvent | None:
        """The event as a reader sees it; `None` where it sees nothing."""
        match event:
            case CardDrawn(carried_over=False) | ForeignCard() if event.card is not None and event.card_id is not None:
                if event.deck_set == self.deck_set:
                    self.last = CardDrawn(card=event.card, card_id=self.id_of(event.card, event.card_id))
                else:
                    self.last = ForeignCard(card=event.card, card_id=reader_id(event.card, 1, _FOREIGN))
                return self.last
            case Misread():
                return Misread()
            case CutCard():
                return event
            case _:
                return None

    def id_of(self, card: Card, piece: str) -> str:
        """The id of a piece of the cards in the shoe."""
        if piece not in self._pieces:
            self._copies[card] = self._copies.get(card, 0) + 1
            self._pieces[piece] = reader_id(card, self._copies[card])
        return self._pieces[piece]
