"""The rules of the house: what its settings come to, and every contradiction with its place, all of them at once."""

from pathlib import Path

import pytest

from shoe_controller.baccarat.house import CommissionTaken, Rounding, RoundingMode
from shoe_controller.baccarat.wagers import OptionRule
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.house.catalogue_files import built_in_catalogue
from tests.table_files import Data, load, problems_of, small_house

# --- Good settings. --------------------------------------------------------------------------------------------------


def test_a_small_configuration_has_the_defaults_of_the_rules(tmp_path: Path) -> None:
    house = load(tmp_path, small_house()).house
    layout = built_in_catalogue().layouts["nepal_super_baccarat"]
    assert house.offered == built_in_catalogue().expand(layout.offers)
    assert house.rounding == Rounding(RoundingMode.DOWN, 1)
    assert house.commission_taken is CommissionTaken.AT_ONCE
    assert house.round_limit is None
    assert house.needs_base == frozenset()


def test_option_rules_are_the_layouts_unless_the_house_says_otherwise(tmp_path: Path) -> None:
    sides = ("base.player", "base.banker")
    washington = OptionRule(3, (sides, ("base.tie",), ("lucky_8.player",), ("lucky_8.banker",)))
    own = [{"at_most": 1, "options": [list(sides)]}]
    assert load(tmp_path, small_house(layout="lucky_8")).house.option_rules == (washington,)
    assert load(tmp_path, small_house(layout="lucky_8", option_rules=[])).house.option_rules == ()
    assert load(tmp_path, small_house(layout="lucky_8", option_rules=own)).house.option_rules == (
        OptionRule(1, (sides,)),
    )


def test_a_commission_rate_of_the_house(tmp_path: Path) -> None:
    data = small_house(base_game="commission", commission={"rate": "4.5%", "taken": "marked"})
    house = load(tmp_path, data).house
    assert house.schedule.commission * 1000 == 45
    assert house.commission_taken is CommissionTaken.MARKED


def test_a_layouts_pay_table_holds_and_the_houses_own_holds_over_it(tmp_path: Path) -> None:
    data = small_house(layout="five_dragons_a", allow_player_edge=["five_dragons.any_dragon"])
    assert load(tmp_path, data).house.schedule.table_names["five_dragons.any_dragon"] == "A"
    data["house"]["pay_tables"] = {"five_dragons": "B"}
    del data["house"]["allow_player_edge"]
    assert load(tmp_path, data).house.schedule.table_names["five_dragons.any_dragon"] == "B"


# --- Mistakes, one by one. -------------------------------------------------------------------------------------------

LUCKY_8 = {"layout": "lucky_8"}
AT_LEAST_4 = {"all": {"min": 4, "max": 100}}
DRAGONS_A = {"layout": "five_dragons_a"}


