"""Which filter matches which topic, over whole small spaces of both."""

import itertools

import pytest

from simulator.broker.topics import covers, is_filter, is_topic, matches
from tests.simulator.broker.matching import is_match


def names(levels: tuple[str, ...], longest: int) -> list[str]:
    return ["/".join(each) for size in range(1, longest + 1) for each in itertools.product(levels, repeat=size)]


TOPICS = [name for name in names(("a", "b", "", "$a"), 4) if is_topic(name)]
FILTERS = [name for name in names(("a", "+", "#", "", "$a"), 3) if is_filter(name)]


def test_every_filter_against_every_topic() -> None:
    for topic_filter in FILTERS:
        for topic in TOPICS:
            assert matches(topic_filter, topic) is is_match(topic, topic_filter), (topic_filter, topic)


def test_a_filter_covers_another_exactly_when_it_matches_all_its_topics() -> None:
    # The level "b", which no filter names, stands for all the levels one could think of.
    matched = {each: {topic for topic in TOPICS if matches(each, topic)} for each in FILTERS}
    for wide, narrow in itertools.product(FILTERS, repeat=2):
        if covers(wide, narrow):
            assert matched[narrow] <= matched[wide], (wide, narrow)
        elif narrow != "/#":  # it would match the topic "", which does not exist, and is refused to be on the safe side
            assert not matched[narrow] <= matched[wide], (wide, narrow)


@pytest.mark.parametrize("name", ["a", "/", "a/b", "//", " ", "$SYS/x", "a b", "Käse/盒"])
def test_topics(name: str) -> None:
    assert is_topic(name)
    assert is_filter(name)


@pytest.mark.parametrize("name", ["+", "#", "a/#", "+/+", "/+", "a/+/b", "+/#", "/#"])
def test_filters_that_are_no_topics(name: str) -> None:
    assert not is_topic(name)
    assert is_filter(name)


@pytest.mark.parametrize("name", ["", "a#", "#a", "a+", "+a", "#/a", "a/#/b", "a/b#", "++", "##", "+#"])
def test_neither(name: str) -> None:
    assert not is_topic(name)
    assert not is_filter(name)
