"""Requests that come over MQTT: each is decoded strictly, handed to the table, and answered.

The topic names the broker's user, for whom the broker vouches. A request names the shoe and the round that it means;
the table refuses what is late, and knows a repeat by its `request_id` and its contents. PINs are checked slowly and one
at a time; they go no further than the pin office. Of a dealer's token only a digest goes any further.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from hashlib import blake2s
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from shoe_controller.baccarat.wager_refusals import UnknownSeat
from shoe_controller.messages.acts import Act, AnyAct, Role, rule_of
from shoe_controller.messages.refusals import (
    AnyRefusal,
    BadRequest,
    Busy,
    Failed,
    JournalFull,
    LockedOut,
    NoResponseTopic,
    OtherContents,
    OtherSeat,
    PinMissing,
    Retained,
    UnknownRequest,
    WagerNamedTwice,
)
from shoe_controller.messages.requests import (
    CHECKPOINTS,
    PLACE,
    REPLAY,
    ActRequest,
    Answer,
    CheckpointsRequest,
    ReplayDone,
    ReplayRequest,
    RequestId,
    RequestRole,
    SeatWagers,
    SentCheckpoints,
    Stake,
    WagersRequest,
    acts_of,
    refused,
)
from shoe_controller.messages.topics import RequestTopic, Topics
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets

MOST_PIN_CHECKS = 20
"""PIN checks that may wait; more are answered as busy, so that a flood costs nothing but its own answers."""

SLOWED_BY = 0.5
"""Seconds that each PIN check waits while PINs are being guessed, at whatever terminals."""

NOT_REMEMBERED = (Busy, JournalFull, OtherContents)
"""Refusals after which a request with the same id is judged anew: they pass, or the id belongs to another request."""
MOST_REMEMBERED = 1000
MOST_REPLAYS = 10
"""Replays that may be under way at once; more are answered as busy."""

LONGEST_CORRELATION = 128
"""Bytes of correlation data: they go out with every event of a replay."""

DIGEST_BYTES = 8
TOKEN_DIGEST_BYTES = 32

Send = Callable[[bytes], "asyncio.Future[None]"]
"""Publishes to the reply topic of the client that asked; done when the broker has confirmed it."""

T = TypeVar("T")

_ROLES = {role.value: role for role in RequestRole}
_decode_wagers = msgspec.json.Decoder(WagersRequest).decode
_decode_act = msgspec.json.Decoder(ActRequest).decode
_decode_replay = msgspec.json.Decoder(ReplayRequest).decode
_decode_checkpoints = msgspec.json.Decoder(CheckpointsRequest).decode
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode
encode_answer = msgspec.json.Encoder().encode


class PinOffice(Protocol):
    def recorded_as(self, person: str) -> str:
        """The id of a person, or what goes on the record instead of an id that no person has."""

    async def verdict(self, person: str, pin: str, role: Role) -> PinVerdict:
        """Whether this is the PIN of a person who may act in that role; slow on purpose, whoever it is."""


class TableDesk(Protocol):
    """What requests need of the controller."""

    async def ask(self, given: PersonActs | SeatBets) -> AnyRefusal | None: ...

    def pin_pause(self, user: str, person: str) -> int:
        """Seconds for which the person is still locked out at the terminal of this user; 0 if not at all."""

    def pins_guessed(self) -> bool:
        """Whether so many wrong PINs came lately that each check is to be slowed down."""

    def seat_wagers(self, seat: str) -> SeatWagers | None:
        """The wagers of a seat as they stand; `None` while there is no round."""


class Replayer(Protocol):
    async def replay(self, request: ReplayRequest, send: Send) -> ReplayDone:
        """Send events again; `RequestRefusedError` where they are not there."""

    def checkpoints(self, after: int, limit: int) -> SentCheckpoints:
        """The checkpoints of the journal that follow the one with this index."""


class RequestRefusedError(ValueError):
    """A request that is refused before it reaches the table."""

    def __init__(self, refusal: AnyRefusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


class _Identity(NamedTuple):
    """Identifies a request, so that a repeat is recognised."""

    whole_id: str
    """Two users may choose the same id."""
    contents: str
    """A digest of the request's contents without the PIN."""


class _Served(NamedTuple):
    contents: str
    answer: "asyncio.Task[Answer]"


