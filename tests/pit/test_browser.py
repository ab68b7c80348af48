"""The pit's page in Chromium, as a person uses it: the door, edges that move, alarms, the wagers of a table."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, Page, expect

from shoe_controller.messages.pit import RaisedPitAlarm, StakesFollowEdge, SuggestedAct
from shoe_controller.pit.exposure import Exposure
from shoe_controller.web.tries import FREE
from tests.follow.samples import encode, info
from tests.pit.served import IDLE, PASSWORDS, Served, edges, exposed, exposure, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

WRONG = "wrong horse battery"
EVIL = "<img src=x onerror=alert(1)>"


class Person:
    """Somebody at one page of Chromium."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    async def types(self, identity: str = "rana", password: str = PASSWORDS["rana"]) -> None:
        await self.page.locator("#person_id").fill(identity)
        await self.page.locator("#password").fill(password)
        await self.page.locator("#door button").click()

    async def sees(self, selector: str, text: str | re.Pattern[str]) -> None:
        await expect(self.page.locator(selector)).to_contain_text(text)

    async def sees_no_edge(self) -> None:
        await expect(self.page.locator("#door")).to_be_visible()
        await expect(self.page.locator(".table, [data-alarm], dialog[open]")).to_have_count(0)
        assert "%" not in await self.page.content()


@asynccontextmanager
async def at_the_page(chrome: Browser, query: str = "") -> AsyncIterator[tuple[Served, Person]]:
    async with serving() as served:
        served.add_table()
        served.expose("t1", exposure(("base.player", 0.0321), alarms=(exposed("base.player", 0.0321),)))
        context = await chrome.new_context(viewport={"width": 1280, "height": 800})
        try:
            person = Person(await context.new_page())
            await person.page.goto(f"{served.address}/{query}")
            yield served, person
            assert person.complaints == []
        finally:
            await context.close()


async def test_a_person_signs_in_sees_edges_move_and_signs_out(chrome: Browser) -> None:
    async with at_the_page(chrome) as (served, person):
        await person.sees_no_edge()
        await person.types()
        await person.sees(".table .edge.players", "+3.21")
        await person.sees(".table .edge", "the player's")
        await person.sees("#alarms li", "Table One")
        await person.sees("#alarms li", "lower the limit, take the wager off")
        await person.sees("#person", "B. Rana")
        served.expose("t1", exposure(("base.player", -0.0124)))
        await person.sees(".table .edge.house", "\N{MINUS SIGN}1.24")
        await expect(person.page.locator("#alarms")).to_be_hidden()
        served.expose("t1", Exposure(edges(), (), ()))
        await person.page.locator("#sign-out").click()
        await person.sees_no_edge()
        await person.sees("#message", "You have signed out.")
        await person.page.reload()
        await person.sees_no_edge()


async def test_all_wagers_of_a_table_are_seen_on_a_tap_and_follow_its_edges(chrome: Browser) -> None:
    async with at_the_page(chrome) as (served, person):
        served.expose("t1", exposure(("base.tie", 0.0005), ("base.player", -0.0124)))
        await person.types()
        await person.page.locator(".table .open").click()
        await person.sees("dialog [data-wager='base.player']", "\N{MINUS SIGN}1.24")
        await expect(person.page.locator("dialog tbody tr")).to_have_count(2)
        served.expose("t1", exposure(("base.tie", 0.0441), ("base.player", -0.0131)))
        await person.sees("dialog [data-wager='base.tie'] .players", "+4.41")
        await person.page.keyboard.press("Escape")
        await expect(person.page.locator("dialog")).to_be_hidden()
        await person.page.locator(".table h2").click()
        await person.sees("dialog [data-wager='base.tie']", "+4.41")
        served.sessions.end(next(iter(vars(served.sessions)["_by_hash"].values())))
        served.bell.ring()
        await person.sees_no_edge()


