"""Topic names and filters: validity and matching."""

from functools import lru_cache

SHARED_PREFIX = "$share/"


def is_topic(name: str) -> bool:
    """Whether a message can be published under this name."""
    return bool(name) and "+" not in name and "#" not in name


def is_filter(name: str) -> bool:
    """Whether a client can subscribe to this: + stands for one level, # for all remaining ones."""
    levels = name.split("/")
    wildcards_alone = all(level in {"+", "#"} or not set("+#") & set(level) for level in levels)
    return bool(name) and wildcards_alone and "#" not in levels[:-1]


@lru_cache(maxsize=10_000)
def matches(topic_filter: str, topic: str) -> bool:
    """Whether a filter matches a topic; cached, because the same few recur."""
    # A leading wildcard never matches topics that begin with $, which are the broker's own.
    if topic.startswith("$") and topic_filter[0] in "+#":
        return False
    wanted, levels = topic_filter.split("/"), topic.split("/")
    for place, level in enumerate(wanted):
        if level == "#":
            return True
        if place == len(levels) or level not in {"+", levels[place]}:
            # "a/#" matches "a" too.
            return place == len(levels) and wanted[place:] == ["#"]
    return len(wanted) == len(levels)


def covers(wide: str, narrow: str) -> bool:
    """Whether every topic that matches the narrow filter matches the wide one too."""
    if narrow.startswith("$") and wide[0] in "+#":
        return False
    outer, inner = ("#" if wide == "+/#" else wide).split("/"), narrow.split("/")
    for place, level in enumerate(outer):
        if level == "#":
            return True
        if place == len(inner):
            return outer[place:] == ["#"]
        if inner[place] == "#" or level not in {"+", inner[place]}:
            return False
    return len(outer) == len(inner)
