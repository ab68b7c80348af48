"""Cards put where the rules put them, through the whole chain: terminal, Mosquitto, daemon, journal, display."""

from pathlib import Path

import pytest

from firmware_protocol.events import Button
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.facts import (
    AlertRaised,
    CardBurned,
    CardDiscarded,
    CardsAssigned,
    ExtraCardDecided,
    FreeHandAnnounced,
    RoundResult,
    RoundSettled,
    WagersReturned,
)
from tests.daemon.test_acts import AtTheTable, at_the_table

pytestmark = pytest.mark.asyncio

FOUR = [{"hand": "player"}, {"hand": "banker"}, {"hand": "player"}, {"hand": "banker"}]


async def clear(table: AtTheTable, kind: str) -> None:
    await table.display.until(lambda: kind in [alert.kind for alert in table.state.alerts], what=kind)
    number = next(alert.number for alert in table.state.alerts if alert.kind == kind)
    await table.supervisor("clear_alert", alert=number)
    await table.display.until(lambda: kind not in [alert.kind for alert in table.state.alerts], what=f"{kind} to end")


async def test_a_card_that_went_to_the_wrong_hand_is_assigned(tmp_path: Path) -> None:
    async with at_the_table(tmp_path) as table:
        await table.draw(2)
        await table.phase("betting")
        await table.ok("bet")
        await table.draw(3)
        table.shoe.inject("out_of_turn")
        await table.draw(1)
        raised = (await table.told(AlertRaised)).alert
        assert (raised.kind, raised.remedy) == ("out_of_turn", "assign")
        assert [(card.order, card.hand) for card in table.state.aside] == [(4, Side.PLAYER)]
        answer = await table.terminal.supervisor("assign_cards", cards=[*FOUR[:3], {"hand": "player"}])
        assert answer.code == "not_by_rules"
        await table.supervisor("assign_cards", cards=FOUR)
        lie = await table.told(CardsAssigned)
        assert [(place.hand.value, str(place.card)) for place in lie.places][-1] == ("banker", "5C")
        await table.phase("complete")
        # The shoe cannot account for its round, and gives no result.
        table.shoe.press(Button.RESULT, held=True)
        await clear(table, "ended_by_force")
        await table.ok("confirm")
        assert (await table.told(RoundResult)).outcome.winner.value == "player"


async def test_a_shown_card_is_burned_and_a_shoe_that_carries_it_over_waits_for_a_supervisor(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped") as table:
        await table.draw(2)
        await table.draw_a_round()
        await table.draw(1)
        await table.told(AlertRaised)
        answer = await table.terminal.supervisor("use_extra_card")
        assert answer.code == "card_was_shown"
        table.shoe.clear(carry_over=True)
        await table.supervisor("burn_extra_card")
        assert not (await table.told(ExtraCardDecided)).used
        table.shoe.press(Button.RESULT)
        await table.told(RoundSettled)
        await table.phase("betting")
        await table.ok("bet")
        table.shoe.draw()  # the card that lies there already
        await clear(table, "shown_card_carried")
        assert (await table.told(WagersReturned)).total == 1000
        assert (await table.told(FreeHandAnnounced)).carried
        assert table.state.free


async def test_a_shown_card_begins_a_free_hand_where_the_house_says_so(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped", shown_card="free_hand") as table:
        await table.draw(2)
        await table.draw_a_round()
        await table.draw(1)
        await table.told(AlertRaised)
        table.shoe.clear(carry_over=True)
        await table.supervisor("use_extra_card")
        table.shoe.press(Button.RESULT)
        assert (await table.told(FreeHandAnnounced)).carried
        await table.phase("betting")
        assert (table.state.free, table.state.betting_open) == (True, False)
        assert table.state.carried is not None
        assert str(table.state.carried.card) == "9H"
        assert table.state.prompt.code == "lay_carried_card"
        assert (await table.terminal.bet("1", {"base.player": 1000})).code == "free_hand"


async def test_a_damaged_card_is_discarded_and_the_next_takes_its_place(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped", discarded_card="next_card") as table:
        await table.draw(2)
        await table.draw_a_round()
        await table.supervisor("discard_card", number=4, cause="damaged", card="5C")
        gone = await table.told(CardDiscarded)
        answer = await table.terminal.supervisor("discard_card", number=3, cause="damaged", card="5C")
        assert answer.code == "other_card"
        assert (str(gone.place.card), len(gone.places)) == ("5C", 3)
        await table.phase("dealing")
        assert table.state.discarded == 1
        await table.draw(1)  # by the shoe's own count, one too many
        await table.phase("complete")
        assert [str(place.card) for place in table.state.cards] == ["9H", "KD", "KS", "9H"]
        assert table.state.alerts == ()
        await table.ok("confirm")
        assert (await table.told(RoundResult)).outcome.winner.value == "tie"


async def test_the_first_card_is_corrected_while_cards_are_burned(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, cards="3S " + "2C " * 40) as table:
        await table.draw(2)
        await table.phase("burning")
        await table.supervisor("correct_card", number=0, card="5S")
        corrected = await table.told(CardBurned, 3)
        assert (str(corrected.card), corrected.burned, corrected.to_burn) == ("5S", 1, 5)
        await table.draw(4)
        await table.phase("betting")
        assert (table.state.burned, table.state.alerts) == (5, ())
