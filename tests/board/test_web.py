"""The pages from outside, over real sockets: read-only, nothing beside the pages, a strict policy, streams that end."""

import asyncio
import json
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from shoe_controller.board.addresses import BoardAddresses
from shoe_controller.board.floor import Floor
from shoe_controller.board.process import STATIC
from shoe_controller.board.web import MOST_STREAMS, WebSite
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.web.certificate import CertificateError, tls_context
from shoe_controller.web.push import ChangeSignal
from shoe_controller.web.server import HEARTBEAT
from shoe_controller.web.static_files import SHARED, TILES, read_files
from tests.follow.samples import SITE, TABLE, encode, info, state, status
from tests.mqtt.certificates import Certificates
from tests.web.streams import next_message

PATIENCE = 10.0
MOST_BYTES = 200_000
"""Of a page and all that it loads."""


class Served:
    """A site on a free port, and the floor behind it."""

    def __init__(self, *, pit: bool = True, home: str | None = TABLE, most_streams: int = MOST_STREAMS) -> None:
        self.floor = Floor(SITE)
        self.floor.broker_up()
        self.bell = ChangeSignal()
        files = read_files(TILES, STATIC)
        addresses = BoardAddresses(self.floor, files, language="en", look="dark", pit=pit, home=home, clock=lambda: 0.0)
        self.site = WebSite(addresses, files, self.bell, most_streams)
        self.port = 0

    def say(self, below: str, payload: bytes) -> None:
        self.floor.receive(Incoming(topic=f"shoe/v1/{SITE}/{TABLE}/{below}", payload=payload), 0.0)
        self.bell.ring()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def serving(
    *, pit: bool = True, home: str | None = TABLE, most_streams: int = MOST_STREAMS
) -> AsyncIterator[Served]:
    served = Served(pit=pit, home=home, most_streams=most_streams)
    served.port = await served.site.start("127.0.0.1", 0)
    try:
        yield served
    finally:
        await served.site.stop()


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Served]:
    async with serving() as made:
        made.say("status", encode(status()))
        made.say("info", encode(info()))
        made.say("state", encode(state(0)))
        yield made


@pytest_asyncio.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(PATIENCE)) as session:
        yield session


async def next_news(response: aiohttp.ClientResponse) -> dict[str, object]:
    while True:
        kind, data = await next_message(response)
        if kind == "message":
            found: dict[str, object] = json.loads(data)
            return found
        assert kind in ("alive", "pages")


# --- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [f"/table/{TABLE}", "/table/nobody-knows-it", "/pit"])
async def test_a_page_and_all_it_loads_is_small_and_comes_from_here(
    served: Served, browser: aiohttp.ClientSession, path: str
) -> None:
    loaded: dict[str, bytes] = {}
    to_load = [path]
    while to_load:
        address = to_load.pop()
        if address in loaded:
            continue
        async with browser.get(served.address + address) as response:
            assert response.status == 200, address
            loaded[address] = await response.read()
        text = loaded[address].decode()
        assert not re.search(r"(https?:)?//(?!www\.w3\.org/2000/svg)[a-z]", text), f"{address} names another place"
        found = re.findall(r'(?:href|src)="([^"]+)"|from "\./([^"]+)"', text)
        to_load += [one or f"/files/{other}" for one, other in found if one.startswith("/") or other]
        to_load += [f"/files/{words}.zh-Hant.json" for words in ("words", "table")]
    assert len(loaded) > 8
    assert sum(map(len, loaded.values())) < MOST_BYTES


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "language", "look"),
    [
        ("", "en", "dark"),
        ("?lang=zh-hant", "zh-Hant", "dark"),
        ("?lang=zh-Hans&look=light", "zh-Hans", "light"),
        ("?lang=zh_hant", "zh-Hant", "dark"),
        ("?lang=xx&look=pink", "en", "dark"),
        ('?lang="><script>alert(1)</script>&look="><b>', "en", "dark"),
        ("?lang=&look=&lang=zh-hans", "en", "dark"),
    ],
)
async def test_language_and_look_are_chosen_by_the_address(
    served: Served, browser: aiohttp.ClientSession, query: str, language: str, look: str
) -> None:
    for path in (f"/table/{TABLE}", "/pit"):
        async with browser.get(f"{served.address}{path}{query}") as response:
            page = await response.text()
        assert f'<html lang="{language}" data-look="{look}">' in page
        assert page.count("<script") == 1


