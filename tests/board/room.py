"""A table with its board, each part as it is in a casino, and a browser in front of it.

    async with Room(tmp_path, seed=7) as room:             # Mosquitto, daemon and board run
        page = await room.page("/table/table-1")
        await page.until(lambda seen: seen.live)

A page is read as a person would read it (`Seen`): cards, totals, texts, every mark of every road.
"""

import asyncio
import itertools
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from playwright.async_api import Browser, ConsoleMessage, Page, ViewportSize, async_playwright

from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE
from tests.daemon.programs import PATIENCE, Program

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

LANDSCAPE, PORTRAIT = (1920, 1080), (1080, 1920)

BOARD = f"/table/{TABLE}"

READING = """() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const text = (selector, root = document) => root.querySelector(selector)?.textContent ?? "";
  const hand = (id) => all(`#${id} .card[data-card]`).map((card) => card.dataset.card);
  const drawn = (id) => all(`#${id} .card[data-card] svg`).map((card) => card.getAttribute("aria-label"));
  const road = (id) => {
    const panel = document.querySelector(`#${id} svg`);
    return {
      first: Number(panel.dataset.first ?? 0),
      cells: all("g.cell", panel).map((cell) => ({ ...cell.dataset, text: cell.textContent })),
    };
  };
  return {
    title: text("#title"), headline: text("#headline"), shoe: text("#shoe"), round: text("#round"),
    player: hand("player"), banker: hand("banker"), player_drawn: drawn("player"), banker_drawn: drawn("banker"),
    player_total: text("#player .total"), banker_total: text("#banker .total"),
    next: all(".hand.next").map((place) => place.id).join(" "),
    band: text("#band-text"), band_kind: document.querySelector("#band")?.className ?? "",
    band_round: text("#band-round"), band_next: text("#band-next"),
    wagers: all("#band-wagers li").map((won) => [won.firstChild.textContent, text("b", won)]),
    counts: Object.fromEntries(all("#counts div").map((count) => [count.dataset.count, Number(text("dd", count))])),
    roads: Object.fromEntries(["bead_plate", "big_road", "big_eye", "small", "cockroach"].map((id) => [id, road(id)])),
    live: !document.body.classList.contains("empty") && (document.querySelector("#not-live")?.hidden ?? false),
    not_live: text("#not-live-why"),
    unverified: document.querySelector("#unverified")?.hidden === false,
    everything: document.body.innerText,
  };
}"""


class Seen(NamedTuple):
    """What a board shows at a moment."""

    title: str
    headline: str
    shoe: str
    round: str
    player: list[str]
    banker: list[str]
    player_drawn: list[str]
    banker_drawn: list[str]
    player_total: str
    banker_total: str
    next: str
    band: str
    band_kind: str
    band_round: str
    band_next: str
    wagers: list[list[str]]
    counts: dict[str, int]
    roads: dict[str, dict[str, Any]]
    live: bool
    not_live: str
    unverified: bool
    everything: str


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as player:
        browser = await player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


class BoardPage:
    """One open page; what its console complains of is kept."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    async def seen(self) -> Seen:
        return Seen(**await self.page.evaluate(READING))

    async def until(self, condition: Callable[[Seen], object], within: float = PATIENCE, *, what: str = "") -> Seen:
        """Wait until the page shows something; what it shows then."""
        deadline = asyncio.get_running_loop().time() + within
        while not condition(seen := await self.seen()):
            assert asyncio.get_running_loop().time() < deadline, f"waited {within:g} s for {what}; seen: {seen}"
            await asyncio.sleep(0.05)  # reading a whole page takes the browser as long
        return seen

    async def text_of(self, selector: str) -> list[str]:
        return await self.page.locator(selector).all_inner_texts()


class Room:
    """Entered as a context; everything in it ends with it."""

    def __init__(
        self,
        folder: Path,
        browser: Browser | None = None,
        *,
        board: dict[str, Any] | None = None,
        base_game: str = "nepal",
        **chain: Any,  # noqa: ANN401 - options of Chain
    ) -> None:
        """Without a browser, it has one of its own. In Nepal's game a base wager, too, has more than one price."""
        self.chain = Chain(folder, **chain)
        self.folder = folder
        self.port = free_port()
        self.board = Program("shoe-controller", "board", str(folder / "table.toml"), log=folder / "board.log")
        self._settings = board or {}
        self._base_game = base_game
        self._ending = AsyncExitStack()
        self._browser = browser

    async def __aenter__(self) -> Self:
        await self._ending.enter_async_context(self.chain)
        try:
            self.chain.data["table"] |= {"title": "Baccarat 3", "headline": "Welcome to the house", "currency": "NPR"}
            self.chain.data["house"] |= {"base_game": self._base_game, "round_limit": {"amount": 5_000_000}}
            self.chain.data["board"] = {"port": self.port} | self._settings
            self.chain.write_file()
            await self.chain.start_daemon()
            await self.start_board()
            self._ending.push_async_callback(self.board.kill)
            if self._browser is None:
                self._browser = await self._ending.enter_async_context(chromium())
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            happened = "\n".join(str(happening) for happening in self.chain.truth[-20:])
            # For whoever reads the failure.
            print(f"===== the truth =====\n{happened}\n===== board.log =====\n{self.board.output}")  # noqa: T201 - as said
        await self._ending.__aexit__(kind, error, trace)

    async def start_board(self) -> None:
        before = self.board.output.count('"ready"')
        await self.board.start()
        await self.chain.becomes(
            lambda: self.board.output.count('"ready"') > before or not self.board.is_running, what="the board"
        )
        assert self.board.is_running, self.board.output

    async def page(self, path: str = BOARD, size: tuple[int, int] = LANDSCAPE, *, scale: float = 1.0) -> BoardPage:
        assert self._browser is not None
        viewport = ViewportSize(width=size[0], height=size[1])
        context = await self._browser.new_context(viewport=viewport, device_scale_factor=scale)
        self._ending.push_async_callback(context.close)
        page = BoardPage(await context.new_page())
        await page.page.goto(f"http://127.0.0.1:{self.port}{path}")
        return page

    def topic(self, below: str, table: str = TABLE) -> str:
        return f"shoe/v1/{SITE}/{table}/{below}"


def free_port() -> int:
    """A port that nobody listens on, and that no process of tests side by side would choose in the next moment."""
    for port in _PORTS:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("no port is free")


_PORTS = (10_000 + (os.getpid() * 50 + number) % 9_000 for number in itertools.count())
"""Below those that the brokers of the tests try, and those that the system lends; each process begins elsewhere."""
