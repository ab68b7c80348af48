"""What the console knows of its table: what is followed of it, and what the console makes of its events. Pure.

`now` is in seconds, by a clock that only goes forward.
"""

from collections import deque

import msgspec

from shoe_controller.follow.event_sequencer import Event
from shoe_controller.follow.table import FollowedTable
from shoe_controller.history.recall import last_rounds
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.messages.facts import (
    AnyFact,
    BettingClosed,
    BettingOpened,
    FreeHandAnnounced,
    PersonActed,
    ResultUndone,
    RoundAmended,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeOpened,
)
from shoe_controller.messages.topics import Topics

HISTORY = 500
"""Events from before that are requested at the start: a few dozen rounds."""

KEPT = 1500
"""Events that are kept for looking back."""

MOST_ROUNDS = 12
"""Rounds that can be looked back at; older ones are in the journal, for `shoe-controller journal recall`."""

_read_fact: msgspec.json.Decoder[AnyFact] = msgspec.json.Decoder(AnyFact)


SaysDifference = RoundSettled | RoundAmended | RoundVoided | SettlementUndone
"""What says what to pay or to collect for a round that was settled before; an undo, which commission to pay back."""


def _begins(fact: AnyFact) -> bool:
    """Whether a round begins here, or a shoe."""
    return isinstance(fact, BettingOpened | ShoeOpened) or (isinstance(fact, FreeHandAnnounced) and fact.carried)


class ConsoleModel:
    """An `EventFold` for what `state` does not hold: the steps of the last settlement, and the last rounds."""

    def __init__(self, topics: Topics, *, client: str, instance: str) -> None:
        self.followed = FollowedTable(topics, self, client=client, instance=instance, latest=HISTORY)
        self.settlement: RoundSettled | None = None
        """The last one of this shoe that was not taken back."""
        self.differences: list[SaysDifference] = []
        """Those since wagers were closed last; each is against the one before, so that one which is taken back itself
        is worked off all the same."""
        self.facts: deque[AnyFact] = deque(maxlen=KEPT)

    def rounds(self) -> list[RecalledRound]:
        """The last rounds, the newest last."""
        known = list(self.facts)
        if known and known[0].seq > 1:
            # A round of which only a part is known would be shown wrongly.
            begins = (n for n, fact in enumerate(known) if _begins(fact))
            known = known[next(begins, len(known)) :]
        return last_rounds(_steps(known), MOST_ROUNDS, from_beginning=True) or []

    def begin(self, _journal: str, _after: int) -> None:
        self.settlement = None
        self.differences.clear()
        self.facts.clear()

    def apply(self, event: Event, _now: float) -> None:
        fact = _read_fact.decode(event.payload)
        self.facts.append(fact)
        match fact:
            case RoundSettled() | RoundVoided() if fact.difference:
                self.differences.append(fact)
            case RoundAmended() if fact.difference or fact.commission or fact.commission_back:
                self.differences.append(fact)
            case SettlementUndone() if fact.commission_back:
                self.differences.append(fact)
            case BettingClosed():
                self.differences.clear()
        match fact:
            case RoundSettled():
                self.settlement = fact
            case ResultUndone():
                self.settlement = None  # also where what is taken back is an amendment of it
            case ShoeOpened() | RoundResult():
                self.settlement = None  # a round without wagers has none


def _steps(facts: list[AnyFact]) -> list[list[AnyFact]]:
    """Facts of one input together, as `recall` needs them: they have one time, and what a person did comes first."""
    steps: list[list[AnyFact]] = []
    for fact in facts:
        if steps and steps[-1][0].time == fact.time and not isinstance(fact, PersonActed):
            steps[-1].append(fact)
        else:
            steps.append([fact])
    return steps
