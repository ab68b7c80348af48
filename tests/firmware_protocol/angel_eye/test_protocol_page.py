"""PROTOCOL.md against the code: its examples are what the link reads and what the shoe sends."""

from pathlib import Path

import firmware_protocol.angel_eye
from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.messages import encode_event
from firmware_protocol.angel_eye.telegrams import encode_telegram
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    IndicatedWinner,
    ResultIndicated,
    Standby,
    Started,
)
from firmware_protocol.link import Delivery
from firmware_protocol.pace import CARD_TAKES, MOST_AHEAD

PAGE = Path(firmware_protocol.angel_eye.__file__).with_name("PROTOCOL.md")

MEANINGS: dict[str, AnyShoeEvent] = {
    "start-up": Started(),
    "drawn: Player 1, not disclosed": CardDrawn(hand=Hand.PLAYER, position=1),
    "identity: Player 1 = 2 of spades": CardIdentified(hand=Hand.PLAYER, position=1, card=Card.TWO_OF_SPADES),
    "Banker wins, Banker pair": ResultIndicated(winner=IndicatedWinner.BANKER, banker_pair=True),
    "standby": Standby(),
    "over-draw, not in error mode": Fault(code=FaultCode.OVER_DRAW, detail=2),
    "over-draw cleared": FaultCleared(code=FaultCode.OVER_DRAW, detail=2),
}


def examples() -> dict[str, bytes]:
    section = PAGE.read_text().split("### Examples\n")[1].split("\n#")[0]
    rows = [line.strip("|").split("|") for line in section.strip().splitlines()[2:]]
    return {meaning.strip(): bytes.fromhex(raw.strip(" `")) for raw, meaning in rows}


def test_the_page_has_the_seven_examples() -> None:
    assert set(examples()) == set(MEANINGS)


def test_each_example_reads_as_the_page_says() -> None:
    for meaning, raw in examples().items():
        link = AngelEyeController()
        link.connected(0)
        delivered = [item.event for item in link.receive(raw, 0) if isinstance(item, Delivery)]
        assert delivered == [MEANINGS[meaning]], meaning


def test_each_example_is_what_a_shoe_sends_for_it() -> None:
    for meaning, raw in examples().items():
        assert encode_telegram(raw[1] - 0x30, encode_event(MEANINGS[meaning])) == raw, meaning


def test_the_numbers_about_cards_that_were_held_up() -> None:
    page = " ".join(PAGE.read_text().split())
    assert f"takes `card_takes` ({CARD_TAKES:g} s) for each card at the least" in page
    assert f"cards that come more than {int(MOST_AHEAD)} ahead of that" in page
