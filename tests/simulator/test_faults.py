"""Every fault of the table is seen on the wire for what it is: exactly as the table promises, on each wire."""

from collections import Counter
from functools import cache

import pytest

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, Button, CardDrawn, CardIdentified, Hand, ResultIndicated
from firmware_protocol.link import EventGap, LineError, LinkDown, Refused
from firmware_protocol.native.handshake import SHOE_HAS_ANOTHER_KEY
from firmware_protocol.native.session import FORGED, REPLAYED
from shoe_controller.baccarat.deal import Deal, OutOfTurnError
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import OpenShoe
from shoe_controller.messages.facts import AlertRaised, RoundResult
from simulator.emulation import EmulationSettings
from simulator.fault_effects import FaultEffects
from simulator.faults import FAULTS, Detection, Undetectable, markdown_table
from simulator.line_faults import Trouble
from simulator.scenario import planned
from simulator.shoe_line import Wire, WireSettings
from simulator.truth import CardOut, FaultInjected
from simulator.virtual_shoe import CannotError
from tests.simulator.agreement import (
    SeenCard,
    assert_agreement,
    assert_nothing_invented,
    cards_of_events,
    unknown_faces_in_hands,
)
from tests.simulator.promises import assert_seen_in_order
from tests.simulator.virtual_table import KEY, VirtualTable
from tests.table.sitting import Sitting

WITH_PLACES = [(wire, disclosing) for wire in (Wire.NATIVE, Wire.ANGEL_EYE) for disclosing in Disclosing]
WAYS = [*WITH_PLACES, (Wire.LINES, Disclosing.AT_DRAW)]
CASES = [
    pytest.param(name, wire, disclosing, id=f"{name}-{wire.value}-{disclosing.value}")
    for name, kind in FAULTS.items()
    for wire, disclosing in WAYS
    if isinstance(kind.on(wire), Detection)
]
UNTOLD = [
    pytest.param(name, wire, id=f"{name}-{wire.value}")
    for name, kind in FAULTS.items()
    for wire in Wire
    if isinstance(kind.on(wire), Undetectable)
]
DECKS = 1
FAULTY_ROUND = 3
SIDES = {Hand.PLAYER: Side.PLAYER, Hand.BANKER: Side.BANKER}


def settings(wire: Wire, disclosing: Disclosing, fault: str | None = None, at_card: int = 1) -> EmulationSettings:
    return EmulationSettings(
        wire=WireSettings(wire=wire, disclosing=disclosing, key=KEY if wire is Wire.NATIVE else None),
        seed=11,
        decks=DECKS,
        shoes=1,
        faults=() if fault is None else (planned(fault, at_card=at_card),),
    )


@cache
def undisturbed(wire: Wire, disclosing: Disclosing) -> VirtualTable:
    return dealt_out(settings(wire, disclosing))


def dealt_out(how: EmulationSettings) -> VirtualTable:
    table = VirtualTable(how)
    table.run_until(lambda: table.emulation.dealer.finished)
    table.run_for(5)
    return table


def first_card_of_round(table: VirtualTable, round_number: int) -> int:
    firsts = [out.number for out in table.cards_out() if (out.to, out.position) == (Hand.PLAYER, 1)]
    return firsts[round_number - 1]


@pytest.mark.parametrize(("wire", "disclosing"), WAYS)
def test_without_a_fault_the_controller_sees_the_truth_and_no_complaint(wire: Wire, disclosing: Disclosing) -> None:
    table = undisturbed(wire, disclosing)
    assert_agreement(table.truth, table.seen, with_results=wire is not Wire.LINES)
    assert unknown_faces_in_hands(table.seen) == 0
    assert not [item for item in table.seen if isinstance(item, LineError | EventGap | LinkDown | Refused)]
    assert not [event for event in table.seen_plainly() if event["event"] in ("fault", "misread", "double_feed")]


@pytest.mark.parametrize(("name", "wire", "disclosing"), CASES)
def test_a_fault_is_seen_for_what_it_is(name: str, wire: Wire, disclosing: Disclosing) -> None:
    table = with_fault(name, wire, disclosing)
    told = FAULTS[name].on(wire)
    assert isinstance(told, Detection)
    injected = [happening for happening in table.truth if isinstance(happening, FaultInjected)]
    assert [happening.fault for happening in injected] == [name]
    assert_seen_in_order(told.sees, table.seen_plainly()[table.seen_before_fault :])
    if not told.sees:
        assert table.seen_plainly() == undisturbed(wire, disclosing).seen_plainly()
    if told.invents:
        return
    if told.loses:
        assert_nothing_invented(table.truth, table.seen)
    else:
        assert_agreement(table.truth, table.seen, with_results=wire is not Wire.LINES)


@pytest.mark.parametrize(("name", "wire"), UNTOLD)
def test_a_fault_that_a_wire_cannot_express_is_refused(name: str, wire: Wire) -> None:
    table = VirtualTable(settings(wire, Disclosing.AT_DRAW))
    with pytest.raises(CannotError, match=f"{wire.value} wire cannot express {name}"):
        table.emulation.inject(name, table.now)


def with_fault(name: str, wire: Wire, disclosing: Disclosing = Disclosing.AT_DRAW) -> VirtualTable:
    at_card = first_card_of_round(undisturbed(wire, disclosing), FAULTY_ROUND)
    return dealt_out(settings(wire, disclosing, name, at_card))


