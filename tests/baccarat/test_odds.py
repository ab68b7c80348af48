"""Exact odds: every published figure, to the last digit that was published."""

from fractions import Fraction

import pytest

from shoe_controller.baccarat.composition import all_draws, full_shoe
from shoe_controller.baccarat.conditions import facts_where
from shoe_controller.baccarat.odds import WagerOdds, exact_odds
from shoe_controller.baccarat.wagers import Row, Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue


def odds(wager: str, decks: int = 8, base: str = "nepal", pay_tables: dict[str, str] | None = None) -> WagerOdds:
    return exact_odds(built_in_catalogue().schedule(base, pay_tables), wager, decks)


@pytest.mark.parametrize(
    ("wager", "base", "decks", "percent"),
    [
        ("base.player", "commission", 8, "1.2351"),
        ("base.banker", "commission", 8, "1.0579"),
        ("base.tie", "commission", 8, "14.3596"),
        ("base.player", "commission", 6, "1.2374"),
        ("base.banker", "commission", 6, "1.0558"),
        ("base.tie", "commission", 6, "14.4382"),
        ("base.banker", "nepal", 8, "1.4581"),
        ("pairs.player", "nepal", 8, "10.3614"),
        ("pairs.banker", "nepal", 8, "10.3614"),
        ("pairs.player", "nepal", 6, "11.2540"),
        ("pairs.banker", "nepal", 6, "11.2540"),
        ("phoenix_bonus.player", "nepal", 8, "2.6517"),
        ("phoenix_bonus.banker", "nepal", 8, "9.3731"),
        ("phoenix_bonus.player", "nepal", 6, "2.6675"),
        ("phoenix_bonus.banker", "nepal", 6, "9.3889"),
        ("lucky_6.lucky_6", "nepal", 8, "16.6836"),
        ("banker_wins_on.6", "nepal", 8, "16.6836"),
    ],
)
def test_published_house_edges(wager: str, base: str, decks: int, percent: str) -> None:
    assert f"{float(odds(wager, decks, base).house_edge) * 100:.4f}" == percent


@pytest.mark.parametrize(
    ("table", "player", "banker", "combined"),
    [("L8-1", "6.1", "9.7", "7.9"), ("L8-2", "8.5", "11.8", "10.1"), ("L8-3", "12.0", "15.2", "13.6")],
)
def test_posted_lucky_8_edges(table: str, player: str, banker: str, combined: str) -> None:
    edges = [odds(f"lucky_8.{side}", pay_tables={"lucky_8": table}).house_edge for side in ("player", "banker")]
    shown = [f"{float(edge) * 100:.1f}" for edge in (*edges, sum(edges, Fraction(0)) / 2)]
    assert shown == [player, banker, combined]


def test_readings_of_doubtful_text_stand_on_these_figures() -> None:
    any_dragon = {
        suite: odds("five_dragons.any_dragon", pay_tables={"five_dragons.any_dragon": suite}) for suite in "AB"
    }
    assert f"{float(any_dragon['A'].expectation):.2%}" == "34.74%"
    assert f"{float(any_dragon['B'].house_edge):.2%}" == "9.38%"
    assert f"{float(odds('five_dragons.green_dragon_8').house_edge):.2%}" == "10.19%"


def priced(rows: dict[str, tuple[dict[str, object], int]], decks: int = 8) -> Fraction:
    """The house edge of a wager of the test's own, from rows of condition and price."""
    table = tuple(Row(name, facts_where(when), Fraction(pays)) for name, (when, pays) in rows.items())
    schedule = Schedule("test", {"test.wager": ("", table)}, Fraction(0))
    return exact_odds(schedule, "test.wager", decks).house_edge


