"""Which faults and irregularities have happened at a table, and what the table and its people made of each. Pure."""

from typing import NamedTuple

from shoe_controller.demo.chosen_faults import ENTRIES
from shoe_controller.messages.facts import AlertEnded, AlertRaised, AnyFact, PersonActed
from shoe_controller.words.render import ENGLISH


class FaultStory(NamedTuple):
    """One fault or irregularity, from when it happened until the next one did."""

    name: str
    alerts: tuple[str, ...]
    """What the table called it, in order, each once."""
    acts: tuple[str, ...]
    """Who or what ended those alerts."""
    people: tuple[str, ...]
    """Who did what meanwhile, in order, each once."""
    caught: bool
    """The table has noticed the fault; an irregularity was put right."""
    over: bool
    """Whether every alert about it has ended."""


class _Happened(NamedTuple):
    name: str
    begin: int
    """The last fact before it."""


class FaultBook:
    def __init__(self) -> None:
        self._happened: list[_Happened] = []
        self._abandoned: set[int] = set()
        """By their number: those that people could not put right."""
        self._closed_at: int | None = None

    def __len__(self) -> int:
        return len(self._happened)

    def happened(self, name: str, last_seq: int) -> None:
        self._happened.append(_Happened(name, last_seq))

    def abandoned(self) -> None:
        """People could not put the last one right."""
        self._abandoned.add(len(self._happened) - 1)

    def close(self, last_seq: int) -> None:
        """The demonstration ends: that the shoe is switched off then belongs to no fault."""
        self._closed_at = last_seq

    def last_was_caught(self, facts: list[AnyFact]) -> bool:
        """Whether the table has noticed the last one; true also if there was none yet."""
        return not self._happened or _story(self._happened[-1], facts, facts[-1].seq).caught

    def stories(self, facts: list[AnyFact]) -> list[FaultStory]:
        begins = [happened.begin for happened in self._happened]
        last = facts[-1].seq if facts else 0
        ends = [*begins[1:], last if self._closed_at is None else self._closed_at]
        stories = [_story(happened, facts, end) for happened, end in zip(self._happened, ends, strict=False)]
        return [story._replace(caught=story.caught and at not in self._abandoned) for at, story in enumerate(stories)]


def _story(happened: _Happened, facts: list[AnyFact], end: int) -> FaultStory:
    during = [fact for fact in facts if happened.begin < fact.seq <= end]
    raised = {fact.alert.number: fact.alert.kind for fact in during if isinstance(fact, AlertRaised)}
    ended = {fact.alert.number: fact for fact in facts if isinstance(fact, AlertEnded) and fact.alert.number in raised}
    acted = [fact for fact in during if isinstance(fact, PersonActed)]
    names = {
        *raised.values(),
        *(str(fact.__struct_config__.tag) for fact in during),
        *(str(fact.act.__struct_config__.tag) for fact in acted),
    }
    return FaultStory(
        name=happened.name,
        alerts=tuple(dict.fromkeys(raised.values())),
        acts=tuple(dict.fromkeys(ENGLISH.of(fact.cause) for fact in ended.values())),
        people=tuple(dict.fromkeys(_who_did_what(fact) for fact in acted)),
        caught=ENTRIES[happened.name].was_noticed(frozenset(names)),
        over=raised.keys() == ended.keys(),
    )


def _who_did_what(fact: PersonActed) -> str:
    people = fact.person if fact.approved_by is None else f"{fact.person} and {fact.approved_by}"
    return f"{people} {fact.act.__struct_config__.tag}"
