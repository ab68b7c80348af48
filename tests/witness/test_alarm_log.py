"""Every alarm of a witness can be logged, with its own fields beside those of its line."""

import asyncio
import typing
from collections.abc import Callable

import pytest

from shoe_controller.messages.witness import AnyWitnessAlarm
from shoe_controller.witness.lines import AlarmRaised
from shoe_controller.witness.process import AlarmLog


class Lines:
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.kept: list[dict[str, object]] = []

    def error(self, event: str, **values: object) -> None:
        self.kept.append({"event": event, **values})


@pytest.mark.parametrize("kind", typing.get_args(AnyWitnessAlarm), ids=lambda kind: kind.__name__)
def test_every_alarm_is_logged_with_all_its_fields(kind: Callable[..., AnyWitnessAlarm]) -> None:
    fields = {name: "a" if hint is str else 7 for name, hint in typing.get_type_hints(kind).items()}
    log = Lines()
    AlarmLog(log, asyncio.Event()).alarm(AlarmRaised(line=3, time=0, table="t1", alarm=kind(**fields)))
    (line,) = log.kept
    assert {"event": "alarm", "table": "t1", "file_line": 3, **fields}.items() <= line.items()
