"""The cards that events report: those that left the shoe, each once and in order, and those that lie in the hands."""

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.reckoner.mismatch import Json, MismatchError, RoundKey, round_of

BURN, ASIDE = "burn", "aside"


@dataclass(slots=True)
class RecordedCard:
    """A card that left the shoe, as the events report it."""

    place: str
    """ "player", "banker", "burn", or "aside" for a card that was laid to no hand."""
    card: str | None
    """Its face as it was published last; `None` while it lies face down or is not known."""
    where: RoundKey
    true: Json | None = None
    """The same card in the truth, where that is known."""
    named: bool = False
    """A person said what it is, and is believed from then on."""
    said: str | None = None
    """What the person said."""

    @property
    def face(self) -> str | None:
        """What it should be published as: what a person said, or else what it is."""
        if self.named:
            return self.said
        return None if self.true is None else self.true["card"]

    def fits(self, left: Json) -> bool:
        """Whether this can be the record of that card of the truth."""
        if self.card is not None and self.card != left["card"]:
            return False
        if self.place == BURN:
            # While cards are burned, the shoe may count one as drawn outside a round. Of cards that left together it
            # does not report the hand: a table that waits for more burned cards than the shoe counts them as burned.
            return left["to"] in (BURN, "extra") or left.get("reading") == "with_another"
        return self.place in (ASIDE, left["to"])

    def check_face(self) -> None:
        if self.card is not None and self.face is not None and self.card != self.face:
            raise MismatchError(f"{self.card} is published where {self.face} lies: {self}")


@dataclass(slots=True)
class CardInHand:
    """A card of the round under way."""

    hand: str
    record: RecordedCard
    seq: int
    """The event that reported it last."""

    def publish(self, face: str | None, seq: int) -> None:
        said = self.record.said if self.record.named else None
        if None not in (face, said) and face != said:
            raise MismatchError(f"{face} is published where a person said {said}: {self}")
        self.record.card, self.seq = face, seq


class CardBook:
    def __init__(self) -> None:
        self.cards: list[RecordedCard] = []
        """All that left the shoe."""
        self.hand: list[CardInHand] = []
        """Those in the hands, in the order in which they were dealt."""
        self.first: RecordedCard | None = None
        """The first card of the shoe, which is shown."""
        self._burned = 0
        self._set_aside: list[RecordedCard] = []
        """Extra cards and strays of the round under way."""
        self._carried: RecordedCard | None = None
        """An extra card that lies ready as the first of the next round."""

    def shoe_opened(self) -> None:
        self.first, self._burned, self._carried = None, 0, None
        self.clear_table()

    def clear_table(self) -> None:
        self.hand, self._set_aside = [], []

    def lay_again(self, hand: Sequence[CardInHand]) -> None:
        """The result of this round was undone: its cards lie on the table."""
        self.hand, self._set_aside = list(hand), []

    @property
    def undecided(self) -> list[RecordedCard]:
        """Cards that lie aside, and for which it is not decided whether they are burned or used."""
        return self._set_aside

    def name(self, number: int, face: str | None) -> None:
        """A person says what a card is: the one with that number in the round, or with 0 the first card of the shoe."""
        record = self.first if number == 0 else self.hand[number - 1].record if number <= len(self.hand) else None
        if record is not None:
            record.named, record.said = True, face or record.said

    # --- cards that leave the shoe -----------------------------------------------------------------------------------

    def burned(self, event: Json) -> None:
        if self.first is None and event["burned"] == 0:
            self.first = self._add(BURN, event["card"], event)
        elif self.first is not None and event["card"] is not None:
            # The first card could not be read, and is named after all.
            self.first.card = event["card"]
        else:
            for _ in range(event["burned"] - self._burned):
                self._add(BURN, None, event)
            self._burned = event["burned"]

    def set_aside(self, event: Json) -> None:
        self._set_aside.append(self._add(ASIDE, event["card"], event))

    def extra_decided(self, event: Json) -> None:
        if event["burned"] + event["used"] > len(self._set_aside):
            raise MismatchError(f"{event} decides on more cards than the {len(self._set_aside)} that lie aside")
        if event["used"]:
            self._carried = self._set_aside[0]
        self._burned += event["burned"]
        self._set_aside = []

    def dealt(self, event: Json) -> None:
        place = event["place"]
        if place["number"] != len(self.hand) + 1:
            raise MismatchError(f"card {place['number']} of the round follows card {len(self.hand)}")
        if self._carried is not None and not self.hand:
            record, self._carried = self._carried, None
            record.card = place["card"] or record.card
        else:
            record = self._add(place["hand"], place["card"], event)
        self.hand.append(CardInHand(place["hand"], record, event["seq"]))

    def _add(self, place: str, card: str | None, event: Json) -> RecordedCard:
        self.cards.append(RecordedCard(place, card, round_of(event)))
        return self.cards[-1]

    # --- cards on the table ------------------------------------------------------------------------------------------

    def shown(self, event: Json) -> None:
        for place in event["places"]:
            laid = self._at(place)
            if place["card"] is None and laid.record.card is not None:
                raise MismatchError(f"card {place['number']} was {laid.record.card} and is published as unknown")
            laid.publish(place["card"], event["seq"])

    def corrected(self, event: Json) -> None:
        laid = self._at(event["place"])
        if event["replaces"] != laid.seq:
            raise MismatchError(f"a correction replaces event {event['replaces']}; the card's last was {laid.seq}")
        laid.publish(event["place"]["card"], event["seq"])

    def _at(self, place: Json) -> CardInHand:
        number: int = place["number"]
        if not 1 <= number <= len(self.hand):
            raise MismatchError(f"there is no card {number} in the round")
        laid = self.hand[number - 1]
        if laid.hand != place["hand"]:
            raise MismatchError(f"card {number} was {laid.hand}'s and is published as {place['hand']}'s")
        return laid
