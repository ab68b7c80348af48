"""The simulated people, and the observer beside them: no sitting may wait or fail because of what they overlook."""

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.events import Hand
from shoe_controller.daemon.table_journal import entry_for
from shoe_controller.journal.records import Head, Receipt
from shoe_controller.messages.acts import BeginHandEntry, Confirm, DealCard, UseExtraCard
from shoe_controller.messages.procedure import BetsClose, ShownCard
from shoe_controller.table.inputs import LinkLost
from shoe_controller.table.procedure import FinishedRound, OverDrawn, Procedure
from shoe_controller.table.table import Handled
from simulator.reckoner.house import house_of
from simulator.shoe_line import Wire
from simulator.truth import CardOut
from tests.simulation.houses import SimulatedHouse
from tests.simulation.observer import Observer
from tests.simulation.plan import Mishap, Plan
from tests.simulation.regressions import HOUSE
from tests.simulation.world import run
from tests.table.sitting import Sitting
from tests.table.state_checks import rules_of

EMPTY_BY_HAND = Plan(
    seed=813,
    house=HOUSE,
    wire=Wire.NATIVE,
    disclosing=Disclosing.AT_RESULT,
    procedure=Procedure(draw_within=120.0),
    rounds=2,
    cut_card_after=None,
    speed=3.0,
    sync_seconds=0.012,
    undoes=False,
    mishaps=(
        Mishap("empty_in_round", entry=4, delay=0.010, seconds=10.3, number=206879797),
        Mishap("reader_dead", entry=10, delay=0.0, seconds=9.7, number=400371531),
    ),
)

LOCKED_BEFORE_BURN = Plan(
    seed=3572,
    house=SimulatedHouse("nepal", "five_dragons_a", "1", "L8-1", "at_once"),
    wire=Wire.ANGEL_EYE,
    disclosing=Disclosing.AT_DRAW,
    procedure=Procedure(over_drawn=OverDrawn.USE, draw_within=60.0, dealer_signs_in=True, new_dealer_burns=True),
    rounds=3,
    cut_card_after=None,
    speed=3.0,
    sync_seconds=0.004,
    undoes=False,
    mishaps=(Mishap("commands_swapped", entry=18, delay=1.0, seconds=4.0, number=998337162),),
)

NINTH_AMENDED = Plan(
    seed=3149,
    house=SimulatedHouse("nepal", "nepal_super_baccarat", "1", "L8-1", "at_once"),
    wire=Wire.ANGEL_EYE,
    disclosing=Disclosing.AT_DRAW,
    procedure=Procedure(
        bets_close=BetsClose.DEALER,
        over_drawn=OverDrawn.USE,
        finished_round=FinishedRound.TWO_SUPERVISORS,
        draw_within=60.0,
    ),
    rounds=3,
    cut_card_after=None,
    speed=8.0,
    sync_seconds=0.012,
    undoes=False,
    mishaps=(
        Mishap("ninth_copy", entry=0, delay=0.001, seconds=9.765109279143767, number=1023470762, phase="dealing"),
    ),
    argues=True,
)


def test_people_who_deal_by_hand_see_that_the_shoe_is_empty() -> None:
    assert run(EMPTY_BY_HAND).broken == ""


def test_a_gate_that_stays_locked_is_looked_at_also_when_a_card_is_to_be_burned() -> None:
    ran = run(LOCKED_BEFORE_BURN)
    assert ran.broken == ""
    assert ran.tricks, "the gate has to stay locked in this plan"


def test_a_ninth_copy_is_none_where_supervisors_have_said_that_one_was_another_card() -> None:
    ran = run(NINTH_AMENDED)
    assert ran.broken == ""
    assert ran.acts["amend_round"]
    assert not ran.alerts


def test_a_carried_card_is_none_of_those_that_wait_to_be_entered() -> None:
    """It lies on the table already: of two cards that wait, the first is entered and the second still waits."""
    table = Sitting(burn=False, shown_card=ShownCard.FREE_HAND)
    observer = Observer(
        keeps_events=True,
        discloses_at_draw=True,
        now=lambda: 0.0,
        unknown_pin="",
        game="nepal",
        house=house_of(rules_of(table.rules)),
    )
    for number, face in enumerate(["9H", "KD", "KS", "5C", "7H", "2D", "2C"], 1):
        laid = number <= 4
        observer.happened(
            CardOut(
                t=0.0,
                card=Card.parse(face),
                card_id=str(number),
                number=number,
                to=(Hand.BANKER, Hand.PLAYER)[number % 2] if laid else Hand.EXTRA,
                position=(number + 1) // 2 if laid else None,
            )
        )
    table.open_shoe(burn=None)
    table.deal("9H KD KS 5C")
    table.card("7H")
    table.act(UseExtraCard())
    table.dealer(Confirm())
    table.give(LinkLost(reason="the reader is dead"))
    table.act(BeginHandEntry())
    table.dealer(DealCard(card=Card.parse("2D")))
    seq = 0
    for given, at, facts in table.history:
        entry = entry_for(given, Handled(table.state, facts, None, changed=True), at)
        seqs = range(seq + 1, seq + 1 + len(facts))
        seq += len(facts)
        observer.stored(entry, Receipt(head=Head(number=0, hash=b""), seqs=seqs, heads=()), arrived=0.0)
    assert observer.to_enter() == [Card.parse("2C")]
