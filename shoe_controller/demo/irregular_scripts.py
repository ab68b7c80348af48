"""How each irregularity happens and is put right: what people do, step by step, and what they wait for.

Each begins between two rounds, when all seats have bet and the dealer has stopped and called a supervisor. When it ends
the dealer goes on. An act is done when the table has recorded it; what takes two supervisors, the other one approves.
Nothing acts here: `people.py` carries the steps out.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.demo.display import TableWatch
from shoe_controller.demo.folder import DEALER, OTHER_DEALER
from shoe_controller.demo.supervisor import AtTheShoe, ScriptedAct, dealer, supervisor
from shoe_controller.demo.truth import Truth
from shoe_controller.messages.facts import EnteredCardConfirmed, RoundSettled, RunOutBegun
from shoe_controller.messages.retained import StateMessage


class Draws(NamedTuple):
    """So many cards are drawn one after another."""

    cards: int


Step = ScriptedAct | AtTheShoe | Draws | PlacedWager | Callable[[], bool]
"""An act, something done at the shoe, a wager that a player places, or what has to be so before it goes on."""
Steps = Iterator[Step]

STAKES = (500, 1000)
"""One of them is always another than the stake that stands."""
CHIP = 100
OTHERWISE_AT_SHOE = frozenset({"result_too_early", "ended_by_force", "result_differs"})
"""What comes of a round that the shoe takes for another one than lies on the table."""
PERHAPS_NEW_CARDS = frozenset({"shoe_change_unconfirmed", "event_gap"})
"""What comes of the new-shoe button: a wire that does not tell of it begins to count its telegrams anew."""
HANDFUL = 52
"""Cards that are drawn without a look at the display, when they are only counted."""


class Scene:
    """What the people of a script see."""

    def __init__(self, watch: TableWatch, truth: Truth, *, wire: str) -> None:
        self.watch = watch
        self.truth = truth
        self.keeps_events = wire == "native"
        self.reads_ids = wire == "lines"

    @property
    def state(self) -> StateMessage:
        if self.watch.state is None:
            raise RuntimeError("a script began before the table had published its state")
        return self.watch.state

    @property
    def settled(self) -> RoundSettled:
        """The last round but one in which there were wagers, or the last."""
        rounds = [fact for fact in self.watch.facts if isinstance(fact, RoundSettled)]
        return rounds[-2:][0]

    @property
    def next_dealer(self) -> str:
        return OTHER_DEALER if self.state.dealer == DEALER else DEALER

    @property
    def link_up(self) -> bool:
        return self.truth.plugged_in and self.state.link_up

    @property
    def link_down(self) -> bool:
        return not self.truth.plugged_in and not self.state.link_up

    @property
    def confirmed(self) -> int:
        """Entered cards that the shoe has reported since."""
        return sum(isinstance(fact, EnteredCardConfirmed) for fact in self.watch.facts)

    def stands(self, kind: str) -> bool:
        return any(alert.kind == kind for alert in self.state.alerts)

    def clears(self, kind: str, reason: str) -> ScriptedAct:
        number = next(alert.number for alert in self.state.alerts if alert.kind == kind)
        return supervisor("clear_alert", reason, alert=number)

    def clear_any(self, kinds: frozenset[str], reason: str) -> Steps:
        """The supervisor clears those of these alerts that stand."""
        for alert in self.state.alerts:
            if alert.kind in kinds:
                yield supervisor("clear_alert", reason, alert=alert.number)

    def a_wager(self) -> Steps:
        """Should every seat sit out, one bets now."""
        if not self.state.wagers:
            yield PlacedWager("1", "base.player", STAKES[0])

    def draw(self, how: AtTheShoe = AtTheShoe.DRAW) -> Steps:
        """The dealer draws the next card, whether the table sees it or not."""
        yield lambda: not self.truth.gate_locked
        out = len(self.truth.cards)
        yield how
        yield lambda: len(self.truth.cards) > out

    def draw_until(self, cards: int) -> Steps:
        """The dealer draws, until so many cards of the round lie on the table."""
        while len(self.state.cards) < cards:
            on_table = len(self.state.cards)
            yield from self.draw()
            yield lambda: len(self.state.cards) > on_table  # noqa: B023 - waited for at once

    def finish_round(self) -> Steps:
        """The dealer deals the round to its end, and asks for the result."""
        while self.state.phase == "dealing":
            yield from self.draw_until(len(self.state.cards) + 1)
        yield AtTheShoe.RESULT
        if self.reads_ids:
            yield lambda: not self.truth.in_round
            yield dealer("confirm")
        yield lambda: self.state.phase == "betting"

    def end_shoe(self, reason: str) -> Steps:
        yield supervisor("end_shoe", reason)
        yield lambda: self.state.phase == "ended"

    def count(self, *, miscounted_by: int = 0) -> Steps:
        """The cards that are left are taken out and counted."""
        if not self.truth.empty:
            yield AtTheShoe.TAKE_OUT
            yield lambda: self.truth.empty
        yield supervisor("count_remainder", "counted by hand", cards=self.truth.left + miscounted_by)

    def new_shoe(self) -> Steps:
        """New cards go in; a wire that does not tell of them leaves it to the dealer to say so at the terminal."""
        if self.stands("supervisor_called"):
            # While the call stands, no dealer changes the cards alone.
            yield self.clears("supervisor_called", "the supervisor is at the table")
        yield AtTheShoe.NEW_CARDS
        yield lambda: self.truth.new_cards
        if not self.keeps_events:
            yield dealer("open_shoe")
        yield lambda: self.state.phase == "first_card"

    def pull_cable(self) -> Steps:
        yield AtTheShoe.CABLE
        yield lambda: self.link_down
        if self.keeps_events:
            # A shoe that nobody listens to locks its gate after some seconds.
            yield lambda: self.truth.gate_locked
            yield AtTheShoe.GATE_KEY

    def plug_in(self, entered: int) -> Steps:
        """The shoe is back, and has reported what it kept of the cards that were entered."""
        confirmed = self.confirmed
        yield AtTheShoe.CABLE
        yield lambda: self.link_up and (not self.keeps_events or self.confirmed >= confirmed + entered)
        if self.stands("shoe_lost"):
            yield self.clears("shoe_lost", "the shoe is back")

    def draw_after_gap(self) -> Steps:
        """A wire that keeps no events shows with its next card that something was missed, which was entered."""
        if not self.keeps_events:
            yield from self.draw_until(len(self.state.cards) + 1)
            if self.stands("event_gap"):
                yield self.clears("event_gap", "what was missed was entered")


def _other_stake(stake: int) -> int:
    return next(other for other in STAKES if other != stake)


# --- wagers ----------------------------------------------------------------------------------------------------------


def _wager_entered_wrongly(scene: Scene) -> Steps:
    yield from scene.a_wager()
    yield dealer("no_more_bets")
    wager = scene.state.wagers[0]
    stake = _other_stake(wager.stake)
    why = "the terminal had another stake than the layout"
    yield supervisor("set_wager", why, seat=wager.seat, wager=wager.wager, stake=stake)


def _wager_at_wrong_seat(scene: Scene) -> Steps:
    yield from scene.a_wager()
    yield from scene.draw_until(2)
    wager = scene.state.wagers[0]
    has_it = {other.seat for other in scene.state.wagers if other.wager == wager.wager}
    seats = scene.watch.info.rules.seats if scene.watch.info is not None else ()
    free = [seat for seat in seats if seat not in has_it]
    if free:
        why = "the chips lie at the other seat"
        yield supervisor("move_wager", why, seat=wager.seat, wager=wager.wager, to_seat=free[0])
    else:
        yield supervisor("set_wager", "there are no chips at this seat", seat=wager.seat, wager=wager.wager, stake=0)


def _late_wager(scene: Scene) -> Steps:
    yield from scene.draw(AtTheShoe.DRAW_ON_SILENT_LINE)
    yield PlacedWager("1", "base.tie", _other_stake(_stake(scene, "1", "base.tie")))
    yield lambda: scene.stands("late_wager")
    yield scene.clears("late_wager", "it came after the first card")


def _stake(scene: Scene, seat: str, wager: str) -> int:
    found = (each.stake for each in scene.state.wagers if (each.seat, each.wager) == (seat, wager))
    return next(found, 0)


def _replay_with_other_wagers(scene: Scene) -> Steps:
    yield from scene.a_wager()
    yield from scene.draw_until(2)
    yield AtTheShoe.END_ROUND_BY_FORCE
    yield lambda: scene.truth.given_up if scene.reads_ids else scene.state.stopped
    yield supervisor("void_and_replay", "a card was turned over too early")
    yield lambda: scene.state.betting_open
    wager = scene.state.wagers[0]
    yield PlacedWager(wager.seat, wager.wager, _other_stake(wager.stake))


# --- rounds and payments ---------------------------------------------------------------------------------------------


def _round_amended(scene: Scene) -> Steps:
    settled = scene.settled
    wager = settled.settlement.wagers[0]
    right = {"seat": wager.seat, "wager": wager.wager, "stake": _other_stake(wager.stake)}
    why = "the camera shows another stake"
    yield supervisor("amend_round", why, shoe=settled.shoe, round=settled.round, wagers=[right])


def _dispute(scene: Scene) -> Steps:
    settled = scene.settled
    shoe, number = settled.shoe, settled.round
    seat = settled.settlement.wagers[0].seat
    yield supervisor("open_dispute", "the player says that a chip is missing", shoe=shoe, round=number, seat=seat)
    why = "one chip too few was paid"
    yield supervisor("adjust", why, shoe=shoe, round=number, seat=seat, amount=CHIP)
    why = "the camera shows it; the chip was paid"
    yield supervisor("close_dispute", why, dispute=scene.state.disputes[-1].number)


def _commission_collected(scene: Scene) -> Steps:
    yield dealer("collect_commission", seat=scene.state.commission[0].seat)


def _commission_waived(scene: Scene) -> Steps:
    yield supervisor("waive_commission", "the player has left", seat=scene.state.commission[0].seat)


def _noted(_scene: Scene) -> Steps:
    yield dealer("note", "a drink was spilled at seat 1")


# --- dealers ---------------------------------------------------------------------------------------------------------


def _new_dealer(scene: Scene) -> Steps:
    yield dealer("sign_in", by=scene.next_dealer)
    yield AtTheShoe.BURN
    burned = scene.state.burned
    yield from scene.draw()
    yield lambda: scene.state.burned > burned


def _burn_forgotten(scene: Scene) -> Steps:
    yield dealer("sign_in", by=scene.next_dealer)
    yield from scene.draw()
    yield lambda: scene.stands("burn_due")
    yield scene.clears("burn_due", "no card was burned; the round goes on")


# --- cards that lie elsewhere, or are others, than it seemed ---------------------------------------------------------


def finish_by_hand(scene: Scene, act: ScriptedAct) -> Steps:
    """A card is assigned or discarded: the round goes on, and the shoe, which takes it for another, gives it up.

    If something else is wrong as well, it ends here, and the supervisor does what that needs.
    """
    why = "the cards lie where the rules put them"
    yield act
    while scene.state.phase == "dealing":
        yield from scene.clear_any(OTHERWISE_AT_SHOE, why)
        if scene.state.stopped:
            return
        yield from scene.draw_until(len(scene.state.cards) + 1)
    if scene.truth.in_round:
        # A card that the shoe takes for extra must not begin its next round.
        yield AtTheShoe.CLEAR_FAULTS
        yield AtTheShoe.END_ROUND_BY_FORCE
        yield lambda: scene.reads_ids or scene.state.stopped or scene.state.phase != "complete"
    yield from scene.clear_any(OTHERWISE_AT_SHOE, why)
    if scene.state.phase == "complete" and not scene.state.stopped:
        yield supervisor("confirm", why)


def _damaged_card(scene: Scene) -> Steps:
    yield from scene.draw_until(2)
    card = _face(scene, 2)
    yield from finish_by_hand(
        scene, supervisor("discard_card", "its corner is bent", number=2, cause="damaged", card=card)
    )


def _extra_card_was_due(scene: Scene) -> Steps:
    yield from scene.a_wager()
    yield from scene.draw_until(4)
    while scene.state.phase != "dealing":
        # A round that ends with four cards shows nothing of the kind.
        yield from scene.finish_round()
        yield from scene.a_wager()
        yield from scene.draw_until(4)
    right = _face(scene, 3)
    yield supervisor("correct_card", "it looks like another card", number=3, card=_for_nine(scene))
    if scene.keeps_events:
        # The table takes the round for complete, and has the gate locked.
        yield lambda: scene.truth.gate_locked
        yield AtTheShoe.GATE_KEY
    yield from scene.draw()
    yield lambda: scene.stands("over_draw")
    yield supervisor("correct_card", "the shoe had read it rightly", number=3, card=right)


def _for_nine(scene: Scene) -> str:
    """A face with which Player's second card makes a nine."""
    first, second = scene.state.cards[0].card, _face(scene, 3)
    points = (9 - (0 if first is None else first.points)) % 10
    return ("K", "A", *map(str, range(2, 10)))[points] + second[1]