@pytest.mark.parametrize(
    ("settings", "place", "reason"),
    [
        ({"base_game": "nepaul"}, "base_game", "did you mean 'nepal'?"),
        ({"base_game": "poker"}, "base_game", "there is commission, nepal, no_commission"),
        ({"decks": 0}, "decks", "must be from 1 to 8, not 0"),
        ({"decks": 9}, "decks", "must be from 1 to 8, not 9"),
        ({"decks": -8}, "decks", "must be from 1 to 8, not -8"),
        ({"layout": []}, "layout", "at least one layout"),
        ({"layout": "lucky_88"}, "layout", "did you mean 'lucky_8'?"),
        ({"layout": ["lucky_8", "x"]}, "layout", "there is no layout 'x'"),
        ({"offer": ["base", "lucky_7"]}, "offer", "there is no group or wager 'lucky_7'; did you mean 'lucky_"),
        ({"offer": ["base", "base.plyer"]}, "offer", "did you mean 'base.player'?"),
        ({"seats": []}, "seats", "at least one seat"),
        ({"seats": ["1", "2", "1"]}, "seats", "seat '1' is listed more than once"),
        ({"limits": {}}, "limits", "offered without limits: base.player, base.banker, base.tie and 31 more"),
        ({"limits": {"base": {"min": 1, "max": 2}}}, "limits", "offered without limits: pairs.player"),
        ({"limits": {"all": {"min": 0, "max": 5}}}, "limits.all", "min is 0: write 1 or more"),
        ({"limits": {"all": {"min": 6, "max": 5}}}, "limits.all", "min 6 is above max 5: write min = 5, max = 6"),
        ({"limits": {"all": {"min": 1, "max": 5}, "pears": {"min": 1, "max": 5}}}, "limits", "did you mean 'pairs'?"),
        (
            {"limits": {"all": {"min": 1, "max": 5}, "lucky_8": {"min": 1, "max": 5}}},
            "limits",
            "lucky_8 is not offered",
        ),
        ({"pay_tables": {"lucky_8": "L8-2"}}, "pay_tables", "lucky_8 is not offered"),
        ({"pay_tables": {"base": "A"}}, "pay_tables", "only one pay table"),
        ({"pay_tables": {"base.plyer": "A"}}, "pay_tables", "did you mean 'base.player'?"),
        (LUCKY_8 | {"pay_tables": {"lucky_8": "L8-4"}}, "pay_tables", "it has L8-1, L8-2, L8-3"),
        ({"needs_base": ["base"]}, "needs_base", "a base wager cannot need a base wager"),
        ({"needs_base": ["base.tie"]}, "needs_base", "a base wager cannot need a base wager"),
        ({"needs_base": ["lucky_8"]}, "needs_base", "lucky_8 is not offered"),
        ({"needs_base": ["lucky"]}, "needs_base", "did you mean 'lucky_"),
        ({"commission": {"rate": "5%"}}, "commission.rate", "the base game 'nepal' takes no commission"),
        (
            {"base_game": "commission", "commission": {"rate": "5"}},
            "commission.rate",
            "a percentage like '5%', not '5'",
        ),
        ({"base_game": "commission", "commission": {"rate": "100%"}}, "commission.rate", "a percentage"),
        ({"rounding": {"unit": 0}}, "rounding.unit", "at least 1"),
        ({"rounding": {"unit": -5}}, "rounding.unit", "at least 1"),
        ({"round_limit": {"amount": 0}}, "round_limit.amount", "at least 1"),
        (
            {"round_limit": {"amount": 9, "groups": ["base"]}},
            "round_limit.groups",
            "base wagers are always paid in full",
        ),
        ({"round_limit": {"amount": 9, "groups": ["x"]}}, "round_limit.groups", "there is no group or wager 'x'"),
        ({"round_limit": {"amount": 9, "groups": ["bad_beat"]}}, "round_limit.groups", "bad_beat is not offered"),
        ({"option_rules": [{"at_most": 0, "options": [["base.tie"]]}]}, "option_rules", "at_most must be from 1"),
        ({"option_rules": [{"at_most": 2, "options": [["base.tie"]]}]}, "option_rules", "at_most must be from 1"),
        ({"option_rules": [{"at_most": 1, "options": [["base.ti"]]}]}, "option_rules", "did you mean 'base.tie'?"),
        ({"option_rules": [{"at_most": 1, "options": [["base"]]}]}, "option_rules", "there is no wager 'base'"),
        ({"allow_decks": ["x"]}, "allow_decks", "there is no group or wager 'x'"),
        ({"allow_player_edge": ["x"]}, "allow_player_edge", "there is no group or wager 'x'"),
        ({"allow_lower_price": ["x"]}, "allow_lower_price", "there is no group or wager 'x'"),
        # The guard.
        (LUCKY_8 | {"decks": 7}, "offer", "lucky_8.player may be dealt with 6 or 8 decks, not with 7"),
        (LUCKY_8 | {"decks": 7}, "offer", 'if the house insists: allow_decks = ["lucky_8.player"]'),
        (DRAGONS_A, "offer", "five_dragons.any_dragon with pay table A gives the player an edge of 34.74% (8 decks)"),
        (DRAGONS_A, "offer", 'if the house insists: allow_player_edge = ["five_dragons.any_dragon"]'),
        (
            {"rounding": {"unit": 100}, "limits": {"all": {"min": 100, "max": 5000}}},
            "rounding",
            (
                "base.banker is paid nothing at a stake of 100 when it wins 1:2, because payments are rounded down to "
                "a multiple of 100; set unit = 50, or set min = 200 for it in [house.limits]"
            ),
        ),
        (
            {"base_game": "commission", "commission": {"rate": "75%"}, "rounding": {"unit": 5}, "limits": AT_LEAST_4},
            "rounding",
            (
                "at stakes from 5 to 15 when it wins 1:4, because payments are rounded down to a multiple of 5; "
                "set unit = 1, or set min = 20 for it"
            ),
        ),
        (
            {"limits": {"all": {"min": 1, "max": 1}}},
            "rounding",
            "a multiple of 1; set min = 2 and max = 2 or more for it in [house.limits]",
        ),
        (
            {"rounding": {"unit": 50}, "limits": {"all": {"min": 100, "max": 500}}, "round_limit": {"amount": 49}},
            "round_limit.amount",
            "must be at least 50, the unit to which payments are rounded, or no winner is paid",
        ),
    ],
)
def test_a_contradiction_has_its_place_and_says_what_to_do(
    tmp_path: Path, settings: Data, place: str, reason: str
) -> None:
    problems = problems_of(tmp_path, small_house(**settings))
    assert any(problem.startswith(f"house.{place}: ") and reason in problem for problem in problems), problems


