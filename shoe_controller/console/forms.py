"""The requests of a page, as they come over HTTP, and how they go to the table. Every request is decoded strictly.

A dealer's act goes out in the name of the person who is signed in, with the token of the sign-in at the table. A
supervisor's goes out with the id and the PIN typed for this one act: a PIN passes through here to the table, and is not
kept.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, get_args

import msgspec

from shoe_controller.console.failures import NotAnswered, SignInsWaiting
from shoe_controller.follow.table import FollowedTable
from shoe_controller.messages.acts import ActName
from shoe_controller.messages.refusals import OtherRound, UnknownRequest
from shoe_controller.messages.requests import (
    PLACE,
    Answer,
    PersonId,
    Pin,
    Reason,
    RequestId,
    RequestRole,
    RoundNumber,
    SeatName,
    ShoeNumber,
    Stakes,
    acts_of,
    refused,
)

MOST_SIGN_INS = 4
"""Sign-ins under way at once; the next person has to try again."""


_LIMITED = {"person": PersonId, "pin": Pin, "reason": Reason}
LONGEST: dict[str, int] = {name: get_args(limited)[1].max_length for name, limited in _LIMITED.items()}
"""Characters that fit into each field of the page, by the limits of the requests."""


class _Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a page sends; the common base."""


class SignInForm(_Form, frozen=True, kw_only=True):
    person: PersonId
    pin: Pin


class ActForm(_Form, frozen=True, kw_only=True):
    request_id: RequestId
    act: str
    shoe: ShoeNumber
    round: RoundNumber
    reason: Reason = ""
    details: dict[str, Any] = {}


class DealerForm(ActForm, frozen=True, kw_only=True):
    """Something that the dealer does."""


class SupervisorForm(ActForm, frozen=True, kw_only=True):
    """Something that a supervisor does, with that supervisor's PIN."""

    person: PersonId
    pin: Pin


class WagersForm(_Form, frozen=True, kw_only=True):
    request_id: RequestId
    shoe: ShoeNumber
    round: RoundNumber
    seat: SeatName
    stakes: Stakes


class Dealer(NamedTuple):
    """Who signed in at the console."""

    person: str
    duty_token: str
    """The table's, which goes with everything that the dealer does there; no page learns it."""


class TableRequests(Protocol):
    async def ask(self, role: RequestRole, name: str, request: dict[str, Any]) -> Answer | NotAnswered: ...


class FormDesk:
    def __init__(self, table: TableRequests, followed: FollowedTable, new_id: Callable[[], str]) -> None:
        self._table = table
        self._followed = followed
        self._new_id = new_id
        self._signing_in = 0

    async def sign_in(self, form: SignInForm, duty_token: str) -> Answer | NotAnswered:
        """Ask the table whether this is the person's PIN; if it is, the person is the dealer on duty."""
        if self._signing_in >= MOST_SIGN_INS:
            return NotAnswered(SignInsWaiting())
        self._signing_in += 1
        try:
            request = {**self._now(), "person": form.person, "pin": form.pin, "token": duty_token}
            return await self._ask_for_no_round(RequestRole.DEALER, ActName.SIGN_IN, request)
        finally:
            self._signing_in -= 1

    async def sign_out(self, who: Dealer) -> None:
        """The dealer goes off duty. Whatever the table answers, the console forgets the token."""
        state = self._followed.state
        if state is not None and state.dealer == who.person:
            request = {**self._now(), "person": who.person, "token": who.duty_token}
            await self._ask_for_no_round(RequestRole.DEALER, ActName.SIGN_OUT, request)

    async def _ask_for_no_round(
        self, role: RequestRole, name: ActName, request: dict[str, Any]
    ) -> Answer | NotAnswered:
        """Ask for what belongs to no round: where the table went on meanwhile, the same again at its round."""
        answer = await self._table.ask(role, name, request)
        if isinstance(answer, Answer) and isinstance(answer.refusal, OtherRound):
            stands = {"shoe": answer.refusal.table_shoe, "round": answer.refusal.table_round}
            answer = await self._table.ask(role, name, {**request, **stands, "request_id": self._new_id()})
        return answer

    def _now(self) -> dict[str, Any]:
        """A new request for the shoe and the round that the table is at."""
        state = self._followed.state
        return {
            "request_id": self._new_id(),
            "shoe": 0 if state is None else state.shoe,
            "round": 0 if state is None else state.round,
        }

    async def dealer(self, who: Dealer, form: DealerForm) -> Answer | NotAnswered:
        return await self._act(RequestRole.DEALER, form, {"person": who.person, "token": who.duty_token})

    async def supervisor(self, _who: Dealer, form: SupervisorForm) -> Answer | NotAnswered:
        return await self._act(RequestRole.SUPERVISOR, form, {"person": form.person, "pin": form.pin})

    async def _act(self, role: RequestRole, form: ActForm, who: dict[str, str]) -> Answer | NotAnswered:
        if form.act not in acts_of(role):
            # It becomes part of a topic, so it may not be anything else.
            return refused(UnknownRequest(), form.request_id)
        request = {
            "request_id": form.request_id,
            "shoe": form.shoe,
            "round": form.round,
            "reason": form.reason,
            "details": form.details,
        }
        if form.act == ActName.SIGN_IN:
            return await self._ask_for_no_round(role, ActName.SIGN_IN, request | who)
        return await self._table.ask(role, form.act, request | who)

    async def wagers(self, _who: Dealer, form: WagersForm) -> Answer | NotAnswered:
        request = {
            "request_id": form.request_id,
            "shoe": form.shoe,
            "round": form.round,
            "seat": form.seat,
            "stakes": form.stakes,
        }
        return await self._table.ask(RequestRole.WAGERS, PLACE, request)
