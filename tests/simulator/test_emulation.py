"""The emulated shoe without its port, on virtual time: stages, body, memory, dealer, faults by plan and by chance."""

import random
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import msgspec
import pytest

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    Button,
    CardDrawn,
    CardIdentified,
    Fault,
    FaultCleared,
    FaultCode,
    GateChanged,
    Hand,
    LidChanged,
    ResultIndicated,
    StartCause,
    Started,
)
from firmware_protocol.link import DesiredShoe, Lamp, LineError
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.shoe import ShoeTimings
from simulator.dealer import AS_FAST_AS_THE_LINE, Pace
from simulator.emulation import EmulationSettings
from simulator.faults import FAULTS
from simulator.firmware import Stage
from simulator.laid_cards import cards_to_burn
from simulator.scenario import PlannedFault, planned
from simulator.shoe_line import BACKLOG, Wire, WireSettings
from simulator.truth import CardOut, CutCardOut, FaultInjected, LampsChanged, Loaded, RoundAbandoned, RoundEnded
from simulator.virtual_shoe import CannotError
from tests.simulator.agreement import assert_agreement
from tests.simulator.virtual_table import KEY, VirtualTable

NATIVE = WireSettings(wire=Wire.NATIVE, key=KEY)
ANGEL_EYE = WireSettings(wire=Wire.ANGEL_EYE, disclosing=Disclosing.AT_RESULT)
WIRES = [pytest.param(NATIVE, id="native"), pytest.param(ANGEL_EYE, id="angel_eye")]


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split()))


def by_hand(wire: WireSettings, text: str | None = None) -> VirtualTable:
    table = VirtualTable(
        EmulationSettings(wire=wire, seed=5, decks=1, cards=None if text is None else cards(text), speed=None)
    )
    table.run_for(1)
    return table


def draw(table: VirtualTable, times: int = 1) -> None:
    for _ in range(times):
        table.emulation.draw(table.now)
        table.run_for(1)


# --- stages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", Card)
def test_the_first_card_says_how_many_are_burned(card: Card) -> None:
    number = cards_to_burn(card)
    assert number == {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card.rank.value, 0) or int(card.rank.value)


@pytest.mark.parametrize("wire", WIRES)
def test_a_new_shoe_burns_and_then_deals(wire: WireSettings) -> None:
    table = by_hand(wire, "3C 9H 9D 9S 2C 3C 6H 6D")
    stages = []
    for _ in range(8):
        stages.append(table.emulation.shoe.firmware.stage)
        draw(table)
    assert stages == [Stage.FIRST_CARD, *[Stage.BURNING] * 3, Stage.READY, *[Stage.DEALING] * 3]
    assert table.emulation.shoe.firmware.stage is Stage.COMPLETE
    drawn = [event for event in table.seen if isinstance(event, CardDrawn)]
    assert drawn[0].first_of_shoe
    assert drawn[0].card is Card("3C")
    assert [event.burns_left for event in drawn[1:4]] == [2, 1, 0]
    places = [(event.hand, event.position) for event in drawn[4:]]
    assert places == [(Hand.PLAYER, 1), (Hand.BANKER, 1), (Hand.PLAYER, 2), (Hand.BANKER, 2)]


def test_an_angel_eye_shoe_begins_new_cards_with_start_up_and_not_twice() -> None:
    table = by_hand(ANGEL_EYE)
    table.emulation.press(Button.NEW_SHOE, table.now)
    table.run_for(1)
    assert sum(isinstance(event, Started) for event in table.seen) == 1
    draw(table)
    table.emulation.new_cards(table.now)
    table.run_for(1)
    assert sum(isinstance(event, Started) for event in table.seen) == 2
    assert table.emulation.shoe.firmware.stage is Stage.FIRST_CARD


@pytest.mark.parametrize("wire", WIRES)
def test_the_burn_button_between_two_rounds_burns_the_next_card_and_no_other(wire: WireSettings) -> None:
    table = by_hand(wire, "AC 9H KC 9D KD KH 5H 4H 3H 2H")
    draw(table, 2)
    table.emulation.press(Button.BURN, table.now)
    draw(table, 3)
    hands = [event.hand for event in table.seen if isinstance(event, CardDrawn)]
    assert hands == [Hand.BURN] * 3 + [Hand.PLAYER, Hand.BANKER]
    table.emulation.press(Button.BURN, table.now)
    draw(table)
    assert table.emulation.shoe.firmware.hand(Hand.PLAYER) == (Card("9D"), Card("KH")), "in a round it burns nothing"
    table.run_for(5)
    assert_agreement(table.truth, table.seen)


