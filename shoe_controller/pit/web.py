"""The pit's site: its page, who is signed in, and streams of edges and alarms, which need a session.

The page and its files have nothing in them but a door.
"""

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from shoe_controller.board.feeds import PitFeed
from shoe_controller.board.floor import TABLE_NAME, Floor
from shoe_controller.config.passwords import MOST_CHARACTERS
from shoe_controller.config.site_people import SitePerson
from shoe_controller.messages.requests import PersonId
from shoe_controller.pit.exposures import Exposures
from shoe_controller.pit.feeds import DetailsFeed
from shoe_controller.pit.sections import ExposedRow, Moment, exposed_row
from shoe_controller.web.login import Login
from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.server import Asked, RefusedError, Reply, Route, Site
from shoe_controller.web.session_guard import SessionGuard, read_form
from shoe_controller.web.sessions import Session, Sessions
from shoe_controller.web.static_files import HTML, TILES, File, in_language, in_look, read_files

STATIC = Path(__file__).parent / "static"

MOST_STREAMS, MOST_STREAMS_OF_AN_ADDRESS = 100, 40
"""Pages and details open at once, in all and from one address."""

PAUSE = 0.2
"""Seconds between two messages to a page: with many tables something always happens."""

PAGE = "pit.html"

BODY_MARK = b"<body>"


class SignInForm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    person: PersonId
    password: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_CHARACTERS)]


class PitSite:
    """Serves from `start` to `stop`."""

    def __init__(  # noqa: PLR0913 - the parts of the site, each given by name
        self,
        *,
        login: Login,
        sessions: Sessions[SitePerson],
        floor: Floor,
        exposures: Exposures,
        files: Mapping[str, File],
        bell: ChangeSignal,
        clock: Callable[[], Moment],
        language: str = "en",
        look: str = "dark",
    ) -> None:
        self._login = login
        self._guard = SessionGuard("pit", sessions)
        self._floor = floor
        self._exposures = exposures
        self._files = files
        self._bell = bell
        self._clock = clock
        self._language = language
        self._look = look
        self._site = Site(
            "pit",
            files=files,
            bell=bell,
            routes=[
                Route("GET", "/", self._page),
                Route("GET", "/session", self._who),
                Route("POST", "/sign-in", self._sign_in),
                Route("POST", "/sign-out", self._sign_out),
                Route("POST", "/active", self._active),
            ],
            news_address="/news/{path:.+}",
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
        page = in_look(page, asked.query.get("look", ""), self._look)
        if self._login.is_for_nobody:
            page = page.replace(BODY_MARK, b"<body data-nobody>", 1)
        return Reply(page, HTML)

    async def _sign_in(self, asked: Asked) -> Reply:
        self._guard.check_origin(asked)
        form = await read_form(asked, SignInForm)
        answer = await self._login.sign_in(asked.address, form.person, form.password)
        if not isinstance(answer, SitePerson):
            return _json({"failure": answer})
        session, cookie = self._guard.begin(asked, answer)
        return _json({"session": self._described(session)})._replace(cookie=cookie)

    async def _sign_out(self, asked: Asked) -> Reply:
        session = self._guard.from_our_page(asked)
        cookie = self._guard.end(session)
        self._bell.ring()
        self._login.signed_out(asked.address, session.who)
        return Reply(cookie=cookie)

    async def _who(self, asked: Asked) -> Reply:
        """After a reload: who is signed in. Only our own page can read the answer."""
        session = self._guard.found(asked)
        return _json({"session": None if session is None else self._described(session)})

    def _described(self, session: Session[SitePerson]) -> dict[str, object]:
        return {"person": session.who.id, "name": session.who.name, "token": session.token}

    async def _active(self, asked: Asked) -> Reply:
        """A person touched the page."""
        self._guard.from_our_page(asked)
        return Reply()

    def _stream(self, asked: Asked) -> Stream:
        session = self._guard.session(asked)
        folder, _, name = asked.path.partition("/")
        if asked.path == "tables":
            feed: PitFeed | DetailsFeed = PitFeed(self._floor, self._row, self._exposures.version_of)
        elif folder == "table" and TABLE_NAME.fullmatch(name):
            feed = DetailsFeed(self._floor, self._exposures, name, self._clock)
        else:
            raise RefusedError(404, "Event stream not found")
        return Stream(feed, PAUSE, lambda: self._guard.sessions.lives(session))

    def _row(self, name: str) -> ExposedRow:
        return exposed_row(self._floor, name, self._exposures.of(name), self._clock())


def pit_files() -> dict[str, File]:
    """What a browser may load of this site: files alone, the same for everybody."""
    return read_files(TILES, STATIC)


def _json(value: object) -> Reply:
    return Reply(msgspec.json.encode(value))
