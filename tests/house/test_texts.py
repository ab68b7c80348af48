"""The rules of a house as texts: the same rules can be built from them again, and from nothing else."""

import itertools
import json
from pathlib import Path

import pytest

from shoe_controller.baccarat.facts import all_facts
from shoe_controller.baccarat.house import House, PlacedWager
from shoe_controller.baccarat.settlement import settle
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import Config, load_config
from shoe_controller.house.catalogue_files import built_in_catalogue, extend
from shoe_controller.house.texts import built_in_texts, house_from_texts
from tests.table_files import EXAMPLE, Data, load, small_house

EMPTY = Catalogue(documents={}, groups={}, wagers={}, base_games={}, layouts={})

OWN_WAGER = """
[[wager]]
id = "pairs.own"
name = { en = "Own", zh_hant = "自", zh_hans = "自" }
document = "nepal_super_baccarat"
rows = [{ when = { winner = "tie" }, pays = "8:1" }]
"""

HOUSES = {
    "small": small_house(),
    "commission": small_house(base_game="commission", commission={"rate": "4.5%", "taken": "marked"}),
    "own wager": small_house(catalogue=["house/own.toml"], offer=["pairs", "base"], needs_base=["pairs.own"]),
    "option rules": small_house(layout="lucky_8", pay_tables={"lucky_8": "L8-2"}),
    "no option rules": small_house(layout="lucky_8", option_rules=[]),
    "rounding": small_house(rounding={"mode": "nearest", "unit": 5}, limits={"all": {"min": 100, "max": 10**18}}),
    "a player's edge": small_house(layout="five_dragons_a", allow_player_edge=["five_dragons.any_dragon"]),
    "round limit": small_house(
        layout=["nepal_super_baccarat", "five_dragons_b"],
        round_limit={"amount": 500, "groups": ["lucky_6"], "over_limit": "in_order"},
    ),
}


def loaded(folder: Path, name: str) -> Config:
    (folder / "house").mkdir()
    (folder / "house" / "own.toml").write_text(OWN_WAGER, encoding="utf-8")
    return load_config(EXAMPLE) if name == "example" else load(folder, HOUSES[name])


def assert_same_rules(one: House, other: House) -> None:
    assert other is not one
    for field in House.__struct_fields__:
        if field != "schedule":  # a schedule has no equality of its own: it is compared by what it says, below
            assert getattr(other, field) == getattr(one, field), field
    assert other.schedule.base_game == one.schedule.base_game
    assert other.schedule.commission == one.schedule.commission
    assert other.schedule.table_names == one.schedule.table_names
    assert other.schedule.pay_tables == one.schedule.pay_tables


@pytest.mark.parametrize("name", ["example", *HOUSES])
def test_the_texts_give_the_same_house_with_the_same_results_for_all_facts(tmp_path: Path, name: str) -> None:
    config = loaded(tmp_path, name)
    house_from_texts.cache_clear()
    again = house_from_texts(config.house_text, config.catalogue_texts)
    assert_same_rules(config.house, again)
    for facts in all_facts():
        assert again.schedule.results[facts] == config.house.schedule.results[facts]


@pytest.mark.parametrize("name", ["example", "commission", "round limit", "own wager"])
def test_both_houses_settle_alike(tmp_path: Path, name: str) -> None:
    config = loaded(tmp_path, name)
    again = house_from_texts(config.house_text, config.catalogue_texts)
    stakes = {wager: config.house.limits[wager].min for wager in config.house.offered}
    wagers = [PlacedWager(seat, wager, stake) for seat in config.house.seats for wager, stake in stakes.items()]
    for facts in itertools.islice(all_facts(), 0, None, 97):
        assert settle(again, facts, wagers) == settle(config.house, facts, wagers)


def test_a_house_survives_its_files_and_a_new_catalogue(tmp_path: Path) -> None:
    """What a replay has years later: the texts alone, and a product whose own catalogue has changed since."""
    config = loaded(tmp_path, "own wager")
    for file in tmp_path.rglob("*.toml"):
        file.unlink()
    name, text = config.catalogue_texts[0]
    texts = ((f"old_{name}", f"{text}\n# as it was then\n"), *config.catalogue_texts[1:])
    again = house_from_texts(config.house_text, texts)
    assert_same_rules(config.house, again)
    assert "pairs.own" in again.offered


