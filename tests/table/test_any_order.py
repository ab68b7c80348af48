"""Anything can happen at any time: random inputs in any phase never raise, lose no card and pay nothing while stopped.

What must hold after each input is in `state_checks.py`; here is only what happens. A failure names its seed.
"""

import random
from collections.abc import Callable

import pytest

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
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
    IndicatedWinner,
    LidChanged,
    Misread,
    PresetChanged,
    ResultIndicated,
    Standby,
    Started,
)
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    AcceptRollback,
    AnyAct,
    Approve,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    EndShoe,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    OpenShoe,
    RevealCards,
    Role,
    SignIn,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    Withdraw,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.inputs import (
    AnyInput,
    ClockStepped,
    ControllerStarted,
    EventsMissed,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LinkBack,
    LinkLost,
    PinVerdict,
    StatusAhead,
    TimerRanOut,
)
from shoe_controller.table.judging import judge
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.state import Timer
from tests.table.sitting import Sitting

STEPS = 250


class Chance:
    """Everything that a shoe or a person could come up with."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - the same sequence every time is the point

    def card(self) -> Card | None:
        # Few faces, so that the decks run out of some of them.
        return self.random.choice([None, *CARDS_BY_NUMBER[::7]])

    def hand(self) -> Hand | None:
        hands: list[Hand | None] = [None, *Hand]
        return self.random.choice(hands)

    def event(self) -> AnyShoeEvent:
        pick = self.random.choice
        position, card_id = pick([None, 0, 1, 2, 3]), pick([None, "a", "b", str(self.random.random())])
        hand, card = self.hand(), self.card()
        events: list[Callable[[], AnyShoeEvent]] = [
            lambda: CardDrawn(
                hand=hand,
                position=position,
                card=card,
                card_id=card_id,
                deck_set=pick([None, "ours", "theirs"]),
                burns_left=pick([None, 0, 3]),
                first_of_shoe=pick([False] * 5 + [True]),
                carried_over=pick([False] * 5 + [True]),
            ),
            lambda: CardIdentified(hand=hand or Hand.EXTRA, position=position, card=card, card_id=card_id),
            lambda: Misread(hand=hand, position=position),
            lambda: ForeignCard(hand=hand, position=position, card_id=card_id),
            lambda: DoubleFeed(cards=pick([2, 3])),
            lambda: ResultIndicated(winner=pick([None, *IndicatedWinner]), player_pair=pick([False, True])),
            CutCard,
            lambda: Burn(cards=pick([1, 10])),
            lambda: ButtonPressed(button=pick(list(Button))),
            lambda: Fault(code=pick(list(FaultCode)), stopped=pick([False, True])),
            lambda: FaultCleared(code=pick(list(FaultCode))),
            lambda: CardReturned(card=card),
            lambda: LidChanged(opened=pick([False, True])),
            Started,
            Standby,
            PresetChanged,
            lambda: GateChanged(locked=None),
            lambda: Health(millivolts=1, celsius=2, cards_since_load=3),
        ]
        return pick(events)()

    def act(self, sitting: Sitting) -> AnyAct:
        pick = self.random.choice
        alerts = [alert.number for alert in sitting.state.lasting.alerts] or [0]
        number, card = pick([0, 1, 2, 3, 4, 5, 6, 7]), self.card()
        acts: list[AnyAct] = [
            OpenShoe(),
            NoMoreBets(),
            FreeHand(),
            RevealCards(hand=pick([None, *Side])),
            Confirm(),
            CallSupervisor(),
            *[ClearAlert(alert=pick(alerts)) for _ in range(6)],
            SignIn(),
            IdentifyCard(number=number, card=card),
            CorrectCard(number=number, card=card),
            UseExtraCard(),
            BurnExtraCard(),
            VoidRound(),
            VoidAndReplay(),
            UndoLastResult(),
            AcceptRollback(),
            EndShoe(),
            Approve(proposal=sitting.state.lasting.proposals_made),
            Withdraw(proposal=sitting.state.lasting.proposals_made),
        ]
        return pick(acts)

    def other(self) -> AnyInput:
        pick = self.random.choice
        inputs: list[AnyInput] = [
            TimerRanOut(timer=pick(list(Timer))),
            LinkLost(reason="cable"),
            LinkBack(keeps_events=pick([False, True]), authenticated=True, boot_id=pick([None, 1, 2])),
            EventsMissed(reason="a gap"),
            LineRefused(reason="forged"),
            ClockStepped(by_ms=pick([-5000, 5000])),
            ControllerStarted(boot=pick(["first", "second"])),
            JournalFailed(trouble=pick(list(JournalTrouble)), detail="disk"),
            StatusAhead(number=40, noted=90),
        ]
        return pick(inputs)

    def step(self, sitting: Sitting) -> None:
        sitting.wait(self.random.choice([0, 0, 1, 10, 200]))
        match self.random.choice(["play"] * 10 + ["tidy"] * 5 + ["event", "act", "undo", "bet", "other", "timer"]):
            case "play":
                self._play(sitting)
            case "event":
                sitting.event(self.event(), age_ms=self.random.choice([0, 0, 500]))
            case "act":
                person = self.random.choice(["ann", "ben"])
                role = self.random.choice([Role.SUPERVISOR] * 4 + [Role.DEALER])
                pin = self.random.choice([PinVerdict.RIGHT] * 20 + [PinVerdict.WRONG, PinVerdict.NOT_GIVEN])
                request_id = self.random.choice(["", "", "again"])
                sitting.act(self.act(sitting), person=person, role=role, pin=pin, request_id=request_id)
            case "tidy":
                self._tidy(sitting)
            case "undo":
                sitting.act(UndoLastResult(), person="ann")
                sitting.act(Approve(proposal=sitting.state.lasting.proposals_made), person="ben")
            case "bet":
                wager = self.random.choice(["base.player", "base.banker", "base.tie", "pairs.player", "no.such"])
                sitting.bet(self.random.choice("1234"), wager, self.random.choice([0, 1, 10, 5000, -3]))
            case "other":
                sitting.give(self.other())
            case "timer" if sitting.table.next_timer is not None:
                sitting.timer()

    def _tidy(self, sitting: Sitting) -> None:
        """A supervisor puts something right, in one way or another."""
        if sitting.state.lasting.lid_open:
            sitting.event(LidChanged(opened=False))
        if not sitting.state.lasting.link.up:
            sitting.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
        for alert in sitting.state.lasting.alerts:
            sitting.act(ClearAlert(alert=alert.number), person="cat")
        ways: list[AnyAct] = [BurnExtraCard(), UseExtraCard(), Confirm(), VoidRound(), VoidAndReplay()]
        ways += [IdentifyCard(number=n, card=self.random.choice(CARDS_BY_NUMBER)) for n in (0, 1, 2)]
        if sitting.alerts:
            sitting.act(self.random.choice(ways), person="cat")

    def _play(self, sitting: Sitting) -> None:
        """What a shoe without faults would do next."""
        state = sitting.state
        match state.phase:
            case Phase.NO_SHOE | Phase.ENDED:
                sitting.event(ButtonPressed(button=Button.NEW_SHOE))
            case Phase.FIRST_CARD | Phase.BURNING:
                sitting.event(CardDrawn(hand=Hand.BURN, card=self.random.choice([None, Card.ACE_OF_CLUBS])))
            case Phase.BETTING if self.random.random() < 0.6:
                sitting.bet(self.random.choice("123"), "base.player", self.random.randint(1, 9))
            case Phase.COMPLETE:
                assert state.round is not None
                winner = judge(state.round.cards).deal.facts.winner.value
                sitting.event(ResultIndicated(winner=IndicatedWinner(winner)))
            case _:
                card = self.random.choice(CARDS_BY_NUMBER)
                sitting.card(card.value)


@pytest.mark.parametrize("seed", range(80))
def test_anything_in_any_order(seed: int) -> None:
    chance = Chance(seed)
    pick = chance.random.choice
    sitting = Sitting(
        house={"decks": 5},
        reveal=pick(list(Reveal)),
        bets_close=pick(list(BetsClose)),
        burn=pick([False, True]),
        over_drawn=pick(list(OverDrawn)),
        last_rounds=pick([0, 1, 3]),
        confirm_after=pick([None, 5.0]),
        card_sets=pick([(), ("ours",)]),
    )
    for _ in range(STEPS):
        chance.step(sitting)
