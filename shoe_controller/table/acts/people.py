"""Acts about people alone: signing in and out, and what two of them do together (`table/people.py` carries it out)."""

from shoe_controller.messages.acts import Act, Approve, Role, SignIn, SignOut, Withdraw
from shoe_controller.messages.refusals import NobodyOnDuty, TokenMissing
from shoe_controller.table.acts.act import ANY_PHASE, ActAtTable, By, only_if
from shoe_controller.table.draft import Draft
from shoe_controller.table.duty import begin_duty, dealers_sign_in, end_duty
from shoe_controller.table.inputs import PersonActs

ASKS_BEFORE_SHOE = 4
"""The `REVISION` of the running program from which a dealer's sign-in needs a token also while no shoe is open."""


def _why_not_sign_in(draft: Draft, _act: SignIn, given: PersonActs) -> TokenMissing | None:
    without = given.role is Role.DEALER and not given.token_digest
    before_shoe = draft.lasting.revision >= ASKS_BEFORE_SHOE and dealers_sign_in(draft.state)
    return TokenMissing() if without and (draft.procedure.dealer_signs_in or before_shoe) else None


def _sign_in(draft: Draft, _act: SignIn, by: By) -> None:
    """A sign-in without a token, a supervisor's or one of older journals, only proves that the PIN is known."""
    if by.token_digest:
        begin_duty(draft, by.person, by.token_digest)


def _why_not_sign_out(draft: Draft, _act: SignOut, _given: PersonActs) -> NobodyOnDuty | None:
    return NobodyOnDuty() if draft.lasting.dealer is None else None


def _sign_out(draft: Draft, _act: SignOut, _by: By) -> None:
    end_duty(draft)


ACTS: dict[type[Act], ActAtTable] = {
    SignIn: ActAtTable(phases=ANY_PHASE, why_not=_why_not_sign_in, does=_sign_in),
    SignOut: ActAtTable(
        phases=ANY_PHASE,
        why_not=_why_not_sign_out,
        does=_sign_out,
        about=only_if(lambda seen: seen.state.lasting.dealer is not None),
    ),
    Approve: ActAtTable(phases=ANY_PHASE),
    Withdraw: ActAtTable(phases=ANY_PHASE),
}
