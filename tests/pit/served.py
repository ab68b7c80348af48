"""The pit's site on a free port, in this process: real people and hashes, tables and exposures as a test wants them."""

import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self

import aiohttp
import msgspec

from shoe_controller.board.floor import Floor
from shoe_controller.config.passwords import hash_password, parse_password_hash
from shoe_controller.config.secret_files import Secret
from shoe_controller.config.site_people import SitePerson, SiteRole
from shoe_controller.messages.pit import (
    AnyNoEdges,
    EdgesMessage,
    RaisedPitAlarm,
    SuggestedAct,
    WagerEdge,
    WagerExposed,
)
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.pit.exposure import CurvePoint, Exposure
from shoe_controller.pit.exposures import Exposures
from shoe_controller.pit.sections import Moment
from shoe_controller.pit.web import PitSite, pit_files
from shoe_controller.web.login import Login
from shoe_controller.web.push import ChangeSignal
from shoe_controller.web.session_guard import token_header
from shoe_controller.web.sessions import Sessions
from tests.follow.samples import JOURNAL, SITE, encode, info, state, status

PATIENCE = 10.0
IDLE = 900.0
WALL = 1_000_000
LASTS = 60_000
FULL_SHOE = -0.0536

PASSWORDS = {"rana": "harbour lantern 58", "shah": "eleven grey kites"}


def person(identity: str, name: str, *roles: SiteRole) -> SitePerson:
    made = parse_password_hash(hash_password(PASSWORDS[identity], identity.ljust(16).encode(), log_cost=12))
    return SitePerson(identity, name, frozenset(roles), Secret(made))


RANA = person("rana", "B. Rana", SiteRole.PIT)
SHAH = person("shah", "S. Shah", SiteRole.AUDITOR)


def edges(*wagers: tuple[str, float], none: AnyNoEdges | None = None, until: int = WALL + LASTS) -> EdgesMessage:
    """The highest first, as they are published."""
    return EdgesMessage(
        start="5e1f",
        journal=JOURNAL,
        seq=1,
        shoe=1,
        round=1,
        time=WALL,
        until=until,
        unseen=300,
        edges=tuple(WagerEdge(wager=wager, edge=edge, full_shoe=FULL_SHOE) for wager, edge in wagers),
        none=none,
    )


def exposed(wager: str, edge: float, staked: int = 50_000, line: int = 7, round_: int = 1) -> RaisedPitAlarm:
    alarm = WagerExposed(
        shoe=1,
        round=round_,
        wager=wager,
        edge=edge,
        limit=0.0,
        staked=staked,
        suggested=(SuggestedAct.LOWER_LIMIT, SuggestedAct.TAKE_WAGER_OFF),
    )
    return RaisedPitAlarm(line=line, time=WALL, alarm=alarm)


def exposure(*wagers: tuple[str, float], alarms: tuple[RaisedPitAlarm, ...] = ()) -> Exposure:
    curve = tuple(CurvePoint(round=1, wager=wager, edge=edge) for wager, edge in wagers[:1])
    return Exposure(edges(*wagers), curve, alarms)


class LogLines:
    """A log that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def info(self, event: str, **values: object) -> None:
        self.lines.append({"event": event, **values})

    warning = info

    def events(self) -> list[str]:
        return [line["event"] for line in self.lines]


class Served:
    def __init__(self, people: tuple[SitePerson, ...] = (RANA, SHAH)) -> None:
        self.now = 1000.0
        self.wall = WALL
        self.log = LogLines()
        self.floor = Floor(SITE)
        self.floor.broker_up()
        self.exposures = Exposures()
        self.bell = ChangeSignal()
        numbers = itertools.count(1)
        self.login = Login(people, SiteRole.PIT, clock=lambda: self.now, log=self.log)
        self.sessions: Sessions[SitePerson] = Sessions(
            idle=IDLE, clock=lambda: self.now, new_token=lambda: f"random-{next(numbers):040}"
        )
        self.site = PitSite(
            login=self.login,
            sessions=self.sessions,
            floor=self.floor,
            exposures=self.exposures,
            files=pit_files(),
            bell=self.bell,
            clock=lambda: Moment(self.now, self.wall),
        )
        self.address = ""

    def publish(self, table: str, below: str, payload: bytes) -> None:
        topic = f"{Topics(SITE, table).prefix}/{below}"
        self.floor.receive(Incoming(topic=topic, payload=payload, retain=True), self.now)
        self.bell.ring()

    def add_table(self, table: str = "t1", **of_state: Any) -> None:  # noqa: ANN401 - fields of StateMessage
        self.publish(table, "status", encode(status()))
        self.publish(table, "info", encode(info()))
        self.publish(table, "state", encode(state(0, **of_state)))

    def expose(self, table: str, shown: Exposure) -> None:
        self.exposures.put(table, shown)
        self.bell.ring()


@asynccontextmanager
async def serving(people: tuple[SitePerson, ...] = (RANA, SHAH)) -> AsyncIterator[Served]:
    served = Served(people)
    port = await served.site.start("127.0.0.1", 0)
    served.address = f"http://127.0.0.1:{port}"
    try:
        yield served
    finally:
        await served.site.stop()


class Browser:
    """As a browser at the pit's page: cookies, `Origin`, and the token once it is signed in."""

    def __init__(self, served: Served) -> None:
        self.address = served.address
        self.token: str | None = None
        self.http = aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=aiohttp.ClientTimeout(PATIENCE)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.close()

    async def post(self, path: str, body: Any, headers: Mapping[str, str | None] | None = None) -> tuple[int, Any]:  # noqa: ANN401 - JSON
        """Status and JSON of the answer; a header that is `None` is left out."""
        usual: dict[str, str | None] = {"Origin": self.address, "Content-Type": "application/json"}
        if self.token is not None:
            usual[token_header("pit")] = self.token
        sent = {key: value for key, value in (usual | dict(headers or {})).items() if value is not None}
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        async with self.http.post(self.address + path, data=data, headers=sent) as response:
            return response.status, msgspec.json.decode(await response.read())

    async def get(self, path: str) -> tuple[int, bytes]:
        async with self.http.get(self.address + path) as response:
            return response.status, await response.read()

    async def sign_in(self, identity: str = "rana", password: str | None = None) -> Any:  # noqa: ANN401 - JSON
        told = (await self.post("/sign-in", {"person": identity, "password": password or PASSWORDS[identity]}))[1]
        if told.get("session"):
            self.token = told["session"]["token"]
        return told
