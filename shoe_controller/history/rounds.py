"""A recalled round as plain data, assembled in `recall.py`.

This is what `shoe-controller journal recall --json` prints, one per round; `docs/table.md` explains it. All times
are milliseconds since 1970.
"""

from typing import Literal

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.acts import ActName, Role
from shoe_controller.messages.alerts import AlertKind, AlertMessage
from shoe_controller.messages.causes import AnyAlertEnd, AnyProposalEnd, CorrectionCause, DiscardCause, ReturnCause
from shoe_controller.messages.details import AnyDetail
from shoe_controller.messages.facts import (
    CardBurned,
    CardCounted,
    CommissionCollected,
    CommissionWaived,
    CutCardOut,
    DisputeClosed,
    DisputeOpened,
    HandEntryChanged,
    NoteMade,
    PaymentAdjusted,
    RemainderCounted,
    RunOutBegun,
    ShoeEnded,
    ShoeExchanged,
    ShoeOpened,
    Standing,
)


class CardChange(msgspec.Struct, kw_only=True):
    """A supervisor identified or corrected a card."""

    time: int
    what: Literal["identified", "corrected"]
    old: Card | None
    new: Card | None
    person: str | None
    reason: str


class RecalledCard(msgspec.Struct, kw_only=True):
    number: int
    time: int
    hand: Side
    card: Card | None
    """As known now; `None` while it lies face down, or if it is unknown."""
    why: AnyReason | None = None
    """Why it was dealt."""
    entered_by: str | None = None
    """The person who entered it; null for a card that the shoe reported."""
    changes: list[CardChange] = []


class AsideCard(msgspec.Struct, kw_only=True):
    time: int
    card: Card | None
    why: AnyDetail


class ExtraCards(msgspec.Struct, kw_only=True):
    """What became of extra cards."""

    time: int
    burned: int
    begins_next_round: bool
    person: str | None


class PutRight(msgspec.Struct, kw_only=True):
    """Cards were put where the rules put them, or one was discarded."""

    time: int
    what: Literal["assigned", "due_in_truth", "discarded"]
    number: int | None = None
    """1-based position in the round of a card that was discarded,"""
    card: Card | None = None
    """and what it is, as far as it was shown."""
    cause: DiscardCause | None = None
    person: str | None
    approved_by: str | None
    reason: str


class TakenBack(msgspec.Struct, kw_only=True):
    time: int
    person: str | None
    approved_by: str | None
    reason: str
    commission_back: dict[str, int] = {}
    """Commission that was collected already and is paid back, by seat."""


class CorrectedWagers(msgspec.Struct, kw_only=True):
    """Wagers that were put right after the close."""

    time: int
    cause: CorrectionCause
    before: tuple[PlacedWager, ...]
    after: tuple[PlacedWager, ...]
    difference: dict[str, int]
    """The stake to return or to take in, by seat."""
    person: str | None


class Amendment(msgspec.Struct, kw_only=True):
    """A round that was over was settled again."""

    time: int
    shoe: int
    round: int
    outcome: RoundOutcome
    settlement: Settlement | None
    difference: dict[str, int]
    """What to pay or to collect, by seat."""
    commission: dict[str, int]
    """By how much marked commission changed."""
    commission_back: dict[str, int]
    """Commission that is not owed any more and was taken off already."""
    was_collected: bool
    """It is certain that it was collected; of an earlier shoe it may have been waived."""
    person: str | None
    approved_by: str | None
    reason: str
    undone: TakenBack | None = None
    """The round's result was taken back after it, and this with it."""


class RecalledResult(msgspec.Struct, kw_only=True):
    time: int
    outcome: RoundOutcome
    why: AnyReason
    confirmed_by: AnyActor
    dealer: str | None = None
    """The dealer on duty then, if one was."""
    settlement: Settlement | None = None
    difference: dict[str, int] | None = None
    """What to pay or to collect, by seat, where the round was settled before."""
    undone: TakenBack | None = None


class Attempt(msgspec.Struct, kw_only=True):
    """The cards of a round; a round that was voided and dealt again has several."""

    cards: list[RecalledCard] = []
    set_aside: list[AsideCard] = []
    extra_cards: list[ExtraCards] = []
    put_right: list[PutRight] = []
    standing: Standing | None = None
    """The last standing, as far as it was shown."""
    results: list[RecalledResult] = []
    """The last one counts, unless it was undone too, or the round was amended after it."""
    ended: Literal["void", "replay"] | None = None
    void_reason: str = ""
    voided_by: str | None = None
    void_difference: dict[str, int] | None = None
    """What to pay or to collect, by seat, where the round was settled before it was voided."""


