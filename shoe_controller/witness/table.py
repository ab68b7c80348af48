"""One table that is watched: its checkpoints in order, and which of them must be requested. Pure.

The table is asked for its checkpoints at every connection, ours or its own, beginning with the last one that is known:
so what was missed is made good, and a checkpoint that has become another is noticed. `now` is in seconds, by a clock
that only goes forward; `wall` in milliseconds since 1970.
"""

from collections.abc import Iterator

import msgspec

from shoe_controller.follow.event_sequencer import Event, EventSequencer
from shoe_controller.follow.table import Request, reply_topic
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.facts import CheckpointSigned, EventTopic
from shoe_controller.messages.requests import (
    CHECKPOINTS,
    MOST_CHECKPOINTS,
    Answer,
    CheckpointsRequest,
    ReplayDone,
    RequestRole,
    SentCheckpoints,
)
from shoe_controller.messages.topics import STATUS, Topics, event_topic
from shoe_controller.messages.witness import MOST_ALARMS, WitnessMessage
from shoe_controller.witness.judgement import NONE, Judgement, SeenStatus
from shoe_controller.witness.lines import AnyLine

OVERDUE = 75 * 60.0
"""Seconds without a checkpoint after which the table is asked for one; it makes one every hour."""

PATIENCE = 60.0
"""Seconds that a table which is online gets to show a checkpoint, before that is an alarm."""

CHECKPOINT = event_topic(EventTopic.CHECKPOINT)


class _Signed(msgspec.Struct):
    """What is read of an event."""

    journal: str
    checkpoint: Checkpoint


_read_status = msgspec.json.Decoder(SeenStatus).decode
_read_event = msgspec.json.Decoder(_Signed).decode
_read_answer = msgspec.json.Decoder(Answer).decode