UNPRICED_WAGER = """
[[wager]]
id = "pairs.own"
name = { en = "Own", zh_hant = "自", zh_hans = "自" }
document = "nepal_super_baccarat"
"""


def test_a_wager_that_nothing_prices_cannot_be_offered(tmp_path: Path) -> None:
    """It has no rows, and the base game of this table does not price it either."""
    (tmp_path / "own.toml").write_text(UNPRICED_WAGER, encoding="utf-8")
    data = small_house(catalogue=["own.toml"], offer=["base", "pairs"])
    with pytest.raises(BadFileError, match=r"pairs\.own"):
        load(tmp_path, data)


# --- Mistakes, all at once. ------------------------------------------------------------------------------------------


CONTRADICTIONS: dict[str, tuple[object, str]] = {
    "base_game": ("commission", ""),
    "layout": (["five_dragons_a", "nowhere"], "house.layout: there is no layout 'nowhere'"),
    "decks": (7, "house.offer: five_dragons.red_dragon_7 may be dealt with 6 or 8 decks, not with 7; if the house"),
    "offer": (["base", "five_dragons", "moon"], "house.offer: there is no group or wager 'moon'"),
    "seats": (["1", "2", "2"], "house.seats: seat '2' is listed more than once"),
    "pay_tables": ({"lucky_8": "L8-1", "five_dragons": "C"}, "house.pay_tables: lucky_8 is not offered"),
    "limits": ({"base": {"min": 9, "max": 3}}, "house.limits.base: min 9 is above max 3"),
    "needs_base": (["base", "sun"], "house.needs_base: there is no group or wager 'sun'"),
    "option_rules": ([{"at_most": 9, "options": [["base.x"]]}], "house.option_rules: there is no wager 'base.x'"),
    "rounding": ({"unit": 0}, "house.rounding.unit: must be at least 1"),
    "commission": ({"rate": "lots"}, "house.commission.rate: must be a percentage like '5%', not 'lots'"),
    "round_limit": ({"amount": 0, "groups": ["base", "star"]}, "house.round_limit.amount: must be at least 1"),
    "allow_decks": (["venus"], "house.allow_decks: there is no group or wager 'venus'"),
    "allow_player_edge": (["mars"], "house.allow_player_edge: there is no group or wager 'mars'"),
}
ALSO_WRONG_THERE = (
    "house.pay_tables: five_dragons has no pay table 'C'; it has A, B",
    "house.limits: offered without limits: five_dragons.golden_dragon_7",
    "house.needs_base: a base wager cannot need a base wager",
    "house.option_rules: at_most must be from 1 to the number of options, not 9",
    "house.round_limit.groups: base wagers are always paid in full",
    "house.round_limit.groups: there is no group or wager 'star'",
)


@pytest.mark.parametrize("expected", [*(text for _, text in CONTRADICTIONS.values() if text), *ALSO_WRONG_THERE])
def test_contradictions_are_all_reported_at_once(tmp_path: Path, expected: str) -> None:
    problems = problems_of(tmp_path, small_house(**{key: value for key, (value, _) in CONTRADICTIONS.items()}))
    assert any(problem.startswith(expected) for problem in problems), "\n".join(problems)


def test_a_misspelt_key_does_not_hide_a_contradiction(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, small_house(sets=["1"], needs_base=["base"], rounding={"unit": 0}))
    places = {problem.partition(": ")[0] for problem in problems}
    assert places == {"house.sets", "house.needs_base", "house.rounding.unit"}


def test_an_unknown_base_game_does_not_hide_a_wrong_pay_table(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, small_house(layout="lucky_8", base_game="x", pay_tables={"lucky_8": "L9"}))
    assert {problem.partition(": ")[0] for problem in problems} == {"house.base_game", "house.pay_tables"}


