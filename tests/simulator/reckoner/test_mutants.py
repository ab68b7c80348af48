"""A bug in the reckoner is noticed: it judges a forged or an honest evening otherwise than before, or counts wrong.

The last is what the second sum is for (`simulator/second_sum.py`).
"""

import re
from collections import defaultdict

import pytest

from tests.simulator.reckoner.evenings import EVENINGS
from tests.simulator.reckoner.forgeries import Forgery, forgeries
from tests.simulator.reckoner.mutants import BUGS, Bug, all_sites, copied, forgotten_kinds, marking, without
from tests.simulator.reckoner.verdict import Package, second_sum_problems, verdicts

FOUND_BY_SECOND_SUM = 6
"""So many of the bugs below the second sum finds alone, at the least."""

ELSEWHERE = ("displays", "amendments", "late_wagers", "placing")
"""Their checks have tests of their own (`test_displays.py`, `test_amendments.py`, `test_placing.py`)."""


class Judged:
    """A forgery, and in which ways the reckoner finds it."""

    def __init__(self, reckoner: Package, forgery: Forgery) -> None:
        self.forgery = forgery
        found = verdicts(reckoner, forgery.evening)
        self.found = {way for way, problems in found.items() if problems}
        self.places = set(re.findall(r"<\w+ \d+>", str(found)))

    def is_judged_otherwise(self, reckoner: Package) -> bool:
        try:
            found = verdicts(reckoner, self.forgery.evening)
        except Exception:  # noqa: BLE001 - whatever the bug leads to
            return True
        return self.found != {way for way, problems in found.items() if problems}


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    with copied(marking) as reckoner:
        return [Judged(reckoner, forgery) for forgery in forgeries()]


@pytest.fixture(scope="module")
def by_place(judged: list[Judged]) -> dict[str, list[Judged]]:
    """By the place where problems are found: those that are found at the fewest other places first."""
    found: dict[str, list[Judged]] = defaultdict(list)
    for one in sorted(judged, key=lambda each: len(each.places)):
        for place in one.places:
            found[place].append(one)
    return found


def is_honest_no_more(reckoner: Package) -> bool:
    try:
        return any(any(verdicts(reckoner, evening()).values()) for evening in EVENINGS.values())
    except Exception:  # noqa: BLE001 - whatever the bug leads to
        return True


def is_counted_otherwise(reckoner: Package) -> bool:
    return any(second_sum_problems(reckoner, evening()) for evening in EVENINGS.values())


def likely_first(bug: Bug, judged: list[Judged]) -> list[Judged]:
    """A bug about a kind of events is noticed by forgeries of such."""
    kind = bug.right.partition(":")[0].strip("'")
    return sorted(judged, key=lambda one: kind not in one.forgery.name)


def test_every_forgery_is_found(judged: list[Judged]) -> None:
    assert [one.forgery.name for one in judged if not one.found] == []


def test_a_copy_without_a_bug_is_as_good_as_the_reckoner() -> None:
    with copied(lambda _module, _code: None) as reckoner:
        assert not is_honest_no_more(reckoner)
        assert not is_counted_otherwise(reckoner)


def test_a_check_that_is_left_out_is_noticed(by_place: dict[str, list[Judged]]) -> None:
    unnoticed = []
    for site in all_sites():
        with copied(without(site)) as reckoner:
            if not any(one.is_judged_otherwise(reckoner) for one in by_place[str(site)]):
                unnoticed.append(site)
    assert [str(site) for site in unnoticed if site.module not in ELSEWHERE] == []


def test_a_bug_is_noticed(judged: list[Judged]) -> None:
    """The second sum finds some that the reckoner itself would not notice on an honest evening."""
    unnoticed, by_second_sum_alone = [], []
    for bug in (*BUGS, *forgotten_kinds()):
        with copied(bug.put_in) as reckoner:
            honest_no_more = is_honest_no_more(reckoner)
            if not honest_no_more and is_counted_otherwise(reckoner):
                by_second_sum_alone.append(bug)
            elif not honest_no_more and not any(one.is_judged_otherwise(reckoner) for one in likely_first(bug, judged)):
                unnoticed.append(bug)
    assert unnoticed == []
    assert len(by_second_sum_alone) >= FOUND_BY_SECOND_SUM, by_second_sum_alone