class WatchedTable:
    """Messages in; lines for the file and requests out. A message that cannot be read raises `msgspec.DecodeError`."""

    def __init__(self, topics: Topics, judgement: Judgement, *, client: str, instance: str) -> None:
        """`client` is our user name at the broker, `instance` unlike that of any other start of this program."""
        self.judgement = judgement
        self._topics = topics
        self._client = client
        self._instance = instance
        self._reply_topic = reply_topic(topics, client, instance)
        self._reply_below = topics.below(self._reply_topic)
        self._online = False
        self._session = 0
        self._journal = ""
        self._order = EventSequencer()
        self._newest = NONE
        self._ask = False
        """Whether the table must be asked, whatever is known."""
        self._requests = 0
        self._awaited = ""
        self._asked_after = NONE
        self._fresh = 0.0
        """When the newest checkpoint came, or the table came online."""
        self._gap: tuple[int, float] | None = None
        """The checkpoint before the next one, while that does not come, and since when."""

    def broker_up(self, now: float) -> None:
        """A new connection: whether the controller is there must come anew."""
        self._online = False
        self._fresh = now
        self._gap = None
        self._order.ask_anew()

    @property
    def _have(self) -> int:
        return NONE if self._order.have is None else self._order.have

    def message(self, end: str) -> WitnessMessage:
        """What is published; `end` is that of the file."""
        judged = self.judgement
        return WitnessMessage(
            table=judged.table,
            journal=judged.journal,
            head=judged.head,
            checkpoint=judged.current.index,
            alarms=tuple(judged.alarms[-MOST_ALARMS:]),
            line=end,
        )

    # --- messages ----------------------------------------------------------------------------------------------------

    def receive(self, below: str, payload: bytes, *, retained: bool, now: float, wall: int) -> Iterator[AnyLine]:
        """A message on a topic of the table, without the table's own part of it."""
        if below == STATUS:
            yield from self._take_status(_read_status(payload), retained=retained, now=now, wall=wall)
        elif below == CHECKPOINT:
            event = _read_event(payload)
            if event.journal == event.checkpoint.journal == self._journal:
                yield from self._take([event.checkpoint], now, wall)
        elif below == self._reply_below:
            answer = _read_answer(payload)
            if answer.request_id == self._awaited and answer.checkpoints is not None:
                self._awaited = ""
                yield from self._take_answer(answer.checkpoints, now, wall)

    def _take_status(self, status: SeenStatus, *, retained: bool, now: float, wall: int) -> Iterator[AnyLine]:
        yield from self.judgement.status(status, retained=retained, now=wall)
        if status.session < self.judgement.session and (retained or not status.online):
            return
        if status.journal != self._journal:
            self._journal = status.journal
            self._order, self._newest, self._awaited = EventSequencer(), NONE, ""
            self._order.begin(self.judgement.of(status.journal).index)
        if status.online and (not self._online or status.session != self._session):
            self._ask, self._fresh = True, now
        self._online, self._session = status.online, status.session

    def _take(self, checkpoints: list[Checkpoint], now: float, wall: int) -> Iterator[AnyLine]:
        have = self._have
        for checkpoint in checkpoints:
            if checkpoint.index <= have:
                yield from self.judgement.checkpoint(checkpoint, wall)
            else:
                self._order.keep(
                    Event(checkpoint.index, CheckpointSigned.__name__, CHECKPOINT, msgspec.json.encode(checkpoint))
                )
        for event in self._order.ready():
            self._fresh = now
            yield from self.judgement.checkpoint(msgspec.json.decode(event.payload, type=Checkpoint), wall)

    def _take_answer(self, sent: SentCheckpoints, now: float, wall: int) -> Iterator[AnyLine]:
        if sent.journal != self._journal:
            return
        self._ask, self._newest = False, sent.newest
        yield from self.judgement.newest_checkpoint(sent.journal, sent.newest, wall)
        checkpoints = [each for each in sent.checkpoints if each.journal == sent.journal]
        new = [each for each in checkpoints if each.index > self._have]
        if self._have == NONE and new and new[0].index == 1:
            self._order.begin(0)  # only a journal that succeeds another has a checkpoint 0
        yield from self._take(checkpoints, now, wall)
        have = self._have
        if sent.newest > have and not any(each.index == have + 1 for each in checkpoints) and have == self._asked_after:
            yield from self._pass_over(have, new, wall, now)
        last = max((each.index for each in checkpoints), default=have)
        done = ReplayDone(sent=len(checkpoints), last=last, oldest=0, newest=sent.newest)
        self._order.answered(Answer(status="ok", replay=done))

    def _pass_over(self, have: int, new: list[Checkpoint], wall: int, now: float) -> Iterator[AnyLine]:
        """The table does not have the next checkpoint: go on after it."""
        yield from self.judgement.missing(have + 1, wall)
        self._order.begin(min((each.index for each in new), default=self._newest + 1) - 1)
        yield from self._take(new, now, wall)

    # --- what does not come ------------------------------------------------------------------------------------------

    def look(self, now: float, wall: int) -> Iterator[AnyLine]:
        """What time alone shows; called a few times a second."""
        yield from self.judgement.tick(wall)
        behind = self._order.is_behind(self._newest)
        if not self._online or not behind:
            self._gap = None
        elif self._gap is None or self._gap[0] != self._have:
            self._gap = self._have, now
        elif now - self._gap[1] > PATIENCE:
            self._gap = self._have, now
            yield from self.judgement.missing(self._have + 1, wall)
        if self._online and now - self._fresh > OVERDUE:
            self._ask = True
        if self._online and now - self._fresh > OVERDUE + PATIENCE:
            self._fresh = now
            yield from self.judgement.overdue(wall)

    def request(self, now: float) -> Request | None:
        """The request for checkpoints, if it should be sent now; it counts as sent."""
        missing = self._online and (self._ask or self._order.is_behind(self._newest))
        after = self._order.wanted(now, missing=missing)
        if after is None:
            return None
        self._order.asked(now)
        self._requests += 1
        self._awaited = f"{self._instance}-{self._requests}"
        self._asked_after = after
        # The last one that is known is requested again: it must not have become another.
        request = CheckpointsRequest(request_id=self._awaited, after=max(after - 1, NONE), limit=MOST_CHECKPOINTS)
        topic = self._topics.request(RequestRole.WITNESS, self._client, CHECKPOINTS)
        return Request(topic, msgspec.json.encode(request), self._reply_topic)
