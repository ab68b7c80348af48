"""The table's file is changed and read again while a shoe is on the table; and again, and when that cannot be done."""

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.messages.causes import ProposalStruckOff
from shoe_controller.messages.facts import ActProposed, ProposalEnded, RoundVoided
from tests.daemon.clients import Display
from tests.daemon.harness import Chain
from tests.daemon.house_file import person
from tests.daemon.in_process import ClockThatIsSet, daemon_running
from tests.daemon.service_manager import ServiceManager
from tests.daemon.test_acts import at_the_table

OUR_WAGERS = """
[document.small]
title = "Small, house rules of the Riverside Club"
decks = [6, 8]

[group]
small = { en = "Small", zh_hant = "小", zh_hans = "小" }

[[wager]]
id = "small.small"
name = { en = "Small", zh_hant = "小", zh_hans = "小" }
document = "small"
rows = [{ when = { player_cards = 2, banker_cards = 2 }, pays = "3:2" }]

[[layout]]
id = "with_small"
name = { en = "With Small", zh_hant = "小", zh_hans = "小" }
document = "small"
offers = ["base", "pairs", "small"]
"""
GURUNG_PIN = "391746"


def offered(display: Display) -> set[str]:
    return set() if display.info is None else {wager.id for wager in display.info.rules.offered}


@pytest.mark.asyncio
async def test_a_wager_of_the_house_is_taken_out_in_mid_shoe(tmp_path: Path) -> None:
    (tmp_path / "our_wagers.toml").write_text(OUR_WAGERS, encoding="utf-8")
    async with Chain(tmp_path) as chain:
        without = chain.data["house"]
        chain.data["house"] = without | {"catalogue": ["our_wagers.toml"], "layout": "with_small"}
        chain.write_file()
        await chain.start_daemon()
        display = await chain.display()
        terminal = await chain.terminal(display)
        await display.until(lambda: "small.small" in offered(display), what="the wager of the house")
        assert (await terminal.act("open_shoe")).status == "ok"
        await display.until(lambda: display.state is not None and display.state.shoe == 1, what="the shoe")
        await display.is_up_to_date()

        chain.data["house"] = without
        chain.write_file()
        chain.daemon.signal(signal.SIGHUP)
        await display.until(lambda: display.info is not None and display.info.rules_pending, what="the reload")
        assert "small.small" in offered(display), "the rules of a shoe stay as they were when it was opened"
        assert await chain.stop_daemon() == 0
        await chain.start_daemon()
        await display.until(lambda: display.status is not None and display.status.online, what="the table")
        assert "small.small" in offered(display), "over a restart too"

        assert (await terminal.supervisor("open_shoe")).status == "ok"
        await display.until(lambda: display.state is not None and display.state.shoe == 2, what="the next shoe")
        await display.until(lambda: "small.small" not in offered(display), what="the new rules")
        assert display.info is not None
        assert not display.info.rules_pending


def without_rana(people: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in people if each["id"] != "rana"]


def rana_as_dealer(people: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each | {"role": "dealer"} if each["id"] == "rana" else each for each in people]


async def reloaded(chain: Chain) -> None:
    before = chain.times_logged("reloaded")
    chain.daemon.signal(signal.SIGHUP)
    await chain.becomes(lambda: chain.times_logged("reloaded") > before, what="the reload")


