"""The picture fits terminals of every size, and says what matters on those that are usual."""

import msgspec
import pytest
from rich.console import Console

from firmware_protocol.cards import Card
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.roads import RoadResult, RoadWinner, roads
from shoe_controller.demo.display import TableWatch, TimedLine
from shoe_controller.demo.event_lines import StyledText, face, in_letters
from shoe_controller.demo.picture import DemoView, Odds, picture
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.retained import Counts, RoadsMessage, StateMessage
from shoe_controller.messages.topics import Topics
from tests.demo.test_people import table_with

PIT = "pit view http://127.0.0.1:65535/pit"
CONSOLE = "console http://127.0.0.1:65535/ dealer maya 123456, supervisor rana 654321"


EDGES = "edges http://127.0.0.1:65535 tara 123456123456"


def view(tables: int, rounds: int) -> DemoView:
    results = [RoadResult(winner=list(RoadWinner)[number % 7 % 3]) for number in range(rounds)]
    lines: list[tuple[str, TimedLine]] = []
    watches = []
    for number in range(tables):
        watch = TableWatch(Topics("demo", f"table-{number + 1}"), lambda line: lines.append(("table-1", line)))
        if rounds:
            watch.table.state = StateMessage(
                journal="j1", round_id="j1-1-1", **msgspec.structs.asdict(table_with(AlertKind.MISREAD, Phase.DEALING))
            )
            counts = Counts(rounds=rounds, banker=1, player=2, tie=3, banker_pair=0, player_pair=0, natural=0)
            watch.table.roads = RoadsMessage(journal="j1", seq=1, shoe=1, counts=counts, roads=roads(results))
            watch.head = f"812:{'ab' * 32}"
            watch.latencies.add(4.2)
            for happened in range(100):
                watch.say(
                    StyledText(f"something happened, {happened} times already, and it is quite a long story"), happened
                )
        watches.append(watch)
    odds = [Odds(f"Wager {number}", "20:1/12:1", 0.0123, 0.45) for number in range(6)]
    return DemoView(
        about="native wire, nepal",
        broker="Mosquitto, port 1883",
        watches=watches,
        lines=lines,
        odds=odds,
        faults="faults 1/31",
        ending="",
        alarm="",
        pit=PIT,
        edges=EDGES,
        console=CONSOLE,
    )


@pytest.mark.parametrize("tables", [1, 2, 16])
@pytest.mark.parametrize("rounds", [0, 1, 90])
def test_it_fits_every_terminal(tables: int, rounds: int) -> None:
    shown = view(tables, rounds)
    for width in (1, 9, 40, 79, 80, 99, 100, 133, 240):
        for height in (1, 2, 10, 23, 24, 25, 70):
            lines = picture(shown, width, height)
            assert len(lines) == height
            assert max(line.cell_len for line in lines) <= width


def test_on_80_by_24_everything_is_there() -> None:
    text = "\n".join(line.plain for line in picture(view(1, 12), 80, 24))
    for words in (
        "misread: A card left the shoe and could not be read.",
        "Player   9♥",
        "Banker   ??",
        "exact odds",
        "1.2300%",
        "big road: B1 P2 T3",
        "99 times already",
        "latency 4 ms",
        "journal 812:abababab",
        "faults 1/31",
        "Mosquitto, port 1883",
        "Ctrl-C ends",
    ):
        assert words in text, text


@pytest.mark.parametrize("tables", [1, 3, 16])
def test_where_to_listen_is_on_the_screen(tables: int) -> None:
    text = "\n".join(line.plain for line in picture(view(tables, 12), 80, 24))
    assert "Mosquitto, port 1883" in text


@pytest.mark.parametrize("tables", [1, 2])
@pytest.mark.parametrize("width", [40, 70, 80, 133])
def test_addresses_and_pins_are_whole_or_not_there(tables: int, width: int) -> None:
    text = "\n".join(line.plain for line in picture(view(tables, 12), width, 24))
    edges = EDGES if tables == 2 or width > 90 else EDGES.replace("http://", "")
    for words, part in ((PIT, "/pit"), (CONSOLE, "maya"), (edges, "edges")):
        assert (f" {words} " in text) is (part in text), text
    if width >= 80:
        assert PIT in text
        assert edges in text
        assert CONSOLE in text


@pytest.mark.parametrize("tables", [1, 3])
def test_a_seat_that_was_found_stays_on_the_screen(tables: int) -> None:
    alarm = "seat 6 after 2:41"
    shown = picture(view(tables, 12)._replace(alarm=alarm), 80, 24)
    assert shown[-1].plain.startswith(f" PIT ALARM: {alarm}")


def test_cards_can_be_shown_without_their_signs() -> None:
    for card in Card:
        shown = face(card)
        assert in_letters(shown).isascii()
        assert in_letters(shown).replace("10", "T") == card.value


def test_the_seats_do_not_make_the_odds_beside_them_bold() -> None:
    console = Console(width=120)
    shown = view(1, 1)
    watched = shown.watches[0].table
    assert watched.state is not None
    watched.state = msgspec.structs.replace(watched.state, wagers=(PlacedWager("1", "base.player", 100),))
    lines = [line for line in picture(shown, 120, 40) if "Wager" in line.plain]
    assert len(lines) == 6
    assert [bool(line.get_style_at_offset(console, line.plain.index("Wager")).bold) for line in lines] == [False] * 6
    assert lines[0].get_style_at_offset(console, 1).bold
