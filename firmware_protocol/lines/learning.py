"""Learning which id each card has: every card is read once, in a stated order. Pure; `cards learn` is its shell."""

from typing import NamedTuple

from firmware_protocol.lines.cards_file import CUT, CardRow, CardsFile, missing, one_ends_other


class Learned(NamedTuple):
    """The row to write; it counts once it is written."""

    row: CardRow


class ReadAgain(NamedTuple):
    """The reader read the last card once more: that means nothing."""


class AlreadyKnown(NamedTuple):
    """The id belongs to a card that was read before."""

    reader_id: str
    is_card: CardRow
    asked_for: CardRow


class EndOfOther(NamedTuple):
    """One of the two ids is the end of the other: no file can have both."""

    reader_id: str
    other: CardRow
    asked_for: CardRow


class Learner:
    """The next card is the first without an id, in the order of decks, suits and ranks; the cut card comes last."""

    def __init__(self, file: CardsFile, *, cut_card: bool, repeat_within: float) -> None:
        self._known = {row.id: row for row in file.rows}
        self._to_come = list(missing(file))
        if cut_card and all(row.card != CUT for row in file.rows):
            self._to_come.append(CardRow(id="", card=CUT))
        self._repeat_within = repeat_within
        self._last: tuple[str, float] | None = None

    @property
    def next_card(self) -> CardRow | None:
        """The card to be read next; `None` when all have been."""
        return self._to_come[0] if self._to_come else None

    @property
    def left(self) -> int:
        return len(self._to_come)

    def read(self, reader_id: str, now: float) -> Learned | ReadAgain | AlreadyKnown | EndOfOther:
        asked_for = self._to_come[0]
        last, self._last = self._last, (reader_id, now)
        if last is not None and last[0] == reader_id and now - last[1] <= self._repeat_within:
            return ReadAgain()
        before = self._known.get(reader_id)
        if before is not None:
            return AlreadyKnown(reader_id, before, asked_for)
        other = next((row for known, row in self._known.items() if one_ends_other(known, reader_id)), None)
        if other is not None:
            return EndOfOther(reader_id, other, asked_for)
        row = CardRow(id=reader_id, card=asked_for.card, deck=asked_for.deck)
        self._known[reader_id] = row
        self._to_come.pop(0)
        return Learned(row)
