"""What a board knows of one table: a fold over the table's messages. Pure.

`now` is in seconds, by a clock that only goes forward.

The retained `state` is the truth about the table, and each message of it is complete. Events are followed beside it for
what `state` does not hold: which side wagers won, that a round was void, how fast rounds are dealt. Both are numbered
(`seq`), so that late news cannot replace newer, a repeat changes nothing, and what is missing can be asked for.
"""

from collections import deque
from typing import NamedTuple

import msgspec

from shoe_controller.mqtt.contract import Answer, InfoMessage, RoadsMessage, StateMessage, StatusMessage
from shoe_controller.table.facts import ResultUndone, RoundResult, RoundVoided
from shoe_controller.web.event_sequencer import EventSequencer

HISTORY = 100
"""Events from before that a board asks for when it is switched on: a few rounds."""

PACE_ROUNDS = 20
"""Results from which the rounds per hour are reckoned."""

PACE_LASTS = 600.0
"""Seconds without a result after which a table has no pace any more."""

HOUR = 3_600_000
"""In milliseconds, as the times of events are."""


class Ended(NamedTuple):
    """When a round got its result."""

    seq: int
    time: int


class _Told(msgspec.Struct):
    fact: str = ""
    """What an event tells; empty for the answer that comes after events that were asked for."""


_read_told = msgspec.json.Decoder(_Told).decode
_read_answer = msgspec.json.Decoder(Answer).decode
_read_status = msgspec.json.Decoder(StatusMessage).decode
_read_info = msgspec.json.Decoder(InfoMessage).decode
_read_state = msgspec.json.Decoder(StateMessage).decode
_read_roads = msgspec.json.Decoder(RoadsMessage).decode
_read_result = msgspec.json.Decoder(RoundResult).decode
_read_undone = msgspec.json.Decoder(ResultUndone).decode
_read_voided = msgspec.json.Decoder(RoundVoided).decode


class TableModel:
    """One table, as far as messages have told of it. A message that cannot be read raises `msgspec.DecodeError`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.status: StatusMessage | None = None
        self.info: InfoMessage | None = None
        self.state: StateMessage | None = None
        self.roads: RoadsMessage | None = None
        self.result: RoundResult | None = None
        """The last result that was told and not taken back, with what every wager came to."""
        self.void: RoundVoided | None = None
        """The last round that was voided."""
        self._events = EventSequencer()
        self._present = False
        self._older_state: StateMessage | None = None
        self._older_roads: RoadsMessage | None = None
        self._newest_when_asked = 0
        self._ended: deque[Ended] = deque(maxlen=PACE_ROUNDS)
        self._last_end_heard = float("-inf")

    # --- what it knows -----------------------------------------------------------------------------------------------

    @property
    def have(self) -> int | None:
        """No event up to this one is missing, but for those from before the board was switched on."""
        return self._events.have

    @property
    def online(self) -> bool:
        """Whether the controller is there, as far as the present connection to the broker has told."""
        return self._present and self.status is not None and self.status.online

    def pace(self, now: float) -> int | None:
        """Rounds per hour, by the controller's own clock; `None` where too few were dealt, or none for a while."""
        if len(self._ended) < 2 or now - self._last_end_heard > PACE_LASTS:
            return None
        took = self._ended[-1].time - self._ended[0].time
        return round((len(self._ended) - 1) * HOUR / took) if took > 0 else None

    # --- what it hears -----------------------------------------------------------------------------------------------

    def connected(self) -> None:
        """A new connection to the broker: who is there must be told anew, and an answer that was awaited is lost."""
        self._present = False
        self._events.ask_anew()

    def heard(self, below: str, payload: bytes, now: float) -> None:
        """A message on a topic of the table, without the table's own part of it: "state", "event/card"."""
        match below:
            case "status":
                self._take_status(_read_status(payload))
            case "info":
                self.info = _read_info(payload)
            case "state":
                self._take_state(_read_state(payload))
            case "roads":
                self._take_roads(_read_roads(payload))
            case _ if below.startswith("event/"):
                self._keep(payload, now)

    def heard_reply(self, payload: bytes, now: float) -> None:
        """An event that was asked for, or the answer that comes after the last of them."""
        if _read_told(payload).fact:
            self._keep(payload, now)
        else:
            self._take_answer(_read_answer(payload), now)

    def _take_status(self, status: StatusMessage) -> None:
        known = self.status
        # A will of an older session comes late. Whoever says that it is there is believed, whatever its number:
        # a controller whose clock is behind may have a smaller one.
        if self._present and not status.online and known is not None and status.session < known.session:
            return
        self.status = status
        self._present = True

    def _take_state(self, state: StateMessage) -> None:
        if self.state is not None and state.seq < self.state.seq:
            self._older_state = state  # out of date, or the first of a new journal: `wanted` finds out
            return
        self.state, self._older_state = state, None
        if self.have is None:
            self._events.begin(max(0, state.seq - HISTORY))

    def _take_roads(self, roads: RoadsMessage) -> None:
        if self.roads is not None and roads.seq < self.roads.seq:
            self._older_roads = roads
            return
        self.roads, self._older_roads = roads, None

    def _take_answer(self, answer: Answer, now: float) -> None:
        done = answer.data
        if done is not None and done.newest < self._newest_when_asked:
            self._begin_anew(done.newest)
            return
        self._events.answered(answer, self._newest)
        self._follow(now)
        if done is not None:
            self._older_state = self._older_roads = None  # they were late news

    @property
    def _newest(self) -> int:
        return max(self.have or 0, 0 if self.state is None else self.state.seq)

    def _begin_anew(self, newest: int) -> None:
        """The table has begun a new journal: what is known of it is from another life."""
        self.state, self._older_state = self._older_state, None
        self.roads, self._older_roads = self._older_roads, None
        self.result = self.void = None
        self._events.forget_waiting()
        self._events.begin(max(0, newest - HISTORY))

    # --- events ------------------------------------------------------------------------------------------------------

    def _keep(self, payload: bytes, now: float) -> None:
        self._events.keep(payload)
        self._follow(now)

    def _follow(self, now: float) -> None:
        for payload in self._events.ready():
            self._apply(payload, now)

    def _apply(self, payload: bytes, now: float) -> None:
        match _read_told(payload).fact:
            case "round_result":
                self.result = _read_result(payload)
                self._ended.append(Ended(self.result.seq, self.result.time))
                self._last_end_heard = now
            case "result_undone":
                undone = _read_undone(payload).replaces
                if self.result is not None and self.result.seq == undone:
                    self.result = None
                self._ended = deque((end for end in self._ended if end.seq != undone), maxlen=PACE_ROUNDS)
            case "round_voided":
                self.void = _read_voided(payload)

    # --- what is missing ---------------------------------------------------------------------------------------------

    def wanted(self, now: float) -> int | None:
        """The number after which events should be asked for now, if any should."""
        is_behind = self._events.is_behind(0 if self.state is None else self.state.seq)
        return self._events.wanted(now, missing=self.online and (is_behind or self._older_state is not None))

    def awaits(self, now: float) -> bool:
        """Whether an answer may still come to what was asked last."""
        return self._events.awaits(now)

    def asked(self, now: float) -> None:
        """The request went out. Its answer knows of at least as much, unless the table has begun a new journal."""
        self._events.asked(now)
        self._newest_when_asked = self._newest
