"""A house's own catalogue file: it adds and replaces, and whatever cannot be used is refused with its place."""

from fractions import Fraction
from pathlib import Path

import pytest

from shoe_controller.baccarat.facts import Winner, all_facts
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.house.catalogue_files import built_in_catalogue, catalogue_with, extend

NAMES = 'name = { en = "Own", zh_hant = "自", zh_hans = "自" }'
TIE = '{ when = { winner = "tie" }, pays = "8:1" }'
CLUB = '[group]\nclub = { en = "Club", zh_hant = "會", zh_hans = "会" }\n'


def wager(wager_id: str = "pairs.own", rows: str = TIE, more: str = "") -> str:
    document = "" if "document" in more else 'document = "golden_bacc"'
    return f'[[wager]]\nid = "{wager_id}"\n{NAMES}\n{document}\n{more}\nrows = [{rows}]\n'


def base_game(rows: str = '"base.banker" = [{ when = { winner = "banker" }, pays = "1:1" }]', more: str = "") -> str:
    return f'[[base_game]]\nid = "own"\n{NAMES}\n{more}\n[base_game.pay_tables]\n{rows}\n'


def layout(more: str = "", offers: str = '"base"', document: str = "golden_bacc") -> str:
    return f'[[layout]]\nid = "own"\n{NAMES}\ndocument = "{document}"\noffers = [{offers}]\n{more}\n'


def with_house_file(text: str) -> Catalogue:
    return extend(built_in_catalogue(), [("our_wagers.toml", text)])


def refusal(text: str) -> BadFileError:
    with pytest.raises(BadFileError) as caught:
        with_house_file(text)
    assert caught.value.file == "our_wagers.toml"
    for line in str(caught.value).split("\n"):
        assert line.startswith("our_wagers.toml: ")
    return caught.value


def assert_refused(text: str, place: str, reason: str) -> None:
    error = refusal(text)
    assert any(problem.place == place and reason in problem.message for problem in error.problems), str(error)


# --- Added and replaced. ---------------------------------------------------------------------------------------------


def test_a_house_adds_a_wager() -> None:
    catalogue = with_house_file(wager(rows='{ when = { margin = [8, 9], player_pair = true }, pays = "7:2" }'))
    assert list(catalogue.wagers) == [*built_in_catalogue().wagers, "pairs.own"]
    own = catalogue.wagers["pairs.own"]
    assert own.decks == {6, 8}
    assert own.documents == ("golden_bacc",)
    results = catalogue.schedule("nepal").results
    for facts in all_facts():
        fits = abs(facts.player_total - facts.banker_total) >= 8 and facts.player_pair
        assert results[facts]["pairs.own"].pays == (Fraction(7, 2) if fits else 0)


def test_a_house_replaces_a_wager_in_its_place_and_nothing_else() -> None:
    catalogue = with_house_file(wager("base.tie", rows='{ when = { winner = "tie" }, pays = "9:1" }'))
    assert list(catalogue.wagers) == list(built_in_catalogue().wagers)
    changed = [name for name, wager in catalogue.wagers.items() if wager != built_in_catalogue().wagers[name]]
    assert changed == ["base.tie"]
    assert [row.pays for row in catalogue.wagers["base.tie"].pay_tables[""]] == [9]
    assert [row.pays for row in built_in_catalogue().wagers["base.tie"].pay_tables[""]] == [8]


def test_a_house_adds_a_base_game_that_prices_another_wager_too() -> None:
    text = base_game(
        '"base.banker" = [{ when = { winner = "banker" }, pays = "1:1", commission = true }]\n'
        '"base.tie" = [{ when = { winner = "tie" }, pays = "9:1" }]',
        more='commission = "2.5 %"',
    )
    catalogue = with_house_file(text)
    assert list(catalogue.base_games) == ["commission", "nepal", "no_commission", "own"]
    results = catalogue.schedule("own").results
    standard = built_in_catalogue().schedule("commission").results
    for facts in all_facts():
        own = dict(results[facts])
        assert own.pop("base.banker").pays == (Fraction(39, 40) if facts.winner is Winner.BANKER else 0)
        assert own.pop("base.tie").pays == (9 if facts.winner is Winner.TIE else 0)
        assert own.items() <= standard[facts].items()


