"""The file that says which card an id stands for. Pure: text in, cards out, and the text of each of its lines.

JSON lines. The first says what the ids name and how many decks there are; each of the others is one card:

    {"cards_file": 1, "ids": "pieces", "decks": 8, "set": "red"}
    {"id": "04A1B2C3", "card": "AC", "deck": 1}
    {"id": "04FFFFFF", "card": "cut"}

Where ids name pieces, every card of every deck has its own. Where they name faces, there is one for each of the 52.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.lines.pattern import MAX_ID

LAYOUT = 1
MOST_DECKS = 16
CUT = "cut"
LONGEST_SET_NAME = 32

ORDER = tuple(Card)
"""In which the cards of a deck are learned: clubs, diamonds, hearts, spades, each from ace to king."""

IdsName = Literal["pieces", "faces"]


class CardsHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cards_file: int = LAYOUT
    ids: IdsName = "pieces"
    decks: int
    """1 where ids name faces."""
    set: str = ""
    """Name of this set of decks, where the house has several."""


class CardRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    id: str
    card: str
    """As everywhere, "9H"; or "cut" for the cut card."""
    deck: int = 0
    """Number of its deck; 0 for the cut card."""

    def __str__(self) -> str:
        return "the cut card" if self.card == CUT else f"{self.card} of deck {self.deck}"


class BadCardsFileError(ValueError):
    """A file that cannot be used; the message names the line."""


class CardsFile(NamedTuple):
    header: CardsHeader
    rows: tuple[CardRow, ...]

    @property
    def to_learn(self) -> int:
        """Cards of the whole set, without the cut card."""
        return len(ORDER) * self.header.decks

    @property
    def learned(self) -> int:
        return sum(row.card != CUT for row in self.rows)


class KnownCard(NamedTuple):
    """What an id stands for."""

    card: Card | None
    """`None` for the cut card."""
    card_id: str | None
    """The piece; `None` where the id names a face."""
    deck_set: str | None


class CardIds:
    """All ids that a reader may send."""

    def __init__(self, files: Sequence[CardsFile]) -> None:
        self._known: dict[str, KnownCard] = {}
        for file in files:
            for row in file.rows:
                if row.id in self._known:
                    raise BadCardsFileError(f"the id {row.id!r} is in two files: {row}, and another card")
                self._known[row.id] = KnownCard(
                    card=None if row.card == CUT else Card(row.card),
                    card_id=row.id if file.header.ids == "pieces" else None,
                    deck_set=file.header.set or None,
                )
        _check_tails(self._known, "the cards files together")

    def get(self, reader_id: str) -> KnownCard | None:
        return self._known.get(reader_id)


def card_at(number: int) -> CardRow:
    """The card that is learned as this one, from 0, yet without its id."""
    return CardRow(id="", card=ORDER[number % len(ORDER)].value, deck=number // len(ORDER) + 1)


def encode(row: CardsHeader | CardRow) -> bytes:
    return msgspec.json.encode(row) + b"\n"


def read_cards_file(text: bytes, name: str) -> CardsFile:
    """Read a file, whole or broken off; raise `BadCardsFileError` with the first thing that is wrong with it."""
    lines = text.splitlines()
    if not lines:
        raise BadCardsFileError(f"{name} is empty: make it with `shoe-controller cards learn`")
    header = _header(lines[0], name)
    rows: list[CardRow] = []
    seen: dict[str, CardRow] = {}
    places: dict[tuple[str, int], int] = {}
    for number, line in enumerate(lines[1:], 2):
        where = f"{name}, line {number}"
        row = _row(line, header, where)
        before = seen.setdefault(row.id, row)
        if before is not row:
            raise BadCardsFileError(f"{where}: the id {row.id!r} is that of {before}: it cannot be that of {row} too")
        if (row.card, row.deck) in places:
            first = places[row.card, row.deck]
            raise BadCardsFileError(f"{where}: {row} is on line {first} already, with another id")
        places[row.card, row.deck] = number
        rows.append(row)
    _check_tails(seen, name)
    return CardsFile(header, tuple(rows))


def missing(file: CardsFile) -> tuple[CardRow, ...]:
    """The cards of the set that have no id."""
    there = {(row.card, row.deck) for row in file.rows}
    cards = map(card_at, range(file.to_learn))
    return tuple(row for row in cards if (row.card, row.deck) not in there)


def whole(file: CardsFile, name: str) -> CardsFile:
    """The same file, if it is of whole decks; raise `BadCardsFileError` otherwise."""
    gaps = missing(file)
    if gaps:
        raise BadCardsFileError(
            f"{name} has {file.learned} of {file.to_learn} cards, {gaps[0]} is the first without an id: "
            "go on with `shoe-controller cards learn`"
        )
    return file


def one_ends_other(one: str, other: str) -> bool:
    """Whether a line that is joined in its middle could be taken for that of another card."""
    return one.endswith(other) or other.endswith(one)


def begins_row(text: bytes) -> bool:
    """Whether a line without its end may be the beginning of a card's, cut off with the power."""
    begins = b'{"id":"'
    return text.startswith(begins) or begins.startswith(text)


def _header(line: bytes, name: str) -> CardsHeader:
    try:
        header = msgspec.json.decode(line, type=CardsHeader)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadCardsFileError(
            f"{name}, line 1: {error}; a cards file begins with such a line: {encode(CardsHeader(decks=8)).decode()}"
        ) from error
    if header.cards_file != LAYOUT:
        raise BadCardsFileError(f"{name}, line 1: layout {header.cards_file} is of a later version than this program")
    if not 1 <= header.decks <= MOST_DECKS or (header.ids == "faces" and header.decks != 1):
        raise BadCardsFileError(f"{name}, line 1: decks is 1 to {MOST_DECKS}, and 1 where ids name faces")
    if not (header.set.isascii() and header.set.isprintable() and len(header.set) <= LONGEST_SET_NAME):
        raise BadCardsFileError(f"{name}, line 1: set is at most {LONGEST_SET_NAME} printable ASCII characters")
    return header


def _row(line: bytes, header: CardsHeader, where: str) -> CardRow:
    try:
        row = msgspec.json.decode(line, type=CardRow)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadCardsFileError(f"{where}: {error}; a card looks like {encode(card_at(0)).decode()}") from error
    if not 1 <= len(row.id) <= MAX_ID or not row.id.isprintable() or row.id != row.id.strip():
        raise BadCardsFileError(f"{where}: an id is 1 to {MAX_ID} printable characters, without spaces around it")
    if row.card == CUT:
        if row.deck:
            raise BadCardsFileError(f"{where}: the cut card belongs to no deck: leave deck out")
    elif row.card not in _FACES:
        raise BadCardsFileError(f"{where}: {row.card!r} is not a card: rank and suit, as in 9H, or {CUT}")
    elif not 1 <= row.deck <= header.decks:
        raise BadCardsFileError(f"{where}: deck {row.deck} does not exist, there are {header.decks}")
    return row


def _check_tails(ids: Iterable[str], name: str) -> None:
    """The end of one id must not be another: a line that is joined in its middle would be taken for another card."""
    known = set(ids)
    for each in known:
        for at in range(1, len(each)):
            if each[at:] in known:
                raise BadCardsFileError(
                    f"{name}: the id {each[at:]!r} is the end of the id {each!r}: a line that was begun before the "
                    "port opened would be taken for another card. Have the reader send ids of one length"
                )


_FACES = frozenset(card.value for card in Card)
