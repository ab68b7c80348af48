"""The board's site: pages and event streams at their addresses, read-only: every method but GET is refused."""

import ssl
from collections.abc import Mapping
from typing import Protocol

from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.server import Asked, MovedError, RefusedError, Reply, Route, Site
from shoe_controller.web.static_files import HTML, File

MOST_STREAMS, MOST_STREAMS_OF_AN_ADDRESS = 250, 60
"""Pages open at once, in all and from one address; further ones are refused and retry later."""


class Answers(Protocol):
    """What is behind the addresses."""

    def page(self, path: str, query: Mapping[str, str]) -> bytes | None:
        """The page at a path, or nothing."""

    def moved(self, path: str) -> str | None:
        """The address to redirect to, or nothing."""

    def stream(self, path: str) -> Stream | None:
        """The event stream at a path, or nothing."""


class WebSite:
    """Serves from `start` to `stop`."""

    def __init__(
        self, answers: Answers, files: Mapping[str, File], bell: ChangeSignal, most_streams: int = MOST_STREAMS
    ) -> None:
        self._answers = answers
        self._site = Site(
            "board",
            files=files,
            bell=bell,
            routes=[Route("GET", "/{path:.*}", self._page)],
            news_address="/news/{path:.+}",
            stream=self._stream,
            most_streams=most_streams,
            most_streams_of_an_address=MOST_STREAMS_OF_AN_ADDRESS,
        )

    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int:
        """Listen; the port, which is the one given unless that is 0."""
        return await self._site.start(host, port, tls)

    async def stop(self) -> None:
        await self._site.stop()

    async def _page(self, asked: Asked) -> Reply:
        elsewhere = self._answers.moved(asked.path)
        if elsewhere is not None:
            raise MovedError(elsewhere)
        page = self._answers.page(asked.path, asked.query)
        if page is None:
            raise RefusedError(404, "Page not found")
        return Reply(page, HTML)

    def _stream(self, asked: Asked) -> Stream:
        stream = self._answers.stream(asked.path)
        if stream is None:
            raise RefusedError(404, "Event stream not found")
        return stream
