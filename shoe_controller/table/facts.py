"""All that a table can say. Each fact is published as it is: it never holds what may not be shown yet.

Facts are numbered without a gap (`seq`). Nothing that was said is changed: a correction is a new fact that names the
one it `replaces`. `TOPIC` is the last part of the topic on which it goes out.
"""

from typing import ClassVar

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.drawing import Side
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.table.acts import AnyAct


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact"):
    """The common ancestor; never made itself."""

    TOPIC: ClassVar[str]

    schema: int = 1
    """The version of what a fact of this name holds."""
    seq: int
    time: int
    """Milliseconds since 1970."""
    shoe: int
    round: int


# --- the shoe --------------------------------------------------------------------------------------------------------


class ShoeOpened(Fact, frozen=True, kw_only=True, tag="shoe_opened"):
    TOPIC: ClassVar[str] = "shoe"

    decks: int
    card_sets: tuple[str, ...]
    opened_by: str


class CardBurned(Fact, frozen=True, kw_only=True, tag="card_burned"):
    """The first card of a shoe is shown; those burned after it never are."""

    TOPIC: ClassVar[str] = "shoe"

    card: Card | None
    burned: int
    """Cards burned so far, the first card left aside."""
    to_burn: int | None


class CutCardOut(Fact, frozen=True, kw_only=True, tag="cut_card_out"):
    TOPIC: ClassVar[str] = "shoe"

    last_round: int


class ShoeEnded(Fact, frozen=True, kw_only=True, tag="shoe_ended"):
    TOPIC: ClassVar[str] = "shoe"

    why: str
    cards_out: int
    commission_due: dict[str, int]
    """Marked during the shoe and collected now, by seat."""
    replaces: int | None = None
    """The end that was told before, where a result was taken back after it."""


class ShoeLinkChanged(Fact, frozen=True, kw_only=True, tag="shoe_link"):
    TOPIC: ClassVar[str] = "shoe"

    up: bool
    authenticated: bool
    shoe_name: str
    why: str


# --- the round -------------------------------------------------------------------------------------------------------


class BettingOpened(Fact, frozen=True, kw_only=True, tag="betting_opened"):
    TOPIC: ClassVar[str] = "round"


class FreeHandAnnounced(Fact, frozen=True, kw_only=True, tag="free_hand"):
    TOPIC: ClassVar[str] = "round"


class WagersChanged(Fact, frozen=True, kw_only=True, tag="wagers_changed"):
    """All wagers of one seat, as they stand now."""

    TOPIC: ClassVar[str] = "round"

    seat: str
    wagers: tuple[PlacedWager, ...]
    total: int


class BettingClosed(Fact, frozen=True, kw_only=True, tag="betting_closed"):
    TOPIC: ClassVar[str] = "round"

    closed_by: str
    stakes: int


class RoundVoided(Fact, frozen=True, kw_only=True, tag="round_voided"):
    """The cards are out of play. The wagers are returned, unless the round is dealt again with them."""

    TOPIC: ClassVar[str] = "round"

    replay: bool
    why: str
    returned: tuple[PlacedWager, ...]
    total: int


class WagersReturned(Fact, frozen=True, kw_only=True, tag="wagers_returned"):
    TOPIC: ClassVar[str] = "round"

    why: str
    returned: tuple[PlacedWager, ...]
    total: int


# --- its cards -------------------------------------------------------------------------------------------------------


class CardPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A card as it may be shown; `None` while it lies face down or is not known."""

    number: int
    """The how manieth card of the round, from 1."""
    hand: Side
    card: Card | None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How the round stands; totals and what comes next are `None` while cards they depend on are not shown."""

    player_total: int | None
    banker_total: int | None
    next_hand: Side | None
    complete: bool | None
    why: str


class CardDealt(Fact, frozen=True, kw_only=True, tag="card_dealt"):
    TOPIC: ClassVar[str] = "card"

    place: CardPlace
    standing: Standing


