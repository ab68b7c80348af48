"""The alerts that stand, by the events that raise and end them."""

from typing import NamedTuple

from simulator.reckoner.mismatch import Json, MismatchError


class RaisedAlert(NamedTuple):
    kind: str
    stops: bool
    """The round cannot go on while it stands."""
    seq: int
    event: Json


class AlertBook:
    def __init__(self) -> None:
        self.standing: dict[int, RaisedAlert] = {}
        self._last_number = 0

    def raised(self, event: Json) -> None:
        number = event["alert"]["number"]
        if number <= self._last_number:
            raise MismatchError(f"alert {number} is raised after alert {self._last_number}")
        self._last_number = number
        self.standing[number] = RaisedAlert(
            event["alert"]["kind"], event["alert"]["severity"] == "stops", event["seq"], event
        )

    def ended(self, event: Json) -> None:
        number, kind = event["alert"]["number"], event["alert"]["kind"]
        raised = self.standing.pop(number, None)
        if raised is None:
            raise MismatchError(f"alert {number} ended without standing")
        if (raised.kind, raised.seq) != (kind, event["replaces"]):
            raise MismatchError(f"alert {number} was {raised.kind}, event {raised.seq}; it ended as {event}")

    def go_on_in_new_journal(self) -> None:
        self.standing = {number: raised._replace(seq=0) for number, raised in self.standing.items()}

    @property
    def stopping(self) -> list[str]:
        return [raised.kind for raised in self.standing.values() if raised.stops]
