"""A table whose reader is dead: people deal on from the same shoe, and the dealer enters each card that they see.

hand = HandDealer(staff…)
hand.begin(back_first=True)     the cable is out; a supervisor has the cards entered
hand.go_back()                  the cable is in again, before or after the supervisor ends it
"""

import random
from collections.abc import Callable
from contextlib import suppress

from firmware_protocol.cards import Card
from firmware_protocol.events import Button
from shoe_controller.messages.retained import TableView
from simulator.emulation import Emulation
from simulator.firmware import Stage
from simulator.virtual_shoe import CannotError
from tests.simulation.cable import Cable
from tests.simulation.shoe_keeper import takes_supervisor

ENTER_WITHIN = 4
"""So many cards may lie there that nobody has entered; then something is wrong, and the round is voided."""
WRONGLY = 0.04
"""Of so many cards people enter another one; in half the cases they see it at once."""

CUT_CARD_ENTERED = 0.3
"""How likely the cut card is entered at a look."""

_IN_STEP = {
    "first_card": (Stage.FIRST_CARD,),
    "burning": (Stage.BURNING,),
    "betting": (Stage.READY,),
    "closed": (Stage.READY,),
    "dealing": (Stage.DEALING,),
}
"""Where the shoe stands when the next card is drawn for a table in this phase."""

Do = Callable[[TableView, str, dict[str, object]], None]


class HandDealer:
    def __init__(
        self,
        cable: Cable,
        chance: random.Random,
        *,
        to_enter: Callable[[], list[Card]],
        deal: Do,
        supervise: Do,
        void: Callable[[TableView], None],
        mistaken: Callable[[TableView, int, Card], None],
    ) -> None:
        self.wanted = False
        """Whether the reader is dead."""
        self._back_first = False
        self._cable = cable
        self._chance = chance
        self._to_enter = to_enter
        """The cards that left the shoe and that nobody has entered."""
        self._deal = deal
        self._supervise = supervise
        self._void = void
        self._mistaken = mistaken
        self.rests = False
        """The emulator's own dealer does nothing, because people deal from its shoe."""

    @property
    def _emulation(self) -> Emulation:
        return self._cable.emulation

    def begin(self, *, back_first: bool) -> None:
        self.wanted = True
        self._back_first = back_first
        self._rest(rests=True)
        self._cable.pull()

    def go_back(self) -> None:
        self.wanted = False
        if self._back_first:
            self._cable.plug_in()

    @property
    def is_over(self) -> bool:
        return not self.wanted and not self.rests

    def _rest(self, *, rests: bool) -> None:
        """The emulator's own dealer does nothing meanwhile."""
        self.rests = rests
        self._cable.do(lambda now: self._emulation.let_dealer(now, deal=not rests))

    # --- what comes next ----------------------------------------------------------------------------------------------

    def act(self, view: TableView, waited: float, *, bets_by_dealer: bool) -> bool:
        """Whether people have something to do with dealing by hand; nothing else is done then."""
        if self.wanted and not view.hand_entry:
            self._supervise(view, "begin_hand_entry", {})
            return True
        if not view.hand_entry:
            if not self.wanted and self.rests and not self._cable.plugged:
                self._cable.plug_in()
            if not self.wanted and self.rests:
                self._rest(rests=False)
            return False
        if not self.wanted and view.phase in ("no_shoe", "betting", "ended") and not self._to_enter():
            self._supervise(view, "end_hand_entry", {})
        else:
            self._go_on(view, waited, bets_by_dealer=bets_by_dealer)
        return True

    def _go_on(self, view: TableView, waited: float, *, bets_by_dealer: bool) -> None:
        cards = self._to_enter()
        if view.phase in ("no_shoe", "ended"):
            self._new_shoe(view, cards)
        elif view.phase == "complete" and len(cards) < ENTER_WITHIN + 1:
            self._press(Button.RESULT)
            self._deal(view, "confirm", {})
        elif len(cards) > ENTER_WITHIN:
            # The shoe went on without the table: what lies there belongs to no round that anybody knows.
            self._enter(view, cards[0])
        elif view.phase == "betting" and bets_by_dealer and not view.free:
            if waited > 3:
                self._deal(view, "no_more_bets", {})
        elif cards:
            self._enter(view, cards[0])
        elif self._sees_cut_card(view):
            self._deal(view, "deal_card", {"cut_card": True})
        elif view.phase != "betting" or waited > 3:
            self._draw(view)

    def _sees_cut_card(self, view: TableView) -> bool:
        """The cut card lies there, and the table does not know of it; now and then nobody enters it."""
        came = self._emulation.shoe.last_round is not None and view.last_round is None
        return came and self._chance.random() < CUT_CARD_ENTERED

    def _new_shoe(self, view: TableView, cards: list[Card]) -> None:
        shoe = self._emulation.shoe
        if cards or (shoe.announced and not shoe.lid_open and shoe.firmware.stage is Stage.FIRST_CARD):
            open_shoe = self._supervise if takes_supervisor(view) else self._deal
            open_shoe(view, "open_shoe", {})
            return
        if shoe.firmware.in_round:
            self._press(Button.RESULT, held=True)
        self._cable.do(self._emulation.new_cards)
        self._press(Button.NEW_SHOE)

    def _enter(self, view: TableView, card: Card) -> None:
        said = card
        if view.phase in ("closed", "dealing") and self._chance.random() < WRONGLY:
            said = self._chance.choice(list(Card))
            if self._chance.random() < 0.5:
                self._mistaken(view, len(view.cards) + 1, card)
        details: dict[str, object] = {"card": said.value}
        if view.phase == "burning" and self._chance.random() < 0.5:
            details = {}
        self._deal(view, "deal_card", details)

    def _draw(self, view: TableView) -> None:
        shoe = self._emulation.shoe
        firmware = shoe.firmware
        if not shoe.powered or shoe.lid_open:
            return
        if not shoe.cards_inside:
            self._give_up_cards(view)
            return
        if firmware.standing:
            self._cable.do(self._emulation.clear)
        laid = [dealt.place.hand.value for dealt in firmware.table] if firmware.in_round else []
        agree = firmware.stage in _IN_STEP.get(view.phase, ()) and (
            view.phase != "dealing" or laid == [card.hand.value for card in view.cards]
        )
        if firmware.stage is Stage.COMPLETE and view.phase in ("betting", "closed"):
            self._press(Button.RESULT)
        elif not agree:
            self._get_in_step(view)
        else:
            if shoe.gate_locked:
                self._cable.do(self._emulation.turn_gate_key)
            with suppress(CannotError):
                self._cable.do(self._emulation.draw)

    def _get_in_step(self, view: TableView) -> None:
        """The shoe counts another round than the table: both are ended."""
        if self._emulation.shoe.firmware.in_round:
            self._press(Button.RESULT, held=True)
        if view.phase in ("closed", "dealing"):
            self._void(view)
        elif self._emulation.shoe.firmware.stage in (Stage.FIRST_CARD, Stage.BURNING) or view.phase in (
            "first_card",
            "burning",
        ):
            self._supervise(view, "end_shoe", {})

    def _give_up_cards(self, view: TableView) -> None:
        """The shoe is empty, which nothing but the people can see: the round is void, and the shoe is over."""
        if view.phase in ("closed", "dealing"):
            self._void(view)
        else:
            self._supervise(view, "end_shoe", {})

    def _press(self, button: Button, *, held: bool = False) -> None:
        with suppress(CannotError):
            self._cable.do(lambda now: self._emulation.press(button, now, held=held))
