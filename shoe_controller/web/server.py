"""Pages, event streams and requests of pages over HTTP: the one file that knows aiohttp.

The caller defines what is behind each address, in the types of this file. Every response carries the same strict
policy: a page runs and loads only what comes from here, no text ever becomes markup, and no site may put it into a
frame. A page gets its updates over one event stream (Server-Sent Events), which a browser opens again by itself.
"""

import asyncio
import logging
import os
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from aiohttp import web

from shoe_controller.config.web import is_loopback
from shoe_controller.web.certificate import PagesError
from shoe_controller.web.connections import MOST_CONNECTIONS, MOST_OF_AN_ADDRESS, AddressLimit, Connection
from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.static_files import HTML, JSON, File, tag_of_all

HEARTBEAT = 2.0
"""Seconds without a message after which a page is sent a sign of life."""

SLOWEST = 15.0
"""Seconds that a browser may take to receive a message before it is disconnected; it reconnects by itself."""

ENDING = 2.0
"""Seconds that answers under way get when the process ends."""

LARGEST_BODY = 16 * 1024
"""Bytes; the largest thing that a page sends is one seat's wagers."""

BODY_WITHIN = 10.0
"""Seconds for all of it."""

NOT_HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

LOG = logging.getLogger("shoe_controller.web")

ONLY_HERE = "This is served to this machine alone, as 127.0.0.1 or localhost"


