"""A counter to which requests are brought: the real desk, and behind it a real table with its journal."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.acts import Role
from shoe_controller.messages.refusals import AnyRefusal
from shoe_controller.messages.requests import (
    Answer,
    ReplayDone,
    ReplayRequest,
    RequestRole,
    SeatWagers,
    SentCheckpoints,
)
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.mqtt.requests import RequestDesk, Send, encode_answer
from shoe_controller.mqtt.retained import seat_wagers
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets
from shoe_controller.table.pins import guessing, pause_left
from tests.mqtt.schema_check import objections
from tests.recorded_sitting import RecordedSitting

TOPICS = Topics("north", "t1")
USER = "board"
REPLY = f"{TOPICS.replies}{USER}/1"
PINS = {"ann": "480612", "ben": "773501"}
DEALERS = {"dan": "264079"}
SEAT_USERS = {"seat-1": "1"}


class Counter:
    """Where requests are brought: the desk, and around it what a daemon brings together."""

    def __init__(self, folder: Path, **procedure: Any) -> None:  # noqa: ANN401 - as in Sitting
        self.sitting = RecordedSitting(**procedure)
        self.journal = folder / "table.journal"
        self.replayed: list[int] = []
        self.looked_at: list[str] = []
        self.slept = 0.0
        self.pins_open = asyncio.Event()
        self.pins_open.set()
        self.replays_open = asyncio.Event()
        self.replays_open.set()
        self.desk = self.new_desk()

    def new_desk(self) -> RequestDesk:
        """One that remembers nothing, as after a restart."""
        return RequestDesk(TOPICS, self, self, self, SEAT_USERS, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        """By the table's clock."""
        self.slept += seconds
        self.sitting.wait(seconds)

    # --- TableDesk, PinOffice, Replayer ------------------------------------------------------------------------------

    async def ask(self, given: PersonActs | SeatBets) -> AnyRefusal | None:
        return self.sitting.give(given).refusal

    def pin_pause(self, user: str, person: str) -> int:
        return pause_left(self.sitting.state, user, person, self.sitting.mono_ns)

    def pins_guessed(self) -> bool:
        return guessing(self.sitting.state, self.sitting.mono_ns)

    def recorded_as(self, person: str) -> str:
        return person if person in PINS | DEALERS else f"unknown-{person}"

    async def verdict(self, person: str, pin: str, role: Role) -> PinVerdict:
        self.looked_at.append(person)
        await self.pins_open.wait()
        known = PINS if role is Role.SUPERVISOR else PINS | DEALERS
        return PinVerdict.RIGHT if known.get(person) == pin else PinVerdict.WRONG

    def seat_wagers(self, seat: str) -> SeatWagers | None:
        return seat_wagers(self.sitting.state, seat)

    async def replay(self, request: ReplayRequest, send: Send) -> ReplayDone:
        assert send == self.send
        await self.replays_open.wait()
        with JournalReader(self.sitting.write(self.journal)) as reader:
            found = [event.seq for event in reader.events(request.after, request.limit)]
        self.replayed += found
        newest = self.sitting.facts[-1].seq
        return ReplayDone(sent=len(found), last=found[-1] if found else request.after, oldest=1, newest=newest)

    def send(self, payload: bytes) -> "asyncio.Future[None]":
        raise AssertionError(f"nothing is replayed here: {payload!r}")

    def checkpoints(self, after: int, limit: int) -> SentCheckpoints:
        self.replayed.append(after)
        return SentCheckpoints(journal="j1", newest=after + limit, checkpoints=())

    # --- asking ------------------------------------------------------------------------------------------------------

    async def bring(self, request: str, payload: bytes, user: str = USER, **fields: Any) -> Answer | None:  # noqa: ANN401 - of Incoming
        """Bring a request, named by role and name: `dealer/confirm`."""
        role, _, name = request.partition("/")
        return await self.bring_to(TOPICS.request(RequestRole(role), user, name), payload, **fields)

    async def bring_to(self, topic: str, payload: bytes, **fields: Any) -> Answer | None:  # noqa: ANN401 - of Incoming
        usual: dict[str, Any] = {"response_topic": REPLY, "correlation": b"c"}
        message = Incoming(topic=topic, payload=payload, **(usual | fields))
        answer = await self.desk.answer(message, self.send)
        if answer is not None:
            assert objections("reply.answer", msgspec.json.decode(encode_answer(answer)), strict=True) == []
        return answer

    async def request(self, request: str, **fields: Any) -> Answer:  # noqa: ANN401 - fields of the request
        answer = await self.bring(request, msgspec.json.encode(self.named(**fields)))
        assert answer is not None
        return answer

    def named(self, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of the request
        state = self.sitting.state
        return {"request_id": "r1", "shoe": state.shoe_number, "round": state.round_number} | fields

    async def supervisor(self, name: str, person: str = "ann", **fields: Any) -> Answer:  # noqa: ANN401 - as above
        return await self.request(
            f"supervisor/{name}",
            **({"person": person, "pin": PINS.get(person, "0"), "reason": "seen"} | fields),
        )