def test_a_house_replaces_a_base_game() -> None:
    text = base_game(more='commission = "0%"').replace('"own"', '"nepal"')
    catalogue = with_house_file(text)
    assert list(catalogue.base_games) == list(built_in_catalogue().base_games)
    assert [row.pays for row in catalogue.base_games["nepal"].pay_tables["base.banker"]] == [1]


def test_a_house_may_use_its_own_document_group_and_layout_in_any_order_in_the_file() -> None:
    catalogue = with_house_file(
        layout("option_rule = { at_most = 1, options = [['club.own'], ['base.tie']] }", '"base", "club"', "club")
        + wager("club.own", more='document = ["club", "golden_bacc"]')
        + CLUB
        + '[document.club]\ntitle = "Ours"\ndecks = [1, 2]\n'
    )
    assert catalogue.wagers["club.own"].decks == {1, 2, 6, 8}
    assert catalogue.expand(catalogue.layouts["own"].offers) == ("base.player", "base.banker", "base.tie", "club.own")


def test_a_wager_may_name_its_decks_itself() -> None:
    assert with_house_file(wager(more="decks = [3, 8]")).wagers["pairs.own"].decks == {3, 8}


def test_a_plain_price_belongs_to_every_pay_table() -> None:
    rows = """
        { when = { winner = "tie", player_total = 9 }, pays = { one = "30:1", two = "push" } },
        { when = { winner = "tie", player_total = 8 }, pays = { two = "20:1" } },
        { when = { winner = "tie" }, pays = "5:1" },
    """
    own = with_house_file(wager(rows=rows)).wagers["pairs.own"]
    prices = {name: [row.pays for row in table] for name, table in own.pay_tables.items()}
    assert prices == {"one": [30, 5], "two": [None, 20, 5]}
    assert own.default_table == "one"


@pytest.mark.parametrize(
    ("price", "pays"), [("1:1", 1), ("1:2", Fraction(1, 2)), ("6:4", Fraction(3, 2)), ("999999999:1", 999_999_999)]
)
def test_a_price_is_an_exact_ratio(price: str, pays: Fraction) -> None:
    own = with_house_file(wager(rows=f'{{ when = {{ winner = "tie" }}, pays = "{price}" }}')).wagers["pairs.own"]
    assert [row.pays for row in own.pay_tables[""]] == [pays]


def test_files_build_on_one_another_in_their_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text(CLUB, encoding="utf-8")
    second.write_text(wager("club.own"), encoding="utf-8")
    assert "club.own" in catalogue_with([first, second]).wagers
    with pytest.raises(BadFileError, match="club"):
        catalogue_with([second, first])


def test_without_a_house_file_it_is_the_built_in_catalogue() -> None:
    assert catalogue_with([]) is built_in_catalogue()


# --- Refused, each kind of mistake. ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ("banker_totl = 6", "did you mean 'banker_total'?"),
        ("weather = 6", "the words are winner, margin, player_total"),
        ("player_total = 10", "player_total cannot be 10; it is one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
        ("player_total = -1", "player_total cannot be -1"),
        ('player_total = "8"', "player_total cannot be"),
        ("player_total = 8.0", "player_total cannot be 8.0"),
        ("player_total = true", "player_total cannot be true"),
        ("player_pair = 1", "player_pair cannot be 1; it is one of true, false"),
        ('winner = "Banker"', "winner cannot be Banker; it is one of player, banker, tie"),
        ("player_cards = [2, 4]", "player_cards cannot be 4; it is one of 2, 3"),
        ("player_cards = [[2]]", "player_cards cannot be"),
        ("player_cards = { at_least = 2 }", "player_cards cannot be"),
        ('winner = "player", player_total = 0', "impossible condition: no round has winner player, player_total 0"),
        ("player_total = 8, player_cards = 2, banker_cards = 3", "impossible condition"),
        ('winner = "tie", winning_total = 9', "impossible condition"),
        ("margin = 9, losing_total = 1", "impossible condition"),
        ("winner = []", "winner"),
    ],
)
def test_a_condition_outside_the_vocabulary_or_that_no_round_fulfils(when: str, reason: str) -> None:
    bad_row = f'{{ when = {{ {when} }}, pays = "1:1" }}'
    assert_refused(wager(rows=bad_row), "wager pairs.own, row 1", reason)
    assert_refused(wager(rows=f"{TIE}, {bad_row}"), "wager pairs.own, row 2", reason)
    assert_refused(base_game(f'"base.banker" = [{TIE}, {bad_row}]'), "base_game own, base.banker, row 2", reason)


