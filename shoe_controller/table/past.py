"""A round that is over, as the shell reads it from the journal and hands it in with an act that is about it.

The table keeps the round that was settled last and no other: so that it stays pure, and a replay needs nothing else,
what an amendment needs of the round is part of its input.
"""

from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.table.state import RulesSource


class MeantRound(NamedTuple):
    """Which round is meant."""

    shoe: int
    round: int


class PastRound(msgspec.Struct, frozen=True, kw_only=True, tag="past_round"):
    """A round with its result, as it was settled or amended last."""

    shoe: int
    round: int
    rules: RulesSource | None
    """Those that its shoe was opened with; `None` for a round of the table's own shoe."""
    place: int
    """How many rounds of its shoe with a result came before it: its place in the roads. Of an earlier shoe, which has
    no roads any more, those in this journal count."""
    free: bool
    outcome: RoundOutcome
    settlement: Settlement | None
    outcome_seq: int
    settlement_seq: int | None
    """The events that told both."""

    @property
    def wagers(self) -> tuple[PlacedWager, ...]:
        settled = () if self.settlement is None else self.settlement.wagers
        return tuple(PlacedWager(wager.seat, wager.wager, wager.stake) for wager in settled)


class PrunedRound(msgspec.Struct, frozen=True, kw_only=True, tag="pruned_round"):
    """The round's shoe was pruned from the journal."""

    export: str
    """The name of the file that holds it."""


class NoPastRound(msgspec.Struct, frozen=True, kw_only=True, tag="no_past_round"):
    """The journal has no result of such a round."""

    voided: bool = False
    """It was dealt, and voided."""


AnyPast = PastRound | PrunedRound | NoPastRound
