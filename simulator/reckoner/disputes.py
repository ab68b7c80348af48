"""Disputes that are open, and payments that were put right by hand."""

from simulator.reckoner.mismatch import Json, MismatchError


class DisputeBook:
    def __init__(self) -> None:
        self.open: dict[int, Json] = {}
        self.adjusted = 0
        """Paid less collected, in all."""
        self._last_number = 0
        self._unwarned: list[int] = []
        """Disputes that were open when a shoe ended, and of which no alert says so."""
        self._is_over = False
        """The shoe has ended, and the next one is not open."""
        self.warns_after_end = False
        """Whether the inputs say of the program that runs that a dispute opened after the end of a shoe warns too."""

    def noted(self, event: Json, acted: Json) -> None:
        if event["text"] != acted["reason"] or not event["text"].strip():
            raise MismatchError(f"{event} is not what was noted: {acted}")
        _check_round(event, event["of_shoe"], event["of_round"], acted["act"])

    def opened(self, event: Json, acted: Json) -> None:
        dispute = event["dispute"]
        self._last_number += 1
        right = {"number": self._last_number, "seat": acted["act"]["seat"], "text": acted["reason"]}
        if dispute != dispute | right | {"person": acted["person"], "time": event["time"]}:
            raise MismatchError(f"{event} is not the dispute that was opened: {acted}")
        _check_round(event, dispute["shoe"], dispute["round"], acted["act"])
        self.open[dispute["number"]] = dispute
        if self._is_over and self.warns_after_end:
            self._unwarned.append(dispute["number"])

    def closed(self, event: Json, acted: Json) -> None:
        dispute = self.open.pop(acted["act"]["dispute"], None)
        if event["dispute"] != dispute or event["decision"] != acted["reason"]:
            raise MismatchError(f"{event} closes something else than {dispute}, or otherwise: {acted}")

    def adjust(self, event: Json, acted: Json) -> None:
        act = acted["act"]
        if (event["seat"], event["amount"]) != (act["seat"], act["amount"]) or not event["amount"]:
            raise MismatchError(f"{event} is not what was decided: {acted}")
        _check_round(event, event["of_shoe"], event["of_round"], act)
        self.adjusted += event["amount"]

    def shoe_ended(self, *, warned: bool) -> None:
        self._unwarned = [] if warned else list(self.open)
        self._is_over = True

    def shoe_goes_on(self) -> None:
        """Its last result was taken back."""
        self._is_over = False

    def alert_raised(self, alert: Json) -> None:
        if alert["kind"] == "dispute_open":
            if alert["detail"]["disputes"] != sorted(self.open):
                raise MismatchError(f"{alert} lists others than {sorted(self.open)}")
            self._unwarned = []

    def shoe_opened(self) -> None:
        self._is_over = False
        self.check_warned()

    def check_warned(self) -> None:
        if self._unwarned:
            raise MismatchError(f"a shoe has ended silently while disputes are open: {self._unwarned}")


def _check_round(event: Json, shoe: int, number: int, act: Json) -> None:
    """Whether the round is the one that the act names; where it names none, the one on the table."""
    named = (event["shoe"] if act["shoe"] is None else act["shoe"], act["round"])
    meant = (event["shoe"], event["round"]) if act["shoe"] is None and act["round"] is None else named
    if (shoe, number) != meant:
        raise MismatchError(f"{event} is about another round than {act} names")