def test_the_readings_that_were_rejected_have_the_figures_that_spoke_against_them() -> None:
    banker_three_card_8 = {"row": ({"winner": "banker", "banker_total": 8, "banker_cards": 3}, 25)}
    assert f"{float(priced(banker_three_card_8)):.2%}" == "23.66%"
    six = {"winner": "banker", "banker_total": 6}
    two_wagers = [priced({"row": ({**six, "banker_cards": cards}, pays)}) for cards, pays in ((2, 12), (3, 20))]
    assert [f"{float(edge):.1%}" for edge in two_wagers] == ["51.6%", "65.1%"]
    natural_by_margin = {f"by {n}": ({"winner": "player", "margin": n}, p) for n, p in ((9, 30), (8, 10), (7, 6))}
    natural_by_margin |= {f"by {n}": ({"winner": "player", "margin": n}, p) for n, p in ((6, 4), (5, 2), (4, 1))}
    natural_by_margin["natural"] = ({"winner": "player", "player_natural": True}, 1)
    # This test's wager loses a natural tie where the real one pushes it, so the player's 75 % are a little less here.
    assert Fraction(70, 100) < -priced(natural_by_margin) < Fraction(75, 100)


def _gain(pays: str) -> Fraction:
    """What the player gains on a stake of one."""
    if pays in ("lose", "push"):
        return Fraction(-1 if pays == "lose" else 0)
    return Fraction(*map(int, pays.split(":")))


@pytest.mark.parametrize("decks", range(1, 9))
@pytest.mark.parametrize("base", ["commission", "nepal", "no_commission"])
def test_rows_and_figures_hang_together(decks: int, base: str) -> None:
    schedule = built_in_catalogue().schedule(base)
    for wager, table in schedule.pay_tables.items():
        found = exact_odds(schedule, wager, decks)
        whole = all_draws(full_shoe(decks))
        assert sum(row.count for row in found.rows) == whole
        assert [row.pays for row in found.rows][-1] == "lose"
        prices = [_gain(row.pays) for row in found.rows]
        mean = sum((price * row.count for price, row in zip(prices, found.rows, strict=True)), Fraction(0)) / whole
        square = sum((price**2 * row.count for price, row in zip(prices, found.rows, strict=True)), Fraction(0)) / whole
        assert found.expectation == mean == -found.house_edge
        assert found.variance == square - mean**2
        wins = sum(row.count for row, price in zip(found.rows, prices, strict=True) if price > 0)
        assert found.hit_frequency == Fraction(wins, whole)
        assert len(found.rows) == len(table) + 1


def test_every_row_of_every_wager_can_happen_with_the_decks_it_permits() -> None:
    catalogue = built_in_catalogue()
    for lucky, suite, fortune in (("L8-1", "A", "1"), ("L8-2", "B", "2"), ("L8-3", "B", "2")):
        schedule = catalogue.schedule(
            "nepal", {"lucky_8": lucky, "five_dragons.any_dragon": suite, "infinite_fortune": fortune}
        )
        for wager in schedule.pay_tables:
            for decks in catalogue.wagers[wager].decks:
                assert all(row.count for row in exact_odds(schedule, wager, decks).rows), (wager, decks)


def test_commission_is_in_the_price_and_the_rate_is_the_houses() -> None:
    five = built_in_catalogue().schedule("commission")
    four = built_in_catalogue().schedule("commission", commission=Fraction(4, 100))
    assert exact_odds(five, "base.banker", 8).rows[0].pays == "19:20"
    assert exact_odds(four, "base.banker", 8).rows[0].pays == "24:25"
    assert exact_odds(four, "base.banker", 8).house_edge < exact_odds(five, "base.banker", 8).house_edge


def test_only_the_banker_wager_differs_between_base_games() -> None:
    schedules = [built_in_catalogue().schedule(game) for game in ("commission", "nepal", "no_commission")]
    for wager in schedules[0].pay_tables:
        edges = {exact_odds(schedule, wager, 8).house_edge for schedule in schedules}
        assert len(edges) == (3 if wager == "base.banker" else 1)
