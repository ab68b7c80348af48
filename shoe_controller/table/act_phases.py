"""In which phases each act is possible. The operator's manual is generated from this and `messages/acts.py`."""

from shoe_controller.messages.acts import (
    ACTS,
    AcceptRollback,
    Act,
    Approve,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    EndShoe,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    OpenShoe,
    RevealCards,
    SignIn,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    Withdraw,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND

_ANY = frozenset(Phase)
_BETTING = frozenset({Phase.BETTING})

PHASES: dict[type[Act], frozenset[Phase]] = {
    OpenShoe: frozenset({Phase.NO_SHOE, Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING, Phase.ENDED}),
    NoMoreBets: _BETTING,
    FreeHand: _BETTING,
    RevealCards: CARDS_OUT,
    Confirm: frozenset({Phase.COMPLETE}),
    CallSupervisor: _ANY,
    ClearAlert: _ANY,
    SignIn: _ANY,
    IdentifyCard: CARDS_OUT | {Phase.FIRST_CARD},
    CorrectCard: CARDS_OUT,
    UseExtraCard: IN_ROUND | _BETTING,
    BurnExtraCard: IN_ROUND | _BETTING,
    VoidRound: IN_ROUND | _BETTING,
    VoidAndReplay: CARDS_OUT,
    UndoLastResult: frozenset({Phase.BETTING, Phase.ENDED}),
    EndShoe: frozenset({Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING}),
    AcceptRollback: _ANY,
    Approve: _ANY,
    Withdraw: _ANY,
}


def phases_of(act: Act) -> frozenset[Phase]:
    return PHASES[type(act)]


def markdown_table() -> str:
    lines = ["| act | who | what it does | when |", "|---|---|---|---|"]
    for act, rule in ACTS.items():
        who = "two supervisors" if rule.two_people else f"the {rule.role.value}"
        when = "always" if PHASES[act] == _ANY else ", ".join(p.value for p in Phase if p in PHASES[act])
        lines.append(f"| `{rule.name}` | {who} | {rule.what} | {when} |")
    return "\n".join(lines) + "\n"
