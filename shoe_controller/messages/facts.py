"""Every fact that a table can publish as an event. It never holds what may not be shown yet.

Facts are numbered without a gap (`seq`). A fact never changes once published: a correction is a new fact that names the
one it `replaces`. `TOPIC` is the last part of the topic on which it is published.
"""

from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

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
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.details import AnyDetail, ControllerRestarted, EarlierDetail, LinkDropped
from shoe_controller.messages.rules import PublishedRules

MOST_CARDS = 6
"""In the two hands of a round."""


class EventTopic(StrEnum):
    """The last part of the topics on which events are published."""

    SHOE = "shoe"
    ROUND = "round"
    CARD = "card"
    OUTCOME = "outcome"
    SETTLEMENT = "settlement"
    ALERT = "alert"
    OPERATOR = "operator"
    CHECKPOINT = "checkpoint"


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact"):
    """The common base; never instantiated itself."""

    TOPIC: ClassVar[EventTopic]

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
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    decks: int
    """How many decks are in the shoe."""
    card_sets: tuple[str, ...]
    """The sets of cards that belong to the table; empty where the house names none."""
    opened_by: AnyActor
    """Who or what opened it."""
    rules: PublishedRules | None = None
    """The rules and prices of this shoe; null only in events from a journal of layout version 1."""


class CardBurned(Fact, frozen=True, kw_only=True, tag="card_burned"):
    """The first card of a shoe is shown; those burned after it never are."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    card: Card | None
    """The first card of the shoe; null for the cards burned after it, and while it is not known."""
    burned: int
    """Cards burned so far, the first card left aside."""
    to_burn: int | None
    """How many cards are to be burned, by the first card; null before it is known, and between rounds."""


class CutCardOut(Fact, frozen=True, kw_only=True, tag="cut_card_out"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    last_round: int
    """The number of the last round of this shoe."""


class ShoeEnded(Fact, frozen=True, kw_only=True, tag="shoe_ended"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    cause: AnyShoeEnd
    """Why the shoe ended."""
    cards_out: int
    """Cards that left the shoe, read or not."""
    commission_due: dict[str, int]
    """Marked during the shoe and collected now, by seat."""
    replaces: int | None = None
    """The `shoe_ended` before, where a result was taken back after it."""


class ShoeLinkChanged(Fact, frozen=True, kw_only=True, tag="shoe_link"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SHOE

    up: bool
    """Whether the shoe is connected."""
    authenticated: bool
    """Whether the shoe has proven itself with its key."""
    shoe_name: str
    """Model and serial number, where the shoe reports them."""
    cause: LinkDropped | ControllerRestarted | EarlierDetail | None
    """Why the connection is gone; null when it is up."""


# --- the round -------------------------------------------------------------------------------------------------------


class BettingOpened(Fact, frozen=True, kw_only=True, tag="betting_opened"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND


class FreeHandAnnounced(Fact, frozen=True, kw_only=True, tag="free_hand"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND


class WagersChanged(Fact, frozen=True, kw_only=True, tag="wagers_changed"):
    """All wagers of one seat, as they stand now."""

    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    seat: str
    """The seat."""
    wagers: tuple[PlacedWager, ...]
    """All wagers of the seat."""
    total: int
    """The sum of their stakes, in minor units."""
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


class BettingClosed(Fact, frozen=True, kw_only=True, tag="betting_closed"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    closed_by: AnyActor
    """Who or what closed the wagers."""
    stakes: int
    """The sum of all stakes, in minor units."""


class RoundVoided(Fact, frozen=True, kw_only=True, tag="round_voided"):
    """The cards are out of play. The wagers are returned, unless the round is dealt again with them."""

    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    replay: bool
    """The same round is dealt again with the same wagers."""
    reason: str
    """What the supervisor gave as the reason."""
    returned: tuple[PlacedWager, ...]
    """The wagers that are returned; none if the round is dealt again."""
    total: int
    """The sum of their stakes, in minor units."""


class WagersReturned(Fact, frozen=True, kw_only=True, tag="wagers_returned"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ROUND

    cause: ReturnCause
    """Why they were returned."""
    returned: tuple[PlacedWager, ...]
    """The wagers that were returned."""
    total: int
    """The sum of their stakes, in minor units."""


# --- its cards -------------------------------------------------------------------------------------------------------


class CardPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A card as it may be shown; `None` while it lies face down or is not known."""

    number: int
    """1-based position in the round."""
    hand: Side
    """The hand that the card lies in."""
    card: Card | None
    """The card; null while it lies face down or is not known."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How the round stands; totals and what comes next are `None` while cards they depend on are not shown."""

    player_total: int | None
    """Points of Player's hand."""
    banker_total: int | None
    """Points of Banker's hand."""
    next_hand: Side | None
    """The hand that the next card goes to; null if none is due or a hidden card decides it."""
    complete: bool | None
    """Whether no more cards may come."""
    why: AnyReason | None
    """Why the next card is due, or none; null when a card lies where the rules do not allow one."""


