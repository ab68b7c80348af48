"""A table goes on where an older program stood: in mid-shoe, on a journal that commit 25f84e2 wrote in layout 1."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Button,
    ButtonPressed,
    CardDrawn,
    Hand,
    IndicatedWinner,
    ResultIndicated,
)
from firmware_protocol.link import LinkReport
from shoe_controller.baccarat.facts import Winner
from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import RunningConfig, for_running, load_config
from shoe_controller.daemon.assembly import JournalOutbox, Opened, open_table
from shoe_controller.daemon.engine import Engine, Stored
from shoe_controller.daemon.past_rounds import past_round
from shoe_controller.daemon.table_journal import SOFTWARE, replay, same_fact, snapshot_if_needed
from shoe_controller.house.rules import rules_of
from shoe_controller.journal.errors import FileError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.journal.verify import verify
from shoe_controller.messages.acts import AnyAct, Approve, ClearAlert, EndShoe, NoMoreBets, Role, VoidRound
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    AnyFact,
    CardDealt,
    ExtraCardDecided,
    Fact,
    ResultUndone,
    RoundResult,
    RoundSettled,
    RoundVoided,
    ShoeEnded,
    WagersReturned,
)
from shoe_controller.messages.requests import Stake
from shoe_controller.mqtt.envelope import EventMessage
from shoe_controller.table.inputs import (
    BadShoeSection,
    ControllerStarted,
    LinkBack,
    PersonActs,
    PinVerdict,
    SeatBets,
    ShoeReport,
)
from shoe_controller.table.state import REVISION, TableState
from tests.daemon.clients import Display
from tests.daemon.harness import Chain
from tests.daemon.house_file import table_file, write_table_file
from tests.journal.old_journals import copied, said
from tests.journal.tampering import query

pytestmark = pytest.mark.asyncio

PATIENCE = 10.0


class AfterPowerUp(SystemClock):
    """The machine was switched off and on since the journal was written."""

    def boot(self) -> str:
        return "the next one"


class Table:
    """The engine on an old journal; the shoe's reports are given to it by hand."""

    def __init__(self, config: RunningConfig) -> None:
        self.clock = AfterPowerUp()
        self.opened: Opened = open_table(config, self.clock)
        self.facts: list[AnyFact] = []
        self.published: list[EventMessage] = []
        self.outbox = JournalOutbox(self.opened.reader, self.opened.writer, self.opened.reader.position().last_seq)
        self.engine = Engine(
            table=self.opened.table,
            link=AngelEyeController(),
            wire="native",
            journal=self.opened.writer,
            clock=self.clock,
            rules=lambda: rules_of(config),
            read_past=partial(past_round, self.opened.reader),
            read_shoe=lambda: BadShoeSection(text="there is no other shoe"),
            write=lambda _data: None,
            observer=self,
        )
        self._sequence = 1_000_000

    @property
    def state(self) -> TableState:
        return self.engine.table.state

    # --- Observer ----------------------------------------------------------------------------------------------------

    def stored(self, stored: Stored) -> None:
        self.facts += stored.facts
        if stored.facts:
            self.published += self.outbox.just_stored(stored)

    def line_reported(self, report: LinkReport) -> None: ...

    def storing_failed(self, error: FileError) -> None:
        raise AssertionError(error)

    def storing_again(self) -> None:
        raise AssertionError

    # --- what the test does ------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """As the daemon starts; the same shoe is back at once."""
        snapshot = snapshot_if_needed(self.opened.reader, self.engine.table, SOFTWARE)
        if snapshot is not None:
            self.engine.happened(snapshot)
        link = self.state.lasting.link
        self.engine.happened(ControllerStarted(boot=self.clock.boot(), revision=REVISION))
        self.engine.happened(
            LinkBack(keeps_events=True, authenticated=True, boot_id=link.boot_id, shoe_name=link.shoe_name)
        )
        await self.all_done()

    async def all_done(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.engine.all_done()

    async def event(self, event: AnyShoeEvent) -> None:
        self._sequence += 1
        boot_id = self.state.lasting.link.boot_id
        self.engine.happened(ShoeReport(event=event, sequence=self._sequence, boot_id=boot_id, age_ms=0))
        await self.all_done()

    async def card(self, text: str, hand: Hand, position: int) -> None:
        await self.event(CardDrawn(hand=hand, position=position, card=Card.parse(text)))

    async def result(self, winner: IndicatedWinner) -> None:
        await self.event(ButtonPressed(button=Button.RESULT))
        await self.event(ResultIndicated(winner=winner))

    async def act(self, act: AnyAct, person: str = "shah") -> None:
        dealer = isinstance(act, NoMoreBets)
        refusal = await self.engine.ask(
            PersonActs(
                act=act,
                person=person,
                role=Role.DEALER if dealer else Role.SUPERVISOR,
                pin=PinVerdict.NOT_GIVEN if dealer else PinVerdict.RIGHT,
                reason="seen on the table",
                shoe=self.state.shoe_number,
                round=self.state.round_number,
            )
        )
        assert refusal is None, refusal

    async def a_round(self) -> None:
        """Wagers, four cards, and Player wins with a natural."""
        state = self.state
        stakes = (Stake(wager="base.player", stake=500),)
        bets = SeatBets(seat="1", stakes=stakes, shoe=state.shoe_number, round=state.round_number)
        assert await self.engine.ask(bets) is None
        await self.act(NoMoreBets())
        for text, hand, position in (
            ("9C", Hand.PLAYER, 1),
            ("2C", Hand.BANKER, 1),
            ("TC", Hand.PLAYER, 2),
            ("5C", Hand.BANKER, 2),
        ):
            await self.card(text, hand, position)
        await self.result(IndicatedWinner.PLAYER)

    def last(self, *kinds: type[Fact]) -> AnyFact:
        return [fact for fact in self.facts if isinstance(fact, kinds)][-1]


# --- how each goes on ------------------------------------------------------------------------------------------------


async def carried_card(table: Table) -> None:
    """Everyone has seen the card too many: it is burned at once, and a round that the shoe begins with it is free."""
    burned = table.last(ExtraCardDecided)
    assert isinstance(burned, ExtraCardDecided)
    assert (burned.burned, burned.used) == (1, False)
    await table.act(NoMoreBets())
    await table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("3S"), carried_over=True))
    laid = table.last(CardDealt)
    assert isinstance(laid, CardDealt)
    assert (str(laid.place.card), laid.place.number) == ("3S", 1)
    alert = table.last(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert alert.alert.kind == "shown_card_carried"
    await table.act(ClearAlert(alert=alert.alert.number))
    returned = table.last(WagersReturned)
    assert isinstance(returned, WagersReturned)
    assert [(wager.seat, wager.wager) for wager in returned.returned] == [("6", "base.banker")]
    await table.card("7D", Hand.BANKER, 1)
    await table.card("5D", Hand.PLAYER, 2)
    await table.card("AD", Hand.BANKER, 2)
    await table.result(IndicatedWinner.TIE)
    assert won(table) is Winner.TIE


async def killed_in_a_round(table: Table) -> None:
    await table.card("2C", Hand.BANKER, 2)
    await table.result(IndicatedWinner.BANKER)
    assert won(table) is Winner.BANKER
    assert settled(table)["5", "base.tie"] == -300


async def stopped_in_a_round(table: Table) -> None:
    await table.card("2H", Hand.BANKER, 2)
    await table.result(IndicatedWinner.BANKER)
    assert won(table) is Winner.BANKER
    assert settled(table)["1", "base.player"] == -500


async def marked_commission(table: Table) -> None:
    await table.card("2C", Hand.PLAYER, 2)
    await table.card("9C", Hand.BANKER, 2)
    await table.result(IndicatedWinner.BANKER)
    await table.act(EndShoe())
    ended = table.last(ShoeEnded)
    assert isinstance(ended, ShoeEnded)
    assert ended.commission_due == {"1": 102 + 51, "9": 700 + 350}, "what was marked then and now"


async def pruned_shoe(table: Table) -> None:
    await table.a_round()
    assert won(table) is Winner.PLAYER
    assert settled(table) == {("1", "base.player"): 500, ("2", "base.player"): 300}


async def standing_alert(table: Table) -> None:
    await table.act(VoidRound())
    voided = table.last(RoundVoided)
    assert isinstance(voided, RoundVoided)
    assert voided.total == 800
    assert isinstance(table.last(AlertEnded), AlertEnded)


async def standing_proposal(table: Table) -> None:
    proposal = table.state.lasting.proposal
    assert proposal is not None
    await table.act(Approve(proposal=proposal.number))
    undone = table.last(ResultUndone)
    assert isinstance(undone, ResultUndone)
    assert undone.round == 2
    await table.result(IndicatedWinner.PLAYER)


HOW: dict[str, Callable[[Table], Awaitable[None]]] = {
    each.__name__: each
    for each in (
        carried_card,
        killed_in_a_round,
        stopped_in_a_round,
        marked_commission,
        pruned_shoe,
        standing_alert,
        standing_proposal,
    )
}


def won(table: Table) -> Winner:
    result = table.last(RoundResult)
    assert isinstance(result, RoundResult)
    return result.outcome.winner


def settled(table: Table) -> dict[tuple[str, str], int]:
    """What each wager of the round came to."""
    fact = table.last(RoundSettled)
    assert isinstance(fact, RoundSettled)
    return {(each.seat, each.wager): each.returned - each.stake for each in fact.settlement.wagers}


# --- the tests -------------------------------------------------------------------------------------------------------


def config_in(folder: Path, journal: Path) -> RunningConfig:
    data = table_file(wire="native", shoe_port=str(folder / "shoe"), journal=journal)
    return for_running(load_config(write_table_file(folder, data), guarded=False))


@asynccontextmanager
async def at_work(config: RunningConfig) -> AsyncIterator[Table]:
    table = Table(config)
    working = asyncio.create_task(table.engine.run())
    try:
        await table.start()
        yield table
        await table.all_done()
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        table.opened.reader.close()
        table.opened.writer.close()


def head_in(payload: bytes) -> Head | None:
    number, _, digits = str(msgspec.json.decode(payload).get("head", "")).partition(":")
    return Head(number=int(number), hash=bytes.fromhex(digits)) if digits else None


@pytest.mark.parametrize("name", HOW)
async def test_the_round_goes_on_and_the_chain_with_it(tmp_path: Path, name: str) -> None:
    path = copied(name, tmp_path)
    before = query(path, "SELECT * FROM record ORDER BY number")
    config = config_in(tmp_path, path)
    async with at_work(config) as table:
        assert table.opened.backup is not None
        assert table.state.lasting.alerts_raised == said(name)["state"]["lasting"]["alerts_raised"] + (
            name not in ("carried_card", "pruned_shoe", "standing_proposal")
        ), "in a round the shoe counts as lost until it is back; nothing else is wrong"
        await HOW[name](table)
        stood, published, newest = table.state, table.published, table.outbox.newest()
        first = said(name)["last_seq"] + 1
        assert [message.seq for message in published] == list(range(first, newest + 1))
        assert table.outbox.events(first - 1, 1000) == published, "as published at once, so read from the file"
    assert query(path, f"SELECT * FROM record WHERE number <= {before[-1][0]} ORDER BY number") == before  # noqa: S608 - a number
    newer = {kind for (kind,) in query(path, f"SELECT kind FROM record WHERE number > {before[-1][0]}")}  # noqa: S608 - a number
    assert "event" in newer
    assert newer <= {"raw", "snapshot", "input", "event"}
    heads = [head for message in published if (head := head_in(message.payload)) is not None]
    report = verify(
        path, replay=replay, agree=same_fact, software=SOFTWARE, heads=heads, progress=lambda _done, _all: None
    )
    assert report.good, report.problems
    assert report.replayed == len(published), "what another program decided is not replayed by this one"
    assert sum(report.not_replayed.values()) == said(name)["verify"]["replay"]["same"]
    async with at_work(config) as table:
        assert table.opened.backup is None
        assert msgspec.structs.replace(table.state, lasting=stood.lasting) == stood


async def test_a_display_gets_the_old_events_and_the_new_ones(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain:
        copied("stopped_in_a_round", tmp_path)
        display: Display = await chain.display()
        await chain.start_daemon()
        last = said("stopped_in_a_round")["last_seq"]
        await display.until(lambda: display.newest > last, what="an event of the new program")
        await display.has_everything()
        await chain.stop_daemon()
        assert display.status is not None
        payloads = [msgspec.json.decode(display.events[seq].payload) for seq in sorted(display.events)]
        assert {payload["journal"] for payload in payloads} == {display.status.journal}
        assert all(
            payload["round_id"] == f"{payload['journal']}-{payload['shoe']}-{payload['round']}" for payload in payloads
        )
        with JournalReader(chain.journal) as reader:
            assert [payload["seq"] for payload in payloads] == list(range(1, reader.position().last_seq + 1))
        heads = [head for event in display.events.values() if (head := head_in(event.payload)) is not None]
        assert heads, "of the round that was settled before"
        assert verify(chain.journal, software=SOFTWARE, heads=heads, progress=lambda _done, _all: None).good
