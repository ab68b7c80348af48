"""A board with a wrong site, or a table that is not there: the pit view says what it waits for and what there is."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Browser

from shoe_controller.board.feeds import WAITING, PitFeed
from shoe_controller.board.floor import Floor
from shoe_controller.board.sections import pit_row
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming
from tests.board.room import free_port
from tests.daemon.programs import Program
from tests.follow.samples import SITE, encode, status
from tests.mqtt.brokers import connected
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.table_files import write


def news(feed: PitFeed) -> object:
    sent = feed.news()
    return None if sent is None else msgspec.json.decode(sent)


def test_a_site_without_tables_is_waited_for_and_the_page_says_what_there_is() -> None:
    floor = Floor("nroth")
    feed = PitFeed(floor, lambda name: pit_row(floor, name, 0.0))
    assert not list(floor.missing), "the broker is not there: that is what is wrong"
    floor.broker_up()
    assert list(floor.missing) == ["nroth/*"]
    assert news(feed) == {}, "nobody has looked yet"
    assert floor.saw(("north/t1",))
    assert not floor.saw(("north/t1",)), "that is no news"
    assert news(feed) == {WAITING: {"tables": ["nroth/*"], "there": ["north/t1"]}}


def test_a_table_that_is_named_and_not_there_is_waited_for_until_it_comes() -> None:
    floor = Floor(SITE, tables=frozenset({"t1", "t9"}))
    feed = PitFeed(floor, lambda name: pit_row(floor, name, 0.0))
    floor.broker_up()
    floor.receive(Incoming(topic=f"shoe/v1/{SITE}/t1/status", payload=encode(status())), 0.0)
    floor.saw((f"{SITE}/t1",))
    seen = news(feed)
    assert isinstance(seen, dict)
    assert seen[WAITING] == {"tables": [f"{SITE}/t9"], "there": [f"{SITE}/t1"]}
    floor.receive(Incoming(topic=f"shoe/v1/{SITE}/t9/status", payload=encode(status())), 0.0)
    seen = news(feed)
    assert isinstance(seen, dict)
    assert seen[WAITING] is None


@pytest.mark.asyncio(loop_scope="session")
async def test_the_pit_view_shows_it(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    broker, port = Mosquitto(tmp_path / "broker", "allow_anonymous true"), free_port()
    await broker.start()
    file = write(
        tmp_path, {"mqtt": {"host": "127.0.0.1", "port": broker.port}, "board": {"site": "nroth", "port": port}}
    )
    board = Program("shoe-controller", "board", str(file), log=tmp_path / "board.log")
    try:
        async with connected(broker.port) as session:
            await session.publish(Topics(SITE, "t1").listing, b"{}", retain=True)
        await board.start()
        async with asyncio.timeout(30):
            while '"waits_for_tables"' not in board.output:  # noqa: ASYNC110 - a line in a log
                await asyncio.sleep(0.05)
        page = await browser.new_page()
        await page.goto(f"http://127.0.0.1:{port}/pit")
        await page.locator("#trouble:visible").wait_for()
        shown = await page.inner_text("#trouble")
        assert shown.startswith(f"Waiting for nroth/*. At this broker there is {SITE}/t1: correct site")
        assert "well" not in await page.inner_text("#summary")
        await page.close()
    finally:
        await board.terminate()
        await broker.kill()
