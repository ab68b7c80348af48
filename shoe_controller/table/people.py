"""Who may act: requests that are late or repeated, roles, and acts that take two people.

Wrong PINs are counted in `pins.py`; what an act does once it is allowed is in `acts/`.
"""

from shoe_controller.messages.acts import ActRule, Approve, OpenShoe, Role, Withdraw, rule_of
from shoe_controller.messages.causes import ProposalReplaced, ProposalWithdrawn
from shoe_controller.messages.facts import ActProposed, PersonActed
from shoe_controller.messages.refusals import (
    NoProposal,
    NotASupervisor,
    NotNow,
    NotSignedIn,
    OtherRound,
    PinMissing,
    ReasonMissing,
    SamePerson,
)
from shoe_controller.table.acts import at_table, takes_two
from shoe_controller.table.acts.act import By, Seen
from shoe_controller.table.acts.cards import as_published
from shoe_controller.table.draft import Draft
from shoe_controller.table.duty import dealers_sign_in, in_name_of_dealer, needs_duty
from shoe_controller.table.finishing import drop_proposal, settle_if_ready
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets
from shoe_controller.table.opening import why_not_opened
from shoe_controller.table.possible_acts import is_for_this_round
from shoe_controller.table.state import Answered, Proposal, TableState
from shoe_controller.table.view import possible_phases, shown_phase

REMEMBERED_REQUESTS = 200
"""Effective requests that are remembered, so that a repeat of one does nothing twice."""


def person_acts(draft: Draft, given: PersonActs) -> None:
    rule = rule_of(given.act)
    if not _may(draft, given, rule):
        return
    if needs_duty(given, dealer_signs_in=dealers_sign_in(draft.state)):
        by_dealer = in_name_of_dealer(draft.lasting, given)
        if by_dealer is None:
            draft.refuse(NotSignedIn())
            return
        given = by_dealer
    if draft.phase not in at_table(given.act).phases:
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
            why = why_not_opened(draft.state, given)
            draft.refuse(why or NotNow(act=rule.name, phase=shown_phase(draft.state)))
        case _ if takes_two(type(given.act), Seen(draft.state, possible_phases(draft.state), given.role)):
            _propose(draft, given)
        case _:
            _carry_out(draft, given)


def may_open_shoe(state: TableState, given: PersonActs) -> bool:
    """Whether the act opens a shoe; where a wrong PIN was given, or nonsense, it is refused like any other."""
    on_duty = (
        not needs_duty(given, dealer_signs_in=dealers_sign_in(state))
        or in_name_of_dealer(state.lasting, given) is not None
    )
    return given.pin is not PinVerdict.WRONG and on_duty and why_not_opened(state, given) is None


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
    why = at_table(given.act).why_not(draft, given.act, given)
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
        attempt=draft.state.attempt,
    )
    act = as_published(draft.state, given.act)
    draft.emit(ActProposed, proposal=number, act=act, person=given.person, reason=given.reason, user=given.user)


def _approve(draft: Draft, given: PersonActs, act: Approve) -> None:
    proposal = draft.lasting.proposal
    if proposal is None or proposal.number != act.proposal:
        draft.refuse(NoProposal(proposal=act.proposal))
    elif proposal.person == given.person:
        draft.refuse(SamePerson())
    elif not is_for_this_round(draft.state, proposal):
        shoe, round_ = draft.state.shoe_number, draft.state.round_number
        draft.refuse(OtherRound(shoe=proposal.shoe, round=proposal.round, table_shoe=shoe, table_round=round_))
    elif draft.phase not in at_table(proposal.act).phases:
        # The first card may have come since it was proposed.
        draft.refuse(NotNow(act=rule_of(proposal.act).name, phase=shown_phase(draft.state)))
    else:
        why = at_table(proposal.act).why_not(draft, proposal.act, given)
        if why is not None:
            draft.refuse(why)
            return
        draft.lasting.proposal = None
        draft.emit(
            PersonActed,
            act=as_published(draft.state, proposal.act),
            person=proposal.person,
            role=Role.SUPERVISOR,
            reason=proposal.reason,
            approved_by=given.person,
            user=given.user,
        )
        at_table(proposal.act).does(draft, proposal.act, By(proposal.person, proposal.reason, past=given.past))
        settle_if_ready(draft)


def _withdraw(draft: Draft, act: Withdraw, person: str) -> None:
    proposal = draft.lasting.proposal
    if proposal is None or proposal.number != act.proposal:
        draft.refuse(NoProposal(proposal=act.proposal))
    else:
        drop_proposal(draft, ProposalWithdrawn(person=person))


def _carry_out(draft: Draft, given: PersonActs) -> None:
    why = at_table(given.act).why_not(draft, given.act, given)
    if why is not None:
        draft.refuse(why)
        return
    act = as_published(draft.state, given.act)
    draft.emit(PersonActed, act=act, person=given.person, role=given.role, reason=given.reason, user=given.user)
    token = given.token_digest if given.role is Role.DEALER else ""
    at_table(given.act).does(draft, given.act, By(given.person, given.reason, token, line=given.line))
    settle_if_ready(draft)
