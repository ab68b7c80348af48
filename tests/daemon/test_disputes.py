"""A disputed round and marked commission through the whole chain, over a crash and the end of the shoe."""

from pathlib import Path
from typing import Any

import pytest

from firmware_protocol.events import Button
from shoe_controller.messages.facts import (
    ActProposed,
    AlertEnded,
    AlertRaised,
    CommissionCollected,
    CommissionWaived,
    DisputeClosed,
    DisputeOpened,
    NoteMade,
    PaymentAdjusted,
    RoundSettled,
    ShoeEnded,
    ShoeOpened,
)
from shoe_controller.messages.retained import StatusMessage
from tests.commands.running import run_program
from tests.daemon.test_acts import AtTheTable, at_the_table

BANKER_WINS = "AS 2C " + " ".join(["2H 9D 3S KC"] * 12)
"""An ace is shown first, so that one card is burned; then rounds that Banker wins by 9 to 5."""
MARKED = {"commission": {"taken": "marked"}}


async def play(table: AtTheTable, rounds: int, *seats: str) -> None:
    await table.phase("betting")
    for seat in seats:
        assert (await table.terminal.bet(seat, {"base.banker": 1000})).status == "ok"
    await table.draw(4)
    await table.phase("complete")
    table.shoe.press(Button.RESULT)
    await table.told(RoundSettled, rounds)


async def both(table: AtTheTable, proposals: int, name: str, **details: Any) -> None:  # noqa: ANN401 - the act's own fields
    await table.supervisor(name, **details)
    proposal = (await table.told(ActProposed, proposals)).proposal
    await table.supervisor("approve", "shah", proposal=proposal)


def is_back(table: AtTheTable, before: StatusMessage) -> bool:
    status = table.display.status
    return status is not None and status.online and status.shoe_link and status.start != before.start


def owing(table: AtTheTable) -> list[tuple[int, str, int]]:
    return [(due.shoe, due.seat, due.amount) for due in table.state.commission]


@pytest.mark.asyncio
async def test_a_disputed_round_and_what_is_owed(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, BANKER_WINS, house=MARKED) as table:
        await table.draw(2)
        await play(table, 1, "1", "2")
        await table.phase("betting")
        assert owing(table) == [(1, "1", 50), (1, "2", 50)]
        of_round = {"shoe": 1, "round": 1}
        await table.supervisor("note", reason="seat 2 came late", about=of_round)
        assert (await table.told(NoteMade)).text == "seat 2 came late"
        await table.refused("reason_missing", "note", person="anita")
        await table.ok("note", reason="a glass fell over")
        assert (await table.told(NoteMade, 2)).of_round == table.state.round
        await table.supervisor("open_dispute", reason="says it was 2000", about=of_round, seat="1")
        opened = (await table.told(DisputeOpened)).dispute
        assert (opened.shoe, opened.round, opened.seat, opened.text) == (1, 1, "1", "says it was 2000")
        await both(table, 1, "adjust", about=of_round, seat="1", amount=-20)
        adjusted = await table.told(PaymentAdjusted)
        assert (adjusted.of_shoe, adjusted.of_round, adjusted.seat, adjusted.amount) == (1, 1, "1", -20)
        await table.ok("collect_commission", seat="2")
        assert (await table.told(CommissionCollected)).amount == 50
        await table.refused("no_commission_due", "collect_commission", seat="2")

        before = table.display.status
        assert before is not None
        await table.chain.daemon.kill()
        await table.chain.start_daemon()
        await table.display.until(lambda: is_back(table, before), what="the table")
        await table.display.is_up_to_date()
        assert list(table.state.disputes) == [opened], "an open dispute outlasts a crash"
        assert owing(table) == [(1, "1", 50)]

        await table.supervisor("end_shoe", reason="the cards are changed")
        ended = await table.told(ShoeEnded)
        assert ended.commission_due == {"1": 50}
        raised = await table.told(AlertRaised)
        assert raised.alert.kind == "dispute_open", "a shoe does not end silently"
        await both(table, 2, "waive_commission", seat="1")
        assert (await table.told(CommissionWaived)).amount == 50
        await table.refused("not_a_supervisor", "open_shoe")
        await table.supervisor("open_shoe", reason="the dispute is decided later")
        await table.told(ShoeOpened, 2)
        for number, code in ((1, "ok"), (99, "no_such_round")):
            about = {"shoe": 1, "round": number}
            answer = await table.terminal.supervisor("note", reason="an earlier shoe", about=about)
            assert answer.code == code, "the journal says which rounds an earlier shoe had"
        await table.supervisor("close_dispute", reason="the recording shows 1000", dispute=1)
        closed = await table.told(DisputeClosed)
        assert (closed.dispute, closed.decision) == (opened, "the recording shows 1000")
        assert (await table.told(AlertEnded)).alert.kind == "dispute_open"
        assert not table.state.disputes
        assert owing(table) == []
        journal = table.chain.journal
    recalled = run_program("journal", "recall", str(journal), "1").out
    for line in (
        "Note: seat 2 came late (rana)",
        "Dispute 1 opened, seat 1: says it was 2000 (rana)",
        "Payment put right: 20 collected from seat 1 (rana and shah)",
        "Dispute 1 decided: the recording shows 1000 (rana)",
    ):
        assert line in recalled