def _face(scene: Scene, number: int) -> str:
    card = scene.state.cards[number - 1].card
    return "" if card is None else card.value


# --- the shoe --------------------------------------------------------------------------------------------------------


def _new_shoe_too_early(scene: Scene) -> Steps:
    yield AtTheShoe.NEW_SHOE_BUTTON
    yield lambda: scene.state.stopped
    yield from scene.clear_any(PERHAPS_NEW_CARDS, "the same cards are in")
    # The shoe takes the next card for the first of new cards, and burns by it.
    yield from scene.draw()
    first = scene.truth.cards[-1].card
    yield lambda: scene.stands("shoe_change_unconfirmed")
    yield scene.clears("shoe_change_unconfirmed", "the same cards are in: the card is burned")
    for _ in range(0 if first is None else first.points or 10):
        burned = scene.state.burned
        yield from scene.draw()
        yield lambda: scene.state.burned > burned  # noqa: B023 - waited for at once
    yield scene.clears("burned_between_rounds", "the shoe burns as from new cards")


def _remainder_counted(scene: Scene) -> Steps:
    yield from scene.end_shoe("the cards are worn")
    yield from scene.count(miscounted_by=-1)
    yield lambda: scene.stands("remainder_differs")
    yield from scene.count()
    yield from scene.new_shoe()