NO_RATIOS = ("8", "8 to 1", "0:1", "1:0", "-1:1", "1.5:1", "08:1", "8:1 ", "8:1:1", "8/1", "Push", "", "1000000000:1")
IN_ANOTHER_SCRIPT = ("\N{ARABIC-INDIC DIGIT EIGHT}:1", "1\N{ARABIC-INDIC DIGIT ZERO}:1")
"""Python reads these digits, the person who checks the file may not."""


@pytest.mark.parametrize("price", [*NO_RATIOS, *IN_ANOTHER_SCRIPT])
def test_a_price_that_is_no_ratio(price: str) -> None:
    plain = f'{{ when = {{ winner = "tie" }}, pays = "{price}" }}'
    assert_refused(wager(rows=plain), "wager pairs.own, row 1", f"must be a ratio like '20:1' or 'push', not {price!r}")
    named = f'{{ when = {{ winner = "tie" }}, pays = {{ A = "8:1", B = "{price}" }} }}'
    assert_refused(wager(rows=named), "wager pairs.own, row 1", f"must be a ratio like '20:1' or 'push', not {price!r}")


@pytest.mark.parametrize(
    ("row", "place", "reason"),
    [
        ('{ when = { winner = "tie" }, pays = 8 }', ".pays", "expected a text in quotes or a table of keys, got 8"),
        ('{ when = { winner = "tie" }, pays = { A = 8 } }', ".pays.A", "expected a text in quotes"),
        ('{ when = { winner = "tie" }, pays = {} }', "", "pays"),
        ('{ when = { winner = "tie" } }', ".pays", "is missing"),
        ('{ pays = "1:1" }', ".when", "is missing"),
        ('{ when = "tie", pays = "1:1" }', ".when", "expected a table of keys"),
        ('{ when = { margin = 4 }, pays = "1:1", comission = true }', ".comission", "did you mean 'commission'?"),
        ('{ when = { margin = 4 }, pays = "1:1", commission = "5%" }', ".commission", "expected true or false"),
        ('"tie"', "", "expected a table of keys"),
        (
            '{ when = { winner = "tie", player_total = 9 }, pays = "9:1" }',
            "",
            "the rows above it cover every such round",
        ),
        ('{ when = { margin = 0 }, pays = "push" }', "", "the rows above it cover every such round"),
    ],
)
def test_a_row_that_is_written_wrong_or_never_reached(row: str, place: str, reason: str) -> None:
    assert_refused(wager(rows=f"{TIE}, {row}"), f"wager pairs.own, row 2{place}", reason)


