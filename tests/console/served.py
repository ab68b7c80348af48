"""The console's server on a free port, and behind it a real desk with a real table, without a broker in between."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import aiohttp
import msgspec

from shoe_controller.console.forms import Dealer, FormDesk
from shoe_controller.console.process import STATIC
from shoe_controller.console.web import ConsoleSite
from shoe_controller.messages.requests import Answer, RequestRole
from shoe_controller.web.push import ChangeSignal
from shoe_controller.web.session_guard import token_header
from shoe_controller.web.sessions import Sessions
from shoe_controller.web.static_files import read_files
from tests.console.bench import model_of, send_event, send_state
from tests.mqtt.counter import DEALERS, Counter

PATIENCE = 10.0

TOKEN_HEADER = token_header("console")
IDLE = 600.0


class Served:
    def __init__(self, folder: Path, **procedure: Any) -> None:  # noqa: ANN401 - settings of the table
        self.counter = Counter(folder, **procedure)
        self.table = self.counter.sitting
        self.table.open_shoe()
        self.model = model_of(self.table)
        self.told = len(self.table.facts)
        self.bell = ChangeSignal()
        self.now = 1000.0
        self.asked: list[tuple[str, str, dict[str, Any]]] = []
        self.answers_wait = asyncio.Event()
        self.answers_wait.set()
        self._stirred = asyncio.Event()
        numbers = itertools.count(1)
        self.sessions: Sessions[Dealer] = Sessions(
            idle=IDLE, clock=lambda: self.now, new_token=lambda: f"random-{next(numbers):040}"
        )
        self.site = ConsoleSite(
            front=FormDesk(self, self.model.followed, lambda: f"sign-in-{next(numbers)}"),
            model=self.model,
            sessions=self.sessions,
            files=read_files(STATIC),
            bell=self.bell,
            language="en",
        )
        self.address = ""

    async def ask(self, role: RequestRole, name: str, request: dict[str, Any]) -> Answer:
        """As the line to the table does it, without a broker."""
        self.asked.append((role, name, request))
        self._stirred.set()
        await self.answers_wait.wait()
        answer = await self.counter.bring(f"{role}/{name}", msgspec.json.encode(request))
        assert answer is not None
        self.follow()
        return answer

    async def until_asked(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(self.asked) < count:
                self._stirred.clear()
                await self._stirred.wait()

    def follow(self) -> None:
        """Give the model what the table has published since."""
        for fact in self.table.facts[self.told :]:
            send_event(self.model, fact)
        self.told = len(self.table.facts)
        send_state(self.model, self.table)
        self.bell.ring()


@asynccontextmanager
async def serving(folder: Path, **procedure: Any) -> AsyncIterator[Served]:  # noqa: ANN401 - as above
    served = Served(folder, **procedure)
    port = await served.site.start("127.0.0.1", 0)
    served.address = f"http://127.0.0.1:{port}"
    try:
        yield served
    finally:
        await served.site.stop()


def code_of(told: dict[str, Any]) -> str:
    """The code of an answer to the page: "ok", that of the table's refusal, or that of the console's own failure."""
    answer = told["answer"]
    return "ok" if answer["status"] == "ok" else str((answer.get("refusal") or answer["failure"])["code"])


class Browser:
    """As a browser at the console's page: cookies, `Origin`, and the token once it is signed in."""

    def __init__(self, served: Served) -> None:
        self.address = served.address
        self.token: str | None = None
        self._numbers = itertools.count(1)
        # A jar that keeps cookies for IP addresses too, as browsers do.
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
            usual[TOKEN_HEADER] = self.token
        sent = {key: value for key, value in (usual | dict(headers or {})).items() if value is not None}
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        async with self.http.post(self.address + path, data=data, headers=sent) as response:
            return response.status, msgspec.json.decode(await response.read())

    async def get(self, path: str) -> tuple[int, bytes, Any]:
        async with self.http.get(self.address + path) as response:
            return response.status, await response.read(), response.headers

    async def sign_in(self, person: str = "dan", pin: str = DEALERS["dan"]) -> tuple[int, Any]:
        status, told = await self.post("/sign-in", {"person": person, "pin": pin})
        if told.get("session"):
            self.token = told["session"]["token"]
        return status, told

    def new_id(self) -> str:
        return f"request-{next(self._numbers)}"
