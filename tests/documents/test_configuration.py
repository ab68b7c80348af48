"""Every piece of configuration in the documents is good, as it is or in the file that it is meant for."""

import re
from pathlib import Path

import pytest

from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.config.pins import check_pin
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import for_running, load_board, load_config, load_console
from shoe_controller.house.catalogue_files import built_in_catalogue, extend
from tests.daemon.house_file import write_secret
from tests.documents.snippets import INDENTED, Snippet, snippets_of, text_of
from tests.table_files import CERTIFICATE

HOUSE = "docs/house.md"
PROTOCOL = "firmware_protocol/native/PROTOCOL.md"
CATALOGUE = "docs/catalogue.md"


def pieces(document: str, language: str = "toml") -> list[Snippet]:
    return [snippet for snippet in snippets_of(document) if snippet.language == language]


OF_THE_HOUSE = pieces(HOUSE)
(OWN_WAGERS,) = [piece.text for piece in OF_THE_HOUSE if "[[wager]]" in piece.text]
WHOLE = [piece for piece in OF_THE_HOUSE if "[house]" in piece.text]
(PEOPLE,) = [piece for piece in OF_THE_HOUSE if "[[people]]" in piece.text]


def written(folder: Path, text: str) -> Path:
    (folder / "our_wagers.toml").write_text(OWN_WAGERS, encoding="utf-8")
    for secret in ("board.password", "console.password"):
        write_secret(folder / secret, "secret\n")
    write_secret(folder / "shoe.key", f"{'ab' * 32}\n")
    (folder / "ca.pem").write_text(CERTIFICATE, encoding="utf-8")
    return write_secret(folder / "table.toml", text)


def test_every_piece_of_the_manual_is_looked_at() -> None:
    assert {piece.text for piece in OF_THE_HOUSE} == {OWN_WAGERS, PEOPLE.text, *(piece.text for piece in WHOLE)}


@pytest.mark.parametrize("piece", WHOLE, ids=str)
def test_a_house(piece: Snippet, tmp_path: Path) -> None:
    load_config(written(tmp_path, piece.text))


def test_its_people(tmp_path: Path) -> None:
    (person,) = load_config(written(tmp_path, f"{WHOLE[0].text}\n{PEOPLE.text}")).people
    assert person.name == "Bikash Thapa"


def test_its_own_wager_with_the_limits_and_the_edge_that_it_says(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, next(piece.text for piece in WHOLE if "our_wagers.toml" in piece.text)))
    limits = config.house.limits["club.high_tie"]
    assert (limits.min, limits.max) == (500, 20_000)
    schedule = extend(built_in_catalogue(), [("our_wagers.toml", OWN_WAGERS)]).schedule("commission")
    edge = float(exact_odds(schedule, "club.high_tie", 8).house_edge) * 100
    assert f"the house edge is {edge:.2f} %" in text_of(HOUSE)


def test_the_choice_of_a_pay_table_is_another_than_the_layouts(tmp_path: Path) -> None:
    text = next(piece.text for piece in WHOLE if "pay_tables" in piece.text)
    chosen = load_config(written(tmp_path, text)).house
    usual = load_config(written(tmp_path, text.replace("pay_tables", "# pay_tables"))).house
    changed = {name for name in chosen.offered if chosen.schedule.pay_tables[name] != usual.schedule.pay_tables[name]}
    assert changed == {"lucky_8.player", "lucky_8.banker"}


def test_what_the_guard_is_told_to_allow_it_would_refuse(tmp_path: Path) -> None:
    text = next(piece.text for piece in WHOLE if "allow_player_edge" in piece.text)
    with pytest.raises(BadFileError, match=r"base\.banker .* gives the player an edge of 1\.24%"):
        load_config(written(tmp_path, text.replace("allow_player_edge", "# allow_player_edge")))


def test_the_board(tmp_path: Path) -> None:
    (piece,) = pieces("docs/board.md")
    assert load_board(written(tmp_path, piece.text))


def test_the_console(tmp_path: Path) -> None:
    (piece,) = pieces("docs/console.md")
    others = '[table]\nsite = "north"\nname = "t1"\n[mqtt]\nhost = "127.0.0.1"\n'
    assert load_console(written(tmp_path, others + piece.text))


def test_the_table_at_which_a_shoe_is_tried_can_run(tmp_path: Path) -> None:
    (piece,) = pieces(PROTOCOL)
    assert for_running(load_config(written(tmp_path, piece.text))).shoe_key is not None
    pin = re.search(r"with the PIN (\d+)", text_of(PROTOCOL))
    assert pin is not None
    (hashed,) = re.findall(r'^pin = "(.+)"', piece.text, re.MULTILINE)
    assert check_pin(pin[1], hashed), "the person of the page can sign in"


def test_what_the_catalogue_puts_into_a_tables_file(tmp_path: Path) -> None:
    named, chosen = pieces(CATALOGUE, INDENTED)
    either = next(piece.text for piece in pieces(CATALOGUE) if "pairs.either" in piece.text)
    house = 'base_game = "nepal"\ndecks = 8\nlayout = "nepal_super_baccarat"\nseats = ["1"]\noffer = ["pairs.either"]\n'
    text = f"[house]\n{named.text}\n{house}\n{chosen.text}\n[house.limits]\nall = {{ min = 1, max = 100 }}\n"
    file = written(tmp_path, text)
    (tmp_path / "our_wagers.toml").write_text(either, encoding="utf-8")
    # Three rows, as the document says of this pay table, and not two.
    assert len(load_config(file).house.schedule.pay_tables["pairs.either"]) == 3
