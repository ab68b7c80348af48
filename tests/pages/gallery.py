"""Every page in its main states, served without a broker: the real sites, and behind them tables on the bench.

    async with gallery() as scenes:
        for scene in scenes:
            page = await scene.open(context, "zh-Hant")

What is shown follows from the table's own decisions. Cards are those of a seeded shoe, so that a page looks the same
every time.
"""

import random
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page, expect

from firmware_protocol.events import Misread
from shoe_controller.board.addresses import BoardAddresses
from shoe_controller.board.floor import Floor
from shoe_controller.board.process import STATIC
from shoe_controller.board.web import WebSite
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import BeginHandEntry, Confirm, NoMoreBets, OpenDispute, UndoLastResult, VoidRound
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.pit import CardsUncertain, RaisedPitAlarm, StakesFollowEdge, SuggestedAct
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.messages.topics import Topics, witness_topic
from shoe_controller.messages.witness import RaisedAlarm, TwoControllers, WitnessMessage
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.mqtt.retained import Posted, info_message, roads_message, rounds_message
from shoe_controller.pit.exposure import CurvePoint, Exposure
from shoe_controller.web.push import ChangeSignal
from shoe_controller.web.static_files import LANGUAGES, TILES, read_files
from tests.console.bench import encode, state_of
from tests.console.served import Served, serving
from tests.follow.samples import JOURNAL, SITE, status
from tests.mqtt.counter import DEALERS, PINS
from tests.pit.served import PASSWORDS, WALL, edges, exposed
from tests.pit.served import serving as serving_pit
from tests.table.sitting import QuickSitting

SIZES = ((3840, 2160), (1920, 1080), (1080, 1920), (1280, 800), (1024, 600), (800, 480), (390, 844))

LOOKS = ("dark", "light")

SEATS = ("1", "2", "3", "5", "6", "7", "8", "9")

A_ROUND = 75.0
"""Seconds from one round to the next."""

TAGS = {tag: short for short, tag in LANGUAGES.items()}
"""How an address writes a language."""

Prepare = Callable[[Page], Awaitable[None]]
Wanted = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Scene:
    """A page in a state."""

    name: str
    address: str
    is_there: str
    """A selector of what the page shows once it is complete."""
    looks: tuple[str, ...] = ("",)
    prepare: tuple[Prepare, ...] = field(default=())

    async def open(self, context: BrowserContext, tag: str, look: str = "") -> Page:
        page = await context.new_page()
        await page.goto(f"{self.address}?lang={TAGS[tag]}{look and f'&look={look}'}")
        for step in self.prepare:
            await step(page)
        await page.locator(self.is_there).first.wait_for(state="attached")
        await page.evaluate("document.fonts.ready.then(() => undefined)")
        return page


# --- tables ----------------------------------------------------------------------------------------------------------


def cards_of_a_shoe(seed: int) -> Iterator[str]:
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"] * 8
    cards.remove("AS")  # it was shown as the first card
    random.Random(seed).shuffle(cards)  # noqa: S311 - for a picture, nobody bets on it
    return iter(cards)


class ShownTable(QuickSitting):
    """A table that deals the cards of a seeded shoe."""

    def __init__(self, seed: int, house: Mapping[str, Any] | None = None, **procedure: Any) -> None:  # noqa: ANN401 - as in Sitting
        usual = {
            "seats": list(SEATS),
            "limits": {"all": {"min": 1_000, "max": 5_000_000}},
            "round_limit": {"amount": 500_000_000},
        }
        super().__init__(house=usual | dict(house or {}), **procedure)
        self.cards = cards_of_a_shoe(seed)
        self.seed = seed

    def draw(self, count: int = 1) -> None:
        for _ in range(count):
            self.card(next(self.cards))

    def play(self, rounds: int) -> None:
        for _ in range(rounds):
            self.wait(A_ROUND)
            while not self.at(Phase.COMPLETE):
                self.draw()
            assert self.dealer(Confirm()).refusal is None, self.alerts

    def play_until(self, winner: str) -> None:
        while True:
            self.play(1)
            last = state_of(self).last_outcome
            if last is not None and last.winner.value == winner:
                return


