"""The built-in catalogue says what the documents say.

The rules of play are written down here a second time, as functions of a round, and compared with the files in every
round that there can be. What a house's own file may say is in `test_house_catalogue.py`.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache

import pytest

from shoe_controller.baccarat.facts import Facts, all_facts
from shoe_controller.baccarat.wagers import Result, Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue

PUSH = "push"
Price = int | Fraction | str
Fits = Callable[[Facts], bool]
Rows = list[tuple[Fits, Price]]
"""Tried from the top, the first that fits decides; otherwise the wager loses."""

# --- The rules of play, once more. -----------------------------------------------------------------------------------


def player_wins(f: Facts, total: int | None = None, cards: int | None = None) -> bool:
    return f.player_total > f.banker_total and total in (None, f.player_total) and cards in (None, f.player_cards)


def banker_wins(f: Facts, total: int | None = None, cards: int | None = None) -> bool:
    return f.banker_total > f.player_total and total in (None, f.banker_total) and cards in (None, f.banker_cards)


def tie(f: Facts, *totals: int) -> bool:
    return f.player_total == f.banker_total and (not totals or f.player_total in totals)


def tie_with(f: Facts, total: int, cards: int) -> bool:
    return tie(f, total) and f.player_cards == f.banker_cards == cards


def over(f: Facts, first: int, first_cards: int | None, second: int, second_cards: int | None) -> bool:
    """A hand wins with the first total against the second, whichever side it is; `None` is any number of cards."""
    player, banker = (f.player_total, f.player_cards), (f.banker_total, f.banker_cards)
    return any(
        (winner[0], loser[0]) == (first, second)
        and first_cards in (None, winner[1])
        and second_cards in (None, loser[1])
        for winner, loser in ((player, banker), (banker, player))
    )


def three_card_9(f: Facts) -> int:
    """How many of the two hands are one."""
    return [(f.player_total, f.player_cards), (f.banker_total, f.banker_cards)].count((9, 3))


def by_one(f: Facts) -> bool:
    return abs(f.player_total - f.banker_total) == 1


def natural_tie(f: Facts) -> bool:
    return tie_with(f, 8, 2) or tie_with(f, 9, 2)


def suited_8(total: int, cards: int, *, suited: bool) -> bool:
    return total == 8 and cards == 3 and suited


def double_suited_8(f: Facts) -> bool:
    return suited_8(f.player_total, f.player_cards, suited=f.player_suited) and suited_8(
        f.banker_total, f.banker_cards, suited=f.banker_suited
    )


def lucky_6(three_cards: int, two_cards: int) -> Rows:
    return [(lambda f: banker_wins(f, 6, 3), three_cards), (lambda f: banker_wins(f, 6, 2), two_cards)]


def red_dragon(total: int) -> Rows:
    return [(lambda f: tie_with(f, total, 3), 200), (lambda f: tie_with(f, total, 2), 50)]


def any_dragon(price: int, *own: Fits) -> Rows:
    """The dragons of both suites, and those that only one of them has."""
    dragons: list[Fits] = [
        lambda f: banker_wins(f, 6),
        lambda f: player_wins(f, 8, 3),
        lambda f: three_card_9(f) > 0,
        lambda f: tie_with(f, 7, 3) or tie_with(f, 7, 2),
    ]
    return [(dragon, price) for dragon in [*dragons, *own]]


def phoenix(wins: Fits) -> Rows:
    margins = {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}

    def natural_win(f: Facts) -> bool:
        return wins(f) and max((f.player_total, f.player_cards), (f.banker_total, f.banker_cards)) in ((8, 2), (9, 2))

    def wins_by(margin: int) -> Fits:
        return lambda f: wins(f) and abs(f.player_total - f.banker_total) == margin

    return [(natural_win, 1), *((wins_by(margin), price) for margin, price in margins.items()), (natural_tie, PUSH)]


def lucky_8(own: Callable[[Facts], tuple[int, int, bool]], other: Callable[[Facts], int], *prices: int) -> Rows:
    double_suited, suited, double, unlucky, lucky = prices

    def is_8(f: Facts) -> bool:
        return own(f)[0] == 8

    return [
        (double_suited_8, double_suited),
        (lambda f: own(f) == (8, 3, True), suited),
        (lambda f: is_8(f) and other(f) == 8, double),
        (lambda f: is_8(f) and other(f) == 9, unlucky),
        (is_8, lucky),
    ]


def lucky_8_tables(own: Callable[[Facts], tuple[int, int, bool]], other: Callable[[Facts], int]) -> dict[str, Rows]:
    return {
        "L8-1": lucky_8(own, other, 200, 50, 25, 8, 3),
        "L8-2": lucky_8(own, other, 200, 40, 25, 8, 3),
        "L8-3": lucky_8(own, other, 200, 25, 15, 8, 4),
    }


def wins_on(group: str, wins: Callable[[Facts, int], bool], first: int, prices: Iterable[int]) -> dict[str, Rows]:
    def on(total: int) -> Fits:
        return lambda f: wins(f, total)

    return {f"{group}.{total}": [(on(total), price)] for total, price in enumerate(prices, first)}


def both(rows: Rows) -> dict[str, Rows]:
    """The same price in both pay tables of Infinite Fortune."""
    return {"1": rows, "2": rows}


RULES: dict[str, Rows | dict[str, Rows]] = {
    "base.player": [(player_wins, 1), (tie, PUSH)],
    "base.tie": [(tie, 8)],
    "pairs.player": [(lambda f: f.player_pair, 11)],
    "pairs.banker": [(lambda f: f.banker_pair, 11)],
    "lucky_6.lucky_6": lucky_6(20, 12),
    **wins_on("player_wins_on", player_wins, 1, (160, 90, 60, 45, 30, 11, 9, 6, 6)),
    **wins_on("banker_wins_on", banker_wins, 1, (160, 90, 60, 25, 17, 0, 9, 7, 6)),
    "banker_wins_on.6": lucky_6(20, 12),
    **wins_on("tie_wins_on", tie, 0, (140, 200, 200, 170, 110, 100, 40, 40, 70, 70)),
    "golden_bacc.three_card_9_over_three_card_7": [(lambda f: over(f, 9, 3, 7, 3), 200)],
    "golden_bacc.natural_9_over_7": [(lambda f: over(f, 9, 2, 7, None), 50)],
    "golden_bacc.any_8_over_any_6": [(lambda f: over(f, 8, None, 6, None), 25)],
    "golden_bacc.three_card_9_over_three_card_1": [(lambda f: over(f, 9, 3, 1, 3), 150)],
    "golden_bacc.super_7": [(lambda f: banker_wins(f, 7, 3), 40)],
    "golden_bacc.fortune_8": [(lambda f: player_wins(f, 8, 3), 25)],
    "five_dragons.golden_dragon_7": [(lambda f: banker_wins(f, 7, 3), 40)],
    "five_dragons.golden_dragon_6": lucky_6(25, 12),
    "five_dragons.green_dragon_8": [(lambda f: player_wins(f, 8, 3), 25)],
    "five_dragons.blue_dragon_9": [(lambda f: three_card_9(f) == 2, 75), (lambda f: three_card_9(f) == 1, 10)],
    "five_dragons.red_dragon_7": red_dragon(7),
    "five_dragons.red_dragon_6": red_dragon(6),
    "five_dragons.any_dragon": {
        "A": any_dragon(6, lambda f: banker_wins(f, 7, 3)),
        "B": any_dragon(4, lambda f: tie_with(f, 6, 3) or tie_with(f, 6, 2)),
    },
    "infinite_fortune.three_card_9_over_three_card_8": both([(lambda f: over(f, 9, 3, 8, 3), 200)]),
    "infinite_fortune.natural_9_over_natural_8": {
        "1": [(lambda f: over(f, 9, 2, 8, 2), 50)],
        "2": [(lambda f: over(f, 9, 2, 8, 2), 45)],
    },
    "infinite_fortune.any_8_over_any_7": both([(lambda f: over(f, 8, None, 7, None), 25)]),
    "infinite_fortune.tie_7": both([(lambda f: tie(f, 7), 40)]),
    "infinite_fortune.tie_6": both([(lambda f: tie(f, 6), 40)]),
    "infinite_fortune.tie_7_or_6": both([(lambda f: tie(f, 7, 6), 20)]),
    "infinite_fortune.super_7": [(lambda f: banker_wins(f, 7, 3), 40)],
    "infinite_fortune.fortune_8": [(lambda f: player_wins(f, 8, 3), 25)],
    "bad_beat.bad_beat": [
        (lambda f: over(f, 9, 3, 8, 3), 40),
        (lambda f: over(f, 9, 2, 8, 2), 10),
        (lambda f: over(f, 8, None, 7, None), 5),
        (lambda f: over(f, 7, None, 6, None), 4),
        (by_one, 1),
    ],
    "phoenix_bonus.player": phoenix(player_wins),
    "phoenix_bonus.banker": phoenix(banker_wins),
    "lucky_8.player": lucky_8_tables(
        lambda f: (f.player_total, f.player_cards, f.player_suited), lambda f: f.banker_total
    ),
    "lucky_8.banker": lucky_8_tables(
        lambda f: (f.banker_total, f.banker_cards, f.banker_suited), lambda f: f.player_total
    ),
}

BASE_GAMES: dict[str, Rows] = {
    "commission": [(banker_wins, Fraction(19, 20)), (tie, PUSH)],
    "nepal": [(lambda f: banker_wins(f, 6), Fraction(1, 2)), (banker_wins, 1), (tie, PUSH)],
    "no_commission": [(lambda f: banker_wins(f, 7, 3), PUSH), (banker_wins, 1), (tie, PUSH)],
}

DEFAULT_TABLES = {
    "five_dragons.any_dragon": "B",
    **{wager: "1" for wager, rows in RULES.items() if isinstance(rows, dict) and wager.startswith("infinite_fortune.")},
    "lucky_8.player": "L8-1",
    "lucky_8.banker": "L8-1",
}

DECKS = {
    "base": {5, 6, 7, 8},
    "pairs": {5, 6, 7, 8},
    "lucky_6": {5, 6, 7, 8},
    "player_wins_on": {5, 6, 7, 8},
    "banker_wins_on": {5, 6, 7, 8},
    "tie_wins_on": {5, 6, 7, 8},
    "golden_bacc": {6, 8},
    "five_dragons": {6, 8},
    "infinite_fortune": {6, 8},
    "bad_beat": {6, 8},
    "phoenix_bonus": {6, 8},
    "lucky_8": {6, 8},
}


@cache
def schedule(base_game: str, chosen: str = "", table: str = "") -> Schedule:
    return built_in_catalogue().schedule(base_game, {chosen: table} if chosen else {})


def assert_settles_as(rows: Rows, wager: str, schedule: Schedule) -> None:
    for facts in all_facts():
        price = next((price for fits, price in rows if fits(facts)), None)
        result, pays, _ = schedule.results[facts][wager]
        if price is None or price == PUSH:
            assert result is (Result.LOSE if price is None else Result.PUSH), facts
            assert pays == 0, facts
        else:
            assert result is Result.WIN, facts
            assert pays == price, facts


# --- The built-in files. ---------------------------------------------------------------------------------------------


def test_there_are_exactly_the_sixty_wagers_of_the_documents() -> None:
    assert set(built_in_catalogue().wagers) == {*RULES, "base.banker"}
    assert len(built_in_catalogue().wagers) == 60


@pytest.mark.parametrize("wager", RULES)
def test_a_wager_settles_as_its_document_says_in_every_round_under_every_pay_table(wager: str) -> None:
    rules = RULES[wager]
    in_catalogue = built_in_catalogue().wagers[wager]
    if isinstance(rules, list):
        assert list(in_catalogue.pay_tables) == [""]
        assert_settles_as(rules, wager, schedule("nepal"))
        return
    assert list(in_catalogue.pay_tables) == list(rules)
    assert_settles_as(rules[DEFAULT_TABLES[wager]], wager, schedule("nepal"))
    for table, rows in rules.items():
        assert_settles_as(rows, wager, schedule("nepal", wager, table))
        assert_settles_as(rows, wager, schedule("nepal", in_catalogue.group, table))


def test_the_default_pay_tables() -> None:
    chosen = {w.id: w.default_table for w in built_in_catalogue().wagers.values() if len(w.pay_tables) > 1}
    assert chosen == DEFAULT_TABLES


def test_there_are_three_base_games() -> None:
    games = built_in_catalogue().base_games
    assert {name: game.commission for name, game in games.items()} == {
        "commission": Fraction(1, 20),
        "nepal": 0,
        "no_commission": 0,
    }
    assert all(list(game.pay_tables) == ["base.banker"] for game in games.values())
    assert built_in_catalogue().wagers["base.banker"].pay_tables == {}


@pytest.mark.parametrize("base_game", BASE_GAMES)
def test_a_base_game_prices_banker_in_every_round(base_game: str) -> None:
    assert_settles_as(BASE_GAMES[base_game], "base.banker", schedule(base_game))


def test_documents_and_decks() -> None:
    catalogue = built_in_catalogue()
    assert {name: set(document.decks) for name, document in catalogue.documents.items()} == {
        "nepal_super_baccarat": {5, 6, 7, 8},
        "golden_bacc": {6, 8},
        "lucky_8": {6, 8},
    }
    assert set(catalogue.groups) == set(DECKS)
    for wager in catalogue.wagers.values():
        assert wager.decks == DECKS[wager.group], wager.id
        assert set(wager.documents) <= set(catalogue.documents)


def test_layouts_offer_what_their_documents_offer() -> None:
    catalogue = built_in_catalogue()
    offers = {name: set(catalogue.expand(layout.offers)) for name, layout in catalogue.layouts.items()}
    base = {"base.player", "base.banker", "base.tie"}
    pairs = {"pairs.player", "pairs.banker"}
    dragons = set(catalogue.expand(("five_dragons",)))
    nepal = set(catalogue.expand(("lucky_6", "player_wins_on", "banker_wins_on", "tie_wins_on")))
    fortune = set(catalogue.expand(("infinite_fortune",)))
    assert offers == {
        "nepal_super_baccarat": base | pairs | nepal,
        "golden_bacc": base | pairs | set(catalogue.expand(("golden_bacc",))),
        "five_dragons_a": base | pairs | dragons - {"five_dragons.red_dragon_6"},
        "five_dragons_b": base | pairs | dragons - {"five_dragons.golden_dragon_7"},
        "infinite_fortune": base | pairs | fortune - {"infinite_fortune.super_7", "infinite_fortune.fortune_8"},
        "bad_beat": base | pairs | {"bad_beat.bad_beat"},
        "phoenix_bonus": base | pairs | {"phoenix_bonus.player", "phoenix_bonus.banker"},
        "lucky_8": base | {"lucky_8.player", "lucky_8.banker"},
    }
    chosen = {name: layout.pay_tables for name, layout in catalogue.layouts.items() if layout.pay_tables}
    assert chosen == {
        "five_dragons_a": {"five_dragons.any_dragon": "A"},
        "five_dragons_b": {"five_dragons.any_dragon": "B"},
    }
    rules = {name: layout.option_rule for name, layout in catalogue.layouts.items() if layout.option_rule}
    assert list(rules) == ["lucky_8"]
    assert rules["lucky_8"].at_most == 3
    assert rules["lucky_8"].options == (
        ("base.player", "base.banker"),
        ("base.tie",),
        ("lucky_8.player",),
        ("lucky_8.banker",),
    )


TRADITIONAL = "閒莊對龍點贏勝張樂運鳳獎綠藍紅寶無財敗黃級發爾數"
SIMPLIFIED = "闲庄对龙点赢胜张乐运凤奖绿蓝红宝无财败黄级发尔数"


def test_names_are_there_in_three_languages_and_the_two_chinese_ones_agree() -> None:
    """Character by character, so that no simplified one is in a traditional name, nor the other way round."""
    catalogue = built_in_catalogue()
    names = [
        *(wager.names for wager in catalogue.wagers.values()),
        *(game.names for game in catalogue.base_games.values()),
        *(layout.names for layout in catalogue.layouts.values()),
        *catalogue.groups.values(),
    ]
    simplify = str.maketrans(TRADITIONAL, SIMPLIFIED)
    used = set("".join(name.zh_hant for name in names))
    assert used >= set(TRADITIONAL)
    for name in names:
        assert name.en.isascii()
        assert name.en.strip() == name.en != ""
        assert not set(name.zh_hant) & set(SIMPLIFIED), name
        assert name.zh_hant.translate(simplify) == name.zh_hans


def test_names_tell_the_wagers_of_a_group_apart() -> None:
    for group in built_in_catalogue().groups:
        wagers = [wager for wager in built_in_catalogue().wagers.values() if wager.group == group]
        for language in ("en", "zh_hant", "zh_hans"):
            assert len({getattr(wager.names, language) for wager in wagers}) == len(wagers), (group, language)
