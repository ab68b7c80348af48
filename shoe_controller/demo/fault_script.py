"""What goes wrong at one table, one thing after another: the next when the last is over and a round was settled since.

What people get wrong they do themselves (`people.py`). A fault of the shoe is requested in the middle of a round, when
every card that is out has arrived: a card that is just on its way when an Angel Eye shoe loses its power would be lost
without a trace, and could not be shown to be caught.
"""

from collections.abc import Callable
from functools import partial

from shoe_controller.demo.chosen_faults import ENTRIES
from shoe_controller.demo.display import TableWatch
from shoe_controller.demo.event_lines import FAULT, StyledText
from shoe_controller.demo.fault_book import FaultBook
from shoe_controller.demo.faults import FAULT_PANEL, FAULTS
from shoe_controller.demo.people import People
from shoe_controller.demo.truth import Truth

CARDS_OUT = 2
"""Cards of the round that lie on the table when a fault is requested."""

MOST_ROUNDS = 5
"""Settled rounds that may pass until a fault is noticed: the ninth copy of a face must first come nine times."""


class FaultScript:
    def __init__(  # noqa: PLR0913 - what is seen, who acts, and where it is shown, each given by name
        self,
        names: tuple[str, ...],
        *,
        watch: TableWatch,
        truth: Truth,
        people: People,
        press: Callable[[str], None],
        say: Callable[[StyledText], None],
    ) -> None:
        self._names = names
        self._watch = watch
        self._truth = truth
        self._people = people
        self._press = press
        self._say = say
        self._asked = 0
        self._settled_before = -1
        """Rounds that were settled when the last fault happened."""
        self.book = FaultBook()

    def injected(self, name: str) -> None:
        """The shoe has this fault now; one that was not requested here is part of what people do."""
        if len(self.book) < self._asked and self._names[self._asked - 1] == name:
            self._happened("FAULT", name, self._watch.last_seq)

    def _happened(self, kind: str, name: str, last_seq: int) -> None:
        self.book.happened(name, last_seq)
        self._settled_before = self._watch.results
        place = f"{len(self.book)} of {len(self._names)}"
        self._say(StyledText(f"{kind} {place}, {name}: {ENTRIES[name].what}", FAULT))

    def _ended(self, put_right: bool) -> None:  # noqa: FBT001 - called with it alone
        """People are done with the last one; a round has to be dealt after it."""
        self._settled_before = self._watch.results
        if not put_right:
            self.book.abandoned()

    @property
    def all_over(self) -> bool:
        """All have happened, no alert stands any more, and a round was dealt and published since."""
        return len(self.book) >= len(self._names) and self._last_is_over()

    def look(self) -> None:
        """Something has changed; perhaps it is time for the next."""
        # A requested fault may still be waiting for its moment.
        waits = len(self.book) < self._asked
        if waits or self._asked == len(self._names) or not self._last_is_over():
            return
        name = self._names[self._asked]
        if name not in FAULTS:
            self._people.ask_for(name, partial(self._happened, "IRREGULARITY", name), self._ended)
        elif self._in_mid_round():
            self._press(FAULT_PANEL + FAULTS[name].key)
        else:
            return
        self._asked += 1

    def _last_is_over(self) -> bool:
        state = self._watch.state
        if state is None or state.seq < self._watch.last_seq or state.phase == "ended":
            # The state is older than the last event, or the next shoe is still to come.
            return False
        quiet = state.link_up and not state.alerts and not self._people.busy
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
