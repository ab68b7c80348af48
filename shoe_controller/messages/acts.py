"""Everything that people may do at a table: who may do it, and what it needs.

The acts are values that go into the journal as they are. When each is possible, and what it does, is in `table/acts/`.
"""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from firmware_protocol.cards import Card
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.limits import LARGEST_SEQ, LARGEST_STAKE, LONGEST_SEAT, MOST_CARDS_LEFT

Counted = Annotated[int, Meta(ge=1, le=LARGEST_SEQ)]
"""The number of a shoe or of a round."""

BLINK_SECONDS = 5
"""How long a shoe blinks when a person looks for it."""

MOST_ASSIGNED = 20
"""Cards of one round that can be assigned: those in the hands, and any that were drawn too many."""

Seat = Annotated[str, Meta(min_length=1, max_length=LONGEST_SEAT)]


class Role(StrEnum):
    """Who may act at a table."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"


class ActName(StrEnum):
    """The name of an act, as topics and messages write it. New acts may be added."""

    OPEN_SHOE = "open_shoe"
    NO_MORE_BETS = "no_more_bets"
    FREE_HAND = "free_hand"
    REVEAL_CARDS = "reveal_cards"
    CONFIRM = "confirm"
    CALL_SUPERVISOR = "call_supervisor"
    CLEAR_ALERT = "clear_alert"
    SIGN_IN = "sign_in"
    SIGN_OUT = "sign_out"
    IDENTIFY_CARD = "identify_card"
    CORRECT_CARD = "correct_card"
    ASSIGN_CARDS = "assign_cards"
    DISCARD_CARD = "discard_card"
    ENTER_CARD = "enter_card"
    DEAL_CARD = "deal_card"
    BEGIN_HAND_ENTRY = "begin_hand_entry"
    END_HAND_ENTRY = "end_hand_entry"
    USE_EXTRA_CARD = "use_extra_card"
    BURN_EXTRA_CARD = "burn_extra_card"
    VOID_ROUND = "void_round"
    VOID_AND_REPLAY = "void_and_replay"
    UNDO_LAST_RESULT = "undo_last_result"
    SET_WAGER = "set_wager"
    MOVE_WAGER = "move_wager"
    AMEND_ROUND = "amend_round"
    END_SHOE = "end_shoe"
    COUNT_REMAINDER = "count_remainder"
    BEGIN_RUN_OUT = "begin_run_out"
    END_RUN_OUT = "end_run_out"
    EXCHANGE_SHOE = "exchange_shoe"
    BLINK_SHOE = "blink_shoe"
    ACCEPT_ROLLBACK = "accept_rollback"
    NOTE = "note"
    OPEN_DISPUTE = "open_dispute"
    CLOSE_DISPUTE = "close_dispute"
    ADJUST = "adjust"
    COLLECT_COMMISSION = "collect_commission"
    WAIVE_COMMISSION = "waive_commission"
    APPROVE = "approve"
    WITHDRAW = "withdraw"


class Act(msgspec.Struct, frozen=True, kw_only=True, tag_field="act"):
    """The common base; never instantiated itself."""


class OpenShoe(Act, frozen=True, kw_only=True, tag="open_shoe"):
    """New cards are in. The shoe takes the rules of the house as they are now."""


class NoMoreBets(Act, frozen=True, kw_only=True, tag="no_more_bets"):
    """Close the wagers."""


class FreeHand(Act, frozen=True, kw_only=True, tag="free_hand"):
    """The next round is dealt without wagers."""


class RevealCards(Act, frozen=True, kw_only=True, tag="reveal_cards"):
    """Show the cards that lie face down; of one hand, or of both."""

    hand: Side | None = None
    """The hand to show; null shows both."""


class Confirm(Act, frozen=True, kw_only=True, tag="confirm"):
    """Confirm the result, so that the round is settled."""


class CallSupervisor(Act, frozen=True, kw_only=True, tag="call_supervisor"):
    """Call for a supervisor."""


class ClearAlert(Act, frozen=True, kw_only=True, tag="clear_alert"):
    """End an alert that may be cleared."""

    alert: int
    """The alert's number."""


class SignIn(Act, frozen=True, kw_only=True, tag="sign_in"):
    """The dealer goes on duty, and any other goes off; of a supervisor, it only proves that the PIN is known."""


class SignOut(Act, frozen=True, kw_only=True, tag="sign_out"):
    """The dealer goes off duty; a supervisor may send the dealer off."""


class IdentifyCard(Act, frozen=True, kw_only=True, tag="identify_card"):
    """Name a card that the shoe could not read or did not disclose."""

    number: int
    """1-based position in the round; 0 is the first card of the shoe."""
    card: Card | None
    """Null only in events, while the card lies face down."""


