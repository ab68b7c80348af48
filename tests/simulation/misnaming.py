"""Cards of the round that people name wrongly: somebody notices at once, later, or when the table stops.

Until then the table may take a round for complete that is not, and a card that is due for one too many.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

from firmware_protocol.cards import Card
from shoe_controller.messages.retained import TableView
from simulator.reckoner.drawing import total
from tests.simulation.corrections import Act

NOTICED = 12.0
"""Seconds within which somebody notices; when the table is stopped, they look at once."""
NATURAL = (8, 9)
MISNAMES = 0.6
"""How likely it is in a round, where somebody does so without a call."""


class Slip(NamedTuple):
    shoe: int
    round: int
    number: int
    face: Card
    """What the card is."""
    noticed_at: float


class Misnaming:
    def __init__(
        self,
        chance: random.Random,
        faces: Callable[[], list[Card | None]],
        now: Callable[[], float],
        *,
        unasked: Callable[[], None] | None,
    ) -> None:
        self._chance = chance
        self._faces = faces
        self._now = now
        self._unasked = unasked
        """Called when a card is named that nobody asked for; nothing where people do not."""
        self._slip: Slip | None = None
        self._looked: set[tuple[int, int]] = set()

    def slipped(self, view: TableView, number: int, face: Card) -> None:
        """This card of the round is named wrongly; it is `face`."""
        noticed_at = self._now() + self._chance.choice([0.0, self._chance.uniform(0.0, NOTICED)])
        self._slip = Slip(view.shoe, view.round, number, face, noticed_at)

    def look(self, view: TableView) -> Act | None:
        """Before a round is whole, somebody may name a card so that its hand would have a natural."""
        number, here = len(view.cards), (view.shoe, view.round)
        if self._unasked is None or view.phase != "dealing" or not 1 <= number < 4 or here in self._looked:
            return None
        faces = self._faces()
        if self._chance.random() > MISNAMES or len(faces) != number or (face := faces[-1]) is None:
            return None
        self._looked.add(here)
        beside = [] if number < 3 or faces[0] is None else [faces[0].value]
        wrong = [card for card in Card if total([*beside, card.value]) in NATURAL and card.points != face.points]
        self._unasked()
        self.slipped(view, number, face)
        return "correct_card", {"number": number, "card": self._chance.choice(wrong).value}

    def put_right(self, view: TableView) -> Act | None:
        slip = self._slip
        if slip is None or view.phase not in ("dealing", "complete"):
            return None
        if (slip.shoe, slip.round) == (view.shoe, view.round):
            if self._now() < slip.noticed_at and not view.stopped:
                return None
            self._slip = None
            return "correct_card", {"number": slip.number, "card": slip.face.value}
        self._slip = None
        return None
