"""Supervisors who put cards where the rules put them: assigned to their hands, discarded, the first card corrected.

What lies on the felt is in front of them, in the order in which it was drawn; the rules are those of the reckoner.
"""

import random
from collections.abc import Callable, Sequence

from firmware_protocol.cards import Card
from shoe_controller.messages.alerts import AlertMessage, Remedy
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.details import CardOfRound
from shoe_controller.messages.retained import TableView
from simulator.reckoner.drawing import next_hands
from tests.simulation.corrections import Act

PUTS_RIGHT = 0.7
"""How likely cards are put where the rules put them, where that is possible."""

WHIM = 11
"""One of so many acts that nothing has called for is one of these."""


class Placing:
    def __init__(
        self,
        chance: random.Random,
        drawn: Callable[[], list[Card | None]],
        first: Callable[[], Card | None],
        *,
        unasked: Callable[[], None] | None,
    ) -> None:
        self._unasked = unasked
        """Called when something is done without a call; nothing where people do not."""
        self._chance = chance
        self._drawn = drawn
        self._first = first
        self._slip: int | None = None
        """The shoe whose first card was corrected to another than it is."""
        self.assigned: set[tuple[int, int]] = set()
        """The rounds in which cards were assigned or discarded."""
        self._looked: set[tuple[int, int, str]] = set()

    def against(self, view: TableView, alert: AlertMessage) -> Act | None:
        """What is done about an alert that names a remedy; some rounds are voided all the same."""
        if alert.remedy is None or self._chance.random() > PUTS_RIGHT:
            return None
        if alert.remedy is Remedy.ASSIGN and view.phase in ("dealing", "complete"):
            return self._assign(view)
        if alert.remedy is Remedy.DISCARD and isinstance(alert.detail, CardOfRound):
            self.assigned.add((view.shoe, view.round))
            return self._discard(view, alert.detail.number, DiscardCause.FOREIGN)
        return None

    def _assign(self, view: TableView) -> Act | None:
        faces = self._drawn()
        if not faces or len(faces) != len(view.cards) + view.extra_cards:
            return None
        laid: list[tuple[str, str | None]] = []
        cards: list[dict[str, str | None]] = []
        names = self._chance.random() < 0.5
        for face in faces:
            if face is None:
                return None
            possible = next_hands(laid)
            hand = possible[0] if possible else None
            if hand is not None:
                laid.append((hand, face.value))
            cards.append({"hand": hand, "card": face.value if names else None})
        self.assigned.add((view.shoe, view.round))
        return "assign_cards", {"cards": cards}

    def look(self, view: TableView) -> Act | None:
        """Once in each phase of a round, something may be put right without a call."""
        here = (view.shoe, view.round, str(view.phase))
        if self._unasked is None or here in self._looked or view.phase not in ("burning", "dealing", "complete"):
            return None
        self._looked.add(here)
        if self._chance.random() < 0.5:
            return None
        self._unasked()
        return self.whim(view, self._chance.randrange(1 << 20))

    def whim(self, view: TableView, number: int) -> Act | None:
        """Something that nothing has called for."""
        if view.phase == "burning":
            self._slip = view.shoe
            return "correct_card", {"number": 0, "card": list(Card)[number % len(Card)].value}
        if view.phase not in ("dealing", "complete") or not view.cards:
            return None
        if number % 2:
            return self._assign(view)
        self.assigned.add((view.shoe, view.round))
        causes: Sequence[DiscardCause] = list(DiscardCause)
        place = len(view.cards) if number % 3 else 1 + number % len(view.cards)
        return self._discard(view, place, causes[number % len(causes)])

    def _discard(self, view: TableView, number: int, cause: DiscardCause) -> Act:
        face = view.cards[number - 1].card if number <= len(view.cards) else None
        card = None if face is None else face.value
        return "discard_card", {"number": number, "cause": cause.value, "card": card}

    def slip(self, view: TableView) -> Act | None:
        """A first card that was corrected wrongly is put right at the next look."""
        face = self._first()
        if self._slip != view.shoe or view.phase != "burning" or face is None:
            return None
        self._slip = None
        return "correct_card", {"number": 0, "card": face.value}