class CorrectCard(Act, frozen=True, kw_only=True, tag="correct_card"):
    """Correct a card that the shoe read wrongly; everything after it is worked out again."""

    number: int
    """1-based position in the round; 0 is the first card of the shoe, while cards are burned."""
    card: Card | None
    """Null only in events, while the card lies face down."""


class AssignedCard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a card of the round belongs."""

    hand: Side | None
    """The hand; null for a card after the last one of the round, which is extra."""
    card: Card | None = None
    """The card as it is in truth, where it was read wrongly or not read; null leaves it as it is."""


class AssignCards(Act, frozen=True, kw_only=True, tag="assign_cards"):
    """Put the cards of the round into the hands to which the rules give them, in the order of the draw."""

    cards: Annotated[tuple[AssignedCard, ...], Meta(min_length=1, max_length=MOST_ASSIGNED)]
    """Every card of the round in the order of the draw, those in no hand included (`state.aside`)."""


class DiscardCard(Act, frozen=True, kw_only=True, tag="discard_card"):
    """Take a card that may not be used out of the round; the next one takes its place."""

    number: int
    """1-based position in the round."""
    cause: DiscardCause
    """What is wrong with it."""
    card: Card | None
    """The card as it is displayed at this position, null while it is not shown: another one may lie there by now."""


class EnterCard(Act, frozen=True, kw_only=True, tag="enter_card"):
    """Enter a card that left the shoe unseen, in its place in the order of the draw; later cards move on by one."""

    number: int
    """1-based position in the round; 0 is the first card of the shoe, or while burning, a burned card."""
    hand: Side | None = None
    """The hand in which it lies; null leaves it to the rules."""
    card: Card | None = None
    """Null for a burned card that nobody turned, and in events while the card lies face down."""


class DealCard(Act, frozen=True, kw_only=True, tag="deal_card"):
    """Enter a card as it is dealt, while the table is dealt by hand."""

    card: Card | None = None
    """Null for a card that is burned face down and for the cut card; in events also while the card lies face down."""
    cut_card: bool = False
    """It is the cut card that came."""


class BeginHandEntry(Act, frozen=True, kw_only=True, tag="begin_hand_entry"):
    """Deal by hand: the dealer enters each card, and the shoe is not needed."""


class EndHandEntry(Act, frozen=True, kw_only=True, tag="end_hand_entry"):
    """Go back to the shoe's reader, between two rounds."""


class UseExtraCard(Act, frozen=True, kw_only=True, tag="use_extra_card"):
    """The extra card begins the next round; one that everyone has seen begins a free hand, or can only be burned."""

    face_up: bool = False
    """The card lay face up, at a table where cards are not shown at the draw."""


class BurnExtraCard(Act, frozen=True, kw_only=True, tag="burn_extra_card"):
    """Burn the extra card, also one that was to begin the next round."""


class VoidRound(Act, frozen=True, kw_only=True, tag="void_round"):
    """All wagers are returned; the cards are out of play."""


class VoidAndReplay(Act, frozen=True, kw_only=True, tag="void_and_replay"):
    """The wagers stay, and may be changed until the next card, which is the first of the same round."""


class UndoLastResult(Act, frozen=True, kw_only=True, tag="undo_last_result"):
    """Take the last settled result back. The round is then complete and not confirmed."""


class SetWager(Act, frozen=True, kw_only=True, tag="set_wager"):
    """Put a single wager of the round right after the close."""

    seat: str
    """The seat."""
    wager: str
    """The wager's id."""
    stake: int
    """What the stake should be, in minor units; 0 removes the wager."""


class MoveWager(Act, frozen=True, kw_only=True, tag="move_wager"):
    """A wager of the round was placed for the wrong seat: it moves to the right one, with its stake."""

    seat: str
    """The seat that has it."""
    wager: str
    """The wager's id."""
    to_seat: str
    """The seat that it belongs to."""


class AmendedCard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A card as it was in truth."""

    number: int
    """1-based position in the round."""
    card: Card
    """The card."""


class AmendRound(Act, frozen=True, kw_only=True, tag="amend_round"):
    """Settle a round again that is over, of this shoe or an earlier one: cards or wagers were recorded wrongly.

    What is not named stays as it is.
    """

    shoe: int
    """The round's shoe."""
    round: int
    """The round's number in that shoe."""
    cards: tuple[AmendedCard, ...] = ()
    """Cards that were others in truth."""
    wagers: tuple[PlacedWager, ...] = ()
    """Wagers as they should have been; a stake of 0 removes one."""


class EndShoe(Act, frozen=True, kw_only=True, tag="end_shoe"):
    """End the shoe early."""


class CountRemainder(Act, frozen=True, kw_only=True, tag="count_remainder"):
    """The shoe is over, and the cards that are left in it were counted by hand."""

    cards: Annotated[int, Meta(ge=0, le=MOST_CARDS_LEFT)]
    """How many cards are left."""


