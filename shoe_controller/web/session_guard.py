"""Which requests come from a page on which somebody is signed in: cookie, token and origin, the same for every site.

Whatever changes something needs three things besides the cookie: it must come from the site's own page (`Origin`),
carry the session's token, and be JSON.
"""

from typing import Generic, TypeVar

import msgspec

from shoe_controller.web.server import Asked, Cookie, RefusedError
from shoe_controller.web.sessions import Session, Sessions, has_token
from shoe_controller.web.static_files import JSON

T = TypeVar("T")
F = TypeVar("F")


class SessionGuard(Generic[T]):
    def __init__(self, name: str, sessions: Sessions[T]) -> None:
        """`name` is the site's, in its cookie and in the header of its token."""
        self.sessions = sessions
        self.token_header = token_header(name)
        self._name = name
        self._cookie = name
        self._secure = False

    def listens(self, port: int, *, secure: bool) -> None:
        self._secure = secure
        # Browsers do not keep the cookies of two ports of one machine apart.
        self._cookie = f"{'__Host-' if secure else ''}{self._name}-{port}"

    def found(self, asked: Asked) -> Session[T] | None:
        return self.sessions.find(asked.cookies.get(self._cookie))

    def session(self, asked: Asked) -> Session[T]:
        session = self.found(asked)
        if session is None:
            raise RefusedError(401, "You are not signed in")
        return session

    def from_our_page(self, asked: Asked) -> Session[T]:
        """The session of a request from our own page, which counts as activity; every other request is refused."""
        self.check_origin(asked)
        session = self.session(asked)
        if not has_token(session, asked.headers.get(self.token_header)):
            raise RefusedError(403, "The token of the page is missing or wrong")
        self.sessions.touch(session)
        return session

    def check_origin(self, asked: Asked) -> None:
        """Browsers send an `Origin` with every POST; a request without it does not come from our page."""
        ours = f"http{'s' if self._secure else ''}://{asked.host}"
        if asked.headers.get("Origin") != ours or asked.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise RefusedError(403, f"The request must come from the {self._name}'s own page")
        if asked.kind != JSON:
            raise RefusedError(415, "The request must be JSON")

    def begin(self, asked: Asked, who: T) -> tuple[Session[T], Cookie]:
        """A new session in place of the one that this browser had."""
        old = self.found(asked)
        if old is not None:
            self.sessions.end(old)
        begun = self.sessions.begin(who)
        return begun.session, Cookie(self._cookie, begun.secret, self._secure)

    def end(self, session: Session[T]) -> Cookie:
        self.sessions.end(session)
        return Cookie(self._cookie, "", self._secure)


def token_header(name: str) -> str:
    """The header in which the page of this site sends the session's token."""
    return f"X-{name.capitalize()}-Token"


async def read_form(asked: Asked, kind: type[F]) -> F:
    """What a page sent, decoded strictly."""
    try:
        return msgspec.json.decode(await asked.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # The error's own text is left out: it might contain what was typed, a password for instance.
        raise RefusedError(400, "The request is not valid") from None