@pytest.mark.asyncio
async def test_the_front_door_leads_to_the_pit_or_to_the_table(browser: aiohttp.ClientSession) -> None:
    for pit, home, place in ((True, TABLE, "/pit"), (False, TABLE, f"/table/{TABLE}"), (False, None, None)):
        async with (
            serving(pit=pit, home=home) as made,
            browser.get(f"{made.address}/", allow_redirects=False) as response,
        ):
            assert response.headers.get("Location") == place
            assert response.status == (404 if place is None else 302)


@pytest.mark.asyncio
async def test_a_board_without_a_pit_has_none(browser: aiohttp.ClientSession) -> None:
    async with serving(pit=False) as made:
        for path in ("/pit", "/news/pit"):
            async with browser.get(made.address + path) as response:
                assert response.status == 404


# --- security --------------------------------------------------------------------------------------------------------

EVERYWHERE = ["/", "/pit", f"/table/{TABLE}", "/files/board.js", "/news/pit", f"/news/table/{TABLE}", "/nowhere"]


@pytest.mark.asyncio
@pytest.mark.parametrize("path", EVERYWHERE)
async def test_every_answer_has_the_strict_policy(served: Served, browser: aiohttp.ClientSession, path: str) -> None:
    async with browser.get(served.address + path, allow_redirects=False) as response:
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["X-Frame-Options"] == "DENY"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in response.headers
        assert "Server" not in response.headers


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", EVERYWHERE)
async def test_nothing_but_reading_is_answered(
    served: Served, browser: aiohttp.ClientSession, path: str, method: str
) -> None:
    async with browser.request(method, served.address + path, data=b"{}", allow_redirects=False) as response:
        assert response.status == 405


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    [
        "/files/../web.py",
        "/files/..%2fweb.py",
        "/files/%2e%2e/web.py",
        "/files//etc/passwd",
        "/files/%2fetc%2fpasswd",
        "/files/board.js%00",
        "/files/board.html",
        "/files/",
        "/files",
        "/table/",
        "/table/../pit",
        "/table/a/b",
        "/table/a%2fb",
        "/table/%3Cb%3E",
        f"/table/{'x' * 41}",
        "/news/",
        "/news/table/",
        "/news/table/a b",
        "/news/../pit",
        "/../../etc/passwd",
        "//etc/passwd",
        "/pages/board.js",
        "/.git/config",
    ],
)
async def test_no_path_leads_anywhere_else(served: Served, path: str) -> None:
    """Written to the socket as it is: a client library would tidy the path up before."""
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    try:
        asked = f"GET {path.replace(' ', '%20')} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        writer.write(asked.encode())
        answer = await asyncio.wait_for(reader.read(), PATIENCE)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    assert answer.split(b" ")[1] in (b"404", b"400"), answer[:200]
    assert b"import" not in answer
    assert b"root:" not in answer


def test_no_page_writes_text_as_markup_or_runs_text() -> None:
    for file in (*STATIC.glob("*.js"), *SHARED.glob("*.js")):
        text = file.read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc"):
            assert word not in text, f"{word} in {file.name}"
    for file in STATIC.glob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", text), file.name


@pytest.mark.asyncio
async def test_a_browser_need_not_fetch_a_file_again(served: Served, browser: aiohttp.ClientSession) -> None:
    async with browser.get(f"{served.address}/files/board.js") as response:
        tag = response.headers["ETag"]
    async with browser.get(f"{served.address}/files/board.js", headers={"If-None-Match": tag}) as response:
        assert response.status == 304
        assert await response.read() == b""
    async with browser.get(f"{served.address}/files/board.js", headers={"If-None-Match": '"old"'}) as response:
        assert response.status == 200


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("127.0.0.1:8080", 200),
        ("127.0.0.1", 200),
        ("localhost:8080", 200),
        ("[::1]:8080", 200),
        ("board.evil.example:8080", 421),
        ("board.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("192.168.1.7:8080", 421),
    ],
)
async def test_a_site_that_calls_itself_by_our_address_reads_nothing(
    served: Served, browser: aiohttp.ClientSession, name: str, status: int
) -> None:
    """Whoever rules over a name can let it lead to this machine (DNS rebinding); the browser says the name."""
    for path in ("/pit", "/files/board.js"):
        async with browser.get(served.address + path, headers={"Host": name}) as response:
            assert response.status == status
            assert response.headers["X-Frame-Options"] == "DENY"


