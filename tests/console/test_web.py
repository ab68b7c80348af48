"""The console from outside, over real sockets: every promise about who may do what is tried by breaking it.

Behind the server stands a real desk with a real table (`served.py`), so that a refusal is the table's own.
"""

import asyncio
import json
import re
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
import pytest_asyncio

from shoe_controller.console.forms import MOST_SIGN_INS
from shoe_controller.console.process import STATIC
from shoe_controller.console.web import MOST_STREAMS
from shoe_controller.messages.acts import ACTS
from shoe_controller.messages.facts import PersonActed, WagersChanged, WrongPin
from shoe_controller.mqtt.documents.asyncapi import HERE
from shoe_controller.web.certificate import CertificateError, tls_context
from shoe_controller.web.server import LARGEST_BODY
from shoe_controller.web.static_files import SHARED
from tests.console.served import IDLE, PATIENCE, TOKEN_HEADER, Browser, Served, code_of, serving
from tests.mqtt.certificates import Certificates
from tests.mqtt.counter import DEALERS, PINS
from tests.web import streams

pytestmark = pytest.mark.asyncio

MOST_BYTES = 200_000
"""Of the page and all that it loads."""

POSTS = ("/dealer", "/supervisor", "/wagers", "/sign-out", "/active")


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(tmp_path) as made:
        yield made


@pytest_asyncio.fixture
async def browser(served: Served) -> AsyncIterator[Browser]:
    async with Browser(served) as made:
        yield made


@pytest_asyncio.fixture
async def dealer(browser: Browser) -> Browser:
    status, told = await browser.sign_in()
    assert (status, code_of(told)) == (200, "ok")
    return browser


