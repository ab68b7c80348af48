"""Whether a display has what the journal holds: every event, byte for byte, and no other."""

from collections.abc import Mapping
from itertools import islice

Event = tuple[str, bytes]
"""Its topic below the table's own, as "event/card", and its payload."""

MOST = 9


def same_event(stored: Event, shown: Event) -> bool:
    """Whether this was published for that record: the stored bytes, with an envelope in front of their fields."""
    (topic, payload), (shown_topic, published) = stored, shown
    return topic == shown_topic and (published == payload or published.endswith(b"," + payload[1:]))


def display_problems(journal: Mapping[int, Event], shown: Mapping[int, Event]) -> list[str]:
    problems = []
    if list(journal) != list(range(1, len(journal) + 1)):
        problems.append(f"the events of the journal are not numbered from 1 without a gap: {list(journal)[:MOST]} …")
    missing, unknown = sorted(set(journal) - set(shown)), sorted(set(shown) - set(journal))
    if missing or unknown:
        problems.append(
            f"the display lacks {len(missing)} events, {missing[:MOST]}, and has {len(unknown)} that are not in the "
            f"journal, {unknown[:MOST]}; the journal ends with {max(journal, default=0)}"
        )
    different = (seq for seq, event in journal.items() if seq in shown and not same_event(event, shown[seq]))
    problems += [
        f"event {seq} is {journal[seq]!r}, and the display has {shown[seq]!r}" for seq in islice(different, MOST)
    ]
    return problems
