"""The end of a shoe through the whole chain: who ends it, what is left of it, and another shoe in its place."""

from pathlib import Path
from typing import Any

import pytest

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.events import Button
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    CardBurned,
    CardCounted,
    RemainderCounted,
    RoundResult,
    RunOutBegun,
    ShoeEnded,
    ShoeExchanged,
    ShoeLinkChanged,
    ShoeOpened,
)
from simulator.decks import read_cards
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.pty import PtyPort
from simulator.shoe_line import Wire as ShoeWire
from simulator.shoe_line import WireSettings
from tests.daemon.house_file import SHOE_KEY, write_secret
from tests.daemon.test_acts import AtTheTable, at_the_table

SHORT = "AS 2C 9H KD KS 5C 3C 4C 5D"
"""A shoe of nine cards: an ace, one burned, a round, and three that are left."""


async def a_round(table: AtTheTable) -> None:
    await table.draw_a_round()
    rounds = len(table.display.facts_of(RoundResult))
    table.shoe.press(Button.RESULT)
    await table.told(RoundResult, rounds + 1)


async def alert(table: AtTheTable, kind: str) -> int:
    def number() -> int | None:
        return next((each.number for each in table.state.alerts if each.kind == kind), None)

    await table.display.until(lambda: number() is not None, what=f"the alert {kind}")
    await table.display.is_up_to_date()
    found = number()
    assert found is not None
    return found


