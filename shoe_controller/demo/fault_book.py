"""Which faults have happened at a table, and what the table made of each. Pure."""

from typing import NamedTuple

from shoe_controller.demo.faults import FAULTS
from shoe_controller.messages.facts import AlertEnded, AlertRaised, AnyFact
from shoe_controller.words.render import ENGLISH


class FaultStory(NamedTuple):
    """One fault, from when it happened until the next one did."""

    name: str
    alerts: tuple[str, ...]
    """What the table called it, in order, each once."""
    acts: tuple[str, ...]
    """Who or what ended those alerts."""
    caught: bool
    over: bool
    """Whether every alert about it has ended."""


class FaultBook:
    def __init__(self) -> None:
        self._happened: list[tuple[str, int]] = []
        """The fault, and the last fact before it."""
        self._closed_at: int | None = None

    def __len__(self) -> int:
        return len(self._happened)

    def happened(self, name: str, last_seq: int) -> None:
        self._happened.append((name, last_seq))

    def close(self, last_seq: int) -> None:
        """The demonstration ends: that the shoe is switched off then belongs to no fault."""
        self._closed_at = last_seq

    def last_was_caught(self, facts: list[AnyFact]) -> bool:
        """Whether the table has noticed the last one; true also if there was none yet."""
        return not self._happened or _story(*self._happened[-1], facts, facts[-1].seq).caught

    def stories(self, facts: list[AnyFact]) -> list[FaultStory]:
        begins = [seq for _, seq in self._happened]
        last = facts[-1].seq if facts else 0
        ends = [*begins[1:], last if self._closed_at is None else self._closed_at]
        return [_story(name, begin, facts, end) for (name, begin), end in zip(self._happened, ends, strict=False)]


def _story(name: str, begin: int, facts: list[AnyFact], end: int) -> FaultStory:
    during = [fact for fact in facts if begin < fact.seq <= end]
    raised = {fact.alert.number: fact.alert.kind for fact in during if isinstance(fact, AlertRaised)}
    ended = {fact.alert.number: fact for fact in facts if isinstance(fact, AlertEnded) and fact.alert.number in raised}
    names = {*raised.values(), *(str(fact.__struct_config__.tag) for fact in during)}
    expected = FAULTS[name].caught_by
    return FaultStory(
        name=name,
        alerts=tuple(dict.fromkeys(raised.values())),
        acts=tuple(dict.fromkeys(ENGLISH.of(fact.cause) for fact in ended.values())),
        caught=not expected or not expected.isdisjoint(names),
        over=raised.keys() == ended.keys(),
    )
