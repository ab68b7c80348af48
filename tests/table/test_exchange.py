"""Another shoe in the middle: all that was dealt stays, and what the old one may have kept is not passed over."""

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Fault, FaultCode, Hand, LidChanged, LinkDownCause
from shoe_controller.messages.acts import (
    BeginHandEntry,
    ClearAlert,
    Confirm,
    DealCard,
    EnterCard,
    ExchangeShoe,
    Role,
)
from shoe_controller.messages.details import OldShoeUnheard, ShoeExchangedNow
from shoe_controller.messages.facts import ShoeEnded, ShoeExchanged, ShoeLinkChanged
from shoe_controller.messages.phases import Phase
from shoe_controller.table.inputs import BadShoeSection, EventsMissed, LinkBack, LinkLost, PersonActs, PinVerdict
from shoe_controller.table.table import Handled
from tests.table.sitting import OTHER_LINE, Sitting
from tests.table.test_phases import TO

PLAYER_WINS = "7H 4D KS 2C"


def code_of(handled: Handled) -> str | None:
    return None if handled.refusal is None else handled.refusal.code


def played() -> Sitting:
    table = Sitting()
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    table.bet("1", "base.player", 50)
    return table


def other_shoe(table: Sitting) -> None:
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=77, shoe_name="another"))


def test_counts_roads_and_wagers_stay_and_the_next_card_comes_from_the_other() -> None:
    table = played()
    before = msgspec.to_builtins(table.state.shoe)
    assert code_of(table.act(ExchangeShoe())) is None
    exchanged = table.last(ShoeExchanged)
    assert (exchanged.wire, exchanged.port) == (OTHER_LINE.wire, OTHER_LINE.port)
    assert table.last(ShoeLinkChanged).cause == ShoeExchangedNow()
    assert not table.state.lasting.link.up
    other_shoe(table)
    assert table.alerts == []
    assert msgspec.to_builtins(table.state.shoe) == before
    assert table.state.round is not None
    assert len(table.state.round.wagers) == 1
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    assert table.state.shoe is not None
    assert (table.state.shoe.cards_out, len(table.state.shoe.results), table.all(ShoeEnded)) == (10, 2, [])
    table.check_replay()


def test_what_a_shoe_kept_that_is_not_connected_is_an_alert() -> None:
    table = played()
    table.give(LinkLost(reason="unplugged", how=LinkDownCause.SILENT))
    table.act(ExchangeShoe())
    assert table.alerts == ["event_gap"]
    assert table.state.lasting.alerts[0].detail == OldShoeUnheard()
    other_shoe(table)
    assert table.alerts == ["event_gap"], "that the other one is there does not tell what this one kept"
    table.act(ClearAlert(alert=table.alert_number("event_gap")))
    assert table.alerts == []


def test_before_anything_came_there_is_nothing_to_keep() -> None:
    table = Sitting()
    table.open_shoe(burn=None)
    table.give(LinkLost(reason="unplugged", how=LinkDownCause.SILENT))
    table.act(ExchangeShoe())
    assert table.alerts == []


def test_a_stopped_shoe_is_exchanged_and_its_fault_goes_with_it() -> None:
    table = played()
    table.event(Fault(code=FaultCode.SENSOR, stopped=True))
    assert table.alerts == ["shoe_stopped"]
    table.act(ExchangeShoe())
    other_shoe(table)
    assert table.alerts == []


def test_the_old_shoe_reports_nothing_more_of_what_was_entered() -> None:
    table = played()
    table.give(LinkLost(reason="unplugged", how=LinkDownCause.SILENT))
    table.act(EnterCard(number=1, card=Card.parse("7S")))
    assert len(table.state.lasting.entered) >= 1
    for text in ("4S", "KD", "2D"):
        number = len(table.state.round.cards) + 1  # type: ignore[union-attr]
        table.act(EnterCard(number=number, card=Card.parse(text)))
    assert table.at(Phase.COMPLETE)
    assert code_of(table.act(ExchangeShoe())) == "not_now"
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    table.dealer(Confirm())
    table.act(ExchangeShoe())
    other_shoe(table)
    assert list(table.state.lasting.entered) == []
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("9S")), age_ms=600_000)
    assert table.state.round is not None
    assert len(table.state.round.cards) == 1


def test_the_same_shoe_at_another_port_still_reports_what_was_entered() -> None:
    table = played()
    table.give(LinkLost(reason="unplugged", how=LinkDownCause.SILENT))
    table.act(BeginHandEntry())
    for text in ("9S", "4S", "KD", "2D"):
        table.wait(5)
        assert table.dealer(DealCard(card=Card.parse(text))).refusal is None
    table.dealer(Confirm())
    out = table.state.shoe.cards_out if table.state.shoe else 0
    name = table.state.lasting.link.shoe_name
    table.act(ExchangeShoe())
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name=name))
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("9S")), age_ms=20_000)
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=Card.parse("4S")), age_ms=15_000)
    assert table.state.shoe is not None
    assert (table.state.shoe.cards_out, "entered_card_differs" in table.alerts) == (out, False)
    assert len(table.state.lasting.entered) == 2


def test_dealt_by_hand_nothing_is_missing() -> None:
    table = played()
    table.give(LinkLost(reason="unplugged", how=LinkDownCause.SILENT))
    table.act(BeginHandEntry())
    table.act(ExchangeShoe())
    assert table.alerts == []


@pytest.mark.parametrize("phase", Phase)
def test_between_rounds_alone(phase: Phase) -> None:
    table = Sitting()
    TO[phase](table)
    between = phase not in (Phase.CLOSED, Phase.DEALING, Phase.COMPLETE)
    assert code_of(table.act(ExchangeShoe())) == (None if between else "not_now")
    assert table.at(phase)


def test_a_supervisor_with_a_reason_and_a_file_that_can_be_used() -> None:
    table = played()
    assert code_of(table.dealer(ExchangeShoe())) == "not_a_supervisor"
    assert code_of(table.act(ExchangeShoe(), pin=PinVerdict.NOT_GIVEN)) == "pin_missing"
    assert code_of(table.act(ExchangeShoe(), reason="")) == "reason_missing"
    state = table.state
    bad = PersonActs(
        act=ExchangeShoe(),
        person="ann",
        role=Role.SUPERVISOR,
        pin=PinVerdict.RIGHT,
        reason="broken",
        shoe=state.shoe_number,
        round=state.round_number,
        line=BadShoeSection(text="[shoe] port: required"),
    )
    handled = table.give(bad)
    assert code_of(handled) == "shoe_section_refused"
    assert table.state == state
    table.give(EventsMissed(reason="a gap"))
    assert code_of(table.act(ExchangeShoe())) is None, "also beside an alert"


@pytest.mark.parametrize("boot_id", [None, 77])
def test_the_lid_of_the_old_shoe_is_not_waited_for(boot_id: int | None) -> None:
    """It is opened to transfer the cards; an Angel Eye shoe tells neither of a lid nor of its start."""
    table = played()
    table.event(LidChanged(opened=True))
    table.act(ExchangeShoe())
    table.give(LinkBack(keeps_events=boot_id is not None, authenticated=False, boot_id=boot_id, shoe_name="another"))
    assert "lid_opened" in table.alerts
    assert code_of(table.act(ClearAlert(alert=table.alert_number("lid_opened")))) is None
