"""From a message at the board's process to changed pixels in Chromium, beside a page that only writes the number.

The board's own parts run in this process, without a broker in front. Both pages are served by the same server over the
same kind of stream, and take turns. Then: the first full paint of a long shoe beside an empty page, what a page loads,
memory over a thousand shoes, and what everything costs while nothing happens.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import itertools
import random
import resource
import statistics
import time
from collections.abc import Mapping
from pathlib import Path

from playwright.async_api import Browser, CDPSession, Page, async_playwright

from shoe_controller.board.addresses import BoardAddresses
from shoe_controller.board.floor import Floor
from shoe_controller.board.process import STATIC
from shoe_controller.board.web import WebSite
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.static_files import TILES, File, read_files
from tests.board.room import CHROMIUM, FLAGS, LANDSCAPE
from tests.follow.samples import SITE, encode, info, roads_message, state, status

TABLE, TABLES = "t1", 200
MESSAGES, EVERY = 150, 0.05
LONG_SHOE, SHOES, ROUNDS = 90, 1000, 70
IDLE_SECONDS = 10.0

EMPTY = b'<!doctype html><html lang="en" data-look="dark"><p id="round"></p><script src="/files/n.js"></script>'
NUMBER = b"""new EventSource("/news/number").onmessage = ({ data }) => {
  document.getElementById("round").textContent = data;
};"""

TIMES = """() => {
  window.painted = {};
  const place = document.getElementById("round");
  new MutationObserver(() => {
    const number = place.textContent;
    requestAnimationFrame(() => requestAnimationFrame((at) => (window.painted[number] = performance.timeOrigin + at)));
  }).observe(place, { childList: true, characterData: true, subtree: true });
}"""

FULL = """(cells) => new Promise((done) => {
  const look = () => (document.querySelectorAll("g.cell").length >= cells
    ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look));
  look();
})"""


class NumberFeed:
    """Tells a number, and nothing else."""

    def __init__(self, bench: "Bench") -> None:
        self._bench = bench
        self._told = 0

    def news(self) -> bytes | None:
        if self._told == self._bench.number:
            return None
        self._told = self._bench.number
        return str(self._told).encode()


class Bench:
    """The board, and beside it the page that it is measured by."""

    def __init__(self) -> None:
        self.floor = Floor(SITE)
        self.floor.broker_up()
        self.bell = ChangeSignal()
        self.number = 0
        self.seq = itertools.count(1)
        files = read_files(TILES, STATIC) | {"n.js": File(NUMBER, "text/javascript", "n")}
        self._boards = BoardAddresses(
            self.floor, files, language="en", look="dark", pit=True, home=None, clock=time.monotonic
        )
        self.site = WebSite(self, files, self.bell)
        self.address = ""
        self.say(TABLE, "status", encode(status()))
        self.say(TABLE, "info", encode(info()))

    def moved(self, path: str) -> str | None:
        return self._boards.moved(path)

    def page(self, path: str, query: Mapping[str, str]) -> bytes | None:
        return EMPTY if path == "empty" else self._boards.page(path, query)

    def stream(self, path: str) -> Stream | None:
        return Stream(NumberFeed(self)) if path == "number" else self._boards.stream(path)

    def say(self, table: str, below: str, payload: bytes) -> None:
        self.floor.receive(Incoming(topic=f"shoe/v1/{SITE}/{table}/{below}", payload=payload), time.monotonic())
        self.bell.ring()

    async def open(self, browser: Browser, path: str) -> Page:
        page = await browser.new_page(viewport={"width": LANDSCAPE[0], "height": LANDSCAPE[1]})
        await page.goto(self.address + path)
        return page


def main() -> None:
    asyncio.run(_measure())


async def _measure() -> None:
    bench = Bench()
    bench.address = f"http://127.0.0.1:{await bench.site.start('127.0.0.1', 0)}"
    try:
        async with async_playwright() as player:
            browser = await player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            await _first_paint(bench, browser)
            await _latency(bench, browser)
            await _memory(bench, browser)
            await _idle(bench, browser)
            await browser.close()
    finally:
        await bench.site.stop()


async def _latency(bench: Bench, browser: Browser) -> None:
    board, empty = await bench.open(browser, f"/table/{TABLE}"), await bench.open(browser, "/empty")
    sent: dict[str, dict[int, float]] = {"board": {}, "empty": {}}
    for page in (board, empty):
        await page.wait_for_timeout(500)
        await page.evaluate(TIMES)
    for number in range(1, MESSAGES + 1):
        payload = encode(state(next(bench.seq), round=number))
        sent["board"][number] = time.time() * 1000
        bench.say(TABLE, "state", payload)
        await asyncio.sleep(EVERY)
        sent["empty"][number] = time.time() * 1000
        bench.number = number
        bench.bell.ring()
        await asyncio.sleep(EVERY)
    figures = {}
    for name, page in (("empty", empty), ("board", board)):
        painted = await page.evaluate("() => window.painted")
        took = [painted[str(number)] - at for number, at in sent[name].items() if str(number) in painted]
        cuts = statistics.quantiles(took, n=100)
        figures[name] = cuts[49], cuts[98]
        print(f"message to pixels, {name:<6} {cuts[49]:6.1f} ms p50 {cuts[98]:6.1f} ms p99, of {len(took)}")
    ratios = [mine / floor for mine, floor in zip(figures["board"], figures["empty"], strict=True)]
    print(f"  ratio {ratios[0]:.2f} p50, {ratios[1]:.2f} p99")
    await board.close()
    await empty.close()


async def _first_paint(bench: Bench, browser: Browser) -> None:
    bench.say(TABLE, "roads", encode(roads_message(next(bench.seq), _winners(1, LONG_SHOE))))
    bench.say(TABLE, "state", encode(state(next(bench.seq), round=LONG_SHOE)))
    for name, path, cells in (("empty page", "/empty", 0), (f"board of {LONG_SHOE} rounds", f"/table/{TABLE}", 100)):
        took = []
        for _ in range(5):
            page = await bench.open(browser, path)
            took.append(await page.evaluate(FULL, cells))
            loaded = await page.evaluate(
                "() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))"
                ".reduce((sum, part) => sum + part.transferSize, 0)"
            )
            await page.context.close()
        print(f"first full paint, {name:<20} {statistics.median(took):6.0f} ms, {loaded / 1000:.0f} kB loaded")


def _winners(seed: int, rounds: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - cards for a picture, nobody bets on them
    return "".join(chance.choices("BPT", (46, 45, 9), k=rounds))


async def _memory(bench: Bench, browser: Browser) -> None:
    page = await bench.open(browser, f"/table/{TABLE}")
    devtools = await page.context.new_cdp_session(page)
    for shoe in range(1, SHOES + 1):
        bench.say(TABLE, "roads", encode(roads_message(next(bench.seq), _winners(shoe, ROUNDS), shoe)))
        bench.say(TABLE, "state", encode(state(next(bench.seq), shoe=shoe, round=ROUNDS)))
        await asyncio.sleep(0.005)
        if shoe in (SHOES // 10, SHOES):
            await page.locator("#shoe", has_text=str(shoe)).wait_for()
            await devtools.send("HeapProfiler.collectGarbage")
            heap, nodes = [await _metric(devtools, name) for name in ("JSHeapUsedSize", "Nodes")]
            print(f"after {shoe:>4} shoes: page {heap / 1e6:.1f} MB, {nodes:.0f} nodes; process {_resident():.1f} MB")
    await page.close()


async def _idle(bench: Bench, browser: Browser) -> None:
    for number in range(2, TABLES + 1):
        for below, message in (
            ("status", status()),
            ("info", info(table=f"t{number}", title=f"Baccarat {number}")),
            ("state", state(0)),
            ("roads", roads_message(0, "BPPBT" * 8)),
        ):
            bench.say(f"t{number}", below, encode(message))
    board, pit = await bench.open(browser, f"/table/{TABLE}"), await bench.open(browser, "/pit")
    await pit.locator(".table").nth(TABLES - 1).wait_for(state="attached")
    await asyncio.sleep(2)
    sessions = [await page.context.new_cdp_session(page) for page in (board, pit)]
    before, began = [await _metric(each, "TaskDuration") for each in sessions], time.process_time()
    await asyncio.sleep(IDLE_SECONDS)
    ours = (time.process_time() - began) / IDLE_SECONDS
    spent = [(await _metric(each, "TaskDuration")) - was for each, was in zip(sessions, before, strict=True)]
    shares = ", ".join(f"{name} {each / IDLE_SECONDS:.2%}" for name, each in zip(("board", "pit"), spent, strict=True))
    print(f"idle, {TABLES} tables: process {ours:.2%} of a core; pages: {shares}")


async def _metric(devtools: CDPSession, name: str) -> float:
    await devtools.send("Performance.enable")
    answer = await devtools.send("Performance.getMetrics")
    return float(next(each["value"] for each in answer["metrics"] if each["name"] == name))


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6
