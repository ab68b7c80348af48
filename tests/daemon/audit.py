"""Compares three records of the same evening: what happened at the shoe, what the journal holds, what a display has.

`audit` is for a shoe in which nothing went wrong: everything is equal. `nothing_is_false` is for one with faults, in
which rounds were voided: what is told is still true, complete and in order.
"""

from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import Hand
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.facts import Facts
from shoe_controller.baccarat.house import House, PlacedWager
from shoe_controller.baccarat.roads import Result, RoadWinner, roads
from shoe_controller.baccarat.settlement import settle
from shoe_controller.baccarat.sides import Side
from shoe_controller.daemon.table_journal import published_fact, replay
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, StoredEvent
from shoe_controller.journal.verify import verify
from shoe_controller.messages.facts import (
    AnyFact,
    CardBurned,
    CardCorrected,
    CardDealt,
    CardSetAside,
    CardsShown,
    ExtraCardDecided,
    ResultUndone,
    RoundResult,
    RoundSettled,
    SettlementUndone,
    WagersChanged,
    WagersReturned,
)
from shoe_controller.mqtt.envelope import without_envelope
from simulator.truth import AnyHappening, CardOut, RoundEnded
from tests.daemon.clients import Display, Event

_HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}


class ToldCard(NamedTuple):
    """A card that left the shoe, as displays were told of it: where it went and its face, where that was said."""

    hand: Hand | None
    card: Card | None


# --- what was told ---------------------------------------------------------------------------------------------------


def told_cards(facts: list[AnyFact]) -> list[ToldCard]:  # noqa: C901 - one case for each way of telling
    """Every card in the order in which it was told of, with the face that was told at once or later."""
    cards: list[ToldCard] = []
    places: dict[int, int] = {}
    carried = False
    burned = -1
    for fact in facts:
        match fact:
            case CardBurned() if fact.burned == 0 and burned == 0:
                cards[-1] = ToldCard(Hand.BURN, fact.card)  # the first card is named after all
            case CardBurned():
                cards.append(ToldCard(Hand.BURN, fact.card))
                burned = fact.burned
            case CardDealt():
                if fact.place.number == 1:
                    places.clear()
                    burned = -1
                if fact.place.number == 1 and carried:
                    carried = False
                    continue  # it left the shoe in the round before, and was told of then
                places[fact.place.number] = len(cards)
                cards.append(ToldCard(_HANDS[fact.place.hand], fact.place.card))
            case CardsShown():
                for place in fact.places:
                    if place.number in places:
                        cards[places[place.number]] = ToldCard(_HANDS[place.hand], place.card)
            case CardCorrected():
                cards[places[fact.place.number]] = ToldCard(_HANDS[fact.place.hand], fact.place.card)
            case CardSetAside():
                cards.append(ToldCard(None, fact.card))
            case ExtraCardDecided():
                carried = fact.used
    return cards


def settled_rounds(facts: list[AnyFact]) -> dict[tuple[int, int], RoundResult]:
    """The result of each round as it stands in the end, by shoe and round."""
    results: dict[tuple[int, int], RoundResult] = {}
    for fact in facts:
        if isinstance(fact, RoundResult):
            results[fact.shoe, fact.round] = fact
        elif isinstance(fact, ResultUndone):
            results.pop((fact.shoe, fact.round), None)
    return results


# --- single comparisons ----------------------------------------------------------------------------------------------


def cards_agree(truth: list[AnyHappening], facts: list[AnyFact]) -> None:
    """Every card that left the shoe was told of once, in order, and nothing false was said of it."""
    out = [happening for happening in truth if isinstance(happening, CardOut)]
    told = told_cards(facts)
    for number, (true, said) in enumerate(zip(out, told, strict=False), 1):
        assert said.hand in (None, true.to), f"card {number} went to {true.to}, and {said} was told"
        assert said.card in (None, true.card), f"card {number} is {true.card}, and {said} was told"
    assert len(told) == len(out), f"{len(out)} cards left the shoe, and {len(told)} were told of"


def deal_of(ended: RoundEnded) -> Facts:
    """What a round comes to, worked out from the cards that really lay there."""
    deal = Deal()
    hands = {Side.PLAYER: list(ended.player), Side.BANKER: list(ended.banker)}
    while deal.next_side is not None:
        deal.feed(hands[deal.next_side].pop(0))
    assert not hands[Side.PLAYER] + hands[Side.BANKER], f"cards are left over: {ended}"
    return deal.facts


def rounds_agree(truth: list[AnyHappening], facts: list[AnyFact]) -> None:
    """Every round that ended was told with its own cards and winner."""
    ended = [happening for happening in truth if isinstance(happening, RoundEnded)]
    results = list(settled_rounds(facts).values())
    assert [(r.outcome.player.cards, r.outcome.banker.cards, r.outcome.winner.value) for r in results] == [
        (e.player, e.banker, None if e.winner is None else e.winner.value) for e in ended
    ]
    assert [result.round for result in results] == list(range(1, len(ended) + 1))


