"""What each seat had at which moment of a round: what was changed after the first card had left does not count."""

from collections.abc import Iterable, Mapping

from simulator.reckoner.mismatch import MismatchError
from simulator.reckoner.settlement import Wager

ROUNDED = 2
"""Milliseconds by which the time of an event may differ from that of its cause."""
LONG_AGO = -(10**18)

Wagers = tuple[Wager, ...]


class SeatHistory:
    def __init__(self, standing: Mapping[str, Wagers] | None = None) -> None:
        self.first_card: int | None = None
        """When it left the shoe, where a wager was late for it."""
        self.times_are_known = True
        """Nobody has set the clock since the wagers were opened."""
        self._began = dict(standing or {})
        self._changes: dict[str, list[tuple[int, Wagers]]] = {}

    def changed(self, seat: str, time: int, wagers: Wagers) -> None:
        self._changes.setdefault(seat, []).append((time, wagers))

    def decided(self, seat: str, wager: str, standing: Wagers) -> None:
        """Supervisors have said what this wager of the seat is, whatever it was before."""
        said = tuple(each for each in standing if each.wager == wager)

        def with_said(wagers: Wagers) -> Wagers:
            return (*(each for each in wagers if each.wager != wager), *said)

        self._began[seat] = with_said(self._began.get(seat, ()))
        self._changes[seat] = [(time, with_said(wagers)) for time, wagers in self._changes.get(seat, ())]

    def check_late(self, seats: Iterable[str], standing: Mapping[str, Wagers]) -> None:
        """What was late is returned, and nothing else."""
        for seat in seats:
            possible = [set(wagers) for wagers in self._had(seat)]
            if set(standing.get(seat, ())) not in possible:
                raise MismatchError(f"seat {seat} is left {standing.get(seat)}; when the card left it was {possible}")

    def _had(self, seat: str) -> list[Wagers]:
        """What the seat can have had when the first card left."""
        had = [(LONG_AGO, self._began.get(seat, ())), *self._changes.get(seat, [])]
        if self.first_card is None or not self.times_are_known:
            return [wagers for _, wagers in had]
        until = [*(time for time, _ in had[1:]), -LONG_AGO]
        return [
            wagers
            for (since, wagers), end in zip(had, until, strict=True)
            if since <= self.first_card + ROUNDED and end >= self.first_card - ROUNDED
        ]
