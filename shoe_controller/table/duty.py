"""The dealer on duty: who is signed in, whether an act is that dealer's, and the card that a new dealer burns.

A dealer signs in with a PIN and a token, a random secret of the terminal. Every other act on the dealer's topic carries
the token, and the table compares digests. One dealer is on duty at a time: a sign-in ends another's. Where the house
does not ask for it (`dealer_signs_in`), acts go on in any name; the rules on the record say which it is.
"""

import hmac

import msgspec

from shoe_controller.messages.acts import BlinkShoe, Role, SignIn, SignOut
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.facts import DealerChanged
from shoe_controller.messages.phases import Phase
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import PersonActs
from shoe_controller.table.phases import IN_ROUND
from shoe_controller.table.state import DealerOnDuty, Lasting, TableState

ASKS_BETWEEN_SHOES = 4
"""The `REVISION` of the running program from which the file counts already when a shoe is over."""

EVERY_ROUND_HAS_DEALER = 4
"""The `REVISION` of the running program from which no round goes on that began with nobody on duty."""


def dealers_sign_in(state: TableState) -> bool:
    """Whether the house asks dealers to sign in.

    Before the first shoe, that is as the controller was started; between two, also as the next one is opened then.
    """
    if state.shoe is None:
        return state.lasting.dealer_signs_in
    between = state.phase is Phase.ENDED and state.lasting.revision >= ASKS_BETWEEN_SHOES
    return state.shoe.rules.procedure.dealer_signs_in or (between and state.lasting.dealer_signs_in)


def needs_duty(given: PersonActs, *, dealer_signs_in: bool) -> bool:
    """Whether the act is for the dealer on duty alone."""
    if given.role is not Role.DEALER or isinstance(given.act, SignIn | BlinkShoe):
        return False
    # Also where the house does not ask for it, nobody signs out another.
    return dealer_signs_in or isinstance(given.act, SignOut)


def in_name_of_dealer(lasting: Lasting, given: PersonActs) -> PersonActs | None:
    """The act in the name of the dealer on duty; `None` if it is not that dealer's."""
    dealer = lasting.dealer
    if dealer is None or not hmac.compare_digest(dealer.token_digest.encode(), given.token_digest.encode()):
        return None
    # A request may leave the person out: then it names the role.
    if given.person not in (dealer.person, given.role.value):
        return None
    return msgspec.structs.replace(given, person=dealer.person)


def begin_duty(draft: Draft, person: str, token_digest: str) -> None:
    """The dealer goes on duty, and any other goes off."""
    before = draft.lasting.dealer_id
    draft.lasting.dealer = DealerOnDuty(person=person, token_digest=token_digest)
    if before != person:
        draft.emit(DealerChanged, dealer=person, before=before)
    draft.end_alerts(EndedByPerson(person=person), AlertKind.NOBODY_ON_DUTY)


def end_duty(draft: Draft) -> None:
    before = draft.lasting.dealer_id
    if before is not None:
        draft.lasting.dealer = None
        draft.emit(DealerChanged, dealer=None, before=before)


def awaits_dealer(state: TableState) -> bool:
    """Whether the house asks for a dealer on duty, there is none, and no round is under way."""
    return dealers_sign_in(state) and state.lasting.dealer is None and state.phase not in IN_ROUND


# --- the card of a new dealer ----------------------------------------------------------------------------------------


def burn_is_due(state: TableState) -> bool:
    """Whether the dealer on duty is another than the one who dealt last, and burns a card before the next round."""
    shoe, dealer = state.shoe, state.lasting.dealer_id
    if shoe is None or not shoe.rules.procedure.new_dealer_burns:
        return False
    return None not in (dealer, shoe.dealt_by) and dealer != shoe.dealt_by


def new_dealer_burned(draft: Draft) -> None:
    draft.shoe.dealt_by = draft.lasting.dealer_id or draft.shoe.dealt_by
    if draft.state.round is not None:
        draft.round.reported_ns = None  # what the shoe had reported was this card


def round_begun(draft: Draft) -> None:
    """The first card of a round has come: if one had to be burned before it, a supervisor decides.

    With nobody on duty the table waits for a dealer, so that every round names one.
    """
    if draft.lasting.revision >= EVERY_ROUND_HAS_DEALER and dealers_sign_in(draft.state) and not draft.lasting.dealer:
        draft.alert(AlertKind.NOBODY_ON_DUTY)
    if burn_is_due(draft.state):
        draft.alert(AlertKind.BURN_DUE)
    draft.shoe.dealt_by = draft.lasting.dealer_id or draft.shoe.dealt_by
