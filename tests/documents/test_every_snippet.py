"""Nothing in a document is left out: every block is run or read by a test, or stands here with the reason why not."""

import pytest

from tests.documents.running import ASKS, NOT_RUN, why_not_run
from tests.documents.snippets import INDENTED, ROOT, SHELL, Snippet, every_snippet

ALL = "tests/documents/test_commands.py"
FILES = "tests/documents/test_configuration.py"

TESTED_BY: dict[tuple[str, str], tuple[str, ...]] = {
    ("README.md", SHELL): (ALL,),
    ("docs/architecture.md", SHELL): (ALL,),
    ("docs/archive.md", SHELL): (ALL,),
    ("docs/archive.md", "sql"): ("tests/archive/test_document.py",),
    ("docs/archive_tables.md", "sql"): ("tests/archive/derived/test_queries.py",),
    ("docs/board.md", SHELL): (ALL, "tests/mqtt/test_documents.py"),
    ("docs/board.md", "toml"): (FILES,),
    ("docs/board.md", "acl"): ("tests/board/test_command.py",),
    ("docs/catalogue.md", SHELL): (ALL,),
    ("docs/catalogue.md", "toml"): ("tests/house/test_catalogue_document.py",),
    ("docs/catalogue.md", INDENTED): (FILES,),
    ("docs/conformance.md", SHELL): (ALL,),
    ("docs/console.md", SHELL): (ALL,),
    ("docs/console.md", "toml"): (FILES,),
    ("docs/console.md", "acl"): ("tests/console/test_process.py",),
    ("docs/demo.md", SHELL): (ALL, "tests/mqtt/test_documents.py"),
    ("docs/dependencies.md", SHELL): (ALL,),
    ("docs/emulator.md", SHELL): (ALL,),
    ("docs/emulator.md", "toml"): ("tests/simulator/test_document.py",),
    ("docs/emulator.md", INDENTED): ("tests/simulator/test_document.py",),
    ("docs/house.md", SHELL): (ALL,),
    ("docs/house.md", "toml"): (FILES,),
    ("docs/install.md", SHELL): (ALL,),
    ("docs/journal.md", "json"): ("tests/journal/test_document.py",),
    ("docs/journal.md", "python"): ("tests/journal/test_document.py",),
    ("docs/journal.md", "sql"): ("tests/tools/test_verify_journal.py",),
    ("docs/journal.md", "text"): ("tests/journal/test_document.py",),
    ("docs/mqtt.md", SHELL): (ALL, "tests/mqtt/test_documents.py"),
    ("docs/mqtt.md", "acl"): ("tests/mqtt/test_documents.py",),
    ("docs/mqtt.md", "json"): ("tests/mqtt/test_documents.py",),
    ("docs/mqtt.md", "python"): ("tests/mqtt/test_documents.py",),
    ("docs/mqtt.md", INDENTED): ("tests/mqtt/test_documents.py",),
    ("docs/operator.md", SHELL): (ALL,),
    ("docs/simulation.md", SHELL): (ALL,),
    ("docs/protection.md", SHELL): (ALL,),
    ("docs/security.md", SHELL): ("tests/documents/test_security.py",),
    ("docs/table.md", SHELL): (ALL,),
    ("docs/table.md", "mermaid"): ("tests/documents/test_table_documents.py",),
    ("docs/table.md", INDENTED): ("tests/documents/test_table_documents.py",),
    ("docs/witness.md", SHELL): (ALL,),
    ("firmware_protocol/c/README.md", "text"): ("tests/firmware_protocol/native/test_c_program.py",),
    ("firmware_protocol/lines/PROTOCOL.md", SHELL): (ALL,),
    ("firmware_protocol/lines/PROTOCOL.md", "json"): ("tests/firmware_protocol/lines/test_protocol_page.py",),
    ("firmware_protocol/native/PROTOCOL.md", SHELL): (ALL,),
    ("firmware_protocol/wireshark/README.md", SHELL): (ALL,),
    ("firmware_protocol/wireshark/README.md", "text"): ("tests/firmware_protocol/wireshark/test_dissector.py",),
    ("firmware_protocol/native/PROTOCOL.md", "toml"): (FILES,),
}
"""Which test runs or reads the blocks of a language in a document."""

