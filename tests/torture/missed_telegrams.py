"""What an Angel Eye table can and cannot notice of telegrams that it never received.

The wire numbers its telegrams with one digit, so nine missed ones in a row leave no gap in the numbers. Every stretch
of telegrams of a whole shoe is left out once, in pure code: the same link and table as in the daemon get the rest, and
it is written down what they make of it.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.sequence import AngelEyeState
from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.link import Delivery, EventGap
from shoe_controller.clock.moment import Moment
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.alerts import Severity
from shoe_controller.messages.facts import AlertRaised, AnyFact, RoundResult
from shoe_controller.messages.phases import Phase
from shoe_controller.table.inputs import AnyInput, ControllerStarted, EventsMissed, LinkBack, PersonActs, ShoeReport
from shoe_controller.table.state import REVISION, RulesSource, TableState
from shoe_controller.table.table import Table
from simulator.emulation import EmulationSettings
from simulator.shoe_line import Wire, WireSettings
from tests.simulator.virtual_table import VirtualTable

BOOT = "one and the same power-up"
LOOK_AHEAD = 45
"""Telegrams after the stretch, three rounds or more, in which it must be noticed."""


class Telegram(NamedTuple):
    t: float
    data: bytes

    @property
    def letter(self) -> str:
        """What kind it is: D a card, I a face, G a result."""
        return chr(self.data[2])


class Missed(Enum):
    """How telegrams go by unheard."""

    SILENCE = "the line fell silent, and nobody could tell"
    AWAY = "the controller was away, and knows it"


class Verdict(NamedTuple):
    """What became of a stretch that was missed."""

    phase: Phase
    """In which the table was when it began."""
    letters: str
    noticed_after: int | None
    """Telegrams that were received until an alert stopped the table; `None` if none did."""
    alert: str
    results_before: int
    """Results that were published between the stretch and the alert."""


class _Listener:
    """The link and the table, and what the daemon does between them."""

    def __init__(self, rules: RulesSource, state: TableState, link: AngelEyeController, joined_at: float) -> None:
        self.table = Table(read_rules, state)
        self.link = link
        self._rules = rules
        link.connected(joined_at)

    def hear(self, telegram: Telegram) -> list[AnyFact]:
        facts: list[AnyFact] = []
        for item in self.link.receive(telegram.data, telegram.t):
            if isinstance(item, EventGap):
                facts += self.take(EventsMissed(reason=item.reason), telegram.t)
            elif isinstance(item, Delivery):
                facts += self.take(ShoeReport(event=item.event, sequence=item.sequence), telegram.t)
                self.link.committed(item, telegram.t)
        return facts

    def take(self, given: AnyInput, t: float) -> list[AnyFact]:
        at = Moment(wall_ms=round(t * 1000), mono_ns=round(t * 1e9), synchronised=True)
        if isinstance(given, PersonActs | ShoeReport) and self.table.opens_shoe(given, at):
            given = self.table.new_shoe(self._rules, given)
        handled = self.table.handle(given, at)
        self.table.take_over(handled)
        return list(handled.facts)


class _Before(NamedTuple):
    """How things stood before a telegram."""

    state: TableState
    link: AngelEyeState
    received_at: float


def telegrams_of_a_shoe(seed: int, disclosing: Disclosing) -> list[Telegram]:
    """Each telegram once, when it came, of a whole shoe at a person's pace."""
    wire = WireSettings(wire=Wire.ANGEL_EYE, disclosing=disclosing, copies=1)
    table = VirtualTable(EmulationSettings(wire=wire, seed=seed, speed=1.0, shoes=1))
    table.run_until(lambda: table.emulation.dealer.finished)
    table.run_for(10.0)
    return [Telegram(carried.t, carried.data) for carried in table.traffic if carried.sender == "shoe"]


class Shoe:
    """A whole shoe, received once without a gap; then stretches of it can be missed."""

    def __init__(self, telegrams: Sequence[Telegram], rules: RulesSource) -> None:
        self.telegrams = telegrams
        self.heard: list[AnyFact] = []
        self._rules = rules
        self._before: list[_Before] = []
        listener = _Listener(rules, TableState(), AngelEyeController(), telegrams[0].t)
        listener.take(ControllerStarted(boot=BOOT, revision=REVISION), telegrams[0].t)
        listener.take(LinkBack(keeps_events=False, authenticated=False), telegrams[0].t)
        received_at = telegrams[0].t
        for telegram in telegrams:
            self._before.append(_Before(listener.table.state, listener.link.state, received_at))
            self.heard += listener.hear(telegram)
            received_at = telegram.t

    def misses(self, count: int, how: Missed) -> Iterator[Verdict]:
        """Leave out so many telegrams, from each on but the first two, which open the shoe."""
        for start in range(2, len(self.telegrams) - count - LOOK_AHEAD):
            yield self.miss(start, count, how)

    def miss(self, start: int, count: int, how: Missed) -> Verdict:
        before = self._before[start]
        left_out, rest = self.telegrams[start : start + count], self.telegrams[start + count :]
        back_at = (left_out[-1].t if left_out else before.received_at) + 0.01
        link = AngelEyeController(state=before.link, state_age=back_at - before.received_at)
        listener = _Listener(self._rules, before.state, link, back_at)
        facts: list[AnyFact] = []
        if how is Missed.AWAY:
            facts += listener.take(ControllerStarted(boot=BOOT, revision=REVISION), back_at)
            facts += listener.take(LinkBack(keeps_events=False, authenticated=False), back_at)
        results = 0
        heard = 0
        for telegram in (None, *rest[:LOOK_AHEAD]):
            if telegram is not None:
                facts = listener.hear(telegram)
                heard += 1
            for fact in facts:
                if isinstance(fact, AlertRaised) and fact.alert.severity is Severity.STOPS:
                    return Verdict(before.state.phase, _letters(left_out), heard, fact.alert.kind, results)
                results += isinstance(fact, RoundResult)
        return Verdict(before.state.phase, _letters(left_out), None, "", results)


def _letters(telegrams: Sequence[Telegram]) -> str:
    return "".join(telegram.letter for telegram in telegrams)
