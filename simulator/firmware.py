"""The shoe's firmware: whose card comes next, what is disclosed when, which faults are standing.

It sees what a reader at the exit of the shoe can see (a card passed), the buttons and the lid; it follows the drawing
rules to know the place of each card, and reports everything through its `ShoeLine`. Stages:

    FIRST_CARD  a new shoe: the first card shows how many are burned
    BURNING     that many cards go face down to the discards
    READY       the next card begins a round
    DEALING     a round is being dealt
    COMPLETE    the rules allow no more cards: the dealer presses for the result
"""

from enum import Enum

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CardReturned,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    GateChanged,
    Hand,
    Health,
    LidChanged,
    Misread,
    ResultIndicated,
    Standby,
)
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.sides import Side
from simulator.decks import Piece
from simulator.laid_cards import (
    UNDISCLOSED,
    DisclosedCard,
    LaidCard,
    Place,
    RuledResult,
    cards_to_burn,
    fully_disclosed,
    outcome_of,
)
from simulator.shoe_line import ShoeLine
from simulator.truth import Reading

GOOD_SUPPLY, LOW_SUPPLY = 5021, 4380
"""Millivolts of a supply of 5 V."""

_HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}


class Stage(Enum):
    FIRST_CARD = "first card of a new shoe"
    BURNING = "burning"
    READY = "ready for the next round"
    DEALING = "dealing"
    COMPLETE = "round complete"


