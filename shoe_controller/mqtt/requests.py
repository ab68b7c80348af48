"""Requests that come over MQTT: each is decoded strictly, handed to the table, and answered.

A request names the shoe and the round that it means; the table refuses what is late, and knows a repeat by its
`request_id`. PINs are checked here, slowly and one at a time, and nowhere else; they go no further than this file.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Protocol, TypeVar

import msgspec

from shoe_controller.messages.acts import Act, AnyAct, Role, rule_of
from shoe_controller.messages.refusals import (
    AnyRefusal,
    BadRequest,
    Busy,
    Failed,
    JournalFull,
    NoResponseTopic,
    PinIsWrong,
    PinMissing,
    Retained,
    UnknownRequest,
)
from shoe_controller.messages.requests import (
    ActRequest,
    Answer,
    ReplayDone,
    ReplayRequest,
    RequestRole,
    WagersRequest,
    acts_of,
    refused,
)
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets

MOST_PIN_CHECKS = 20
"""PIN checks that may wait; more are answered as busy, so that a flood costs nothing but its own answers."""

LONGEST_ID = 80
LONGEST_PERSON = 40
LONGEST_REASON = 500
MOST_STAKES = 100
"""Wagers in one request; a layout has fewer."""
PASSING = (Busy, JournalFull)
"""Refusals that pass: the same request is judged again when it is repeated."""
MOST_REMEMBERED = 1000
MOST_REPLAYED = 2000
MOST_REPLAYS = 10
"""Replays that may wait for their turn; more are answered as busy."""

T = TypeVar("T")

_ROLES = {role.value: role for role in RequestRole}
_decode_wagers = msgspec.json.Decoder(WagersRequest).decode
_decode_act = msgspec.json.Decoder(ActRequest).decode
_decode_replay = msgspec.json.Decoder(ReplayRequest).decode
encode_answer = msgspec.json.Encoder().encode


class PinOffice(Protocol):
    async def verdict(self, person: str, pin: str, role: Role) -> PinVerdict | None:
        """Whether this is the person's PIN; slow on purpose. `None` where nobody of that name may act in that role."""


class TableDesk(Protocol):
    """What requests need of the controller."""

    async def ask(self, given: PersonActs | SeatBets) -> AnyRefusal | None: ...

    def locked_out(self, person: str) -> bool:
        """Whether the person's PIN is not to be looked at now."""


class Replayer(Protocol):
    async def replay(self, after: int, limit: int, reply_to: str, correlation: bytes | None) -> ReplayDone:
        """Send events again to a topic."""


class RequestRefusedError(ValueError):
    """A request that is refused before it reaches the table."""

    def __init__(self, refusal: AnyRefusal, request_id: str = "") -> None:
        super().__init__(refusal.code)
        self.refusal = refusal
        self.request_id = request_id