FOR_THE_EYE = {
    ("docs/archive_tables.md", "archive.journal ──<"): "a picture",
    ("docs/architecture.md", "shoe ──bytes──▶"): "a picture",
    ("docs/archive.md", "tables ──MQTT──▶"): "a picture",
    ("docs/archive.md", "sudo shoe-controller doctor"): "tests/archive/test_doctor.py does it; then it starts a unit",
    ("docs/archive.md", "shoe-controller archive archive.toml verify"): "tests/archive/test_journal_file.py does it",
    ("docs/architecture.md", "shoe_controller/transports/"): "tests/daemon/test_way_of_a_card.py reads it",
    ("CONTRIBUTING.md", "make test"): "the very command that runs this",
    ("CONTRIBUTING.md", "make lint"): "parts of make test, and examples of single tests",
    (
        "CONTRIBUTING.md",
        ".venv/bin/python -m tests.mqtt.renew_examples",
    ): "they write files of the checkout; tests compare these",
    (
        "docs/conformance.md",
        ">>> Draw",
    ): "a request as a person sees it; tests/conformance/test_program.py answers some",
    ("docs/conformance.md", "3.10   FAILED"): "a finding; tests/conformance/test_program.py brings it about",
    ("docs/demo.md", "board     http://"): "what the demonstration prints; tests/demo/test_pages.py reads it there",
    ("docs/install.md", "table inet shoe {"): "the rules of a firewall: loading them takes a machine of its own",
    ("docs/journal.md", "sudo shoe-controller journal begin"): "tests/daemon/test_missing_journal.py does it",
    ("docs/witness.md", "sudo systemctl enable"): "starts a unit; the trials of make test-deploy do",
    ("docs/witness.md", "shoe-controller journal verify"): "tests/witness/test_process.py does it",
    ("docs/witness.md", "9c1e"): "a line of its file, shortened; tests/witness/test_lines_file.py has whole ones",
    ("docs/witness.md", "Ab3dEf9h"): "dense lines, shortened; tests/witness/test_lines_file.py has whole ones",
    ("firmware_protocol/angel_eye/PROTOCOL.md", "ENQ number"): "a layout; the page's examples have it in bytes",
    ("firmware_protocol/angel_eye/PROTOCOL.md", 'STX "OP"'): "a layout; tests/firmware_protocol has it in bytes",
    (
        "firmware_protocol/c/README.md",
        "shoe-controller keys shoe",
    ): "runs until it is ended; tests/firmware_protocol/native/test_c_program.py runs the program",
    ("firmware_protocol/lines/PROTOCOL.md", "prefix id suffix"): "a layout; the page's examples have it",
    ("firmware_protocol/native/PROTOCOL.md", "frame on the wire"): "a layout; vectors.json has it in bytes",
    ("firmware_protocol/native/PROTOCOL.md", "encode(data):"): "an algorithm; vectors.json has its results",
    ("firmware_protocol/native/PROTOCOL.md", "controller   "): "a picture",
    ("firmware_protocol/native/PROTOCOL.md", "challenge   "): "formulas; vectors.json has their results",
    ("firmware_protocol/native/PROTOCOL.md", 'stateDiagram-v2\n    state "the shoe"'): "a picture",
    ("firmware_protocol/native/PROTOCOL.md", 'stateDiagram-v2\n    state "the controller"'): "a picture",
}
"""Blocks that nobody types, by how they begin."""


def reason(snippet: Snippet) -> str | None:
    text = snippet.text.lstrip()
    return next(
        (
            why
            for (document, start), why in FOR_THE_EYE.items()
            if snippet.document == document and text.startswith(start)
        ),
        None,
    )


@pytest.mark.parametrize("snippet", every_snippet(), ids=str)
def test_it_is_run_or_read(snippet: Snippet) -> None:
    tests = TESTED_BY.get((snippet.document, snippet.language), ())
    assert tests or reason(snippet), "let a test run this, or say in FOR_THE_EYE why nobody does"
    assert all((ROOT / test).exists() for test in tests)


def test_the_lists_have_nothing_that_is_gone() -> None:
    snippets = every_snippet()
    there = {(snippet.document, snippet.language) for snippet in snippets if not reason(snippet)}
    assert there == TESTED_BY.keys()
    assert len([snippet for snippet in snippets if reason(snippet)]) == len(FOR_THE_EYE)
    reasons = {why_not_run(line) for snippet in snippets if snippet.language == SHELL for line in snippet.lines}
    assert reasons - {None} == {*NOT_RUN.values(), *ASKS.values()}
