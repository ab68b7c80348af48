"""What the demonstration knows of the emulator fits the emulator, and it knows it from no import."""

from pathlib import Path

import pytest

from shoe_controller.config.table_file import load_config
from shoe_controller.demo.faults import FAULT_PANEL, FAULTS, LOSES_CARDS, NOT_SHOWN, faults_on
from shoe_controller.demo.folder import write_table
from shoe_controller.demo.irregular_scripts import SCRIPTS
from shoe_controller.demo.irregularities import IRREGULARITIES, irregularities_at
from shoe_controller.demo.settings import BROKERS, DECKS, GAMES, WIRES, DemoSettings
from shoe_controller.demo.shoe_program import DEALER_KEY
from shoe_controller.demo.supervisor import AtTheShoe
from shoe_controller.messages.acts import ActName
from shoe_controller.messages.facts import AnyFact
from shoe_controller.table.alerts import ALERTS
from simulator.console_view import FAULT_KEYS, HELP
from simulator.dealer import HUMAN
from simulator.faults import FAULTS as EMULATED
from simulator.faults import Undetectable
from simulator.reader_ids import EMULATED_PATTERN, cards_file
from simulator.shoe_line import Wire
from tests.test_layers import files_in, imports_of, is_within, package_of


def test_the_demo_starts_the_simulator_and_imports_only_what_reckons() -> None:
    files = files_in("shoe_controller/demo")
    assert files
    for file in files:
        of_simulator = [n for n in imports_of(file.read_text(), package_of(file)) if is_within(n, ["simulator"])]
        assert all(is_within(name, ["simulator.reckoner", "simulator.second_sum"]) for name in of_simulator), file


def test_faults_and_their_keys_are_those_of_the_emulator() -> None:
    assert {fault.key: name for name, fault in FAULTS.items()} == FAULT_KEYS


@pytest.mark.parametrize("wire", [Wire(name) for name in WIRES])
def test_each_wire_shows_the_faults_it_can_tell_of(wire: Wire) -> None:
    expressed = {name for name, kind in EMULATED.items() if not isinstance(kind.on(wire), Undetectable)}
    assert expressed >= NOT_SHOWN[wire.value]
    assert set(faults_on(wire.value)) == expressed - NOT_SHOWN[wire.value]
    assert set(faults_on(wire.value)) >= LOSES_CARDS[wire.value]


def test_the_table_reads_lines_as_the_emulated_reader_writes_them(tmp_path: Path) -> None:
    settings = DemoSettings("lines", GAMES[0], 10.0, 1, None, 7, (), BROKERS[0], pages=False)
    files = write_table(tmp_path, 1, settings, broker_port=1)
    assert files.cards is not None
    files.cards.write_bytes(cards_file(DECKS, "pieces"))
    shoe = load_config(files.config).shoe
    assert shoe is not None
    lines = shoe.lines
    assert lines is not None
    assert (lines.pattern, lines.cards_files) == (EMULATED_PATTERN, (files.cards,))
    assert lines.repeat_within < (1 - HUMAN.unevenness) * HUMAN.card / settings.speed, "no dealer is as quick"


def test_what_faults_are_caught_by_is_what_the_table_can_say() -> None:
    said = {*ALERTS, *(fact.__struct_config__.tag for fact in AnyFact.__args__)}
    for fault in FAULTS.values():
        assert fault.caught_by <= said, fault


def test_every_irregularity_has_a_script_and_what_shows_that_it_was_put_right() -> None:
    assert IRREGULARITIES.keys() == SCRIPTS.keys()
    assert IRREGULARITIES.keys().isdisjoint(FAULTS)
    said = {*ALERTS, *ActName, *(fact.__struct_config__.tag for fact in AnyFact.__args__)}
    for row in IRREGULARITIES.values():
        assert row.put_right_by, row
        assert row.put_right_by <= said, row
    assert {name for wire in WIRES for game in GAMES for name in irregularities_at(wire, game)} == set(IRREGULARITIES)


def test_the_emulators_console_has_the_keys_that_are_pressed() -> None:
    help_of = {key: words for keys, words in HELP for key in keys.split(", ")}
    words = {
        AtTheShoe.END_ROUND_BY_FORCE: "force",
        AtTheShoe.DRAW: "draw the next card",
        AtTheShoe.RESULT: "result button",
        AtTheShoe.BURN: "burn button",
        AtTheShoe.CALL_SUPERVISOR: "call supervisor",
        AtTheShoe.GATE_KEY: "gate's key",
        AtTheShoe.CABLE: "cable",
        AtTheShoe.NEW_CARDS: "new cards",
        AtTheShoe.NEW_SHOE_BUTTON: "new-shoe button",
        AtTheShoe.TAKE_OUT: "take all cards out",
        AtTheShoe.CLEAR_FAULTS: "clear the shoe's faults",
        AtTheShoe.RESTART: "restart the shoe",
    }
    for at_shoe, word in words.items():
        assert word in help_of[at_shoe.value]
    silence = FAULT_PANEL + FAULTS["silence"].key
    assert set(AtTheShoe) - set(words) == {AtTheShoe.DRAW_ON_SILENT_LINE}
    assert AtTheShoe.DRAW_ON_SILENT_LINE.value == silence + AtTheShoe.DRAW.value
    assert "dealer" in help_of[{" ": "space"}[DEALER_KEY]]
    assert "fault" in help_of[FAULT_PANEL]
