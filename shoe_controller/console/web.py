"""The console's site: its page, who is signed in, and the page's requests.

Everything but the page and its files needs a session; `web/session_guard.py` has what a request needs besides.
"""

import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import msgspec

from shoe_controller.console.failures import NotAnswered
from shoe_controller.console.forms import LONGEST, Dealer, DealerForm, FormDesk, SignInForm, SupervisorForm, WagersForm
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.sections import ConsoleFeed
from shoe_controller.messages.requests import Answer
from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.server import Asked, Reply, Route, Site
from shoe_controller.web.session_guard import SessionGuard, read_form
from shoe_controller.web.sessions import Session, Sessions
from shoe_controller.web.static_files import HTML, File, in_language

MOST_STREAMS, MOST_STREAMS_OF_AN_ADDRESS = 20, 10
"""Pages open at once, in all and from one address."""

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
        sessions: Sessions[Dealer],
        files: Mapping[str, File],
        bell: ChangeSignal,
        language: str,
    ) -> None:
        self._front = front
        self._model = model
        self._guard = SessionGuard("console", sessions)
        self._files = files
        self._bell = bell
        self._language = language
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
        self._guard.listens(listening, secure=tls is not None)
        return listening

    async def stop(self) -> None:
        await self._site.stop()

    async def _page(self, asked: Asked) -> Reply:
        page = in_language(self._files[PAGE].content, asked.query.get("lang", ""), self._language)
        return Reply(page.replace(BODY_MARK, _body().encode(), 1), HTML)

    # --- who is there ------------------------------------------------------------------------------------------------

    async def _sign_in(self, asked: Asked) -> Reply:
        self._guard.check_origin(asked)
        form = await read_form(asked, SignInForm)
        duty_token = self._guard.sessions.new_token()
        answer = await self._front.sign_in(form, duty_token)
        if answer.status != "ok":
            return _json({"answer": answer})
        session, cookie = self._guard.begin(asked, Dealer(form.person, duty_token))
        return _json({"answer": answer, "session": self._described(session)})._replace(cookie=cookie)

    async def _sign_out(self, asked: Asked) -> Reply:
        session = self._guard.from_our_page(asked)
        cookie = self._guard.end(session)
        self._bell.ring()
        await self._front.sign_out(session.who)
        return Reply(cookie=cookie)

    async def _who(self, asked: Asked) -> Reply:
        """After a reload: who is signed in. Only our own page can read the answer."""
        session = self._guard.found(asked)
        return _json({"session": None if session is None else self._described(session)})

    def _described(self, session: Session[Dealer]) -> dict[str, object]:
        return {"person": session.who.person, "token": session.token, "idle": self._guard.sessions.idle}

    async def _active(self, asked: Asked) -> Reply:
        """A person touched the page."""
        self._guard.from_our_page(asked)
        return Reply()

    # --- requests ----------------------------------------------------------------------------------------------------

    def _asking(
        self, kind: type[T], do: Callable[[Dealer, T], Awaitable[Answer | NotAnswered]]
    ) -> Callable[[Asked], Awaitable[Reply]]:
        async def answer(asked: Asked) -> Reply:
            session = self._guard.from_our_page(asked)
            form = await read_form(asked, kind)
            return _json({"answer": await do(session.who, form)})

        return answer

    async def _rounds(self, asked: Asked) -> Reply:
        self._guard.session(asked)
        return _json({"rounds": self._model.rounds()})

    def _stream(self, asked: Asked) -> Stream:
        session = self._guard.session(asked)
        return Stream(ConsoleFeed(self._model), may_listen=lambda: self._guard.sessions.lives(session))


def _body() -> str:
    """The page's body with the limits of its fields, which are written once, in the types of the requests."""
    limits = [f'data-longest-{name}="{longest}"' for name, longest in LONGEST.items()]
    return f"<body {' '.join(limits)}>"


def _json(value: object) -> Reply:
    return Reply(msgspec.json.encode(value))
