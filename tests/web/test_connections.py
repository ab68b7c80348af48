"""Connections that send no request are ended, over TLS too; what is not HTTP gets a bare answer."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from shoe_controller.web import connections, server
from shoe_controller.web.certificate import tls_context
from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.server import Asked, Reply, Route, Site
from shoe_controller.web.static_files import File
from tests.mqtt.certificates import Certificates

PATIENCE = 20.0


class Nothing:
    def news(self) -> bytes | None:
        return None


async def _answer(asked: Asked) -> Reply:
    if asked.path == "fails":
        raise ZeroDivisionError("a secret of the house")
    return Reply(await asked.body())


@asynccontextmanager
async def served(tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    files: Mapping[str, File] = {}
    site = Site(
        "board",
        files=files,
        bell=ChangeSignal(),
        routes=[Route("POST", "/{path:.*}", _answer)],
        news_address="/news",
        stream=lambda _: Stream(Nothing()),
        most_streams=4,
        most_streams_of_an_address=2,
    )
    port = await site.start("127.0.0.1", 0, tls)
    try:
        yield port
    finally:
        await site.stop()


async def said(port: int, data: bytes, tls: ssl.SSLContext | None = None) -> bytes:
    """All that the server answers until it closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
    answer = b""
    with suppress(OSError):
        writer.write(data)
        async with asyncio.timeout(PATIENCE):
            while more := await reader.read(1000):
                answer += more
    writer.close()
    return answer


HEAD = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"


@pytest.mark.asyncio
@pytest.mark.parametrize("sent", [b"", b"GET / HTT", HEAD, HEAD + b"\r\nhello"], ids=["nothing", "line", "head", "all"])
async def test_a_connection_without_a_request_is_ended(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.2)
    async with served() as port:
        answer = await said(port, sent)
    assert answer.startswith(b"HTTP/1.1 200") == sent.endswith(b"hello")


@pytest.mark.asyncio
async def test_a_body_that_does_not_come_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.2)
    monkeypatch.setattr(server, "BODY_WITHIN", 0.2)
    async with served() as port:
        assert (await said(port, HEAD + b"\r\nhel")).startswith(b"HTTP/1.1 408")


@pytest.mark.asyncio
async def test_over_tls_half_a_handshake_is_ended_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 1.0)
    made = Certificates(tmp_path)
    async with served(tls_context(made.broker, tmp_path / "broker.key")) as port:
        trusting = ssl.create_default_context(cafile=str(made.ca))
        assert (await said(port, HEAD + b"\r\nhello", trusting)).startswith(b"HTTP/1.1 200")
        assert await said(port, b"\x16\x03\x01") == b""
        assert await said(port, b"GET / HTTP/1.1\r\n\r\n") in (b"", b"\x15\x03\x01\x00\x02\x02F")
        assert (await said(port, HEAD + b"\r\nhello", trusting)).startswith(b"HTTP/1.1 200")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "sent",
    [
        b"\0\1\2 not HTTP\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
    ],
)
async def test_what_is_not_http_gets_a_bare_answer_and_no_log_line(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with served() as port:
        assert await said(port, sent) == server.NOT_HTTP
    assert caplog.text == ""


@pytest.mark.asyncio
async def test_a_mistake_of_ours_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    async with served() as port:
        head = b"POST /fails HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        answer = await said(port, head)
    assert answer.startswith(b"HTTP/1.1 500 Internal error\r\n")
    assert b"secret" not in answer
    assert b"Server" not in answer
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.asyncio
async def test_one_address_cannot_take_all_streams() -> None:
    ask = b"GET /news HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    async with served() as port:
        answers = []
        writers = []
        for address in ["127.0.0.1"] * 3 + ["127.0.0.2"] * 3 + ["127.0.0.3"]:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            writer.write(ask)
            writers.append(writer)
            answers.append((await reader.readline()).split()[1])
        assert answers == [b"200", b"200", b"503", b"200", b"200", b"503", b"503"]
        for writer in writers:
            writer.close()