# --- streams ---------------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_a_stream_brings_everything_and_then_what_changes(served: Served, browser: aiohttp.ClientSession) -> None:
    async with browser.get(f"{served.address}/news/table/{TABLE}") as response:
        assert response.content_type == "text/event-stream"
        assert (await next_message(response))[0] == "pages"
        assert (await next_news(response)).keys() == {"live", "table", "round", "roads"}
        served.say("state", encode(state(1, round=7)))
        news = await next_news(response)
        assert news.keys() == {"round"}


@pytest.mark.asyncio
async def test_a_stream_that_is_opened_again_has_everything_again(
    served: Served, browser: aiohttp.ClientSession
) -> None:
    for number in range(1, 4):
        served.say("state", encode(state(number, round=number)))
        async with browser.get(f"{served.address}/news/table/{TABLE}") as response:
            news = await next_news(response)
            assert isinstance(news["round"], dict)
            assert news["round"]["round"] == number


@pytest.mark.asyncio
@pytest.mark.parametrize("busy", [False, True], ids=["quiet house", "busy house"])
async def test_a_stream_without_news_says_that_it_is_alive(
    served: Served, browser: aiohttp.ClientSession, *, busy: bool
) -> None:
    async def be_busy() -> None:
        while True:
            served.bell.ring()
            await asyncio.sleep(0.01)

    others = asyncio.create_task(be_busy() if busy else asyncio.sleep(0))
    async with browser.get(f"{served.address}/news/table/{TABLE}") as response:
        await next_news(response)
        started = asyncio.get_running_loop().time()
        assert await next_message(response) == ("alive", "1")
        assert asyncio.get_running_loop().time() - started < HEARTBEAT + 5
    others.cancel()


@pytest.mark.asyncio
async def test_a_pit_is_told_of_many_changes_in_one_message(served: Served, browser: aiohttp.ClientSession) -> None:
    async with browser.get(f"{served.address}/news/pit") as response:
        await next_news(response)
        for number in range(1, 200):
            served.say("state", encode(state(number, round=number)))
            if number % 20 == 0:
                await asyncio.sleep(0)
        news: dict[str, object] = {}
        messages = 0
        while not (isinstance(news.get(TABLE), dict) and news[TABLE]["round"] == 199):  # type: ignore[index]  # a dict
            news = await next_news(response)
            messages += 1
        assert messages <= 3


@pytest.mark.asyncio
async def test_only_so_many_streams_at_once(browser: aiohttp.ClientSession) -> None:
    async with serving(most_streams=2) as served:
        open_ones = [await browser.get(f"{served.address}/news/pit") for _ in range(2)]
        async with browser.get(f"{served.address}/news/pit") as response:
            assert response.status == 503
            assert response.headers["Retry-After"]
        for each in open_ones:
            each.close()
        async with asyncio.timeout(PATIENCE):
            while True:  # the place is free when the server has noticed that the others are gone
                served.say("state", encode(state(1)))
                async with browser.get(f"{served.address}/news/pit") as response:
                    if response.status == 200:
                        break
                await asyncio.sleep(0.05)


@pytest.mark.asyncio
async def test_ending_ends_open_streams_at_once(browser: aiohttp.ClientSession) -> None:
    async with serving() as made:
        response = await browser.get(f"{made.address}/news/table/{TABLE}")
        await next_news(response)
        started = asyncio.get_running_loop().time()
        await made.site.stop()
        with suppress(aiohttp.ClientError):
            assert (await next_message(response))[0] == "end"
        assert asyncio.get_running_loop().time() - started < 5.0
        response.close()


# --- TLS -------------------------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_pages_over_tls(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    made = Served()
    port = await made.site.start("127.0.0.1", 0, tls_context(certificates.broker, tmp_path / "broker.key"))
    try:
        trusting = ssl.create_default_context(cafile=certificates.ca)
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"https://127.0.0.1:{port}/pit", ssl=trusting) as response,
        ):
            assert response.status == 200
    finally:
        await made.site.stop()


def test_a_certificate_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    for content in ("", "no certificate"):
        for name in ("cert.pem", "key.pem"):
            (tmp_path / name).write_text(content)
        with pytest.raises(CertificateError, match=r"cert\.pem and its key .*key\.pem cannot be used"):
            tls_context(tmp_path / "cert.pem", tmp_path / "key.pem")
    with pytest.raises(CertificateError, match="No such file"):
        tls_context(tmp_path / "missing.pem", tmp_path / "key.pem")
