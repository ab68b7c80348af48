"""A card as the events report it, on its way out of the shoe and in a hand."""

from dataclasses import dataclass

from simulator.reckoner.mismatch import Json, MismatchError, RoundKey

BURN, ASIDE, COUNTED = "burn", "aside", "counted"


@dataclass(slots=True)
class RecordedCard:
    """A card that left the shoe, as the events report it."""

    place: str
    """ "player", "banker", "burn", "aside" for a card that was laid to no hand, or "counted" for one that was left."""
    card: str | None
    """Its face as it was published last; `None` while it lies face down or is not known."""
    where: RoundKey
    true: Json | None = None
    """The same card in the truth, where that is known."""
    named: bool = False
    """A person said what it is, and is believed from then on."""
    said: str | None = None
    """What the person said."""
    entered_by: str | None = None
    """The person who entered it; `None` for a card that the shoe reported."""
    placeless: bool = False
    """A reader of ids reported it, which does not know where cards go."""
    assigned: bool = False
    """The rules say where it lies, and not the shoe: cards of its round were assigned or discarded."""
    due_in_truth: bool = False
    """It came after a correction, of which the shoe does not know: it may have taken the card for an extra one."""
    stray: bool = False
    """It lies aside, and fits no place: only an extra card is burned or carried."""
    declined: bool | None = False
    """A card was due when it was decided that this one is not used, so that it stays so; `None`: that is not known."""
    burned_by_shoe: bool = False
    """The first card of its shoe was corrected, of which the shoe does not know: it may still burn by what it read."""

    @property
    def face_for_rules(self) -> str | None:
        """By which the next card goes to a hand: also one that lies face down decides it, where it is known."""
        return (
            self.said if self.named and self.said else self.card or (None if self.true is None else self.true["card"])
        )

    @property
    def face(self) -> str | None:
        """What it should be published as: what a person said, or else what it is."""
        if self.named:
            return self.said
        return None if self.true is None else self.true["card"]

    @property
    def published(self) -> str | None:
        """The face that everyone knows: one that a person gives an extra card is published with the act alone."""
        return self.said if self.card is not None and self.named and self.said else self.card

    def fits(self, left: Json) -> bool:
        """Whether this can be the record of that card of the truth."""
        if self.card is not None and self.card != left["card"]:
            return False
        if self.entered_by is not None or self.assigned or self.placeless:
            return True  # a person or a reader says which card it is; the rules say where it lies
        if self.place == BURN:
            # While cards are burned, the shoe may count one as drawn outside a round. Of cards that left together it
            # does not report the hand: a table that waits for more burned cards than the shoe counts them as burned.
            return left["to"] in (BURN, "extra") or left.get("reading") == "with_another"
        if self.burned_by_shoe and left["to"] == BURN and left.get("burns_left") is not None:
            return True
        return self.place in (ASIDE, COUNTED, left["to"]) or (self.due_in_truth and left["to"] == "extra")

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
