"""The console's site: its page, who is signed in, and the page's requests.

Everything but the page and its files needs a session, and whatever changes something needs three things besides: it
must come from our own page (`Origin`), carry the session's token, and be JSON.
"""

import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec

from shoe_controller.console.failures import NotAnswered
from shoe_controller.console.forms import LONGEST, DealerForm, FormDesk, SignInForm, SupervisorForm, WagersForm
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.sections import ConsoleFeed
from shoe_controller.console.sessions import ConsoleSession, Sessions, has_token
from shoe_controller.messages.requests import Answer
from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.server import Asked, Cookie, RefusedError, Reply, Route, Site
from shoe_controller.web.static_files import HTML, JSON, File, in_language

MOST_STREAMS, MOST_STREAMS_OF_AN_ADDRESS = 20, 10
"""Pages open at once, in all and from one address."""

TOKEN_HEADER = "X-Console-Token"  # noqa: S105 - the name of a header

PAGE = "console.html"

BODY_MARK = b"<body>"

T = TypeVar("T")


class ConsoleSite:
    """Serves from `start` to `stop`."""

    def __init__(  # noqa: PLR0913 - the parts of a console, each given by name
        self,
        *,
        front: FormDesk,
        model: ConsoleModel,
        sessions: Sessions,
        files: Mapping[str, File],
        bell: ChangeSignal,
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
        self._site = Site(
            "console",
            files=files,
            bell=bell,
            routes=[
                Route("GET", "/", self._page),
                Route("GET", "/session", self._who),
                Route("GET", "/rounds", self._rounds),
                Route("POST", "/sign-in", self._sign_in),
                Route("POST", "/sign-out", self._sign_out),
                Route("POST", "/active", self._active),
                Route("POST", "/dealer", self._asking(DealerForm, front.dealer)),
                Route("POST", "/supervisor", self._asking(SupervisorForm, front.supervisor)),
                Route("POST", "/wagers", self._asking(WagersForm, front.wagers)),
            ],
            news_address="/news",
            stream=self._stream,
            most_streams=MOST_STREAMS,
            most_streams_of_an_address=MOST_STREAMS_OF_AN_ADDRESS,
        )

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; the port, which is the one given unless that is 0."""
        listening = await self._site.start(host, port, tls)
        self._secure = tls is not None
        # Browsers do not keep the cookies of two ports of one machine apart.
        self._cookie = f"{'__Host-' if self._secure else ''}console-{listening}"
        return listening

    async def stop(self) -> None:
        await self._site.stop()

    async def _page(self, asked: Asked) -> Reply:
        page = in_language(self._files[PAGE].content, asked.query.get("lang", ""), self._language)
        return Reply(page.replace(BODY_MARK, _body().encode(), 1), HTML)

    # --- who is there ------------------------------------------------------------------------------------------------

    def _found(self, asked: Asked) -> ConsoleSession | None:
        return self._sessions.find(asked.cookies.get(self._cookie))

    def _session(self, asked: Asked) -> ConsoleSession:
        session = self._found(asked)
        if session is None:
            raise RefusedError(401, "You are not signed in")
        return session

    def _from_our_page(self, asked: Asked) -> ConsoleSession:
        """The session of a request from our own page; every other request is refused."""
        self._check_origin(asked)
        session = self._session(asked)
        if not has_token(session, asked.headers.get(TOKEN_HEADER)):
            raise RefusedError(403, "The token of the page is missing or wrong")
        self._sessions.touch(session)
        return session

    def _check_origin(self, asked: Asked) -> None:
        """Browsers send an `Origin` with every POST; a request without it does not come from our page."""
        ours = f"http{'s' if self._secure else ''}://{asked.host}"
        if asked.headers.get("Origin") != ours or asked.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise RefusedError(403, "The request must come from the console's own page")
        if asked.kind != JSON:
            raise RefusedError(415, "The request must be JSON")

    async def _sign_in(self, asked: Asked) -> Reply:
        self._check_origin(asked)
        form = await _read(asked, SignInForm)
        duty_token = self._sessions.new_duty_token()
        answer = await self._front.sign_in(form, duty_token)
        if answer.status != "ok":
            return _json({"answer": answer})
        old = self._found(asked)
        if old is not None:
            self._sessions.end(old)
        begun = self._sessions.begin(form.person, duty_token)
        reply = _json({"answer": answer, "session": self._described(begun.session)})
        return reply._replace(cookie=Cookie(self._cookie, begun.secret, self._secure))

    async def _sign_out(self, asked: Asked) -> Reply:
        session = self._from_our_page(asked)
        self._sessions.end(session)
        self._bell.ring()
        await self._front.sign_out(session)
        return Reply(cookie=Cookie(self._cookie, "", self._secure))

    async def _who(self, asked: Asked) -> Reply:
        """After a reload: who is signed in. Only our own page can read the answer."""
        session = self._found(asked)
        return _json({"session": None if session is None else self._described(session)})

    def _described(self, session: ConsoleSession) -> dict[str, object]:
        return {"person": session.person, "token": session.token, "idle": self._sessions.idle}

    async def _active(self, asked: Asked) -> Reply:
        """A person touched the page."""
        self._from_our_page(asked)
        return Reply()

    # --- requests ----------------------------------------------------------------------------------------------------

    def _asking(
        self, kind: type[T], do: Callable[[ConsoleSession, T], Awaitable[Answer | NotAnswered]]
    ) -> Callable[[Asked], Awaitable[Reply]]:
        async def answer(asked: Asked) -> Reply:
            session = self._from_our_page(asked)
            form = await _read(asked, kind)
            return _json({"answer": await do(session, form)})

        return answer

    async def _rounds(self, asked: Asked) -> Reply:
        self._session(asked)
        return _json({"rounds": self._model.rounds()})

    def _stream(self, asked: Asked) -> Stream:
        session = self._session(asked)
        return Stream(ConsoleFeed(self._model), may_listen=lambda: self._sessions.lives(session))


async def _read(asked: Asked, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(await asked.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # The error's own text is left out: it might contain what was typed, a PIN for instance.
        raise RefusedError(400, "The request is not valid") from None


def _body() -> str:
    """The page's body with the limits of its fields, which are written once, in the types of the requests."""
    limits = [f'data-longest-{name}="{longest}"' for name, longest in LONGEST.items()]
    return f"<body {' '.join(limits)}>"


def _json(value: object) -> Reply:
    return Reply(msgspec.json.encode(value))