@pytest.mark.asyncio
async def test_what_a_supervisor_proposed_ends_when_the_house_strikes_that_person_off(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped", finished_round="two_supervisors") as table:
        chain = table.chain
        everyone = chain.data["people"]
        await table.draw(2)
        await table.ok("bet")
        await table.draw_a_round()
        await table.phase("complete")
        for count, (people, restarts) in enumerate(((without_rana, False), (rana_as_dealer, True)), 1):
            await table.supervisor("void_round", "rana")
            proposed = await table.told(ActProposed, count)
            chain.data["people"] = people(everyone)
            chain.write_file()
            if restarts:
                assert await chain.stop_daemon() == 0
                await chain.start_daemon()
            else:
                chain.daemon.signal(signal.SIGHUP)
            ended = await table.told(ProposalEnded, count)
            assert (ended.proposal, ended.cause) == (proposed.proposal, ProposalStruckOff())
            await table.terminal.is_connected()
            answer = await table.terminal.supervisor("approve", "shah", proposal=proposed.proposal)
            assert answer.code == "no_proposal"
            chain.data["people"] = everyone
            chain.write_file()
            await reloaded(chain)
        assert table.display.facts_of(RoundVoided) == []


MANY_WAGERS = OUR_WAGERS + "".join(
    f"""
[[wager]]
id = "small.small_{number}"
name = {{ en = "Small {number}", zh_hant = "小", zh_hans = "小" }}
document = "small"
rows = [{{ when = {{ player_cards = 2, banker_cards = 2, banker_total = {number % 10} }}, pays = "{number + 1}:2" }}]
"""
    for number in range(9)
)


@pytest.mark.asyncio
async def test_of_two_changes_in_quick_succession_the_newer_wins(tmp_path: Path) -> None:
    """The first one takes longer to judge: its catalogue has many wagers."""
    manager = ServiceManager(tmp_path)
    (tmp_path / "many.toml").write_text(MANY_WAGERS)
    try:
        async with Chain(tmp_path, environment={"NOTIFY_SOCKET": str(manager.path)}) as chain:
            await chain.start_daemon()
            display = await chain.display()
            terminal = await chain.terminal(display)
            original = chain.data["house"]
            chain.data["house"] = original | {"catalogue": ["many.toml"]}
            chain.write_file()
            chain.daemon.signal(signal.SIGHUP)
            await chain.becomes(lambda: len(manager.times("RELOADING=1")) == 1, what="the first reload")

            chain.data |= {"house": original, "people": [person("gurung", "supervisor", GURUNG_PIN)]}
            chain.write_file()
            chain.daemon.signal(signal.SIGHUP)
            await chain.becomes(lambda: len(manager.times("RELOADING=1")) == 2, what="the second reload")
            await chain.becomes(lambda: chain.times_logged("reloaded") == 2, what="both files to be taken up")
            await display.until(lambda: display.state is not None, what="the table")
            answer = await terminal.act("sign_in", role="supervisor", person="gurung", pin=GURUNG_PIN)
            assert answer.status == "ok", "the older file has won"
            await chain.becomes(lambda: manager.last_state == "READY=1", what="READY after the reloads")
    finally:
        manager.close()


@pytest.mark.asyncio
async def test_a_file_that_cannot_be_looked_at_leaves_the_service_ready(tmp_path: Path) -> None:
    """The machine has no thread left to judge it in; the table goes on, and the next attempt is made."""
    manager = ServiceManager(tmp_path)
    try:
        async with Chain(tmp_path, with_broker=False) as chain:
            file = chain.folder / "table.toml"
            async with daemon_running(file, ClockThatIsSet(), notify=manager.path) as daemon:
                await chain.becomes(lambda: manager.last_state == "READY=1", what="READY")
                no_threads = ThreadPoolExecutor(1)
                no_threads.shutdown()
                asyncio.get_running_loop().set_default_executor(no_threads)
                daemon.reload()
                await chain.becomes(lambda: manager.times("RELOADING=1"), what="RELOADING")
                await chain.becomes(lambda: manager.last_state == "READY=1", what="READY after the reload")

                chain.data["people"] = [person("gurung", "supervisor", GURUNG_PIN)]
                chain.write_file()
                asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
                daemon.reload()
                await chain.becomes(lambda: [someone.id for someone in daemon.config.people] == ["gurung"])
                await chain.becomes(lambda: manager.last_state == "READY=1", what="READY after the second reload")
    finally:
        manager.close()
