"""The one table of everything that people may do at a table: who, in which phases, and whether it takes two.

The acts are values that go into the journal as they are. `people.py` checks them against this table,
`act_effects.py` does them. The operator's manual is generated from here.
"""

from enum import Enum

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.drawing import Side
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND, Phase


class Role(Enum):
    DEALER = "dealer"
    SUPERVISOR = "supervisor"


class Act(msgspec.Struct, frozen=True, kw_only=True, tag_field="act"):
    """The common ancestor; never made itself."""


class OpenShoe(Act, frozen=True, kw_only=True, tag="open_shoe"):
    """New cards are in. It reaches the table inside a `NewShoe`, with the rules of the house."""


class NoMoreBets(Act, frozen=True, kw_only=True, tag="no_more_bets"):
    pass


class FreeHand(Act, frozen=True, kw_only=True, tag="free_hand"):
    """The next round is dealt without wagers."""


class RevealCards(Act, frozen=True, kw_only=True, tag="reveal_cards"):
    """Show the cards that lie face down; of one hand, or of both."""

    hand: Side | None = None


class Confirm(Act, frozen=True, kw_only=True, tag="confirm"):
    pass


class CallSupervisor(Act, frozen=True, kw_only=True, tag="call_supervisor"):
    pass


class ClearAlert(Act, frozen=True, kw_only=True, tag="clear_alert"):
    alert: int


class SignIn(Act, frozen=True, kw_only=True, tag="sign_in"):
    """Somebody shows that the PIN is known; nothing else happens."""


class IdentifyCard(Act, frozen=True, kw_only=True, tag="identify_card"):
    """Say what a card is that the shoe could not read or did not disclose."""

    number: int
    """The how manieth card of the round, from 1; 0 is the first card of the shoe."""
    card: Card | None
    """`None` only where the act is told of while the card lies face down."""


class CorrectCard(Act, frozen=True, kw_only=True, tag="correct_card"):
    """Say that a card is another than the shoe read."""

    number: int
    card: Card | None
    """As above."""


class UseExtraCard(Act, frozen=True, kw_only=True, tag="use_extra_card"):
    """The card too many begins the next round."""


class BurnExtraCard(Act, frozen=True, kw_only=True, tag="burn_extra_card"):
    pass


class VoidRound(Act, frozen=True, kw_only=True, tag="void_round"):
    """All wagers are returned; the cards are out of play."""


class VoidAndReplay(Act, frozen=True, kw_only=True, tag="void_and_replay"):
    """The wagers stay; the cards are out of play, and the next card is the first of the same round."""


class UndoLastResult(Act, frozen=True, kw_only=True, tag="undo_last_result"):
    """Take a settled result back. The round is then complete and not confirmed."""


class EndShoe(Act, frozen=True, kw_only=True, tag="end_shoe"):
    pass


class Approve(Act, frozen=True, kw_only=True, tag="approve"):
    """A second person agrees with what a first one proposed."""

    proposal: int


class Withdraw(Act, frozen=True, kw_only=True, tag="withdraw"):
    """Take a proposal back."""

    proposal: int


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
    | Approve
    | Withdraw
)


class ActRule(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    what: str
    role: Role
    """Who may do it; a supervisor may do what a dealer may. A supervisor's own acts need a PIN and a reason."""
    phases: frozenset[Phase]
    two_people: bool = False
    reason: bool = False
    """Why must be said."""
    pin: bool = False
    """A PIN is needed, also of a dealer."""


_ANY = frozenset(Phase)
_BETWEEN_ROUNDS = frozenset({Phase.NO_SHOE, Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING, Phase.ENDED})


def _rule(  # noqa: PLR0913 - one row of the table below
    act: type[Act],
    role: Role,
    phases: frozenset[Phase],
    what: str,
    *,
    two_people: bool = False,
    reason: bool = False,
    pin: bool = False,
) -> ActRule:
    name = str(act.__struct_config__.tag)
    return ActRule(name=name, what=what, role=role, phases=phases, two_people=two_people, reason=reason, pin=pin)


_D, _S = Role.DEALER, Role.SUPERVISOR
_BETTING = frozenset({Phase.BETTING})
_OVER = frozenset({Phase.BETTING, Phase.ENDED})
_CLOSED_TOO = IN_ROUND | _BETTING

ACTS: dict[type[Act], ActRule] = {
    OpenShoe: _rule(OpenShoe, _D, _BETWEEN_ROUNDS, "says that new cards are in"),
    NoMoreBets: _rule(NoMoreBets, _D, _BETTING, "closes the wagers"),
    FreeHand: _rule(FreeHand, _D, _BETTING, "deals the next round without wagers"),
    RevealCards: _rule(RevealCards, _D, CARDS_OUT, "shows cards that lie face down"),
    Confirm: _rule(Confirm, _D, frozenset({Phase.COMPLETE}), "confirms the result, so that it is settled"),
    CallSupervisor: _rule(CallSupervisor, _D, _ANY, "calls for a supervisor"),
    ClearAlert: _rule(ClearAlert, _D, _ANY, "ends an alert that may be cleared"),
    SignIn: _rule(SignIn, _D, _ANY, "shows that the PIN is known", pin=True),
    IdentifyCard: _rule(IdentifyCard, _S, CARDS_OUT | {Phase.FIRST_CARD}, "says what an unread card is", reason=True),
    CorrectCard: _rule(
        CorrectCard, _S, CARDS_OUT, "says that a card is another; everything after it is worked out anew", reason=True
    ),
    UseExtraCard: _rule(UseExtraCard, _S, _CLOSED_TOO, "lets a card too many begin the next round", reason=True),
    BurnExtraCard: _rule(BurnExtraCard, _S, _CLOSED_TOO, "burns a card too many", reason=True),
    VoidRound: _rule(VoidRound, _S, _CLOSED_TOO, "voids the round: all wagers are returned", reason=True),
    VoidAndReplay: _rule(
        VoidAndReplay, _S, CARDS_OUT, "voids the cards; the wagers stay and the next card is the first", reason=True
    ),
    UndoLastResult: _rule(
        UndoLastResult, _S, _OVER, "takes the last settled result back", two_people=True, reason=True
    ),
    EndShoe: _rule(
        EndShoe, _S, frozenset({Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING}), "ends the shoe early", reason=True
    ),
    Approve: _rule(Approve, _S, _ANY, "approves what another supervisor proposed"),
    Withdraw: _rule(Withdraw, _S, _ANY, "takes a proposal back"),
}


def rule_of(act: Act) -> ActRule:
    return ACTS[type(act)]


def markdown_table() -> str:
    lines = ["| act | who | what it does | when |", "|---|---|---|---|"]
    for rule in ACTS.values():
        who = "two supervisors" if rule.two_people else f"the {rule.role.value}"
        when = "always" if rule.phases == _ANY else ", ".join(p.value for p in Phase if p in rule.phases)
        lines.append(f"| `{rule.name}` | {who} | {rule.what} | {when} |")
    return "\n".join(lines) + "\n"
