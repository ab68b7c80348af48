"""The daemon as a service: ready, stopped, made to read its file again, watched, and what it writes to its log."""

import asyncio
import itertools
import os
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from shoe_controller.messages.facts import BettingOpened, CardDealt
from shoe_controller.process.systemd import PATIENCE, SystemdNotifier
from tests.daemon.clients import Display, Terminal
from tests.daemon.harness import Chain
from tests.daemon.house_file import DEALER_PIN, PINS, SHOE_KEY, person
from tests.daemon.programs import Program
from tests.daemon.retained_messages import roads_and_state_agree
from tests.daemon.service_manager import ServiceManager
from tests.reckoning import last_number, reckoned, sound_journal


@pytest.mark.asyncio
async def test_sigterm_in_full_flow_and_nothing_is_lost(tmp_path: Path) -> None:
    """The dealer deals on while the controller is away; wagers close with the first card, so that he may."""
    async with Chain(tmp_path, seed=4, speed="100") as chain:
        await chain.start_daemon()
        display = await chain.display()
        await chain.start_emulator(cut_card=360)
        for cards in (7, 23):
            await display.until(lambda cards=cards: len(display.facts_of(CardDealt)) >= cards, what="cards")  # type: ignore[misc]  # bound at once
            began = time.monotonic()
            assert await chain.stop_daemon() == 0
            assert time.monotonic() - began < 10.0
            await display.until(lambda: display.status is not None and not display.status.online, what="offline")
            await chain.start_daemon()
            await display.until(lambda: display.status is not None and display.status.online, what="online")
        await display.until(lambda: display.phase == "ended", within=60, what="the end of the shoe")
        await chain.shoe_is_dealt()
        await display.until(lambda: display.state is not None and not display.state.link_up, what="the shoe to be gone")
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        roads_and_state_agree(chain.truth, display)
        journal = sound_journal(chain.journal, display.events)
        reckoned(journal, chain.truth, info=display.info, every_round=True)


