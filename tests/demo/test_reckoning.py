"""The check at the end of a demonstration says yes to a record that is true, and no to every other."""

from typing import Any

import msgspec
import pytest

from firmware_protocol.cards import Card
from shoe_controller.baccarat.outcome import dealt_round, outcome_of
from shoe_controller.demo.reckoning import Reckoning, reckon
from shoe_controller.demo.truth import Happening
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.table.facts import AnyFact, CardBurned

NOTHING = frozenset[str]()
STANDING = {"player_total": None, "banker_total": None, "next_hand": None, "complete": None, "why": ""}


class Book:
    """Writes truth and facts side by side, as a shoe without faults would lead to them."""

    def __init__(self) -> None:
        self.truth: list[Happening] = []
        self.rounds: list[Happening] = []
        self.facts: list[AnyFact] = []
        self.faults: list[Happening] = []

    def say(self, name: str, round_number: int, **fields: Any) -> None:  # noqa: ANN401 - whatever the fact holds
        fact = {"fact": name, "seq": len(self.facts) + 1, "time": 0, "shoe": 1, "round": round_number, **fields}
        self.facts.append(msgspec.convert(fact, AnyFact))

    def left(self, card: str, to: str) -> None:
        self.truth.append(Happening(what="card_out", t=float(len(self.truth)), card=Card(card), to=to))

    def burn(self, first: str, others: int) -> None:
        self.say("shoe_opened", 0, decks=8, card_sets=[], opened_by="shoe")
        self.left(first, "burn")
        self.say("card_burned", 0, card=first, burned=0, to_burn=others)
        for number in range(1, others + 1):
            self.left("KS", "burn")
            self.say("card_burned", 0, card=None, burned=number, to_burn=others)

    def deal(self, number: int, cards: str, *, void: bool = False) -> None:
        hands = ("player", "banker", "player", "banker", "player", "banker")
        for place, (card, hand) in enumerate(zip(cards.split(), hands, strict=False), 1):
            self.left(card, hand)
            self.say("card_dealt", number, place={"number": place, "hand": hand, "card": card}, standing=STANDING)
        if void:
            self.say("round_voided", number, replay=False, why="", returned=[], total=0)
            return
        deal = dealt_round([Card(card) for card in cards.split()], 8)
        self.rounds.append(Happening(what="round_ended", t=0.0, player=deal.player, banker=deal.banker))
        outcome = outcome_of(deal, built_in_catalogue().schedule("nepal", {}))
        outcome_fields = msgspec.to_builtins(outcome)
        self.say("round_result", number, outcome=outcome_fields, why="", confirmed_by="shoe", free=False)

    def reckon(self, facts: list[AnyFact] | None = None, loses_cards: frozenset[str] = NOTHING) -> Reckoning:
        return reckon(self.truth, self.rounds, self.facts if facts is None else facts, self.faults, loses_cards)


@pytest.fixture
def book() -> Book:
    made = Book()
    made.burn("3C", 3)
    made.deal(1, "9H 2D KS 4C")
    made.deal(2, "7H 9D TS QC", void=True)
    made.deal(3, "2H 3D 4S 4C")
    return made


CARD_FACTS = ("card_dealt", "card_burned")


def is_card(fact: AnyFact) -> bool:
    return fact.__struct_config__.tag in CARD_FACTS


def test_a_true_record(book: Book) -> None:
    assert book.reckon() == Reckoning(16, 2, 0, 0, 0, ())


def test_every_card_that_is_missing_shows(book: Book) -> None:
    last = max(number for number, fact in enumerate(book.facts) if is_card(fact))
    for number, fact in enumerate(book.facts[:last]):
        # A card in the middle of the burn is told of by the count in the next one too.
        counted = isinstance(fact, CardBurned) and 0 < fact.burned < (fact.to_burn or 0)
        if is_card(fact) and not counted:
            assert book.reckon(book.facts[:number] + book.facts[number + 1 :]).problems, (number, fact)


def test_every_card_that_is_another_shows(book: Book) -> None:
    for number, fact in enumerate(book.facts):
        if fact.__struct_config__.tag == "card_dealt":
            place = msgspec.structs.replace(fact.place, card=Card("AC"))  # type: ignore[union-attr]  # has a place
            changed = [*book.facts]
            changed[number] = msgspec.structs.replace(fact, place=place)
            assert book.reckon(changed).problems, (number, fact)


def test_every_card_that_is_told_twice_shows(book: Book) -> None:
    for number, fact in enumerate(book.facts):
        if fact.__struct_config__.tag == "card_dealt":
            assert book.reckon([*book.facts[: number + 1], *book.facts[number:]]).problems, (number, fact)


def test_a_settled_round_that_was_dealt_otherwise_shows(book: Book) -> None:
    book.rounds[1] = msgspec.structs.replace(book.rounds[1], player=(Card("2H"), Card("4D")))
    assert "settled on cards that were not dealt" in " ".join(book.reckon().problems)


def test_a_card_in_the_last_moment_is_on_its_way(book: Book) -> None:
    book.left("5H", "player")
    found = book.reckon()
    assert (found.on_their_way, found.problems) == (1, ())


def test_a_loss_is_excused_only_by_its_fault_and_only_where_the_round_is_void(book: Book) -> None:
    in_void = next(number for number, fact in enumerate(book.facts) if fact.round == 2 and is_card(fact)) + 1
    elsewhere = next(number for number, fact in enumerate(book.facts) if fact.round == 1 and is_card(fact)) + 1
    lossy = frozenset({"unplug"})
    for fault, excused in (("unplug", True), ("misread", False)):
        book.faults = [Happening(what="fault_injected", t=0.0, fault=fault)]
        found = book.reckon(book.facts[:in_void] + book.facts[in_void + 1 :], lossy)
        assert (found.lost, bool(found.problems)) == (int(excused), not excused)
    book.faults = [Happening(what="fault_injected", t=0.0, fault="unplug")]
    assert book.reckon(book.facts[:elsewhere] + book.facts[elsewhere + 1 :], lossy).problems
    assert book.reckon(book.facts[:in_void] + book.facts[in_void + 1 :], NOTHING).problems


def test_a_card_carried_over_is_one_card(book: Book) -> None:
    book.left("5H", "extra")
    book.say("card_set_aside", 3, card="5H", why="one too many")
    book.say("extra_card_decided", 3, burned=0, used=True)
    place = {"number": 1, "hand": "player", "card": "5H"}
    book.say("card_dealt", 4, place=place, standing=STANDING)
    assert book.reckon() == Reckoning(17, 2, 0, 0, 0, ())


def test_a_card_that_was_named_later(book: Book) -> None:
    book.left("5H", "player")
    place: dict[str, object] = {"number": 1, "hand": "player", "card": None}
    book.say("card_dealt", 4, place=place, standing=STANDING)
    book.say("cards_shown", 4, places=[place | {"card": "5H"}], standing=STANDING)
    assert not book.reckon().problems
    book.say("cards_shown", 4, places=[place | {"card": "6H"}], standing=STANDING)
    book.deal(5, "9H 2D KS 4C")
    assert book.reckon().problems
