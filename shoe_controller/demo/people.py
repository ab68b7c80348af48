"""The people around one table, acting over MQTT as their terminals would: players, dealers, and scripted supervisors.

Timing is here; the decisions are in `players.py`, `supervisor.py` and `irregular_scripts.py`. Requests go out without
asking for an answer; whether they took effect shows in what the table then publishes.
"""

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.demo.event_lines import BAD, GOOD, StyledText
from shoe_controller.demo.folder import DEALER, SUPERVISOR
from shoe_controller.demo.irregular_scripts import SCRIPTS, Draws, Scene, Step, can_begin, finish_by_hand
from shoe_controller.demo.players import cards_shown, stakes_of_counter, stakes_of_seat
from shoe_controller.demo.strategies import PublishedCount
from shoe_controller.demo.supervisor import AtTheShoe, ScriptedAct, approval, dealer, next_act
from shoe_controller.messages.facts import BettingOpened, PersonActed
from shoe_controller.messages.requests import ActRequest, RequestRole, Stake, WagersRequest
from shoe_controller.messages.retained import InfoMessage

FIRST_BET, LAST_BET = 1.0, 6.0
"""Seconds at a person's pace from the opening of the wagers; the first card comes after a dozen at the earliest."""
REACTION = 5.0
"""Seconds at a person's pace until the supervisor is there."""
NEXT_STEP = 2.0
"""Seconds at a person's pace between two steps of a script."""
LAYS_CARDS = frozenset({"assign_cards", "discard_card"})
"""Acts after which the shoe takes the round for another one than lies on the table."""
USER = "demo"
"""The broker of the demonstration has no users; requests name one all the same."""
ASK_AGAIN = 1.0
"""Seconds until people try again, if nothing happened."""
PATIENCE = 30.0
"""Seconds after which a step of a script should have had its effect, also on a slow machine with much to do."""


class _Asked(NamedTuple):
    """An irregularity that is to happen."""

    name: str
    began: Callable[[int], None]
    """Called with the number of the last event before it."""
    ended: Callable[[bool], None]
    """Called with whether it was put right."""


Publish = Callable[[str, bytes], None]
Press = Callable[[str], None]


