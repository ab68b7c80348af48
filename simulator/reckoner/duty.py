"""The dealer on duty, by the events alone: whose acts are recorded, who deals each round, and who must burn a card."""

from simulator.reckoner.mismatch import Json, MismatchError


class DutyBook:
    def __init__(self) -> None:
        self.on_duty: str | None = None
        self._signs_in = False
        """The house asks dealers to sign in, in this shoe,"""
        self._burns = False
        """and a new one to burn a card."""
        self._dealt_by: str | None = None
        """Who began the last round, or burned a card since."""
        self.waits = False
        """Wagers are closed, and no card of the round has come."""
        self._alert_owed = False
        """A round was begun without the burned card, and no alert says so yet."""
        self.wants_dealer = False
        """Whether the program that runs the table stops a round that begins with nobody on duty."""
        self._dealer_owed = False
        """One began so, and no alert says so yet."""
        self._last_act: Json | None = None
        self._last_burn = 0
        """The event that tells of a card which a new dealer burned."""

    @property
    def _burn_is_due(self) -> bool:
        return self._burns and None not in (self.on_duty, self._dealt_by) and self.on_duty != self._dealt_by

    def shoe_opened(self, event: Json) -> None:
        rules = event.get("rules") or {}
        self._signs_in = rules.get("dealer_signs_in", False)
        self._burns = rules.get("new_dealer_burns", False)
        self._dealt_by, self.waits, self._alert_owed, self._dealer_owed = None, False, False, False
        by = event["opened_by"]
        acted = self._last_act
        by_dealer = acted is not None and acted["seq"] == event["seq"] - 1 and acted["role"] == "dealer"
        if self._signs_in and by_dealer and by["code"] == "person" and by["person"] != self.on_duty:
            raise MismatchError(f"{by['person']} opened a shoe, and {self.on_duty} is on duty")

    def acted(self, event: Json) -> None:
        self._last_act = event
        name = event["act"]["act"]
        needs_duty = name == "sign_out" or (self._signs_in and name not in ("sign_in", "blink_shoe"))
        if event["role"] == "dealer" and needs_duty and event["person"] != self.on_duty:
            raise MismatchError(f"{event['person']} did {name} as the dealer, and {self.on_duty} is on duty")

    def changed(self, event: Json) -> None:
        if event["before"] != self.on_duty or event["dealer"] == self.on_duty:
            raise MismatchError(f"{event} follows while {self.on_duty} is on duty")
        self.on_duty = event["dealer"]
        acted = self._last_act
        signed_in = acted is not None and acted["seq"] == event["seq"] - 1 and acted["act"]["act"] == "sign_in"
        if self.on_duty is not None and not (signed_in and acted is not None and acted["person"] == self.on_duty):
            raise MismatchError(f"{self.on_duty} is on duty without having signed in")

    def wagers_closed(self, event: Json) -> None:
        self.named(event)
        self.waits = True
        if event["closed_by"]["code"] == "first_card_drawn":
            self._begin()

    def named(self, event: Json) -> None:
        """An event of a round that names the dealer."""
        if event.get("dealer") != self.on_duty:
            raise MismatchError(f"{event['fact']} names {event.get('dealer')}, and {self.on_duty} is on duty")

    def voided(self, *, replay: bool) -> None:
        """The round is over, or is dealt again."""
        self.waits = replay

    def card(self) -> None:
        """A card of the round has come, or one that was set aside."""
        if self.waits:
            self._begin()
        if self._alert_owed:
            raise MismatchError(f"{self.on_duty} has taken over and dealt without burning a card, and nothing says so")
        if self._dealer_owed:
            raise MismatchError("a round is dealt with nobody on duty, and nothing says so")

    def alert(self, event: Json) -> None:
        kind = event["alert"]["kind"]
        if kind in ("burn_due", "nobody_on_duty") and self.waits:
            self._begin()
        if kind == "nobody_on_duty":
            if self.on_duty is not None:
                raise MismatchError(f"{event} is raised, and {self.on_duty} is on duty")
            self._dealer_owed = False
        elif kind == "burn_due":
            if not self._alert_owed:
                raise MismatchError(f"{event} is raised, and no card had to be burned")
            self._alert_owed = False
        elif kind == "burned_between_rounds" and self._last_burn == event["seq"] - 1:
            raise MismatchError(f"{event} is raised about the card that a new dealer burns")

    def burned(self, event: Json) -> None:
        if event["to_burn"] is None and self._burn_is_due:
            self._last_burn = event["seq"]
            self._dealt_by = self.on_duty

    def go_on_in_new_journal(self) -> None:
        self.on_duty = self._last_act = None
        self._last_burn = 0

    def _begin(self) -> None:
        self.waits = False
        self._alert_owed = self._burn_is_due
        self._dealer_owed = self.wants_dealer and self._signs_in and self.on_duty is None
        self._dealt_by = self.on_duty or self._dealt_by