class BeginRunOut(Act, frozen=True, kw_only=True, tag="begin_run_out"):
    """The shoe is over: the cards that are left are drawn through its reader, which counts them."""


class EndRunOut(Act, frozen=True, kw_only=True, tag="end_run_out"):
    """The last card that was left has been drawn through the reader."""


class ExchangeShoe(Act, frozen=True, kw_only=True, tag="exchange_shoe"):
    """Another shoe takes the place of this one; the cards, and all that was dealt, stay. The table's file names it."""


class BlinkShoe(Act, frozen=True, kw_only=True, tag="blink_shoe"):
    """Make the shoe blink or beep for five seconds, so that a person sees which one it is."""


class AcceptRollback(Act, frozen=True, kw_only=True, tag="accept_rollback"):
    """Play on after the journal was rolled back: what was lost has been looked into."""


class OfRound(Act, frozen=True, kw_only=True):
    """An act about a round, this one or an earlier one; never instantiated itself."""

    shoe: Counted | None = None
    """The shoe of the round that it is about; null is the shoe on the table."""
    round: Counted | None = None
    """The round that it is about; null, with a null `shoe`, is where the table is."""


class Note(OfRound, frozen=True, kw_only=True, tag="note"):
    """Put a note on a round on the record. The request's reason is its text."""


class OpenDispute(OfRound, frozen=True, kw_only=True, tag="open_dispute"):
    """A player disputes a round. The request's reason says what is disputed."""

    seat: Seat | None = None
    """The seat whose player disputes it; null where it is none, or more than one."""


class CloseDispute(Act, frozen=True, kw_only=True, tag="close_dispute"):
    """A dispute is decided. The request's reason is the decision."""

    dispute: int
    """The dispute's number, as in `state.disputes`."""


class Adjust(OfRound, frozen=True, kw_only=True, tag="adjust"):
    """Put a payment right that was made wrongly by hand; the settlement stays as it is."""

    seat: Seat
    """The seat."""
    amount: Annotated[int, Meta(ge=-LARGEST_STAKE, le=LARGEST_STAKE)]
    """In minor units: above 0 it is paid to the seat, below 0 it is collected from it."""


class CollectCommission(Act, frozen=True, kw_only=True, tag="collect_commission"):
    """The marked commission of a seat has been paid."""

    seat: Seat
    """The seat, as in `state.commission`."""
    shoe: Counted | None = None
    """Only what was marked in this shoe; null is all that the seat owes."""


class WaiveCommission(Act, frozen=True, kw_only=True, tag="waive_commission"):
    """The marked commission of a seat is not collected, for good."""

    seat: Seat
    """The seat, as in `state.commission`."""
    shoe: Counted | None = None
    """Only what was marked in this shoe; null is all that the seat owes."""


class Approve(Act, frozen=True, kw_only=True, tag="approve"):
    """Approve what another supervisor proposed."""

    proposal: int
    """The proposal's number, as in `state.proposal`."""


class Withdraw(Act, frozen=True, kw_only=True, tag="withdraw"):
    """Take a proposal back."""

    proposal: int
    """The proposal's number, as in `state.proposal`."""


AnyAct = (
    OpenShoe
    | NoMoreBets
    | FreeHand
    | RevealCards
    | Confirm
    | CallSupervisor
    | ClearAlert
    | SignIn
    | SignOut
    | IdentifyCard
    | CorrectCard
    | AssignCards
    | DiscardCard
    | EnterCard
    | DealCard
    | BeginHandEntry
    | EndHandEntry
    | UseExtraCard
    | BurnExtraCard
    | VoidRound
    | VoidAndReplay
    | UndoLastResult
    | SetWager
    | MoveWager
    | AmendRound
    | EndShoe
    | CountRemainder
    | BeginRunOut
    | EndRunOut
    | ExchangeShoe
    | BlinkShoe
    | AcceptRollback
    | Note
    | OpenDispute
    | CloseDispute
    | Adjust
    | CollectCommission
    | WaiveCommission
    | Approve
    | Withdraw
)


class ActRule(msgspec.Struct, frozen=True, kw_only=True):
    name: ActName
    what: str
    role: Role
    """Who may do it; a supervisor may do what a dealer may. A supervisor's own acts need a PIN."""
    two_people: bool = False
    """It is proposed by one supervisor and approved by another."""
    reason: bool = False
    """A reason is required."""
    pin: bool = False
    """A PIN is required, also of a dealer."""


def _rule(  # noqa: PLR0913 - one row of the table below
    act: type[Act], role: Role, what: str, *, two_people: bool = False, reason: bool = False, pin: bool = False
) -> ActRule:
    name = ActName(str(act.__struct_config__.tag))
    return ActRule(name=name, what=what, role=role, two_people=two_people, reason=reason, pin=pin)