def _remainder_run_out(scene: Scene) -> Steps:
    yield from scene.end_shoe("the cards are to be checked")
    yield supervisor("begin_run_out", "every face is to be checked")
    expected = next(fact.expected for fact in reversed(scene.watch.facts) if isinstance(fact, RunOutBegun))
    while (counted := scene.state.counted or 0) < expected:
        drawn = min(expected - counted, HANDFUL)
        yield Draws(drawn)
        yield lambda: (scene.state.counted or 0) >= counted + drawn  # noqa: B023 - waited for at once
    yield supervisor("end_run_out", "the shoe is empty")
    yield from scene.new_shoe()


def _first_card_corrected(scene: Scene) -> Steps:
    yield from scene.end_shoe("the cards are worn")
    yield from scene.count()
    yield from scene.new_shoe()
    yield from scene.draw()
    yield lambda: scene.state.phase == "burning"
    right = _last_card(scene)
    wrong = "9S" if scene.state.to_burn == 10 else "KS"
    yield supervisor("correct_card", "it looks like another card", number=0, card=wrong)
    yield from scene.draw()
    yield lambda: scene.state.burned > 0
    yield supervisor("correct_card", "the shoe had read it rightly", number=0, card=right)


def _shoe_exchanged(scene: Scene) -> Steps:
    yield AtTheShoe.CABLE
    yield lambda: scene.link_down
    yield supervisor("exchange_shoe", "the reader fails; the cards are transferred")
    yield AtTheShoe.CABLE
    yield lambda: scene.link_up
    if not (scene.keeps_events or scene.reads_ids):
        # A shoe of this wire that was not just switched on counts its telegrams from elsewhere: a gap, in mid-round.
        yield AtTheShoe.RESTART
    if scene.stands("event_gap"):
        yield scene.clears("event_gap", "the table is as the display shows it")


