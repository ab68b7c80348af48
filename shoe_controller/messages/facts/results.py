"""Facts about the end of a round: results and settlements, and those that are taken back."""

from typing import ClassVar

import msgspec

from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.facts.base import EventTopic, Fact


class RoundResult(Fact, frozen=True, kw_only=True, tag="round_result"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OUTCOME

    outcome: RoundOutcome
    """What `shoe-controller hand --json` prints for these cards."""
    why: AnyReason
    """Why no more cards were dealt."""
    confirmed_by: AnyActor
    """Who or what confirmed it."""
    dealer: str | None = None
    """The id of the dealer on duty when the result was confirmed; null if none was."""
    free: bool
    """The round was dealt without wagers."""
    replaces: int | None = None
    """The `seq` of the result before, which was taken back; null for the first."""


class ResultUndone(Fact, frozen=True, kw_only=True, tag="result_undone"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OUTCOME

    replaces: int
    """The `seq` of the result that is taken back."""


class RoundSettled(Fact, frozen=True, kw_only=True, tag="round_settled"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SETTLEMENT

    settlement: Settlement
    """What every wager came to."""
    replaces: int | None = None
    """The `seq` of the settlement before, which was taken back; null for the first."""
    difference: dict[str, int] | None = None
    """Against what the round came to before: what to pay (above 0) or to collect (below 0), by seat, in minor units.
    Marked commission is not in it. A seat for which nothing changes is left out; null where it had no result before."""


class SettlementUndone(Fact, frozen=True, kw_only=True, tag="settlement_undone"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SETTLEMENT

    replaces: int
    """The `seq` of the settlement that is taken back."""
    commission_back: dict[str, int] = msgspec.field(default_factory=dict)
    """Marked commission of the round that was collected already and is paid back, by seat, in minor units."""


class RoundAmended(Fact, frozen=True, kw_only=True, tag="round_amended"):
    """A round that is over was settled again; `shoe` and `round` of this event are where the table is now."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SETTLEMENT

    of_shoe: int
    """The shoe of the amended round."""
    of_round: int
    """The number of the amended round."""
    free: bool
    """It was dealt without wagers."""
    old_outcome: RoundOutcome
    """Its result, as it was."""
    outcome: RoundOutcome
    """Its result, as it is now."""
    old_settlement: Settlement | None
    """What every wager had come to; null where there was none."""
    settlement: Settlement | None
    """What every wager comes to; null where there is none."""
    difference: dict[str, int]
    """What to pay (above 0) or to collect (below 0), by seat, in minor units. Marked commission is not in it.
    A seat for which nothing changes is left out."""
    commission: dict[str, int]
    """By how much the commission marked for each seat changes."""
    commission_back: dict[str, int]
    """Marked commission that was collected and is not owed any more, by seat, in minor units: pay it back. Of a shoe
    before the last 1,000 marks it was collected or waived: pay it back if it was collected."""
    replaces: int
    """The `seq` of the result before: a `round_result`, or a `round_amended`."""
    replaces_settlement: int | None
    """The `seq` of the settlement before: a `round_settled`, or a `round_amended`; null where there was none."""
