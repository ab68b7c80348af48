"""Any order of cards, mishaps, acts, wagers, timers, lost lines and crashes, on a table with its real journal.

An honest dealer deals real shuffled cards most of the time. After every input facts and state are compared
(`state_checks.py`: money balances, every card is counted once, nothing is settled while the table is stopped or on a
card that is not known, numbers have no gap). After every step a restart from the journal stands where the table stands.

`make torture` goes on for longer, with other examples.
"""

import os
import shutil
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CardReturned,
    CutCard,
    Fault,
    FaultCleared,
    FaultCode,
    GateChanged,
    LidChanged,
    PresetChanged,
    Standby,
    Started,
)
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.sides import Side
from shoe_controller.journal.errors import DiskFailedError
from shoe_controller.messages.acts import (
    Adjust,
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    BeginHandEntry,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    CloseDispute,
    CollectCommission,
    Confirm,
    CorrectCard,
    DealCard,
    EndShoe,
    EnterCard,
    FreeHand,
    IdentifyCard,
    MoveWager,
    NoMoreBets,
    Note,
    OpenDispute,
    OpenShoe,
    RevealCards,
    Role,
    SetWager,
    SignIn,
    SignOut,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    WaiveCommission,
    Withdraw,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.draft import is_stopped
from shoe_controller.table.inputs import (
    AnyInput,
    ClockStepped,
    EventsMissed,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LinkLost,
    PinVerdict,
    TimerRanOut,
)
from shoe_controller.table.procedure import FinishedRound, GateLocks, OverDrawn
from shoe_controller.table.state import Timer
from tests.table.desk import Desk, KilledError, KilledWhen, full_disk, quick_folder
from tests.table.desk_dealer import Dealer, Mishap, befall
from tests.table.state_checks import cards_in, waiting

EXAMPLES = 200 if os.environ.get("LONG_TESTS") else 20
STEPS = 40

pytestmark = pytest.mark.timeout(900)
"""Only a failure takes that long: the shortest way to it is then looked for."""

HOUSES: dict[str, dict[str, Any]] = {
    "eight decks": {},
    "one deck": {"decks": 1},
    "marked commission": {"decks": 1, "base_game": "commission", "commission": {"taken": "marked"}},
    "commission at once": {"base_game": "commission"},
}
WAGERS = ("base.player", "base.banker", "base.tie", "pairs.player", "lucky_6.lucky_6", "player_wins_on.8", "no.such")
MOST_STEPS_TO_BETTING = 60
PEOPLE = ("ann", "bob", "dan")

procedures = st.fixed_dictionaries(
    {
        "bets_close": st.sampled_from(BetsClose),
        "reveal": st.sampled_from(Reveal),
        "over_drawn": st.sampled_from(OverDrawn),
        "gate_locks": st.sampled_from(GateLocks),
        "burn": st.booleans(),
        "last_rounds": st.integers(0, 2),
        "confirm_after": st.sampled_from([None, 5.0]),
        "card_sets": st.sampled_from([(), ("house",)]),
        "wrong_pins": st.integers(2, 3),
        "finished_round": st.sampled_from(FinishedRound),
        "dealer_signs_in": st.booleans(),
        "new_dealer_burns": st.booleans(),
    }
)
cards = st.sampled_from(Card)
numbers = st.integers(0, 7)
some_numbers = st.sampled_from([None, None, 1, 2])
events: st.SearchStrategy[AnyShoeEvent] = st.one_of(
    st.builds(ButtonPressed, button=st.sampled_from(Button)),
    st.builds(Fault, code=st.sampled_from(FaultCode), stopped=st.booleans()),
    st.builds(FaultCleared, code=st.sampled_from(FaultCode)),
    st.builds(LidChanged, opened=st.booleans()),
    st.builds(Burn, cards=numbers),
    st.sampled_from([Started(), Standby(), CutCard(), CardReturned(), PresetChanged(), GateChanged(locked=None)]),
)
seats, wagers, amounts = st.sampled_from("129"), st.sampled_from(WAGERS), st.sampled_from([0, 7, 100, 1000, 5000])
amendments = st.builds(
    AmendRound,
    shoe=st.integers(1, 2),
    round=st.integers(1, 4),
    cards=st.lists(st.builds(AmendedCard, number=numbers, card=cards), max_size=2).map(tuple),
    wagers=st.lists(st.builds(PlacedWager, seats, wagers, amounts), max_size=2).map(tuple),
)
acts: st.SearchStrategy[AnyAct] = st.one_of(
    st.sampled_from(
        [OpenShoe(), NoMoreBets(), FreeHand(), Confirm(), CallSupervisor(), SignIn(), VoidRound(), VoidAndReplay()]
    ),
    st.sampled_from([UndoLastResult(), UseExtraCard(), BurnExtraCard(), EndShoe(), SignOut()]),
    st.builds(RevealCards, hand=st.sampled_from([None, *Side])),
    st.builds(IdentifyCard, number=numbers, card=st.one_of(st.none(), cards)),
    st.builds(CorrectCard, number=numbers, card=st.one_of(st.none(), cards)),
    st.builds(SetWager, seat=seats, wager=wagers, stake=amounts),
    st.builds(MoveWager, seat=seats, wager=wagers, to_seat=seats),
    amendments,
    st.builds(Note, round=st.sampled_from([None, 1, 7])),
    st.builds(OpenDispute, shoe=some_numbers, round=some_numbers, seat=st.sampled_from([None, "1", "9"])),
    st.builds(CloseDispute, dispute=numbers),
    st.builds(Adjust, seat=st.sampled_from(["1", "9"]), amount=st.sampled_from([-50, 0, 50])),
    st.builds(EnterCard, number=numbers, hand=st.sampled_from([None, *Side]), card=st.one_of(st.none(), cards)),
    st.builds(DealCard, card=st.one_of(st.none(), cards), cut_card=st.booleans()),
)
good_bets = st.tuples(st.sampled_from(["1", "2", "3"]), st.sampled_from(WAGERS[:3]), st.integers(1, 1000))
disturbances: st.SearchStrategy[AnyInput] = st.sampled_from(
    [
        LineRefused(reason="a frame with a wrong seal"),
        EventsMissed(reason="numbers 5 and 6"),
        JournalFailed(trouble=JournalTrouble.DAMAGED, detail="an older one was set aside"),
    ]
)
verdicts = st.sampled_from([PinVerdict.RIGHT] * 5 + [PinVerdict.WRONG, PinVerdict.NOT_GIVEN])


class TableModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = quick_folder()
        self.desk: Desk | None = None

    @initialize(
        house=st.sampled_from(sorted(HOUSES)),
        procedure=procedures,
        discloses_at_draw=st.booleans(),
        numbered=st.booleans(),
        shuffle=st.integers(0, 1 << 30),
    )
    def begin(
        self, house: str, procedure: dict[str, Any], *, discloses_at_draw: bool, numbered: bool, shuffle: int
    ) -> None:
        self.desk = Desk(self.folder, HOUSES[house], **procedure)
        self.dealer = Dealer(self.desk, discloses_at_draw=discloses_at_draw, numbered=numbered, seed=shuffle)
        self.requests = 0

    @property
    def at(self) -> Desk:
        assert self.desk is not None
        return self.desk

    def request_id(self) -> str:
        self.requests += 1
        return f"request {self.requests}"

    def deal_on(self, times: int) -> None:
        for _ in range(times):
            self.dealer.go_on()

    # --- what happens at every table ---------------------------------------------------------------------------------

    @rule(bets=st.lists(good_bets, max_size=3))
    def play_a_round(self, bets: list[tuple[str, str, int]]) -> None:
        """Until wagers are open, then until they are open again: whatever stands in the way is put right."""
        self.deal_until_betting()
        for seat, wager, stake in bets:
            assert self.at.bet(seat, wager, stake).refusal is None
        self.dealer.go_on()
        self.deal_until_betting()

    @rule(times=st.integers(1, 10))
    def deal(self, times: int) -> None:
        self.deal_on(times)

    def deal_until_betting(self) -> None:
        for _ in range(MOST_STEPS_TO_BETTING):
            state = self.at.state
            if state.phase is Phase.BETTING and state.lasting.link.up and not is_stopped(state):
                return
            if state.shoe is not None and state.shoe.dealt_on and not is_stopped(state):
                self.at.act(Confirm(), role=Role.DEALER)  # the shoe has gone on, and its button means the next round
            self.dealer.go_on()
        raise AssertionError(f"no end of the round in sight: {self.at.state.phase}, {self.at.alerts}")

    @rule(
        seat=st.sampled_from(["1", "2", "9"]),
        stakes=st.lists(st.tuples(st.sampled_from(WAGERS), st.sampled_from([0, 1, 7, 100, 1000, 5000])), max_size=3),
        late=st.sampled_from([0, 0, 0, 1]),
    )
    def bet(self, seat: str, stakes: list[tuple[str, int]], late: int) -> None:
        number = self.at.state.round_number - late
        self.at.bets(seat, stakes, request_id=self.request_id(), round=number)

    # --- what goes wrong ---------------------------------------------------------------------------------------------

    @rule(after=st.integers(0, 6), mishap=st.sampled_from(Mishap), bet=good_bets)
    def mishap(self, after: int, mishap: Mishap, bet: tuple[str, str, int]) -> None:
        """In the middle of something, with a wager on the table if one is taken."""
        self.dealer.go_on()
        self.at.bet(*bet)
        self.deal_on(after)
        befall(self.dealer, mishap)

    @rule(after=st.integers(0, 6), mishap=st.sampled_from([Mishap.MISREAD, Mishap.SAME_FACE, Mishap.ONE_TOO_MANY]))
    def mishap_at_its_place(self, after: int, mishap: Mishap) -> None:
        self.deal_until_betting()
        self.deal_on(after)
        befall(self.dealer, mishap)

    @rule(after=st.integers(0, 3), event=events)
    def something_from_the_shoe(self, after: int, event: AnyShoeEvent) -> None:
        self.deal_on(after)
        self.at.event(event)

    @rule()
    def put_right(self) -> None:
        self.dealer.put_right()

    # --- people ------------------------------------------------------------------------------------------------------

    @rule(
        after=st.integers(0, 6),
        act=acts,
        person=st.sampled_from(PEOPLE),
        role=st.sampled_from([Role.SUPERVISOR, Role.SUPERVISOR, Role.SUPERVISOR, Role.DEALER]),
        pin=verdicts,
    )
    def act(self, after: int, act: AnyAct, person: str, role: Role, pin: PinVerdict) -> None:
        self.deal_on(after)
        reason = "seen on the table" if after else " "
        self.at.act(act, person=person, role=role, pin=pin, reason=reason, request_id=self.request_id())

    @rule(after=st.integers(4, 6), card=cards, number=st.integers(1, 6))
    def correct_a_card(self, after: int, card: Card, number: int) -> None:
        self.deal_until_betting()
        self.deal_on(after)
        self.at.act(CorrectCard(number=number, card=card), request_id=self.request_id())

    @rule(person=st.sampled_from(PEOPLE), answer=st.sampled_from([Approve, Approve, Withdraw, None]))
    def take_a_result_back(self, person: str, answer: type[Approve | Withdraw] | None) -> None:
        """It takes two people; the second may also say no, or nothing."""
        if self.at.state.lasting.proposal is None:
            self.play_a_round([("2", "base.banker", 300)])
            self.at.bet("1", "base.tie", 20)
            self.at.act(UndoLastResult(), person="ann", request_id=self.request_id())
        proposal = self.at.state.lasting.proposal
        if proposal is not None and answer is not None:
            handled = self.at.act(answer(proposal=proposal.number), person=person, request_id=self.request_id())
            assert handled.refusal is not None or answer is Withdraw or person != proposal.person

    @rule(after=st.integers(0, 6), seat=seats, wager=st.sampled_from(WAGERS[:3]), stake=amounts)
    def put_a_wager_right(self, after: int, seat: str, wager: str, stake: int) -> None:
        self.deal_until_betting()
        self.at.bet("1", "base.player", 100)
        self.at.dealer(NoMoreBets())
        self.deal_on(after)
        self.at.act(SetWager(seat=seat, wager=wager, stake=stake), person="ann", request_id=self.request_id())
        self.approve_if_proposed()

    @rule(back=st.integers(0, 3), number=st.integers(1, 4), card=cards, stake=amounts)
    def amend_a_round(self, back: int, number: int, card: Card, stake: int) -> None:
        """One that was settled, with another suit of the same rank, or with another stake."""
        self.play_a_round([("2", "base.banker", 300)])
        settled = [] if self.at.state.shoe is None else self.at.state.shoe.settled
        if not settled:
            return
        past = settled[-1 - back % len(settled)]
        hand = (past.player if number % 2 else past.banker).cards
        old = hand[(number - 1) // 2]
        face = Card.parse(f"{old.value[0]}{card.value[1]}")
        act = AmendRound(
            shoe=self.at.state.shoe_number,
            round=past.number,
            cards=(AmendedCard(number=number, card=face),),
            wagers=(PlacedWager("2", "base.banker", stake),) if stake % 2 else (),
        )
        self.at.act(act, person="ann", request_id=self.request_id())
        self.approve_if_proposed()

    def approve_if_proposed(self) -> None:
        proposal = self.at.state.lasting.proposal
        if proposal is not None:
            self.at.act(Approve(proposal=proposal.number), person="bob", request_id=self.request_id())

    @rule(
        before=st.sampled_from([True, False]),
        collects=st.booleans(),
        answer=st.sampled_from([Approve, Approve, Withdraw]),
        then=st.sampled_from([None, UndoLastResult(), EndShoe()]),
    )
    def player_leaves(
        self, *, before: bool, collects: bool, answer: type[Approve | Withdraw], then: AnyAct | None
    ) -> None:
        """A player leaves and pays, or two supervisors let it go; the last result may be taken back after that."""
        if before:
            self.play_a_round([("1", "base.banker", 700), ("2", "base.banker", 300)])
        for seat in ("1", "2"):
            act = CollectCommission(seat=seat) if collects else WaiveCommission(seat=seat)
            self.at.act(act, person="ann", request_id=self.request_id())
            self.both_agree(answer)
        if then is not None:
            self.at.act(then, person="ann", request_id=self.request_id())
            self.both_agree(Approve)

    def both_agree(self, answer: type[Approve | Withdraw]) -> None:
        proposal = self.at.state.lasting.proposal
        if proposal is not None:
            self.at.act(answer(proposal=proposal.number), person="bob", request_id=self.request_id())

    @rule(which=st.integers(0, 3), pin=verdicts)
    def clear_an_alert(self, which: int, pin: PinVerdict) -> None:
        alerts = self.at.state.lasting.alerts
        number = alerts[which % len(alerts)].number if alerts else 99
        self.at.act(ClearAlert(alert=number), pin=pin, request_id=self.request_id())

    @rule()
    def ask_again(self) -> None:
        """A request that changed something does nothing when it comes a second time."""
        again = self.at.last_request
        if again is None:
            return
        known = any(answer.request_id == again.request_id for answer in self.at.state.lasting.answered)
        before = self.at.state
        handled = self.at.give(again)
        assert not known or (not handled.changed and self.at.state == before)

    # --- time and line -----------------------------------------------------------------------------------------------

    @rule(which=st.sampled_from([None, None, *Timer]), seconds=st.sampled_from([0.0, 3.0, 200.0]))
    def time_passes(self, which: Timer | None, seconds: float) -> None:
        """The timer that the table asked for, when it is due; or one that it does not want any more."""
        self.at.wait(seconds)
        if which is not None:
            self.at.give(TimerRanOut(timer=which))
        elif self.at.table.next_timer is not None:
            self.at.timer()

    @rule(
        after=st.integers(0, 6),
        meanwhile=st.integers(0, 2),
        keeps_events=st.sampled_from([True, True, False]),
        new_boot=st.booleans(),
    )
    def lose_the_line(self, after: int, meanwhile: int, *, keeps_events: bool, new_boot: bool) -> None:
        """The dealer does not see it at once: cards leave the shoe that are not received yet."""
        self.deal_on(after)
        self.at.give(LinkLost(reason="the cable was pulled"))
        for _ in range(meanwhile):
            befall(self.dealer, Mishap.LATE)
        self.at.link_back(keeps_events=keeps_events, boot_id=self.at.boot_id + new_boot)

    @rule(
        after=st.integers(0, 6),
        by_hand=st.integers(0, 12),
        pulled=st.booleans(),
        new_boot=st.booleans(),
        ends_first=st.booleans(),
    )
    def deal_by_hand(self, after: int, by_hand: int, *, pulled: bool, new_boot: bool, ends_first: bool) -> None:
        """The shoe goes on counting, and reports every card when the cable is back, before or after its reader is."""
        self.deal_on(after)
        if self.at.state.lasting.hand_entry:
            return
        if pulled:
            self.at.give(LinkLost(reason="the reader is dead"))
        assert self.dealer.act(BeginHandEntry()) is None
        for _ in range(by_hand):
            self.dealer.deal_by_hand()
        if ends_first:
            self.dealer.back_to_reader()
        self.at.link_back(boot_id=self.at.boot_id + new_boot)
        self.dealer.back_to_reader()
        self.dealer.put_right()

    @rule(given=st.one_of(st.builds(ClockStepped, by_ms=st.integers(-4_000_000, 4_000_000)), disturbances))
    def disturb(self, given: AnyInput) -> None:
        if isinstance(given, ClockStepped):
            self.at.stepped_ms += given.by_ms
        self.at.give(given)

    # --- the end of a program, and the next beginning ----------------------------------------------------------------

    @rule(new_boot=st.booleans(), software=st.sampled_from([None, None, None, "1.1", "1.2"]), power=st.booleans())
    def restart(self, *, new_boot: bool, software: str | None, power: bool) -> None:
        if power:
            self.at.lose_power()
        else:
            self.at.journal.close()
        self.at.start(boot=self.boot(anew=new_boot), software=software)

    @rule(
        after=st.integers(0, 6),
        when=st.sampled_from(KilledWhen),
        new_boot=st.booleans(),
        by_person=st.booleans(),
        repeats=st.booleans(),
    )
    def killed(self, after: int, when: KilledWhen, *, new_boot: bool, by_person: bool, repeats: bool) -> None:
        """The program dies on the way of a card or of a request; the shoe and the console send theirs again."""
        self.deal_on(after)
        before, facts = self.at.state, len(self.at.facts)
        self.at.killed_when = when
        with suppress(KilledError):
            if by_person:
                self.at.dealer(CallSupervisor(), request_id=self.request_id())
            else:
                self.dealer.go_on()
        self.at.lose_power()
        if when is KilledWhen.BEFORE_SUBMIT:
            assert len(self.at.facts) == facts
            assert self.at.recovered().state == before
        self.at.start(boot=self.boot(anew=new_boot))
        if repeats:
            self.ask_again()
            self.at.link_back(boot_id=self.at.boot_id)

    @rule()
    def disk_full(self) -> None:
        """Nothing can be stored: the table stays where it was, and goes on when there is room."""
        before = self.at.state
        with full_disk():
            try:
                handled = self.at.dealer(CallSupervisor(), request_id=self.request_id())
            except DiskFailedError:
                pass
            else:
                assert not handled.changed, "what is refused needs no disk"
        assert self.at.state is before
        self.at.give(JournalFailed(trouble=JournalTrouble.FULL, detail="no room"))
        self.ask_again()

    def boot(self, *, anew: bool) -> str:
        before = self.at.state.lasting.boot
        return f"{before}+" if anew else before

    # --- what must hold ----------------------------------------------------------------------------------------------

    @invariant()
    def a_restart_stands_where_the_table_stands(self) -> None:
        if self.desk is not None:
            self.desk.check_recovery()

    @invariant()
    def no_card_is_lost_doubled_or_invented(self) -> None:
        if self.desk is not None and self.desk.state.shoe is not None:
            # Or held, until a supervisor has said of which shoe they are.
            waiting_cards = sum(map(cards_in, (*waiting(self.desk.state), *self.desk.state.lasting.held)))
            assert self.desk.state.shoe.cards_out + waiting_cards == self.desk.cards_gone

    @rule()
    def audit(self) -> None:
        report = self.at.verified()
        assert report.good, report.problems

    def teardown(self) -> None:
        try:
            if self.desk is not None:
                self.desk.close()
                report = self.desk.verified()
                assert report.good, report.problems
                facts = sum(report.not_replayed.values()) + (report.replayed or 0)
                assert facts == len(self.desk.facts)
                assert self.desk.software not in report.not_replayed
        finally:
            shutil.rmtree(self.folder)


TestTableModel = TableModel.TestCase
TestTableModel.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    # With every `make test` the same sittings; `LONG_TESTS=1` looks for others.
    derandomize=not os.environ.get("LONG_TESTS"),
)