# --- cards that people enter -----------------------------------------------------------------------------------------


def _card_unseen(scene: Scene) -> Steps:
    yield from scene.draw_until(2)
    yield from scene.pull_cable()
    yield from scene.draw()
    yield supervisor("enter_card", "it was drawn while the cable was out", number=3, card=_last_card(scene))
    yield from scene.plug_in(entered=1)
    yield from scene.draw_after_gap()


def _dealt_by_hand(scene: Scene) -> Steps:
    yield from scene.pull_cable()
    yield supervisor("begin_hand_entry", "the reader is dead")
    # The table learns of the first card only when it is entered: nobody may bet until then.
    yield dealer("no_more_bets")
    entered = 0
    while scene.state.phase != "complete":
        yield from scene.draw()
        yield dealer("deal_card", card=_last_card(scene))
        entered += 1
    yield dealer("confirm")
    yield AtTheShoe.RESULT
    yield lambda: not scene.truth.in_round
    yield from scene.plug_in(entered)
    yield supervisor("end_hand_entry", "the reader works again")
    yield from scene.draw_after_gap()


def _last_card(scene: Scene) -> str:
    card = scene.truth.cards[-1].card
    return "" if card is None else card.value


SCRIPTS: dict[str, Callable[[Scene], Steps]] = {
    "wager_entered_wrongly": _wager_entered_wrongly,
    "wager_at_wrong_seat": _wager_at_wrong_seat,
    "late_wager": _late_wager,
    "round_amended": _round_amended,
    "dispute": _dispute,
    "noted": _noted,
    "commission_collected": _commission_collected,
    "commission_waived": _commission_waived,
    "new_dealer": _new_dealer,
    "burn_forgotten": _burn_forgotten,
    "replay_with_other_wagers": _replay_with_other_wagers,
    "damaged_card": _damaged_card,
    "extra_card_was_due": _extra_card_was_due,
    "card_unseen": _card_unseen,
    "dealt_by_hand": _dealt_by_hand,
    "shoe_exchanged": _shoe_exchanged,
    "new_shoe_too_early": _new_shoe_too_early,
    "remainder_counted": _remainder_counted,
    "first_card_corrected": _first_card_corrected,
    "remainder_run_out": _remainder_run_out,
}


OWED = frozenset({"commission_collected", "commission_waived"})
"""What needs a seat that owes commission."""


def can_begin(name: str, scene: Scene) -> bool:
    """Whether the table stands between two rounds, with nothing wrong, and there is what the script is about."""
    state, truth = scene.watch.state, scene.truth
    return (
        state is not None
        and state.betting_open
        and not [alert for alert in state.alerts if alert.kind != "supervisor_called"]
        and not truth.in_round
        and scene.watch.knows_last_card_of(truth)
        and state.last_round is None
        and any(isinstance(fact, RoundSettled) for fact in scene.watch.facts)
        and (name not in OWED or bool(state.commission))
    )
