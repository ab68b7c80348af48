"""Every edge follows from the public events alone: random sittings with faults and corrections, shown in every manner.

With LONG_TESTS=1 more of them.
"""

import os
from random import Random

import msgspec
import pytest

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import CardDrawn, Hand, IndicatedWinner, LidChanged, Misread, ResultIndicated
from shoe_controller.baccarat.composition import shoe_without
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    DiscardCard,
    EndShoe,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    RevealCards,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.facts import AlertRaised
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.pit import WagerExposed
from shoe_controller.messages.procedure import DiscardedCard, Reveal, ShownCard
from shoe_controller.pit.certainty import HIDES_CARDS, PROVES_BAD
from tests.follow.samples import published
from tests.pit.chain import check
from tests.pit.following import PRICES, Followed
from tests.pit.public_fold import read, shown
from tests.table.sitting import QuickSitting

SITTINGS = 60 if os.environ.get("LONG_TESTS") else 3
STEPS = 200

HOUSE = {"layout": "nepal_super_baccarat", "decks": 6}


def random_card(chance: Random) -> Card:
    return chance.choice(CARDS_BY_NUMBER)


class RandomTable:
    """Deals, and now and then does something else; what the table refuses comes to nothing."""

    def __init__(self, seed: int, reveal: Reveal) -> None:
        self.chance = Random(seed)  # noqa: S311 - a sitting, reproducible by its seed
        shown_card = self.chance.choice(list(ShownCard))
        discarded = self.chance.choice(list(DiscardedCard))
        self.sitting = QuickSitting(HOUSE, reveal=reveal, shown_card=shown_card, discarded_card=discarded)
        self.cards: list[Card] = []

    def step(self) -> None:  # noqa: C901, PLR0912 - one case for each state of a table
        chance, sitting = self.chance, self.sitting
        if sitting.state.phase in (Phase.NO_SHOE, Phase.ENDED):
            self._new_shoe()
        elif sitting.state.lasting.proposal is not None:
            sitting.act(Approve(proposal=sitting.state.lasting.proposal.number), person="bob")
        elif chance.random() < 0.1:
            self._something_else()
        elif sitting.at(Phase.BETTING) and chance.random() < 0.5:
            seat = chance.choice(("1", "2", "3"))
            sitting.bet(seat, chance.choice(("base.player", "base.tie")), chance.randrange(1, 900))
        elif sitting.at(Phase.COMPLETE):
            for hand in Side:
                sitting.dealer(RevealCards(hand=hand))
            sitting.event(ResultIndicated(winner=self._winner()))
            sitting.dealer(Confirm())
            if sitting.at(Phase.COMPLETE):
                sitting.act(VoidRound())
        elif sitting.alerts and chance.random() < 0.5:
            for number in (1, 2, 3, 4):
                sitting.act(IdentifyCard(number=number, card=random_card(chance)))
            for alert in sitting.state.lasting.alerts:
                sitting.act(ClearAlert(alert=alert.number))
            if sitting.alerts:
                sitting.act(VoidRound())
        elif len(self.cards) < 150 or (self._is_in_doubt() and chance.random() < 0.1):
            sitting.act(EndShoe())
        elif self.cards:
            sitting.card(str(self.cards.pop()))

    def _is_in_doubt(self) -> bool:
        alerts = (fact for fact in self.sitting.all(AlertRaised) if fact.shoe == self.sitting.state.shoe_number)
        return any(fact.alert.kind in HIDES_CARDS | PROVES_BAD for fact in alerts)

    def _winner(self) -> IndicatedWinner:
        playing = self.sitting.state.round
        assert playing is not None
        points = dict.fromkeys(Side, 0)
        for laid in playing.cards:
            if laid.card is not None and laid.hand is not None:
                points[laid.hand] += laid.card.points
        player, banker = points[Side.PLAYER] % 10, points[Side.BANKER] % 10
        if player == banker:
            return IndicatedWinner.TIE
        return IndicatedWinner.PLAYER if player > banker else IndicatedWinner.BANKER

    def _new_shoe(self) -> None:
        self.cards = [card for card in CARDS_BY_NUMBER for _ in range(6)]
        self.chance.shuffle(self.cards)
        self.sitting.announce()
        self.sitting.event(CardDrawn(hand=Hand.BURN, card=self.cards.pop(), first_of_shoe=True))
        while self.sitting.at(Phase.BURNING):
            self.cards.pop()
            self.sitting.event(CardDrawn(hand=Hand.BURN))

    def _something_else(self) -> None:
        chance, sitting = self.chance, self.sitting
        if chance.random() < 0.02:
            sitting.event(LidChanged(opened=True))
            sitting.event(LidChanged(opened=False))
            return
        if chance.random() < 0.15:
            sitting.event(Misread(hand=chance.choice((Hand.PLAYER, Hand.BANKER)), position=chance.randrange(1, 4)))
            return
        number, card = chance.randrange(1, 5), random_card(chance)
        acts: tuple[AnyAct, ...] = (
            chance.choice((VoidRound(), VoidAndReplay())),
            UndoLastResult(),
            UndoLastResult(),
            FreeHand(),
            NoMoreBets(),
            BurnExtraCard(),
            UseExtraCard(),
            CorrectCard(number=chance.randrange(5), card=card),
            IdentifyCard(number=number, card=card),
            DiscardCard(number=number, cause=chance.choice(list(DiscardCause)), card=None),
            RevealCards(hand=chance.choice(list(Side))),
            AmendRound(
                shoe=sitting.state.shoe_number,
                round=max(sitting.state.round_number - 1, 1),
                cards=(AmendedCard(number=number, card=card),),
                wagers=(),
            ),
        )
        sitting.act(chance.choice(acts))


