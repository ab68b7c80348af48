"""Counting with arrays: the same numbers as the twin in pure Python, for every event and to the last draw."""

import random

import numpy as np
import pytest

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.composition import MOST_CARDS, Composition, CompositionError, all_draws, full_shoe
from shoe_controller.baccarat.conditions import EVERYTHING, facts_where, members
from shoe_controller.baccarat.distribution import Event, draws_from
from shoe_controller.baccarat.facts import all_facts
from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.protection.live_odds import LiveOdds
from shoe_controller.protection.quick_counts import RowCounter

CHANCE = random.Random(19)  # noqa: S311 - shoes for a test


def any_shoe() -> Composition:
    return tuple(CHANCE.randint(0, 8) for _ in CARDS_BY_NUMBER)


def few_left() -> Composition:
    return tuple(CHANCE.choice((0, 0, 0, 1, 2)) for _ in CARDS_BY_NUMBER)


def only(copies: int, holds: str) -> Composition:
    return tuple(copies if card.value[1] in holds or card.value[0] in holds else 0 for card in CARDS_BY_NUMBER)


SHOES = {
    "full": full_shoe(8),
    "any": any_shoe(),
    "few left": few_left(),
    "one suit": only(8, "H"),
    "one suit, as many as there can be": only(32, "S"),
    "no tens": only(8, "A23456789"),
    "tens alone": only(26, "TJQK"),
    "one face": tuple(MOST_CARDS if card.value == "KH" else 0 for card in CARDS_BY_NUMBER),
    "six cards": tuple(1 if card.number < 6 else 0 for card in CARDS_BY_NUMBER),
}


def test_every_fact_is_counted_as_the_twin_counts_it() -> None:
    """Random sets of facts: a wrong number for a single one of them would show in about half of the sums."""
    rows = [CHANCE.getrandbits(len(all_facts())) for _ in range(12)] + [EVERYTHING]
    counter = RowCounter(rows)
    assert len(counter.events) == len(Event) ** 2
    found = counter.draws(np.array(list(SHOES.values())))
    for (name, shoe), counts in zip(SHOES.items(), found.tolist(), strict=True):
        draws = draws_from(shoe)
        assert counts == [sum(draws[number] for number in members(row)) for row in rows], name
        assert counts[-1] == all_draws(shoe)


@pytest.mark.parametrize(
    ("when", "events"),
    [
        ({"winner": "tie"}, {(Event.ANY, Event.ANY)}),
        ({"player_natural": True, "banker_cards": 2}, {(Event.ANY, Event.ANY)}),
        ({"player_pair": True}, {(Event.PAIR, Event.ANY)}),
        ({"player_suited": True, "player_total": 8, "player_cards": 3}, {(Event.SUITED, Event.ANY)}),
        ({"banker_perfect_pair": True}, {(Event.ANY, Event.PERFECT)}),
    ],
)
def test_only_what_is_asked_for_is_counted(when: dict[str, object], events: set[tuple[Event, Event]]) -> None:
    assert RowCounter([facts_where(when)]).events == events


def test_no_number_on_the_way_is_beyond_what_floating_point_holds_exactly() -> None:
    assert all_draws(full_shoe(8)) < (416 * 415 * 414) ** 2 < 2**53


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_full_shoe_has_the_odds_of_the_guard(decks: int) -> None:
    schedule = built_in_catalogue().schedule("nepal")
    wagers = list(schedule.pay_tables)
    found = LiveOdds(schedule, wagers).odds(full_shoe(decks), decks)
    assert found == [exact_odds(schedule, wager, decks) for wager in wagers]


def test_too_few_cards_are_refused() -> None:
    schedule = built_in_catalogue().schedule("nepal")
    with pytest.raises(CompositionError, match="5 cards are left"):
        LiveOdds(schedule, ["base.tie"]).odds((5, *[0] * 51), 8)


def test_a_perfect_pair_and_either_pair_by_their_closed_formulas() -> None:
    """Any second card of the first one's face: 7 of the 415 left; of its rank: 31."""
    perfect, either, both = (
        facts_where(when)
        for when in (
            {"player_perfect_pair": True},
            {"either_pair": True},
            {"player_pair": True, "banker_pair": True},
        )
    )
    ((of_perfect, of_either, of_both),) = RowCounter([perfect, either, both]).draws(np.array([full_shoe(8)])).tolist()
    assert of_perfect * 415 == all_draws(full_shoe(8)) * 7
    assert (of_either + of_both) * 415 == 2 * all_draws(full_shoe(8)) * 31
