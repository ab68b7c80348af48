"""Pages and event streams for browsers: the one file that knows aiohttp.

Everything is read-only: only GET is answered, and the files are a fixed set that was read at the start, so that no path
leads anywhere else. A page gets its news over one event stream (Server-Sent Events), which a browser opens again by
itself. The security policy lets a page run and load what comes from here, and nothing that is written into the page.
"""

import asyncio
import hashlib
import os
import ssl
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from aiohttp import web

HEARTBEAT = 2.0
"""Seconds after which a page that got no news is told that we are alive."""

SLOWEST = 15.0
"""Seconds that a browser may take to take a message in before it is hung up on; it comes back by itself."""

MOST_STREAMS = 250
"""Pages open at once; the next one is told to come again later."""

ENDING = 2.0
"""Seconds that answers under way get when the process ends."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Server": "board",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Feed(Protocol):
    def news(self) -> bytes | None:
        """What to tell the page now; `None` if it knows everything."""


class Bell:
    """Rung when something has changed; everybody who waits looks."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()
        self._rung = asyncio.Event()

    async def rings(self) -> None:
        await self._rung.wait()


class Stream(NamedTuple):
    feed: Feed
    pause: float = 0.0
    """Seconds between two messages at least: what changes meanwhile goes into one."""


class Answers(Protocol):
    """What is behind the addresses."""

    def page(self, path: str, query: Mapping[str, str]) -> bytes | None:
        """The page at a path, or nothing."""

    def moved(self, path: str) -> str | None:
        """Where what is asked for is to be found instead."""

    def stream(self, path: str) -> Stream | None:
        """The news at a path, or nothing."""


class File(NamedTuple):
    content: bytes
    kind: str
    tag: str
    """Changes with the content, so that a browser need not fetch it again."""


class WebError(Exception):
    """Why pages cannot be served; the message is a sentence."""


class TlsError(WebError):
    """The certificate or its key cannot be used."""


def read_files(folder: Path) -> dict[str, File]:
    """All files of a folder that a browser can use, by name."""
    return {
        file.name: File(content := file.read_bytes(), KINDS[file.suffix], hashlib.blake2s(content).hexdigest()[:16])
        for file in sorted(folder.iterdir())
        if file.suffix in KINDS
    }


def tls_context(cert_file: Path, key_file: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # An empty password, or OpenSSL would ask the terminal for the password of an encrypted key, and wait.
        context.load_cert_chain(cert_file, key_file, password="")
    except OSError as error:
        reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        raise TlsError(
            f"the certificate {cert_file} and its key {key_file} cannot be used ({reason or error}). "
            "Both must be readable PEM, belong together, and the key have no password."
        ) from error
    return context


class WebSite:
    """Serves while it is entered as a context."""

    def __init__(self, answers: Answers, files: Mapping[str, File], bell: Bell) -> None:
        self._answers = answers
        self._files = files
        self._bell = bell
        self._pages = hashlib.blake2s("".join(file.tag for file in files.values()).encode()).hexdigest()[:16].encode()
        """Tells a page that it is out of date."""
        self._ending = False
        self._streams = 0
        app = web.Application()
        app.router.add_get("/files/{name}", self._file)
        app.router.add_get("/news/{path:.+}", self._news, allow_head=False)
        app.router.add_get("/{path:.*}", self._page)
        app.on_response_prepare.append(_add_headers)
        app.on_shutdown.append(self._end_streams)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=ENDING, handle_signals=False)

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; the port, which is the one given unless that is 0. `WebError` if it cannot be had."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port, ssl_context=tls).start()
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
            raise WebError(
                f"cannot listen on {host}, port {port}: {reason}. "
                "Choose another host or port in [board], or end the program that uses it."
            ) from error
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _end_streams(self, _app: web.Application) -> None:
        self._ending = True
        self._bell.ring()

    # --- answers -----------------------------------------------------------------------------------------------------

    async def _file(self, request: web.Request) -> web.Response:
        file = self._files.get(request.match_info["name"])
        if file is None or file.kind == KINDS[".html"]:
            raise web.HTTPNotFound
        headers = {"ETag": f'"{file.tag}"', "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == f'"{file.tag}"':
            return web.Response(status=304, headers=headers)
        return web.Response(body=file.content, content_type=file.kind, charset="utf-8", headers=headers)

    async def _page(self, request: web.Request) -> web.Response:
        path = request.match_info["path"]
        elsewhere = self._answers.moved(path)
        if elsewhere is not None:
            raise web.HTTPFound(elsewhere)
        page = self._answers.page(path, request.query)
        if page is None:
            raise web.HTTPNotFound
        return web.Response(
            body=page, content_type=KINDS[".html"], charset="utf-8", headers={"Cache-Control": "no-store"}
        )

    async def _news(self, request: web.Request) -> web.StreamResponse:
        stream = self._answers.stream(request.match_info["path"])
        if stream is None:
            raise web.HTTPNotFound
        if self._streams >= MOST_STREAMS or self._ending:
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "5"})
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )
        self._streams += 1
        try:
            await response.prepare(request)
            await response.write(b"retry: 1000\nevent: pages\ndata: %b\n\n" % self._pages)
            await self._tell(response, stream)
        except (TimeoutError, ConnectionError):
            pass  # the browser is gone, or too slow; it comes back by itself
        finally:
            self._streams -= 1
        return response

    async def _tell(self, response: web.StreamResponse, stream: Stream) -> None:
        loop = asyncio.get_running_loop()
        told = loop.time()
        while not self._ending:
            news = stream.feed.news()
            if news is not None:
                message = b"data: " + news + b"\n\n"
            elif loop.time() - told >= HEARTBEAT:
                message = b"event: alive\ndata: 1\n\n"
            else:
                # The bell also rings for what this page does not show, so that the heartbeat has a time of its own.
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(told + HEARTBEAT):
                        await self._bell.rings()
                continue
            async with asyncio.timeout(SLOWEST):
                await response.write(message)
            told = loop.time()
            if stream.pause and news is not None:
                await asyncio.sleep(stream.pause)


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
