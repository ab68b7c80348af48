"""A shoe from the emulator through the daemon and Mosquitto to the page: whatever the page shows is the truth."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from firmware_protocol.cards import Card
from shoe_controller.baccarat.facts import Facts
from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.roads import RoadResult, Roads, RoadWinner, roads
from shoe_controller.baccarat.wagers import Catalogue
from shoe_controller.config.table_file import load_config
from simulator.dealer import HUMAN
from simulator.truth import RoundEnded
from tests.board.room import BoardPage, Room, Seen
from tests.daemon.clients import Display
from tests.daemon.parties import takes_wagers
from tests.daemon.programs import PATIENCE
from tests.daemon.retained_messages import deal_of

RECORDER = (Path(__file__).parent / "recorder.js").read_text(encoding="utf-8")

CUT_CARD = 190
"""Cards behind it, of 312: the shoe ends after some twenty rounds."""

SPEED = 50.0
"""So slow that each card is seen, on a machine that does other things too."""

MOST_ROUNDS = 100

BY_DEALER = {"bets_close": "dealer"}
"""The gate stays locked until the dealer says "no more bets", so that each result is seen however fast cards come."""


@pytest.mark.asyncio(loop_scope="session")
async def test_whatever_a_board_shows_of_a_shoe_is_the_truth(browser: Browser, tmp_path: Path) -> None:
    async with Room(tmp_path, browser, seed=20, decks=6, procedure=BY_DEALER) as room:
        page = await room.page()
        await page.until(lambda seen: seen.live, what="the board to be live")
        await page.page.evaluate(RECORDER)
        # This dealer begins no round before the gate was locked after the one before, however long that takes.
        async with room.chain.emulated_shoe(cut_card=CUT_CARD, speed=SPEED, pace=HUMAN) as shoe:
            await _deal_when_the_board_has_it(room, page)
            await shoe.until(lambda: shoe.emulation.dealer.finished, within=PATIENCE)
        ended = [happening for happening in room.chain.truth if isinstance(happening, RoundEnded)]
        assert len(ended) > 15
        await page.until(lambda seen: "finished" in seen.band_next, what="the end of the shoe")
        await page.until(lambda seen: sum(_winners(seen.counts)) == len(ended), what="the last round")
        noted = await page.page.evaluate("() => window.noted")
        config = load_config(tmp_path / "table.toml")
        assert page.complaints == []
    _hands_are_true(ended, noted["hands"])
    _results_are_true(ended, noted["results"], config.house, config.catalogue)
    _roads_are_true(ended, noted["roads"])


async def _deal_when_the_board_has_it(room: Room, page: BoardPage) -> None:
    """Say "no more bets" whenever the board shows how the round before ended, until the shoe is over."""
    display = await room.chain.display()
    dealer = await room.chain.terminal(display)
    for number in range(1, MOST_ROUNDS):
        await display.until(partial(_is_ready_for, display, number), what=f"round {number}")
        if display.phase == "ended":
            return
        await page.until(partial(_shows_round, number), what=f"the board to show round {number}")
        assert (await dealer.act("no_more_bets")).status == "ok"


def _is_ready_for(display: Display, number: int) -> bool:
    return display.phase == "ended" or (takes_wagers(display.state) and _round_of(display) == number)


def _shows_round(number: int, seen: Seen) -> bool:
    return seen.round == str(number) and (number == 1 or seen.band_round == f"Round {number - 1}")


def _round_of(display: Display) -> int:
    return 0 if display.state is None else display.state.round


def _winners(counts: dict[str, int]) -> list[int]:
    return [counts.get(name, 0) for name in ("banker", "player", "tie")]


def _hands_are_true(ended: list[RoundEnded], hands: list[dict[str, Any]]) -> None:
    """Every picture of the hands is one of the rounds while it was dealt, with its totals, in order."""
    at = 0
    pictures = [picture for picture in hands if picture["player"]]
    for picture in pictures:
        while not _is_beginning_of(picture, ended[at]):
            at += 1
            assert at < len(ended), f"no round looked like {picture}"
        for side, total in zip(("player", "banker"), picture["totals"], strict=True):
            points = sum(Card(card).points for card in picture[side]) % 10
            assert total == (str(points) if picture[side] else "")
    most = {len(picture["player"]) + len(picture["banker"]) for picture in pictures}
    assert most >= {1, 2, 3, 4, 5, 6}, "each card was seen as it fell"


def _is_beginning_of(picture: dict[str, Any], ended: RoundEnded) -> bool:
    return all(
        picture[side] == [str(card) for card in getattr(ended, side)][: len(picture[side])]
        for side in ("player", "banker")
    )


def _results_are_true(
    ended: list[RoundEnded], results: list[dict[str, Any]], house: House, catalogue: Catalogue
) -> None:
    """Each round had its moment: cards, totals, winner, and every side wager that won with its price."""
    last_of_round = {result["round"]: result for result in results}
    assert list(last_of_round) == [f"Round {number}" for number in range(1, len(ended) + 1)]
    for true, said in zip(ended, last_of_round.values(), strict=True):
        facts = deal_of(true)
        assert said["player"] == [str(card) for card in true.player]
        assert said["banker"] == [str(card) for card in true.banker]
        assert said["totals"] == [str(facts.player_total), str(facts.banker_total)]
        assert said["band"] == {"player": "Player wins", "banker": "Banker wins", "tie": "Tie"}[facts.winner.value]
        assert said["kind"] == f"result winner-{facts.winner.value}"
        assert said["wagers"] == [
            [catalogue.wagers[wager].names.en, outcome.odds]
            for wager, outcome in house.schedule.results[facts].items()
            if outcome.pays and wager in house.offered and not wager.startswith("base.")
        ]


def _roads_are_true(ended: list[RoundEnded], noted: dict[str, Any]) -> None:
    """After each round: the counts, and of every road each cell that is in sight, with its letter and its marks."""
    results = [_result(deal_of(happening)) for happening in ended]
    assert [int(number) for number in noted] == list(range(1, len(ended) + 1))
    for number, said in noted.items():
        so_far = results[: int(number)]
        true = roads(so_far)
        assert said["counts"] == {
            "banker": sum(result.winner is RoadWinner.BANKER for result in so_far),
            "player": sum(result.winner is RoadWinner.PLAYER for result in so_far),
            "tie": sum(result.winner is RoadWinner.TIE for result in so_far),
            "banker_pair": sum(result.banker_pair for result in so_far),
            "player_pair": sum(result.player_pair for result in so_far),
            "natural": sum(result.natural for result in so_far),
        }
        for name, drawn in said["roads"].items():
            assert drawn["cells"] == _cells(true, name, drawn["first"]), f"{name} after round {number}"


def _result(facts: Facts) -> RoadResult:
    return RoadResult(
        winner=RoadWinner[facts.winner.name],
        banker_pair=facts.banker_pair,
        player_pair=facts.player_pair,
        natural=facts.player_natural or facts.banker_natural,
    )


def _cells(true: Roads, name: str, first: int) -> list[dict[str, str]]:
    cells = []
    for cell in getattr(true, name).cells:
        if cell.column < first:
            continue
        drawn = {"column": str(cell.column), "row": str(cell.row), "text": ""}
        if name in ("bead_plate", "big_road"):
            winner = "" if cell.winner is None else cell.winner.value
            marks = [mark for mark in ("banker_pair", "player_pair", "natural") if getattr(cell, mark)]
            drawn |= {"winner": winner, "marks": " ".join(marks), "text": winner}
        else:
            drawn["colour"] = cell.colour.value
        if name == "big_road":
            drawn["ties"] = str(cell.ties)
            drawn["text"] += str(cell.ties) if cell.ties > 1 else ""
        cells.append(drawn)
    return cells
