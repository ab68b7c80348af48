"""People at a table under torture: players who bet in every round, and a supervisor who looks after every alert.

They know what a display shows and nothing else, and go on through every outage, as people do.
"""

import asyncio
import itertools
from typing import Any

import msgspec

from shoe_controller.messages.alerts import AlertMessage, Severity
from shoe_controller.messages.requests import Answer
from shoe_controller.messages.retained import TableView
from shoe_controller.table.alerts import ALERTS
from tests.daemon.clients import Display, Terminal

LEAST = 100
"""The least stake; each request adds one to it, so that no two ask for the same."""

REPEATED = 9
"""The newest requests, of three rounds or so, which are sent once more after something went wrong."""

ANSWER_WITHIN = 3.0
"""Seconds after which somebody who got no answer looks at the table again."""


class Request(msgspec.Struct):
    body: dict[str, Any]
    stake: int
    sent: list[bytes]
    """What the answer to each sending carries."""


class Players:
    """Each of these seats bets once in a round, a sum that was never bet before."""

    def __init__(self, terminal: Terminal, display: Display, seats: tuple[str, ...]) -> None:
        self.requests: list[Request] = []
        self.repeats = 0
        self._terminal = terminal
        self._display = display
        self._seats = seats
        self._stakes = itertools.count(LEAST)
        self._last = (0, 0)
        """The shoe and round that was bet on last."""

    async def play(self) -> None:
        """Bet until cancelled."""
        while True:
            await self._display.until(lambda: self._round() not in (None, self._last), within=3600)
            self._last = self._round() or self._last
            for seat in self._seats:
                self._bet(seat, self._last)
            self._display.noticed()

    async def have_bet(self, within: float) -> None:
        """Wait until they have bet on the round that the display shows, if it takes wagers, and were answered."""
        await self._display.until(lambda: self._round() in (None, self._last), within, what="the players")
        await self.all_answered(within)

    def _round(self) -> tuple[int, int] | None:
        """The shoe and round that wagers are open for."""
        state = self._display.state
        if state is None or state.phase != "betting" or state.stopped or not state.link_up:
            return None
        return state.shoe, state.round

    def _bet(self, seat: str, where: tuple[int, int]) -> None:
        stake = next(self._stakes)
        body = {
            "request_id": f"bet-{stake}",
            "shoe": where[0],
            "round": where[1],
            "seat": seat,
            "stakes": [{"wager": "base.player", "stake": stake}],
        }
        self.requests.append(Request(body, stake, []))
        self._send(self.requests[-1])

    def _send(self, request: Request) -> None:
        request.sent.append(self._terminal.send("wagers", "place", request.body))

    def repeat(self) -> None:
        """Send the newest requests once more, word by word: nobody knows what became of those without an answer."""
        for request in self.requests[-REPEATED:]:
            self._send(request)
            self.repeats += 1

    async def all_answered(self, within: float) -> None:
        """Wait for the answer to what was sent last: answers come in order.

        As a terminal does, it sends that again after a while: what it sent before the table had subscribed reached
        nobody.
        """
        deadline = asyncio.get_running_loop().time() + within
        while not self._last_is_answered():
            assert asyncio.get_running_loop().time() < deadline, f"no answer within {within:g} s"
            try:
                async with asyncio.timeout(ANSWER_WITHIN):
                    await self._terminal.until(self._last_is_answered, within)
            except TimeoutError:
                self._send(self.requests[-1])

    def _last_is_answered(self) -> bool:
        return all(request.sent[-1] in self._terminal.answers for request in self.requests[-1:])

    def answers(self, request: Request) -> list[Answer]:
        return [self._terminal.answers[sent] for sent in request.sent if sent in self._terminal.answers]

    def fates(self) -> tuple[list[int], list[int]]:
        """The stakes of requests that were accepted, and of those that nobody answered.

        A repeat of an accepted request gets the first answer, so one answer that refuses means that it was not done.
        """
        accepted, unanswered = [], []
        for request in self.requests:
            answers = self.answers(request)
            said = {answer.status for answer in answers}
            assert len(said) <= 1, f"{request.body} got different answers: {answers}"
            if said == {"ok"}:
                accepted.append(request.stake)
            elif not said:
                unanswered.append(request.stake)
        return accepted, unanswered


class Supervisor:
    """Ends every alert that stops the table: clears what may be cleared, and voids the round where that is all one can.

    Kinds in `voids` are about a round that nobody can finish, and are ended by voiding it although they may be cleared.
    """

    def __init__(self, terminal: Terminal, display: Display, voids: frozenset[str] = frozenset()) -> None:
        self.acts: list[tuple[str, str]] = []
        """The alerts, and what was done about each."""
        self.is_away = False
        self.terminal = terminal
        self._display = display
        self._voids = voids

    async def work(self) -> None:
        """Look after the table until cancelled."""
        while True:
            await self._display.until(lambda: self._next_act() is not None, within=3600)
            act = self._next_act()
            if act is not None:
                await self._do(*act)

    def comes_back(self) -> None:
        self.is_away = False
        self._display.noticed()

    def _next_act(self) -> tuple[AlertMessage, str] | None:
        state, status = self._display.state, self._display.status
        if self.is_away or state is None or status is None or not status.online or not status.storing:
            return None
        for alert in state.alerts:
            act = self._act_for(alert, state)
            if act is not None:
                return alert, act
        return None

    def _act_for(self, alert: AlertMessage, state: TableView) -> str | None:
        kind = ALERTS[alert.kind]
        heals = bool(kind.ends_itself)
        if kind.severity is not Severity.STOPS or (heals and alert.kind not in self._voids) or not state.link_up:
            return None
        if any(act.act == "void_round" for act in state.acts) and (
            alert.kind in self._voids or alert.cleared_by == "nobody"
        ):
            return "void_round"
        return None if alert.cleared_by == "nobody" else "clear_alert"

    async def _do(self, alert: AlertMessage, act: str) -> None:
        details: dict[str, Any] = {"alert": alert.number} if act == "clear_alert" else {}
        seq = self._seq()
        try:
            answer = await self.terminal.supervisor(act, within=ANSWER_WITHIN, **details)
            self.acts.append((alert.kind, f"{act}: {answer.code}"))
            # Done or refused because somebody was faster: the display shows it in a moment.
            await self._display.until(lambda: self._seq() != seq, ANSWER_WITHIN)
        except AssertionError:
            # No answer, or nothing changed: the controller or the broker may be away. The next look at the table tells.
            return

    def _seq(self) -> int:
        return 0 if self._display.state is None else self._display.state.seq
