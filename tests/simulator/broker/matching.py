"""The specification's rule for filters once more, written for reading rather than for speed."""


def belongs(levels: list[str], wanted: list[str]) -> bool:
    """Say again, in the way of the specification, whether a topic belongs to a filter."""
    if not wanted:
        return not levels
    if wanted[0] == "#":
        return True
    return bool(levels) and wanted[0] in {"+", levels[0]} and belongs(levels[1:], wanted[1:])


def is_match(topic: str, topic_filter: str) -> bool:
    if topic.startswith("$") and topic_filter[0] in "+#":
        return False
    return belongs(topic.split("/"), topic_filter.split("/"))