class People:
    def __init__(  # noqa: PLR0913 - what people see and where they act, each given by name
        self,
        *,
        scene: Scene,
        publish: Publish,
        press: Press,
        let_dealer: Callable[..., None],
        say: Callable[[StyledText], None],
        pins: dict[str, str],
        speed: float,
        generator: random.Random,
        counting: PublishedCount | None = None,
    ) -> None:
        """`counting` is what the last seat goes by."""
        self._scene = scene
        self._watch = scene.watch
        self._truth = scene.truth
        self._publish = publish
        self._press = press
        self._let_dealer = let_dealer
        self._say = say
        self._pins = pins
        self._tokens = {person: generator.randbytes(16).hex() for person in pins}
        self._speed = speed
        self._random = generator
        self._counting = counting
        self._ids = count(1)
        self._stirred = asyncio.Event()
        self._bets: list[asyncio.TimerHandle] = []
        self._asked: _Asked | None = None
        self.dealer_waits = False
        """Whether the dealer has stopped dealing, for what people put right."""
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
            stakes = self._stakes(info, seat, fact.shoe)
            pause = self._random.uniform(FIRST_BET, LAST_BET) / self._speed
            if stakes:
                request = WagersRequest(
                    request_id=self._next_id(), shoe=fact.shoe, round=fact.round, seat=seat, stakes=stakes
                )
                self._bets.append(asyncio.get_running_loop().call_later(pause, self._place, request))

    def _stakes(self, info: InfoMessage, seat: str, shoe: int) -> tuple[Stake, ...]:
        if self._counting is not None and seat == info.rules.seats[-1]:
            return stakes_of_counter(info, self._counting, cards_shown(self._watch.facts, shoe))
        return stakes_of_seat(info, self._random)

    def _place(self, request: WagersRequest) -> None:
        self._ask(RequestRole.WAGERS, "place", request)

    # --- the supervisors ---------------------------------------------------------------------------------------------

    async def supervise(self) -> None:
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            scripted = self._next_act()
            if isinstance(scripted, ScriptedAct) and scripted.act in LAYS_CARDS:
                await self._finish_round()
            elif scripted is not None:
                await self._pause(REACTION)
                await self._put_right()
            elif self._asked is not None and can_begin(self._asked.name, self._scene):
                await self._play(self._asked)

    async def _finish_round(self) -> None:
        """Put the cards where the rules put them, and deal the round to its end by hand, before the dealer goes on."""
        with self._dealer_stopped():
            await self._pause(REACTION)
            scripted = self._next_act()
            if isinstance(scripted, ScriptedAct) and scripted.act in LAYS_CARDS:
                with suppress(TimeoutError):
                    await self._take_steps(finish_by_hand(self._scene, scripted))

    async def _put_right(self) -> None:
        """One act after another, as long as there is something to do."""
        while (scripted := self._next_act()) is not None:
            self._do(scripted)
            try:
                await self._until(lambda: self._next_act() != scripted, ASK_AGAIN)
            except TimeoutError:
                if isinstance(scripted, ScriptedAct) and scripted.role is RequestRole.DEALER:
                    self._sign_in_again()

    def _next_act(self) -> ScriptedAct | AtTheShoe | None:
        state = self._watch.state
        return None if state is None else next_act(state, self._truth, reads_ids=self._scene.reads_ids)

    def _sign_in_again(self) -> None:
        """Somebody at the console may have signed in as the dealer: then the token of the script is not valid."""
        self._do(dealer("sign_in", by=self._scene.state.dealer or DEALER))

    # --- what people get wrong, and put right ------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether an irregularity was asked for, and is not over yet."""
        return self._asked is not None

    def ask_for(self, name: str, began: Callable[[int], None], ended: Callable[[bool], None]) -> None:
        """Let an irregularity happen, as soon as it can; `began` and `ended` as in `_Asked`."""
        self._asked = _Asked(name, began, ended)
        self.stir()

    async def _play(self, asked: _Asked) -> None:
        with self._dealer_stopped():
            called, before = self._truth.supervisor_called, self._watch.last_seq
            self._do(AtTheShoe.CALL_SUPERVISOR)
            # The keys of the emulator's console are taken in order: then the dealer has stopped as well.
            await self._until(lambda: self._truth.supervisor_called > called)
            await self._pause(LAST_BET)
            if can_begin(asked.name, self._scene):
                asked.began(before)
                await self._carry_out(asked)
                self._asked = None

    @contextmanager
    def _dealer_stopped(self) -> Iterator[None]:
        self.dealer_waits = True
        self._let_dealer(deal=False)
        try:
            yield
        finally:
            self.dealer_waits = False
            self._let_dealer(deal=True)
            self.stir()

    async def _carry_out(self, asked: _Asked) -> None:
        put_right = False
        with suppress(TimeoutError):
            await self._take_steps(SCRIPTS[asked.name](self._scene))
            put_right = True
        self._say(
            StyledText(f"{asked.name}: {'put right' if put_right else 'NOT PUT RIGHT'}", GOOD if put_right else BAD)
        )
        asked.ended(put_right)

    async def _take_steps(self, steps: Iterator[Step]) -> None:
        for step in steps:
            await self._take_step(step)

    async def _take_step(self, step: Step) -> None:
        if isinstance(step, PlacedWager):
            wager = self._wager(step)
            await self._request(RequestRole.WAGERS, "place", wager, lambda: step in self._scene.state.wagers)
        elif isinstance(step, ScriptedAct):
            await self._pause(NEXT_STEP)
            before = self._watch.last_seq
            act = self._act(step)
            await self._request(step.role, step.act, act, lambda: self._has_acted(step.act, before))
        elif isinstance(step, AtTheShoe):
            await self._pause(NEXT_STEP)
            self._do(step)
        elif isinstance(step, Draws):
            await self._pause(NEXT_STEP)
            self._press(AtTheShoe.DRAW.value * step.cards)
        else:
            await self._until(step)

    def _has_acted(self, act: str, after: int) -> bool:
        """Whether it is on the record, and in the state of the table."""
        until = self._scene.state.seq
        acted = (fact for fact in self._watch.facts if isinstance(fact, PersonActed) and after < fact.seq <= until)
        return any(fact.act.__struct_config__.tag == act for fact in acted)

    async def _request(
        self, role: RequestRole, name: str, request: WagersRequest | ActRequest, is_done: Callable[[], bool]
    ) -> None:
        """Send a request until it has had its effect: the same one, which the table does once."""
        async with asyncio.timeout(PATIENCE):
            self._ask(role, name, request)
            while not is_done():
                proposed = approval(self._scene.state)
                if proposed is not None:
                    await self._pause(REACTION)
                    self._do(proposed)
                try:
                    await self._until(lambda: is_done() or approval(self._scene.state) != proposed, ASK_AGAIN)  # noqa: B023 - waited for at once
                except TimeoutError:
                    if role is RequestRole.DEALER:
                        self._sign_in_again()
                    self._ask(role, name, request)

    async def _until(self, condition: Callable[[], bool], patience: float = PATIENCE) -> None:
        async with asyncio.timeout(patience):
            while not condition():
                self._stirred.clear()
                await self._stirred.wait()

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._speed)

    # --- requests ----------------------------------------------------------------------------------------------------

    def _do(self, scripted: ScriptedAct | AtTheShoe) -> None:
        if isinstance(scripted, AtTheShoe):
            self._press(scripted.value)
            if scripted.words:
                self._say(StyledText(scripted.words, GOOD))
        else:
            self._ask(scripted.role, scripted.act, self._act(scripted))

    def _act(self, scripted: ScriptedAct) -> ActRequest:
        state = self._scene.state
        is_supervisor = scripted.role is RequestRole.SUPERVISOR
        person = scripted.person or (SUPERVISOR if is_supervisor else state.dealer or DEALER)
        return ActRequest(
            request_id=self._next_id(),
            shoe=state.shoe,
            round=state.round,
            person=person,
            pin=self._pins[person] if is_supervisor or scripted.act == "sign_in" else None,
            token=None if is_supervisor else self._tokens[person],
            reason=scripted.reason,
            details=scripted.details,
        )

    def _wager(self, wager: PlacedWager) -> WagersRequest:
        state = self._scene.state
        stakes = (Stake(wager.wager, wager.stake),)
        return WagersRequest(
            request_id=self._next_id(), shoe=state.shoe, round=state.round, seat=wager.seat, stakes=stakes
        )

    def _ask(self, role: RequestRole, name: str, request: WagersRequest | ActRequest) -> None:
        self.requests += 1
        self._publish(self._watch.topics.request(role, USER, name), msgspec.json.encode(request))

    def _next_id(self) -> str:
        return f"demo-{next(self._ids)}"
