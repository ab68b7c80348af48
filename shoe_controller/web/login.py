"""Signing in with a password, for the people of a site: who it is, and why not.

Checking takes time and memory on purpose, so it is done in a thread, one at a time, and few may wait for it. An id that
does not exist is checked against a hash of nothing, as long and with the same answer. A password never reaches the log,
nor does an id that is nobody's: it may be a password typed into the wrong field.
"""

import asyncio
import math
from collections.abc import Callable, Iterable

from shoe_controller.baccarat.codes import Code
from shoe_controller.config.passwords import password_fits
from shoe_controller.config.scrypt_hash import ScryptHash
from shoe_controller.config.site_people import SitePerson, SiteRole
from shoe_controller.process.logging import Log
from shoe_controller.web.connections import AddressLimit
from shoe_controller.web.tries import Tries, network_of

MOST_WAITING, MOST_WAITING_OF_ADDRESS = 8, 3
"""Checks that wait or are under way, in all and from one address."""


class LoginFailure(Code, frozen=True):
    """Why a person was not signed in. The words are the page's."""


class WrongPassword(LoginFailure, frozen=True):
    """The id or the password is wrong."""


class TryLater(LoginFailure, frozen=True):
    """There were too many wrong tries; nothing was checked."""

    seconds: int
    """How long to wait."""


class SignInsWaiting(LoginFailure, frozen=True):
    """Too many people are signing in at this moment."""


class OtherRole(LoginFailure, frozen=True):
    """The password is right, and the person has no role at this page."""


AnyLoginFailure = WrongPassword | TryLater | SignInsWaiting | OtherRole


class Login:
    """The door of a page that is for one role."""

    def __init__(self, people: Iterable[SitePerson], role: SiteRole, *, clock: Callable[[], float], log: Log) -> None:
        self._people = {person.id: person for person in people}
        self._role = role
        self._clock = clock
        self._log = log
        self._tries = Tries()
        self._one_at_a_time = asyncio.Lock()
        self._waiting = AddressLimit(MOST_WAITING, MOST_WAITING_OF_ADDRESS)
        costliest = max((person.password.reveal() for person in self._people.values()), key=_cost, default=None)
        self._nobody = ScryptHash.of_nothing() if costliest is None else costliest.of_nothing_like_it()

    @property
    def is_for_nobody(self) -> bool:
        """Whether the file names no person with the role of this page."""
        return not any(self._role in person.roles for person in self._people.values())

    async def sign_in(self, address: str, identity: str, password: str) -> SitePerson | AnyLoginFailure:
        network = network_of(address)
        if not self._waiting.take(network):
            return SignInsWaiting()
        try:
            async with self._one_at_a_time:
                # Asked for only now, so that tries which come together count one after another.
                wait = self._tries.wait(address, identity, self._clock())
                return TryLater(seconds=math.ceil(wait)) if wait else await self._check(address, identity, password)
        finally:
            self._waiting.give_back(network)

    def signed_out(self, address: str, person: SitePerson) -> None:
        self._log.info("signed_out", person=person.id, address=address)

    async def _check(self, address: str, identity: str, password: str) -> SitePerson | AnyLoginFailure:
        person = self._people.get(identity)
        made = self._nobody if person is None else person.password.reveal()
        fits = await asyncio.to_thread(password_fits, password, made)
        if person is None or not fits:
            now = self._clock()
            self._tries.wrong(address, identity, now)
            self._log.warning(
                "sign_in_failed",
                person=None if person is None else person.id,
                address=address,
                wait=math.ceil(self._tries.wait(address, identity, now)),
                locked_out=self._tries.locked_out(address, now) > 0,
            )
            return WrongPassword()
        self._tries.right(address, identity)
        if self._role not in person.roles:
            self._log.warning("sign_in_without_role", person=person.id, address=address)
            return OtherRole()
        self._log.info("signed_in", person=person.id, address=address)
        return person


def _cost(made: ScryptHash) -> int:
    return (1 << made.log_cost) * made.block_size * made.parallel