def results_are_true(truth: list[AnyHappening], facts: list[AnyFact]) -> None:
    """Every result that stands belongs to a round that was dealt so, in the same order."""
    ended = iter([(e.player, e.banker) for e in truth if isinstance(e, RoundEnded)])
    for result in settled_rounds(facts).values():
        cards = (result.outcome.player.cards, result.outcome.banker.cards)
        assert any(cards == dealt for dealt in ended), f"round {result.round} was told with {cards}"


def settlements_agree(house: House, facts: list[AnyFact]) -> int:
    """Every settlement is what the wagers that stood come to by the told cards; how many there were."""
    standing: dict[tuple[int, int], dict[str, tuple[PlacedWager, ...]]] = {}
    results = settled_rounds(facts)
    settled: dict[tuple[int, int], RoundSettled] = {}
    for fact in facts:
        key = (fact.shoe, fact.round)
        match fact:
            case WagersChanged():
                standing.setdefault(key, {})[fact.seat] = fact.wagers
            case WagersReturned():
                for wager in fact.returned:
                    standing[key].pop(wager.seat, None)
            case RoundSettled():
                settled[key] = fact
            case SettlementUndone():
                settled.pop(key, None)
    for key, fact in settled.items():
        outcome = results[key].outcome
        deal = Deal()
        hands = {Side.PLAYER: list(outcome.player.cards), Side.BANKER: list(outcome.banker.cards)}
        while deal.next_side is not None:
            deal.feed(hands[deal.next_side].pop(0))
        placed = [wager for wagers in standing[key].values() for wager in wagers]
        assert fact.settlement == settle(house, deal.facts, placed), f"shoe {key[0]}, round {key[1]}"
    assert settled.keys() == {key for key in results if any(standing.get(key, {}).values())}
    return len(settled)


def roads_agree(truth: list[AnyHappening], display: Display) -> None:
    """The roads of a shoe in which every round counted."""
    all_facts = [deal_of(happening) for happening in truth if isinstance(happening, RoundEnded)]
    results = [
        Result(
            winner=RoadWinner[facts.winner.name],
            banker_pair=facts.banker_pair,
            player_pair=facts.player_pair,
            natural=facts.player_natural or facts.banker_natural,
        )
        for facts in all_facts
    ]
    assert display.roads is not None
    assert display.roads.roads == roads(results)
    assert display.roads.counts.rounds == len(results)


def last_number(journal: Path) -> int:
    """The number of the last event that the journal holds."""
    with JournalReader(journal) as reader:
        return reader.position().last_seq


def journal_agrees(journal: Path, display: Display) -> None:
    """The display has, byte for byte, what the journal holds; and the journal can be replayed and was not changed."""
    assert display.contradictions == []
    assert display.missing == []
    with JournalReader(journal) as reader:
        journal_id = reader.identity.journal_id
        stored: list[StoredEvent] = []
        while found := reader.events(stored[-1].seq if stored else 0):
            stored += found
    assert [each.seq for each in stored] == sorted(display.events) == list(range(1, len(stored) + 1))
    heads = []
    for each in stored:
        event, fact = display.events[each.seq], published_fact(each)
        if fact.topic == "event/outcome":
            heads.append(_head(event))
            assert heads[-1] == each.head
        envelope = msgspec.json.decode(event.payload)
        assert (envelope["journal"], envelope["round_id"]) == (journal_id, f"{journal_id}-{fact.shoe}-{fact.round}")
        assert (event.topic, without_envelope(event.payload)) == (fact.topic, each.body)
    report = verify(
        journal, replay=replay, software=version("shoe-controller"), heads=heads, progress=lambda _done, _all: None
    )
    assert report.good, report.problems
    assert report.replayed == len(stored), "every fact was published, and came out the same when replayed"


def _head(event: Event) -> Head:
    number, _, digits = str(event.head).partition(":")
    return Head(number=int(number), hash=bytes.fromhex(digits))


def outcome_is_what_the_command_prints(result: RoundResult, printed: bytes) -> None:
    """`event/outcome` contains the object that `shoe-controller hand --json` prints for those cards."""
    assert msgspec.json.decode(msgspec.json.encode(result.outcome)) == msgspec.json.decode(printed)


# --- all of them -----------------------------------------------------------------------------------------------------


def audit(truth: list[AnyHappening], journal: Path, display: Display, house: House) -> int:
    """Everything is equal, in a shoe without faults; the number of rounds that were settled."""
    facts = display.facts
    cards_agree(truth, facts)
    rounds_agree(truth, facts)
    roads_agree(truth, display)
    assert display.state is not None
    assert display.state.cards_out == sum(isinstance(happening, CardOut) for happening in truth)
    journal_agrees(journal, display)
    return settlements_agree(house, facts)


def nothing_is_false(truth: list[AnyHappening], journal: Path, display: Display, house: House) -> int:
    """What was told is true and complete, in a shoe with faults; the number of rounds that were settled."""
    facts = display.facts
    cards_agree(truth, facts)
    results_are_true(truth, facts)
    journal_agrees(journal, display)
    return settlements_agree(house, facts)
