"""Keeps the line to a shoe open for ever. A shoe that is missing, at first boot too, is a normal state.

A `Reconnector` opens a port, reports that the line is open, passes bytes on, and when the line ends, or cannot be
opened, reports one outage and looks for the shoe until it is back. All of that is one task, `run`; cancelling it at any
time closes whatever is open.

| state    | what happens          | next     | report                                          |
|----------|-----------------------|----------|-------------------------------------------------|
| STOPPED  | `run` starts          | LOOKING  |                                                 |
| LOOKING  | the port cannot open  | LOOKING  | `Outage`, if none is reported and not yet over  |
| LOOKING  | the port opens        | OPEN     | `LineOpened`, which ends the outage             |
| OPEN     | the line ends         | LOOKING  | `Outage`                                        |
| any      | `run` is cancelled    | STOPPED  |                                                 |

So reports of the two kinds always take turns, and bytes arrive only between a `LineOpened` and the next `Outage`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn

from shoe_controller.transports.transport import OnBytes, Port, Transport, TransportError

STEADY_SECONDS = 10.0
"""Seconds after which a line counts as good: after it the delays between attempts start small again."""


class LineState(Enum):
    STOPPED = "stopped"
    LOOKING = "looking"
    OPEN = "open"


@dataclass(frozen=True)
class LineOpened:
    port: str
    outage: float | None
    """Seconds for which the shoe was missing; `None` if it was there at once."""


@dataclass(frozen=True)
class Outage:
    port: str
    was_open: bool
    """Whether a line was lost, or none could be opened in the first place."""
    reason: str
    """What happened and what to do, for a person."""


LineReport = LineOpened | Outage


class Reconnector:
    """Owns the port's open line. Everything happens on the event loop that runs `run`."""

    def __init__(
        self,
        port: Port,
        on_report: Callable[[LineReport], None],
        on_bytes: OnBytes,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._port = port
        self._on_report = on_report
        self._on_bytes = on_bytes
        self._sleep = sleep
        self._clock = clock
        self._state = LineState.STOPPED
        self._line: Transport | None = None
        self._outage_since: float | None = None

    @property
    def state(self) -> LineState:
        return self._state

    def write(self, data: bytes) -> None:
        """Send `data` if the line is open; otherwise drop it: the link starts a new session when the shoe is back."""
        if self._line is not None:
            self._line.write(data)

    async def run(self) -> NoReturn:
        """Keep the line open until cancelled.

        An error raised by `on_bytes` or `on_report` is a bug of our own, not a fault of the line: it ends `run`.
        """
        if self._state is not LineState.STOPPED:
            raise RuntimeError(f"{self._port.name} is already being kept open: call `run` once")
        self._state = LineState.LOOKING
        self._outage_since = None
        delays = self._port.retry_delays()
        try:
            while True:
                held = await self._open_and_hold()
                if held >= STEADY_SECONDS:
                    delays = self._port.retry_delays()
                await self._sleep(next(delays))
        finally:
            self._state = LineState.STOPPED

    async def _open_and_hold(self) -> float:
        """Try once to open the port and stay until the line ends; return how many seconds it held."""
        ended: asyncio.Future[TransportError] = asyncio.get_running_loop().create_future()

        def received(data: bytes) -> float | None:
            if not ended.done():
                try:
                    return self._on_bytes(data)
                except Exception as error:  # noqa: BLE001 - raised again where the end is awaited
                    ended.set_exception(error)
            return None

        def lost(error: TransportError) -> None:
            if not ended.done():
                ended.set_result(error)

        try:
            line = await self._port.open(received, lost)
        except TransportError as error:
            self._report_outage(error, was_open=False)
            return 0.0
        opened_at = self._clock()
        try:
            self._line = line
            self._state = LineState.OPEN
            self._report_opened(opened_at)
            reason = await ended
        finally:
            self._line = None
            self._state = LineState.LOOKING
            await line.close()
        self._report_outage(reason, was_open=True)
        return self._clock() - opened_at

    def _report_opened(self, now: float) -> None:
        outage = None if self._outage_since is None else now - self._outage_since
        self._outage_since = None
        self._on_report(LineOpened(self._port.name, outage))

    def _report_outage(self, error: TransportError, *, was_open: bool) -> None:
        if self._outage_since is None:
            self._outage_since = self._clock()
            self._on_report(Outage(self._port.name, was_open, str(error)))
