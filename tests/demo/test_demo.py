"""The demonstration as a person sees it: it runs, it ends, it reports what is true, and it leaves nothing behind."""

import os
import re
import signal

import pytest

from shoe_controller.cli import main
from shoe_controller.demo.faults import faults_on
from shoe_controller.demo.irregularities import irregularities_at
from tests.demo.watched_demo import YES, Folder, WatchedDemo

LONG = 1200.0
"""Seconds for everything that can go wrong, one thing after another."""


def check_pictures(demo: WatchedDemo, columns: int, rows: int) -> None:
    pictures = demo.pictures
    assert pictures
    for picture in pictures:
        assert len(picture) <= rows, picture
        assert max(map(len, picture)) <= columns, picture


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("columns", "rows", "options"),
    [
        (80, 24, ("--wire", "native", "--broker", "emulated", "--pages", "1")),
        (200, 50, ("--wire", "angel_eye", "--game", "commission", "--no-pages")),
        (80, 24, ("--tables", "2", "--game", "no_commission", "--rounds", "1", "--pages", "0")),
    ],
)
async def test_so_many_rounds_in_a_terminal(folder: Folder, columns: int, rows: int, options: tuple[str, ...]) -> None:
    demo = folder.demo("--rounds", "2", "--speed", "40", *options)
    await demo.start(columns, rows)
    assert await demo.ended() == 0, demo.text
    assert YES in demo.report
    tables = 2 if "--tables" in options else 1
    settled = re.search(r"(\d+) rounds settled, 0 void", demo.report)
    assert settled, demo.report
    assert int(settled[1]) >= 2
    check_pictures(demo, columns, rows)
    last = "\n".join(demo.pictures[-1])
    assert "big road" in last
    assert "what happened" in last
    has_pages = options[-2:] == ("--pages", "1")
    assert bool(re.search(r" pit view http://127\.0\.0\.1:\d+/pit ", last)) is has_pages
    assert bool(re.search(r" console http://\S+/ dealer maya \d{6}, supervisor rana \d{6} ", last)) is has_pages
    assert bool(re.search(r" edges 127\.0\.0\.1:\d+ tara \d{12} ", last)) is has_pages
    assert ("http://" in demo.report) is has_pages
    if tables == 1:
        assert "exact odds" in last
        assert "settled by seat" in demo.text
    assert folder.is_clean()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("wire", "faults", "of_people"),
    [
        ("native", ("misread", "bytes_lost", "jam", "reboot"), ("wager_at_wrong_seat", "dispute")),
        ("angel_eye", ("undisclosed", "double_feed", "forged_frame"), ("new_dealer", "card_unseen")),
        ("lines", ("misread", "read_again"), ("replay_with_other_wagers",)),
    ],
)
async def test_faults_are_caught_named_and_cleared(
    folder: Folder, wire: str, faults: tuple[str, ...], of_people: tuple[str, ...]
) -> None:
    chosen = ",".join((*faults, *of_people))
    demo = folder.demo("--wire", wire, "--faults", chosen, "--speed", "40", "--no-pages")
    await demo.start(80)
    assert await demo.ended() == 0, demo.text
    check_report(demo, faults, of_people)
    for fault in faults:
        told = line_about(demo, fault)
        assert "ended by" in told or "mended" in told
    if wire == "native":
        assert "rana and bimal move_wager" in line_about(demo, "wager_at_wrong_seat")
        assert "rana and bimal adjust" in line_about(demo, "dispute")
    elif wire == "lines":
        assert "rana void_and_replay" in line_about(demo, "replay_with_other_wagers")
    else:
        assert "gita sign_in" in line_about(demo, "new_dealer")
        assert "rana enter_card" in line_about(demo, "card_unseen")
    assert folder.is_clean()


def check_report(demo: WatchedDemo, faults: tuple[str, ...], of_people: tuple[str, ...]) -> None:
    """Everything happened, was caught or put right, and is over."""
    assert YES in demo.report
    assert f"{len(faults)} of {len(faults)} happened, {len(faults)} caught" in demo.report
    everything = f"{len(of_people)} of {len(of_people)} irregularities happened, {len(of_people)} put right"
    assert everything in demo.report
    for name in of_people:
        assert line_about(demo, name).endswith("; put right"), demo.report
    assert "not over yet" not in demo.report


def line_about(demo: WatchedDemo, name: str) -> str:
    return next(line for line in demo.report.splitlines() if line.strip().startswith(f"{name}: "))


