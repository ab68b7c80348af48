"""Supervisors who put money right: a wager after the close, a round that is over. Not at every table, but at some.

They know what the display shows and which rounds were settled; what they say may be wrong, and counts all the same.
"""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from firmware_protocol.cards import Card
from shoe_controller.messages.retained import TableView
from simulator.reckoner.drawing import dealt
from simulator.reckoner.settlement import Wager
from tests.simulation.houses import LEAST, MOST, SEATS

Act = tuple[str, dict[str, object]]
"""The name of an act, and its details."""

BANKER = "base.banker"
"""The wager on which commission is taken."""

MOST_AMENDMENTS = 3
"""In one sitting."""


class PastRound(NamedTuple):
    shoe: int
    round: int
    cards: Sequence[str]
    """In the order in which they were dealt."""
    wagers: Sequence[Wager]

    @property
    def banker_won(self) -> bool:
        played = dealt([*self.cards, "2C", "2C"])
        return played.b > played.p

    @property
    def on_banker(self) -> list[Wager]:
        return [wager for wager in self.wagers if wager.wager == BANKER]


class Corrections:
    def __init__(self, chance: random.Random, rounds: Callable[[], list[PastRound]], offered: tuple[str, ...]) -> None:
        self._chance = chance
        self._rounds = rounds
        self._offered = offered
        self._looked: set[tuple[int, int, str]] = set()
        """Once in each phase of a round is enough."""
        self._amended = 0

    def look(self, view: TableView) -> Act | None:
        """Something to put right, if there is anything."""
        here = (view.shoe, view.round, str(view.phase))
        if here in self._looked:
            return None
        self._looked.add(here)
        if view.phase in ("closed", "dealing", "complete") and not view.free:
            return self._wager(view) if self._chance.random() < 0.5 else None
        if view.phase in ("betting", "ended", "first_card") and self._amended < MOST_AMENDMENTS:
            rounds = self._rounds()
            if rounds and self._chance.random() < 0.6:
                self._amended += 1
                taxed = [past for past in rounds if past.banker_won and past.on_banker]
                if taxed and self._chance.random() < 0.6:
                    return self._wager_removed(self._chance.choice(taxed))
                return self._amendment(self._chance.choice(rounds))
        return None

    def _wager(self, view: TableView) -> Act:
        chance = self._chance
        if view.wagers and chance.random() < 0.6:
            placed = chance.choice(view.wagers)
            which: dict[str, object] = {"seat": placed.seat, "wager": placed.wager}
            if chance.random() < 0.4:
                return "move_wager", which | {"to_seat": chance.choice(SEATS)}
            return "set_wager", which | {"stake": chance.choice([0, chance.randint(LEAST, MOST)])}
        new = {"seat": chance.choice(SEATS), "wager": chance.choice(self._offered)}
        return "set_wager", new | {"stake": chance.randint(LEAST, MOST)}

    def _wager_removed(self, past: PastRound) -> Act:
        """The seat had not bet on Banker, which won: commission is not owed, and paid back if it was collected."""
        removed = {"seat": self._chance.choice(past.on_banker).seat, "wager": BANKER, "stake": 0}
        return "amend_round", {"shoe": past.shoe, "round": past.round, "wagers": [removed]}

    def _amendment(self, past: PastRound) -> Act:
        chance = self._chance
        details: dict[str, object] = {"shoe": past.shoe, "round": past.round}
        if chance.random() < 0.6:
            number = chance.randrange(len(past.cards))
            details["cards"] = [{"number": number + 1, "card": chance.choice(_fitting(past.cards, number))}]
        if chance.random() < 0.6 or "cards" not in details:
            wagers = [{"seat": each.seat, "wager": each.wager} for each in past.wagers]
            wagers.append({"seat": chance.choice(SEATS), "wager": chance.choice(self._offered)})
            wagers.append({"seat": chance.choice(SEATS), "wager": BANKER})
            stake = chance.choice([0, chance.randint(LEAST, MOST), chance.randint(LEAST, MOST)])
            details["wagers"] = [chance.choice(wagers) | {"stake": stake}]
        return "amend_round", details


def _fitting(cards: Sequence[str], number: int) -> list[str]:
    """The faces that this card can have had, so that the round is whole as it lies; some change who has won."""
    shape = _shape(cards)
    faces = (card.value for card in Card)
    return [face for face in faces if _shape([*cards[:number], face, *cards[number + 1 :]]) == shape]


def _shape(cards: Sequence[str]) -> tuple[int, int]:
    played = dealt([*cards, "2C", "2C"])
    return len(played.player), len(played.banker)


class Changes:
    """When a seat bets again before the first card, or changes its mind when the round is to be dealt again."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._seen: set[tuple[int, int, bool]] = set()

    def seats(self, view: TableView) -> list[tuple[str, float]]:
        """The seats that bet once more, each with the seconds until it does."""
        again = view.last_void is not None and view.last_void.replay and view.last_void.round == view.round
        key = (view.shoe, view.round, again)
        if view.phase != "betting" or not view.betting_open or key in self._seen:
            return []
        self._seen.add(key)
        return [(seat, self._chance.uniform(0.5, 9.0)) for seat in SEATS * 3 if self._chance.random() < 0.7]
