"""A card that left unseen, and a table dealt by hand, through the whole chain; the shoe reports later what it kept."""

import asyncio
from pathlib import Path

import pytest

from firmware_protocol.events import Button
from shoe_controller.messages.actors import Person
from shoe_controller.messages.facts import (
    AlertRaised,
    CardDealt,
    EnteredCardConfirmed,
    HandEntryChanged,
    RoundResult,
    RoundSettled,
)
from tests.daemon.test_acts import AtTheTable, at_the_table

ROUND = ("9H", "KD", "KS", "5C")


PERSON = 0.3
"""Seconds that a person takes at least, to see a card and to enter it."""


async def draw_unheard(table: AtTheTable) -> None:
    """A card leaves a shoe that nobody listens to: after some seconds its gate locks, and a key opens it."""
    shoe = table.shoe.emulation.shoe
    before = shoe.cards_inside
    if shoe.gate_locked:
        table.shoe.turn_gate_key()
    table.shoe.draw()
    await table.shoe.until(lambda: shoe.cards_inside < before)
    # Nobody enters a card within the time that a report takes: the shoe's ages are compared with when it was entered.
    await asyncio.sleep(PERSON)


@pytest.mark.asyncio
async def test_a_dead_shoe_is_dealt_from_by_hand_and_reports_later_what_it_kept(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped") as table:
        await table.draw(2)
        await table.phase("betting")
        await table.ok("bet")
        await table.draw(2)
        await table.shoe.unplug()
        assert (await table.told(AlertRaised)).alert.kind == "shoe_lost"
        await table.refused("not_in_hand_entry", "deal_card", card="KS")
        await table.supervisor("begin_hand_entry", reason="the cable is torn")
        assert (await table.told(HandEntryChanged)).hand_entry
        assert table.state.hand_entry
        assert table.state.alerts == ()
        for face in ROUND[2:]:
            await draw_unheard(table)
            await table.ok("deal_card", card=face)
        await table.ok("confirm")
        assert (await table.told(RoundResult)).confirmed_by == Person(person="anita")
        # A whole round without the shoe: wagers are taken, prompted and settled all the same.
        await table.phase("betting")
        await table.ok("bet")
        table.shoe.press(Button.RESULT)
        for face in ROUND:
            await draw_unheard(table)
            await table.ok("deal_card", card=face)
        await table.ok("confirm")
        await table.told(RoundSettled, 2)
        assert [place.entered_by for place in (fact.place for fact in table.display.facts_of(CardDealt))] == [
            None,
            None,
            *["anita"] * 6,
        ]
        table.shoe.press(Button.RESULT)
        await table.phase("betting")
        await table.supervisor("end_hand_entry", reason="another cable")
        await table.shoe.replug()
        await table.told(EnteredCardConfirmed, 6)
        await table.phase("betting")
        assert (table.state.cards_out, table.state.round) == (10, 3)
        await table.ok("bet")
        await table.draw(4)
        table.shoe.press(Button.RESULT)
        await table.told(RoundResult, 3)
        assert [fact.alert.kind for fact in table.display.facts_of(AlertRaised)] == ["shoe_lost"]


@pytest.mark.asyncio
async def test_a_card_that_left_unseen_is_entered_and_another_face_from_the_shoe_is_an_alert(tmp_path: Path) -> None:
    """The cable is out while a card leaves: a supervisor enters it, once rightly and once wrongly."""
    async with at_the_table(tmp_path, gate_locks="when_stopped") as table:
        await table.draw(2)
        await table.phase("betting")
        await table.draw(1)
        for number, entered in ((2, "KD"), (3, "KH")):
            await table.shoe.unplug()
            await table.display.until(lambda: not table.state.link_up, what="the shoe to be gone")
            await draw_unheard(table)
            await table.supervisor("enter_card", number=number, card=entered)
            await table.shoe.replug()
            await table.display.until(lambda: table.state.link_up, what="the shoe to be back")
        differs = [fact.alert for fact in table.display.facts_of(AlertRaised)]
        await table.display.until(
            lambda: any(fact.alert.kind == "entered_card_differs" for fact in table.display.facts_of(AlertRaised)),
            what="the alert",
        )
        assert len(table.display.facts_of(EnteredCardConfirmed)) == 1
        assert [str(place.card) for place in table.state.cards] == ["9H", "KD", "KH"], differs
        await table.supervisor("correct_card", number=3, card="KS")
        for alert in table.state.alerts:
            await table.supervisor("clear_alert", alert=alert.number)
        await table.draw(1)
        table.shoe.press(Button.RESULT)
        assert (await table.told(RoundResult)).outcome.winner.value == "player"