def rounds_of(events: list[object]) -> list[list[SeenCard]]:
    """The cards in hands, round by round, each up to its result."""
    rounds = []
    begin = 0
    for place, event in enumerate(events):
        if isinstance(event, ResultIndicated):
            cards = cards_of_events(events[begin:place])
            rounds.append([card for card in cards if card.hand in SIDES])
            begin = place + 1
    return rounds


@pytest.mark.parametrize(("wire", "disclosing"), WITH_PLACES)
def test_a_card_out_of_turn_contradicts_the_drawing_rules(wire: Wire, disclosing: Disclosing) -> None:
    table = with_fault("out_of_turn", wire, disclosing)
    contradicting = 0
    for cards in rounds_of([*table.seen]):
        deal = Deal()
        try:
            for card in cards:
                assert card.hand is not None
                assert card.card is not None
                deal.feed(card.card, SIDES[card.hand])
        except OutOfTurnError:
            contradicting += 1
        else:
            assert deal.complete
    assert contradicting == 1


@pytest.mark.parametrize(("wire", "disclosing"), WITH_PLACES)
def test_a_card_out_of_turn_is_no_lost_event_however_late_the_round_is_voided(
    wire: Wire, disclosing: Disclosing
) -> None:
    """A shoe that discloses at the result names that card too, long before a supervisor has come."""
    events = [item for item in with_fault("out_of_turn", wire, disclosing).seen if isinstance(item, AnyShoeEvent)]
    ends = [place for place, event in enumerate(events) if isinstance(event, ResultIndicated)]
    by_force = next(place for place in ends if events[place] == ResultIndicated(winner=None))
    table = Sitting()
    if wire is Wire.ANGEL_EYE:
        table.dealer(OpenShoe())
    for event in events[: by_force + 1]:
        table.event(event)
    button = ["result_too_early"] if wire is Wire.NATIVE else []
    assert [fact.alert.kind for fact in table.all(AlertRaised)] == ["out_of_turn", *button]
    assert len(table.all(RoundResult)) == FAULTY_ROUND - 1


@pytest.mark.parametrize("disclosing", Disclosing)
def test_a_duplicate_card_has_a_number_that_came_before(disclosing: Disclosing) -> None:
    table = with_fault("duplicate_card", Wire.NATIVE, disclosing)
    numbers = [out.card_id for out in table.cards_out()]
    (twice,) = [number for number, times in Counter(numbers).items() if times == 2]
    heard = [event.card_id for event in table.seen if isinstance(event, CardDrawn | CardIdentified)]
    assert heard.count(twice) == 2


@pytest.mark.parametrize(("wire", "disclosing"), WITH_PLACES)
def test_one_face_is_shown_once_more_than_there_are_decks(wire: Wire, disclosing: Disclosing) -> None:
    table = with_fault("ninth_copy", wire, disclosing)
    faces = Counter(card.card for card in cards_of_events(table.seen) if card.hand in (Hand.PLAYER, Hand.BANKER))
    del faces[None]
    assert max(faces.values()) == DECKS + 1
    assert len({out.card_id for out in table.cards_out()}) == len(table.cards_out())


@pytest.mark.parametrize(
    ("name", "reason"),
    [("wrong_key", SHOE_HAS_ANOTHER_KEY), ("forged_frame", FORGED), ("replayed_frame", REPLAYED)],
)
def test_the_native_wire_says_why_it_does_not_believe(name: str, reason: str) -> None:
    table = with_fault(name, Wire.NATIVE)
    assert [item.reason for item in table.seen if isinstance(item, Refused)] == [reason]


def test_nine_telegrams_in_a_silence_look_like_none() -> None:
    """The one digit of the Angel Eye wire cannot tell: the rest of a round is gone, and only the table can notice."""
    wire = WireSettings(wire=Wire.ANGEL_EYE, disclosing=Disclosing.AT_RESULT)
    cards = tuple(map(Card, ["AC", "9H", "KC", "9D", "KD", "KH", "5H"]))
    table = VirtualTable(EmulationSettings(wire=wire, cards=cards, speed=None))
    table.run_for(1)
    for _ in range(3):
        table.emulation.draw(table.now)
        table.run_for(1)
    table.emulation.inject("silence", table.now)
    for _ in range(3):
        table.emulation.draw(table.now)
    table.emulation.press(Button.RESULT, table.now)
    table.run_for(10)
    table.emulation.draw(table.now)
    table.run_for(1)
    places = [(event.hand, event.position) for event in table.seen if isinstance(event, CardDrawn)]
    assert places[-2:] == [(Hand.PLAYER, 1), (Hand.PLAYER, 1)]
    assert not any(isinstance(item, EventGap | ResultIndicated) for item in table.seen)


def test_what_the_power_took_from_the_line_is_not_lost_on_the_native_wire() -> None:
    """The card leaves, and the power fails before a byte of it is sent: it comes out of the store afterwards."""
    table = with_fault("power_loss", Wire.NATIVE)
    assert_agreement(table.truth, table.seen)


def test_the_table_and_the_effects_name_the_same_faults() -> None:
    troubles = {trouble.value for trouble in Trouble}
    effects = set(FaultEffects._EFFECTS)  # noqa: SLF001 -- this test is why it may stay private
    assert effects | troubles == set(FAULTS)


def test_the_table_as_a_document_has_every_fault() -> None:
    rows = markdown_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(FAULTS)
    assert all(row.count("|") == 6 for row in rows)


def test_every_card_of_truth_has_its_number() -> None:
    table = undisturbed(Wire.NATIVE, Disclosing.AT_DRAW)
    numbers = [happening.number for happening in table.truth if isinstance(happening, CardOut)]
    assert numbers == list(range(1, len(numbers) + 1))