@pytest.mark.parametrize("reveal", Reveal)
@pytest.mark.parametrize("seed", range(SITTINGS))
def test_every_edge_is_that_of_the_cards_that_the_public_events_show(seed: int, reveal: Reveal) -> None:
    table = RandomTable(seed, reveal)
    followed = Followed(table.sitting)
    followed.connect()
    with_edges = checked = 0
    for _ in range(STEPS):
        table.step()
        if not table.sitting.facts[followed.sent :]:
            continue
        followed.catch_up()
        known = shown(read(published(fact)) for fact in table.sitting.facts)
        message = followed.edges()
        if known is None:
            assert message.edges == ()
            continue
        checked += 1
        doubtful = bool(known.alerts & HIDES_CARDS or known.standing & PROVES_BAD or max(known.seen.values()) > 6)
        assert bool(message.edges) == (known.betting and not doubtful), (message.none, known)
        if message.edges:
            with_edges += 1
            check(message, known)
            alarms = (each.alarm for each in followed.alarms())
            exposed = {alarm.wager: alarm.staked for alarm in alarms if isinstance(alarm, WagerExposed)}
            assert exposed == {each.wager: known.staked[each.wager] for each in message.edges if each.edge > 0}
    assert checked > STEPS / 3
    assert with_edges > 5
    # One that begins now, in the middle of it all, says the same.
    late = Followed(table.sitting)
    late.connect()
    assert late.edges() == followed.edges()


def squeezed(reveal: Reveal, hidden: list[str]) -> list[object]:
    """What is published of a shoe in which these cards were never shown: their round is voided."""
    sitting = QuickSitting(HOUSE, reveal=reveal)
    sitting.open_shoe("4S")
    followed = Followed(sitting)
    followed.connect()
    messages: list[object] = []

    def look() -> None:
        followed.catch_up()
        messages.append((followed.edges(), followed.alarms(), list(followed.table.to_write())))

    for cards in (hidden[:2], hidden[2:]):
        for card in cards:
            sitting.card(card)
            look()
        sitting.act(VoidRound())
        look()
    return messages


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_two_shoes_that_differ_in_cards_never_shown_are_published_alike(reveal: Reveal) -> None:
    chance = Random(7)  # noqa: S311 - cards for a test
    before = None
    for _ in range(6):
        hidden = [str(random_card(chance)) for _ in range(5)]
        if hidden[0][0] in "89" or hidden[1][0] in "89":
            continue
        after = squeezed(reveal, hidden)
        assert before is None or after == before
        before = after
    assert before is not None


def test_the_check_sees_an_edge_that_knows_a_hidden_card() -> None:
    sitting = QuickSitting(HOUSE, reveal=Reveal.AT_RESULT)
    sitting.open_shoe("4S")
    followed = Followed(sitting)
    followed.connect()
    sitting.card("9H")
    sitting.act(VoidRound())
    followed.catch_up()
    known = shown(read(published(fact)) for fact in sitting.facts)
    assert known is not None
    check(followed.edges(), known)
    priced = PRICES.of(followed.table.fold.rules)  # type: ignore[arg-type]  # it has rules
    (edges,) = priced.live.edges([shoe_without(6, [Card("4S"), Card("9H")])])
    knowing = [
        msgspec.structs.replace(each, edge=edge) for each, edge in zip(followed.edges().edges, edges, strict=False)
    ]
    with pytest.raises(AssertionError):
        check(msgspec.structs.replace(followed.edges(), edges=tuple(knowing)), known)