def messages_of(table: ShownTable, title: str, *, live: bool = True, **of_status: Any) -> dict[str, bytes]:  # noqa: ANN401 - of StatusMessage
    posted = Posted(
        version="0.1.0", start="5e1f", site=SITE, table=title, title=title, headline="Welcome to the Annapurna Room"
    )
    usual: dict[str, Any] = {"version": "0.1.0", "keeps_events": True}
    return {
        "status": encode(status(online=live, **(usual | of_status))),
        "info": encode(
            info_message(
                posted=posted,
                rules=table.rules,
                house=read_rules(table.rules),
                journal=JOURNAL,
                seq=0,
                rules_pending=False,
            )
        ).replace(b'"currency":""', b'"currency":"NPR"'),
        "state": encode(state_of(table)),
        "roads": encode(roads_message(table.state, JOURNAL)),
        "rounds": encode(rounds_message(table.state, JOURNAL)),
    }


COMMISSION = {"base_game": "commission"}
NO_COMMISSION = {"base_game": "no_commission", "layout": "golden_bacc"}
NEPAL = {"base_game": "nepal"}
TITLE = "Baccarat 3"


def _betting(seed: int, house: Mapping[str, Any], rounds: int = 40, **procedure: Any) -> ShownTable:  # noqa: ANN401 - as in Sitting
    table = ShownTable(seed, house, **procedure)
    table.open_shoe()
    table.play(rounds)
    return table


def _dealing(table: ShownTable, cards: int) -> ShownTable:
    table.draw(cards)
    return table


def _result(table: ShownTable, winner: str) -> ShownTable:
    table.play_until(winner)
    return table


def _misread(table: ShownTable) -> ShownTable:
    table.draw(2)
    table.event(Misread())
    return table


def _void(table: ShownTable) -> ShownTable:
    table.draw(2)
    table.act(VoidRound())
    return table


def _third_card_due(table: ShownTable) -> ShownTable:
    """Deal on until a hand waits for its third card."""
    while True:
        table.draw(4)
        if not table.at(Phase.COMPLETE):
            return table
        table.dealer(Confirm())


def _by_hand(table: ShownTable) -> ShownTable:
    table.act(BeginHandEntry())
    return table


Messages = dict[str, bytes]
"""Payloads of a table's retained messages, by the end of their topics."""

BOARDS: dict[str, Callable[[], Messages]] = {
    "new": lambda: messages_of(ShownTable(1, NEPAL), TITLE),
    "betting": lambda: messages_of(_betting(2, COMMISSION, 0), TITLE),
    "dealing": lambda: messages_of(_third_card_due(_betting(3, NEPAL)), TITLE),
    "nepal": lambda: messages_of(_result(_betting(4, NEPAL), "banker"), TITLE),
    "commission": lambda: messages_of(_result(_betting(5, COMMISSION), "player"), TITLE),
    "no_commission": lambda: messages_of(_result(_betting(6, NO_COMMISSION, 70), "tie"), TITLE),
    "trouble": lambda: messages_of(_misread(_betting(7, NEPAL)), TITLE),
    "void": lambda: messages_of(_void(_betting(8, NEPAL)), TITLE),
    "marked": lambda: messages_of(
        _by_hand(_betting(9, NEPAL, reveal=Reveal.AT_RESULT)), TITLE, authenticated=False, keeps_events=False
    ),
    "face_down": lambda: messages_of(_dealing(_betting(9, NEPAL, reveal=Reveal.AT_RESULT), 4), TITLE),
    "not_live": lambda: messages_of(_dealing(_betting(10, NEPAL), 3), TITLE, live=False),
}
"""Each board with what its table publishes."""


def _well(number: int) -> Messages:
    return messages_of(_dealing(_betting(number, NEPAL, 12 + number), number % 4), f"Baccarat {number}")


def _disputed() -> ShownTable:
    table = _betting(20, NEPAL, 9)
    table.act(OpenDispute(seat="2"), reason="Seat 2 says the third card was a nine")
    return table


