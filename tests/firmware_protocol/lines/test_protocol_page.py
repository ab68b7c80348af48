"""The examples of PROTOCOL.md are what the code makes of them."""

import re
from typing import get_args

from firmware_protocol.lines.cards_file import CUT, CardRow, CardsHeader, read_cards_file
from firmware_protocol.lines.controller import (
    AGAIN_AT_ONCE,
    CARDS_PER_SECOND,
    QUIET_AFTER,
    REPEAT_WITHIN,
    UNREAD_AT_ONCE,
)
from firmware_protocol.lines.pattern import MAX_ID, Checksum, Id, LinePattern
from firmware_protocol.lines.splitting import MAX_LINE
from firmware_protocol.pace import CARD_TAKES, MOST_AHEAD
from tests.documents.snippets import snippets_of, text_of

PAGE = "firmware_protocol/lines/PROTOCOL.md"


def test_the_example_of_a_cards_file() -> None:
    (example,) = [snippet.text for snippet in snippets_of(PAGE) if snippet.language == "json"]
    file = read_cards_file(example.encode(), "the page")
    assert file.header == CardsHeader(ids="pieces", decks=8, set="red")
    assert file.rows == (CardRow(id="04A1B2C3", card="AC", deck=1), CardRow(id="04FFFFFF", card=CUT))


def test_the_examples_of_lines() -> None:
    page = text_of(PAGE)
    for line, pattern, reader_id in (
        ("04A1B2C3", LinePattern(), "04A1B2C3"),
        ("$04A1B2C3*74", LinePattern(prefix="$", suffix="*", checksum="xor8"), "04A1B2C3"),
        ("0A00B1C2D3AA", LinePattern(checksum="hex_xor8"), "0A00B1C2D3"),
        ("12345678929B1", LinePattern(checksum="crc16"), "123456789"),
    ):
        assert pattern.read(line) == Id(reader_id)
        assert f"`{line}`" in page or "`123456789` has 29B1" in page


def test_the_numbers_and_the_checksums() -> None:
    page = text_of(PAGE)
    assert f"at most {MAX_LINE} bytes" in page
    assert f"1 to {MAX_ID} printable characters" in page
    assert f"`repeat_within` ({REPEAT_WITHIN:g} s)" in page
    assert f"broken off for {QUIET_AFTER:g} s" in page
    assert f"more than {UNREAD_AT_ONCE} lines at once" in page
    assert f"the first {UNREAD_AT_ONCE} are reported" in page
    assert f"{CARDS_PER_SECOND:g} more each second" in page
    assert f"more than {int(MOST_AHEAD)} ahead of one in each `card_takes` ({CARD_TAKES:g} s)" in page
    assert f"more than {AGAIN_AT_ONCE} repeats of faces at once" in page
    assert tuple(re.findall(r"^\| `(\w+)` \| \d \|", page, re.MULTILINE)) == get_args(Checksum)
