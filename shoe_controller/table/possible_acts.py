"""Which acts a table would accept now, for the retained `state`: a terminal offers these and no others.

The conditions are read from the state, beside the refusals of each act in `acts/`: `test_possible_acts.py` compares
both.
"""

from collections.abc import Iterator, Sequence

from shoe_controller.messages.acts import (
    ACTS,
    Act,
    Approve,
    AssignCards,
    BlinkShoe,
    ClearAlert,
    OpenShoe,
    Role,
    SignIn,
    SignOut,
    Withdraw,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.retained import PossibleAct
from shoe_controller.table.acts import AT_TABLE, takes_two
from shoe_controller.table.acts.act import Seen, Targets, some
from shoe_controller.table.assigning import drawn_cards
from shoe_controller.table.duty import dealers_sign_in
from shoe_controller.table.opening import needs_supervisor
from shoe_controller.table.state import Proposal, TableState


def possible_acts(state: TableState, phases: Sequence[Phase]) -> tuple[PossibleAct, ...]:
    return tuple(
        _possible(act, seen, targets)
        for seen in (Seen(state, phases, role) for role in Role)
        for act in _acts_of(seen)
        if (targets := _targets(act, seen)) is not None
    )


def _acts_of(seen: Seen) -> Iterator[type[Act]]:
    if seen.role is Role.DEALER and dealers_sign_in(seen.state) and seen.state.lasting.dealer is None:
        yield from (SignIn, BlinkShoe)
        return
    for act, rule in ACTS.items():
        if rule.role is seen.role or seen.role is Role.SUPERVISOR:
            yield act


def _possible(act: type[Act], seen: Seen, targets: Targets) -> PossibleAct:
    rule = ACTS[act]
    by_supervisor = seen.role is Role.SUPERVISOR
    return PossibleAct(
        act=rule.name,
        role=seen.role,
        pin=rule.pin or by_supervisor,
        reason=rule.reason or (by_supervisor and _asks_for_reason(act, seen)),
        token=not by_supervisor and act is not BlinkShoe and (dealers_sign_in(seen.state) or act is SignOut),
        two_people=takes_two(act, seen),
        **targets,  # type: ignore[arg-type]  # each is a tuple of what its field takes
    )


def _asks_for_reason(act: type[Act], seen: Seen) -> bool:
    """Whether a supervisor gives a reason for what a dealer needs none for."""
    return act is ClearAlert or (act is OpenShoe and needs_supervisor(seen.state))


def _targets(act: type[Act], seen: Seen) -> Targets | None:
    """What the act can be about; `None` where it is not possible."""
    if AT_TABLE[act].phases.isdisjoint(seen.phases):
        return None
    if act is Approve:
        return some("proposals", _proposal(seen.state) if _may_approve(seen) else ())
    if act is Withdraw:
        return some("proposals", _proposal(seen.state))
    return AT_TABLE[act].about(seen)


def _proposal(state: TableState) -> tuple[int, ...]:
    return () if state.lasting.proposal is None else (state.lasting.proposal.number,)


def is_for_this_round(state: TableState, proposal: Proposal) -> bool:
    """Whether what was proposed concerns the cards that lie there: not those of a round that is dealt again."""
    if (proposal.shoe, proposal.round) != (state.shoe_number, state.round_number):
        return False
    return proposal.attempt in (None, state.attempt)


def _may_approve(seen: Seen) -> bool:
    """Whether what was proposed is still possible: it is for its round alone."""
    state, proposal = seen.state, seen.state.lasting.proposal
    if proposal is None or not is_for_this_round(state, proposal):
        return False
    if isinstance(proposal.act, AssignCards) and len(proposal.act.cards) != len(drawn_cards(state)):
        return False  # a card came since
    return _targets(type(proposal.act), seen) is not None