class CardDealt(Fact, frozen=True, kw_only=True, tag="card_dealt"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    place: CardPlace
    """The card and where it lies."""
    standing: Standing
    """How the round stands with it."""


class CardsShown(Fact, frozen=True, kw_only=True, tag="cards_shown"):
    """Cards that lay face down, or were not known, are shown now."""

    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    places: Annotated[tuple[CardPlace, ...], Meta(min_length=1, max_length=MOST_CARDS)]
    """The cards and where they lie."""
    standing: Standing
    """How the round stands with them."""


class CardCorrected(Fact, frozen=True, kw_only=True, tag="card_corrected"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    place: CardPlace
    """The card as it is now, and where it lies."""
    standing: Standing
    """How the round stands with it."""
    replaces: int
    """The `seq` of the last event about this card."""


class CardSetAside(Fact, frozen=True, kw_only=True, tag="card_set_aside"):
    """A card left the shoe and lies in no hand."""

    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    card: Card | None
    """The card; null if cards lie face down at this table, or it is not known."""
    why: AnyDetail
    """Why it has no place."""


class ExtraCardDecided(Fact, frozen=True, kw_only=True, tag="extra_card_decided"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CARD

    burned: int
    """How many of them were burned."""
    used: bool
    """The first of them begins the next round."""


# --- its end ---------------------------------------------------------------------------------------------------------


class RoundResult(Fact, frozen=True, kw_only=True, tag="round_result"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OUTCOME

    outcome: RoundOutcome
    """What `shoe-controller hand --json` prints for these cards."""
    why: AnyReason
    """Why no more cards were dealt."""
    confirmed_by: AnyActor
    """Who or what confirmed it."""
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


class SettlementUndone(Fact, frozen=True, kw_only=True, tag="settlement_undone"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SETTLEMENT

    replaces: int
    """The `seq` of the settlement that is taken back."""


# --- alerts and people -----------------------------------------------------------------------------------------------


class AlertRaised(Fact, frozen=True, kw_only=True, tag="alert_raised"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ALERT

    alert: AlertMessage
    """The alert."""


class AlertEnded(Fact, frozen=True, kw_only=True, tag="alert_ended"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ALERT

    alert: AlertMessage
    """The alert, as it was raised."""
    cause: AnyAlertEnd
    """Why it ended."""
    replaces: int
    """The `seq` of the event that raised it."""


class PersonActed(Fact, frozen=True, kw_only=True, tag="person_acted"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    act: AnyAct
    """What was done."""
    person: str
    """The id of the person who did it; of an act of two people, the first. The role where no person was named."""
    role: Role
    """The role in which it was done."""
    reason: str
    """What the person gave as the reason; may be empty."""
    approved_by: str | None = None
    """The second supervisor, where the act takes two."""
    user: str = ""
    """The broker's user who sent the request, of an act of two people the second; empty in layout version 1."""


class ActProposed(Fact, frozen=True, kw_only=True, tag="act_proposed"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    proposal: int
    """The proposal's number."""
    act: AnyAct
    """What is proposed."""
    person: str
    """The id of the person who proposed it."""
    reason: str
    """What the person gave as the reason."""
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


class ProposalEnded(Fact, frozen=True, kw_only=True, tag="proposal_ended"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    proposal: int
    """The proposal's number."""
    cause: AnyProposalEnd
    """Why it ended."""


class WrongPin(Fact, frozen=True, kw_only=True, tag="wrong_pin"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    person: str
    """The id of the person whose PIN was asked for; `unknown-…` where no person has the id that was given."""
    failures: int
    """Wrong PINs in a row for this person at this terminal."""
    locked_out: bool
    """Whether the person is locked out at this terminal now."""
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


# --- the journal -----------------------------------------------------------------------------------------------------


class CheckpointSigned(Fact, frozen=True, kw_only=True, tag="checkpoint_signed"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CHECKPOINT

    checkpoint: Checkpoint
    """The checkpoint, as it is in the journal."""


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
    | CheckpointSigned
)