def test_nothing_is_reported_twice(tmp_path: Path) -> None:
    data = small_house(offer=["x", "x"], pay_tables={"y": "A"}, needs_base=["z", "z"])
    problems = problems_of(tmp_path, data)
    assert len(problems) == len(set(problems)) == 3


# --- The guard, overridden. ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["five_dragons.any_dragon", "five_dragons"])
def test_a_house_that_insists_may_offer_a_wager_that_favours_the_player(tmp_path: Path, name: str) -> None:
    house = load(tmp_path, small_house(**DRAGONS_A, allow_player_edge=[name])).house
    assert "five_dragons.any_dragon" in house.offered
    assert house.schedule.table_names["five_dragons.any_dragon"] == "A"


LOW_TIE = """
[[wager]]
id = "base.tie"
name = { en = "Tie", zh_hant = "和", zh_hans = "和" }
document = "nepal_super_baccarat"
rows = [{ when = { winner = "tie" }, pays = "8:10" }]
"""


@pytest.mark.parametrize("name", ["base.tie", "base"])
def test_a_price_below_the_printed_one_needs_a_word_in_the_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "own.toml").write_text(LOW_TIE, encoding="utf-8")
    (problem,) = problems_of(tmp_path, small_house(catalogue=["own.toml"]))
    assert problem == (
        "house.offer: base.tie pays 4:5 when winner tie, and its document prints that it pays 8:1; "
        'if the house insists: allow_lower_price = ["base.tie"]'
    )
    load(tmp_path, small_house(catalogue=["own.toml"], allow_lower_price=[name]))


def test_a_house_that_insists_may_use_a_number_of_decks_that_no_document_names(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, small_house(layout="lucky_8", decks=4))
    assert len(problems) == 6
    assert all("not with 4" in problem for problem in problems)
    assert sum("the layout lucky_8 is dealt with 6 or 8 decks" in problem for problem in problems) == 1
    house = load(tmp_path, small_house(layout="lucky_8", decks=4, allow_decks=["base", "lucky_8"])).house
    assert house.decks == 4
    almost = small_house(layout="lucky_8", decks=4, allow_decks=["base", "lucky_8.player"])
    layout, wager = problems_of(tmp_path, almost)
    assert 'allow_decks = ["lucky_8"]' in layout
    assert "lucky_8.banker" in wager


def test_a_layout_that_is_no_group_can_be_allowed_its_decks_too(tmp_path: Path) -> None:
    allowed = ["base", "nepal_super_baccarat"]
    house = load(tmp_path, small_house(decks=4, offer=["base"], allow_decks=allowed)).house
    assert house.decks == 4


def test_layouts_that_want_different_pay_tables_make_the_house_choose(tmp_path: Path) -> None:
    both = ["five_dragons_a", "five_dragons_b"]
    assert any("the layouts use A and B" in problem for problem in problems_of(tmp_path, small_house(layout=both)))
    chosen = {"five_dragons.any_dragon": "B"}
    house = load(tmp_path, small_house(layout=both, pay_tables=chosen)).house
    assert house.schedule.table_names["five_dragons.any_dragon"] == "B"


@pytest.mark.parametrize(
    ("settings", "place", "why"),
    [
        ({"offer": []}, "offer", "at least one wager"),
        ({"seats": ["1", " "]}, "seats", "a printable name"),
        ({"round_limit": {"amount": 5, "groups": []}}, "round_limit.groups", "at least one group"),
    ],
)
def test_what_says_nothing_is_refused(tmp_path: Path, settings: dict[str, object], place: str, why: str) -> None:
    assert any(
        problem.startswith(f"house.{place}: ") and why in problem
        for problem in problems_of(tmp_path, small_house(**settings))
    )


def test_a_mistake_in_a_required_key_hides_nothing_else(tmp_path: Path) -> None:
    house = small_house(decks="eight", layout="nowhere", seats=["1", "1"])
    places = {problem.split(":")[0] for problem in problems_of(tmp_path, house)}
    assert {"house.decks", "house.layout", "house.seats"} <= places
    assert not any("is missing" in problem for problem in problems_of(tmp_path, house))


def test_one_override_does_not_stand_for_the_other(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, small_house(**DRAGONS_A, allow_decks=["five_dragons"]))
    assert "34.74%" in problem
