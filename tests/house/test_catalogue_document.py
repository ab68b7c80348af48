"""`docs/catalogue.md` says what the program does: its examples load, its words and figures are the real ones."""

import re
from pathlib import Path

import pytest

from shoe_controller.baccarat.conditions import WORDS, Value
from shoe_controller.baccarat.guard import objections
from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.house.catalogue_files import built_in_catalogue, extend

DOCUMENT = (Path(__file__).parents[2] / "docs" / "catalogue.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
FIGURE = re.compile(r"([\d.]+) %\s+for\s+`([a-z_.]+)`")


def extended_by(example: str) -> Catalogue:
    return extend(built_in_catalogue(), [("example.toml", example)])


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_loads_on_its_own_and_changes_the_catalogue(example: str) -> None:
    assert extended_by(example) != built_in_catalogue()


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("decks", [6, 8])
def test_the_guard_has_nothing_against_any_example(example: str, decks: int) -> None:
    catalogue = extended_by(example)
    new = [name for name, wager in catalogue.wagers.items() if wager != built_in_catalogue().wagers.get(name)]
    for base_game in catalogue.base_games:
        schedule = catalogue.schedule(base_game)
        assert list(objections(catalogue, schedule, ["base.banker", *new], decks)) == []


def test_the_figures_of_the_worked_examples_are_exact() -> None:
    own_wager, own_base_game = DOCUMENT.split("## First worked example")[1].split("## Second worked example")
    wager_schedule = extended_by(EXAMPLES[-2]).schedule("nepal")
    game_schedule = extended_by(EXAMPLES[-1]).schedule("riverside")
    checked = []
    for text, schedule in ((own_wager, wager_schedule), (own_base_game, game_schedule)):
        for figure, wager in FIGURE.findall(text):
            assert figure == f"{float(exact_odds(schedule, wager, 8).house_edge) * 100:.2f}", wager
            checked.append(wager)
    assert checked == ["big_small.small", "big_small.big", "base.banker", "base.tie"]


def written(values: tuple[Value, ...]) -> str:
    """Values as the document's table has them."""
    if values == tuple(range(10)):
        return "`0` to `9`"
    names = {True: "true", False: "false"}
    return ", ".join(
        f'`"{v}"`' if isinstance(v, str) else f"`{names[v] if isinstance(v, bool) else v}`" for v in values
    )


def test_the_table_of_words_is_the_vocabulary() -> None:
    table = DOCUMENT.split("| word | values | meaning |\n|---|---|---|\n")[1].split("\n\n")[0]
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()]
    assert rows == [(f"`{name}`", written(word.values), word.meaning) for name, word in WORDS.items()]


@pytest.mark.parametrize("section", ["document.x", "[wager]", "[base_game]", "[layout]", "layout.option_rule"])
def test_every_key_of_a_section_is_explained(section: str) -> None:
    """The program lists the keys of a section when it meets one that is like none of them."""
    headers = {"layout.option_rule": "[[layout]]\n[layout.option_rule]"}
    with pytest.raises(BadFileError) as caught:
        extended_by(f"{headers.get(section, f'[{section}]')}\nqqqqqq = 1")
    (listed,) = re.findall(r"qqqqqq: unknown key; the keys here are (.*)", str(caught.value))
    for key in listed.split(", "):
        assert f"`{key}`" in DOCUMENT


def test_the_conditions_it_calls_impossible_are() -> None:
    start = "[[wager]]\nid = 'pairs.x'\nname = {en = 'x', zh_hant = 'x', zh_hans = 'x'}\ndocument = 'lucky_8'\n"
    for when in (
        "winner = 'player', player_total = 0",
        "player_total = 8, player_cards = 2, banker_cards = 3",
    ):
        with pytest.raises(BadFileError, match="impossible"):
            extended_by(f"{start}rows = [{{ when = {{ {when} }}, pays = '1:1' }}]")
