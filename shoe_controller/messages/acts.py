"""Everything that people may do at a table: who may do it, and what it needs.

The acts are values that go into the journal as they are. When each is possible is decided in `table/act_phases.py` and
`table/act_effects.py`.
"""

from enum import StrEnum

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.sides import Side


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
    IDENTIFY_CARD = "identify_card"
    CORRECT_CARD = "correct_card"
    USE_EXTRA_CARD = "use_extra_card"
    BURN_EXTRA_CARD = "burn_extra_card"
    VOID_ROUND = "void_round"
    VOID_AND_REPLAY = "void_and_replay"
    UNDO_LAST_RESULT = "undo_last_result"
    END_SHOE = "end_shoe"
    ACCEPT_ROLLBACK = "accept_rollback"
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
    """Prove that the PIN is known; nothing else happens."""


class IdentifyCard(Act, frozen=True, kw_only=True, tag="identify_card"):
    """Name a card that the shoe could not read or did not disclose."""

    number: int
    """1-based position in the round; 0 is the first card of the shoe."""
    card: Card | None
    """Null only in events, while the card lies face down."""


class CorrectCard(Act, frozen=True, kw_only=True, tag="correct_card"):
    """Correct a card that the shoe read wrongly; everything after it is worked out again."""

    number: int
    """1-based position in the round."""
    card: Card | None
    """Null only in events, while the card lies face down."""


class UseExtraCard(Act, frozen=True, kw_only=True, tag="use_extra_card"):
    """The extra card begins the next round."""


class BurnExtraCard(Act, frozen=True, kw_only=True, tag="burn_extra_card"):
    """Burn the extra card."""


class VoidRound(Act, frozen=True, kw_only=True, tag="void_round"):
    """All wagers are returned; the cards are out of play."""


class VoidAndReplay(Act, frozen=True, kw_only=True, tag="void_and_replay"):
    """The wagers stay; the cards are out of play, and the next card is the first of the same round."""


class UndoLastResult(Act, frozen=True, kw_only=True, tag="undo_last_result"):
    """Take the last settled result back. The round is then complete and not confirmed."""


class EndShoe(Act, frozen=True, kw_only=True, tag="end_shoe"):
    """End the shoe early."""


class AcceptRollback(Act, frozen=True, kw_only=True, tag="accept_rollback"):
    """Play on after the journal was rolled back: what was lost has been looked into."""


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
    | IdentifyCard
    | CorrectCard
    | UseExtraCard
    | BurnExtraCard
    | VoidRound
    | VoidAndReplay
    | UndoLastResult
    | EndShoe
    | AcceptRollback
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
    OpenShoe: _rule(OpenShoe, _D, "announces that new cards are in"),
    NoMoreBets: _rule(NoMoreBets, _D, "closes the wagers"),
    FreeHand: _rule(FreeHand, _D, "deals the next round without wagers"),
    RevealCards: _rule(RevealCards, _D, "shows cards that lie face down"),
    Confirm: _rule(Confirm, _D, "confirms the result, so that it is settled"),
    CallSupervisor: _rule(CallSupervisor, _D, "calls for a supervisor"),
    ClearAlert: _rule(ClearAlert, _D, "ends an alert that may be cleared"),
    SignIn: _rule(SignIn, _D, "proves that the PIN is known", pin=True),
    IdentifyCard: _rule(IdentifyCard, _S, "names a card that was not read", reason=True),
    CorrectCard: _rule(
        CorrectCard, _S, "corrects a card that was read wrongly; everything after it is worked out again", reason=True
    ),
    UseExtraCard: _rule(UseExtraCard, _S, "lets an extra card begin the next round", reason=True),
    BurnExtraCard: _rule(BurnExtraCard, _S, "burns an extra card", reason=True),
    VoidRound: _rule(VoidRound, _S, "voids the round: all wagers are returned", reason=True),
    VoidAndReplay: _rule(
        VoidAndReplay, _S, "voids the cards; the wagers stay and the next card is the first", reason=True
    ),
    UndoLastResult: _rule(UndoLastResult, _S, "takes the last settled result back", two_people=True, reason=True),
    EndShoe: _rule(EndShoe, _S, "ends the shoe early", reason=True),
    AcceptRollback: _rule(
        AcceptRollback, _S, "plays on after the journal was rolled back", two_people=True, reason=True
    ),
    Approve: _rule(Approve, _S, "approves what another supervisor proposed"),
    Withdraw: _rule(Withdraw, _S, "takes a proposal back"),
}


def rule_of(act: Act) -> ActRule:
    return ACTS[type(act)]