def test_a_row_is_shadowed_only_by_rows_of_its_own_pay_table() -> None:
    rows = """
        { when = { winner = "tie" }, pays = { A = "8:1" } },
        { when = { winner = "tie", player_total = 9 }, pays = { B = "9:1" } },
    """
    assert set(with_house_file(wager(rows=rows)).wagers["pairs.own"].pay_tables) == {"A", "B"}
    assert_refused(wager(rows=rows.replace("B =", "A =")), "wager pairs.own, row 2", "it can never fit")


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (wager("own"), "wager own", "GROUP.NAME"),
        (wager("pairs."), "wager pairs.", "GROUP.NAME"),
        (wager(".own"), "wager .own", "GROUP.NAME"),
        (wager("pair.own"), "wager pair.own", "GROUP.NAME with a declared group: base, pairs"),
        (wager("pairs.two words"), "wager pairs.two words", "id"),
        (wager("pairs.a/b"), "wager pairs.a/b", "id"),
        (wager(more='document = "golden_back"'), "wager pairs.own", "did you mean 'golden_bacc'?"),
        (wager(more='document = ["golden_bacc", "x"]'), "wager pairs.own", "there is no document 'x'"),
        (wager(more="document = []"), "wager pairs.own", "document"),
        (wager(more="document = 5"), "wager pairs.own.document", "expected a text in quotes or a list"),
        (wager(more="decks = [0]"), "wager pairs.own", "decks must list numbers from 1 to 8"),
        (wager(more="decks = [8, 9]"), "wager pairs.own", "decks must list numbers from 1 to 8"),
        (wager(more="decks = []"), "wager pairs.own", "decks must list numbers from 1 to 8"),
        (wager(more="decks = 8"), "wager pairs.own.decks", "expected a list"),
        (wager(more="decks = [true]"), "wager pairs.own.decks[1]", "expected a whole number"),
        (wager(more='default_pay_table = "A"'), "wager pairs.own", "default_pay_table"),
        (
            wager(rows=TIE.replace('"8:1"', '{ A = "8:1", B = "9:1" }'), more='default_pay_table = "C"'),
            "wager pairs.own",
            "default_pay_table: there is no 'C' among A, B",
        ),
        (wager(more="default_table = 'A'"), "wager pairs.own.default_table", "did you mean 'default_pay_table'?"),
        (wager().replace(', zh_hans = "自"', ""), "wager pairs.own.name.zh_hans", "is missing"),
        (wager() + wager(), "wager pairs.own", "twice"),
        ("[[wager]]", "wager (no id).id", "is missing"),
    ],
)
def test_a_wager_that_cannot_be_used(text: str, place: str, reason: str) -> None:
    assert_refused(text, place, reason)


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (base_game(f'"base.tie" = [{TIE}]'), "base_game own", "it must have a pay table for base.banker"),
        (base_game('"base.banker" = []'), "base_game own, base.banker", "row"),
        (base_game(f'"base.bankr" = [{TIE}]'), "base_game own", "did you mean 'base.banker'?"),
        (
            base_game('"base.banker" = [{ when = { winner = "tie" }, pays = { A = "1:1" } }]'),
            "base_game own, base.banker",
            "one price for each row",
        ),
        *(
            (base_game(more=f'commission = "{rate}"'), "base_game own", "must be a percentage like '5%'")
            for rate in ("5", "100%", "-1%", "five%", "5%%", "", "\N{ARABIC-INDIC DIGIT FIVE}%")
        ),
        (base_game(more="commission = 5"), "base_game own.commission", "expected a text in quotes"),
        (base_game(more="comission = '5%'"), "base_game own.comission", "did you mean 'commission'?"),
        (base_game() + base_game(), "base_game own", "twice"),
        (layout(document="x"), "layout own", "there is no document 'x'"),
        (
            layout(offers='"base", "lucky_9"'),
            "layout own",
            "there is no group or wager 'lucky_9'; did you mean 'lucky_",
        ),
        (layout("pay_tables = { lucky_8 = 'L9' }"), "layout own", "it has L8-1, L8-2, L8-3"),
        (layout("pay_tables = { pairs = 'A' }"), "layout own", "only one pay table"),
        (layout("offer = []"), "layout own.offer", "did you mean 'offers'?"),
        (layout("option_rule = { at_most = 1, options = [['base.bonker']] }"), "layout own", "'base.banker'"),
        # A group in an option would never be played, so that the rule would hold for nobody.
        (layout("option_rule = { at_most = 1, options = [['base']] }"), "layout own", "'base'"),
        (layout("option_rule = { at_most = 0, options = [['base.tie']] }"), "layout own", "at_most"),
        (layout("option_rule = { at_most = 2, options = [['base.tie']] }"), "layout own", "at_most"),
        (layout("option_rule = { at_mst = 2, options = [] }"), "layout own.option_rule.at_mst", "'at_most'"),
        (layout() + layout(), "layout own", "twice"),
        ("[document.own]\ntitle = 'Own'\ndecks = [9]", "document.own", "decks must list numbers from 1 to 8"),
        ("[document.own]\ntitle = 'Own'\ndecks = []", "document.own", "decks must list numbers from 1 to 8"),
        ("[document.own]\ndecks = [8]", "document.own.title", "is missing"),
        ("[group]\nown = 'Own'", "group.own", "expected a table of keys"),
        ("[group.own]\nen = 'Own'\nzh_hants = 'x'", "group.own.zh_hants", "did you mean 'zh_hant'?"),
        ("[[wagers]]\nid = 'x'", "wagers", "did you mean 'wager'?"),
        ("[wager]\nid = 'x'", "wager", "expected a list"),
        ("wager", "", "is not valid TOML"),
        ("x = " + "[" * 5000, "", "is not valid TOML"),
    ],
)
def test_anything_else_that_cannot_be_used(text: str, place: str, reason: str) -> None:
    assert_refused(text, place, reason)