class RequestDesk:
    def __init__(  # noqa: PLR0913 - the parts of a desk
        self,
        topics: Topics,
        table: TableDesk,
        pins: PinOffice,
        replayer: Replayer,
        seat_users: Mapping[str, str],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`seat_users` are users of the broker that may bet for one seat alone, each with that seat."""
        self._sleep = sleep
        self._topics = topics
        self._table = table
        self._pins = pins
        self._replayer = replayer
        self._seat_users = seat_users
        self._pin_turn = asyncio.Lock()
        self._pins_waiting = 0
        self._replays = 0
        self._served: dict[str, _Served] = {}
        """By the request's whole id, the oldest first: a repeat gets the first answer."""
        self.on_failure: Callable[[Exception], object] = lambda _: None
        """Called with errors of our own, which must not reach the client that caused them."""

    async def answer(self, message: Incoming, send: Send) -> Answer | None:
        """Serve a request; a replay goes out by `send`. `None` where no answer may be sent: nothing was done either."""
        sender = self._topics.read_request(message.topic)
        reply_to = message.response_topic
        if sender is None or (reply_to is not None and not self._topics.is_reply(reply_to, sender.user)):
            return None
        try:
            return await self._answer(sender, message, send)
        except RequestRefusedError as error:
            return refused(error.refusal, request_id_in(message.payload))
        except Exception as error:  # noqa: BLE001 - no request may end the daemon
            self.on_failure(error)
            return refused(Failed(), request_id_in(message.payload))

    async def _answer(self, sender: RequestTopic, message: Incoming, send: Send) -> Answer:
        role = _ROLES.get(sender.role)
        if role is None:
            raise RequestRefusedError(UnknownRequest())
        if message.correlation is not None and len(message.correlation) > LONGEST_CORRELATION:
            size = len(message.correlation)
            raise RequestRefusedError(
                BadRequest(text=f"correlation data of {size} bytes; at most {LONGEST_CORRELATION} are allowed")
            )
        if message.retain:
            raise RequestRefusedError(Retained())
        match role:
            case RequestRole.WAGERS if sender.name == PLACE:
                return await self._place(_decoded(_decode_wagers, message.payload), sender)
            case RequestRole.DISPLAY if sender.name == REPLAY:
                return await self._replay(_decoded(_decode_replay, message.payload), message, send)
            case RequestRole.WITNESS if sender.name == CHECKPOINTS:
                # All that a witness can request: its answer has no place for anything but checkpoints.
                wanted = _decoded(_decode_checkpoints, message.payload)
                sent = self._replayer.checkpoints(wanted.after, wanted.limit)
                return Answer(status="ok", request_id=wanted.request_id, checkpoints=sent)
            case RequestRole.DEALER | RequestRole.SUPERVISOR if sender.name in acts_of(role):
                request = _decoded(_decode_act, message.payload)
                identity = _identity(sender, request.request_id, msgspec.structs.replace(request, pin=None))
                return await self._once(identity, self._act(request, role, sender, identity))
        raise RequestRefusedError(UnknownRequest())

    # --- repeats -----------------------------------------------------------------------------------------------------

    async def _once(self, identity: _Identity, serve: Coroutine[None, None, Answer]) -> Answer:
        """Serve a request, unless the same one was served before."""
        whole_id, contents = identity
        known = self._served.get(whole_id)
        if known is not None:
            serve.close()
            if known.contents != contents:
                raise RequestRefusedError(OtherContents())
        else:
            known = self._served[whole_id] = _Served(contents, asyncio.create_task(serve))
            known.answer.add_done_callback(lambda task: self._forget_if_judged_anew(whole_id, task))
            while len(self._served) > MOST_REMEMBERED:
                del self._served[next(iter(self._served))]
        return await asyncio.shield(known.answer)

    def _forget_if_judged_anew(self, whole_id: str, task: "asyncio.Task[Answer]") -> None:
        failed = task.cancelled() or task.exception() is not None
        if failed or isinstance(task.result().refusal, NOT_REMEMBERED):
            self._served.pop(whole_id, None)

    # --- wagers ------------------------------------------------------------------------------------------------------

    async def _place(self, request: WagersRequest, sender: RequestTopic) -> Answer:
        own_seat = self._seat_users.get(sender.user, request.seat)
        if request.seat != own_seat:
            raise RequestRefusedError(OtherSeat(seat=own_seat))
        identity = _identity(sender, request.request_id, request)
        try:
            answer = await self._once(identity, self._wagers(request, sender, identity))
        except RequestRefusedError as error:
            answer = refused(error.refusal, request.request_id)
        if isinstance(answer.refusal, UnknownSeat):
            return answer
        # As they stand now, also where the answer itself is that to an earlier request.
        return msgspec.structs.replace(answer, wagers=self._table.seat_wagers(request.seat))

    async def _wagers(self, request: WagersRequest, sender: RequestTopic, identity: _Identity) -> Answer:
        twice = _named_twice(request.stakes)
        if twice is not None:
            return refused(WagerNamedTwice(wager=twice), request.request_id)
        refusal = await self._table.ask(
            SeatBets(
                seat=request.seat,
                stakes=request.stakes,
                shoe=request.shoe,
                round=request.round,
                request_id=identity.whole_id,
                contents=identity.contents,
                user=sender.user,
            )
        )
        return _answer_to(refusal, request.request_id)

    # --- acts --------------------------------------------------------------------------------------------------------

    async def _act(self, request: ActRequest, role: RequestRole, sender: RequestTopic, identity: _Identity) -> Answer:
        made = _act_from(acts_of(role)[sender.name], request)
        as_role = Role.SUPERVISOR if role is RequestRole.SUPERVISOR else Role.DEALER
        verdict, person = PinVerdict.NOT_GIVEN, request.person or as_role.value
        if as_role is Role.SUPERVISOR or rule_of(made).pin:
            person = self._pins.recorded_as(request.person)
            verdict = await self._verdict(request, person, as_role, sender.user)
        token = request.token if as_role is Role.DEALER else None
        refusal = await self._table.ask(
            PersonActs(
                act=made,
                person=person,
                role=as_role,
                pin=verdict,
                reason=request.reason,
                shoe=request.shoe,
                round=request.round,
                request_id=identity.whole_id,
                contents=identity.contents,
                user=sender.user,
                token_digest="" if token is None else _token_digest(token),
            )
        )
        if isinstance(refusal, LockedOut):
            # The answer shows no more than the request said, whether or not there is such a person.
            refusal = LockedOut(person=request.person, seconds=refusal.seconds)
        return _answer_to(refusal, request.request_id)

    async def _verdict(self, request: ActRequest, person: str, role: Role, user: str) -> PinVerdict:
        """A person who is unknown, or has not that role, learns no more than one with a wrong PIN."""
        if request.pin is None:
            raise RequestRefusedError(PinMissing())
        pause = self._table.pin_pause(user, person)
        if pause:
            # Neither checked nor counted: guessing must not cost the time of a check, nor a right PIN a longer pause.
            raise RequestRefusedError(LockedOut(person=request.person, seconds=pause))
        if self._pins_waiting >= MOST_PIN_CHECKS:
            raise RequestRefusedError(Busy())
        self._pins_waiting += 1
        try:
            if self._table.pins_guessed():
                await self._sleep(SLOWED_BY)
            async with self._pin_turn:
                return await self._pins.verdict(request.person, request.pin, role)
        finally:
            self._pins_waiting -= 1

    # --- replays -----------------------------------------------------------------------------------------------------

    async def _replay(self, request: ReplayRequest, message: Incoming, send: Send) -> Answer:
        if message.response_topic is None:
            raise RequestRefusedError(NoResponseTopic())
        if self._replays >= MOST_REPLAYS:
            raise RequestRefusedError(Busy())
        self._replays += 1
        try:
            done = await self._replayer.replay(request, send)
        finally:
            self._replays -= 1
        return Answer(status="ok", request_id=request.request_id, replay=done)


class _OnlyId(msgspec.Struct):
    request_id: RequestId


_decode_id = msgspec.json.Decoder(_OnlyId).decode


def request_id_in(payload: bytes) -> str:
    """The id of a request that is refused, where it has one that can be read."""
    try:
        return _decode_id(payload).request_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def _decoded(decode: Callable[[bytes], T], payload: bytes) -> T:
    try:
        return decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestRefusedError(BadRequest(text=str(error))) from None


def _identity(sender: RequestTopic, request_id: str, request: msgspec.Struct) -> _Identity:
    digest = blake2s(_encode_sorted((sender, request)), digest_size=DIGEST_BYTES)
    # A user's name may have spaces, but no slash: so that "a" with the id "b c" is not taken for "a b" with the id "c".
    user = sender.user.replace(" ", "/")
    return _Identity(f"{sender.role} {user} {request_id}", digest.hexdigest())


def _token_digest(token: str) -> str:
    """A token is too long to be guessed from its digest, unlike a PIN."""
    return blake2s(token.encode(errors="replace"), digest_size=TOKEN_DIGEST_BYTES).hexdigest()


def _named_twice(stakes: tuple[Stake, ...]) -> str | None:
    named = [change.wager for change in stakes]
    return next((wager for wager in named if named.count(wager) > 1), None)


def _act_from(act: type[Act], request: ActRequest) -> AnyAct:
    unknown = set(request.details) - {field.name for field in msgspec.structs.fields(act)}
    if unknown:
        raise RequestRefusedError(BadRequest(text=f"details: unknown {', '.join(sorted(unknown))}"))
    tag = act.__struct_config__.tag
    try:
        made: AnyAct = msgspec.convert({**request.details, "act": tag}, AnyAct)
    except msgspec.ValidationError as error:
        raise RequestRefusedError(BadRequest(text=f"details: {error}")) from None
    return made


def _answer_to(refusal: AnyRefusal | None, request_id: str) -> Answer:
    return Answer(status="ok", request_id=request_id) if refusal is None else refused(refusal, request_id)
