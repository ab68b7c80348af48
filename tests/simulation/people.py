"""The people at the table, each by rules that a human would follow: players, a dealer at a console, two supervisors.

They know what the display shows and what lies on the felt, and nothing else. The one who holds the shoe is the
emulator's own dealer; when a supervisor voids a round, he ends it at the shoe as well.
"""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from firmware_protocol.cards import Card
from firmware_protocol.events import Button
from shoe_controller.messages.acts import (
    ACTS,
    BlinkShoe,
    CallSupervisor,
    Confirm,
    CorrectCard,
    EndShoe,
    FreeHand,
    NoMoreBets,
    RevealCards,
    Role,
    SignIn,
    SignOut,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.details import AnyDetail, CardOfRound, FirstCardOfShoe
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.prompts import ConfirmResult, NewDealerBurns
from shoe_controller.messages.requests import Answer
from shoe_controller.messages.retained import ProposalView, TableView
from shoe_controller.table.acts import AT_TABLE
from simulator.emulation import Emulation
from simulator.firmware import Stage
from simulator.virtual_shoe import CannotError
from tests.simulation.arguing import whim
from tests.simulation.by_hand import HandDealer
from tests.simulation.cable import Cable
from tests.simulation.clients import Terminal
from tests.simulation.corrections import Act, Changes, Corrections
from tests.simulation.houses import LEAST, MOST, SEATS
from tests.simulation.misnaming import Misnaming
from tests.simulation.placing import WHIM, Placing
from tests.simulation.shoe_keeper import OF_SHOE, ShoeKeeper, takes_supervisor
from tests.simulation.virtual_time import VirtualTime

SUPERVISORS = {"rana": "480612", "shah": "773501"}
TARGET = ("thapa", "905183")
"""A third supervisor, whose PIN is what strangers try to guess."""
DEALERS = {"anita": "264079", "bikash": "518204"}
FACE_UP = 0.3
"""How likely a card too many lay face up, although the house shows none at the draw."""
FREE = 0.02
"""How likely a round on which nobody bets is dealt as a free hand, at a look."""
RELIEF = 0.05
"""How likely another dealer takes over at a look."""
IN_ROUND = ("closed", "dealing", "complete")
LOOK_UP = 4.0
"""Seconds between two looks at a display on which nothing happens."""
CONFIRM_AFTER = 9.0
"""Seconds after which the dealer confirms a complete round whose result the shoe does not give."""
MOST_BURNED = 6
"""Extra cards of a round, after which people see that another one is on the table."""
STUCK = 60.0
"""Seconds after which people look why no card can be drawn."""

LOOKS_FOR_SHOE = 13
"""One whim in so many is to see which shoe blinks."""

UNASKED = (
    CallSupervisor,
    FreeHand,
    SignIn,
    SignOut,
    NoMoreBets,
    Confirm,
    RevealCards,
    CorrectCard,
    VoidRound,
    VoidAndReplay,
    UndoLastResult,
    EndShoe,
)
"""What people do although nothing has called for it. All other acts answer something."""


class Players:
    """Bet when wagers are open; some ask twice, too late, or for what is not there."""

    def __init__(
        self, terminal: Terminal, chance: random.Random, offered: tuple[str, ...], changes: Changes | None
    ) -> None:
        self.accepted = 0
        self.refused = 0
        self._terminal = terminal
        self._chance = chance
        self._offered = offered
        self._changes = changes
        self._bet_for: tuple[int, int] | None = None
        self.impatience = 0.1
        terminal.looks.append(self.look)

    def look(self, view: TableView) -> None:
        now = (view.shoe, view.round)
        for seat, seconds in () if self._changes is None else self._changes.seats(view):
            self._terminal.time.after(seconds, lambda by=seat: self._bet(by, now))  # type: ignore[misc]
        if view.phase == "betting" and not view.stopped and view.link_up and self._bet_for != now:
            self._bet_for = now
            for seat in SEATS:
                if self._chance.random() < 0.5:
                    self._terminal.time.after(self._chance.uniform(0.2, 4.0), lambda by=seat: self._bet(by, now))  # type: ignore[misc]

    def _bet(self, seat: str, meant: tuple[int, int]) -> None:
        chance = self._chance
        chosen = chance.sample(self._offered, min(len(self._offered), chance.randint(1, 6)))
        stakes = [{"wager": wager, "stake": chance.randint(LEAST, MOST)} for wager in chosen]
        fields: dict[str, object] = {"shoe": meant[0], "round": meant[1], "seat": seat, "stakes": stakes}
        if chance.random() < self.impatience:
            fields |= chance.choice(
                [
                    {"round": meant[1] + 1},
                    {"seat": "99"},
                    {"stakes": [{"wager": "base.player", "stake": -5}]},
                    {"stakes": [{"wager": "base.player", "stake": 10**15}]},
                    {"stakes": [{"wager": chosen[0], "stake": 0}]},
                ]
            )
        request_id = self._terminal.ask("wagers/place", self._answered, fields)
        if chance.random() < self.impatience:
            for delay in (0.05, 1.5):
                self._terminal.time.after(delay, lambda: self._terminal.again(request_id, "wagers/place", fields))

    def _answered(self, answer: Answer) -> None:
        self.accepted += answer.status == "ok"
        self.refused += answer.status != "ok"


class Staff:
    """The dealer at the console and the supervisors, who share one screen."""

    def __init__(
        self,
        terminal: Terminal,
        cable: Cable,
        chance: random.Random,
        *,
        faces: Callable[[], list[Card | None]],
        first_face: Callable[[], Card | None],
        to_enter: Callable[[], list[Card]],
        bets_by_dealer: bool,
        reveals: bool,
        undoes: bool,
        corrections: Corrections | None,
        signs_in: bool,
        burns: bool,
        whims: random.Random | None,
        placing: Placing,
        misnaming: Misnaming,
        shoe_chance: random.Random,
    ) -> None:
        self.acts = 0
        self.relieved = 0
        """How often another dealer took over, where that one burns a card."""
        self.undone = 0
        self.replugged = 0
        """How often somebody had to pull the cable to get the gate open,"""
        self.lids_moved = 0
        """or to open and close the lid once more."""
        self._terminal = terminal
        self._cable = cable
        self._chance = chance
        self._faces = faces
        self._first_face = first_face
        self._bets_by_dealer = bets_by_dealer
        self._reveals = reveals
        self._undoes = undoes
        self._corrections = corrections
        self._signs_in = signs_in
        self._burns = burns
        self._dealer = next(iter(DEALERS))
        self._token: str | None = None
        """Of the dealer's sign-in, once the table has said yes to it."""
        self._whims = whims
        self._placing = placing
        self._misnaming = misnaming
        self._busy = False
        self._gone = False
        self._since = 0.0
        self._seen: object = None
        self._burned: Counter[tuple[int, int]] = Counter()
        """How many extra cards were burned in each round: with so many, it is no longer the round on the table."""
        self._refused: dict[tuple[int, str], int] = {}
        """How often an act against an alert was refused: after some tries people try something else."""
        self._round_of_shoe: dict[tuple[int, int], int] = {}
        """The how-maniest round of the shoe each round of the table is: people know when they deal another one."""
        self._new_cards_for: AnyDetail | None = None
        """The damaged journal after which new cards were put in last."""
        self.by_hand = HandDealer(
            cable,
            chance,
            to_enter=to_enter,
            deal=self._deal,
            supervise=self._supervise,
            void=self._void,
            mistaken=misnaming.slipped,
        )
        self._to_enter = to_enter
        self.shoes = ShoeKeeper(cable, shoe_chance, supervise=self._supervise, by_hand=lambda: self.by_hand.rests)
        terminal.time.after(LOOK_UP, self._look_up)

    def go_home(self) -> None:
        """The sitting is over: what was asked for is answered, and nobody does anything more."""
        self._gone = self.shoes.closes = True

    @property
    def _time(self) -> VirtualTime:
        return self._terminal.time

    @property
    def _emulation(self) -> Emulation:
        return self._cable.emulation

    def _look_up(self) -> None:
        view, status = self._terminal.view, self._terminal.status
        if view is not None and view.phase == "betting":
            firmware = self._emulation.shoe.firmware
            upcoming = firmware.rounds + (0 if firmware.in_round else 1)
            self._round_of_shoe.setdefault((view.shoe, view.round), upcoming)
        if view is not None and status is not None and status.online and not self._busy and not self._gone:
            key = (view.shoe, view.round, view.phase, len(view.cards), view.stopped)
            if key != self._seen:
                self._seen, self._since = key, self._time.now
            self._act_on(view)
        self._time.after(self._chance.uniform(0.5, 1.5), self._look_up)

    def _act_on(self, view: TableView) -> None:  # noqa: C901 - one case for each thing that comes first
        stopping = [alert for alert in view.alerts if alert.severity == "stops"]
        if any(alert.kind == "journal_rolled_back" for alert in stopping):
            self._accept_rollback(view)
            return
        if self._correct(view):
            return
        if stopping and view.proposal is not None and self._may_approve(view):
            self._decide(view, view.proposal)
        elif self._signs_in and (self._token is None or view.dealer != self._dealer):
            self._sign_in(view, self._dealer)
        elif stopping:
            self._put_right(view, stopping)
        elif view.alerts and self._chance.random() < 0.2:
            self._clear(view, view.alerts[0])
        elif view.proposal is not None:
            self._decide(view, view.proposal)
        elif self.shoes.act(view):
            pass
        elif (correction := self._to_put_right(view)) is not None:
            self._supervise(view, *correction)
        elif view.phase == "ended" and self.shoes.count_first(view):
            pass
        elif not self.by_hand.act(view, self._time.now - self._since, bets_by_dealer=self._bets_by_dealer):
            self._play(view)

    def _to_put_right(self, view: TableView) -> Act | None:
        act = self._placing.look(view) or self._misnaming.look(view)
        return act if act is not None or self._corrections is None else self._corrections.look(view)

    def _may_approve(self, view: TableView) -> bool:
        return any(listed.act == "approve" for listed in view.acts)

    def _play(self, view: TableView) -> None:
        if isinstance(view.prompt, NewDealerBurns) and not self._gate_stays_locked(view):
            self._burn()
        elif self._signs_in and view.phase in ("betting", "dealing") and self._chance.random() < RELIEF:
            self.relieved += self._burns
            self._sign_in(view, next(name for name in DEALERS if name != self._dealer))
        elif not self._argue(view):
            self._go_on(view)

    def _argue(self, view: TableView) -> bool:
        wanted = None if self._whims is None else whim(view, self._whims)
        if wanted is None:
            return False
        if wanted.role is Role.SUPERVISOR:
            self._supervise(view, wanted.act, wanted.details)
        else:
            self._deal(view, wanted.act, wanted.details, reason="as it was")
        return True

    def _decide(self, view: TableView, proposal: ProposalView) -> None:
        details: dict[str, object] = {"proposal": proposal.proposal}
        if self._chance.random() < 0.2 or not self._may_approve(view):
            self._supervise(view, "withdraw", details, person=proposal.person)
        else:
            other = next(name for name in SUPERVISORS if name != proposal.person)
            self._supervise(view, "approve", details, person=other)

    def _accept_rollback(self, view: TableView) -> None:
        """Two of them accept it; what the table has forgotten is put right afterwards, as after any loss."""
        # Rounds have numbers again that others had before.
        self._round_of_shoe.clear()
        if view.proposal is None:
            self._supervise(view, "accept_rollback", {})
        else:
            self._decide(view, view.proposal)

    def _go_on(self, view: TableView) -> None:  # noqa: C901 - one case for each phase
        waited = self._time.now - self._since
        if view.phase in ("no_shoe", "ended") and self._shoe_is_new(begun=view.phase == "ended") and waited > 3:
            self._open_shoe(view)
        elif view.phase in ("no_shoe", "ended") and waited > STUCK and not self._emulation.shoe.lid_open:
            self._since = self._time.now
            self._cable.do(self._emulation.new_cards)
        elif view.phase == "betting" and self._bets_by_dealer and waited > 5 and view.link_up and not view.free:
            self._deal(view, "no_more_bets")
        elif (view.phase == "complete" or isinstance(view.prompt, ConfirmResult)) and waited > CONFIRM_AFTER:
            self._deal(view, "confirm")
        elif self._reveals and view.phase == "dealing" and any(card.card is None for card in view.cards):
            if waited > 1.5:
                self._deal(view, "reveal_cards")
        elif view.phase in ("dealing", "complete") and waited > 3 * CONFIRM_AFTER and not self._shoe_is_in_round():
            self._void(view)
        elif self._gate_stays_locked(view):
            self._replug()
        elif view.phase == "betting" and not view.wagers and waited > 3 and self._chance.random() < FREE:
            self._deal(view, "free_hand")
        elif self._undoes and view.phase == "betting" and view.last_outcome is not None and not self.undone:
            self.undone += 1
            self._supervise(view, "undo_last_result", {})

    def _open_shoe(self, view: TableView) -> None:
        if takes_supervisor(view):
            self._supervise(view, "open_shoe", {})
        else:
            self._deal(view, "open_shoe")

    def _gate_stays_locked(self, view: TableView) -> bool:
        waited = self._time.now - self._since
        return waited > STUCK and self._emulation.shoe.gate_locked and self._cable.plugged and view.link_up

    def _replug(self) -> None:
        """What is desired of the gate is sent again after every connection."""
        self.replugged += 1
        self._since = self._time.now
        self._cable.replug()

    def _mend_shoe(self, view: TableView, alert: AlertMessage) -> None:
        """A shoe that is bad, or was announced too early; or cards that came where there is none."""
        if view.phase in IN_ROUND:
            self._void(view, alert)
        elif not self._emulation.shoe.lid_open and not self.shoes.mend(view, alert):
            self._clear(view, alert)

    def _shoe_is_new(self, *, begun: bool) -> bool:
        """New cards are in; where `begun`, the first of them may lie there already."""
        shoe = self._emulation.shoe
        stages = (Stage.FIRST_CARD, Stage.BURNING) if begun else (Stage.FIRST_CARD,)
        return shoe.announced and not shoe.lid_open and shoe.firmware.stage in stages

    def _shoe_is_in_round(self) -> bool:
        return self._emulation.shoe.firmware.in_round

    # --- on a whim ----------------------------------------------------------------------------------------------------

    def act_unasked(self, number: int) -> None:
        """Do something that nothing has called for: what is possible as the display shows it, if anything is."""
        view = self._terminal.view
        if view is None or self._busy:
            return
        phase = Phase(view.phase)
        placing = self._placing.whim(view, number) if number % WHIM == 0 else None
        if placing is not None:
            self._supervise(view, *placing)
            return
        if number % LOOKS_FOR_SHOE == 0:
            self._deal(view, ACTS[BlinkShoe].name)
            return
        possible = [ACTS[act] for act in UNASKED if phase in AT_TABLE[act].phases]
        rule = possible[number % len(possible)]
        if view.cards and number % 2:
            rule = ACTS[CorrectCard]
        if rule.name in ("void_round", "void_and_replay"):
            self._end_at_shoe()
        if rule.name == "sign_in":
            self._sign_in(view, self._dealer)
        elif rule.role is Role.DEALER:
            self._deal(view, rule.name)
        elif rule.name == "correct_card":
            self._miscorrect(view, number)
        else:
            self._supervise(view, rule.name, {})

    def _miscorrect(self, view: TableView, number: int) -> None:
        """Say something else of a card than it is; in two of three cases somebody notices."""
        faces = self._faces()
        place = 1 + number % max(1, len(view.cards))
        face = faces[place - 1] if place <= len(faces) else None
        if face is not None and number % 3:
            self._misnaming.slipped(view, place, face)
        self._supervise(view, "correct_card", {"number": place, "card": list(Card)[number % len(Card)].value})

    # --- supervisors --------------------------------------------------------------------------------------------------

    def _put_right(self, view: TableView, stopping: list[AlertMessage]) -> None:
        for alert in stopping:
            tried = self._refused.get((alert.number, view.phase), 0)
            if alert.kind == "shoe_lost" and not view.link_up and self.by_hand.wanted:
                self._supervise(view, "begin_hand_entry", {}, alert=alert)
                return
            if alert.kind == "shoe_lost" and not view.link_up:
                if self._enter_unseen(view, alert):
                    return
                continue  # there is nothing to do but to wait, or to look at another alert
            if alert.kind == "lid_opened" and self._emulation.shoe.lid_open:
                continue
            if alert.kind == "journal_full":
                continue
            if alert.kind == "journal_damaged" and not self._emulation.shoe.powered:
                continue
            self._put_one_right(view, alert, tried)
            return

    def _put_one_right(self, view: TableView, alert: AlertMessage, tried: int) -> None:
        if tried < 2 and self._say_what_lies_there(view, alert):
            return
        if alert.kind == "journal_damaged":
            # The table has forgotten the round and the shoe: it is ended by force, and new cards are put in.
            self._put_in_new_cards(alert)
            self._clear(view, alert)
        elif alert.kind == "lid_opened" and tried > 2:
            # A shoe that had no power when its lid was closed has not reported it: somebody moves the lid once more.
            self._refused.clear()
            self.lids_moved += 1
            self._cable.do(lambda now: self._emulation.move_lid(now, opened=True))
            self._time.after(2.0, lambda: self._cable.do(lambda now: self._emulation.move_lid(now, opened=False)))
        elif alert.kind in OF_SHOE or ("open_shoe" in alert.ended_by and view.phase in ("no_shoe", "ended")):
            self._mend_shoe(view, alert)
        elif alert.kind == "result_undone":
            self._supervise(view, "confirm" if not tried else "void_round", {}, alert=alert)
        elif "burn_extra_card" in alert.ended_by and tried < 2 and view.phase != "dealing" and self._may_burn(view):
            use = "use_extra_card" in alert.ended_by and self._carries_over() and not tried
            details: dict[str, object] = {"face_up": self._chance.random() < FACE_UP} if use else {}
            self._supervise(view, "use_extra_card" if use else "burn_extra_card", details, alert=alert)
        elif view.phase in IN_ROUND and not self._round_agrees(view) and tried < 4:
            self._void(view, alert)
        elif alert.cleared_by != "nobody" and (tried < 2 or self._may_clear(view, alert)):
            self._clear(view, alert)
        elif view.phase in (*IN_ROUND, "betting"):
            self._void(view, alert)
        else:
            self._supervise(view, "end_shoe", {}, alert=alert)

    def _may_burn(self, view: TableView) -> bool:
        self._burned[view.shoe, view.round] += 1
        return self._burned[view.shoe, view.round] <= MOST_BURNED

    def _may_clear(self, view: TableView, alert: AlertMessage) -> bool:
        """Not where that would return the wagers of a finished round: two supervisors void it."""
        return any(listed.act == "clear_alert" and alert.number in listed.alerts for listed in view.acts)

    def _put_in_new_cards(self, alert: AlertMessage) -> None:
        if self._new_cards_for == alert.detail:
            return
        self._new_cards_for = alert.detail
        if self._emulation.shoe.firmware.in_round:
            self._cable.do(lambda now: self._emulation.press(Button.RESULT, now, held=True))
        self._cable.do(self._emulation.new_cards)

    def _carries_over(self) -> bool:
        return self._emulation.effects.carries_over

    def _round_agrees(self, view: TableView) -> bool:
        """Whether the shoe and the display speak of the same round, so that it can go on."""
        firmware = self._emulation.shoe.firmware
        if view.phase == "closed":
            return not firmware.in_round
        if view.extra_cards and view.phase == "dealing":
            return False
        if (view.shoe, view.round) in self._placing.assigned:
            # The shoe does not know how the cards lie; a round that is whole can be settled without it.
            return view.phase == "complete" and not view.extra_cards
        laid = [dealt.place.hand.value for dealt in firmware.table]
        same = laid == [card.hand.value for card in view.cards]
        same = same and self._round_of_shoe.get((view.shoe, view.round), firmware.rounds) == firmware.rounds
        complete = view.phase == "complete" and not firmware.in_round
        return same and (complete or (firmware.in_round and not firmware.spoilt))

    def _identify(self, view: TableView, alert: AlertMessage) -> bool:
        faces = self._faces()
        place = alert.detail.number if isinstance(alert.detail, CardOfRound) else 0
        if isinstance(alert.detail, FirstCardOfShoe):
            face = self._first_face()
        else:
            face = faces[place - 1] if 0 < place <= len(faces) else None
        if face is None:
            return False
        said = face
        if place and self._chance.random() < 0.2:
            # Supervisors err, and notice it.
            said = self._chance.choice(list(Card))
            self._misnaming.slipped(view, place, face)
        self._supervise(view, "identify_card", {"number": place, "card": said.value}, alert=alert)
        return True

    def _say_what_lies_there(self, view: TableView, alert: AlertMessage) -> bool:
        if alert.kind in ("misread", "undisclosed_card"):
            return self._identify(view, alert)
        if alert.kind in ("event_gap", "out_of_turn") and self._enter_missing(view, alert):
            return True
        placing = self._placing.against(view, alert)
        if placing is None:
            return False
        self._supervise(view, *placing, alert=alert)
        return True

    def _enter_unseen(self, view: TableView, alert: AlertMessage) -> bool:
        """The shoe is gone, and a card left it since: a supervisor may enter it rather than wait."""
        cards = self._to_enter()
        if view.phase != "dealing" or not cards or self._chance.random() < 0.3:
            return False
        number = len(view.cards) + 1
        self._supervise(view, "enter_card", {"number": number, "card": cards[0].value}, alert=alert)
        return True

    def _enter_missing(self, view: TableView, alert: AlertMessage) -> bool:
        """One card of the round was never reported: a supervisor sees which one. Of burned cards the number tells."""
        firmware = self._emulation.shoe.firmware
        if view.phase == "burning" and firmware.cards_since_load == view.cards_out + 1:
            self._supervise(view, "enter_card", {"number": 0}, alert=alert)
            return True
        felt = [(dealt.place.hand.value, dealt.piece.card) for dealt in firmware.table]
        if view.phase != "dealing" or len(felt) != len(view.cards) + view.extra_cards + 1:
            return False
        fitting = []
        for missing in range(len(felt)):
            rest = [*felt[:missing], *felt[missing + 1 :]][: len(view.cards)]
            pairs = list(zip(view.cards, rest, strict=True))
            if all(place.card in (None, card) for place, (_, card) in pairs):
                # Where cards lie face down, the hands that they lie at tell which one the table lacks.
                fitting.append((sum(place.hand.value != hand for place, (hand, _) in pairs), missing))
        if not fitting:
            return False
        _, missing = min(fitting)
        if felt[missing][1] not in self._to_enter()[:1]:
            return False  # cards of earlier rounds are still to be reported
        self._supervise(view, "enter_card", {"number": missing + 1, "card": felt[missing][1].value}, alert=alert)
        return True

    def _correct(self, view: TableView) -> bool:
        """Correct a card that was named wrongly, if it still can be."""
        right = self._placing.slip(view) or self._misnaming.put_right(view)
        if right is None:
            return False
        self._supervise(view, *right)
        return True

    def _void(self, view: TableView, alert: AlertMessage | None = None) -> None:
        self._end_at_shoe()
        replays = any(listed.act == "void_and_replay" for listed in view.acts) and self._chance.random() < 0.3
        self._supervise(view, "void_and_replay" if replays else "void_round", {}, alert=alert)

    def _end_at_shoe(self) -> None:
        if self._emulation.shoe.firmware.in_round and self._emulation.shoe.powered:
            with suppress(CannotError):
                self._cable.do(lambda now: self._emulation.press(Button.RESULT, now, held=True))

    def _clear(self, view: TableView, alert: AlertMessage) -> None:
        if alert.cleared_by == "dealer":
            self._deal(view, "clear_alert", {"alert": alert.number})
        else:
            self._supervise(view, "clear_alert", {"alert": alert.number}, alert=alert)

    def _supervise(
        self,
        view: TableView,
        act: str,
        details: dict[str, object],
        *,
        person: str = "",
        alert: AlertMessage | None = None,
    ) -> None:
        name = person or self._chance.choice(list(SUPERVISORS))

        def refused() -> None:
            if alert is not None:
                key = (alert.number, view.phase)
                self._refused[key] = self._refused.get(key, 0) + 1

        fields: dict[str, object] = {
            "person": name,
            "pin": SUPERVISORS[name],
            "reason": "seen on the table",
            "details": details,
        }
        self._ask(view, f"supervisor/{act}", fields, refused)

    # --- the dealer ---------------------------------------------------------------------------------------------------

    def _deal(self, view: TableView, act: str, details: dict[str, object] | None = None, *, reason: str = "") -> None:
        fields: dict[str, object] = {"person": self._dealer, "reason": reason, "details": details or {}}
        if self._token is not None:
            fields["token"] = self._token
        self._ask(view, f"dealer/{act}", fields, self._lose_token)

    def _sign_in(self, view: TableView, person: str) -> None:
        token = f"{self._chance.randrange(1 << 128):032x}"

        def signed_in() -> None:
            self._dealer, self._token = person, token

        fields: dict[str, object] = {"person": person, "pin": DEALERS[person], "token": token}
        self._ask(view, "dealer/sign_in", fields, self._lose_token, signed_in)

    def _lose_token(self) -> None:
        """Something was refused, or not answered: whoever is not sure of the sign-in signs in once more."""
        self._token = None

    def _burn(self) -> None:
        """The button says that the next card is burned."""
        firmware = self._emulation.shoe.firmware
        if firmware.stage is Stage.READY and not firmware.burn_next:
            with suppress(CannotError):
                self._cable.do(lambda now: self._emulation.press(Button.BURN, now))

    def _ask(
        self,
        view: TableView,
        name: str,
        fields: dict[str, object],
        refused: Callable[[], None],
        done: Callable[[], None] = lambda: None,
    ) -> None:
        self._busy = True
        self.acts += 1

        def answered(answer: Answer) -> None:
            self._busy = False
            if answer.status == "ok":
                done()
            else:
                refused()

        def act() -> None:
            self._terminal.ask(name, answered, {"shoe": view.shoe, "round": view.round} | fields)

        self._time.after(self._chance.uniform(0.3, 2.0), act)
