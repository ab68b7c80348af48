"""A seat that counts the cards on the felt: its stakes follow the edge of a wager, by a published count."""

import random
from collections.abc import Sequence

from firmware_protocol.cards import Card
from shoe_controller.demo.strategies import COUNTS
from shoe_controller.messages.retained import TableView
from tests.simulation.clients import Terminal
from tests.simulation.houses import DECKS, LEAST, MOST, SEATS

FIRST, LAST = 0.2, 2.0
"""Seconds from the opening of the wagers."""


class CountingSeat:
    def __init__(self, terminal: Terminal, chance: random.Random, offered: Sequence[str]) -> None:
        self._terminal = terminal
        self._chance = chance
        # Sittings are short: no count comes as far as its trigger.
        self._counts = [count._replace(trigger=0) for count in COUNTS.values() if count.wager in offered]
        self._shoe = 0
        self._rounds: dict[int, list[Card]] = {}
        """The cards of each round of the shoe, as they were seen last."""
        self._bet_for: tuple[int, int] | None = None
        terminal.looks.append(self.look)

    def look(self, view: TableView) -> None:
        if view.shoe != self._shoe:
            self._shoe, self._rounds = view.shoe, {}
        shown = [place.card for place in view.cards if place.card is not None]
        if shown:
            self._rounds[view.round] = shown
        now = (view.shoe, view.round)
        if view.phase == "betting" and not view.stopped and view.link_up and self._bet_for != now:
            self._bet_for = now
            self._terminal.time.after(self._chance.uniform(FIRST, LAST), lambda: self._bet(now))

    def _bet(self, meant: tuple[int, int]) -> None:
        seen = [0] * 10
        for cards in self._rounds.values():
            for card in cards:
                seen[card.points] += 1
        stakes = [
            {"wager": count.wager, "stake": MOST if count.favours_player(seen, DECKS) else LEAST}
            for count in self._counts
        ]
        if stakes:
            fields = {"shoe": meant[0], "round": meant[1], "seat": SEATS[-1], "stakes": stakes}
            self._terminal.ask("wagers/place", lambda _: None, fields)