class Returned(msgspec.Struct, kw_only=True):
    time: int
    cause: ReturnCause | None
    """Null where the round was voided; `reason` says why."""
    reason: str = ""
    wagers: tuple[PlacedWager, ...]
    total: int


class RecalledAlert(msgspec.Struct, kw_only=True):
    alert: AlertMessage
    raised: int
    ended: int | None = None
    cause: AnyAlertEnd | None = None
    """Why it ended."""
    ended_how: ActName | None = None
    """The act that ended it, if one did."""


class RecalledAct(msgspec.Struct, kw_only=True):
    time: int
    act: ActName | None
    """Null where only a wrong PIN was given."""
    outcome: Literal["done", "proposed", "not_done", "wrong_pin"] = "done"
    person: str
    role: Role | None = None
    reason: str = ""
    approved_by: str | None = None
    card_number: int | None = None
    card: Card | None = None
    alert: int | None = None
    alert_kind: AlertKind | None = None
    hand: Side | None = None
    seat: str | None = None
    wager: str | None = None
    stake: int | None = None
    to_seat: str | None = None
    """Of a wager that was put right."""
    not_done: AnyProposalEnd | None = None
    """Why a proposal was not carried out."""
    failures: int = 0
    """Wrong PINs in a row."""
    locked_out: bool = False


State = Literal["before", "open", "not_dealt", "under_way", "settled", "void"]
"""Before the first round of a shoe; wagers are open; the shoe was over before a card came; and so on."""

AfterRound = NoteMade | DisputeOpened | DisputeClosed | PaymentAdjusted | CommissionCollected | CommissionWaived


def about(fact: AfterRound) -> tuple[int, int]:
    """The shoe and the round that it is about."""
    match fact:
        case NoteMade() | PaymentAdjusted():
            return fact.of_shoe, fact.of_round
        case DisputeOpened() | DisputeClosed():
            return fact.dispute.shoe, fact.dispute.round
        case CommissionCollected() | CommissionWaived():
            return fact.shoe, fact.round


class Remark(msgspec.Struct, kw_only=True):
    """What people put on the record about a round, or did with its money, beside its settlement."""

    of_shoe: int
    of_round: int
    """The round that it is about."""
    fact: AfterRound
    person: str | None
    approved_by: str | None


AboutShoe = (
    ShoeOpened
    | CardBurned
    | CutCardOut
    | ShoeExchanged
    | HandEntryChanged
    | ShoeEnded
    | RunOutBegun
    | CardCounted
    | RemainderCounted
)


class RecalledRound(msgspec.Struct, kw_only=True):
    shoe: int
    round: int
    state: State
    began: int
    ended: int | None = None
    free: bool = False
    closed_by: AnyActor | None = None
    dealer: str | None = None
    """The dealer on duty when its wagers closed, if one was."""
    wagers: list[PlacedWager] = []
    """The wagers now, or as they were when the round was settled."""
    attempts: list[Attempt] = []
    returned: list[Returned] = []
    corrected: list[CorrectedWagers] = []
    amended: list[Amendment] = []
    """The last one counts, unless it was undone. That of a round which is not among those recalled is with the round in
    which it was made."""
    alerts: list[RecalledAlert] = []
    acts: list[RecalledAct] = []
    remarks: list[Remark] = []
    about_shoe: list[AboutShoe] = []

    @property
    def counts(self) -> bool:
        """Whether it counts as a round: its wagers were closed."""
        return self.state in ("under_way", "settled", "void")

    @property
    def outcome(self) -> RoundOutcome | None:
        """The outcome that counts: as it was amended last, or as it was confirmed; `None` if it was taken back."""
        results = [result for attempt in self.attempts for result in attempt.results]
        own = [each for each in self.amended if (each.shoe, each.round) == (self.shoe, self.round)]
        made: list[RecalledResult | Amendment] = [*results[-1:], *own]
        return next((each.outcome for each in reversed(made) if each.undone is None), None)

    @property
    def has_content(self) -> bool:
        parts = (self.wagers, self.attempts, self.returned, self.alerts, self.acts, self.remarks, self.about_shoe)
        return any((*parts, self.corrected, self.amended))
