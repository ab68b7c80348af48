"""Wrong tries at a door: after how many of them the next one must wait, and for how long. Pure.

They are counted for each person at each address, and for each address. A stranger makes the address wait from which the
tries come, and nobody elsewhere; an id that does not exist is counted like one that does. `now` is in seconds, by a
clock that only goes forward.
"""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple, TypeVar

FREE = 3
"""Wrong tries of a person at an address without a pause."""

FIRST_PAUSE, LONGEST_PAUSE = 2.0, 300.0
"""Seconds after the next wrong try; each one doubles the pause."""

MOST_OF_ADDRESS = 20
"""Wrong tries from an address, whoever they were for, that lock it out."""

LOCK_OUT = 900.0
"""Seconds for which an address is locked out, and within which its wrong tries count together."""

FORGOTTEN_AFTER = 3600.0
"""Seconds after which wrong tries of a person at an address are forgotten."""

MOST_KEPT = 10_000
"""Of either kind; beyond that the oldest are forgotten. One at a time, as many checks take most of an hour."""


K = TypeVar("K")


class WrongTries(NamedTuple):
    number: int
    last: float


class Tries:
    def __init__(self) -> None:
        self._of_person: dict[tuple[str, str], WrongTries] = {}
        self._of_address: dict[str, WrongTries] = {}

    def wait(self, address: str, person: str, now: float) -> float:
        """Seconds until this person may be tried from this address; 0 for now."""
        network = network_of(address)
        return max(self.locked_out(address, now), self._pause(network, person, now))

    def locked_out(self, address: str, now: float) -> float:
        """Seconds for which this address is still locked out."""
        wrong = self._of_address.get(network_of(address))
        if wrong is None or wrong.number < MOST_OF_ADDRESS:
            return 0.0
        return max(0.0, wrong.last + LOCK_OUT - now)

    def wrong(self, address: str, person: str, now: float) -> None:
        network = network_of(address)
        _count(self._of_person, (network, person), now, FORGOTTEN_AFTER)
        _count(self._of_address, network, now, LOCK_OUT)

    def right(self, address: str, person: str) -> None:
        """Those of this person at this address are forgotten; the address has tried what it has tried."""
        self._of_person.pop((network_of(address), person), None)

    def _pause(self, network: str, person: str, now: float) -> float:
        wrong = self._of_person.get((network, person))
        if wrong is None or wrong.number <= FREE or now - wrong.last >= FORGOTTEN_AFTER:
            return 0.0
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(wrong.number - FREE - 1, 20))
        return max(0.0, wrong.last + pause - now)


def network_of(address: str) -> str:
    """What counts as one address: of the newer kind, the network that one subscriber gets."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), 64), strict=False))


def _count(kept: dict[K, WrongTries], key: K, now: float, together: float) -> None:
    """One more wrong try; those from too long before do not count with it."""
    before = kept.pop(key, None)
    if before is None or now - before.last >= together:
        before = WrongTries(0, now)
    kept[key] = WrongTries(before.number + 1, now)
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