class ShoeFirmware:
    def __init__(self, line: ShoeLine) -> None:
        self._line = line
        self.stage = Stage.FIRST_CARD
        self.burns_left = 0
        self.burn_next = False
        """The burn button was pressed between two rounds: the next card is burned."""
        self.cards_since_load = 0
        self.rounds = 0
        """Rounds begun with the current cards."""
        self.standing: dict[FaultCode, bool] = {}
        """Faults that were reported and not cleared, and whether each stopped the shoe."""
        self.table: list[LaidCard] = []
        """The cards of the current round, in drawing order."""
        self.extras: list[LaidCard] = []
        """Cards drawn outside the round, until a person burns or keeps them."""
        self.carried: Piece | None = None
        """The over-drawn card that will begin the next round."""
        self.spoilt = False
        """The round contains a card that the rules or the reader cannot account for: it can only be ended by force."""
        self.low_voltage = False
        """The supply is too low, which was reported. It is well again when the supply is: nobody clears it."""
        self.unreported = 0
        """Events that a full store could not keep."""
        self._deal = Deal()

    @property
    def stopped(self) -> bool:
        return any(self.standing.values())

    @property
    def next_side(self) -> Side | None:
        """Whose card is next in a round; `None` outside one and when it is complete."""
        if self.stage is Stage.READY:
            return Side.PLAYER
        return self._deal.next_side if self.stage is Stage.DEALING else None

    @property
    def why(self) -> AnyReason:
        """Why that card is next."""
        return self._deal.why

    @property
    def in_round(self) -> bool:
        return self.stage in (Stage.DEALING, Stage.COMPLETE)

    def hand(self, hand: Hand) -> tuple[Card, ...]:
        """The cards of one hand."""
        return tuple(dealt.piece.card for dealt in self.table if dealt.place.hand is hand)

    # --- power -------------------------------------------------------------------------------------------------

    def restarted(self) -> bool:
        """Handle a restart. The stage of the shoe is kept, the round is lost; True if there was one."""
        forgotten = self.in_round
        if forgotten:
            self.stage = Stage.READY
        self._forget_round()
        self.standing.clear()
        self.extras.clear()
        self.carried = None
        self.low_voltage = False
        self.burn_next = False
        return forgotten

    def _forget_round(self) -> None:
        self.table = []
        self.spoilt = False
        self._deal = Deal()

    # --- cards -------------------------------------------------------------------------------------------------

    def card_passed(self, piece: Piece, reading: Reading, now: float, *, out_of_turn: bool = False) -> Place:
        """Handle a card that has left the shoe; return where it belongs."""
        self.cards_since_load += 1
        if self.stopped or self.stage is Stage.COMPLETE:
            return self._extra_card(piece, reading, now)
        match self.stage:
            case Stage.FIRST_CARD:
                return self._first_card(piece, now)
            case Stage.BURNING:
                return self._burned(piece, now)
            case Stage.READY if self.burn_next:
                return self._burned_between_rounds(piece, reading, now)
            case _:
                return self._card_of_round(piece, reading, now, out_of_turn=out_of_turn)

    def _first_card(self, piece: Piece, now: float) -> Place:
        # Both ways of disclosing show the first card of a shoe: it determines the burn.
        self._report_drawn(Place(Hand.BURN), fully_disclosed(piece), now, first_of_shoe=True)
        self.burns_left = cards_to_burn(piece.card)
        self.stage = Stage.BURNING
        self._report(Burn(cards=self.burns_left), now)
        return Place(Hand.BURN)

    def _burned(self, piece: Piece, now: float) -> Place:
        self.burns_left -= 1
        self._report_drawn(Place(Hand.BURN), self._disclosed(piece, Reading.READ), now, burns_left=self.burns_left)
        if not self.burns_left:
            self.stage = Stage.READY
            self._report(Standby(), now)
        return Place(Hand.BURN, burns_left=self.burns_left)

    def _burned_between_rounds(self, piece: Piece, reading: Reading, now: float) -> Place:
        self.burn_next = False
        self._report_drawn(Place(Hand.BURN), self._disclosed(piece, reading), now)
        return Place(Hand.BURN)

    def _card_of_round(self, piece: Piece, reading: Reading, now: float, *, out_of_turn: bool) -> Place:
        side = self._begin_or_go_on()
        if out_of_turn:
            side = Side.BANKER if side is Side.PLAYER else Side.PLAYER
            self.spoilt = True
        place = self._lay(piece, side, reading)
        disclosed = self._disclosed(piece, reading)
        match reading:
            case Reading.READ | Reading.HIDDEN:
                self._report_drawn(place, disclosed, now)
            case Reading.FOREIGN:
                self._report(
                    ForeignCard(
                        hand=place.hand,
                        position=place.position,
                        card=disclosed.card,
                        card_id=piece.card_id,
                        deck_set=piece.deck_set,
                    ),
                    now,
                )
                self._stop(FaultCode.FOREIGN_CARD, now)
            case Reading.UNREAD:
                self._report(Misread(hand=place.hand, position=place.position), now)
                self._stop(FaultCode.UNREADABLE, now)
            case Reading.WITH_ANOTHER:
                unread = Misread(hand=place.hand, position=place.position)
                self._report(DoubleFeed(cards=2) if self._line.is_native else unread, now)
                self._stop(FaultCode.UNREADABLE, now)
        return place

    def use_carried(self, now: float) -> Piece:
        """Begin the round with the carried-over card; nothing leaves the shoe for it."""
        piece = self.carried
        if piece is None:
            raise RuntimeError("no card is carried over")
        self.carried = None
        place = self._lay(piece, self._begin_or_go_on(), Reading.READ)
        self._report_drawn(place, self._disclosed(piece, Reading.READ), now, carried_over=True)
        return piece

    def _begin_or_go_on(self) -> Side:
        if self.stage is Stage.READY:
            self.stage = Stage.DEALING
            self.rounds += 1
            self._forget_round()
        side = self._deal.next_side
        if side is None:
            raise RuntimeError("the round is complete")
        return side

    def _lay(self, piece: Piece, side: Side, reading: Reading) -> Place:
        hand = _HANDS[side]
        place = Place(hand, len(self.hand(hand)) + 1)
        # The deal goes on by the face on the table, which the people there can see even if the reader could not.
        self._deal.feed(piece.card)
        disclosed = self._disclosed(piece, reading) != UNDISCLOSED
        self.table.append(LaidCard(piece, place, reading, disclosed))
        if self._deal.complete:
            self.stage = Stage.COMPLETE
        return place

    def _extra_card(self, piece: Piece, reading: Reading, now: float) -> Place:
        place = Place(Hand.EXTRA)
        if self.stage is Stage.COMPLETE and FaultCode.OVER_DRAW not in self.standing and not self.stopped:
            self._fault(FaultCode.OVER_DRAW, now, stopped=False)
        disclosed = self._disclosed(piece, reading)
        self._report_drawn(place, disclosed, now)
        self.extras.append(LaidCard(piece, place, reading, disclosed=disclosed != UNDISCLOSED))
        return place

    def _disclosed(self, piece: Piece, reading: Reading) -> DisclosedCard:
        """Face and numbers, as far as they are disclosed at the draw."""
        if reading in (Reading.READ, Reading.FOREIGN) and self._line.settings.disclosing is Disclosing.AT_DRAW:
            return fully_disclosed(piece)
        return UNDISCLOSED

    def pushed_back(self, piece: Piece, now: float, *, half_way: bool) -> None:
        """Handle a card pushed back: at the exit it had passed the reader already, half way it had not."""
        disclosed = UNDISCLOSED if half_way else self._disclosed(piece, Reading.READ)
        self._report(CardReturned(card=disclosed.card, card_id=disclosed.card_id), now)
        code = FaultCode.PUSHED_BACK_HALF_WAY if half_way else FaultCode.PUSHED_BACK_AT_EXIT
        self._fault(code, now, stopped=False)

    def cut_card_passed(self, now: float) -> None:
        self._report(CutCard(), now)

    def nothing_came(self, now: float) -> None:
        """Handle a draw time-out: the dealer has been pulling, and no card passed."""
        self._stop(FaultCode.DRAW_TIMEOUT, now)

    def jammed(self, now: float) -> None:
        """Handle a card that sticks in the exit. The round can go on when the jam is cleared."""
        self._fault(FaultCode.JAM if self._line.is_native else FaultCode.DRAW_TIMEOUT, now, stopped=True)

    # --- buttons, lid, gate, supply ----------------------------------------------------------------------------

    def result_pressed(self, now: float, *, by_force: bool) -> RuledResult | None:
        """Handle the result button; held down, it ends the round by force. Return the result, if there is one."""
        self._report(ButtonPressed(button=Button.RESULT), now)
        if by_force and self.in_round:
            return self._end_round(now)
        if self.stage is not Stage.COMPLETE or FaultCode.OVER_DRAW in self.standing or self.stopped:
            self._fault(FaultCode.BUTTON_MISUSED, now, stopped=False)
            return None
        return self._end_round(now)

    def _end_round(self, now: float) -> RuledResult | None:
        outcome = None if self.spoilt or not self._deal.complete else outcome_of(self._deal)
        for dealt in self.table:
            if not dealt.disclosed and dealt.reading in (Reading.READ, Reading.HIDDEN):
                self._report_identified(dealt, now)
        if outcome is None:
            self._report(ResultIndicated(winner=None), now)
        else:
            self._report(
                ResultIndicated(
                    winner=outcome.winner,
                    player_pair=outcome.player_pair,
                    banker_pair=outcome.banker_pair,
                    banker_six=outcome.banker_six,
                ),
                now,
            )
        self._report(Standby(), now)
        self.stage = Stage.READY
        self.spoilt = False
        return outcome

    def new_shoe(self, now: float) -> bool:
        """Handle the new-shoe button; True if it broke off a round."""
        self.clear(now)
        self._line.start_anew(now)
        self._report(ButtonPressed(button=Button.NEW_SHOE), now)
        broken_off = self.in_round
        self._forget_round()
        self.carried = None
        self.burn_next = False
        self.stage = Stage.FIRST_CARD
        self.rounds = self.cards_since_load = 0
        return broken_off

    def burn_pressed(self, now: float) -> None:
        """Handle the burn button: extra cards are burned, or between two rounds the next card is."""
        self.other_button(Button.BURN, now)
        if self.extras:
            self.clear(now)
        elif self.stage is Stage.READY and not self.stopped:
            self.burn_next = True

    def other_button(self, button: Button, now: float) -> None:
        self._report(ButtonPressed(button=button), now)

    def clear(self, now: float, *, only: FaultCode | None = None, carry_over: bool = False) -> None:
        """Clear faults. Extra cards are burned, or the first of them begins the next round."""
        if only is None or only is FaultCode.OVER_DRAW:
            if carry_over and self.extras and FaultCode.OVER_DRAW in self.standing:
                self.carried = self.extras.pop(0).piece
            for dealt in self.extras:
                if not dealt.disclosed and dealt.reading is Reading.READ:
                    self._report_identified(dealt, now)
            self.extras.clear()
        for code in [code for code in self.standing if only in (None, code)]:
            del self.standing[code]
            self._report(FaultCleared(code=code), now)

    def lid_moved(self, now: float, *, opened: bool) -> None:
        self._report(LidChanged(opened=opened), now)

    def gate_moved(self, now: float, *, locked: bool) -> None:
        self._report(GateChanged(locked=locked), now)

    def gate_forced(self, now: float) -> None:
        self._fault(FaultCode.GATE_FORCED, now, stopped=False)

    def supply_changed(self, now: float, *, low: bool) -> None:
        if low != self.low_voltage:
            self.low_voltage = low
            self.report_health(now)
            code = FaultCode.LOW_VOLTAGE
            self._report(Fault(code=code) if low else FaultCleared(code=code), now)

    def report_health(self, now: float) -> None:
        """Report the shoe's health, from time to time."""
        millivolts = LOW_SUPPLY if self.low_voltage else GOOD_SUPPLY
        self._report(Health(millivolts=millivolts, celsius=31, cards_since_load=self.cards_since_load), now)

    # --- reporting ------------------------------------------------------------------------------------------

    def _report_drawn(  # noqa: PLR0913 -- the three last are the rare cases, given by name
        self,
        place: Place,
        disclosed: DisclosedCard,
        now: float,
        *,
        burns_left: int | None = None,
        first_of_shoe: bool = False,
        carried_over: bool = False,
    ) -> None:
        event = CardDrawn(
            hand=place.hand,
            position=place.position,
            card=disclosed.card,
            card_id=disclosed.card_id,
            deck_set=disclosed.deck_set,
            burns_left=burns_left,
            first_of_shoe=first_of_shoe,
            carried_over=carried_over,
        )
        self._report(event, now)

    def _report_identified(self, dealt: LaidCard, now: float) -> None:
        disclosed = fully_disclosed(dealt.piece) if dealt.reading is Reading.READ else UNDISCLOSED
        event = CardIdentified(
            hand=dealt.place.hand,
            position=dealt.place.position,
            card=disclosed.card,
            card_id=disclosed.card_id,
            deck_set=disclosed.deck_set,
        )
        self._report(event, now)

    def _stop(self, code: FaultCode, now: float) -> None:
        self.spoilt = self.spoilt or self.in_round
        self._fault(code, now, stopped=True)

    def _fault(self, code: FaultCode, now: float, *, stopped: bool) -> None:
        self.standing[code] = stopped
        self._report(Fault(code=code, stopped=stopped), now)

    def _report(self, event: AnyShoeEvent, now: float) -> None:
        if not self._line.report(event, now):
            self.unreported += 1