class CardsShown(Fact, frozen=True, kw_only=True, tag="cards_shown"):
    """Cards that lay face down, or were not known, are shown now."""

    TOPIC: ClassVar[str] = "card"

    places: tuple[CardPlace, ...]
    standing: Standing


class CardCorrected(Fact, frozen=True, kw_only=True, tag="card_corrected"):
    TOPIC: ClassVar[str] = "card"

    place: CardPlace
    standing: Standing
    replaces: int


class CardSetAside(Fact, frozen=True, kw_only=True, tag="card_set_aside"):
    """A card left the shoe and lies in no hand."""

    TOPIC: ClassVar[str] = "card"

    card: Card | None
    why: str


class ExtraCardDecided(Fact, frozen=True, kw_only=True, tag="extra_card_decided"):
    TOPIC: ClassVar[str] = "card"

    burned: int
    used: bool
    """The first of them begins the next round."""


# --- its end ---------------------------------------------------------------------------------------------------------


class RoundResult(Fact, frozen=True, kw_only=True, tag="round_result"):
    TOPIC: ClassVar[str] = "outcome"

    outcome: RoundOutcome
    """What `shoe-controller hand --json` prints for these cards."""
    why: str
    confirmed_by: str
    free: bool
    replaces: int | None = None


class ResultUndone(Fact, frozen=True, kw_only=True, tag="result_undone"):
    TOPIC: ClassVar[str] = "outcome"

    replaces: int


class RoundSettled(Fact, frozen=True, kw_only=True, tag="round_settled"):
    TOPIC: ClassVar[str] = "settlement"

    settlement: Settlement
    replaces: int | None = None


class SettlementUndone(Fact, frozen=True, kw_only=True, tag="settlement_undone"):
    TOPIC: ClassVar[str] = "settlement"

    replaces: int


# --- alerts and people -----------------------------------------------------------------------------------------------


class AlertRaised(Fact, frozen=True, kw_only=True, tag="alert_raised"):
    TOPIC: ClassVar[str] = "alert"

    alert: int
    kind: str
    severity: str
    happened: str
    detail: str
    to_do: str
    ends: str
    """Who or what ends it."""


class AlertEnded(Fact, frozen=True, kw_only=True, tag="alert_ended"):
    TOPIC: ClassVar[str] = "alert"

    alert: int
    kind: str
    ended_by: str
    replaces: int


class PersonActed(Fact, frozen=True, kw_only=True, tag="person_acted"):
    TOPIC: ClassVar[str] = "operator"

    act: AnyAct
    person: str
    role: str
    reason: str
    approved_by: str | None = None


class ActProposed(Fact, frozen=True, kw_only=True, tag="act_proposed"):
    TOPIC: ClassVar[str] = "operator"

    proposal: int
    act: AnyAct
    person: str
    reason: str


class ProposalEnded(Fact, frozen=True, kw_only=True, tag="proposal_ended"):
    TOPIC: ClassVar[str] = "operator"

    proposal: int
    why: str


class WrongPin(Fact, frozen=True, kw_only=True, tag="wrong_pin"):
    TOPIC: ClassVar[str] = "operator"

    person: str
    failures: int
    locked_out: bool


AnyFact = (
    ShoeOpened
    | CardBurned
    | CutCardOut
    | ShoeEnded
    | ShoeLinkChanged
    | BettingOpened
    | FreeHandAnnounced
    | WagersChanged
    | BettingClosed
    | RoundVoided
    | WagersReturned
    | CardDealt
    | CardsShown
    | CardCorrected
    | CardSetAside
    | ExtraCardDecided
    | RoundResult
    | ResultUndone
    | RoundSettled
    | SettlementUndone
    | AlertRaised
    | AlertEnded
    | PersonActed
    | ActProposed
    | ProposalEnded
    | WrongPin
)
