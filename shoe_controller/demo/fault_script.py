"""What goes wrong at one table, one thing after another: the next when the last is over and a round was settled since.

Each is requested in the middle of a round, when every card that is out has arrived: a card that is just on its way when
an Angel Eye shoe loses its power would be lost without a trace, and could not be shown to be caught.
"""

from collections.abc import Callable

from shoe_controller.demo.display import TableWatch
from shoe_controller.demo.fault_book import FaultBook
from shoe_controller.demo.faults import FAULTS
from shoe_controller.demo.truth import Truth

FAULT_PANEL = "f"
"""The key on the emulator's console that asks what should go wrong."""
CARDS_OUT = 2
"""Cards of the round that lie on the table when a fault is requested."""

MOST_ROUNDS = 5
"""Settled rounds that may pass until a fault is noticed: the ninth copy of a face must first come nine times."""


class FaultScript:
    def __init__(self, names: tuple[str, ...], watch: TableWatch, truth: Truth, press: Callable[[str], None]) -> None:
        self._names = names
        self._watch = watch
        self._truth = truth
        self._press = press
        self._asked = 0
        self._settled_before = -1
        """Rounds that were settled when the last fault happened."""
        self.book = FaultBook()

    def happened(self, name: str) -> str:
        """Record that a fault has happened; returns its position, as "2 of 5"."""
        self.book.happened(name, self._watch.last_seq)
        self._settled_before = self._watch.results
        return f"{len(self.book)} of {len(self._names)}"

    @property
    def all_over(self) -> bool:
        """All have happened, no alert stands any more, and a round was dealt and published since."""
        return len(self.book) >= len(self._names) and self._last_is_over()

    def look(self) -> None:
        """Something has changed; perhaps it is time for the next."""
        # A requested fault may still be waiting for its moment.
        waits = len(self.book) < self._asked
        if waits or self._asked == len(self._names) or not self._last_is_over() or not self._in_mid_round():
            return
        self._press(FAULT_PANEL + FAULTS[self._names[self._asked]].key)
        self._asked += 1

    def _last_is_over(self) -> bool:
        state = self._watch.state
        quiet = state is not None and state.link_up and not state.alerts
        rounds = self._watch.rounds_over - self._settled_before
        return quiet and rounds > 0 and (rounds > MOST_ROUNDS or self.book.last_was_caught(self._watch.facts))

    def _in_mid_round(self) -> bool:
        state = self._watch.state
        return (
            state is not None
            and state.phase == "dealing"
            and len(state.cards) >= CARDS_OUT
            and self._truth.in_round
            and self._watch.knows_last_card_of(self._truth)
        )
