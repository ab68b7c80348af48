"""What the shoe reported about its cards, and which cards of the truth those reports are about."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from simulator.reckoner.mismatch import Json, MismatchError

FORGET_AFTER = 6.0
"""Seconds after which a wire that keeps no events no longer reports a card."""


class ReportedCard(NamedTuple):
    """A card that a report of the shoe is about. What the report does not say is `None`."""

    reading: str
    """As in the truth: "read", "unread", "foreign" or "with_another"."""
    hand: str | None = None
    position: int | None = None
    card: str | None = None
    card_id: str | None = None
    burns_left: int | None = None

    def fits(self, left: Json, *, native: bool = True) -> bool:
        """Whether this can be a report of that card of the truth."""
        reading = left.get("reading", "read")
        if self.reading == "with_another":
            return bool(reading == "with_another") or not native
        if self.hand not in (None, left["to"]) or self.position not in (None, left.get("position")):
            return False
        if None not in (self.burns_left, left.get("burns_left")) and self.burns_left != left["burns_left"]:
            return False
        if self.reading != "read":
            # Of a card that it could not read, or of two at once, a reader of ids knows nothing else. It takes for
            # foreign whatever its file does not have, one copy too many among them.
            known = self.reading == "unread" or self.card_id == left["card_id"]
            return bool(reading == self.reading) or (self.hand is None and known)
        if self.card not in (None, left["card"]) or self.card_id not in (None, left["card_id"]):
            return False
        return reading in ("read", "hidden") or left["to"] == "extra" or not native


def reported_cards(event: Json) -> list[ReportedCard]:
    """The cards that left the shoe by this event."""
    match event["event"]:
        case "card_drawn" if not event.get("carried_over"):
            reading = "read"
        case "misread":
            return [ReportedCard("unread", event.get("hand"), event.get("position"))]
        case "foreign_card":
            return [ReportedCard("foreign", event.get("hand"), event.get("position"), card_id=event.get("card_id"))]
        case "double_feed":
            return [ReportedCard("with_another")] * event["cards"]
        case _:
            return []
    return [
        ReportedCard(
            reading,
            event.get("hand"),
            event.get("position"),
            event.get("card"),
            event.get("card_id"),
            event.get("burns_left"),
        ),
    ]


class ReportMatcher:
    """Finds the card of the truth for each report, as reports come in."""

    def __init__(
        self,
        *,
        keeps_events: bool,
        may_lose: Callable[[], bool],
        may_be_false: Callable[[], bool],
        missed: Callable[[Sequence[Json]], None],
    ) -> None:
        self.cards: list[Json] = []
        """The cards of the truth, to which each is added when it leaves the shoe."""
        self.reported = 0
        """So many of them are reported, or known to be lost."""
        self._keeps_events = keeps_events
        self._may_lose = may_lose
        """Whether this wire may have lost a report by now,"""
        self._may_be_false = may_be_false
        """or carried one that is about no card."""
        self._missed = missed
        """Called with cards that were never reported."""
        self.perhaps_lost: set[int] = set()
        """The numbers of cards that were in the memory of a shoe which keeps every event, when it was wiped."""
        self.entered: set[int] = set()
        """The numbers of cards that people entered, and that are on record."""
        self.unentered: list[Json] = []
        """Cards that were reported while the table is dealt by hand, and that nobody has entered yet."""
        self._known_by: list[tuple[int, int]] = []
        """How many cards were known by which event of the shoe."""

    @property
    def unreported(self) -> list[Json]:
        return self.cards[self.reported :]

    @property
    def to_enter(self) -> list[Json]:
        """Cards that left the shoe and are not on record."""
        return [*self.unentered, *(card for card in self.unreported if card.get("number") not in self.entered)]

    def enter(self) -> Json | None:
        """A person enters the oldest card that is not on record; `None` if there is none."""
        if self.unentered:
            return self.unentered.pop(0)
        card = next(iter(self.to_enter), None)
        if card is not None:
            self.entered.add(card["number"])
        return card

    def match(self, event: Json, *, number: int, arrived: float) -> list[Json | None]:
        """The cards that this event is about; `None` for one that never left the shoe."""
        found = [self._match(reported, event, arrived) for reported in reported_cards(event)]
        # A card that was entered is on record already.
        found = [card for card in found if card is None or card.get("number") not in self.entered]
        self._known_by.append((number, self.reported))
        return found

    def reported_again_from(self, number: int) -> None:
        """The shoe reports these events again, because a new journal has none of them."""
        self._known_by = [(event, known) for event, known in self._known_by if event < number]
        self.reported = self._known_by[-1][1] if self._known_by else 0

    @property
    def last_event(self) -> int:
        """The number of the last event that the shoe reported; 0 if there was none."""
        return self._known_by[-1][0] if self._known_by else 0

    def _match(self, reported: ReportedCard, event: Json, arrived: float) -> Json | None:
        for ahead in self._candidates(reported, arrived):
            card = self.cards[self.reported + ahead]
            if reported.fits(card, native=self._keeps_events):
                passed = self.cards[self.reported : self.reported + ahead]
                self._missed([missed for missed in passed if missed.get("number") not in self.entered])
                self.reported += ahead + 1
                return card
        if self._may_be_false():
            return None
        raise MismatchError(f"the shoe reported {event}, and what left it is {self.unreported[:2]}")

    def _is_surely_lost(self, card: Json, arrived: float) -> bool:
        return card.get("number") in self.perhaps_lost and arrived - card["t"] > FORGET_AFTER

    def _candidates(self, reported: ReportedCard, arrived: float) -> Iterable[int]:
        """The unreported cards that this may be about, the likeliest first.

        A wire that keeps every event reports cards in order. Another one reports a card soon or never: of two cards for
        the same place in a hand, the younger one is meant.
        """
        if not self._may_lose():
            kept = (n for n, card in enumerate(self.unreported) if card.get("number") not in self.perhaps_lost)
            possible = range(min(next(kept, len(self.unreported)) + 1, len(self.unreported)))
            # What was on its way when the memory was wiped comes soon. Face down, cards are alike.
            return sorted(possible, key=lambda ahead: self._is_surely_lost(self.unreported[ahead], arrived))
        drawn = [
            ahead
            for ahead, card in enumerate(self.unreported)
            if card["t"] <= arrived and card.get("number") not in self.entered
        ]
        young = [ahead for ahead in drawn if arrived - self.unreported[ahead]["t"] <= FORGET_AFTER]
        if reported.position is not None:
            young.reverse()
        return [*young, *drawn]
