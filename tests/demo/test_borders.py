"""What the demonstration knows of the emulator fits the emulator, and it knows it from no import."""

import pytest

from shoe_controller.demo.fault_script import FAULT_PANEL
from shoe_controller.demo.faults import FAULTS, LOSES_CARDS, faults_on
from shoe_controller.demo.shoe_program import DEALER_KEY
from shoe_controller.demo.supervisor import AtTheShoe
from shoe_controller.messages.facts import AnyFact
from shoe_controller.table.alerts import ALERTS
from simulator.console_view import FAULT_KEYS, HELP
from simulator.faults import FAULTS as EMULATED
from simulator.faults import Undetectable
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


@pytest.mark.parametrize("wire", Wire)
def test_each_wire_shows_the_faults_it_can_tell_of(wire: Wire) -> None:
    assert set(faults_on(wire.value)) == {
        name for name, kind in EMULATED.items() if not isinstance(kind.on(wire), Undetectable)
    }
    assert set(faults_on(wire.value)) >= LOSES_CARDS[wire.value]


def test_what_faults_are_caught_by_is_what_the_table_can_say() -> None:
    said = {*ALERTS, *(fact.__struct_config__.tag for fact in AnyFact.__args__)}
    for fault in FAULTS.values():
        assert fault.caught_by <= said, fault


def test_the_emulators_console_has_the_keys_that_are_pressed() -> None:
    help_of = {key: words for keys, words in HELP for key in keys.split(", ")}
    assert "force" in help_of[AtTheShoe.END_ROUND_BY_FORCE.value]
    assert "dealer" in help_of[{" ": "space"}[DEALER_KEY]]
    assert "fault" in help_of[FAULT_PANEL]