@pytest.mark.skipif(not os.environ.get("LONG_TESTS"), reason="takes minutes; LONG_TESTS=1 runs it")
@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("wire", "game"),
    [("native", "nepal"), ("angel_eye", "commission"), ("native", "no_commission"), ("lines", "commission")],
)
async def test_everything_that_can_go_wrong(folder: Folder, wire: str, game: str) -> None:
    demo = folder.demo("--wire", wire, "--game", game, "--faults", "--speed", "20", "--no-pages")
    await demo.start()
    assert await demo.ended(within=LONG) == 0, demo.text
    check_report(demo, faults_on(wire), irregularities_at(wire, game))
    assert folder.is_clean()


@pytest.mark.asyncio
@pytest.mark.parametrize(("number", "pages"), [(signal.SIGINT, "1"), (signal.SIGHUP, "0")])
async def test_ended_in_the_middle(folder: Folder, number: signal.Signals, pages: str) -> None:
    demo = folder.demo("--speed", "40", "--broker", "emulated", "--pages", pages)
    await demo.start(80)
    await demo.shows("Player’s second card")
    demo.signal(number)
    assert await demo.ended() == 0, demo.text
    assert YES in demo.report
    assert folder.is_clean()


@pytest.mark.asyncio
@pytest.mark.parametrize("columns", [80, None])
async def test_nobody_looks_any_more(folder: Folder, columns: int | None) -> None:
    demo = folder.demo("--speed", "40", "--no-pages")
    await demo.start(columns)
    await demo.shows("is opened")
    demo.look_away()
    assert await demo.ended() == 0
    assert folder.is_clean()


@pytest.mark.asyncio
@pytest.mark.parametrize("after", ["Starting the broker", "Starting a table", "Starting the pages"])
async def test_ended_before_it_began(folder: Folder, after: str) -> None:
    demo = folder.demo()
    await demo.start(80)
    await demo.shows(after)
    demo.signal(signal.SIGTERM)
    assert await demo.ended() == 0, demo.text
    assert folder.is_clean()


@pytest.mark.asyncio
async def test_plain_lines_where_there_is_no_terminal(folder: Folder) -> None:
    demo = folder.demo("--rounds", "1", "--speed", "50", "--no-pages")
    await demo.start()
    assert await demo.ended() == 0, demo.text
    assert "\x1b" not in demo.report
    assert re.search(r"^ +\d+\.\d\d  Player \S+  Player’s first card$", demo.report, re.MULTILINE)
    assert YES in demo.report
    assert folder.is_clean()


@pytest.mark.asyncio
@pytest.mark.parametrize(("command", "name"), [("run", "the controller of table-1"), ("board", "the board")])
async def test_a_program_that_dies_is_named(folder: Folder, command: str, name: str) -> None:
    demo = folder.demo("--speed", "10")
    await demo.start()
    await demo.shows("is opened")
    os.kill(demo.pid_of("shoe_controller.cli", command), signal.SIGKILL)
    assert await demo.ended() == 1
    assert f"{name} exited by itself" in demo.text
    assert folder.is_clean()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--speed", "fast"), "must be a number from 0.1 to 100"),
        (("--speed", "1e9"), "must be a number from 0.1 to 100"),
        (("--speed", "nan"), "must be a number from 0.1 to 100"),
        (("--tables", "0"), "1 or more"),
        (("--tables", "99"), "from 1 to 16"),
        (("--rounds", "-1"), "1 or more"),
        (("--seed", "x"), "whole number"),
        (("--wire", "telegraph"), "invalid choice"),
        (("--game", "poker"), "invalid choice"),
        (("--pages", "some"), "invalid choice"),
        (("--faults", "misreed"), "misread"),
        (
            ("--faults", "xyzzy"),
            "there is no fault or alert 'xyzzy'; `shoe-controller demo --help` lists what there is",
        ),
        (("--faults", "lid_opened", "--wire", "angel_eye"), "cannot express lid_opened"),
        (("--faults", "late_wager", "--wire", "angel_eye"), "cannot express late_wager"),
        (("--faults", "forged_frame", "--wire", "lines"), "the lines wire shows nothing of forged_frame"),
        (("--faults", "late_wager", "--wire", "lines"), "cannot express late_wager"),
        (("--faults", "commission_collected"), "needs the game commission"),
    ],
)
def test_nonsense_is_refused_before_anything_starts(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], says: str
) -> None:
    try:
        code = main(["demo", *options])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    written = capsys.readouterr()
    assert says in written.err
    assert not written.out
