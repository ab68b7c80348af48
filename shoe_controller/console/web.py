"""The page, its event stream and its requests over HTTP: the console's one file that knows aiohttp.

What a browser may load is a fixed set of files that was read at the start. Everything else needs a session, and
whatever changes something needs three things besides: it must come from our own page (`Origin`), carry the session's
token, and be JSON. The security policy lets the page run and load what comes from here alone, and never a text as
markup.
"""

import asyncio
import hashlib
import ssl
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from aiohttp import web

from shoe_controller.console.front import DealerForm, Front, SignInForm, SupervisorForm, WagersForm
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.sections import Feed
from shoe_controller.console.sessions import Session, Sessions, has_token
from shoe_controller.mqtt.contract import Answer

HEARTBEAT = 2.0
"""Seconds after which a page that got no news is told that we are alive; and how often its session is looked at."""

SLOWEST = 15.0
"""Seconds that a browser may take to take a message in before it is hung up on; it comes back by itself."""

MOST_STREAMS = 20
"""Pages open at once."""

ENDING = 2.0
"""Seconds that answers under way get when the process ends."""

LARGEST_BODY = 16 * 1024
"""Bytes; the largest thing that a page sends is one seat's wagers."""

TOKEN_HEADER = "X-Console-Token"  # noqa: S105 - the name of a header

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
    "Server": "console",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGE = "console.html"
LANGUAGE_MARK = b'lang="en"'
LANGUAGES = {"en": "en", "zh-hant": "zh-Hant", "zh-hans": "zh-Hans"}
"""As an address and the configuration write them, and as a page does."""

T = TypeVar("T")


