"""Who may act: requests that are late or repeated, roles, PINs and lock-outs, and acts that take two people.

What an act does once it is allowed is in `act_effects.py`.
"""

from shoe_controller.table.act_effects import as_told, do, why_not
from shoe_controller.table.acts import ActRule, Approve, OpenShoe, Role, Withdraw, rule_of
from shoe_controller.table.draft import Draft
from shoe_controller.table.facts import ActProposed, PersonActed, WrongPin
from shoe_controller.table.finishing import drop_proposal, settle_if_ready
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets
from shoe_controller.table.state import SECOND, Answered, PinRecord, Proposal, TableState

LONGEST_REASON = 500
REMEMBERED_REQUESTS = 200
"""So many requests that changed something are remembered, so that a repeat of one does nothing twice."""


def person_acts(draft: Draft, given: PersonActs) -> None:
    rule = rule_of(given.act)
    if not _may(draft, given, rule):
        return
    if draft.phase not in rule.phases:
        draft.refuse("not_now", f"{rule.name} is not possible in the phase {draft.phase.value}")
        return
    if rule.reason and not given.reason.strip():
        draft.refuse("reason_missing", f"say why: {rule.name} needs a reason")
        return
    if len(given.reason) > LONGEST_REASON:
        draft.refuse("reason_too_long", f"the reason is too long; at most {LONGEST_REASON} characters")
        return
    match given.act:
        case Approve():
            _approve(draft, given, given.act)
        case Withdraw():
            _withdraw(draft, given.act, given.person)
        case OpenShoe():
            draft.refuse("not_now", "a shoe is opened with the rules of the house, and they did not come with this")
        case _ if rule.two_people:
            _propose(draft, given)
        case _:
            _carry_out(draft, given)


def may_open_shoe(given: PersonActs) -> bool:
    """A dealer may, without a PIN; where a wrong one was given, or nonsense, the act is refused like any other."""
    return given.pin is not PinVerdict.WRONG and len(given.reason) <= LONGEST_REASON


def answered_before(state: TableState, given: PersonActs | SeatBets) -> Answered | None:
    if not given.request_id:
        return None
    return next((answer for answer in state.lasting.answered if answer.request_id == given.request_id), None)


def remember(draft: Draft, given: PersonActs | SeatBets) -> None:
    if given.request_id:
        answer = Answered(request_id=given.request_id, refusal=draft.refusal)
        draft.lasting.answered = (*draft.lasting.answered, answer)[-REMEMBERED_REQUESTS:]


def meant_for_another_round(draft: Draft, given: PersonActs | SeatBets) -> bool:
    """A request names the shoe and the round it means: one that is late for its round must not touch the next."""
    stands = (draft.state.shoe_number, draft.state.round_number)
    if (given.shoe, given.round) == stands:
        return False
    message = f"this is for shoe {given.shoe}, round {given.round}; the table is at shoe {stands[0]}, round {stands[1]}"
    draft.refuse("other_round", message)
    return True


# --- PINs ------------------------------------------------------------------------------------------------------------


def locked_out_until(state: TableState, person: str) -> int | None:
    """Until when a person's PIN is not looked at, on the clock that never goes back."""
    return next((record.locked_until_ns for record in state.lasting.pins if record.person == person), None)


def _may(draft: Draft, given: PersonActs, rule: ActRule) -> bool:
    until = locked_out_until(draft.state, given.person)
    if given.pin is not PinVerdict.NOT_GIVEN and until is not None:
        if draft.now < until:
            seconds = -(-(until - draft.now) // SECOND)
            draft.refuse("locked_out", f"{given.person} is locked out for another {seconds} s")
            return False
        _forget_failures(draft, given.person)
    if given.pin is PinVerdict.WRONG:
        _wrong_pin(draft, given.person)
        return False
    if given.pin is PinVerdict.RIGHT:
        _forget_failures(draft, given.person)
    if rule.role is Role.SUPERVISOR:
        if given.role is not Role.SUPERVISOR:
            draft.refuse("not_a_supervisor", f"{rule.name} is for a supervisor")
            return False
        if given.pin is not PinVerdict.RIGHT:
            draft.refuse("pin_missing", f"{rule.name} needs the supervisor's PIN")
            return False
    if rule.pin and given.pin is not PinVerdict.RIGHT:
        draft.refuse("pin_missing", f"{rule.name} needs the person's PIN")
        return False
    return True


def _wrong_pin(draft: Draft, person: str) -> None:
    before = next((record.failures for record in draft.lasting.pins if record.person == person), 0)
    failures = before + 1
    locked = failures >= draft.procedure.wrong_pins
    until = draft.now + int(draft.procedure.locked_out_for * SECOND) if locked else None
    record = PinRecord(person=person, failures=failures, locked_until_ns=until)
    _forget_failures(draft, person)
    draft.lasting.pins = (*draft.lasting.pins, record)
    draft.say(WrongPin, person=person, failures=failures, locked_out=locked)
    draft.refuse("wrong_pin", "that is not the right PIN" + ("; the person is locked out now" if locked else ""))


def _forget_failures(draft: Draft, person: str) -> None:
    draft.lasting.pins = tuple(record for record in draft.lasting.pins if record.person != person)


# --- two people ------------------------------------------------------------------------------------------------------


def _propose(draft: Draft, given: PersonActs) -> None:
    why = why_not(draft, given.act, given)
    if why is not None:
        draft.refuse(*why)
        return
    drop_proposal(draft, "another proposal took its place")
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
    draft.say(ActProposed, proposal=number, act=given.act, person=given.person, reason=given.reason)


def _approve(draft: Draft, given: PersonActs, act: Approve) -> None:
    proposal = draft.lasting.proposal
    if proposal is None or proposal.number != act.proposal:
        draft.refuse("no_proposal", f"there is no proposal {act.proposal} to approve; it may have run out of time")
    elif proposal.person == given.person:
        draft.refuse("same_person", "somebody other than the one who proposed it must approve")
    elif (proposal.shoe, proposal.round) != (draft.state.shoe_number, draft.state.round_number):
        draft.refuse("other_round", "the proposal was made for another round")
    elif draft.phase not in rule_of(proposal.act).phases:
        # The first card may have come since it was proposed.
        draft.refuse("not_now", f"{rule_of(proposal.act).name} is not possible in the phase {draft.phase.value}")
    else:
        why = why_not(draft, proposal.act, given)
        if why is not None:
            draft.refuse(*why)
            return
        draft.lasting.proposal = None
        draft.say(
            PersonActed,
            act=proposal.act,
            person=proposal.person,
            role=Role.SUPERVISOR.value,
            reason=proposal.reason,
            approved_by=given.person,
        )
        do(draft, proposal.act, proposal.person, proposal.reason)
        settle_if_ready(draft)


def _withdraw(draft: Draft, act: Withdraw, person: str) -> None:
    proposal = draft.lasting.proposal
    if proposal is None or proposal.number != act.proposal:
        draft.refuse("no_proposal", f"there is no proposal {act.proposal}")
    else:
        drop_proposal(draft, f"withdrawn by {person}")


def _carry_out(draft: Draft, given: PersonActs) -> None:
    why = why_not(draft, given.act, given)
    if why is not None:
        draft.refuse(*why)
        return
    act = as_told(draft, given.act)
    draft.say(PersonActed, act=act, person=given.person, role=given.role.value, reason=given.reason)
    do(draft, given.act, given.person, given.reason)
    settle_if_ready(draft)
