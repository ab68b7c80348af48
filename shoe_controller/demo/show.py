"""Puts a demonstration together: starts the programs, watches until it is over, ends everything, and reports.

However it ends (so many rounds, all faults shown, Ctrl-C, a program that fails), programs, links and files are gone
afterwards. The cards stop first, then the tables, then the broker, so that nothing is cut off on its way.
"""

import asyncio
import random
import secrets
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

from shoe_controller.baccarat.odds import WagerOdds, exact_odds
from shoe_controller.config.table_file import Config, load_config
from shoe_controller.demo.broker_program import RunningBroker, start_broker
from shoe_controller.demo.display import INSTANCE, REMEMBERED, USER, TableWatch, TimedLine
from shoe_controller.demo.event_lines import FAULT, StyledText
from shoe_controller.demo.fault_script import FaultScript
from shoe_controller.demo.folder import TableFiles, write_table
from shoe_controller.demo.irregular_scripts import Scene
from shoe_controller.demo.local_ports import HOST
from shoe_controller.demo.pages import NO_ARRAYS, NOT_INSTALLED, Pages, can_be_served, has_arrays, start_pages
from shoe_controller.demo.people import People
from shoe_controller.demo.picture import DemoView, Odds
from shoe_controller.demo.pit_alarms import PitAlarms, SeatAlarm
from shoe_controller.demo.programs import DemoError, Program, python
from shoe_controller.demo.report import Report, TableEnd, report_on
from shoe_controller.demo.screen import Screen
from shoe_controller.demo.settings import SITE, DemoSettings
from shoe_controller.demo.shoe_program import ShoeProgram
from shoe_controller.demo.strategies import COUNTS
from shoe_controller.demo.supervisor import dealer_may_deal
from shoe_controller.demo.truth import Truth
from shoe_controller.follow.table import reply_topic, subscriptions
from shoe_controller.messages.facts import AnyFact, BettingOpened, CardDealt
from shoe_controller.messages.topics import ANY, PIT_ALARMS, Topics
from shoe_controller.mqtt.broker import BrokerAddress, BrokerError, BrokerSession, Will
from shoe_controller.mqtt.client import NetworkBroker

LOOK_EVERY = 0.02
"""Seconds between two looks at what the emulators have written down."""
CATCH_UP = 3.0
"""Seconds allowed at the end for cards on their way to arrive, and then for the tables to shut down."""

_EVERY_TABLE = Topics(SITE, ANY)
_SUBSCRIPTIONS = [
    *subscriptions(_EVERY_TABLE, reply_topic(_EVERY_TABLE, USER, INSTANCE)),
    _EVERY_TABLE.roads,
    f"{_EVERY_TABLE.prefix}/{PIT_ALARMS}",
]


class _Table(NamedTuple):
    files: TableFiles
    topics: Topics
    watch: TableWatch
    truth: Truth
    faults: FaultScript
    people: People
    shoe: ShoeProgram
    daemon: Program


