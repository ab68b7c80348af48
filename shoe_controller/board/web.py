"""The board's site: pages and news at their addresses, read-only: whatever is asked for but with GET is refused."""

import ssl
from collections.abc import Mapping
from typing import Protocol

from shoe_controller.web.push import ChangeSignal, Stream
from shoe_controller.web.server import Asked, MovedError, RefusedError, Reply, Route, Site
from shoe_controller.web.static_files import HTML, File

MOST_STREAMS = 250
"""Pages open at once; the next one is told to come again later."""


class Answers(Protocol):
    """What is behind the addresses."""

    def page(self, path: str, query: Mapping[str, str]) -> bytes | None:
        """The page at a path, or nothing."""

    def moved(self, path: str) -> str | None:
        """Where what is asked for is to be found instead."""

    def stream(self, path: str) -> Stream | None:
        """The news at a path, or nothing."""


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
            raise RefusedError(404, "There is no such page")
        return Reply(page, HTML)

    def _stream(self, asked: Asked) -> Stream:
        stream = self._answers.stream(asked.path)
        if stream is None:
            raise RefusedError(404, "There are no such news")
        return stream
