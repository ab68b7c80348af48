"""Who may act: requests that are late or repeated, roles, and acts that take two people.

Wrong PINs are counted in `pins.py`; what an act does once it is allowed is in `act_effects.py`.
"""

from shoe_controller.messages.acts import ActRule, Approve, OpenShoe, Role, Withdraw, rule_of
from shoe_controller.messages.causes import ProposalReplaced, ProposalWithdrawn
from shoe_controller.messages.facts import ActProposed, PersonActed
from shoe_controller.messages.refusals import (
    NoProposal,
    NotASupervisor,
    NotNow,
    OtherRound,
    PinMissing,
    ReasonMissing,
    SamePerson,
)
from shoe_controller.table.act_effects import as_published, do, why_not
from shoe_controller.table.act_phases import phases_of
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import drop_proposal, settle_if_ready
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets
from shoe_controller.table.state import Answered, Proposal, TableState
from shoe_controller.table.view import shown_phase

REMEMBERED_REQUESTS = 200
"""Effective requests that are remembered, so that a repeat of one does nothing twice."""


def person_acts(draft: Draft, given: PersonActs) -> None:
    rule = rule_of(given.act)
    if not _may(draft, given, rule):
        return
    if draft.phase not in phases_of(given.act):
        draft.refuse(NotNow(act=rule.name, phase=shown_phase(draft.state)))
        return
    if rule.reason and not given.reason.strip():
        draft.refuse(ReasonMissing())
        return
    match given.act:
        case Approve():
            _approve(draft, given, given.act)
        case Withdraw():
            _withdraw(draft, given.act, given.person)
        case OpenShoe():
            # It reaches the table inside a `NewShoe` where it is possible.
            draft.refuse(NotNow(act=rule.name, phase=shown_phase(draft.state)))
        case _ if rule.two_people:
            _propose(draft, given)
        case _:
            _carry_out(draft, given)


def may_open_shoe(given: PersonActs) -> bool:
    """A dealer may, without a PIN; where a wrong one was given, or nonsense, the act is refused like any other."""
    return given.pin is not PinVerdict.WRONG


def answered_before(state: TableState, given: PersonActs | SeatBets) -> Answered | None:
    if not given.request_id:
        return None
    return next((answer for answer in state.lasting.answered if answer.request_id == given.request_id), None)


def says_something_else(given: PersonActs | SeatBets, before: Answered) -> bool:
    """Whether a request uses the id of another one. What has no digest was stored by a version that made none."""
    return bool(before.contents) and bool(given.contents) and given.contents != before.contents


def remember(draft: Draft, given: PersonActs | SeatBets) -> None:
    if given.request_id:
        answer = Answered(request_id=given.request_id, contents=given.contents, refusal=draft.refusal)
        draft.lasting.answered = (*draft.lasting.answered, answer)[-REMEMBERED_REQUESTS:]


def meant_for_another_round(draft: Draft, given: PersonActs | SeatBets) -> bool:
    """A request names the shoe and the round it means: one that is late for its round must not touch the next."""
    stands = (draft.state.shoe_number, draft.state.round_number)
    if (given.shoe, given.round) == stands:
        return False
    draft.refuse(OtherRound(shoe=given.shoe, round=given.round, table_shoe=stands[0], table_round=stands[1]))
    return True


# --- roles -----------------------------------------------------------------------------------------------------------


def _may(draft: Draft, given: PersonActs, rule: ActRule) -> bool:
    if rule.role is Role.SUPERVISOR:
        if given.role is not Role.SUPERVISOR:
            draft.refuse(NotASupervisor())
            return False
        if given.pin is not PinVerdict.RIGHT:
            draft.refuse(PinMissing())
            return False
    if rule.pin and given.pin is not PinVerdict.RIGHT:
        draft.refuse(PinMissing())
        return False
    return True


# --- two people ------------------------------------------------------------------------------------------------------


def _propose(draft: Draft, given: PersonActs) -> None:
    why = why_not(draft, given.act, given)
    if why is not None:
        draft.refuse(why)
        return
    drop_proposal(draft, ProposalReplaced())
    draft.lasting.proposals_made += 1
    number = draft.lasting.proposals_made
    draft.lasting.proposal = Proposal(
        number=number,
        act=given.act,
        person=given.person,
        reason=given.reason,
        at_ns=draft.now,
        shoe=given.shoe,
        round=given.round,
    )
    draft.emit(ActProposed, proposal=number, act=given.act, person=given.person, reason=given.reason, user=given.user)


def _approve(draft: Draft, given: PersonActs, act: Approve) -> None:
    proposal = draft.lasting.proposal
    if proposal is None or proposal.number != act.proposal:
        draft.refuse(NoProposal(proposal=act.proposal))
    elif proposal.person == given.person:
        draft.refuse(SamePerson())
    elif (proposal.shoe, proposal.round) != (draft.state.shoe_number, draft.state.round_number):
        shoe, round_ = draft.state.shoe_number, draft.state.round_number
        draft.refuse(OtherRound(shoe=proposal.shoe, round=proposal.round, table_shoe=shoe, table_round=round_))
    elif draft.phase not in phases_of(proposal.act):
        # The first card may have come since it was proposed.
        draft.refuse(NotNow(act=rule_of(proposal.act).name, phase=shown_phase(draft.state)))
    else:
        why = why_not(draft, proposal.act, given)
        if why is not None:
            draft.refuse(why)
            return
        draft.lasting.proposal = None
        draft.emit(
            PersonActed,
            act=proposal.act,
            person=proposal.person,
            role=Role.SUPERVISOR,
            reason=proposal.reason,
            approved_by=given.person,
            user=given.user,
        )
        do(draft, proposal.act, proposal.person, proposal.reason)
        settle_if_ready(draft)


def _withdraw(draft: Draft, act: Withdraw, person: str) -> None:
    proposal = draft.lasting.proposal
    if proposal is None or proposal.number != act.proposal:
        draft.refuse(NoProposal(proposal=act.proposal))
    else:
        drop_proposal(draft, ProposalWithdrawn(person=person))


def _carry_out(draft: Draft, given: PersonActs) -> None:
    why = why_not(draft, given.act, given)
    if why is not None:
        draft.refuse(why)
        return
    act = as_published(draft, given.act)
    draft.emit(PersonActed, act=act, person=given.person, role=given.role, reason=given.reason, user=given.user)
    do(draft, given.act, given.person, given.reason)
    settle_if_ready(draft)
