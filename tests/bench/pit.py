"""The pit's process: what a round of a table costs it, and how many tables one core serves, beside the loop in C."""

# ruff: noqa: T201 - a benchmark reports to the terminal

import time
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER
from firmware_protocol.events import CardDrawn, Hand, IndicatedWinner, ResultIndicated
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.mqtt.retained import state_message
from shoe_controller.pit.exposures import Exposures
from shoe_controller.pit.site import ExposedSite
from tests.bench.odds import c_floor, mid_shoe
from tests.follow.samples import JOURNAL, published, status
from tests.table.sitting import QuickSitting

TABLES = 200
ROUNDS = 12
ROUNDS_AN_HOUR = 90
WAGERS_A_ROUND = 14


def main() -> None:
    floor = c_floor(mid_shoe())
    messages = _messages_of_a_round_each()
    site = _site()
    for name in _names():
        _receive(site, name, messages[0])
    begin = time.process_time()
    for of_round in messages[1:]:
        for name in _names():
            _receive(site, name, of_round)
    taken = (time.process_time() - begin) / (TABLES * (len(messages) - 1))
    tables = 3600 / ROUNDS_AN_HOUR / taken
    wagers = len(built_in_catalogue().schedule("nepal").pay_tables)
    ratio = "" if floor is None else f", {taken * 1000 / floor:.0f} times the loop in C ({floor:.2f} ms)"
    print(f"a round of a table that offers all {wagers} wagers: {taken * 1000:.2f} ms of a processor{ratio}")
    print(f"tables on one core at {ROUNDS_AN_HOUR} rounds an hour: {tables:,.0f} (aim: {TABLES})")
    priced = next(iter(site._tables.values()))._priced()  # noqa: SLF001 - what is measured
    if priced is not None:
        left = [mid_shoe()]
        begin = time.process_time()
        for _ in range(200):
            priced.live.edges(left)
        print(f"  of which the edges of one composition: {(time.process_time() - begin) * 5:.2f} ms")


def _names() -> list[str]:
    return [f"t{number}" for number in range(TABLES)]


def _site() -> ExposedSite:
    session: Any = SimpleNamespace(publish_soon=lambda *_, **__: None)
    site = ExposedSite(
        "north",
        tables=frozenset(),
        client="pit",
        instance="i",
        edge_limit=0.0,
        acknowledged=0,
        sink=Exposures(),
        observer=SimpleNamespace(shoe_ended=lambda *_: None),
        clock=time.monotonic,
        wall=lambda: time.time_ns() // 1_000_000,
        new_start=lambda: "s",
    )
    site.will()
    site.broker_up(session)
    return site


def _receive(site: ExposedSite, name: str, messages: list[tuple[str, bytes]]) -> None:
    prefix = Topics("north", name).prefix
    for below, payload in messages:
        site.receive(Incoming(topic=f"{prefix}/{below}", payload=payload), 0.0)


def _messages_of_a_round_each() -> list[list[tuple[str, bytes]]]:
    """What a table publishes: first up to its first round, then round by round."""
    every = list(built_in_catalogue().schedule("nepal").pay_tables)
    sitting = QuickSitting({"offer": every, "allow_player_edge": every, "allow_decks": every})
    shoe = [card for card in CARDS_BY_NUMBER for _ in range(8)]
    chance = Random(1)  # noqa: S311 - cards for a benchmark
    chance.shuffle(shoe)
    sitting.announce()
    sitting.event(CardDrawn(hand=Hand.BURN, card=shoe.pop(), first_of_shoe=True))
    while sitting.at(Phase.BURNING):
        shoe.pop()
        sitting.event(CardDrawn(hand=Hand.BURN))
    sent = 0
    found: list[list[tuple[str, bytes]]] = []
    for _ in range(ROUNDS):
        messages = [(f"event/{fact.TOPIC}", published(fact)) for fact in sitting.facts[sent:]]
        sent = len(sitting.facts)
        state = state_message(sitting.state, JOURNAL, read_rules)
        first = [] if found else [("status", msgspec.json.encode(status()))]
        found.append([*first, *messages, ("state", msgspec.json.encode(state))])
        for stake in range(WAGERS_A_ROUND):
            sitting.bet(chance.choice("123"), "base.player", 10 + stake)
        while not sitting.at(Phase.COMPLETE):
            sitting.card(str(shoe.pop()))
        totals = dict.fromkeys(Side, 0)
        assert sitting.state.round is not None
        for laid in sitting.state.round.cards:
            if laid.card is not None:
                totals[laid.hand] += laid.card.points
        player, banker = totals[Side.PLAYER] % 10, totals[Side.BANKER] % 10
        winner = IndicatedWinner.TIE if player == banker else None
        winner = winner or (IndicatedWinner.PLAYER if player > banker else IndicatedWinner.BANKER)
        sitting.event(ResultIndicated(winner=winner))
    return found