_D, _S = Role.DEALER, Role.SUPERVISOR

ACTS: dict[type[Act], ActRule] = {
    OpenShoe: _rule(
        OpenShoe,
        _D,
        "announces that new cards are in; before the cut card, or with an alert, a supervisor does",
    ),
    NoMoreBets: _rule(NoMoreBets, _D, "closes the wagers"),
    FreeHand: _rule(FreeHand, _D, "deals the next round without wagers"),
    RevealCards: _rule(RevealCards, _D, "shows cards that lie face down"),
    Confirm: _rule(Confirm, _D, "confirms the result, so that it is settled"),
    CallSupervisor: _rule(CallSupervisor, _D, "calls for a supervisor"),
    ClearAlert: _rule(ClearAlert, _D, "ends an alert that may be cleared"),
    SignIn: _rule(SignIn, _D, "goes on duty as the dealer; by a supervisor, proves that the PIN is known", pin=True),
    SignOut: _rule(SignOut, _D, "ends the dealer's duty"),
    IdentifyCard: _rule(IdentifyCard, _S, "names a card that was not read", reason=True),
    CorrectCard: _rule(
        CorrectCard, _S, "corrects a card that was read wrongly; everything after it is worked out again", reason=True
    ),
    AssignCards: _rule(
        AssignCards, _S, "puts the cards of the round into the hands that the rules give them", reason=True
    ),
    DiscardCard: _rule(
        DiscardCard, _S, "takes a card that may not be used out of the round; the next takes its place", reason=True
    ),
    EnterCard: _rule(EnterCard, _S, "enters a card that left the shoe unseen, in its place in the order", reason=True),
    DealCard: _rule(DealCard, _D, "enters a card as it is dealt by hand"),
    BeginHandEntry: _rule(BeginHandEntry, _S, "deals by hand: the dealer enters each card", reason=True),
    EndHandEntry: _rule(EndHandEntry, _S, "goes back to the shoe's reader", reason=True),
    UseExtraCard: _rule(UseExtraCard, _S, "lets an extra card begin the next round", reason=True),
    BurnExtraCard: _rule(BurnExtraCard, _S, "burns an extra card", reason=True),
    VoidRound: _rule(VoidRound, _S, "voids the round: all wagers are returned", reason=True),
    VoidAndReplay: _rule(
        VoidAndReplay, _S, "voids the cards; the wagers stay and the next card is the first", reason=True
    ),
    UndoLastResult: _rule(UndoLastResult, _S, "takes the last settled result back", two_people=True, reason=True),
    SetWager: _rule(SetWager, _S, "puts a wager right after the close: another stake, or none", reason=True),
    MoveWager: _rule(MoveWager, _S, "moves a wager to another seat after the close", reason=True),
    AmendRound: _rule(
        AmendRound, _S, "settles an earlier round again, with other cards or wagers", two_people=True, reason=True
    ),
    EndShoe: _rule(EndShoe, _S, "ends the shoe early", reason=True),
    CountRemainder: _rule(CountRemainder, _S, "enters how many cards are left in the shoe that ended", reason=True),
    BeginRunOut: _rule(BeginRunOut, _S, "begins to draw the cards that are left through the reader", reason=True),
    EndRunOut: _rule(EndRunOut, _S, "ends that, and puts the inventory of the shoe on the record", reason=True),
    ExchangeShoe: _rule(
        ExchangeShoe, _S, "takes up another shoe in the middle: port, wire and key of the table's file", reason=True
    ),
    BlinkShoe: _rule(BlinkShoe, _D, "makes the shoe blink or beep, so that it is found; where its wire can"),
    AcceptRollback: _rule(
        AcceptRollback, _S, "plays on after the journal was rolled back", two_people=True, reason=True
    ),
    Note: _rule(Note, _D, "puts a note on a round on the record; a dealer's is on the round on the table", reason=True),
    OpenDispute: _rule(OpenDispute, _S, "records that a round is disputed", reason=True),
    CloseDispute: _rule(CloseDispute, _S, "records how a dispute was decided", reason=True),
    Adjust: _rule(Adjust, _S, "puts a payment right that was made wrongly by hand", two_people=True, reason=True),
    CollectCommission: _rule(CollectCommission, _D, "records that a seat has paid its marked commission"),
    WaiveCommission: _rule(WaiveCommission, _S, "waives a seat's marked commission", two_people=True, reason=True),
    Approve: _rule(Approve, _S, "approves what another supervisor proposed"),
    Withdraw: _rule(Withdraw, _S, "takes a proposal back"),
}


def rule_of(act: Act) -> ActRule:
    return ACTS[type(act)]