def _six() -> dict[str, Messages]:
    """One is stopped, one is not live."""
    return {f"t{number}": _well(number) for number in range(3, 7)} | {
        "t7": messages_of(_misread(_betting(21, NEPAL, 17)), "Baccarat 7"),
        "t8": messages_of(_betting(22, NEPAL, 8), "Baccarat 8", live=False),
    }


PITS: dict[str, Callable[[], dict[str, Messages]]] = {
    "none": dict,
    "one": lambda: {"t3": _well(3)},
    "six": _six,
    "alerts": lambda: _six() | {"t5": messages_of(_disputed(), "Baccarat 5", authenticated=False), "t9": _well(9)},
    "many": lambda: {f"t{number}": _well(number % 20 + 3) for number in range(10, 60)},
}
"""Each pit view with what its tables publish."""

WITNESSED = WitnessMessage(
    table="t9",
    journal=JOURNAL,
    head="",
    checkpoint=3,
    alarms=(RaisedAlarm(line=18, time=2, alarm=TwoControllers(start="a", other="b")),),
    line="18:00",
)


# --- the board and the pit -------------------------------------------------------------------------------------------


async def _board_site(ending: AsyncExitStack, tables: Mapping[str, Mapping[str, bytes]]) -> tuple[str, Floor]:
    floor = Floor(SITE)
    floor.broker_up()
    for name, messages in tables.items():
        topics = Topics(SITE, name)
        for below, payload in messages.items():
            floor.receive(Incoming(topic=f"{topics.prefix}/{below}", payload=payload, retain=True), 0.0)
    files = read_files(TILES, STATIC)
    addresses = BoardAddresses(floor, files, language="en", look="dark", pit=True, home=None, clock=lambda: 0.0)
    site = WebSite(addresses, files, ChangeSignal())
    port = await site.start("127.0.0.1", 0)
    ending.push_async_callback(site.stop)
    return f"http://127.0.0.1:{port}", floor


async def _boards(ending: AsyncExitStack, wanted: Wanted) -> list[Scene]:
    tables = {name: publish() for name, publish in BOARDS.items() if wanted(f"board-{name}")}
    address, _ = await _board_site(ending, tables)
    shown = "body:not(.empty) #counts dd"
    scenes = [Scene(f"board-{name}", f"{address}/table/{name}", shown, LOOKS) for name in tables]
    unknown = Scene("board-unknown", f"{address}/table/nobody-knows-it", "#not-live:not([hidden])")
    return [*scenes, unknown] if wanted(unknown.name) else scenes


async def _pits(ending: AsyncExitStack, wanted: Wanted) -> list[Scene]:
    scenes = []
    for name, publish in PITS.items():
        if not wanted(f"pit-{name}"):
            continue
        tables = publish()
        address, floor = await _board_site(ending, tables)
        if name == "alerts":
            floor.receive(Incoming(topic=witness_topic(SITE, "witness", "t9"), payload=encode(WITNESSED)), 0.0)
        shown = f"#tables > :nth-child({len(tables)})" if tables else "#summary:not(:empty)"
        scenes.append(Scene(f"pit-{name}", f"{address}/pit", shown, LOOKS if name == "alerts" else ("",)))
    return scenes


# --- the pit's page ---------------------------------------------------------------------------------------------------


def shown_exposure(seed: int, rounds: int, highest: float, wagers: Sequence[str]) -> Exposure:
    """A shoe in which the most exposed wager ends with this edge, and nothing is exposed where that is below zero."""
    chance = random.Random(seed)  # noqa: S311 - for a picture, nobody bets on it
    drift = [highest * number / rounds + chance.gauss(-0.01, 0.006) for number in range(1, rounds)] + [highest]
    curve = tuple(CurvePoint(round=number, wager=wagers[0], edge=edge) for number, edge in enumerate(drift, 1))
    falling = sorted((highest - 0.008 * number for number in range(len(wagers))), reverse=True)
    made = edges(*zip(wagers, falling, strict=True))
    alarms = tuple(
        exposed(wager, edge, staked=2_500_000, line=seed, round_=rounds)
        for wager, edge in zip(wagers, falling, strict=True)
        if edge > 0.04
    ) or ((exposed(wagers[0], highest, staked=0, line=seed, round_=rounds),) if highest > 0 else ())
    return Exposure(made, curve, alarms)


