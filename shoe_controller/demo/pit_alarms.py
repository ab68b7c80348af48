"""The alarms about seats that the pit's process raises during a demonstration: what the screen and the report say."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from shoe_controller.messages.pit import PitAlarmsMessage, StakesFollowEdge
from shoe_controller.messages.topics import PIT_ALARMS
from shoe_controller.words.render import ENGLISH


class SeatAlarm(NamedTuple):
    table: str
    at: float
    """Seconds since the demonstration began."""
    alarm: StakesFollowEdge

    @property
    def words(self) -> str:
        return ENGLISH.of(self.alarm)

    @property
    def minutes(self) -> str:
        minutes, seconds = divmod(int(self.at), 60)
        return f"{minutes}:{seconds:02}"


class PitAlarms:
    def __init__(self, raised: Callable[[SeatAlarm], None]) -> None:
        """`raised` is called with each alarm once."""
        self.all: list[SeatAlarm] = []
        self._raised = raised
        self._lines: set[int] = set()

    def take(self, below: str, table: str, payload: bytes, at: float) -> bool:
        """Take a message of a table, `below` its own part of the topic; return whether it was about alarms."""
        if below != PIT_ALARMS:
            return False
        message = msgspec.json.decode(payload, type=PitAlarmsMessage) if payload else None
        for each in () if message is None else message.alarms:
            if isinstance(each.alarm, StakesFollowEdge) and each.line not in self._lines:
                self._lines.add(each.line)
                self.all.append(SeatAlarm(table, at, each.alarm))
                self._raised(self.all[-1])
        return True