def act(browser: Browser, served: Served, name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of the form
    state = served.table.state
    usual = {"request_id": browser.new_id(), "act": name, "shoe": state.shoe_number, "round": state.round_number}
    return usual | more


def wagers(browser: Browser, served: Served, stake: int = 50, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    state = served.table.state
    usual = {"request_id": browser.new_id(), "shoe": state.shoe_number, "round": state.round_number, "seat": "1"}
    return usual | {"stakes": [{"wager": "base.player", "stake": stake}]} | more


async def next_message(response: aiohttp.ClientResponse) -> tuple[str, str]:
    """Kind and data of the next message of a stream, after the one that says which pages there are."""
    found = await streams.next_message(response)
    return await streams.next_message(response) if found[0] == "pages" else found


# --- signing in ------------------------------------------------------------------------------------------------------


async def test_a_dealer_signs_in_with_a_pin_that_the_table_checks(served: Served, browser: Browser) -> None:
    status, told = await browser.sign_in()
    assert status == 200
    assert told["session"]["person"] == "dan"
    assert [asked[:2] for asked in served.asked] == [("dealer", "sign_in")]
    assert served.table.last(PersonActed).person == "dan"


@pytest.mark.parametrize(("person", "pin"), [("dan", "000000"), ("ann", DEALERS["dan"]), ("mallory", "264079")])
async def test_wrong_pins_and_unknown_names_open_nothing(
    served: Served, browser: Browser, person: str, pin: str
) -> None:
    status, told = await browser.sign_in(person, pin)
    assert (status, code_of(told)) == (200, "wrong_pin")
    assert "session" not in told
    assert not list(browser.http.cookie_jar)
    assert (await browser.post("/dealer", act(browser, served, "call_supervisor")))[0] == 401


async def test_the_table_locks_out_and_the_right_pin_does_not_help_then(tmp_path: Path) -> None:
    async with serving(tmp_path, wrong_pins=3) as served, Browser(served) as browser:
        for _ in range(3):
            assert code_of((await browser.sign_in("dan", "000000"))[1]) == "wrong_pin"
        assert served.table.last(WrongPin).locked_out
        _, told = await browser.sign_in()
        assert code_of(told) == "locked_out"
        assert "session" not in told
        assert code_of((await browser.sign_in("ann", PINS["ann"]))[1]) == "ok", "others may come in"


async def test_a_crowd_at_the_door_is_told_to_wait(served: Served, browser: Browser) -> None:
    served.answers_wait.clear()
    first = [asyncio.create_task(browser.post("/sign-in", {"person": "dan", "pin": "1"})) for _ in range(MOST_SIGN_INS)]
    await served.until_asked(MOST_SIGN_INS)
    assert code_of((await browser.sign_in())[1]) == "sign_ins_waiting"
    assert len(served.asked) == MOST_SIGN_INS
    served.answers_wait.set()
    assert {code_of(told) for _, told in await asyncio.gather(*first)} <= {"wrong_pin", "locked_out"}


async def test_the_cookie_is_for_the_server_alone(served: Served, browser: Browser) -> None:
    headers = {"Origin": served.address, "Content-Type": "application/json"}
    body = {"person": "dan", "pin": DEALERS["dan"]}
    async with browser.http.post(f"{served.address}/sign-in", json=body, headers=headers) as response:
        cookie = response.headers["Set-Cookie"]
        token = (await response.json())["session"]["token"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie
    assert token not in cookie, "what the page knows does not open a session, and the other way round"


async def test_a_pin_is_kept_nowhere(served: Served, dealer: Browser) -> None:
    given = act(dealer, served, "end_shoe", person="ann", pin=PINS["ann"], reason="seen")
    assert code_of((await dealer.post("/supervisor", given))[1]) == "ok"
    everything = [*vars(served.sessions).values(), *vars(served.site).values(), *vars(served.model).values()]
    text = repr(everything) + repr([vars(part) for part in everything if hasattr(part, "__dict__")])
    assert not any(pin in text for pin in (*PINS.values(), *DEALERS.values()))
    assert not any(pin in repr(served.table.facts) for pin in (*PINS.values(), *DEALERS.values()))


# --- nobody but whoever is signed in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/news", "/rounds"])
async def test_nothing_of_the_table_is_told_to_strangers(browser: Browser, path: str) -> None:
    status, body, _ = await browser.get(path)
    assert status == 401
    assert json.loads(body) == {"error": "You are not signed in"}


@pytest.mark.parametrize("path", POSTS)
async def test_strangers_can_do_nothing(served: Served, browser: Browser, path: str) -> None:
    status, _ = await browser.post(path, act(browser, served, "call_supervisor"), {TOKEN_HEADER: "guess"})
    assert status == 401
    assert served.asked == []


async def test_a_cookie_that_was_made_up_is_nobodys(served: Served, browser: Browser) -> None:
    name = f"console-{served.address.rpartition(':')[2]}"
    for value in ("random-1", "x" * 4000, "..", "%00"):
        headers = {"Cookie": f"{name}={value}", TOKEN_HEADER: "random-2"}
        status, _ = await browser.post("/dealer", act(browser, served, "call_supervisor"), headers)
        assert status == 401


async def test_whoever_signs_out_is_out(served: Served, dealer: Browser) -> None:
    kept = {cookie.key: cookie.value for cookie in dealer.http.cookie_jar}
    assert (await dealer.post("/sign-out", {}))[0] == 200
    assert not list(dealer.http.cookie_jar)
    headers = {"Cookie": "; ".join(f"{key}={value}" for key, value in kept.items())}
    status, _ = await dealer.post("/dealer", act(dealer, served, "call_supervisor"), headers)
    assert status == 401, "the cookie is worth nothing any more, whoever kept it"


async def test_a_session_ends_when_nobody_touches_the_page(served: Served, dealer: Browser) -> None:
    served.now += IDLE - 1
    assert (await dealer.post("/active", {}))[0] == 200
    served.now += IDLE - 1
    assert (await dealer.get("/rounds"))[0] == 200, "looking is allowed, and does not count as a touch"
    served.now += 1
    assert (await dealer.post("/dealer", act(dealer, served, "call_supervisor")))[0] == 401
    assert json.loads((await dealer.get("/session"))[1]) == {"session": None}


async def test_the_stream_of_a_session_that_ends_ends_too(served: Served, dealer: Browser) -> None:
    async with dealer.http.get(f"{served.address}/news") as response:
        assert (await next_message(response))[0] == "message"
        served.now += IDLE
        served.bell.ring()
        assert await next_message(response) == ("ended", "1")
        assert await next_message(response) == ("end", "")


async def test_signing_in_again_ends_the_session_before(served: Served, dealer: Browser) -> None:
    kept = {cookie.key: cookie.value for cookie in dealer.http.cookie_jar}
    token = dealer.token
    await dealer.sign_in("ann", PINS["ann"])
    headers = {"Cookie": "; ".join(f"{key}={value}" for key, value in kept.items()), TOKEN_HEADER: token}
    async with Browser(served) as other:
        assert (await other.post("/dealer", act(dealer, served, "call_supervisor"), headers))[0] == 401


# --- only from our own page ------------------------------------------------------------------------------------------

FOREIGN: list[dict[str, str | None]] = [
    {"Origin": None},
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "https://127.0.0.1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize("path", [*POSTS, "/sign-in"])
async def test_another_site_can_do_nothing_with_our_cookie(
    served: Served, dealer: Browser, path: str, headers: dict[str, str | None]
) -> None:
    asked = len(served.asked)
    body = {"person": "dan", "pin": DEALERS["dan"]} if path == "/sign-in" else act(dealer, served, "call_supervisor")
    assert (await dealer.post(path, body, headers))[0] == 403
    assert len(served.asked) == asked


@pytest.mark.parametrize("token", [None, "", "random-1", "Random-3", "random-30"])
@pytest.mark.parametrize("path", POSTS)
async def test_without_the_pages_token_nothing_is_done(
    served: Served, dealer: Browser, path: str, token: str | None
) -> None:
    assert dealer.token not in ("random-1", token)
    asked = len(served.asked)
    status, _ = await dealer.post(path, act(dealer, served, "call_supervisor"), {TOKEN_HEADER: token})
    assert status == 403
    assert len(served.asked) == asked


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
async def test_a_form_of_another_page_is_no_request(served: Served, dealer: Browser, kind: str | None) -> None:
    """Those are the kinds of content that a browser sends to other sites without asking them first."""
    asked = len(served.asked)
    headers = {"Content-Type": kind or "application/octet-stream"}
    assert (await dealer.post("/dealer", act(dealer, served, "call_supervisor"), headers))[0] == 415
    assert len(served.asked) == asked


@pytest.mark.parametrize("path", [*POSTS, "/sign-in"])
async def test_what_does_something_is_not_done_by_a_link(served: Served, dealer: Browser, path: str) -> None:
    assert (await dealer.get(path))[0] == 405
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        async with dealer.http.request(method, served.address + path, headers={"Origin": served.address}) as response:
            assert response.status == 405
            assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize("name", ["console.evil.example", "127.0.0.1.evil.example:8081", "192.168.1.7"])
async def test_a_site_that_calls_itself_by_our_address_is_not_us(served: Served, dealer: Browser, name: str) -> None:
    """Whoever rules over a name can let it lead to this machine; then `Origin` and `Host` agree, and are not ours."""
    asked = len(served.asked)
    headers = {"Host": name, "Origin": f"http://{name}"}
    assert (await dealer.post("/sign-in", {"person": "dan", "pin": DEALERS["dan"]}, headers))[0] == 421
    assert (await dealer.post("/dealer", act(dealer, served, "call_supervisor"), headers))[0] == 421
    assert len(served.asked) == asked


# --- what is done ----------------------------------------------------------------------------------------------------


async def test_a_dealers_act_goes_out_in_the_name_of_whoever_is_signed_in(served: Served, dealer: Browser) -> None:
    _, told = await dealer.post("/dealer", act(dealer, served, "call_supervisor"))
    assert code_of(told) == "ok"
    assert served.table.last(PersonActed).person == "dan"
    status, _ = await dealer.post("/dealer", act(dealer, served, "confirm", person="ann"))
    assert status == 400, "nobody acts as a dealer in the name of another"


async def test_a_supervisors_act_needs_the_supervisors_pin_each_time(served: Served, dealer: Browser) -> None:
    good = act(dealer, served, "end_shoe", person="ann", pin=PINS["ann"], reason="seen")
    for wrong in ({"pin": "000000"}, {"person": "dan", "pin": DEALERS["dan"]}, {"reason": " "}):
        _, told = await dealer.post("/supervisor", good | wrong | {"request_id": dealer.new_id()})
        assert code_of(told) in {"wrong_pin", "reason_missing"}
    without = {key: value for key, value in good.items() if key != "pin"}
    assert (await dealer.post("/supervisor", without))[0] == 400
    assert code_of((await dealer.post("/supervisor", good))[1]) == "ok"
    acted = served.table.last(PersonActed)
    assert (acted.person, acted.role, acted.reason) == ("ann", "supervisor", "seen")


async def test_a_supervisor_signs_in_from_a_page_that_still_shows_the_round_before(
    served: Served, dealer: Browser
) -> None:
    late = act(dealer, served, "sign_in", person="ann", pin=PINS["ann"], shoe=7, round=9)
    assert code_of((await dealer.post("/supervisor", late))[1]) == "ok"
    other = act(dealer, served, "end_shoe", person="ann", pin=PINS["ann"], reason="seen", shoe=7, round=9)
    assert code_of((await dealer.post("/supervisor", other))[1]) == "other_round"


async def test_a_dealer_cannot_do_a_supervisors_act(served: Served, dealer: Browser) -> None:
    own = [rule.name for rule in ACTS.values() if rule.role.value == "supervisor"]
    for name in own:
        _, told = await dealer.post("/dealer", act(dealer, served, name))
        assert code_of(told) == "unknown_request", name
    assert [name for role, name, _ in served.asked if role == "dealer"] == ["sign_in"]


async def test_wagers_are_taken_changed_and_refused_with_a_reason(served: Served, dealer: Browser) -> None:
    for stake in (50, 70, 0):
        assert code_of((await dealer.post("/wagers", wagers(dealer, served, stake)))[1]) == "ok"
        assert served.table.last(WagersChanged).total == stake
    _, told = await dealer.post("/wagers", wagers(dealer, served, 10_000))
    assert code_of(told) == "above_maximum"
    assert told["answer"]["refusal"]["max"] == 1000


async def test_a_request_that_was_sent_twice_is_done_once(served: Served, dealer: Browser) -> None:
    given = wagers(dealer, served)
    answers = [code_of((await dealer.post("/wagers", given))[1]) for _ in range(3)]
    assert answers == ["ok"] * 3
    assert len(served.table.all(WagersChanged)) == 1


@pytest.mark.parametrize("name", ["", "../x", "confirm/now", "no_more_bets#", "+", "sign_in\x00", "x" * 500])
async def test_an_act_that_does_not_exist_makes_no_topic(served: Served, dealer: Browser, name: str) -> None:
    asked = len(served.asked)
    _, told = await dealer.post("/dealer", act(dealer, served, name))
    assert code_of(told) == "unknown_request"
    assert len(served.asked) == asked


NONSENSE: list[Any] = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 5000,
    {},
    {"request_id": "x"},
    {"request_id": 12345678, "act": "confirm", "shoe": 1, "round": 1},
    {"request_id": "12345678", "act": "confirm", "shoe": "1", "round": 1},
    {"request_id": "", "act": "confirm", "shoe": 1, "round": 1},
    {"request_id": "x" * 81, "act": "confirm", "shoe": 1, "round": 1},
    {"request_id": "12345678", "act": "confirm", "shoe": -1, "round": 1},
    {"request_id": "12345678", "act": "confirm", "shoe": 1, "round": 1, "more": 1},
    {"request_id": "12345678", "act": "confirm", "shoe": 1, "round": 1, "reason": "x" * 501},
]


@pytest.mark.parametrize("body", NONSENSE, ids=lambda body: repr(body)[:40])
@pytest.mark.parametrize("path", ["/dealer", "/supervisor", "/wagers", "/sign-in"])
async def test_nonsense_is_refused_and_the_console_goes_on(
    served: Served,
    dealer: Browser,
    path: str,
    body: Any,  # noqa: ANN401 - nonsense
) -> None:
    asked = len(served.asked)
    status, told = await dealer.post(path, body)
    assert status == 400
    assert told == {"error": "The request is not valid"}, "what was typed is not repeated"
    assert len(served.asked) == asked
    assert (await dealer.post("/active", {}))[0] == 200


async def test_a_body_without_end_is_not_read(served: Served, dealer: Browser) -> None:
    asked = len(served.asked)
    assert (await dealer.post("/dealer", b'"' + b"x" * LARGEST_BODY + b'"'))[0] == 413
    assert len(served.asked) == asked


# --- the page and its files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/files/main.js", "/files/console.css", "/session", "/nothing", "/news"])
async def test_every_answer_carries_the_policy(browser: Browser, path: str) -> None:
    _, _, headers = await browser.get(path)
    policy = {part.split()[0]: part.split()[1:] for part in headers["Content-Security-Policy"].split(";")}
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == ["'none'"]
    assert policy["require-trusted-types-for"] == ["'script'"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    assert "Server" not in headers


async def test_the_page_needs_nothing_from_outside_and_is_small(browser: Browser) -> None:
    total = 0
    for file in (*sorted(STATIC.iterdir()), *sorted(SHARED.iterdir())):
        path = "/" if file.suffix == ".html" else f"/files/{file.name}"
        status, body, _ = await browser.get(path)
        assert status == 200
        # The page itself is served with the limits of its fields put in.
        assert len(body) == file.stat().st_size or file.suffix == ".html"
        total += len(body)
    assert total < MOST_BYTES


@pytest.mark.parametrize(
    "path",
    [
        "/files/console.html",
        "/files/../web.py",
        "/files/..%2fweb.py",
        "/files/%2e%2e/%2e%2e/process.py",
        "/files/",
        "/files/nothing.js",
        "/files//etc/passwd",
        "/etc/passwd",
    ],
)
async def test_no_path_leads_anywhere_else(browser: Browser, path: str) -> None:
    from yarl import URL  # noqa: PLC0415 - of this test alone: it must not tidy the path up

    async with browser.http.get(URL(browser.address + path, encoded=True)) as response:
        assert response.status == 404
        assert b"import" not in await response.read()


@pytest.mark.parametrize(
    ("asked", "language"), [("", "en"), ("?lang=zh-Hant", "zh-Hant"), ("?lang=zh_hans", "zh-Hans"), ("?lang=<x>", "en")]
)
async def test_the_page_comes_in_the_language_that_is_asked_for(browser: Browser, asked: str, language: str) -> None:
    _, body, _ = await browser.get(f"/{asked}")
    assert f'<html lang="{language}">'.encode() in body
    assert b"<x>" not in body


FIELDS = ("person", "pin", "reason")


async def test_the_limits_of_the_pages_fields_are_those_of_the_requests(browser: Browser) -> None:
    _, body, _ = await browser.get("/")
    published = json.loads((HERE / "schemas" / "request.supervisor.void_round.json").read_text(encoding="utf-8"))
    for name in FIELDS:
        assert f'data-longest-{name}="{published["properties"][name]["maxLength"]}"'.encode() in body
    _, dialogs, _ = await browser.get("/files/dialogs.js")
    assert set(re.findall(rb"maxlength: ([^,]+)", dialogs)) == {f'longest("{name}")'.encode() for name in FIELDS}


async def test_files_need_not_be_fetched_twice(served: Served, browser: Browser) -> None:
    _, _, headers = await browser.get("/files/main.js")
    again = {"If-None-Match": headers["ETag"]}
    async with browser.http.get(f"{served.address}/files/main.js", headers=again) as response:
        assert response.status == 304


# --- news ------------------------------------------------------------------------------------------------------------


async def test_a_page_gets_everything_first_and_then_what_changes(served: Served, dealer: Browser) -> None:
    async with dealer.http.get(f"{served.address}/news") as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        first = msgspec.json.decode((await next_message(response))[1])
        assert set(first) == {"live", "table", "play", "payment", "differences"}
        assert first["play"]["state"]["phase"] == "betting"
        await dealer.post("/wagers", wagers(dealer, served))
        second = msgspec.json.decode((await next_message(response))[1])
        assert set(second) == {"play"}
        assert second["play"]["state"]["wagers"] == [{"seat": "1", "wager": "base.player", "stake": 50}]


async def test_there_are_only_so_many_streams(served: Served, dealer: Browser) -> None:
    streams = [await dealer.http.get(f"{served.address}/news") for _ in range(MOST_STREAMS)]
    for stream in streams:
        await next_message(stream)
    status, _, headers = await dealer.get("/news")
    assert (status, headers["Retry-After"]) == (503, "5")
    for stream in streams:
        stream.close()


async def test_the_end_of_the_process_ends_the_streams(tmp_path: Path) -> None:
    async with serving(tmp_path) as served, Browser(served) as browser:
        await browser.sign_in()
        response = await browser.http.get(f"{served.address}/news")
        await next_message(response)
        async with asyncio.timeout(PATIENCE):
            await served.site.stop()
        assert (await next_message(response))[0] == "end"


# --- TLS -------------------------------------------------------------------------------------------------------------


async def test_with_a_certificate_the_page_and_its_cookie_are_for_tls_alone(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    served = Served(tmp_path)
    port = await served.site.start("127.0.0.1", 0, tls_context(certificates.broker, tmp_path / "broker.key"))
    trusting = ssl.create_default_context(cafile=str(certificates.ca))
    address = f"https://127.0.0.1:{port}"
    try:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
            headers = {"Origin": address, "Content-Type": "application/json"}
            body = {"person": "dan", "pin": DEALERS["dan"]}
            async with http.post(f"{address}/sign-in", json=body, headers=headers, ssl=trusting) as response:
                cookie = response.headers["Set-Cookie"]
            assert cookie.startswith(f"__Host-console-{port}=")
            assert "Secure" in cookie
            plain = headers | {"Origin": f"http://127.0.0.1:{port}"}
            async with http.post(f"{address}/sign-in", json=body, headers=plain, ssl=trusting) as response:
                assert response.status == 403
            with pytest.raises(aiohttp.ClientError):
                await http.get(f"http://127.0.0.1:{port}/")
    finally:
        await served.site.stop()


async def test_a_certificate_that_does_not_fit_is_a_sentence(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    with pytest.raises(CertificateError, match="belong together"):
        tls_context(certificates.broker, tmp_path / "table.key")
    with pytest.raises(CertificateError, match="belong together"):
        tls_context(certificates.broker, certificates.encrypted_key("broker"))
    with pytest.raises(CertificateError, match=r"No such file"):
        tls_context(tmp_path / "none.pem", tmp_path / "broker.key")