@pytest.mark.parametrize("wire", WIRES)
def test_an_over_drawn_card_carried_over_begins_the_next_round(wire: WireSettings) -> None:
    table = by_hand(wire, "AC 9H KC 9D KD KH 5H 4H 3H 2H")
    draw(table, 7)
    shoe = table.emulation.shoe
    assert FaultCode.OVER_DRAW in shoe.firmware.standing
    table.emulation.clear(table.now, carry_over=True)
    table.emulation.press(Button.RESULT, table.now)
    out = shoe.cards_out
    draw(table)
    assert shoe.cards_out == out
    assert shoe.firmware.hand(Hand.PLAYER) == (Card("5H"),)
    draw(table)
    assert shoe.firmware.hand(Hand.BANKER) == (Card("4H"),)
    table.run_for(5)
    assert_agreement(table.truth, table.seen)


def test_the_shoe_keeps_faces_to_itself_until_the_result_in_the_order_of_the_draw() -> None:
    table = by_hand(ANGEL_EYE, "AC 9H KC 9D KD KH 5H")
    draw(table, 6)
    assert all(event.card is None for event in table.seen if isinstance(event, CardDrawn) and not event.first_of_shoe)
    table.emulation.press(Button.RESULT, table.now)
    table.run_for(5)
    told = [(event.hand, event.position, event.card) for event in table.seen if isinstance(event, CardIdentified)]
    assert told == [
        (Hand.PLAYER, 1, Card("KC")),
        (Hand.BANKER, 1, Card("9D")),
        (Hand.PLAYER, 2, Card("KD")),
        (Hand.BANKER, 2, Card("KH")),
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_a_result_asked_without_a_round_is_a_misused_button(wire: WireSettings) -> None:
    table = by_hand(wire)
    table.emulation.press(Button.RESULT, table.now)
    table.run_for(1)
    assert [event.code for event in table.seen if isinstance(event, Fault)] == [FaultCode.BUTTON_MISUSED]
    assert not any(isinstance(event, ResultIndicated) for event in table.seen)
    table.emulation.clear(table.now)
    table.run_for(1)
    assert [event.code for event in table.seen if isinstance(event, FaultCleared)] == [FaultCode.BUTTON_MISUSED]


@pytest.mark.parametrize("wire", WIRES)
def test_a_round_ended_by_force_has_no_winner(wire: WireSettings) -> None:
    table = by_hand(wire, "AC 9H KC 8D KD 6H 5H")
    draw(table, 4)
    table.emulation.press(Button.RESULT, table.now, held=True)
    table.run_for(5)
    (result,) = [event for event in table.seen if isinstance(event, ResultIndicated)]
    assert result.winner is None
    (ended,) = [happening for happening in table.truth if isinstance(happening, RoundEnded)]
    assert (ended.player, ended.banker) == (cards("KC"), cards("8D"))


@pytest.mark.parametrize("wire", WIRES)
def test_cards_drawn_in_error_mode_belong_to_no_hand(wire: WireSettings) -> None:
    table = by_hand(wire, "AC 9H KC 8D KD 6H 5H")
    draw(table, 3)
    table.emulation.inject("misread", table.now)
    draw(table, 2)
    assert [event.hand for event in table.seen if isinstance(event, CardDrawn)][-1] is Hand.EXTRA
    assert_agreement(table.truth, table.seen)


# --- the body --------------------------------------------------------------------------------------------------


def test_the_gate_follows_the_controller_and_says_so() -> None:
    table = by_hand(NATIVE)
    lamps = frozenset({Lamp.ALERT, Lamp.BANKER})
    table.controller.want(DesiredShoe(gate_locked=True, lamps=lamps, next_hand=Hand.BANKER), table.now)
    table.run_for(1)
    shoe = table.emulation.shoe
    assert (shoe.gate_locked, shoe.lamps, shoe.next_hand) == (True, lamps, Hand.BANKER)
    assert [event.locked for event in table.seen if isinstance(event, GateChanged)] == [True]
    assert [happening.lit for happening in table.truth if isinstance(happening, LampsChanged)] == [
        (Lamp.ALERT, Lamp.BANKER)
    ]
    with pytest.raises(CannotError, match="gate is locked"):
        table.emulation.draw(table.now)


@pytest.mark.parametrize("restarted", [True, False])
def test_the_unlocked_gate_of_an_earlier_session_lets_no_card_out(restarted: bool) -> None:  # noqa: FBT001 - two cases
    table = by_hand(NATIVE)
    draw(table, 1)
    without_desire = NativeController(key=NATIVE.key, nonce=lambda: bytes(16))
    table.replace_controller(without_desire)
    if restarted:
        table.emulation.shoe.power_off(table.now)
        table.emulation.shoe.power_on(StartCause.RESET_BUTTON, table.now)
    table.run_for(1)
    assert table.emulation.shoe.link_up
    assert not table.emulation.shoe.gate_locked
    with pytest.raises(CannotError, match="gate is locked"):
        table.emulation.draw(table.now)
    without_desire.want(DesiredShoe(gate_locked=False), table.now)
    table.run_for(1)
    table.emulation.draw(table.now)


def test_a_shoe_that_never_locks_its_gate_deals_without_a_controller() -> None:
    wire = msgspec.structs.replace(NATIVE, timings=ShoeTimings(lock_gate_after=None))
    table = VirtualTable(EmulationSettings(wire=wire, seed=5, decks=1, speed=None), attached=False)
    table.emulation.draw(table.now)


def test_an_angel_eye_host_locks_the_gate_and_clears_errors_by_command() -> None:
    table = by_hand(ANGEL_EYE)
    link = AngelEyeController(commands=True)
    table.replace_controller(link)
    link.want(DesiredShoe(gate_locked=True), table.now)
    table.run_for(1)
    assert table.emulation.shoe.gate_locked
    table.emulation.press(Button.RESULT, table.now)
    table.run_for(1)
    link.clear_error(FaultCode.BUTTON_MISUSED, table.now)
    table.run_for(1)
    assert table.emulation.shoe.firmware.standing == {}


def test_the_gate_locks_by_itself_when_the_controller_is_silent() -> None:
    table = by_hand(NATIVE)
    table.pull_out()
    table.run_for(4)
    table.plug_in()
    table.run_for(2)
    assert [event.locked for event in table.seen if isinstance(event, GateChanged)] == [True, False]


def test_the_lid_is_told_of_and_stops_the_cards() -> None:
    table = by_hand(NATIVE)
    table.emulation.move_lid(table.now, opened=True)
    table.emulation.move_lid(table.now, opened=True)
    with pytest.raises(CannotError, match="lid is open"):
        table.emulation.draw(table.now)
    table.emulation.move_lid(table.now, opened=False)
    table.run_for(1)
    assert [event.opened for event in table.seen if isinstance(event, LidChanged)] == [True, False]


def test_without_power_nothing_works_and_nothing_is_lost() -> None:
    table = by_hand(NATIVE)
    draw(table)
    table.pull_out()
    table.emulation.draw(table.now)
    table.emulation.power_off(table.now)
    for act in (table.emulation.draw, table.emulation.clear, table.emulation.turn_gate_key):
        with pytest.raises(CannotError, match="no power"):
            act(table.now)
    table.run_for(10)
    table.emulation.power_on(table.now)
    table.emulation.power_on(table.now)
    table.plug_in()
    table.run_for(5)
    assert_agreement(table.truth, table.seen)
    assert sum(isinstance(event, Started) for event in table.seen) == 2


@pytest.mark.parametrize("wire", WIRES)
def test_a_restart_forgets_the_round_but_not_the_burn(wire: WireSettings) -> None:
    table = by_hand(wire, "3C 9H 9D 9S 2C 3C 6H 6D 9C 9S 8C 7C")
    draw(table, 2)
    table.emulation.reboot(table.now)
    table.run_for(1)
    assert table.emulation.shoe.firmware.burns_left == 2
    draw(table, 4)
    table.emulation.reboot(table.now)
    assert table.emulation.shoe.firmware.stage is Stage.READY
    assert any(isinstance(happening, RoundAbandoned) for happening in table.truth)


def test_a_store_that_nobody_empties_stops_the_shoe_before_a_card_is_lost() -> None:
    timings = ShoeTimings(lock_gate_after=None)
    wire = WireSettings(wire=Wire.NATIVE, key=KEY, store_capacity=40, timings=timings)
    table = by_hand(wire)
    table.pull_out()
    with pytest.raises(CannotError, match="the event store is full"):
        draw(table, 60)
    assert table.emulation.shoe.cards_out > 10
    table.plug_in()
    table.run_for(5)
    assert table.emulation.shoe.why_no_card is None
    assert_agreement(table.truth, table.seen)


# --- the dealer ------------------------------------------------------------------------------------------------


def dealing(wire: WireSettings, **more: object) -> VirtualTable:
    settings = {"wire": wire, "seed": 5, "decks": 1, "shoes": 1, **more}
    return VirtualTable(EmulationSettings(**settings))  # type: ignore[arg-type]


def finish(table: VirtualTable) -> None:
    table.run_until(lambda: table.emulation.dealer.finished)
    table.run_for(3)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("speed", [0.5, 1.0, 20.0, AS_FAST_AS_THE_LINE])
def test_the_cards_do_not_depend_on_the_speed(wire: WireSettings, speed: float) -> None:
    table, usual = dealing(wire, speed=speed), dealing(wire)
    finish(table)
    finish(usual)
    assert [out.card for out in table.cards_out()] == [out.card for out in usual.cards_out()]
    assert_agreement(table.truth, table.seen)


def test_a_person_takes_a_person_s_time() -> None:
    table = dealing(NATIVE)
    finish(table)
    pace = Pace()
    rounds = [happening.t for happening in table.truth if isinstance(happening, RoundEnded)]
    shortest = 3 * pace.card + pace.result + pace.wagers
    assert min(later - earlier for earlier, later in pairwise(rounds)) > shortest * 0.7


@pytest.mark.parametrize("seed", range(6))
def test_the_round_after_the_cut_card_is_the_last(seed: int) -> None:
    table = dealing(NATIVE, seed=seed, shoes=4, speed=AS_FAST_AS_THE_LINE)
    finish(table)
    dealt = 0
    wanted: int | None = None
    shoes = 0
    in_round = False
    for happening in table.truth:
        match happening:
            case CardOut(to=Hand.PLAYER | Hand.BANKER):
                in_round = True
            case RoundEnded():
                in_round = False
                dealt += 1
            case CutCardOut():
                wanted = dealt + (2 if in_round else 1)
            case Loaded() if wanted is not None:
                assert dealt == wanted
                wanted, shoes = None, shoes + 1
    assert shoes == 3
    assert dealt == wanted


def test_every_round_the_dealer_deals_is_legal() -> None:
    table = dealing(NATIVE, shoes=5, decks=2, speed=AS_FAST_AS_THE_LINE)
    finish(table)
    ended = [happening for happening in table.truth if isinstance(happening, RoundEnded)]
    assert len(ended) > 60
    assert all(happening.winner is not None for happening in ended)


def test_the_dealer_waits_while_the_gate_is_locked() -> None:
    table = dealing(NATIVE, speed=20.0)
    table.run_until(lambda: table.emulation.shoe.cards_out >= 12)
    table.controller.want(DesiredShoe(gate_locked=True), table.now)
    table.run_for(1)
    out = table.emulation.shoe.cards_out
    table.run_for(120)
    assert table.emulation.shoe.cards_out == out
    table.controller.want(DesiredShoe(gate_locked=False), table.now)
    finish(table)
    assert_agreement(table.truth, table.seen)


def test_the_dealer_does_not_begin_before_somebody_is_on_the_line() -> None:
    table = VirtualTable(EmulationSettings(wire=ANGEL_EYE, seed=5), attached=False)
    table.run_for(100)
    assert table.emulation.shoe.cards_out == 0
    table.plug_in()
    table.run_for(100)
    assert table.emulation.shoe.cards_out > 5


def test_at_full_speed_the_line_holds_the_dealer_back() -> None:
    table = dealing(NATIVE, decks=8, speed=AS_FAST_AS_THE_LINE)
    most = 0
    while not table.emulation.dealer.finished:
        table.run_for(0.001)
        most = max(most, len(table.emulation.shoe.line.store.events))
    assert most < BACKLOG + 32


def test_an_exact_list_is_dealt_to_its_last_card() -> None:
    table = VirtualTable(EmulationSettings(wire=NATIVE, cards=cards("AC 9H KC 8D KD 6H"), seed=1))
    finish(table)
    assert [out.card for out in table.cards_out()] == list(cards("AC 9H KC 8D KD 6H"))
    assert sum(isinstance(event, ResultIndicated) for event in table.seen) == 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("text", ["AC", "AC 9H", "5C 9H", "AC 9H KC", "AC 9H KC 8D KD"])
def test_a_list_that_ends_too_soon_ends_the_round_by_force(wire: WireSettings, text: str) -> None:
    table = VirtualTable(EmulationSettings(wire=wire, cards=cards(text), seed=1, speed=AS_FAST_AS_THE_LINE))
    finish(table)
    assert table.emulation.shoe.cards_out == len(text.split())


# --- faults by plan and by chance --------------------------------------------------------------------------------


def test_a_fault_by_chance_happens_so_often_and_no_more() -> None:
    fault = PlannedFault(kind=FAULTS["undisclosed"], chance=0.5, times=4)
    table = dealing(NATIVE, decks=2, faults=(fault,), speed=AS_FAST_AS_THE_LINE)
    finish(table)
    assert sum(isinstance(happening, FaultInjected) for happening in table.truth) == 4


def test_chance_is_decided_by_the_seed_alone() -> None:
    fault = PlannedFault(kind=FAULTS["bytes_corrupted"], chance=0.1, bytes=1)
    runs = [dealing(NATIVE, faults=(fault,)) for _ in range(2)]
    for run in runs:
        finish(run)
    assert runs[0].traffic == runs[1].traffic
    assert any(isinstance(item, LineError) for item in runs[0].seen)
    assert_agreement(runs[0].truth, runs[0].seen)


def test_noise_on_the_line_does_not_change_the_cards() -> None:
    fault = PlannedFault(kind=FAULTS["bytes_lost"], chance=0.2, bytes=2)
    noisy, quiet = dealing(NATIVE, faults=(fault,)), dealing(NATIVE)
    finish(noisy)
    finish(quiet)
    assert [out.card_id for out in noisy.cards_out()] == [out.card_id for out in quiet.cards_out()]


@pytest.mark.parametrize("from_host", [False, True])
def test_both_directions_may_be_bad(*, from_host: bool) -> None:
    fault = PlannedFault(kind=FAULTS["silence"], at_card=12, times=1, seconds=6.0, from_host=from_host)
    table = dealing(NATIVE, faults=(fault,))
    finish(table)
    assert_agreement(table.truth, table.seen)
    assert any(isinstance(event, GateChanged) and event.locked for event in table.seen)


def test_a_fault_at_a_byte_hits_that_byte() -> None:
    fault = PlannedFault(kind=FAULTS["bytes_corrupted"], at_byte=300, times=1, bytes=1)
    good, bad = dealing(ANGEL_EYE), dealing(ANGEL_EYE, faults=(fault,))
    finish(good)
    finish(bad)
    sent = [b"".join(carried.data for carried in table.traffic if carried.sender == "shoe") for table in (good, bad)]
    differing = [place for place, (one, other) in enumerate(zip(*sent, strict=True), start=1) if one != other]
    assert differing == [300]


def test_what_was_armed_can_be_taken_back() -> None:
    table = by_hand(NATIVE)
    table.emulation.inject("misread", table.now)
    assert [kind.name for kind in table.emulation.plan.armed] == ["misread"]
    table.emulation.disarm()
    assert table.emulation.plan.armed == []


def test_an_unknown_fault_is_refused() -> None:
    table = by_hand(NATIVE)
    with pytest.raises(CannotError, match="no fault 'bogus'; there are: over_draw_burned"):
        table.emulation.inject("bogus", table.now)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("seed", range(4))
def test_everything_at_random_and_the_shoe_goes_on(wire: WireSettings, seed: int) -> None:
    """People and faults do whatever they like; the shoe refuses or obeys, and on the native wire no card is lost."""
    chance = random.Random(seed)  # noqa: S311 -- a test that must repeat itself
    table = VirtualTable(EmulationSettings(wire=wire, seed=seed, decks=2, speed=20.0))
    emulation = table.emulation
    names = [name for name in FAULTS if name != "duplicate_card"]
    acts: list[Callable[[], None]] = [
        lambda: emulation.draw(table.now),
        lambda: emulation.press(chance.choice(list(Button)), table.now, held=chance.random() < 0.5),
        lambda: emulation.clear(table.now, carry_over=chance.random() < 0.5),
        lambda: emulation.turn_gate_key(table.now),
        lambda: emulation.move_lid(table.now, opened=chance.random() < 0.5),
        lambda: emulation.inject(chance.choice(names), table.now),
        lambda: emulation.reboot(table.now),
        lambda: emulation.power_off(table.now),
        lambda: emulation.power_on(table.now),
        lambda: emulation.let_dealer(table.now, deal=chance.random() < 0.8),
    ]
    for _ in range(250):
        with suppress(CannotError):
            chance.choice(acts)()
        table.run_for(chance.choice([0.0, 0.1, 1.0, 10.0]))
    emulation.power_on(table.now)
    table.run_for(60)
    emulation.let_dealer(table.now, deal=False)
    table.run_for(10)
    assert any(isinstance(happening, CardOut) for happening in table.truth)
    if wire.wire is Wire.NATIVE:
        assert_agreement(table.truth, table.seen)


def test_a_planned_fault_has_its_usual_length() -> None:
    assert planned("silence").seconds == FAULTS["silence"].seconds
    assert planned("bytes_delayed").bytes == FAULTS["bytes_delayed"].bytes
