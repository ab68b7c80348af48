"""The pit's site from outside, over real sockets: no edge without a session, and what a stranger may try."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from shoe_controller.pit.web import pit_files
from shoe_controller.web.certificate import tls_context
from shoe_controller.web.login import MOST_WAITING_OF_ADDRESS
from shoe_controller.web.tries import FREE, MOST_OF_ADDRESS
from tests.mqtt.certificates import Certificates
from tests.pit.served import (
    IDLE,
    PASSWORDS,
    RANA,
    SHAH,
    Browser,
    Served,
    exposed,
    exposure,
    serving,
)
from tests.web import streams

pytestmark = pytest.mark.asyncio

WRONG = "wrong horse battery"
SECRET_WAGER, SECRET_EDGE = "phoenix_bonus.player", 0.087654321
POSTS = ("/sign-out", "/active")
STREAMS = ("/news/tables", "/news/table/t1", "/news/table/nobody-knows-it")


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Served]:
    async with serving() as made:
        made.add_table()
        made.expose("t1", exposure((SECRET_WAGER, SECRET_EDGE), alarms=(exposed(SECRET_WAGER, SECRET_EDGE),)))
        yield made


@pytest_asyncio.fixture
async def browser(served: Served) -> AsyncIterator[Browser]:
    async with Browser(served) as made:
        yield made


async def next_news(browser: Browser, path: str = "/news/tables") -> dict[str, object]:
    async with browser.http.get(browser.address + path) as response:
        assert response.status == 200
        kind, data = await streams.next_message(response)
        while kind in ("pages", "alive"):
            kind, data = await streams.next_message(response)
        found: dict[str, object] = json.loads(data)
        return found


def code_of(told: dict[str, dict[str, object]]) -> object:
    return told["failure"]["code"]


# --- edges and who sees them -----------------------------------------------------------------------------------------


async def test_edges_come_after_signing_in(browser: Browser) -> None:
    assert (await browser.sign_in())["session"]["name"] == "B. Rana"
    assert str(SECRET_EDGE) in json.dumps(await next_news(browser))
    assert str(SECRET_EDGE) in json.dumps(await next_news(browser, "/news/table/t1"))


async def test_without_a_session_no_address_shows_an_edge(served: Served, browser: Browser) -> None:
    addresses = ["/", "/?lang=zh-hant&look=light", "/session", *STREAMS, "/table/t1", "/pit", "/edges", "/news/"]
    addresses += [f"/files/{name}" for name in pit_files()] + ["/files/../t1", "/files/%2e%2e/exposure.py"]
    for address in addresses:
        status, content = await browser.get(address)
        assert SECRET_WAGER.encode() not in content, address
        assert str(SECRET_EDGE).encode() not in content, address
        assert status in (200, 401, 404, 405), address
        assert (status == 401) is (address in STREAMS), address
    assert served.log.lines == []


async def test_somebody_without_the_role_gets_no_session(served: Served, browser: Browser) -> None:
    assert code_of(await browser.sign_in("shah")) == "other_role"
    assert not list(browser.http.cookie_jar)
    assert (await browser.get("/news/tables"))[0] == 401
    assert served.log.events() == ["sign_in_without_role"]


async def test_a_stream_ends_with_its_session_at_once_when_it_is_signed_out(served: Served, browser: Browser) -> None:
    await browser.sign_in()
    async with browser.http.get(f"{browser.address}/news/tables") as response:
        kinds = [(await streams.next_message(response))[0] for _ in range(2)]
        assert kinds == ["pages", "message"]
        assert (await browser.post("/sign-out", {}))[0] == 200
        served.expose("t1", exposure((SECRET_WAGER, 0.099)))
        kind, data = await streams.next_message(response)
        assert (kind, data) == ("ended", "1")
        assert (await streams.next_message(response))[0] == "end"
    assert (await browser.get("/news/tables"))[0] == 401
    assert served.log.events() == ["signed_in", "signed_out"]


async def test_a_session_that_nobody_touches_ends_and_so_does_its_stream(served: Served, browser: Browser) -> None:
    await browser.sign_in()
    served.now += IDLE - 1
    assert (await browser.post("/active", {}))[0] == 200
    served.now += IDLE - 1
    async with browser.http.get(f"{browser.address}/news/tables") as response:
        assert [(await streams.next_message(response))[0] for _ in range(2)] == ["pages", "message"]
        served.now += 2
        served.expose("t1", exposure((SECRET_WAGER, 0.099)))
        assert await streams.next_message(response) == ("ended", "1")
    assert (await browser.post("/active", {}))[0] == 401
    assert (await browser.get("/session")) == (200, b'{"session":null}')


async def test_a_table_that_was_never_there_has_no_details_and_a_strange_name_no_stream(browser: Browser) -> None:
    await browser.sign_in()
    assert await next_news(browser, "/news/table/nobody-knows-it") == {"table": None}
    for path in ("/news/table/", "/news/table/a%20b", "/news/table/t1/more", "/news/elsewhere"):
        assert (await browser.get(path))[0] == 404, path


# --- the door --------------------------------------------------------------------------------------------------------


async def test_an_unknown_id_is_answered_like_a_wrong_password(served: Served, browser: Browser) -> None:
    checked: set[str] = set()
    known, unknown = await browser.sign_in("rana", WRONG), await browser.sign_in("nobody", WRONG)
    assert known == unknown == {"failure": {"code": "wrong_password"}}
    for identity in ("rana", "nobody"):
        for _ in range(FREE):
            checked.add(json.dumps(await browser.sign_in(identity, WRONG)))
        assert code_of(await browser.sign_in(identity, WRONG)) == "try_later", "and is made to wait like one"
    assert len(checked) == 1
    assert len(served.log.lines) == 2 * (FREE + 1), "what is not checked is not logged"


async def test_neither_the_password_nor_an_id_of_nobody_is_logged(served: Served, browser: Browser) -> None:
    await browser.sign_in("rana", WRONG)
    await browser.sign_in(PASSWORDS["rana"], WRONG)  # typed into the wrong field
    await browser.sign_in()
    text = repr(served.log.lines)
    assert WRONG not in text
    assert PASSWORDS["rana"] not in text
    assert [(line["event"], line["person"]) for line in served.log.lines] == [
        ("sign_in_failed", "rana"),
        ("sign_in_failed", None),
        ("signed_in", "rana"),
    ]
    assert {line["address"] for line in served.log.lines} == {"127.0.0.1"}


async def test_after_some_wrong_tries_the_right_password_has_to_wait_too(served: Served, browser: Browser) -> None:
    for _ in range(FREE + 1):
        assert code_of(await browser.sign_in("rana", WRONG)) == "wrong_password"
    told = await browser.sign_in()
    assert told == {"failure": {"code": "try_later", "seconds": 2}}
    served.now += 2
    assert "session" in await browser.sign_in()


async def test_an_address_is_locked_out_for_everybody_and_only_that_address(served: Served, browser: Browser) -> None:
    for number in range(MOST_OF_ADDRESS):
        await browser.sign_in(f"guess{number}", WRONG)
    assert code_of(await browser.sign_in()) == "try_later"
    assert served.log.lines[-1]["locked_out"] is True
    elsewhere = await served.login.sign_in("192.0.2.9", "rana", PASSWORDS["rana"])
    assert elsewhere == RANA


async def test_who_comes_together_is_checked_one_after_another_and_a_crowd_has_to_wait(browser: Browser) -> None:
    tries = [browser.sign_in("rana", WRONG) for _ in range(FREE + 6)]
    codes = [code_of(told) for told in await asyncio.gather(*tries)]
    assert codes.count("sign_ins_waiting") >= len(tries) - MOST_WAITING_OF_ADDRESS - 3
    assert codes.count("wrong_password") <= FREE + 1, "no more are checked than if they had come alone"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"person":"rana"}',
        b'{"person":"rana","password":""}',
        b'{"person":"","password":"harbour lantern 58"}',
        b'{"person":"rana","password":7}',
        b'{"person":"rana","password":"harbour lantern 58","role":"pit"}',
        b'{"person":"rana","password":"' + b"x" * 201 + b'"}',
        b'{"person":"' + b"x" * 41 + b'","password":"harbour lantern 58"}',
        b'{"person":"\xff","password":"harbour lantern 58"}',
    ],
)
async def test_what_is_no_sign_in_is_refused_and_not_quoted(served: Served, browser: Browser, body: bytes) -> None:
    status, told = await browser.post("/sign-in", body)
    assert (status, told) == (400, {"error": "The request is not valid"})
    assert served.log.lines == []


async def test_a_sign_in_from_another_page_is_refused(browser: Browser) -> None:
    body = {"person": "rana", "password": PASSWORDS["rana"]}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": None},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert (await browser.post("/sign-in", body, headers))[0] == 403
    assert (await browser.post("/sign-in", body, {"Content-Type": "text/plain"}))[0] == 415


@pytest.mark.parametrize("path", POSTS)
async def test_whatever_changes_something_needs_session_token_and_our_own_page(browser: Browser, path: str) -> None:
    assert (await browser.post(path, {}))[0] == 401
    await browser.sign_in()
    for headers in ({"X-Pit-Token": None}, {"X-Pit-Token": "random"}, {"Origin": "http://evil.example"}):
        assert (await browser.post(path, {}, headers))[0] == 403
    assert (await browser.post(path, {}))[0] == 200


async def test_the_cookie_is_for_the_server_alone(browser: Browser) -> None:
    body = {"person": "rana", "password": PASSWORDS["rana"]}
    headers = {"Origin": browser.address, "Content-Type": "application/json"}
    async with browser.http.post(f"{browser.address}/sign-in", json=body, headers=headers) as response:
        cookie = response.headers["Set-Cookie"]
        token = (await response.json())["session"]["token"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "Domain" not in cookie
    assert token not in cookie


async def test_over_tls_the_cookie_is_for_tls_and_this_host_alone(tmp_path: Path) -> None:
    made = Certificates(tmp_path)
    served = Served()
    port = await served.site.start("127.0.0.1", 0, tls_context(made.broker, made.broker.with_suffix(".key")))
    served.address = f"https://127.0.0.1:{port}"
    trust = ssl.create_default_context(cafile=str(made.ca))
    try:
        async with Browser(served) as browser:
            body = {"person": "rana", "password": PASSWORDS["rana"]}
            headers = {"Origin": served.address, "Content-Type": "application/json"}
            url = f"{served.address}/sign-in"
            async with browser.http.post(url, json=body, headers=headers, ssl=trust) as response:
                cookie = response.headers["Set-Cookie"]
            assert cookie.startswith(f"__Host-pit-{port}=")
            assert "Secure" in cookie
    finally:
        await served.site.stop()


async def test_the_page_says_when_nobody_may_sign_in() -> None:
    for people, is_for_nobody in (((), True), ((SHAH,), True), ((RANA,), False)):
        async with serving(people) as served, Browser(served) as browser:
            assert (b"<body data-nobody>" in (await browser.get("/"))[1]) is is_for_nobody


async def test_nothing_of_a_players_board_is_served_here(browser: Browser) -> None:
    for path in ("/files/board.js", "/files/roads.js", "/table/t1", "/files/pit.html", "/files/board.html"):
        assert (await browser.get(path))[0] == 404, path