async def test_of_many_exposed_wagers_the_worst_stands_in_the_tile_and_all_of_them_in_the_list(chrome: Browser) -> None:
    async with at_the_page(chrome) as (served, person):
        alarms = tuple(exposed(wager, edge) for wager, edge in (("a", 0.01), ("b", 0.2), ("c", 0.03)))
        served.expose("t1", exposure(("b", 0.2), alarms=alarms))
        await person.types()
        await expect(person.page.locator(".table [data-alarm]")).to_have_count(1)
        await person.sees(".table [data-alarm]", "+20.00")
        await person.sees(".table [data-alarm]", "2 more wagers are the player's")
        listed = await person.page.locator("#alarms li").all_inner_texts()
        assert [re.findall(r"\+([\d.]+)", text) for text in listed] == [["20.00"], ["3.00"], ["1.00"]]


async def test_an_alarm_about_a_seat_says_what_it_rests_on_and_how_sure_it_is(chrome: Browser) -> None:
    follows = StakesFollowEdge(
        seat="6",
        wager="base.tie",
        shoe=9,
        shoes=8,
        rounds=31,
        mean_edge=0.08,
        evidence=12_345.6,
        suggested=(SuggestedAct.WATCH_SEAT,),
    )
    alarm = RaisedPitAlarm(line=7, time=1_790_000_000_000, alarm=follows)
    async with at_the_page(chrome) as (served, person):
        served.expose("t1", exposure(("base.player", -0.01), alarms=(alarm,)))
        await person.types()
        for place in ("#alarms li", ".table [data-alarm]"):
            await person.sees(place, "Shoes looked at: 8, up to shoe 9; rounds with such a stake: 31.")
            await person.sees(place, "Chance alone gets so far once in 12,345 shoes at most, on average")
            await person.sees(place, "watch the seat")


async def test_wrong_passwords_are_told_and_make_one_wait(chrome: Browser) -> None:
    async with at_the_page(chrome) as (_, person):
        for _ in range(FREE + 1):
            await person.types(password=WRONG)
            await person.sees("#message", "The id or the password is wrong.")
            await expect(person.page.locator("#password")).to_have_value("")
        await person.types()
        await person.sees("#message", "Try again in 2 seconds")
        await person.types("shah", PASSWORDS["shah"])
        await person.sees("#message", "lacks the role pit")
        await person.sees_no_edge()


async def test_a_session_that_ends_takes_everything_off_the_page(chrome: Browser) -> None:
    async with at_the_page(chrome) as (served, person):
        await person.types()
        await person.sees(".table .edge", "+3.21")
        served.now += IDLE + 1
        served.bell.ring()
        await person.sees("#message", "Your session has ended.")
        await person.sees_no_edge()


async def test_a_page_that_has_lost_the_server_shows_no_edge(chrome: Browser) -> None:
    async with at_the_page(chrome) as (served, person):
        await person.types()
        await person.sees(".table .edge", "+3.21")
        await served.site.stop()
        await person.sees("#trouble", "No edge is shown.")
        await expect(person.page.locator(".table .edge")).to_be_hidden()


async def test_markup_in_names_is_text(chrome: Browser) -> None:
    async with at_the_page(chrome) as (served, person):
        evil = encode(info()).replace(b'"Table One"', f'"{EVIL}"'.encode()).replace(b'"Player"', f'"{EVIL}"'.encode())
        served.publish("t1", "info", evil)
        alarm = exposed(EVIL, 0.02)
        served.expose("t1", exposure(("base.player", 0.0321), (EVIL, -0.1), alarms=(alarm,)))
        await person.types()
        await person.sees(".table h2", EVIL)
        await person.sees(".table .wager", EVIL)
        await person.sees("#alarms li", EVIL)
        await person.page.locator(".table .open").click()
        await expect(person.page.locator("dialog tbody th").last).to_have_text(EVIL)
        assert await person.page.locator("img").count() == 0


@pytest.mark.parametrize(
    ("query", "word", "look"), [("?lang=zh-hant&look=light", "登入", "light"), ("", "Sign in", "dark")]
)
async def test_the_page_is_in_its_language_and_look_and_keeps_the_session_when_they_change(
    chrome: Browser, query: str, word: str, look: str
) -> None:
    async with at_the_page(chrome, query) as (_, person):
        await person.sees("#door button", word)
        assert await person.page.locator("html").get_attribute("data-look") == look
        await person.types()
        await expect(person.page.locator(".table .edge")).to_be_visible()
        await person.page.locator('#choices [lang="zh-Hans"]').click()
        await person.sees(".table .edge", "玩家有利")
        await person.sees("#alarms h2", "警报")
