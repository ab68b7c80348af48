"""The virtual dealer: looks at the shoe, decides what a dealer would do next, and takes a person's time to do it.

He announces a new shoe, burns, deals by the rules, presses for the result, waits for the wagers, changes the cards
after the cut card, and clears faults. While the gate is locked, the lid open or the line behind, he waits. Pure: he
names the time of his next act; `emulation.py` calls him then and does the act.
"""

import random
from enum import Enum

import msgspec

from firmware_protocol.events import FaultCode
from simulator.firmware import ShoeFirmware, Stage
from simulator.virtual_shoe import VirtualShoe

AS_FAST_AS_THE_LINE = float("inf")
"""A speed without pauses other than the line's own."""


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds a person takes, on average."""

    card: float = 2.5
    burn: float = 1.2
    result: float = 3.0
    wagers: float = 18.0
    """From one result to the first card of the next round."""
    new_cards: float = 45.0
    mend: float = 5.0
    """To notice that something is wrong, and to put it right."""
    unevenness: float = 0.3
    """How far each may deviate from the average, as a fraction of it."""


HUMAN = Pace()


class Act(Enum):
    """What the dealer does next."""

    ANNOUNCE = "announces the new shoe"
    DRAW = "draws a card"
    BURN = "burns a card"
    BEGIN = "begins the next round"
    RESULT = "presses for the result"
    BURN_EXTRA = "burns the extra card"
    CARRY_OVER = "keeps the extra card for the next round"
    MEND = "clears the shoe's faults"
    END_BY_FORCE = "ends the round by force"
    OPEN_LID = "opens the lid"
    NEW_CARDS = "loads new cards"
    CLOSE_LID = "closes the lid"


class Dealer:
    """Deals `shoes` shoes, or without end."""

    def __init__(self, *, pace: Pace, speed: float, shoes: int | None, generator: random.Random) -> None:
        self.speed = speed
        self.carries_over = False
        """Whether an extra card is carried over or burned."""
        self.finished = False
        self.next_act: Act | None = None
        self.latest = 0.0
        """The longest delay of an act in seconds: an overloaded machine shows here."""
        self._pace = pace
        self._shoes = shoes
        self._random = generator
        self._act_at: float | None = None
        self._changing_cards = False

    # --- when --------------------------------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        return self._act_at

    def look(self, shoe: VirtualShoe, now: float) -> None:
        """Decide again what comes next, and when, after something has happened."""
        act = self._think(shoe)
        if act is None:
            self.next_act = self._act_at = None
        elif act is not self.next_act:
            self.next_act = act
            self._act_at = now + self._pause(act)

    def due(self, now: float) -> Act | None:
        """Return the act that is due; the owner does it and then calls `look`."""
        if self.next_act is None or self._act_at is None or now < self._act_at:
            return None
        self.latest = max(self.latest, now - self._act_at)
        act, self.next_act, self._act_at = self.next_act, None, None
        if act is Act.OPEN_LID:
            self._changing_cards = True
        elif act is Act.CLOSE_LID:
            self._changing_cards = False
        return act

    def rest(self) -> None:
        """Drop the planned act; the next `look` plans again."""
        self.next_act = self._act_at = None

    def _pause(self, act: Act) -> float:
        if self.speed == AS_FAST_AS_THE_LINE:
            return 0.0
        pace = self._pace
        match act:
            case Act.BURN:
                average = pace.burn
            case Act.BEGIN:
                average = pace.wagers
            case Act.RESULT:
                average = pace.result
            case Act.BURN_EXTRA | Act.CARRY_OVER | Act.MEND | Act.END_BY_FORCE:
                average = pace.mend
            case Act.NEW_CARDS:
                average = pace.new_cards
            case _:
                average = pace.card
        return average * self._random.uniform(1 - pace.unevenness, 1 + pace.unevenness) / self.speed

    # --- what --------------------------------------------------------------------------------------------------

    def _think(self, shoe: VirtualShoe) -> Act | None:
        """The next act in the shoe's present state; `None` while he must wait."""
        if self.finished or not shoe.powered or not shoe.line.has_room:
            return None
        if self._changing_cards:
            cards_in = shoe.lid_open and not shoe.announced
            return Act.CLOSE_LID if cards_in else Act.NEW_CARDS if shoe.lid_open else Act.OPEN_LID
        if shoe.firmware.standing or shoe.firmware.spoilt:
            return self._mend(shoe.firmware)
        if shoe.firmware.stage is Stage.COMPLETE:
            return Act.RESULT
        return self._go_on(shoe)

    def _mend(self, firmware: ShoeFirmware) -> Act:
        if FaultCode.OVER_DRAW in firmware.standing:
            return Act.CARRY_OVER if self.carries_over else Act.BURN_EXTRA
        return Act.MEND if firmware.standing else Act.END_BY_FORCE

    def _go_on(self, shoe: VirtualShoe) -> Act | None:
        """The next act when nothing is wrong: the next card, or new cards."""
        stage = shoe.firmware.stage
        if stage is not Stage.DEALING and self._dealt_out(shoe):
            self.finished = self._shoes is not None and shoe.shoes_loaded >= self._shoes
            return None if self.finished else Act.OPEN_LID
        if not shoe.announced:
            return Act.ANNOUNCE
        if shoe.why_no_card is not None or shoe.pulling_in_vain:
            return None
        if stage is Stage.READY:
            return Act.BURN if shoe.firmware.burn_next else Act.BEGIN
        return Act.DRAW if stage is Stage.DEALING else Act.BURN

    def _dealt_out(self, shoe: VirtualShoe) -> bool:
        """The round after the cut card was the last. Without a cut card, the last card is."""
        if shoe.cards_inside == 0 and shoe.firmware.carried is None:
            return True
        return shoe.last_round is not None and shoe.firmware.rounds >= shoe.last_round