# --- Refused, several mistakes at once. ------------------------------------------------------------------------------


def test_mistakes_in_all_sections_are_reported_at_once() -> None:
    error = refusal(
        "[document.own]\ntitle = 'Own'\ndecks = [9]\n"
        + wager("nowhere.one", more='document = "x"\ndecks = [0]')
        + wager("pairs.two", rows=f'{TIE}, {{ when = {{ wind = 1 }}, pays = "1:1" }}, {TIE}')
        + base_game(f'"base.tie" = [{TIE}]', more='commission = "5"')
        + layout(offers='"x"', document="y")
    )
    assert [problem.place for problem in error.problems] == [
        "document.own",
        "wager nowhere.one",
        "wager nowhere.one",
        "wager nowhere.one",
        "wager pairs.two, row 2",
        "wager pairs.two, row 3",
        "base_game own",
        "base_game own",
        "layout own",
        "layout own",
    ]


def test_a_row_with_a_wrong_key_does_not_hide_the_mistakes_of_the_other_rows() -> None:
    error = refusal(wager(rows=f'{{ wen = {{}}, pays = "1:1" }}, {{ when = {{ wind = 1 }}, pays = "1:1" }}, {TIE}'))
    places = [problem.place for problem in error.problems]
    assert "wager pairs.own, row 1.wen" in places
    assert "wager pairs.own, row 2" in places


def test_the_condition_and_the_price_of_one_row_are_both_reported() -> None:
    message = str(refusal(wager(rows='{ when = { wind = 1, player_total = 10 }, pays = "8" }')))
    assert "unknown word 'wind'" in message
    assert "player_total cannot be 10" in message
    assert "must be a ratio" in message


def test_everything_wrong_with_a_layout_is_reported() -> None:
    message = str(
        refusal(layout("pay_tables = { lucky_8 = 'L9', five_dragons = 'C' }", '"wind", "rain"', document="x"))
    )
    for part in ("'x'", "'wind'", "'rain'", "'L9'", "'C'"):
        assert part in message


def test_a_row_shared_by_several_pay_tables_is_one_mistake() -> None:
    bad = '{ when = { wind = 1 }, pays = { A = "1:1", B = "2:1", C = "3:1" } }'
    assert len(refusal(wager(rows=bad)).problems) == 1


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "our_wagers.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadFileError, match="cannot be read") as caught:
        catalogue_with([file])
    assert caught.value.file == str(file)


def test_a_refused_file_leaves_the_built_in_catalogue_as_it_was() -> None:
    before = {name: dict(wager.pay_tables) for name, wager in built_in_catalogue().wagers.items()}
    refusal(wager("base.tie", rows='{ when = { winner = "tie" }, pays = "9" }'))
    assert {name: wager.pay_tables for name, wager in built_in_catalogue().wagers.items()} == before
