"""Prices below the printed ones: every row of the catalogue, lowered a little, is noticed; nothing else is."""

from collections.abc import Iterator
from fractions import Fraction

import pytest

from shoe_controller.baccarat.printed_prices import price_objections
from shoe_controller.baccarat.wagers import Catalogue, PayTable, Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue, extend
from tests.house.test_catalogue_document import EXAMPLES

PRINTED = built_in_catalogue()


def messages(schedule: Schedule, catalogue: Catalogue = PRINTED) -> dict[str, str]:
    found = list(price_objections(catalogue, PRINTED, schedule, catalogue.wagers))
    assert {objection.setting for objection in found} <= {"allow_lower_price"}
    return {objection.wager: objection.message for objection in found}


def printed_tables() -> Iterator[tuple[str, str, PayTable]]:
    for wager in PRINTED.wagers.values():
        yield from ((wager.id, name, table) for name, table in wager.pay_tables.items())
    for game in PRINTED.base_games.values():
        yield from ((wager, game.id, table) for wager, table in game.pay_tables.items())


def in_force(wager: str, name: str, table: PayTable) -> dict[str, str]:
    return messages(Schedule("commission", {wager: (name, table)}, PRINTED.base_games["commission"].commission))


def test_a_row_that_pays_less_than_printed_is_noticed_and_one_that_pays_more_is_not() -> None:
    for wager, name, table in printed_tables():
        assert in_force(wager, name, table) == {}
        for number, row in enumerate(table):
            rest = table[:number], table[number + 1 :]
            left_out = in_force(wager, name, rest[0] + rest[1])
            # Without its row a round may fit the next one, at that price, or lose.
            assert list(left_out) == ([] if _pays_no_less(table, number) else [wager]), (wager, row.when)
            if row.pays is None:
                continue
            for factor, noticed in ((Fraction(99, 100), True), (Fraction(1), False), (Fraction(2), False)):
                changed = row._replace(pays=row.pays * factor)
                found = in_force(wager, name, (*rest[0], changed, *rest[1]))
                assert list(found) == ([wager] if noticed else []), (wager, row.when)


def _pays_no_less(table: PayTable, number: int) -> bool:
    """Whether the rows below pay every round of this row at least as much."""
    row = table[number]
    uncovered = row.holds
    for above in table[:number]:
        uncovered &= ~above.holds
    for below in table[number + 1 :]:
        if (below.pays or 0) >= (row.pays or 0):
            uncovered &= ~below.holds
    return not uncovered


def test_all_choices_of_the_built_in_catalogue_pay_as_printed() -> None:
    for game in PRINTED.base_games:
        for lucky, suite, fortune in (("L8-1", "A", "1"), ("L8-2", "B", "2"), ("L8-3", "B", "2")):
            tables = {"lucky_8": lucky, "five_dragons.any_dragon": suite, "infinite_fortune": fortune}
            assert messages(PRINTED.schedule(game, tables)) == {}


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_of_the_document_pays_enough(example: str) -> None:
    catalogue = extend(PRINTED, [("example.toml", example)])
    for game in catalogue.base_games:
        assert messages(catalogue.schedule(game), catalogue) == {}


TIE = """
[[wager]]
id = "base.tie"
name = {{ en = "Tie", zh_hant = "和", zh_hans = "和" }}
document = "{document}"
rows = [{{ when = {{ winner = "tie" }}, pays = "8:10" }}]
"""
OWN_DOCUMENT = """
[document.own]
title = "Own"
decks = [8]
"""
GAME = """
[[base_game]]
id = "{id}"
name = {{ en = "G", zh_hant = "G", zh_hans = "G" }}
[base_game.pay_tables]
"base.banker" = [{{ when = {{ winner = "banker" }}, pays = "{banker}" }}{push}]
"base.tie" = [{{ when = {{ winner = "tie" }}, pays = "{tie}" }}]
"""
PUSH = ', { when = { winner = "tie" }, pays = "push" }'


def with_house(text: str, game: str = "nepal") -> dict[str, str]:
    catalogue = extend(PRINTED, [("own.toml", text)])
    return messages(catalogue.schedule(game), catalogue)


def test_a_slip_in_a_house_file_is_named_with_both_prices() -> None:
    assert with_house(TIE.format(document="lucky_8")) == {
        "base.tie": "base.tie pays 4:5 when winner tie, and its document prints that it pays 8:1"
    }


def test_the_house_may_print_its_own_document() -> None:
    assert with_house(OWN_DOCUMENT + TIE.format(document="own")) == {}


@pytest.mark.parametrize(
    ("game", "lower"),
    [
        ({"id": "own", "banker": "1:1", "push": PUSH, "tie": "8:1"}, {}),
        ({"id": "own", "banker": "19:20", "push": PUSH, "tie": "9:1"}, {}),
        ({"id": "own", "banker": "9:10", "push": PUSH, "tie": "8:1"}, {"base.banker": "pays 9:10"}),
        ({"id": "own", "banker": "1:1", "push": "", "tie": "8:1"}, {"base.banker": "loses"}),
        ({"id": "own", "banker": "1:1", "push": PUSH, "tie": "7:1"}, {"base.tie": "pays 7:1"}),
        # A game of a printed name is compared with that one alone.
        ({"id": "no_commission", "banker": "19:20", "push": PUSH, "tie": "8:1"}, {"base.banker": "pays 19:20"}),
    ],
)
def test_a_base_game_of_the_house(game: dict[str, str], lower: dict[str, str]) -> None:
    found = with_house(GAME.format(**game), game["id"])
    assert list(found) == list(lower)
    assert all(found[wager].startswith(f"{wager} {how} when winner ") for wager, how in lower.items()), found
