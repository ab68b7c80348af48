"""Plans that once broke a promise, each with what it found and the defect as it was. They run with every `make test`.

They are whole plans with the fewest mishaps, not seeds: a seed means another plan whenever `seeds.py` changes. A plan
that no longer finds its defect, put in again, is worth nothing, and a test says so.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.daemon import assembly
from shoe_controller.daemon.engine import Engine
from shoe_controller.messages.details import UnknownCardCarried
from shoe_controller.messages.procedure import BetsClose, Remainder, Reveal
from shoe_controller.table import link_events, shoe_events
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.procedure import GateLocks, OverDrawn, Procedure
from simulator.shoe_line import Wire
from tests.simulation.houses import SimulatedHouse
from tests.simulation.mutations import Mutation, put_in
from tests.simulation.plan import Mishap, Plan

Part = Any
"""As in `mutations.py`."""

HOUSE = SimulatedHouse("commission", "nepal_super_baccarat", "1", "L8-1", "at_once")


class Regression(NamedTuple):
    plan: Plan
    defect: Mutation
    """What it found, to be put in again,"""
    also_in: tuple[object, ...] = ()
    """and the other modules that use the same part."""

    @contextmanager
    def unmended(self) -> Iterator[None]:
        with ExitStack() as stack:
            for owner in (self.defect.owner, *self.also_in):
                stack.enter_context(put_in(self.defect._replace(owner=owner)))
            yield


def _ask_once(original: Part) -> Part:
    def lane_reports(self: Part, reports: Part, now: float) -> Part:
        told = original(self, reports, now)
        self._gate_again_at = None
        return told

    return lane_reports


def _look_at_clock_by_timer(original: Part) -> Part:
    def put(self: Part, work: Part) -> None:
        self._look_at_clock = lambda _now: None
        try:
            original(self, work)
        finally:
            del self._look_at_clock

    return put


def _keep_lid_open(original: Part) -> Part:
    def restarted(draft: Part) -> None:
        lid_open = draft.lasting.lid_open
        original(draft)
        draft.lasting.lid_open = lid_open

    return restarted


def _tell_of_gap_alone(original: Part) -> Part:
    def carried_over(draft: Part, event: Part, age_ms: int) -> None:
        if draft.phase in CARDS_OUT:
            draft.alert("event_gap", UnknownCardCarried())
        else:
            original(draft, event, age_ms)

    return carried_over


def _while_drawn_alone(original: Part) -> Part:
    def counts_remainder(draft: Part, event: Part) -> bool:
        drawn = draft.state.shoe is not None and draft.shoe.run_out is not None
        return drawn and original(draft, event)

    return counts_remainder


def _any_event_will_do(_original: Part) -> Part:
    return lambda opened: bool(opened.reader.position().last_seq)


REGRESSIONS = (
    Regression(
        Plan(
            seed=727,
            house=HOUSE,
            wire=Wire.ANGEL_EYE,
            disclosing=Disclosing.AT_DRAW,
            procedure=Procedure(draw_within=120.0),
            rounds=3,
            cut_card_after=None,
            speed=3.0,
            sync_seconds=0.0005,
            undoes=False,
            mishaps=(Mishap("bytes_lost", entry=53, delay=0.005, seconds=2.2741300322698423, number=360973276),),
        ),
        Mutation(
            "gate_asked_once",
            "an Angel Eye shoe that missed the command to unlock its gate stayed locked until its cable was pulled",
            AngelEyeController,
            "_lane_reports",
            _ask_once,
        ),
    ),
    Regression(
        Plan(
            seed=2634,
            house=HOUSE,
            wire=Wire.ANGEL_EYE,
            disclosing=Disclosing.AT_DRAW,
            procedure=Procedure(
                bets_close=BetsClose.DEALER, reveal=Reveal.AT_RESULT, over_drawn=OverDrawn.USE, draw_within=120.0
            ),
            rounds=3,
            cut_card_after=None,
            speed=8.0,
            sync_seconds=0.0005,
            undoes=False,
            mishaps=(Mishap("clock_steps", entry=10, delay=0.0, seconds=8.6, number=710296970),),
        ),
        Mutation(
            "clock_looked_at_by_timer",
            "a clock that was set was not noticed on a wire without timers",
            Engine,
            "_put",
            _look_at_clock_by_timer,
        ),
    ),
    Regression(
        Plan(
            seed=3143,
            house=HOUSE,
            wire=Wire.NATIVE,
            disclosing=Disclosing.AT_DRAW,
            procedure=Procedure(reveal=Reveal.AT_RESULT, draw_within=60.0),
            rounds=3,
            cut_card_after=None,
            speed=3.0,
            sync_seconds=0.012,
            undoes=False,
            mishaps=(
                Mishap("lid_opened", entry=12, delay=0.0, seconds=1.0, number=1),
                Mishap("power_loss", entry=12, delay=0.3, seconds=2.0, number=1),
            ),
        ),
        Mutation(
            "lid_stays_open",
            "a lid that was closed while the shoe had no power counted as open until it was moved again",
            shoe_events,
            "restarted",
            _keep_lid_open,
        ),
        also_in=(link_events,),
    ),
    Regression(
        Plan(
            seed=9955,
            house=HOUSE,
            wire=Wire.ANGEL_EYE,
            disclosing=Disclosing.AT_RESULT,
            procedure=Procedure(reveal=Reveal.BY_DEALER, draw_within=None),
            rounds=3,
            cut_card_after=22,
            speed=8.0,
            sync_seconds=0.012,
            undoes=True,
            mishaps=(
                Mishap("replayed_frame", entry=8, delay=0.0, seconds=10.991342392718806, number=179384950),
                Mishap("over_draw_carried_over", entry=36, delay=0.0, seconds=8.247668882108485, number=289888181),
                Mishap("silence", entry=47, delay=0.0037, seconds=8.842439004881179, number=54316513),
            ),
        ),
        Mutation(
            "carried_card_is_a_gap",
            "an Angel Eye shoe carried a card over into a round of which the table had seen one card, and the table "
            "could be let go on and settle on it",
            shoe_events,
            "carried_over",
            _tell_of_gap_alone,
        ),
    ),
    Regression(
        Plan(
            seed=79,
            house=HOUSE,
            wire=Wire.NATIVE,
            disclosing=Disclosing.AT_DRAW,
            procedure=Procedure(gate_locks=GateLocks.WHEN_STOPPED, draw_within=60.0),
            rounds=3,
            cut_card_after=19,
            speed=8.0,
            sync_seconds=0.004,
            undoes=False,
            mishaps=(
                Mishap("journal_put_back", entry=0, delay=0.001, seconds=10.9, number=313189219, phase="down"),
                Mishap("journal_damaged", entry=10, delay=0.0, seconds=7.6, number=124608219),
            ),
        ),
        Mutation(
            "damage_not_told",
            "a journal was set aside, the new one was set back to its beginning, and no alert told of the first",
            assembly,
            "_has_events",
            _any_event_will_do,
        ),
    ),
    Regression(
        Plan(
            seed=941,
            house=HOUSE,
            wire=Wire.NATIVE,
            disclosing=Disclosing.AT_RESULT,
            procedure=Procedure(
                bets_close=BetsClose.DEALER,
                over_drawn=OverDrawn.USE,
                draw_within=None,
                dealer_signs_in=True,
                remainder=Remainder.COUNTED,
            ),
            rounds=5,
            cut_card_after=17,
            speed=1.5,
            sync_seconds=0.012,
            undoes=False,
            mishaps=(),
        ),
        Mutation(
            "result_of_counted_cards",
            "the cards that were left were drawn through the reader, and the shoe's result of them stopped the table",
            shoe_events,
            "counts_remainder",
            _while_drawn_alone,
        ),
    ),
)
