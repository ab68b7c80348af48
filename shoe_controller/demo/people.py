"""The people around one table, acting over MQTT as their terminals would: players, and the scripted supervisor.

Timing is here; the decisions are in `players.py` and `supervisor.py`. Requests go out without asking for an
answer; whether they took effect shows in what the table then publishes.
"""

import asyncio
import random
from collections.abc import Callable
from itertools import count

import msgspec

from shoe_controller.demo.display import TableWatch
from shoe_controller.demo.event_lines import GOOD, StyledText
from shoe_controller.demo.folder import SUPERVISOR
from shoe_controller.demo.players import stakes_of_seat
from shoe_controller.demo.supervisor import AtTheShoe, ScriptedAct, next_act
from shoe_controller.demo.truth import Truth
from shoe_controller.messages.facts import BettingOpened
from shoe_controller.messages.requests import ActRequest, RequestRole, WagersRequest

FIRST_BET, LAST_BET = 1.0, 6.0
"""Seconds at a person's pace from the opening of the wagers; the first card comes after a dozen at the earliest."""
REACTION = 5.0
"""Seconds at a person's pace until the supervisor is there."""
USER = "demo"
"""The broker of the demonstration has no users; requests name one all the same."""
ASK_AGAIN = 1.0
"""Seconds until the supervisor tries again, if nothing happened."""

Publish = Callable[[str, bytes], None]
Press = Callable[[str], None]


class People:
    def __init__(  # noqa: PLR0913 - what people see and where they act, each given by name
        self,
        *,
        watch: TableWatch,
        truth: Truth,
        publish: Publish,
        press: Press,
        say: Callable[[StyledText], None],
        pin: str,
        speed: float,
        generator: random.Random,
    ) -> None:
        self._watch = watch
        self._truth = truth
        self._publish = publish
        self._press = press
        self._say = say
        self._pin = pin
        self._speed = speed
        self._random = generator
        self._ids = count(1)
        self._stirred = asyncio.Event()
        self._bets: list[asyncio.TimerHandle] = []
        self.requests = 0

    def stir(self) -> None:
        """Something has changed at the table or at the shoe."""
        self._stirred.set()

    def leave(self) -> None:
        for bet in self._bets:
            bet.cancel()

    # --- players -----------------------------------------------------------------------------------------------------

    def betting_opened(self, fact: BettingOpened) -> None:
        """Every seat thinks for a moment, then stakes; what comes too late the table refuses."""
        info = self._watch.info
        self._bets = []
        if info is None:
            return
        for seat in info.rules.seats:
            stakes = stakes_of_seat(info, self._random)
            pause = self._random.uniform(FIRST_BET, LAST_BET) / self._speed
            if stakes:
                request = WagersRequest(
                    request_id=self._next_id(), shoe=fact.shoe, round=fact.round, seat=seat, stakes=stakes
                )
                self._bets.append(asyncio.get_running_loop().call_later(pause, self._place, request))

    def _place(self, request: WagersRequest) -> None:
        self._ask(RequestRole.WAGERS, "place", request)

    # --- the supervisor ----------------------------------------------------------------------------------------------

    async def supervise(self) -> None:
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            if self._next_act() is not None:
                await asyncio.sleep(REACTION / self._speed)
                await self._put_right()

    async def _put_right(self) -> None:
        """One act after another, as long as there is something to do."""
        while (scripted := self._next_act()) is not None:
            self._stirred.clear()
            if isinstance(scripted, AtTheShoe):
                self._press(scripted.value)
                self._say(StyledText("dealer: ends the round at the shoe", GOOD))
            else:
                self._act(scripted)
            try:
                async with asyncio.timeout(ASK_AGAIN):
                    while self._next_act() == scripted:
                        self._stirred.clear()
                        await self._stirred.wait()
            except TimeoutError:
                continue

    def _next_act(self) -> ScriptedAct | AtTheShoe | None:
        state = self._watch.state
        return None if state is None else next_act(state, self._truth)

    def _act(self, scripted: ScriptedAct) -> None:
        state = self._watch.state
        if state is None:
            return
        is_supervisor = scripted.role is RequestRole.SUPERVISOR
        request = ActRequest(
            request_id=self._next_id(),
            shoe=state.shoe,
            round=state.round,
            person=SUPERVISOR if is_supervisor else "dealer",
            pin=self._pin if is_supervisor else None,
            reason=scripted.reason,
            details=scripted.details,
        )
        self._ask(scripted.role, scripted.act, request)

    def _ask(self, role: RequestRole, name: str, request: WagersRequest | ActRequest) -> None:
        self.requests += 1
        self._publish(self._watch.topics.request(role, USER, name), msgspec.json.encode(request))

    def _next_id(self) -> str:
        return f"demo-{next(self._ids)}"
