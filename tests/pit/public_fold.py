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


class _Drawn:
    """A card of a round, wherever it lies now."""

    def __init__(self, card: str | None, lies: str) -> None:
        self.card = card
        self.hand = ""
        """"player" or "banker", of a card in a hand."""
        self.lies = lies
        """"hand", "stray", "extra", "decided" or "gone"."""


class _Round:
    def __init__(self) -> None:
        self.drawn: list[_Drawn] = []
        """In the order of the draw."""

    def lying(self, *where: str) -> list[_Drawn]:
        return [each for each in self.drawn if each.lies in where]


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
    seen = Counter(each.card for of_round in rounds.values() for each in of_round.drawn if each.card is not None)
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
            _deal(event, playing, rounds.get(event["round"] - 1, _Round()))
        case "cards_shown":
            _name(playing, event["places"])
        case "card_corrected":
            _name(playing, [event["place"]])
        case "cards_assigned" if event["person"] is None:
            for place in event["places"][len(playing.lying("hand")) :]:
                aside = _aside(playing)
                same = [each for each in aside if each.card == place["card"]]
                due = (same or [each for each in aside if each.card is None])[0]
                due.lies, due.hand, due.card = "hand", place["hand"], place["card"]
        case "cards_assigned":
            _arrange(playing, event["places"])
        case "card_discarded":
            gone = playing.lying("hand")[event["place"]["number"] - 1]
            gone.lies = "gone"
            if event["cause"] == "foreign":
                playing.drawn.remove(gone)
            _arrange(playing, event["places"])
        case "card_set_aside":
            playing.drawn.append(_Drawn(event["card"], "extra" if event["why"]["code"] == "one_too_many" else "stray"))
        case "extra_card_decided":
            for each in playing.lying("extra"):
                each.lies = "decided"
        case "round_voided":
            for each in playing.lying("hand"):
                each.lies = "gone"
            for each in playing.lying("stray", "extra"):
                each.lies = "decided"
        case "round_result":
            _confirm(playing, event["outcome"])
        case "round_amended" if event["of_shoe"] == event["shoe"]:
            _confirm(rounds.setdefault(event["of_round"], _Round()), event["outcome"])


def _aside(playing: _Round) -> list[_Drawn]:
    """Those that nobody has decided on first."""
    return [*playing.lying("extra", "stray"), *playing.lying("decided")]


def _deal(event: Event, playing: _Round, before: _Round) -> None:
    place, moved = event["place"], event["moved"]
    if event["carried"]:
        waiting = [(of_round, each) for of_round in (before, playing) for each in _aside(of_round)]
        same = [pair for pair in waiting if pair[1].card == place["card"]]
        for of_round, each in (same or [pair for pair in waiting if pair[1].card is None])[:1]:
            of_round.drawn.remove(each)
    hands = playing.lying("hand")
    dealt = _Drawn(place["card"], "hand")
    dealt.hand = place["hand"]
    later = hands[place["number"] - 1 :] if moved else []
    # A card that was missed left before those that moved on; one of these may have lain in no hand.
    strays = [each for each in playing.lying("stray", "extra") if moved and not later]
    before_it = (later or strays)[:1]
    playing.drawn.insert(playing.drawn.index(before_it[0]) if before_it else len(playing.drawn), dealt)
    if len(moved) > len(later):
        _arrange(playing, [*map(_place, hands[: place["number"] - 1]), place, *moved])
    else:
        _name(playing, moved)


def _name(playing: _Round, places: list[Event]) -> None:
    hands = playing.lying("hand")
    for place in places:
        hands[place["number"] - 1].card, hands[place["number"] - 1].hand = place["card"], place["hand"]


def _place(lying: _Drawn) -> Event:
    return {"card": lying.card, "hand": lying.hand}


def _arrange(playing: _Round, places: list[Event]) -> None:
    """The first of those that are not decided on lie in the hands, the others are extra."""
    drawn = playing.lying("hand", "stray", "extra")
    for place, each in zip(places, drawn, strict=False):
        each.card, each.hand, each.lies = place["card"], place["hand"], "hand"
    for each in drawn[len(places) :]:
        each.lies = "extra"


def _confirm(playing: _Round, outcome: Event) -> None:
    """At the result all cards of the hands are shown."""
    for hand in ("player", "banker"):
        lying = [each for each in playing.lying("hand") if each.hand == hand]
        for card, each in zip(outcome[hand]["cards"], lying, strict=True):
            each.card = card
