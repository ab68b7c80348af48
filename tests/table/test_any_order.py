"""Anything can happen at any time: random inputs in any phase never raise, lose no card and pay nothing while stopped.

What must hold after each input is in `state_checks.py`; here is only what happens. A failure names its seed.
"""

import os
import random
from collections.abc import Callable
from typing import Any

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
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    AcceptRollback,
    Adjust,
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    AssignCards,
    AssignedCard,
    BeginHandEntry,
    BeginRunOut,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    CloseDispute,
    CollectCommission,
    Confirm,
    CorrectCard,
    CountRemainder,
    DealCard,
    DiscardCard,
    EndHandEntry,
    EndRunOut,
    EndShoe,
    EnterCard,
    ExchangeShoe,
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
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.details import MetController
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, Reveal, ShownCard
from shoe_controller.table.assigning import drawn_cards
from shoe_controller.table.inputs import (
    AnyInput,
    ClockStepped,
    ControllerMet,
    ControllerStarted,
    DealerStruckOff,
    DealtBefore,
    EventsMissed,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LinkBack,
    LinkLost,
    PinVerdict,
    ProposerStruckOff,
    StatusAhead,
    TimerRanOut,
)
from shoe_controller.table.judging import judge
from shoe_controller.table.opening import why_count_first
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.state import REVISION, Timer
from tests.table.sitting import Sitting

STEPS = 250
SITTINGS = 400 if os.environ.get("LONG_TESTS") else 40