class Show:
    def __init__(self, settings: DemoSettings, screen: Screen) -> None:
        self._settings = settings
        self._screen = screen
        self._over = asyncio.Event()
        self._began = 0.0
        self._tables: list[_Table] = []
        self._pages: Pages | None = None
        self._lines: deque[tuple[str, TimedLine]] = deque(maxlen=REMEMBERED)
        self._odds: list[Odds] = []
        self._ending = ""
        self._pit_alarms = PitAlarms(self._seat_alarm)

    @property
    def watches(self) -> list[TableWatch]:
        """What the display received of each table."""
        return [table.watch for table in self._tables]

    async def run(self) -> Report | None:
        """The whole demonstration; nothing to report if it was ended before it began."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._over.set)
        with tempfile.TemporaryDirectory(prefix="shoe-demo-") as folder:
            async with AsyncExitStack() as stack:
                started = await self._unless_over(self._start(Path(folder), stack))
                if started is None:
                    return None
                broker, session = started
                try:
                    self._screen.open(lambda: self._view(broker), self._over.set)
                    await self._watch(session, broker)
                finally:
                    self._screen.close()
            return report_on(
                [
                    TableEnd(
                        table.files.name,
                        table.watch,
                        table.truth,
                        table.faults.book,
                        table.files.journal,
                        table.people.requests,
                    )
                    for table in self._tables
                ],
                wire=self._settings.wire,
                planned=self._settings.faults,
                pages=[] if self._pages is None else self._pages.lines,
                counter=self._settings.counter is not None,
                alarms=self._pit_alarms.all,
            )

    async def _unless_over(
        self, starting: Coroutine[Any, Any, tuple[RunningBroker, BrokerSession]]
    ) -> tuple[RunningBroker, BrokerSession] | None:
        work, over = asyncio.create_task(starting), asyncio.create_task(self._over.wait())
        await asyncio.wait([work, over], return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        if work.done():
            return work.result()
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work
        return None

    # --- starting ----------------------------------------------------------------------------------------------------

    async def _start(self, folder: Path, stack: AsyncExitStack) -> tuple[RunningBroker, BrokerSession]:
        self._screen.say("Starting the broker …")
        broker = await start_broker(self._settings.broker, folder, stack)
        address = BrokerAddress(host=HOST, port=broker.port, client_id=f"demo-view-{secrets.token_hex(4)}")
        will = Will("demo/view", b"gone")
        session = await stack.enter_async_context(NetworkBroker(address).connect(will, _SUBSCRIPTIONS))
        self._began = self._now()
        tables = self._settings.tables
        self._screen.say(f"Starting {'a table' if tables == 1 else f'{tables} tables'}: emulated shoe and controller …")
        for number in range(1, tables + 1):
            files = await asyncio.to_thread(write_table, folder, number, self._settings, broker.port)
            table = self._table(files, folder, session, number)
            self._tables.append(table)
        # Two programs each, which need most of their time to import what they are made of: all at once.
        programs: list[Program] = [program for table in self._tables for program in (table.shoe, table.daemon)]
        for program in programs:
            stack.push_async_callback(program.stop)
        await asyncio.gather(*(table.shoe.start() for table in self._tables))
        await asyncio.gather(*(table.daemon.start() for table in self._tables))
        self._odds = _odds(await asyncio.to_thread(load_config, self._tables[0].files.config))
        if self._settings.pages:
            await self._start_pages(broker, folder, stack)
        return broker, session

    async def _start_pages(self, broker: RunningBroker, folder: Path, stack: AsyncExitStack) -> None:
        if not can_be_served():
            self._screen.say(NOT_INSTALLED)
            return
        self._screen.say("Starting the pages: boards, pit view, console and the pit's …")
        if not has_arrays():
            self._screen.say(NO_ARRAYS)
        files = [table.files for table in self._tables]
        self._pages = await start_pages(files, self._settings, broker.port, folder, stack)
        for line in self._pages.lines:
            self._screen.say(line)

    def _table(self, files: TableFiles, folder: Path, session: BrokerSession, number: int) -> _Table:
        topics = Topics(SITE, files.name)
        watch = TableWatch(topics, lambda line: self._happened(files.name, line))
        truth = Truth(files.truth)
        shoe = ShoeProgram(files, self._settings, number, folder / f"{files.name}.shoe.log")

        def say(words: StyledText) -> None:
            watch.say(words, self._now() - self._began)

        people = People(
            scene=Scene(watch, truth, wire=self._settings.wire),
            publish=lambda topic, payload: _publish(session, topic, payload),
            press=shoe.press,
            let_dealer=shoe.let_dealer,
            say=say,
            pins=files.pins,
            speed=self._settings.speed,
            generator=random.Random(f"people {number} {self._settings.seed}"),  # noqa: S311 - no real money is bet
            counting=COUNTS[self._settings.counter] if self._settings.counter is not None else None,
        )
        daemon = Program(
            f"the controller of {files.name}",
            *python("shoe_controller.cli"),
            "run",
            str(files.config),
            log=folder / f"{files.name}.log",
        )
        faults = FaultScript(self._settings.faults, watch=watch, truth=truth, people=people, press=shoe.press, say=say)
        return _Table(files, topics, watch, truth, faults, people, shoe, daemon)

    # --- watching ----------------------------------------------------------------------------------------------------

    async def _watch(self, session: BrokerSession, broker: RunningBroker) -> None:
        """Until it is over; then let everything that is on its way arrive."""
        receiving = asyncio.create_task(self._receive(session))
        looking = asyncio.create_task(self._look(session))
        supervising = [asyncio.create_task(table.people.supervise()) for table in self._tables]
        programs = [broker.program, *(p for table in self._tables for p in (table.shoe, table.daemon))]
        programs += self._page_programs
        dying = [asyncio.create_task(program.died()) for program in programs]
        over = asyncio.create_task(self._over.wait())
        everything: list[asyncio.Task[Any]] = [receiving, looking, over, *supervising, *dying]
        try:
            await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
            for death in dying:
                if death.done():
                    raise death.result()
            for task in (receiving, looking, *supervising):
                if task.done():
                    task.result()
            await _end([*dying, *supervising])
            await self._wind_down()
        finally:
            await _end(everything)

    async def _receive(self, session: BrokerSession) -> None:
        by_prefix = {table.topics.prefix: table for table in self._tables}
        try:
            async for message in session.incoming():
                table = by_prefix["/".join(message.topic.split("/")[:4])]
                # A report of a fault follows the fault: so read the shoe's truth before the messages.
                self._look_at(table)
                now = self._now()
                below = table.topics.below(message.topic)
                if self._pit_alarms.take(below, table.files.name, message.payload, now - self._began):
                    continue
                facts = table.watch.take(message.topic, message.payload, now - self._began, retained=message.retain)
                for fact in facts:
                    self._take(table, fact, now)
                if not self._ending:
                    self._let_dealer_deal(table)
                table.people.stir()
                table.faults.look()
                self._screen.changed()
                self._end_if_all_is_shown()
        except BrokerError as error:
            raise DemoError(f"the display has lost its broker: {error}") from error

    def _take(self, table: _Table, fact: AnyFact, now: float) -> None:
        match fact:
            case BettingOpened():
                table.people.betting_opened(fact)
            case CardDealt(place=place, carried=False) if place.card is not None and place.entered_by is None:
                left = table.truth.moment_of(place.card)
                if left is not None:
                    table.watch.latencies.add((now - left) * 1000)
            case _:
                pass

    def _let_dealer_deal(self, table: _Table) -> None:
        """Start the dealer as soon as the controller is connected to the shoe; without a gate, as the display says."""
        state = table.watch.state
        if state is None or table.people.dealer_waits:
            return
        if self._settings.wire == "lines":
            table.shoe.let_dealer(deal=dealer_may_deal(state, table.truth))
        elif state.link_up:
            table.shoe.let_dealer(deal=True)

    async def _look(self, session: BrokerSession) -> None:
        while True:
            for table in self._tables:
                request = table.watch.table.request(self._now() - self._began)
                if request is not None:
                    session.publish_soon(request.topic, request.payload, response_topic=request.response_topic)
                if self._look_at(table):
                    if not self._ending:
                        self._let_dealer_deal(table)
                    table.people.stir()
                    self._screen.changed()
            await asyncio.sleep(LOOK_EVERY)

    def _look_at(self, table: _Table) -> bool:
        now = self._now()
        happened = table.truth.look(now)
        for each in happened:
            if each.what == "fault_injected":
                table.faults.injected(each.fault)
        return bool(happened)

    def _happened(self, name: str, line: TimedLine) -> None:
        if self._ending:
            # That the shoe is gone then is expected.
            return
        self._lines.append((name, line))
        self._screen.line(name, line)

    def _seat_alarm(self, raised: SeatAlarm) -> None:
        self._happened(raised.table, TimedLine(raised.at, StyledText(f"PIT ALARM: {raised.words}", FAULT)))
        self._screen.changed()

    def _end_if_all_is_shown(self) -> None:
        if all(map(self._is_all_shown, self._tables)):
            self._over.set()

    def _is_all_shown(self, table: _Table) -> bool:
        if self._settings.rounds is not None:
            return table.watch.rounds_over >= self._settings.rounds
        return bool(self._settings.faults) and table.faults.all_over

    def _view(self, broker: RunningBroker) -> DemoView:
        settings = self._settings
        tables = "" if settings.tables == 1 else f"{settings.tables} tables, "
        happened = sum(len(table.faults.book) for table in self._tables)
        return DemoView(
            about=f"{tables}{settings.wire} wire, {settings.game}, {settings.decks} decks, speed {settings.speed:g}",
            broker=f"{broker.name}, port {broker.port}",
            watches=self.watches,
            lines=list(self._lines),
            odds=self._odds,
            faults=f"faults {happened}/{len(settings.faults) * settings.tables}" if settings.faults else "",
            ending=self._ending,
            alarm=" ".join(f"seat {each.alarm.seat} after {each.minutes}" for each in self._pit_alarms.all[-1:]),
            pit="" if self._pages is None else f"pit view {self._pages.pit_address}",
            edges="" if self._pages is None else self._pages.edges,
            console="" if self._pages is None else f"console {self._pages.console_address} {self._pages.people}",
        )

    @property
    def _page_programs(self) -> list[Program]:
        return [] if self._pages is None else self._pages.programs

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    # --- ending ------------------------------------------------------------------------------------------------------

    async def _wind_down(self) -> None:
        self._ending = "Ending: the dealer stops, the last cards arrive, everything is switched off …"
        self._screen.changed()
        for table in self._tables:
            table.people.leave()
            table.shoe.let_dealer(deal=False)
        await _until(lambda: all(map(self._has_arrived, self._tables)))
        for table in self._tables:
            table.faults.book.close(table.watch.last_seq)
        await asyncio.gather(*(table.shoe.stop() for table in self._tables))
        ending = [*self._page_programs, *(table.daemon for table in self._tables)]
        await asyncio.gather(*(program.stop() for program in ending))
        await _until(lambda: all(table.watch.status is None or not table.watch.status.online for table in self._tables))
        for table in self._tables:
            self._look_at(table)

    def _has_arrived(self, table: _Table) -> bool:
        self._look_at(table)
        return table.watch.knows_last_card_of(table.truth)


def _publish(session: BrokerSession, topic: str, payload: bytes) -> None:
    session.publish_soon(topic, payload)


def _odds(config: Config) -> list[Odds]:
    house = config.house
    all_odds = [exact_odds(house.schedule, wager, house.decks) for wager in house.offered]
    return [_for_display(odds, config.catalogue.wagers[odds.wager].names.en) for odds in all_odds]


def _for_display(odds: WagerOdds, name: str) -> Odds:
    pays = "/".join(dict.fromkeys(row.pays for row in odds.rows if row.pays not in ("push", "lose")))
    return Odds(name, pays, float(odds.house_edge), float(odds.hit_frequency))


async def _until(condition: Callable[[], bool]) -> None:
    """Wait for it, with a time limit."""
    with suppress(TimeoutError):
        async with asyncio.timeout(CATCH_UP):
            while not condition():  # noqa: ASYNC110 - partly about a file, whose changes are not notified
                await asyncio.sleep(LOOK_EVERY)


async def _end(tasks: "list[asyncio.Task[Any]]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
