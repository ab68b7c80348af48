"""Every fact that a table can publish as an event. It never holds what may not be shown yet.

Facts are numbered without a gap (`seq`). A fact never changes once published: a correction is a new fact that names the
one it `replaces`. `TOPIC` is the last part of the topic on which it is published.
"""

from typing import ClassVar

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.actors import AnyActor
from shoe_controller.messages.acts import AnyAct, Role
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.causes import AnyAlertEnd, AnyProposalEnd, AnyShoeEnd, ReturnCause
from shoe_controller.messages.details import AnyDetail, ControllerRestarted, EarlierDetail, LinkLost
from shoe_controller.messages.rules import PublishedRules


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact"):
    """The common base; never instantiated itself."""

    TOPIC: ClassVar[str]

    schema: int = 1
    """The version of this message."""
    seq: int
    """Counts up by one with every event of this journal, over all event topics."""
    time: int
    """Milliseconds since 1970, by the controller's clock."""
    shoe: int
    """The shoe it belongs to, counted from 1; 0 before the first."""
    round: int
    """The round of the shoe it belongs to, counted from 1; 0 before the first."""


# --- the shoe --------------------------------------------------------------------------------------------------------


class ShoeOpened(Fact, frozen=True, kw_only=True, tag="shoe_opened"):
    TOPIC: ClassVar[str] = "shoe"

    decks: int
    card_sets: tuple[str, ...]
    opened_by: AnyActor
    rules: PublishedRules | None = None
    """The rules and prices of this shoe; null only in events from a journal of layout version 1."""


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

    cause: AnyShoeEnd
    cards_out: int
    """Cards that left the shoe, read or not."""
    commission_due: dict[str, int]
    """Marked during the shoe and collected now, by seat."""
    replaces: int | None = None
    """The `shoe_ended` before, where a result was taken back after it."""


class ShoeLinkChanged(Fact, frozen=True, kw_only=True, tag="shoe_link"):
    TOPIC: ClassVar[str] = "shoe"

    up: bool
    authenticated: bool
    shoe_name: str
    """Model and serial number, where the shoe reports them."""
    cause: LinkLost | ControllerRestarted | EarlierDetail | None
    """Why the connection is gone; null when it is up."""


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
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


class BettingClosed(Fact, frozen=True, kw_only=True, tag="betting_closed"):
    TOPIC: ClassVar[str] = "round"

    closed_by: AnyActor
    stakes: int
    """The sum of all stakes, in minor units."""


class RoundVoided(Fact, frozen=True, kw_only=True, tag="round_voided"):
    """The cards are out of play. The wagers are returned, unless the round is dealt again with them."""

    TOPIC: ClassVar[str] = "round"

    replay: bool
    """The same round is dealt again with the same wagers."""
    reason: str
    """What the supervisor gave as the reason."""
    returned: tuple[PlacedWager, ...]
    total: int


class WagersReturned(Fact, frozen=True, kw_only=True, tag="wagers_returned"):
    TOPIC: ClassVar[str] = "round"

    cause: ReturnCause
    returned: tuple[PlacedWager, ...]
    total: int


# --- its cards -------------------------------------------------------------------------------------------------------


class CardPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A card as it may be shown; `None` while it lies face down or is not known."""

    number: int
    """1-based position in the round."""
    hand: Side
    card: Card | None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How the round stands; totals and what comes next are `None` while cards they depend on are not shown."""

    player_total: int | None
    banker_total: int | None
    next_hand: Side | None
    complete: bool | None
    """Whether no more cards may come."""
    why: AnyReason | None
    """Why the next card is due, or none; null when a card lies where the rules do not allow one."""


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
    why: AnyDetail


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
    why: AnyReason
    """Why no more cards were dealt."""
    confirmed_by: AnyActor
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

    alert: AlertMessage


class AlertEnded(Fact, frozen=True, kw_only=True, tag="alert_ended"):
    TOPIC: ClassVar[str] = "alert"

    alert: AlertMessage
    cause: AnyAlertEnd
    replaces: int
    """The `seq` of the event that raised it."""


class PersonActed(Fact, frozen=True, kw_only=True, tag="person_acted"):
    TOPIC: ClassVar[str] = "operator"

    act: AnyAct
    person: str
    role: Role
    reason: str
    approved_by: str | None = None
    """The second supervisor, where the act takes two."""
    user: str = ""
    """The broker's user who sent the request, of an act of two people the second; empty in layout version 1."""


class ActProposed(Fact, frozen=True, kw_only=True, tag="act_proposed"):
    TOPIC: ClassVar[str] = "operator"

    proposal: int
    act: AnyAct
    person: str
    reason: str
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


class ProposalEnded(Fact, frozen=True, kw_only=True, tag="proposal_ended"):
    TOPIC: ClassVar[str] = "operator"

    proposal: int
    cause: AnyProposalEnd


class WrongPin(Fact, frozen=True, kw_only=True, tag="wrong_pin"):
    TOPIC: ClassVar[str] = "operator"

    person: str
    failures: int
    locked_out: bool
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


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
