"""What the console knows of its table: a fold over the table's messages. Pure.

The retained `state` is the truth about the table, and each message of it is complete. Events are followed beside it for
what `state` does not hold: the steps of the last settlement, and the last rounds. They are numbered (`seq`), so that a
repeat changes nothing and what is missing can be asked for. `now` is in seconds, by a clock that only goes forward.
"""

from collections import deque

import msgspec

from shoe_controller.history.recall import last_rounds
from shoe_controller.history.rounds import RecalledRound
from shoe_controller.mqtt.contract import Answer, InfoMessage, StateMessage, StatusMessage
from shoe_controller.table.facts import AnyFact, BettingOpened, RoundResult, RoundSettled, SettlementUndone, ShoeOpened
from shoe_controller.web.event_sequencer import EventSequencer

HISTORY = 500
"""Events from before that are asked for at the start: a few dozen rounds, and as many as one request brings."""

KEPT = 1500
"""Events that are kept for looking back."""

MOST_ROUNDS = 12
"""Rounds that can be looked back at; older ones are in the journal, for `shoe-controller journal recall`."""


class _Reply(msgspec.Struct):
    fact: str = ""
    """Empty for the answer that comes after the events."""


_read_reply = msgspec.json.Decoder(_Reply).decode
_read_answer = msgspec.json.Decoder(Answer).decode
_read_status = msgspec.json.Decoder(StatusMessage).decode
_read_info = msgspec.json.Decoder(InfoMessage).decode
_read_state = msgspec.json.Decoder(StateMessage).decode
_read_fact: msgspec.json.Decoder[AnyFact] = msgspec.json.Decoder(AnyFact)


class ConsoleModel:
    """One table, as far as messages have told of it. A message that cannot be read raises `msgspec.DecodeError`."""

    def __init__(self) -> None:
        self.connected = False
        """Whether there is a broker."""
        self.version = 0
        """Grows with every change."""
        self.status: StatusMessage | None = None
        self.info: InfoMessage | None = None
        self.state: StateMessage | None = None
        self.settlement: RoundSettled | None = None
        """The last one of this shoe that was not taken back."""
        self.facts: deque[AnyFact] = deque(maxlen=KEPT)
        self._present = False
        self._events = EventSequencer()

    # --- what it knows -----------------------------------------------------------------------------------------------

    @property
    def online(self) -> bool:
        """Whether the controller is there, as far as the present connection to the broker has told."""
        return self.connected and self._present and self.status is not None and self.status.online

    def rounds(self) -> list[RecalledRound]:
        """The last rounds, the newest last."""
        known = list(self.facts)
        if known and known[0].seq > 1:
            # A round that is known in part would be told wrongly.
            begins = (n for n, fact in enumerate(known) if isinstance(fact, BettingOpened | ShoeOpened))
            known = known[next(begins, len(known)) :]
        return last_rounds(_steps(known), MOST_ROUNDS, from_beginning=True) or []

    # --- what it hears -----------------------------------------------------------------------------------------------

    def broker_up(self) -> None:
        """A new connection: who is there must be told anew, and an answer that was awaited is lost."""
        self.connected, self._present = True, False
        self._events.ask_anew()
        self.version += 1

    def broker_down(self) -> None:
        self.connected = False
        self.version += 1

    def heard(self, below: str, payload: bytes) -> None:
        """A message on a topic of the table, without the table's own part of it: "state", "event/card"."""
        match below:
            case "status":
                self._take_status(_read_status(payload))
            case "info":
                self.info = _read_info(payload)
            case "state":
                self._take_state(_read_state(payload))
            case _ if below.startswith("event/"):
                self._keep(payload)
        self.version += 1

    def heard_replay(self, payload: bytes) -> None:
        """An event that was asked for, or the answer that comes after the last of them."""
        if _read_reply(payload).fact:
            self._keep(payload)
        else:
            self._take_answer(_read_answer(payload))
        self.version += 1

    def _take_status(self, status: StatusMessage) -> None:
        # A will of an older session comes late. Whoever says that it is there is believed, whatever its number:
        # a controller whose clock is behind may have a smaller one.
        is_will = not status.online
        if self._present and is_will and self.status is not None and status.session < self.status.session:
            return
        self.status, self._present = status, True

    def _take_state(self, state: StateMessage) -> None:
        if self._events.have is None or (self.state is not None and state.seq < self.state.seq):
            # Messages of one topic come in order: a smaller number is the first of a new journal.
            self._begin(max(0, state.seq - HISTORY))
        self.state = state
        self._follow()

    def _begin(self, have: int) -> None:
        self._events.begin(have)
        self.settlement = None
        self.facts.clear()

    def _take_answer(self, answer: Answer) -> None:
        self._events.answered(answer, 0 if self.state is None else self.state.seq)
        self._follow()

    # --- events ------------------------------------------------------------------------------------------------------

    def _keep(self, payload: bytes) -> None:
        self._events.keep(payload)
        self._follow()

    def _follow(self) -> None:
        for payload in self._events.ready():
            self._apply(_read_fact.decode(payload))

    def _apply(self, fact: AnyFact) -> None:
        self.facts.append(fact)
        match fact:
            case RoundSettled():
                self.settlement = fact
            case SettlementUndone() if self.settlement is not None and self.settlement.seq == fact.replaces:
                self.settlement = None
            case ShoeOpened() | RoundResult():
                self.settlement = None  # a round without wagers has none

    # --- what is missing ---------------------------------------------------------------------------------------------

    def wanted(self, now: float) -> int | None:
        """The number after which events should be asked for now, if any should."""
        is_behind = self.state is not None and self._events.is_behind(self.state.seq)
        return self._events.wanted(now, missing=self.online and is_behind)

    def asked(self, now: float) -> None:
        """The request went out."""
        self._events.asked(now)


def _steps(facts: list[AnyFact]) -> list[list[AnyFact]]:
    """Facts of one input together, as `recall` wants them: they have one time, and what a person did comes first."""
    steps: list[list[AnyFact]] = []
    for fact in facts:
        if steps and steps[-1][0].time == fact.time and fact.__struct_config__.tag != "person_acted":
            steps[-1].append(fact)
        else:
            steps.append([fact])
    return steps