def test_the_catalogue_texts_are_the_built_in_ones_and_then_the_houses(tmp_path: Path) -> None:
    config = loaded(tmp_path, "own wager")
    assert [name for name, _ in config.catalogue_texts] == [*(name for name, _ in built_in_texts()), "own.toml"]
    assert config.catalogue_texts[-1] == ("own.toml", OWN_WAGER)
    assert extend(EMPTY, built_in_texts()) == built_in_catalogue()
    assert extend(EMPTY, config.catalogue_texts) == config.catalogue


def test_the_guard_is_not_asked_again(tmp_path: Path) -> None:
    """Its opinion may have changed since the cards were dealt; the payments have not."""
    config = load(tmp_path, HOUSES["a player's edge"])
    entry = json.loads(config.house_text) | {"allow_player_edge": []}
    assert_same_rules(config.house, house_from_texts(json.dumps(entry), config.catalogue_texts))
    pays_nothing = entry | {"rounding": {"mode": "down", "unit": 100}, "round_limit": {"amount": 1}}
    assert house_from_texts(json.dumps(pays_nothing), config.catalogue_texts).rounding.unit == 100


def test_the_text_is_the_house_alone_in_one_form(tmp_path: Path) -> None:
    turned = dict(reversed(list(HOUSES["round limit"]["house"].items())))
    more: Data = {"house": turned, "table": {"site": "s", "name": "secret_name"}, "log": {"level": "debug"}}
    one = load(tmp_path, HOUSES["round limit"]).house_text
    assert load(tmp_path, more).house_text == one
    assert json.dumps(json.loads(one), ensure_ascii=False, separators=(",", ":"), sort_keys=True) == one
    assert list(json.loads(one)) == sorted(json.loads(one))
    explicit = small_house(rounding={"mode": "down"}, needs_base=[], commission={"taken": "at_once"})
    assert load(tmp_path, explicit).house_text == load(tmp_path, small_house()).house_text


def test_a_file_without_a_later_key_has_the_text_of_before(tmp_path: Path) -> None:
    """Else every shoe that was opened before an upgrade would seem to have other rules than its table's file."""
    assert load(tmp_path, small_house(allow_lower_price=[])).house_text == (
        '{"allow_decks":[],"allow_player_edge":[],"base_game":"nepal","catalogue":[],'
        '"commission":{"rate":null,"taken":"at_once"},"decks":8,"layout":"nepal_super_baccarat",'
        '"limits":{"all":{"max":100,"min":2}},"needs_base":[],"offer":null,"option_rules":null,"pay_tables":{},'
        '"round_limit":null,"rounding":{"mode":"down","unit":1},"seats":["1","2"]}'
    )
    # What `config check` warns of is no rule of a shoe.
    assert load(tmp_path, small_house(counted_limit=2)).house_text == load(tmp_path, small_house()).house_text
    assert '"allow_lower_price":["base.tie"]' in load(tmp_path, small_house(allow_lower_price=["base.tie"])).house_text


def test_where_a_catalogue_file_lies_changes_no_text(tmp_path: Path) -> None:
    config = loaded(tmp_path, "own wager")
    (tmp_path / "own.toml").write_text(OWN_WAGER, encoding="utf-8")
    data = small_house(**HOUSES["own wager"]["house"] | {"catalogue": ["own.toml"]})
    moved = load(tmp_path, data)
    assert (moved.house_text, moved.catalogue_texts) == (config.house_text, config.catalogue_texts)


def test_the_same_texts_are_built_once(tmp_path: Path) -> None:
    config = load(tmp_path, small_house())
    house_from_texts.cache_clear()
    first = house_from_texts(config.house_text, config.catalogue_texts)
    copies = tuple((name, "".join(list(text))) for name, text in config.catalogue_texts)
    assert house_from_texts("".join(list(config.house_text)), copies) is first
    assert house_from_texts.cache_info().misses == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[]", "house: expected a table of keys"),
        ("{}", "house.decks: is missing"),
        ('{"deck": 8}', "house.deck: unknown key; did you mean 'decks'?"),
        ('{"decks": "8"}', "house.decks: expected a whole number"),
    ],
)
def test_texts_that_are_none_of_ours_are_refused_with_a_sentence(text: str, reason: str) -> None:
    with pytest.raises(BadFileError, match="the recorded rules of the house: ") as caught:
        house_from_texts(text, built_in_texts())
    assert reason in str(caught.value)


def test_a_catalogue_text_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    config = load(tmp_path, small_house())
    with pytest.raises(BadFileError, match=r"own\.toml: is not valid TOML"):
        house_from_texts(config.house_text, (*built_in_texts(), ("own.toml", "x")))