class Bell:
    """Rung when something has changed; everybody who waits looks."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()
        self._rung = asyncio.Event()

    async def rings(self) -> None:
        await self._rung.wait()


class File(NamedTuple):
    content: bytes
    kind: str
    tag: str
    """Changes with the content, so that a browser need not fetch it again."""


def read_files(folder: Path) -> dict[str, File]:
    """All files of a folder that a browser can use, by name."""
    return {
        file.name: File(content := file.read_bytes(), KINDS[file.suffix], hashlib.blake2s(content).hexdigest()[:16])
        for file in sorted(folder.iterdir())
        if file.suffix in KINDS
    }


class ConsoleSite:
    """Serves from `start` to `stop`."""

    def __init__(  # noqa: PLR0913 - the parts of a console, each given by name
        self,
        *,
        front: Front,
        model: ConsoleModel,
        sessions: Sessions,
        files: Mapping[str, File],
        bell: Bell,
        language: str,
    ) -> None:
        self._front = front
        self._model = model
        self._sessions = sessions
        self._files = files
        self._bell = bell
        self._language = language
        self._cookie = "console"
        self._secure = False
        self._ending = False
        self._streams = 0
        app = web.Application(client_max_size=LARGEST_BODY, middlewares=[_errors_as_json])
        app.router.add_get("/", self._page)
        app.router.add_get("/files/{name}", self._file)
        app.router.add_get("/session", self._who)
        app.router.add_get("/news", self._news, allow_head=False)
        app.router.add_get("/rounds", self._rounds)
        app.router.add_post("/sign-in", self._sign_in)
        app.router.add_post("/sign-out", self._sign_out)
        app.router.add_post("/active", self._active)
        app.router.add_post("/dealer", self._asking(DealerForm, front.dealer))
        app.router.add_post("/supervisor", self._asking(SupervisorForm, front.supervisor))
        app.router.add_post("/wagers", self._asking(WagersForm, front.wagers))
        app.on_response_prepare.append(_add_headers)
        app.on_shutdown.append(self._end_streams)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=ENDING, handle_signals=False)

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; the port, which is the one given unless that is 0. `OSError` if it is taken."""
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port, ssl_context=tls).start()
        listening = int(self._runner.addresses[0][1])
        self._secure = tls is not None
        # Browsers do not keep the cookies of two ports of one machine apart.
        self._cookie = f"{'__Host-' if self._secure else ''}console-{listening}"
        return listening

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _end_streams(self, _app: web.Application) -> None:
        self._ending = True
        self._bell.ring()

    # --- the page ----------------------------------------------------------------------------------------------------

    async def _page(self, request: web.Request) -> web.Response:
        asked = request.query.get("lang", "").lower().replace("_", "-")
        language = LANGUAGES.get(asked, LANGUAGES[self._language])
        page = self._files[PAGE].content.replace(LANGUAGE_MARK, f'lang="{language}"'.encode(), 1)
        return web.Response(body=page, content_type=KINDS[".html"], charset="utf-8")

    async def _file(self, request: web.Request) -> web.Response:
        file = self._files.get(request.match_info["name"])
        if file is None or file.kind == KINDS[".html"]:
            raise web.HTTPNotFound
        headers = {"ETag": f'"{file.tag}"', "Cache-Control": "no-cache"}
        if request.headers.get("If-None-Match") == headers["ETag"]:
            return web.Response(status=304, headers=headers)
        return web.Response(body=file.content, content_type=file.kind, charset="utf-8", headers=headers)

    # --- who is there ------------------------------------------------------------------------------------------------

    def _session(self, request: web.Request) -> Session:
        session = self._sessions.find(request.cookies.get(self._cookie))
        if session is None:
            raise web.HTTPUnauthorized(reason="Nobody is signed in")
        return session

    def _from_our_page(self, request: web.Request) -> Session:
        """Whoever asks for something from our own page; everybody else is turned away."""
        _check_origin(request, secure=self._secure)
        session = self._session(request)
        if not has_token(session, request.headers.get(TOKEN_HEADER)):
            raise web.HTTPForbidden(reason="The token of the page is missing or wrong")
        self._sessions.touch(session)
        return session

    async def _sign_in(self, request: web.Request) -> web.Response:
        _check_origin(request, secure=self._secure)
        form = await _read(request, SignInForm)
        answer = await self._front.sign_in(form)
        if answer.status != "ok":
            return _json({"answer": answer})
        old = self._sessions.find(request.cookies.get(self._cookie))
        if old is not None:
            self._sessions.end(old)
        begun = self._sessions.begin(form.person)
        response = _json({"answer": answer, "session": self._told(begun.session)})
        response.set_cookie(self._cookie, begun.secret, httponly=True, samesite="Strict", secure=self._secure, path="/")
        return response

    async def _sign_out(self, request: web.Request) -> web.Response:
        self._sessions.end(self._from_our_page(request))
        self._bell.ring()
        response = _json({})
        response.del_cookie(self._cookie, path="/", secure=self._secure, httponly=True, samesite="Strict")
        return response

    async def _who(self, request: web.Request) -> web.Response:
        """After a reload: who is signed in. Only our own page can read the answer."""
        session = self._sessions.find(request.cookies.get(self._cookie))
        return _json({"session": None if session is None else self._told(session)})

    def _told(self, session: Session) -> dict[str, object]:
        return {"person": session.person, "token": session.token, "idle": self._sessions.idle}

    async def _active(self, request: web.Request) -> web.Response:
        """Somebody touched the page."""
        self._from_our_page(request)
        return _json({})

    # --- what is asked for -------------------------------------------------------------------------------------------

    def _asking(
        self, kind: type[T], do: Callable[[Session, T], Awaitable[Answer]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handler(request: web.Request) -> web.Response:
            session = self._from_our_page(request)
            form = await _read(request, kind)
            return _json({"answer": await do(session, form)})

        return handler

    async def _rounds(self, request: web.Request) -> web.Response:
        self._session(request)
        return _json({"rounds": self._model.rounds()})

    async def _news(self, request: web.Request) -> web.StreamResponse:
        session = self._session(request)
        if self._streams >= MOST_STREAMS or self._ending:
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "5"})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
        self._streams += 1
        try:
            await response.prepare(request)
            await response.write(b"retry: 1000\n\n")
            await self._tell(response, session)
        except (TimeoutError, ConnectionError):
            pass  # the browser is gone, or too slow; it comes back by itself
        finally:
            self._streams -= 1
        return response

    async def _tell(self, response: web.StreamResponse, session: Session) -> None:
        feed = Feed(self._model)
        while not self._ending:
            if not self._sessions.lives(session):
                await response.write(b"event: ended\ndata: 1\n\n")
                return
            news = feed.news()
            if news is None:
                try:
                    async with asyncio.timeout(HEARTBEAT):
                        await self._bell.rings()
                    continue
                except TimeoutError:
                    message = b"event: alive\ndata: 1\n\n"
            else:
                message = b"data: " + news + b"\n\n"
            async with asyncio.timeout(SLOWEST):
                await response.write(message)


def _check_origin(request: web.Request, *, secure: bool) -> None:
    """Browsers say with every POST which site it comes from; whoever does not say it is no browser at our page."""
    ours = f"http{'s' if secure else ''}://{request.host}"
    if request.headers.get("Origin") != ours or request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise web.HTTPForbidden(reason="This must come from the console's own page")
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType


async def _read(request: web.Request, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(await request.read(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # What was wrong is not said: the words of the error might hold what was typed.
        raise web.HTTPBadRequest(reason="This is no such request") from None


def _json(value: object) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as error:
        response = _json({"error": error.reason})
        response.set_status(error.status, error.reason)
        for name in ("Allow", "Retry-After"):
            if name in error.headers:
                response.headers[name] = error.headers[name]
        return response


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")
