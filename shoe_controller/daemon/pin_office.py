"""The one place where PINs are checked. What it answers, and when, does not show whether there is such a person."""

from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2s

from shoe_controller.config.people import Person
from shoe_controller.config.pins import NOBODY, check_pin
from shoe_controller.messages.acts import Role
from shoe_controller.table.inputs import PinVerdict

InThread = Callable[[Callable[[str, str], bool], str, str], Awaitable[bool]]
"""Runs a slow check of a PIN beside the event loop."""


class PeoplesPins:
    """A `PinOffice` for the people of a table's file."""

    def __init__(self, people: Callable[[], Sequence[Person]], in_thread: InThread) -> None:
        self._people = people
        self._in_thread = in_thread

    def recorded_as(self, person: str) -> str:
        """An id that no person has is replaced: somebody may have typed a PIN in its place."""
        if any(someone.id == person for someone in self._people()):
            return person
        return f"unknown-{self._digest(person) & 0xFFFF:04x}"

    async def verdict(self, person: str, pin: str, role: Role) -> PinVerdict:
        # A supervisor may do what a dealer may.
        roles = (role, Role.SUPERVISOR)
        people = self._people()
        someone = next((each for each in people if each.id == person), None)
        # Hashes of earlier versions take less time: for an unknown name, a hash is checked that somebody here has.
        likeness = someone or (people[self._digest(person) % len(people)] if people else None)
        right = await self._in_thread(check_pin, pin, NOBODY if likeness is None else likeness.pin.reveal())
        known = someone is not None and someone.role in roles
        return PinVerdict.RIGHT if right and known else PinVerdict.WRONG

    def _digest(self, name: str) -> int:
        """The same for a name at every start, and nothing that the name could be guessed from without the hashes."""
        key = blake2s("".join(someone.pin.reveal() for someone in self._people()).encode()).digest()
        return int.from_bytes(blake2s(name.encode(errors="replace"), key=key, digest_size=8).digest())
