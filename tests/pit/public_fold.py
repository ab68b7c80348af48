"""What everybody at a table has seen, from its public events as plain JSON: a second time, for the tests alone."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

Event = dict[str, Any]


class Shown(NamedTuple):
    """What is known when an event has come."""

    shoe: int
    round: int
    betting: bool
    seen: Counter[str]
    """Faces; a card that was never shown is not among them."""
    decks: int
    alerts: frozenset[str]
    """Every kind that was raised in this shoe."""
    standing: frozenset[str]
    opened: Event
    """The event that opened the shoe."""
    staked: Counter[str]
    """By wager."""


class _Round:
    def __init__(self) -> None:
        self.hands: dict[int, str | None] = {}
        self.aside: list[str | None] = []
        self.gone: list[str | None] = []


def read(payload: bytes) -> Event:
    event: Event = json.loads(payload)
    return event


def shown(events: Iterable[Event]) -> Shown | None:  # noqa: C901 - one case for each event
    """Up to the last of these events; `None` where they do not begin with the opening of a shoe that it has."""
    opened: Event = {}
    rounds: dict[int, _Round] = {}
    first: str | None = None
    betting, number = False, 0
    wagers: dict[str, list[Event]] = {}
    raised: set[str] = set()
    standing: dict[int, str] = {}
    for event in events:
        kind = event["fact"]
        if kind == "shoe_opened":
            opened, rounds, first, betting, wagers = event, {}, None, False, {}
            raised, standing = set(), {}
        if not opened:
            continue
        number = event["round"]
        if kind == "alert_raised":
            raised.add(event["alert"]["kind"])
            standing[event["alert"]["number"]] = event["alert"]["kind"]
        elif kind == "alert_ended":
            standing.pop(event["alert"]["number"], None)
        elif kind == "card_burned":
            first = event["card"] or first
        _take_betting(event, wagers)
        if kind == "betting_opened":
            betting = True
        elif kind in ("betting_closed", "free_hand", "shoe_ended", "round_voided", "result_undone"):
            betting = False
        _take_cards(event, rounds)
    if not opened:
        return None
    lying = [each.hands.values() for each in rounds.values()] + [[*each.aside, *each.gone] for each in rounds.values()]
    seen = Counter(card for cards in lying for card in cards if card is not None)
    if first is not None:
        seen[first] += 1
    staked = Counter[str]()
    for wager in (wager for of_seat in wagers.values() for wager in of_seat):
        staked[wager["wager"]] += wager["stake"]
    return Shown(
        opened["shoe"],
        number,
        betting,
        seen,
        opened["decks"],
        frozenset(raised),
        frozenset(standing.values()),
        opened,
        staked,
    )


def _take_betting(event: Event, wagers: dict[str, list[Event]]) -> None:
    match event["fact"]:
        case "betting_opened":
            wagers.clear()
            for wager in event["wagers"]:
                wagers.setdefault(wager["seat"], []).append(wager)
        case "wagers_changed":
            wagers[event["seat"]] = event["wagers"]
        case "wagers_returned":
            for seat, of_seat in wagers.items():
                wagers[seat] = [wager for wager in of_seat if wager not in event["returned"]]
        case "wagers_corrected":
            for seat in event["seats"]:
                wagers[seat] = [wager for wager in event["after"] if wager["seat"] == seat]


def _take_cards(event: Event, rounds: dict[int, _Round]) -> None:  # noqa: C901, PLR0912 - one case for each event
    playing = rounds.setdefault(event["round"], _Round())
    match event["fact"]:
        case "card_dealt":
            if event["carried"] and rounds.get(event["round"] - 1, _Round()).aside:
                del rounds[event["round"] - 1].aside[0]
            known = len(playing.hands)
            _lay(playing, [event["place"], *event["moved"]])
            # One that was set aside may have got a place because others moved.
            for _ in range(len(playing.hands) - known - 1):
                if playing.aside:
                    del playing.aside[0]
        case "cards_shown":
            _lay(playing, event["places"])
        case "card_corrected":
            _lay(playing, [event["place"]])
        case "cards_assigned" | "card_discarded":
            if event["fact"] == "card_discarded" and event["cause"] != "foreign":
                playing.gone.append(event["place"]["card"])
            playing.hands.clear()
            _lay(playing, event["places"])
            while len(playing.aside) > event["extra_cards"]:
                del playing.aside[0]
        case "card_set_aside":
            playing.aside.append(event["card"])
        case "round_voided":
            playing.gone += playing.hands.values()
            playing.hands.clear()
        case "round_result":
            _confirm(playing, event["outcome"])
        case "round_amended" if event["of_shoe"] == event["shoe"]:
            _confirm(rounds.setdefault(event["of_round"], _Round()), event["outcome"])


def _lay(playing: _Round, places: list[Event]) -> None:
    playing.hands.update({place["number"]: place["card"] for place in places})


def _confirm(playing: _Round, outcome: Event) -> None:
    """Whichever number a card had: at the result all of the round's cards are shown."""
    cards = [*outcome["player"]["cards"], *outcome["banker"]["cards"]]
    playing.hands = dict(enumerate(cards, 1))
