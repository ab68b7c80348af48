"""The pages of a demonstration, as a browser gets them: where it says they are, while it runs, and gone afterwards."""

import asyncio
import re

import aiohttp
import pytest

from tests.demo.watched_demo import PATIENCE, YES, Folder, WatchedDemo

ADDRESS = r"http://127\.0\.0\.1:\d+"
PAGES = re.compile(
    rf"  board     (?P<board>{ADDRESS}/table/table-1) and so on to table-2\n"
    rf"  pit view  (?P<pit>{ADDRESS}/pit)\n"
    rf"  console   (?P<console>{ADDRESS})/\n"
    r"            table-1's; sign in with id and PIN: "
    r"dealer (?P<dealer>\S+) (?P<dealer_pin>\d+), supervisor (?P<supervisor>\S+) (?P<supervisor_pin>\d+)\n"
    rf"  edges     (?P<edges>{ADDRESS})/\n"
    r"            sign in with id and password: (?P<person>\S+) (?P<password>\d+)\n"
)


async def told_pages(demo: WatchedDemo) -> dict[str, str]:
    await demo.shows("8 decks")
    found = PAGES.search(demo.text)
    assert found, demo.text
    return found.groupdict()


async def page(browser: aiohttp.ClientSession, address: str) -> str:
    async with browser.get(address) as answer:
        assert answer.status == 200, address
        return await answer.text()


async def sign_in(browser: aiohttp.ClientSession, console: str, person: str, pin: str) -> str:
    """As soon as the table answers the console; who is signed in then."""
    async with asyncio.timeout(PATIENCE):
        while True:
            form = {"person": person, "pin": pin}
            async with browser.post(f"{console}/sign-in", json=form, headers={"Origin": console}) as answer:
                told = await answer.json()
            if told.get("session"):
                return str(told["session"]["person"])
            await asyncio.sleep(0.1)


async def stream_shows(stream: aiohttp.ClientResponse, *words: str) -> None:
    seen = ""
    async with asyncio.timeout(PATIENCE):
        while not all(word in seen for word in words):
            line = await stream.content.readline()
            assert line, seen
            seen += line.decode()


async def see_edges(told: dict[str, str]) -> None:
    """Live edges after signing in, and none before."""
    address = told["edges"]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        assert 'id="door"' in await page(browser, f"{address}/")
        async with browser.get(f"{address}/news/tables") as refused:
            assert refused.status == 401
        form = {"person": told["person"], "password": told["password"]}
        async with browser.post(f"{address}/sign-in", json=form, headers={"Origin": address}) as answer:
            assert (await answer.json())["session"]["person"] == told["person"]
        async with browser.get(f"{address}/news/tables") as stream:
            await stream_shows(stream, '"table-1"', '"table-2"', '"curve":[[1,')


@pytest.mark.asyncio
async def test_pages_are_where_it_says_and_end_with_it(folder: Folder) -> None:
    demo = folder.demo("--tables", "2", "--rounds", "1", "--speed", "5")
    await demo.start()
    told = await told_pages(demo)
    async with aiohttp.ClientSession() as browser:
        assert "board.js" in await page(browser, told["board"])
        assert "pit.js" in await page(browser, told["pit"])
        assert 'id="door"' in await page(browser, told["console"])
        for role in ("dealer", "supervisor"):
            assert await sign_in(browser, told["console"], told[role], told[f"{role}_pin"]) == told[role]
        await see_edges(told)
        async with browser.get(told["pit"].replace("/pit", "/news/pit")) as stream:
            await stream_shows(stream, '"table-1"', '"table-2"')
            assert await demo.ended() == 0, demo.text
            # To its end: a board that was killed would break it off in the middle, which is an error here.
            await stream.content.read()
    assert YES in demo.report
    assert len(PAGES.findall(demo.text)) == 2
    assert "\x1b" not in demo.report
    assert folder.is_clean()


@pytest.mark.asyncio
@pytest.mark.parametrize(("missing", "pages"), [("aiohttp", ()), ("numpy", ("board", "pit view", "console"))])
async def test_without_a_library_it_goes_on_without_the_pages_that_need_it(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, missing: str, pages: tuple[str, ...]
) -> None:
    hiding = tmp_path_factory.mktemp("hiding")
    (hiding / "sitecustomize.py").write_text(f"import sys\nsys.modules['{missing}'] = None\n")
    demo = folder.demo("--speed", "50", "--rounds", "1", environment={"PYTHONPATH": str(hiding)})
    await demo.start()
    assert await demo.ended() == 0, demo.text
    assert f"{missing}, which is not installed here" in demo.text
    told = re.findall(r"^  (\w+(?: \w+)?) +http://", demo.report.rpartition("Pages, which")[2], re.MULTILINE)
    assert tuple(told) == pages
    assert YES in demo.report
    assert folder.is_clean()