class Asked(NamedTuple):
    """A browser's request."""

    path: str
    """The values of the placeholders in its route."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    address: str
    """Where it comes from."""
    host: str
    """The host that the browser addresses."""
    kind: str
    """The kind of content that it sends."""
    body: Callable[[], Awaitable[bytes]]
    """Read only when it is called, so that strangers are refused before."""


class Cookie(NamedTuple):
    name: str
    value: str
    """Empty to delete the cookie."""
    secure: bool


class Reply(NamedTuple):
    body: bytes = b"{}"
    kind: str = JSON
    cookie: Cookie | None = None


class RefusedError(Exception):
    """Request refused, with a reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class MovedError(Exception):
    """The page is at another address."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


class Route(NamedTuple):
    method: Literal["GET", "POST"]
    address: str
    answer: Callable[[Asked], Awaitable[Reply]]


class Site:
    """Serves from `start` to `stop`: the files, the routes, and the event streams under one address."""

    def __init__(  # noqa: PLR0913 - the parts of a site, each given by name
        self,
        name: str,
        *,
        files: Mapping[str, File],
        bell: ChangeSignal,
        routes: Sequence[Route],
        news_address: str,
        stream: Callable[[Asked], Stream],
        most_streams: int,
        most_streams_of_an_address: int,
    ) -> None:
        """`name` is also the section of the configuration that sets where it listens."""
        self._name = name
        self._files = files
        self._bell = bell
        self._stream = stream
        self._streams = AddressLimit(most_streams, most_streams_of_an_address)
        self._open = AddressLimit(MOST_CONNECTIONS, MOST_OF_AN_ADDRESS)
        self._connections: dict[asyncio.Protocol, Connection] = {}
        self._listening: asyncio.Server | None = None
        self._pages = tag_of_all(files).encode()
        """Shows a page that it is out of date."""
        self._for_this_machine = True
        self._ending = False
        app = web.Application(client_max_size=LARGEST_BODY, middlewares=[self._answered])
        app.router.add_get("/files/{path}", self._file)
        app.router.add_get(news_address, self._news, allow_head=False)
        for route in routes:
            add = app.router.add_get if route.method == "GET" else app.router.add_post
            add(route.address, _handler(route.answer))
        app.on_response_prepare.append(self._add_headers)
        app.on_shutdown.append(self._end_streams)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=ENDING, handle_signals=False)

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; the port, which is the one given unless that is 0."""
        self._for_this_machine = is_loopback(host)
        await self._runner.setup()
        try:
            loop = asyncio.get_running_loop()
            self._listening = await loop.create_server(lambda: self._connection(tls), host, port, backlog=128)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
            raise PagesError(
                f"cannot listen on {host}, port {port}: {reason}. "
                f"Choose another host or port in [{self._name}], or end the program that uses it."
            ) from error
        return int(self._listening.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        if self._listening is not None:
            self._listening.close()
        await self._runner.cleanup()

    def _connection(self, tls: ssl.SSLContext | None) -> Connection:
        server = self._runner.server
        assert server is not None  # noqa: S101 - set up before it listens, for the types
        served = _Served(server, loop=asyncio.get_running_loop(), logger=LOG, access_log=None)  # type: ignore[arg-type]  # None is what AppRunner gives
        made = Connection(served, self._open, tls, self._connections.__delitem__)
        self._connections[served] = made
        return made

    async def _end_streams(self, _app: web.Application) -> None:
        self._ending = True
        self._bell.ring()

    # --- every answer ------------------------------------------------------------------------------------------------

    @web.middleware
    async def _answered(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        connection = self._connections.get(request.protocol)
        if connection is not None:
            connection.request_begins()
        try:
            return await self._answer(request, handler)
        finally:
            if connection is not None:
                connection.request_ends()

    async def _answer(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        # Another site can give itself a name that leads to this machine, and would then pass for our own page.
        if self._for_this_machine and not _names_this_machine(request.host):
            return _error(421, ONLY_HERE)
        try:
            return await handler(request)
        except MovedError as moved:
            return web.Response(status=302, headers={"Location": moved.address})
        except RefusedError as refused:
            return _error(refused.status, refused.reason)
        except web.HTTPException as error:
            response = _error(error.status, error.reason)
            if "Allow" in error.headers:
                response.headers["Allow"] = error.headers["Allow"]
            return response
        except ConnectionError:
            raise  # the browser is gone, and nobody is there to be answered
        except Exception:
            LOG.exception("A request for %s failed", request.path)
            return _error(500, "Internal error")

    async def _add_headers(self, _request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(HEADERS)
        response.headers.popall("Server", None)  # which software this is, and of which version, is nobody's business
        response.headers.setdefault("Cache-Control", "no-store")

    async def _file(self, request: web.Request) -> web.Response:
        file = self._files.get(request.match_info["path"])
        if file is None or file.kind == HTML:
            raise web.HTTPNotFound
        headers = {"ETag": f'"{file.tag}"', "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return web.Response(status=304, headers=headers)
        return web.Response(body=file.content, content_type=file.kind, charset="utf-8", headers=headers)

    # --- news --------------------------------------------------------------------------------------------------------

    async def _news(self, request: web.Request) -> web.StreamResponse:
        stream = self._stream(_asked(request))
        address = request.remote or ""
        if self._ending or not self._streams.take(address):
            refusal = _error(503, "Too many pages are open")
            refusal.headers["Retry-After"] = "5"
            return refusal
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
        try:
            await response.prepare(request)
            await response.write(b"retry: 1000\nevent: pages\ndata: %b\n\n" % self._pages)
            await self._send_updates(response, stream)
        except (TimeoutError, ConnectionError):
            pass  # the browser is gone, or too slow; it comes back by itself
        finally:
            self._streams.give_back(address)
        return response

    async def _send_updates(self, response: web.StreamResponse, stream: Stream) -> None:
        loop = asyncio.get_running_loop()
        sent_at = loop.time()
        while not self._ending:
            if not stream.may_listen():
                await response.write(b"event: ended\ndata: 1\n\n")
                return
            news = stream.feed.news()
            if news is not None:
                message = b"data: " + news + b"\n\n"
            elif loop.time() - sent_at >= HEARTBEAT:
                message = b"event: alive\ndata: 1\n\n"
            else:
                # The bell also rings for what this page does not show, so that the heartbeat has a time of its own.
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(sent_at + HEARTBEAT):
                        await self._bell.rings()
                continue
            async with asyncio.timeout(SLOWEST):
                await response.write(message)
            sent_at = loop.time()
            if stream.pause and news is not None:
                await asyncio.sleep(stream.pause)


class _Served(web.RequestHandler):
    """aiohttp's side of one connection. What is not HTTP gets a bare answer, without a log line for each."""

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - as aiohttp has it
    ) -> web.StreamResponse:
        LOG.debug("Not HTTP (%d)", status, exc_info=exc)
        if self.transport is not None and not self.transport.is_closing():
            if request.writer.output_size == 0:
                self.transport.write(NOT_HTTP)
            self.transport.close()
        raise ConnectionResetError


async def _body_of(request: web.Request) -> bytes:
    try:
        async with asyncio.timeout(BODY_WITHIN):
            return await request.read()
    except TimeoutError:
        raise RefusedError(408, "The request took too long") from None


def _asked(request: web.Request) -> Asked:
    return Asked(
        path=request.match_info.get("path", ""),
        query=request.query,
        headers=request.headers,
        cookies=request.cookies,
        address=request.remote or "",
        host=request.host,
        kind=request.content_type,
        body=lambda: _body_of(request),
    )


def _handler(answer: Callable[[Asked], Awaitable[Reply]]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        reply = await answer(_asked(request))
        charset = "utf-8" if reply.kind == HTML else None
        response = web.Response(body=reply.body, content_type=reply.kind, charset=charset)
        if reply.cookie is not None:
            _put(reply.cookie, response)
        return response

    return handle


def _put(cookie: Cookie, response: web.Response) -> None:
    if cookie.value:
        response.set_cookie(cookie.name, cookie.value, httponly=True, samesite="Strict", secure=cookie.secure, path="/")
    else:
        response.del_cookie(cookie.name, httponly=True, samesite="Strict", secure=cookie.secure, path="/")


def _error(status: int, reason: str) -> web.Response:
    return web.json_response({"error": reason}, status=status, reason=reason)


def _names_this_machine(host: str) -> bool:
    """Whether the name that a browser was given, with or without a port, can only be this machine's own."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return is_loopback(name.strip("[]"))
