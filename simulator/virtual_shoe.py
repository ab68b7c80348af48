"""The physical shoe: cards in it, an exit, a gate, a lid, buttons, lamps, a plug, a power switch.

People pull cards out of it and press its buttons; the controller moves its gate and lights its lamps. Everything is
recorded in the truth and passed to the `firmware`, which reports it on the line. Pure: `now` comes in with every act.
"""

import random

from firmware_protocol.angel_eye.commands import HostCommand
from firmware_protocol.angel_eye.messages import fault_of_number
from firmware_protocol.events import Button, Hand, StartCause
from firmware_protocol.link import (
    DesireAwaited,
    DesiredShoe,
    GateLockedBySilence,
    IdentifyRequested,
    Lamp,
    LinkDown,
    LinkReport,
    LinkUp,
    ShoeNotice,
    Wanted,
)
from simulator.card_stack import CardStack
from simulator.decks import Decks, Piece
from simulator.firmware import ShoeFirmware, Stage
from simulator.laid_cards import Place
from simulator.shoe_line import ShoeLine, WireSettings
from simulator.truth import (
    AnyHappening,
    CardBack,
    CardOut,
    CardsRemoved,
    CardUsedAgain,
    CutCardOut,
    FaultsCleared,
    GateMoved,
    HostAttached,
    HostDetached,
    Identified,
    LampsChanged,
    LidMoved,
    Loaded,
    NothingCame,
    PoweredOff,
    PoweredOn,
    Pressed,
    Reading,
    RoundAbandoned,
    RoundEnded,
    TruthSink,
)

DRAW_TIMEOUT = 5.0
"""Seconds of pulling at an empty shoe after which the shoe reports a draw time-out."""
HEALTH_EVERY = 60.0
"""Seconds."""


class CannotError(Exception):
    """The shoe cannot do that in its present state; the message says why and what would help."""