MARKED: dict[str, Any] = {"base_game": "commission", "commission": {"taken": "marked"}}
MOST_ASSIGNED = 20
"""As many cards as the act can name."""
BASE = ("base.player", "base.banker")


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
        disputes = [dispute.number for dispute in sitting.state.lasting.disputes] or [0]
        acts: list[AnyAct] = [
            OpenShoe(),
            NoMoreBets(),
            FreeHand(),
            RevealCards(hand=pick([None, *Side])),
            Confirm(),
            CallSupervisor(),
            *[ClearAlert(alert=pick(alerts)) for _ in range(6)],
            SignIn(),
            SignOut(),
            IdentifyCard(number=number, card=card),
            CorrectCard(number=number, card=card),
            *[EnterCard(number=number, hand=pick([None, None, *Side]), card=card) for _ in range(2)],
            BeginHandEntry(),
            *[EndHandEntry() for _ in range(3)],
            *[DealCard(card=card) for _ in range(6)],
            DealCard(cut_card=True),
            UseExtraCard(),
            BurnExtraCard(),
            VoidRound(),
            VoidAndReplay(),
            UndoLastResult(),
            AcceptRollback(),
            EndShoe(),
            *[self.assign(sitting) for _ in range(4)],
            *[self.discard(sitting) for _ in range(4)],
            ExchangeShoe(),
            CountRemainder(cards=pick([0, 200, 250])),
            BeginRunOut(),
            *[EndRunOut() for _ in range(3)],
            SetWager(seat=pick("129"), wager=pick(["base.player", "base.tie", "no.such"]), stake=pick([0, 20, 9999])),
            MoveWager(seat=pick("12"), wager="base.player", to_seat=pick("129")),
            AmendRound(
                shoe=pick([1, sitting.state.shoe_number]),
                round=pick([1, 2, 3]),
                cards=() if card is None else (AmendedCard(number=number, card=card),),
                wagers=pick([(), (PlacedWager("1", "base.player", pick([0, 30])),)]),
            ),
            Note(round=pick([None, 1, 5])),
            OpenDispute(shoe=pick([None, 1, 2]), round=pick([None, 1, 2]), seat=pick([None, "1", "9"])),
            *[CloseDispute(dispute=pick(disputes)) for _ in range(3)],
            Adjust(seat=pick("149"), amount=pick([-50, 0, 50])),
            *[CollectCommission(seat=pick("123"), shoe=pick([None, None, 1])) for _ in range(3)],
            *[WaiveCommission(seat=pick("123"), shoe=pick([None, None, 1])) for _ in range(3)],
            Approve(proposal=sitting.state.lasting.proposals_made),
            Withdraw(proposal=sitting.state.lasting.proposals_made),
        ]
        return pick(acts)

    def assign(self, sitting: Sitting) -> AssignCards:
        """Where the rules put the cards, or somewhere else; some of them named."""
        drawn = drawn_cards(sitting.state)
        if not 0 < len(drawn) <= MOST_ASSIGNED:
            return AssignCards(cards=(AssignedCard(hand=Side.PLAYER),))
        deal, cards, astray = Deal(), [], self.random.random() < 0.1
        for one in drawn:
            card = self.card() if self.random.random() < 0.1 or one.card.card is None else None
            face = card or one.card.card
            hand = deal.next_side
            if hand is not None and face is not None:
                deal.feed(face, hand)
            cards.append(AssignedCard(hand=self.random.choice([None, *Side]) if astray else hand, card=card))
        return AssignCards(cards=tuple(cards))

    def discard(self, sitting: Sitting) -> DiscardCard:
        cards = () if sitting.state.round is None else sitting.state.round.cards
        number = self.random.randint(1, max(1, len(cards)))
        face = cards[number - 1].card if cards and cards[number - 1].shown else None
        return DiscardCard(number=number, cause=self.random.choice(list(DiscardCause)), card=face)

    def other(self) -> AnyInput:
        pick = self.random.choice
        inputs: list[AnyInput] = [
            TimerRanOut(timer=pick(list(Timer))),
            LinkLost(reason="cable"),
            LinkBack(keeps_events=pick([False, True]), authenticated=True, boot_id=pick([None, 1, 2])),
            EventsMissed(reason="a gap"),
            LineRefused(reason="forged"),
            ClockStepped(by_ms=pick([-5000, 5000])),
            ControllerStarted(boot=pick(["first", "second"]), revision=REVISION),
            JournalFailed(trouble=pick(list(JournalTrouble)), detail="disk"),
            StatusAhead(number=40, noted=90),
            DealtBefore(journal="4f2a9c1e"),
            ControllerMet(how=pick(list(MetController)), host="spare", address=""),
            DealerStruckOff(person="ann"),
            ProposerStruckOff(person=pick(["ann", "ben"])),
        ]
        return pick(inputs)

    def step(self, sitting: Sitting) -> None:
        sitting.wait(self.random.choice([0, 0, 1, 10, 200]))
        match self.random.choice(["play"] * 10 + ["tidy"] * 5 + ["event", "act", "undo", "bet", "other", "timer"]):
            case "play":
                self._play(sitting)
            case "event":
                sitting.event(self.event(), age_ms=self.random.choice([0, 0, 500, 30_000]))
            case "act":
                person = self.random.choice(["ann", "ben"])
                role = self.random.choice([Role.SUPERVISOR] * 4 + [Role.DEALER])
                pin = self.random.choice([PinVerdict.RIGHT] * 20 + [PinVerdict.WRONG, PinVerdict.NOT_GIVEN])
                request_id = self.random.choice(["", "", "again"])
                token = self.random.choice(["", "a token", "another"]) if role is Role.DEALER else ""
                act = self.act(sitting)
                sitting.act(act, person=person, role=role, pin=pin, request_id=request_id, token_digest=token)
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
        ways += [self.assign(sitting), self.discard(sitting)]
        ways += [IdentifyCard(number=n, card=self.random.choice(CARDS_BY_NUMBER)) for n in (0, 1, 2)]
        if sitting.alerts:
            sitting.act(self.random.choice(ways), person="cat")

    def _play(self, sitting: Sitting) -> None:
        """What a shoe without faults would do next."""
        state = sitting.state
        match state.phase:
            case Phase.ENDED if state.shoe is not None and state.shoe.run_out is not None:
                sitting.card(self.random.choice(CARDS_BY_NUMBER).value)
                if self.random.random() < 0.5:
                    sitting.act(EndRunOut())
            case Phase.ENDED if why_count_first(state) is not None:
                sitting.act(CountRemainder(cards=200) if self.random.random() < 0.5 else BeginRunOut())
            case Phase.NO_SHOE | Phase.ENDED:
                sitting.event(ButtonPressed(button=Button.NEW_SHOE))
            case Phase.FIRST_CARD | Phase.BURNING:
                sitting.event(CardDrawn(hand=Hand.BURN, card=self.random.choice([None, Card.ACE_OF_CLUBS])))
            case Phase.BETTING if self.random.random() < 0.6:
                sitting.bet(self.random.choice("123"), self.random.choice(BASE), self.random.randint(1, 60))
            case Phase.COMPLETE if state.lasting.hand_entry:
                sitting.dealer(Confirm())
            case Phase.COMPLETE:
                assert state.round is not None
                winner = judge(state.round.cards).deal.facts.winner.value
                sitting.event(ResultIndicated(winner=IndicatedWinner(winner)))
            case _ if state.lasting.hand_entry and self.random.random() < 0.7:
                sitting.dealer(DealCard(card=self.random.choice(CARDS_BY_NUMBER)))
            case _:
                card = self.random.choice(CARDS_BY_NUMBER)
                sitting.card(card.value)


@pytest.mark.parametrize("seed", range(SITTINGS))
def test_anything_in_any_order(seed: int) -> None:
    chance = Chance(seed)
    pick = chance.random.choice
    sitting = Sitting(
        house={"decks": 5} | pick([{}, MARKED]),
        reveal=pick(list(Reveal)),
        bets_close=pick(list(BetsClose)),
        burn=pick([False, True]),
        over_drawn=pick(list(OverDrawn)),
        last_rounds=pick([0, 1, 3]),
        confirm_after=pick([None, 5.0]),
        card_sets=pick([(), ("ours",)]),
        dealer_signs_in=pick([False, True]),
        new_dealer_burns=pick([False, True]),
        discarded_card=pick(list(DiscardedCard)),
        shown_card=pick(list(ShownCard)),
        remainder=pick(list(Remainder)),
    )
    for _ in range(STEPS):
        chance.step(sitting)
