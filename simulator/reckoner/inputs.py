"""What a table was given, as its journal stores it: no report of the shoe and no request may be stored twice."""

from collections import Counter
from collections.abc import Sequence

from simulator.reckoner.mismatch import Json, MismatchError

REFUSALS = ("wrong_pin",)
"""Events after which a request has done nothing."""


def cause_of(given: Json | None) -> Json | None:
    """What came in: a new shoe is opened by a report of the shoe or by an act."""
    if given is not None and given["input"] == "new_shoe":
        cause: Json = given["cause"]
        return cause
    return given


class InputBook:
    def __init__(self, *, keeps_events: bool) -> None:
        self._keeps_events = keeps_events
        """The shoe numbers its events for ever, and sends again what was not acknowledged."""
        self._events: dict[tuple[int | None, int], list[Json]] = {}
        """By power-up and number, which a shoe that was wiped may use again for another one."""
        self._requests: set[str] = set()

    def take(self, given: Json | None, events: Sequence[Json]) -> None:
        """`given` came in, and these events followed from it."""
        if given is None:
            return
        cause = cause_of(given)
        if cause is not None and cause["input"] == "shoe_report" and self._keeps_events:
            self._take_report(cause)
        elif given.get("request_id") and any(event["fact"] not in REFUSALS for event in events):
            if given["request_id"] in self._requests:
                raise MismatchError(f"a request was carried out twice: {given}")
            self._requests.add(given["request_id"])

    def _take_report(self, report: Json) -> None:
        """What is equal in content counts once; what came again was there before."""
        number, event = (report.get("boot_id"), report["sequence"]), report["event"]
        stored = self._events.setdefault(number, [])
        if event["event"] == "came_again":
            if event["what"] not in stored:
                raise MismatchError(f"event {number} of the shoe came again, and was never stored: {report}")
        elif event in stored:
            raise MismatchError(f"event {number} of the shoe is stored twice: {report}")
        else:
            stored.append(event)


def request_problems(events: Sequence[Json], accepted: Sequence[int], unanswered: Sequence[int]) -> list[str]:
    """Where every request for wagers asks for a total of its own: one that was accepted was carried out once.

    One that was not answered was carried out once or not at all; others were refused.
    """
    done = Counter(event["total"] for event in events if event["fact"] == "wagers_changed" and event["total"])
    lost = [f"the accepted wagers of {total} in all are not there once" for total in accepted if done[total] != 1]
    twice = [f"the wagers of {total} in all are there twice" for total in unanswered if done[total] > 1]
    unknown = sorted(set(done) - set(accepted) - set(unanswered))
    return lost + twice + [f"wagers of {total} in all are there, which no one asked for" for total in unknown]
