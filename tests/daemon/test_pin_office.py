"""PINs are checked alike for names that there are and names that there are not, and no typed name is recorded."""

from collections.abc import Callable
from itertools import count

import pytest

from shoe_controller.config.people import Person
from shoe_controller.config.pins import parse_pin_hash
from shoe_controller.config.secret_files import Secret
from shoe_controller.daemon.pin_office import PeoplesPins
from shoe_controller.messages.acts import Role
from shoe_controller.table.inputs import PinVerdict
from tests.daemon.house_file import quick_hash

pytestmark = pytest.mark.asyncio


class Office:
    def __init__(self, *people: Person) -> None:
        self.costs: list[int] = []
        """What each check cost, as the logarithm that the hash names."""
        self.pins = PeoplesPins(lambda: people, self._in_thread)

    async def _in_thread(self, check: Callable[[str, str], bool], pin: str, hashed: str) -> bool:
        self.costs.append(parse_pin_hash(hashed).log_cost)
        return check(pin, hashed)


def someone(name: str, role: Role, pin: str, log_cost: int = 12) -> Person:
    hashed = parse_pin_hash(quick_hash(pin, name.ljust(16).encode()))
    return Person(name, name, role, Secret(hashed._replace(log_cost=log_cost).text()))


async def test_the_right_pin_in_the_right_role() -> None:
    office = Office(someone("ann", Role.SUPERVISOR, "480612"), someone("dan", Role.DEALER, "2640"))
    verdict = office.pins.verdict
    assert await verdict("ann", "480612", Role.SUPERVISOR) is PinVerdict.RIGHT
    assert await verdict("ann", "480612", Role.DEALER) is PinVerdict.RIGHT
    assert await verdict("dan", "2640", Role.DEALER) is PinVerdict.RIGHT
    for person, pin, role in (
        ("dan", "2640", Role.SUPERVISOR),
        ("ann", "480613", Role.SUPERVISOR),
        ("ann", "", Role.SUPERVISOR),
        ("eve", "480612", Role.SUPERVISOR),
        ("", "480612", Role.SUPERVISOR),
    ):
        assert await verdict(person, pin, role) is PinVerdict.WRONG
    assert office.costs == [12] * 8, "each of them was checked, whatever the name and the PIN"


async def test_an_unknown_name_costs_what_some_person_costs_and_always_the_same() -> None:
    """A file may hold hashes of an earlier version, which are cheaper: their time must not tell names apart."""
    office = Office(someone("ann", Role.SUPERVISOR, "480612", 13), someone("ben", Role.SUPERVISOR, "773501", 12))
    for _ in range(2):
        for number in range(20):
            await office.pins.verdict(f"name-{number}", "000000", Role.SUPERVISOR)
    assert set(office.costs) == {12, 13}
    assert office.costs[:20] == office.costs[20:]


async def test_a_name_that_no_person_has_is_not_recorded_as_it_was_typed() -> None:
    """It may be a PIN that somebody typed in the wrong place."""
    people = (someone("ann", Role.SUPERVISOR, "480612"), someone("dan", Role.DEALER, "2640"))
    office, after_restart, other_house = Office(*people), Office(*people), Office(someone("ann", Role.DEALER, "1357"))
    assert office.pins.recorded_as("ann") == "ann"
    masked = office.pins.recorded_as("480612")
    assert masked.startswith("unknown-")
    assert "480612" not in masked
    assert after_restart.pins.recorded_as("480612") == masked
    assert any(other_house.pins.recorded_as(str(n)) != office.pins.recorded_as(str(n)) for n in range(3))
    # Two names may have one mask: what is recorded leaves too many PINs that it could be.
    seen: dict[str, int] = {}
    assert any(seen.setdefault(office.pins.recorded_as(f"{number:06}"), number) != number for number in count())