@pytest.mark.asyncio
async def test_a_button_before_the_cut_card_ends_no_shoe_and_its_first_card_waits(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped") as table:
        await table.draw(2)
        await a_round(table)
        await table.phase("betting")
        await table.refused("not_a_supervisor", "open_shoe")
        table.shoe.press(Button.NEW_SHOE)
        number = await alert(table, "shoe_change_unconfirmed")
        assert table.display.facts_of(ShoeEnded) == []
        await table.refused("not_a_supervisor", "clear_alert", alert=number)
        await table.supervisor("clear_alert", alert=number)
        assert (await table.told(AlertEnded)).alert.kind == "shoe_change_unconfirmed"
        # The shoe thinks that it is new, and marks the next card as the first.
        await table.shoe.until(lambda: table.shoe.emulation.shoe.why_no_card is None)
        table.shoe.draw()
        await alert(table, "shoe_change_unconfirmed")
        assert (table.state.shoe, table.state.cards_out) == (1, 6)
        await table.refused("not_a_supervisor", "open_shoe")
        await table.supervisor("open_shoe")
        opened = await table.told(ShoeOpened, 2)
        assert opened.shoe == 2
        ended = await table.told(ShoeEnded)
        assert (ended.shoe, ended.cards_out) == (1, 6)
        assert ended.inventory is not None
        assert (sum(ended.inventory.known.values()), ended.inventory.unseen, ended.inventory.remainder) == (6, 0, 410)
        await table.display.until(lambda: table.state.cards_out == 1, what="the card that waited")
        assert str((await table.told(CardBurned, 3)).card) == "9H"
        assert table.state.alerts == ()


@pytest.mark.asyncio
async def test_what_is_left_is_counted_by_hand_and_through_the_reader_before_the_next_shoe(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, SHORT, gate_locks="when_stopped", remainder="counted") as table:
        await table.draw(2)
        await a_round(table)
        await table.phase("betting")
        await table.supervisor("end_shoe")
        await table.phase("ended")
        await table.refused("remainder_not_counted", "open_shoe")
        await table.supervisor("count_remainder", cards=409)
        number = await alert(table, "remainder_differs")
        await table.refused("not_a_supervisor", "open_shoe")
        await table.supervisor("count_remainder", cards=410)
        assert (await table.told(RemainderCounted, 2)).fits
        assert [fact.alert.number for fact in table.display.facts_of(AlertEnded)] == [number]

        await table.supervisor("begin_run_out")
        assert (await table.told(RunOutBegun)).expected == 410
        for count in (1, 2, 3):
            await table.shoe.until(lambda: table.shoe.emulation.shoe.why_no_card is None)
            table.shoe.draw()
            counted = await table.told(CardCounted, count)
        assert (str(counted.card), counted.counted) == ("5D", 3)
        assert table.state.counted == 3
        await table.refused("run_out_under_way", "open_shoe")
        await table.supervisor("end_run_out")
        result = await table.told(RemainderCounted, 3)
        assert (result.expected, result.found, result.fits) == (410, 3, False)
        assert result.faces is not None
        assert (sum(result.faces.missing.values()), result.faces.extra) == (407, {})
        assert table.state.phase == "ended"
        assert "card_after_end" not in [fact.alert.kind for fact in table.display.facts_of(AlertRaised)]
        await table.supervisor("open_shoe")
        await table.told(ShoeOpened, 2)


@pytest.mark.asyncio
async def test_another_shoe_at_another_port_with_another_key_goes_on_with_the_same_cards(tmp_path: Path) -> None:
    other_key = bytes(range(1, 1 + len(SHOE_KEY)))
    write_secret(tmp_path / "other.key", other_key.hex())
    async with at_the_table(tmp_path) as table:
        await table.draw(2)
        await a_round(table)
        await table.phase("betting")
        chain = table.chain
        present = dict(chain.data["shoe"])
        chain.data["shoe"] = present | {"port": "nowhere"}
        chain.write_file()
        answer = await table.terminal.supervisor("exchange_shoe")
        assert answer.code == "shoe_section_refused"
        assert "nowhere" in str(answer.refusal)
        assert table.display.facts_of(ShoeExchanged) == []

        chain.data["shoe"] = present | {"port": str(tmp_path / "other"), "key_file": str(tmp_path / "other.key")}
        chain.write_file()
        other = EmulatedShoe(
            port=PtyPort(tmp_path / "other"),
            settings=EmulationSettings(
                wire=WireSettings(wire=ShoeWire.NATIVE, disclosing=Disclosing.AT_DRAW, key=other_key, spacing=0.004),
                seed=2,
                cards=tuple(read_cards("AS 2C " + "9H KD KS 5C " * 3, "the other shoe")),
                speed=None,
            ),
        )
        async with other:
            links = len(table.display.facts_of(ShoeLinkChanged))
            await table.supervisor("exchange_shoe")
            assert (await table.told(ShoeExchanged)).port == str(tmp_path / "other")
            back = await table.told(ShoeLinkChanged, links + 2)
            assert (back.up, back.authenticated) == (True, True)
            assert (table.state.shoe, table.state.cards_out, table.state.round, table.state.alerts) == (1, 6, 2, ())
            await other.until(lambda: other.emulation.shoe.why_no_card is None)
            other.draw()
            await alert(table, "shoe_change_unconfirmed")
            await table.supervisor("clear_alert", alert=table.state.alerts[0].number)
            await table.display.until(lambda: table.state.cards_out == 7, what="the card of the other shoe")
            assert await chain.stop_daemon() == 0
            await chain.start_daemon()
            await table.display.until(
                lambda: table.display.status is not None and table.display.status.online and table.state.link_up,
                what="the table on its new port",
            )
            assert (table.state.shoe, table.state.cards_out) == (1, 7)


async def exchanged(table: AtTheTable, section: dict[str, Any]) -> None:
    """The table's file names another shoe, and a supervisor takes it up."""
    table.chain.data["shoe"] = section
    table.chain.write_file()
    links = len(table.display.facts_of(ShoeLinkChanged))
    await table.supervisor("exchange_shoe")
    assert (await table.told(ShoeLinkChanged, links + 2)).up


async def cleared(table: AtTheTable, kind: str) -> None:
    await table.supervisor("clear_alert", alert=await alert(table, kind))


async def drawn(table: AtTheTable, shoe: EmulatedShoe, cards: int, cards_out: int) -> None:
    """So many cards are drawn from this shoe; `cards_out` have left the table's cards then."""
    for left in reversed(range(cards)):
        await shoe.until(lambda: shoe.emulation.shoe.why_no_card is None)
        shoe.draw()
        await table.display.until(lambda out=cards_out - left: table.state.cards_out == out, what="the card")  # type: ignore[misc]  # bound at once
    await table.display.is_up_to_date()


@pytest.mark.asyncio
async def test_a_shoe_with_another_wire_goes_on_with_the_same_cards_and_the_first_one_after_it(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped") as table:
        await table.draw(2)
        await a_round(table)
        await table.phase("betting")
        native = dict(table.chain.data["shoe"])
        other = EmulatedShoe(
            port=PtyPort(tmp_path / "other"),
            settings=EmulationSettings(
                wire=WireSettings(wire=ShoeWire.ANGEL_EYE, disclosing=Disclosing.AT_DRAW, spacing=0.004),
                seed=2,
                cards=tuple(read_cards("AS 2C " + "9H KD KS 5C " * 3, "the other shoe")),
                speed=None,
            ),
        )
        async with other:
            await exchanged(table, {"wire": "angel_eye", "port": str(tmp_path / "other")})
            assert (await table.told(ShoeExchanged)).wire == "angel_eye"
            assert (table.state.shoe, table.state.cards_out, table.state.round) == (1, 6, 2)
            # This wire keeps nothing: what left the shoe before it was heard is not known.
            await cleared(table, "event_gap")
            await other.until(lambda: other.emulation.shoe.why_no_card is None)
            other.draw()
            await cleared(table, "shoe_change_unconfirmed")
            await table.display.until(lambda: table.state.cards_out == 7, what="the card that waited")
            await drawn(table, other, 1, 8)
            await alert(table, "burned_between_rounds")
            assert table.state.burned == 3, "one more, as the ace says"
            await drawn(table, other, 2, 10)

            # In mid-round the controller starts anew, on the other wire.
            assert await table.chain.stop_daemon() == 0
            await table.chain.start_daemon()
            await cleared(table, "event_gap")
            await drawn(table, other, 2, 12)
            await table.phase("complete")
            assert (table.state.shoe, table.state.round) == (1, 2)
            other.press(Button.RESULT)
            assert (await table.told(RoundResult, 2)).round == 2
            await table.phase("betting")

            await exchanged(table, native)
            await table.display.is_up_to_date()
            # The first shoe may have had something to report meanwhile, as that its gate was locked in the silence.
            if any(each.kind == "event_gap" for each in table.state.alerts):
                await cleared(table, "event_gap")
            await table.draw_a_round()
            await table.phase("complete")
            assert (table.state.shoe, table.state.round, table.state.cards_out) == (1, 3, 16)
            stopping = [each.kind for each in table.state.alerts if each.severity == "stops"]
            assert stopping == []
            links = [fact.authenticated for fact in table.display.facts_of(ShoeLinkChanged) if fact.up]
            assert links == [True, False, False, True]