class VirtualShoe:
    def __init__(  # noqa: PLR0913 -- all are needed and given by name
        self,
        *,
        wire: WireSettings,
        decks: Decks,
        cut_card: int | None,
        generator: random.Random,
        truth: TruthSink,
        now: float,
    ) -> None:
        self._truth = truth
        self._began = now
        self.line = ShoeLine(wire, generator)
        self.firmware = ShoeFirmware(self.line)
        self.powered = False
        self.gate_locked = False
        self.awaits_desire = False
        """The gate holds from power-up, and from the beginning of a session, until a desire or the key opens it."""
        self.gate_moves = 0
        """How often the gate was locked or opened: both may happen between two looks at it."""
        self.lid_open = False
        self.link_up = False
        self.lamps: frozenset[Lamp] = frozenset()
        self.next_hand: Hand | None = None
        """Whose card is next, as desired by the controller."""
        self.cards_out = 0
        """Cards that have left the shoe since the emulator started."""
        self.shoes_loaded = 0
        self.announced = False
        """The new-shoe button has been pressed since the last load."""
        self._usual_cut_card = cut_card
        self.cut_card = cut_card
        """Cards behind the cut card; `None` if there is none."""
        self.last_round: int | None = None
        """Once the cut card is out: the last round to be dealt, the one after the current."""
        self.stack = CardStack(decks)
        self._complain_at: float | None = None
        self._health_at: float | None = None
        self._put_in(decks, now, taken_out=0)
        self.power_on(StartCause.POWER_ON, now)

    # --- what can be seen --------------------------------------------------------------------------------------

    @property
    def cards_inside(self) -> int:
        return len(self.stack)

    @property
    def next_is_a_new_card(self) -> bool:
        """Whether the next draw takes a card from the shoe, and not a carried-over one from the table."""
        return len(self.stack) > 0 and not self._carries_over

    @property
    def _carries_over(self) -> bool:
        firmware = self.firmware
        return firmware.carried is not None and firmware.stage is Stage.READY and not firmware.burn_next

    @property
    def pulling_in_vain(self) -> bool:
        """The empty shoe is being pulled at, and has not reported it yet."""
        return self._complain_at is not None

    @property
    def why_no_card(self) -> str | None:
        """Why no card can be drawn just now; `None` if one can."""
        if not self.powered:
            return "the shoe has no power"
        if self.lid_open:
            return "the lid is open: close it first"
        if self._carries_over:
            return None
        if self.gate_locked or self.awaits_desire:
            return "the gate is locked: controller or key opens it"
        if self.line.store_is_full:
            return "the event store is full: no controller stores its events"
        return None

    # --- cards -------------------------------------------------------------------------------------------------

    def draw(self, now: float, *, reading: Reading = Reading.READ, out_of_turn: bool = False) -> None:
        """Pull the next card and lay it where it belongs, or to the other hand."""
        self._check_open()
        if self._carries_over:
            piece = self.firmware.use_carried(now)
            self._record(CardUsedAgain(t=self.time_of(now), card=piece.card, card_id=piece.card_id))
            return
        if not self.cards_inside:
            self._record(NothingCame(t=self.time_of(now)))
            self._complain_at = self._complain_at or now + DRAW_TIMEOUT
            return
        piece = self.stack.let_out()
        if piece.deck_set != self.stack.decks.deck_set and reading is Reading.READ:
            reading = Reading.FOREIGN
        self._gone(piece, self.firmware.card_passed(piece, reading, now, out_of_turn=out_of_turn), reading, now)
        self._maybe_cut_card(now)

    def draw_two(self, now: float) -> None:
        """Two cards stick together and leave at once."""
        self._check_open()
        if self.cards_inside < 2:
            raise CannotError("two cards cannot leave at once: there are not two in the shoe")
        piece, stuck_to_it = self.stack.let_out(), self.stack.let_out()
        place = self.firmware.card_passed(piece, Reading.WITH_ANOTHER, now)
        self._gone(piece, place, Reading.WITH_ANOTHER, now)
        self._gone(stuck_to_it, Place(Hand.EXTRA), Reading.WITH_ANOTHER, now)
        self._maybe_cut_card(now)

    def push_back(self, now: float, *, half_way: bool) -> None:
        """Pull a card, and push it back before it has left."""
        self._check_open()
        if not self.cards_inside:
            raise CannotError("no card can be pushed back: the shoe is empty")
        piece = self.stack.top
        self._record(CardBack(t=self.time_of(now), card=piece.card, card_id=piece.card_id, half_way=half_way))
        self.firmware.pushed_back(piece, now, half_way=half_way)

    def jam(self, now: float) -> None:
        """Pull a card that sticks in the exit."""
        self._check_open()
        self._record(NothingCame(t=self.time_of(now)))
        self.firmware.jammed(now)

    def _check_open(self) -> None:
        why = self.why_no_card
        if why is not None:
            raise CannotError(why)

    def _gone(self, piece: Piece, place: Place, reading: Reading, now: float) -> None:
        self.cards_out += 1
        if place.hand in (Hand.PLAYER, Hand.BANKER) and reading is Reading.READ:
            self.stack.face_was_shown(piece.card)
        self._record(
            CardOut(
                t=self.time_of(now),
                card=piece.card,
                card_id=piece.card_id,
                number=self.cards_out,
                to=place.hand,
                position=place.position,
                burns_left=place.burns_left,
                reading=reading,
            )
        )

    def _maybe_cut_card(self, now: float) -> None:
        if self.last_round is None and self.cut_card is not None and self.cards_inside <= self.cut_card:
            self.last_round = self.firmware.rounds + 1
            self._record(CutCardOut(t=self.time_of(now)))
            self.firmware.cut_card_passed(now)

    # --- all the cards -----------------------------------------------------------------------------------------

    def put_cut_card_on_top(self, now: float) -> None:
        self.cut_card = self.cards_inside
        self._maybe_cut_card(now)

    def take_out_all(self, now: float) -> None:
        """Empty the shoe by hand."""
        self._record(CardsRemoved(t=self.time_of(now), cards=self.stack.take_out_all()))

    def load(self, decks: Decks, now: float) -> None:
        """Take out what is left and put new cards in. The lid must be open for it."""
        if not self.lid_open:
            raise CannotError("new cards go in through the lid: open it first")
        self._put_in(decks, now, taken_out=self.stack.take_out_all())

    def _put_in(self, decks: Decks, now: float, *, taken_out: int) -> None:
        cards, copies, deck_set = len(decks.pieces), decks.copies, decks.deck_set
        self._record(Loaded(t=self.time_of(now), cards=cards, decks=copies, deck_set=deck_set, taken_out=taken_out))
        self.stack = CardStack(decks)
        self.cut_card = self._usual_cut_card
        self.last_round = None
        self.announced = False
        self.shoes_loaded += 1

    # --- buttons, lid, gate ------------------------------------------------------------------------------------

    def press(self, button: Button, now: float, *, held: bool = False) -> None:
        """Press a button; the result button held down ends the round by force."""
        self._check_power()
        self._record(Pressed(t=self.time_of(now), button=button, long=held))
        firmware = self.firmware
        match button:
            case Button.RESULT:
                in_round = firmware.in_round
                outcome = firmware.result_pressed(now, by_force=held)
                if in_round and not firmware.in_round:
                    self._record(
                        RoundEnded(
                            t=self.time_of(now),
                            round=firmware.rounds,
                            player=firmware.hand(Hand.PLAYER),
                            banker=firmware.hand(Hand.BANKER),
                            winner=None if outcome is None else outcome.winner,
                            player_pair=outcome is not None and outcome.player_pair,
                            banker_pair=outcome is not None and outcome.banker_pair,
                        )
                    )
            case Button.NEW_SHOE:
                self.announced = True
                round_number = firmware.rounds
                if firmware.new_shoe(now):
                    self._record(RoundAbandoned(t=self.time_of(now), round=round_number))
            case Button.BURN:
                firmware.burn_pressed(now)
            case _:
                firmware.other_button(button, now)

    def clear(self, now: float, *, carry_over: bool = False) -> None:
        """Clear the shoe's faults, as a person does."""
        self._check_power()
        self._complain_at = None
        if self.firmware.standing:
            self._record(FaultsCleared(t=self.time_of(now)))
            self.firmware.clear(now, carry_over=carry_over)

    def move_lid(self, now: float, *, opened: bool) -> None:
        if opened != self.lid_open:
            self.lid_open = opened
            self._record(LidMoved(t=self.time_of(now), opened=opened))
            if self.powered:
                self.firmware.lid_moved(now, opened=opened)

    def turn_gate_key(self, now: float) -> None:
        """Turn the gate's key, as a person does."""
        self._check_power()
        self.awaits_desire = False
        self._record(GateMoved(t=self.time_of(now), locked=not self.gate_locked, by="key"))
        self._gate_moved(now, locked=not self.gate_locked)

    def force_gate(self, now: float) -> None:
        """Push at the gate with force; it gives way, and springs back."""
        self._check_power()
        self.firmware.gate_forced(now)

    def _gate_moved(self, now: float, *, locked: bool) -> None:
        self.gate_locked = locked
        self.gate_moves += 1
        self.firmware.gate_moved(now, locked=locked)

    def _check_power(self) -> None:
        if not self.powered:
            raise CannotError("the shoe has no power")

    # --- power and plug ----------------------------------------------------------------------------------------

    def power_on(self, cause: StartCause, now: float, *, wrong_key: bool = False) -> None:
        self.powered = True
        self.line.power_up(cause, now, wrong_key=wrong_key)
        self._record(PoweredOn(t=self.time_of(now), cause=cause, boot_id=self.line.boot_id))
        if self.firmware.restarted():
            self._record(RoundAbandoned(t=self.time_of(now), round=self.firmware.rounds))
        if self.line.is_native:
            self._health_at = now + HEALTH_EVERY
            self._await_desire()

    def power_off(self, now: float) -> None:
        self.powered = False
        self.link_up = False
        self.lamps = frozenset()
        self.next_hand = None
        self._health_at = self._complain_at = None
        self.line.power_down()
        self._record(PoweredOff(t=self.time_of(now)))

    def change_supply(self, now: float, *, low: bool) -> None:
        """Let the supply drop below what the shoe needs, or be well again; a shoe without power notices neither."""
        if self.powered:
            self.firmware.supply_changed(now, low=low)

    def host_attached(self, now: float) -> None:
        self._record(HostAttached(t=self.time_of(now)))
        self.line.attached(now)

    def host_detached(self, now: float) -> None:
        self._record(HostDetached(t=self.time_of(now)))
        self._handle_notices(self.line.detached(now), now)

    # --- the line ----------------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        self._handle_notices(self.line.receive(data, now), now)

    def next_deadline(self) -> float | None:
        deadlines = (self.line.next_deadline(), self._complain_at, self._health_at)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def tick(self, now: float) -> None:
        if self._complain_at is not None and now >= self._complain_at:
            self._complain_at = None
            self.firmware.nothing_came(now)
        if self._health_at is not None and now >= self._health_at:
            self._health_at = now + HEALTH_EVERY
            self.firmware.report_health(now)
        self._handle_notices(self.line.tick(now), now)

    def _handle_notices(self, notices: "list[ShoeNotice | LinkReport] | list[LinkReport]", now: float) -> None:
        for notice in notices:
            match notice:
                case Wanted(desired=desired):
                    self._obey(desired, now)
                case DesireAwaited():
                    self._await_desire()
                case GateLockedBySilence() if not self.gate_locked:
                    self._record(GateMoved(t=self.time_of(now), locked=True, by="silence"))
                    self._gate_moved(now, locked=True)
                case HostCommand(type="EC", data=number):
                    self._record(FaultsCleared(t=self.time_of(now)))
                    self.firmware.clear(now, only=fault_of_number(int(number)))
                case IdentifyRequested(seconds=seconds):
                    self._record(Identified(t=self.time_of(now), seconds=seconds))
                case LinkUp():
                    self.link_up = True
                case LinkDown():
                    self.link_up = False
                case _:
                    # It shows no time and has no game process to confirm; line errors are for the controller.
                    pass

    def _await_desire(self) -> None:
        # A shoe that never locks its gate deals without a controller.
        self.awaits_desire = self.line.settings.timings.lock_gate_after is not None
        self.next_hand = None

    def _obey(self, desired: DesiredShoe, now: float) -> None:
        self.awaits_desire = False
        self.next_hand = desired.next_hand
        if desired.lamps != self.lamps:
            self.lamps = desired.lamps
            lit = tuple(sorted(desired.lamps, key=lambda lamp: lamp.value))
            self._record(LampsChanged(t=self.time_of(now), lit=lit))
        if desired.gate_locked is not None and desired.gate_locked != self.gate_locked:
            self._record(GateMoved(t=self.time_of(now), locked=desired.gate_locked, by="controller"))
            self._gate_moved(now, locked=desired.gate_locked)

    def time_of(self, now: float) -> float:
        """`now` on the truth's clock: seconds since the emulator started."""
        return round(now - self._began, 6)

    def _record(self, happening: AnyHappening) -> None:
        self._truth(happening)