FOLLOWS = RaisedPitAlarm(
    line=41,
    time=WALL,
    alarm=StakesFollowEdge(
        seat="5",
        wager="tie_wins_on.0",
        shoe=12,
        shoes=6,
        rounds=88,
        mean_edge=0.0712,
        evidence=5400.0,
        suggested=(SuggestedAct.WATCH_SEAT,),
    ),
)

EXPOSED = {"t3": 0.0634, "t4": -0.0106, "t5": -0.0031, "t6": 0.0009, "t9": -0.0106}


def _enter(identity: str, password: str) -> Prepare:
    async def step(page: Page) -> None:
        await page.locator("#person_id").fill(identity)
        await page.locator("#password").fill(password)
        await page.locator("#door button").click()

    return step


async def _details(page: Page) -> None:
    await page.locator('[data-table="t3"] .open').click()


ENTER = _enter("rana", PASSWORDS["rana"])

EDGES: dict[str, tuple[tuple[Prepare, ...], str]] = {
    "door": ((), "#door h2"),
    "wrong": ((_enter("rana", "wrong horse battery"),), "#message:not(:empty)"),
    "tables": ((ENTER,), "#tables > :nth-child(7)"),
    "details": ((ENTER, _details), "dialog[open] td"),
}
"""By name: what is typed and touched on the page of the pit, and what it then shows."""


async def _edges(ending: AsyncExitStack, wanted: Wanted) -> list[Scene]:
    scenes = []
    for name, (prepare, shown) in EDGES.items():
        if not wanted(f"pit_edges-{name}"):
            continue
        served = await ending.enter_async_context(serving_pit())
        tables = PITS["alerts"]()
        for table, messages in tables.items():
            for below, payload in messages.items():
                served.publish(table, below, payload)
        for number, (table, highest) in enumerate(EXPOSED.items()):
            info = served.floor.tables[table].followed.info
            offered = [] if info is None else [wager.id for wager in info.rules.offered]
            wagers = sorted(offered, key="tie_wins_on.0".__ne__)
            served.expose(table, shown_exposure(number + 30, 40 - 5 * number, highest, wagers))
        few = served.exposures.of("t6")
        assert few is not None
        served.expose("t6", few._replace(alarms=(*few.alarms, FOLLOWS)))
        served.expose("t7", Exposure(edges(none=CardsUncertain()), (), ()))
        scenes.append(Scene(f"pit_edges-{name}", f"{served.address}/", shown, LOOKS, prepare=prepare))
    return scenes


# --- the console -----------------------------------------------------------------------------------------------------


def at(page: Page, key: str) -> Any:  # noqa: ANN401 - a locator
    """What is touched has a key of its own; a dialog is in front of everything else."""
    return page.locator(f'dialog[open] [data-key="{key}"], body:not(:has(dialog[open])) [data-key="{key}"]')


def tap(*keys: str) -> Prepare:
    async def step(page: Page) -> None:
        for key in keys:
            await at(page, key).click()

    return step


def sign_in(person: str, pin: str) -> Prepare:
    async def step(page: Page) -> None:
        await at(page, "person").fill(person)
        await at(page, "pin").fill(pin)
        await at(page, "go").click()
        await expect(page.locator("#sentence")).not_to_be_empty()

    return step


def supervise(*keys: str) -> Prepare:
    async def step(page: Page) -> None:
        await at(page, "mode").click()
        await at(page, "person").fill("ann")
        await at(page, "pin").fill(PINS["ann"])
        await at(page, "go").click()
        await at(page, "tab-supervisor").click()
        for key in keys:
            await at(page, key).click()

    return step


DEALER = sign_in("dan", DEALERS["dan"])
PLAYER_WINS = "9H KD KS 5C"
BANKER_WINS = "2H 9D 3S KC"


def _bets(served: Served) -> None:
    """Five wagers, so that five steps are to be worked off."""
    table = served.table
    table.bets("1", [("base.player", 5_000), ("base.tie", 500)])
    table.bet("3", "base.banker", 12_000)
    table.bets("5", [("base.banker", 100_000), ("base.tie", 2_000)])
    table.bet("8", "base.player", 1_250)