@pytest.mark.asyncio
async def test_ready_without_shoe_and_without_broker(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain:
        await chain.broker.kill()
        await chain.start_daemon()
        await chain.becomes(lambda: chain.times_logged("broker_down"), what="the missing broker to be reported")
        await chain.becomes(lambda: chain.times_logged("no_shoe"), what="the missing shoe to be reported")
        await chain.start_emulator(speed="40")
        await chain.becomes(lambda: chain.times_logged("card_dealt"), what="cards without a broker")
        await chain.broker.start()
        display = await chain.display()
        await display.until(lambda: display.status is not None and display.status.online, within=30, what="online")
        await display.until(lambda: display.facts_of(CardDealt), within=30, what="what happened meanwhile")
        await display.has_everything(within=30)
        assert not chain.times_logged("alert_raised")


@pytest.mark.asyncio
async def test_what_the_service_manager_is_told(tmp_path: Path) -> None:
    manager = ServiceManager(tmp_path)
    environment = {"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": "900000"}
    try:
        async with Chain(tmp_path, environment=environment, speed="40") as chain:
            await chain.start_daemon()
            await chain.becomes(lambda: manager.times("READY=1"), what="READY")
            await chain.becomes(lambda: len(manager.times("WATCHDOG=1")) >= 4, what="the watchdog to be fed")
            fed = manager.times("WATCHDOG=1")
            assert min(after - before for before, after in itertools.pairwise(fed)) < 0.9
            assert "The shoe is not connected. Check its cable and its power." in manager.statuses
            await chain.start_emulator()
            await chain.becomes(lambda: any("burn" in status.lower() for status in manager.statuses), what="a status")
            await chain.kill_emulator()
            await _hold_up_the_writer(chain, manager)
            chain.daemon.signal(signal.SIGHUP)
            await chain.becomes(lambda: len(manager.times("READY=1")) == 2, what="READY after the reload")
            assert manager.times("RELOADING=1")
            await chain.stop_daemon()
            assert manager.times("STOPPING=1")
    finally:
        manager.close()


async def _hold_up_the_writer(chain: Chain, manager: ServiceManager) -> None:
    """Somebody holds the lock of the journal's file: its writer hangs, and the watchdog is not fed until it is over."""
    display = await chain.display()
    terminal = await chain.terminal(display)
    await display.until(lambda: display.state is not None and not display.state.link_up, what="the shoe to be gone")
    holder = sqlite3.connect(chain.journal, isolation_level=None, timeout=5)
    try:
        holder.execute("BEGIN IMMEDIATE")
        asked = asyncio.create_task(terminal.act("call_supervisor"))
        await chain.becomes(
            lambda: time.monotonic() - manager.times("WATCHDOG=1")[-1] > 1.5,
            what="longer than the service manager would wait for a sign of life",
        )
        holder.execute("ROLLBACK")
    finally:
        holder.close()
    assert (await asked).status == "ok"
    released = time.monotonic()
    await chain.becomes(lambda: any(at > released for at in manager.times("WATCHDOG=1")), what="the watchdog again")


def test_a_service_manager_that_does_not_read(tmp_path: Path) -> None:
    """Cards go on all the same: what comes again is not waited for, what should not be missed only for a moment."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as manager:
        manager.bind(str(tmp_path / "notify"))
        service = SystemdNotifier(str(tmp_path / "notify"), None)
        for _ in range(2000):
            service.status("more than its socket holds")
        for tell in (service.alive, lambda: service.status("burn the first card")):
            assert _seconds_for(tell, manager) < PATIENCE
        for tell in (lambda: service.ready("burn the first card"), lambda: service.reloading(1), service.stopping):
            assert PATIENCE / 2 < _seconds_for(tell, manager) < PATIENCE + 4.0


def _seconds_for(tell: Callable[[], None], manager: socket.socket) -> float:
    telling = threading.Thread(target=tell)
    began = time.monotonic()
    telling.start()
    telling.join(5)
    took = time.monotonic() - began
    while telling.is_alive():
        with suppress(BlockingIOError):
            manager.recv(4096)
    return took


@pytest.mark.asyncio
@pytest.mark.parametrize("log", ["full", "gone"])
async def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path, log: str) -> None:
    """Standard error is a disk that is full, or a pipe whose reader has gone."""
    async with Chain(tmp_path) as chain:
        display = await chain.display()
        terminal = await chain.terminal(display)
        target, reader = Path("/dev/full"), None
        if log == "gone":
            target = tmp_path / "pipe"
            os.mkfifo(target)
            reader = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
        daemon = Program(*chain.daemon.arguments, log=target)
        await daemon.start()
        try:
            await display.until(lambda: display.status is not None and display.status.online, what="the table")
            if reader is not None:
                os.close(reader)
            for _ in range(20):
                assert (await terminal.act("call_supervisor")).status == "ok"
            assert await daemon.terminate() == 0
        finally:
            if daemon.is_running:
                await daemon.kill()


@pytest.mark.asyncio
async def test_sigterm_while_the_name_of_the_broker_is_looked_up(tmp_path: Path) -> None:
    """Name servers that do not answer are asked again and again, in a call that nobody can interrupt."""
    asked = tmp_path / "asked"
    silent = f"""
import pathlib, socket, time
real = socket.getaddrinfo
def look_up(host, *others, **named):
    if host != "broker.casino.example" or named.get("flags"):
        return real(host, *others, **named)
    pathlib.Path({str(asked)!r}).touch()
    time.sleep(60)
socket.getaddrinfo = look_up
"""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(silent, encoding="utf-8")
    path = os.pathsep.join(filter(None, (str(tmp_path / "site"), os.environ.get("PYTHONPATH"))))
    async with Chain(tmp_path, environment={"PYTHONPATH": path}) as chain:
        chain.data["mqtt"]["host"] = "broker.casino.example"
        chain.write_file()
        await chain.start_daemon()
        await chain.becomes(asked.exists, what="the name to be looked up")
        assert await chain.stop_daemon(within=10) == 0
        assert chain.times_logged("stopped") == 1


@pytest.mark.asyncio
async def test_reading_the_file_again(tmp_path: Path) -> None:
    async with Chain(tmp_path, speed="40", shoes=None) as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        display = await chain.display()
        terminal = await chain.terminal(display)
        await display.until(lambda: display.facts_of(BettingOpened), what="the first round")
        assert display.info is not None
        before = display.info

        chain.data["people"] = [person("gurung", "supervisor", "391746")]
        chain.data["house"]["limits"] = {"all": {"min": 200, "max": 50_000}}
        chain.data["mqtt"]["keep_alive"] = 7
        chain.write_file()
        chain.daemon.signal(signal.SIGHUP)
        await chain.becomes(lambda: chain.times_logged("reloaded"), what="the reload")
        line = [line for line in chain.log_lines if line["event"] == "reloaded"][-1]
        assert line["next_start"] == ["mqtt"]
        assert line["next_shoe"]
        assert line["people"] == 1

        answer = await terminal.act("sign_in", role="supervisor", person="gurung", pin="391746")
        assert answer.code in ("ok", "other_round"), "people are taken up at once"
        answer = await terminal.act("sign_in", role="supervisor", person="rana", pin=PINS["rana"])
        assert answer.code == "wrong_pin", "somebody who was struck off is nobody"
        await display.until(lambda: display.info is not None and display.info.rules_pending, what="the info")
        assert display.info.rules.offered == before.rules.offered, (
            "the rules of a shoe stay as they were when it was opened"
        )

        good = chain.folder.joinpath("table.toml").read_bytes()
        chain.folder.joinpath("table.toml").write_bytes(good.replace(b'"decks"', b'"dekcs"'))
        chain.daemon.signal(signal.SIGHUP)
        await chain.becomes(lambda: chain.times_logged("reload_refused"), what="the refusal")
        refused = [line for line in chain.log_lines if line["event"] == "reload_refused"][-1]
        assert "dekcs" in refused["what"]
        chain.folder.joinpath("table.toml").write_bytes(good)
        answer = await terminal.act("sign_in", role="supervisor", person="gurung", pin="391746")
        assert answer.code in ("ok", "other_round"), "a bad file changes nothing"

        await chain.kill_emulator()
        await display.until(lambda: display.state is not None and not display.state.link_up, what="the shoe to be gone")
        await _voided_and_opened_anew(terminal, display)
        await display.until(
            lambda: display.info is not None and not display.info.rules_pending, what="the rules of the new shoe"
        )
        assert {wager.min for wager in display.info.rules.offered} == {200}


async def _voided_and_opened_anew(terminal: Terminal, display: Display) -> None:
    await display.is_up_to_date()
    if display.phase in ("closed", "dealing", "complete"):
        answer = await terminal.act("void_round", role="supervisor", person="gurung", pin="391746", reason="gone")
        assert answer.status == "ok", answer
        await display.until(lambda: display.phase == "betting", what="the void")
    answer = await terminal.act("open_shoe", role="supervisor", person="gurung", pin="391746", reason="new cards")
    assert answer.status == "ok", answer


@pytest.mark.asyncio
async def test_the_log_is_for_people_and_holds_no_secret(tmp_path: Path) -> None:
    async with Chain(tmp_path, speed="40", log={"level": "debug"}) as chain:
        await chain.start_daemon()
        await chain.start_emulator(cut_card=380)
        display = await chain.display()
        terminal = await chain.terminal(display)
        await display.until(lambda: display.facts_of(CardDealt), what="a card")
        await terminal.supervisor("sign_in")
        await terminal.act("sign_in", role="supervisor", person="shah", pin="918273")
        await terminal.act("confirm", person="anita", pin=DEALER_PIN)
        await terminal.answer_to(
            terminal.send_raw(terminal.request_topic("supervisor", "sign_in"), b'{"pin": 918274, "person": "918275"')
        )
        await chain.shoe_is_dealt()
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        sound_journal(chain.journal, display.events)

        lines = chain.log_lines
        assert all({"event", "level", "timestamp", "table"} <= line.keys() for line in lines)
        about_rounds = [line for line in lines if line["event"] in ("card_dealt", "round_result", "betting_opened")]
        assert about_rounds
        assert all(line["shoe"] == 1 and line["round"] >= 1 for line in about_rounds)
        assert sum(line["event"] == "card_dealt" for line in lines) == len(display.facts_of(CardDealt))

        hashes = [entry["pin"].rpartition("$")[2] for entry in chain.data["people"]]
        secrets = [*PINS.values(), DEALER_PIN, "918273", "918274", SHOE_KEY.hex(), *hashes]
        written = chain.daemon.log.read_bytes()
        written += b"".join(file.read_bytes() for file in chain.folder.glob("table.journal*") if file.is_file())
        written += b"".join(message.payload for message in display.everything)
        assert SHOE_KEY not in written
        for secret in secrets:
            assert secret.encode() not in written
