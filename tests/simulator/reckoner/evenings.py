"""Honest evenings at a table on the bench, with the truth of the shoe beside: the reckoner must find nothing in them.

Together they hold every kind of event that the reckoner looks at, and every way in which wagers and cards can end.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    DoubleFeed,
    Hand,
    IndicatedWinner,
    Misread,
    ResultIndicated,
)
from shoe_controller.messages.acts import (
    Approve,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    EndShoe,
    IdentifyCard,
    RevealCards,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.procedure import Reveal
from shoe_controller.table.table import Handled
from simulator.reckoner.mismatch import Json
from simulator.reckoner.reckoning import Step
from tests.table.sitting import Sitting
from tests.table.state_checks import as_json, rules_of

UNREAD = "9H"
"""The face of a card that the shoe does not read here, or keeps to itself."""


class Evening(NamedTuple):
    truth: list[dict[str, Any]]
    steps: list[Step]
    info: Json
    """What the table posts."""

    def copied(self) -> "Evening":
        truth, steps = as_json((self.truth, self.steps))
        return Evening(truth, [Step(*step) for step in steps], self.info)

    @property
    def events(self) -> list[dict[str, Any]]:
        return [cast("dict[str, Any]", event) for step in self.steps for event in step.events]


class Table(Sitting):
    """Writes down the truth as well."""

    def __init__(self, house: dict[str, Any], **procedure: Any) -> None:  # noqa: ANN401 - as in `Sitting`
        self.truth: list[dict[str, Any]] = []
        self.out = 0
        self.hands: dict[str, list[str]] = {"player": [], "banker": []}
        super().__init__({"offer": ["base", "pairs"]} | house, **procedure)

    def event(self, event: AnyShoeEvent, *, age_ms: int = 0) -> Handled:
        match event:
            case CardDrawn(carried_over=False):
                self._left(event.card, event.hand, event.position)
            case Misread():
                self._left(None, event.hand, event.position, reading="unread")
            case DoubleFeed():
                self._left(None, Hand.PLAYER, 1, reading="with_another")
                self._left(None, Hand.EXTRA, None, reading="with_another")
            case ResultIndicated():
                winner = None if event.winner is None else event.winner.value
                self.truth.append(
                    {"what": "round_ended", "t": float(self.out), "round": 0, "winner": winner} | self.hands
                )
                self.hands = {"player": [], "banker": []}
            case _:
                pass
        return super().event(event, age_ms=age_ms)

    def _left(self, card: Card | None, hand: Hand | None, position: int | None, reading: str = "read") -> None:
        self.out += 1
        to = "extra" if hand is None else hand.value
        face = UNREAD if card is None else card.value
        line = {"what": "card_out", "t": float(self.out), "card": face, "card_id": f"c{self.out}", "number": self.out}
        self.truth.append(line | {"to": to, "position": position, "reading": reading})
        if to in self.hands:
            self.hands[to].append(face)

    def wins(self, side: str) -> None:
        self.result(IndicatedWinner(side))

    def force_end(self) -> None:
        """The round ends at the shoe without a result, before it is voided."""
        self.hands = {"player": [], "banker": []}

    def both_agree(self, act: UndoLastResult | EndShoe) -> None:
        self.act(act, person="ann")
        proposal = self.state.lasting.proposal
        if proposal is not None:
            self.act(Approve(proposal=proposal.number), person="ben")

    def evening(self) -> Evening:
        steps = [Step(as_json(given), as_json(facts)) for given, _, facts in self.history]
        return Evening(self.truth, steps, rules_of(self.rules))


def everything() -> Evening:
    """Marked commission; voids, undone results, cards too many, cards that a person names."""
    table = Table({"base_game": "commission", "commission": {"taken": "marked"}})
    table.open_shoe("3H")
    table.bets("1", [("base.banker", 100), ("base.tie", 50)], request_id="r1")
    table.bet("2", "base.player", 200, request_id="r2")
    table.bet("2", "base.player", 300, request_id="r3")
    table.deal("2H 9D 3S KC")
    table.wins("banker")

    table.bet("1", "base.player", 100)
    table.event(Misread(hand=Hand.PLAYER, position=1))
    table.act(IdentifyCard(number=1, card=Card(UNREAD)))
    table.deal("4D KS 2C")
    table.act(CorrectCard(number=3, card=Card("QS")))
    table.act(CorrectCard(number=3, card=Card("KS")))
    table.wins("player")

    table.bet("3", "base.tie", 40)
    table.deal("9C 9D KS KC")
    table.card("5H", Hand.EXTRA)
    table.act(UseExtraCard())
    table.wins("tie")
    table.hands["player"].append("5H")
    table.card("7C", Hand.BANKER, position=1)
    table.deal("4D KD")
    table.wins("player")

    _voids(table)
    _undone(table)
    table.both_agree(EndShoe())
    table.open_shoe("AD")
    table.bet("1", "base.banker", 500)
    table.deal("2H 9D 3S KC")
    table.card("6H", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.wins("banker")
    return table.evening()


def _voids(table: Table) -> None:
    table.bet("1", "base.player", 100)
    table.bet("2", "base.banker", 100)
    table.deal("9H 4D")
    table.act(VoidRound())
    table.force_end()
    table.bet("1", "base.player", 100)
    table.deal("8H 4D")
    table.act(VoidAndReplay())
    table.force_end()
    table.deal("8H 3D KS KC")
    table.wins("player")
    table.card(None, Hand.BURN)
    table.act(ClearAlert(alert=table.alert_number("burned_between_rounds")))
    table.event(DoubleFeed())
    table.act(VoidRound())
    table.force_end()
    table.deal("8H 3D KS KC")
    table.card("6H", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.wins("player")
    table.card(None, Hand.BURN)
    table.act(ClearAlert(alert=table.alert_number("burned_between_rounds")))


def _undone(table: Table) -> None:
    table.bets("1", [("base.banker", 200), ("pairs.banker", 20)])
    table.deal("7H 9D TS 9C")
    table.wins("banker")
    table.bet("2", "base.player", 100)
    table.both_agree(UndoLastResult())
    table.act(Confirm())
    table.dealer(CallSupervisor())
    table.act(ClearAlert(alert=table.alert_number("supervisor_called")))


def face_down() -> Evening:
    """Cards are shown by the dealer or at the result; what a round pays is limited; commission at once."""
    house = {"base_game": "commission", "round_limit": {"amount": 700, "groups": ["pairs"]}}
    table = Table(house, reveal=Reveal.BY_DEALER)
    table.open_shoe("KS")
    table.bets("1", [("base.banker", 800), ("base.tie", 30)])
    table.bet("2", "base.banker", 400)
    table.deal("2H 9D")
    table.dealer(RevealCards())
    table.deal("3S KC")
    table.act(CorrectCard(number=4, card=Card("QC")))
    table.act(CorrectCard(number=4, card=Card("KC")))
    table.wins("banker")
    table.bet("3", "base.player", 10)
    table.bet("3", "base.player", 0)
    table.bets("1", [("base.player", 10), ("pairs.player", 50), ("pairs.banker", 30)])
    table.bets("2", [("base.banker", 30), ("pairs.banker", 25)])
    table.deal("KH 9D KS 9C")
    table.wins("banker")
    return table.evening()


EVENINGS: dict[str, Callable[[], Evening]] = {"everything": cache(everything), "face_down": cache(face_down)}