def _settle(served: Served, cards: str = PLAYER_WINS) -> None:
    _bets(served)
    served.table.deal(cards)
    served.table.dealer(Confirm())


def _console_betting(served: Served) -> None:
    _settle(served)
    _bets(served)


def _console_dealing(served: Served) -> None:
    _bets(served)
    served.table.deal("2H 3D 4S")


def _console_alert(served: Served) -> None:
    _settle(served)
    served.table.deal("9H")
    served.table.event(Misread())


def _console_open(served: Served) -> None:
    """A proposal, a dispute, and commission that is owed."""
    _settle(served, BANKER_WINS)
    served.table.act(OpenDispute(seat="2"), reason="Seat 2 says the third card was a nine")
    served.table.act(UndoLastResult())


def _console_by_hand(served: Served) -> None:
    _bets(served)
    served.table.act(BeginHandEntry())
    served.table.dealer(NoMoreBets())


def _nothing(_served: Served) -> None:
    pass


CONSOLE: dict[str, tuple[Callable[[Served], None], str, tuple[Prepare, ...]]] = {
    "door": (_nothing, "#door h1", ()),
    "betting": (_console_betting, ".seat.bets", (DEALER, tap("tab-wagers"))),
    "seat": (_console_betting, "dialog[open] .wager", (DEALER, tap("tab-wagers", "seat-5"))),
    "dealing": (_console_dealing, ".hand .card", (DEALER,)),
    "payments": (_settle, ".step.next", (DEALER, tap("tab-payments"))),
    "alert": (_console_alert, ".alert", (DEALER, tap("tab-alerts"))),
    "open": (_console_open, ".alert.proposal", (DEALER, tap("tab-alerts"))),
    "by_hand": (_console_by_hand, "#panel.cards .choice", (DEALER, tap("tab-cards", "deal-9", "deal-H"))),
    "rounds": (_console_betting, ".details", (DEALER, tap("tab-rounds", "round-1.1"))),
    "supervisor": (_console_alert, ".act-list", (DEALER, supervise())),
    "who": (_nothing, "dialog[open] .who", (DEALER, tap("mode"))),
    "card": (_console_alert, "dialog[open] .ranks", (DEALER, supervise("act-identify_card"))),
    "why": (_console_alert, "dialog[open] .chip", (DEALER, supervise("act-void_round"))),
    "hold": (_console_alert, "dialog[open] .hold", (DEALER, supervise("act-void_round", "reason-0"))),
    "adjust": (_console_betting, "dialog[open] .chip", (DEALER, supervise("act-adjust"))),
    "amend": (_console_betting, "dialog[open] .numbers", (DEALER, supervise("act-amend_round", "round-1-1", "card-1"))),
    "set_wager": (_console_dealing, "dialog[open] .betting", (DEALER, supervise("act-set_wager"))),
}
"""By name: what happens at the table before, what is then there, and what is touched on the page."""


async def _consoles(ending: AsyncExitStack, folder: Path, wanted: Wanted) -> list[Scene]:
    scenes = []
    for name, (happens, shown, prepare) in CONSOLE.items():
        if not wanted(f"console-{name}"):
            continue
        place = folder / name
        place.mkdir()
        house = {"seats": list(SEATS), "limits": {"all": {"min": 100, "max": 100_000}}}
        by_dealer = {"bets_close": BetsClose.DEALER} if name == "by_hand" else {}
        served = await ending.enter_async_context(serving(place, house=house, **by_dealer))
        happens(served)
        served.follow()
        scenes.append(Scene(f"console-{name}", f"{served.address}/", shown, prepare=prepare))
    return scenes


@asynccontextmanager
async def gallery(wanted: Wanted = lambda _name: True) -> AsyncIterator[list[Scene]]:
    """The scenes that are wanted by their names."""
    async with AsyncExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="gallery-")))
        yield [
            *await _boards(ending, wanted),
            *await _pits(ending, wanted),
            *await _edges(ending, wanted),
            *await _consoles(ending, folder, wanted),
        ]