class RequestDesk:
    def __init__(
        self,
        topics: Topics,
        table: TableDesk,
        pins: PinOffice,
        replayer: Replayer,
    ) -> None:
        self._topics = topics
        self._table = table
        self._pins = pins
        self._replayer = replayer
        self._pin_turn = asyncio.Lock()
        self._pins_waiting = 0
        self._replay_turn = asyncio.Lock()
        self._replays_waiting = 0
        self._given: dict[str, asyncio.Task[Answer]] = {}
        """Answers by request, the oldest first: a repeat gets the first answer."""
        self.on_failure: Callable[[Exception], object] = lambda _: None
        """Told of errors of our own, which must not reach whoever caused them."""

    async def answer(self, message: Incoming) -> Answer | None:
        """Do what is asked. `None` where nobody may be answered, and then nothing was done either."""
        if message.response_topic is not None and not self._topics.is_reply(message.response_topic):
            return None
        try:
            return await self._answer(message)
        except RequestRefusedError as error:
            return refused(error.refusal, error.request_id)
        except Exception as error:  # noqa: BLE001 - whatever is asked, it must not end the daemon
            self.on_failure(error)
            return refused(Failed())

    async def _once(self, whole_id: str, serve: Coroutine[None, None, Answer]) -> Answer:
        """Serve a request, unless the same one was served before."""
        known = self._given.get(whole_id)
        if known is not None:
            serve.close()
        else:
            known = self._given[whole_id] = asyncio.create_task(serve)
            known.add_done_callback(lambda task: self._forget_if_passing(whole_id, task))
            while len(self._given) > MOST_REMEMBERED:
                del self._given[next(iter(self._given))]
        return await asyncio.shield(known)

    def _forget_if_passing(self, whole_id: str, task: "asyncio.Task[Answer]") -> None:
        """What was refused for a reason that passes is tried again when it is asked again."""
        failed = task.cancelled() or task.exception() is not None
        if failed or isinstance(task.result().refusal, PASSING):
            self._given.pop(whole_id, None)

    async def _answer(self, message: Incoming) -> Answer:
        named = self._topics.request(message.topic)
        role = None if named is None else _ROLES.get(named[0])
        if named is None or role is None:
            raise RequestRefusedError(UnknownRequest())
        name = named[1]
        if message.retain:
            raise RequestRefusedError(Retained())
        match role:
            case RequestRole.WAGERS if name == "place":
                wagers = _decoded(_decode_wagers, message.payload)
                whole_id = self._whole_id(message, role.value, wagers.request_id)
                return await self._once(whole_id, self._wagers(wagers, whole_id))
            case RequestRole.DISPLAY if name == "replay":
                return await self._replay(_decoded(_decode_replay, message.payload), message)
            case RequestRole.DEALER | RequestRole.SUPERVISOR if name in acts_of(role):
                request = _decoded(_decode_act, message.payload)
                whole_id = self._whole_id(message, role.value, request.request_id)
                return await self._once(whole_id, self._act(request, role, acts_of(role)[name], whole_id))
        raise RequestRefusedError(UnknownRequest())

    async def _wagers(self, request: WagersRequest, whole_id: str) -> Answer:
        if not 1 <= len(request.stakes) <= MOST_STAKES:
            text = f"stakes must name 1 to {MOST_STAKES} wagers"
            raise RequestRefusedError(BadRequest(text=text), request.request_id)
        refusal = await self._table.ask(
            SeatBets(
                seat=request.seat,
                stakes=request.stakes,
                shoe=request.shoe,
                round=request.round,
                request_id=whole_id,
            )
        )
        return _answer_to(refusal, request.request_id)

    async def _act(self, request: ActRequest, role: RequestRole, act: type[Act], whole_id: str) -> Answer:
        if len(request.reason) > LONGEST_REASON:
            text = f"the reason has more than {LONGEST_REASON} characters"
            raise RequestRefusedError(BadRequest(text=text), request.request_id)
        if len(request.person) > LONGEST_PERSON:
            raise RequestRefusedError(BadRequest(text="the person's id is too long"), request.request_id)
        made = _act_from(act, request)
        as_role = Role.SUPERVISOR if role is RequestRole.SUPERVISOR else Role.DEALER
        verdict = PinVerdict.NOT_GIVEN
        if as_role is Role.SUPERVISOR or rule_of(made).pin:
            verdict = await self._verdict(request, as_role)
        refusal = await self._table.ask(
            PersonActs(
                act=made,
                person=request.person or as_role.value,
                role=as_role,
                pin=verdict,
                reason=request.reason,
                shoe=request.shoe,
                round=request.round,
                request_id=whole_id,
            )
        )
        return _answer_to(refusal, request.request_id)

    def _whole_id(self, message: Incoming, role: str, request_id: str) -> str:
        """Two terminals may choose the same id; the client in the reply topic tells them apart."""
        _check_id(request_id)
        return f"{role} {self._topics.client_of(message.response_topic)} {request_id}"

    async def _verdict(self, request: ActRequest, role: Role) -> PinVerdict:
        """A person who is unknown, or has not that role, is told no more than one with a wrong PIN."""
        if request.pin is None:
            raise RequestRefusedError(PinMissing(), request.request_id)
        if self._table.locked_out(request.person):
            # The table refuses it whatever the PIN is; guessing must not even cost the time to look.
            return PinVerdict.WRONG
        if self._pins_waiting >= MOST_PIN_CHECKS:
            raise RequestRefusedError(Busy(), request.request_id)
        self._pins_waiting += 1
        try:
            async with self._pin_turn:
                verdict = await self._pins.verdict(request.person, request.pin, role)
        finally:
            self._pins_waiting -= 1
        if verdict is None:
            # Not put on the record: anybody could fill it with names.
            raise RequestRefusedError(PinIsWrong(), request.request_id)
        return verdict

    async def _replay(self, request: ReplayRequest, message: Incoming) -> Answer:
        _check_id(request.request_id)
        if message.response_topic is None:
            raise RequestRefusedError(NoResponseTopic(), request.request_id)
        if request.after < 0 or not 1 <= request.limit <= MOST_REPLAYED:
            text = f"after must be 0 or more, and limit from 1 to {MOST_REPLAYED}"
            raise RequestRefusedError(BadRequest(text=text), request.request_id)
        if self._replays_waiting >= MOST_REPLAYS:
            raise RequestRefusedError(Busy(), request.request_id)
        self._replays_waiting += 1
        try:
            async with self._replay_turn:
                done = await self._replayer.replay(
                    request.after, request.limit, message.response_topic, message.correlation
                )
        finally:
            self._replays_waiting -= 1
        return Answer(status="ok", request_id=request.request_id, data=done)


def _decoded(decode: Callable[[bytes], T], payload: bytes) -> T:
    try:
        return decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestRefusedError(BadRequest(text=str(error))) from None


def _check_id(request_id: str) -> None:
    if not 0 < len(request_id) <= LONGEST_ID:
        raise RequestRefusedError(BadRequest(text=f"request_id must have 1 to {LONGEST_ID} characters"))


def _act_from(act: type[Act], request: ActRequest) -> AnyAct:
    unknown = set(request.details) - {field.name for field in msgspec.structs.fields(act)}
    if unknown:
        raise RequestRefusedError(BadRequest(text=f"details: unknown {', '.join(sorted(unknown))}"), request.request_id)
    tag = act.__struct_config__.tag
    try:
        made: AnyAct = msgspec.convert({**request.details, "act": tag}, AnyAct)
    except msgspec.ValidationError as error:
        raise RequestRefusedError(BadRequest(text=f"details: {error}"), request.request_id) from None
    return made


def _answer_to(refusal: AnyRefusal | None, request_id: str) -> Answer:
    return Answer(status="ok", request_id=request_id) if refusal is None else refused(refusal, request_id)
