"""The program `shoe-conformance` as its user meets it: at a real pseudo-terminal, and where it cannot be used."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoe_controller.conformance import cli
from shoe_controller.conformance.cli import main
from shoe_controller.transports.usb_device import UsbDevice
from simulator.conformance.line import Answer, Request
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.usb import UsbBus, UsbPort
from simulator.ports.usb_shoe import UsbIdentity
from simulator.shoe_line import WireSettings
from simulator.virtual_shoe import CannotError
from tests.conformance.hands import at_emulator
from tests.conformance.mutants import MUTANTS
from tests.firmware_protocol.native.c_build import BLAKE2S, HOST, KIT, LINK, compiled, host_program
from tests.firmware_protocol.native.c_program import KEY, CProgram

LONG = "LONG_TESTS" in os.environ
ONE_CLAUSE = ("--nobody", "--slack", "1.5", "--only", "3.10")
EXCHANGED = next(mutant for mutant in MUTANTS if mutant.bug == "the reasons of REJECT are exchanged")


@pytest.fixture
def key(tmp_path: Path) -> str:
    file = tmp_path / "shoe.key"
    file.write_text(KEY.hex(), encoding="ascii")
    return str(file)


@contextmanager
def program_at_pty(folder: Path, program: Path) -> Iterator[CProgram]:
    shoe = CProgram(folder, program=program)
    try:
        yield shoe
    finally:
        shoe.kill()


def with_exchanged_reasons(folder: Path) -> Path:
    link = folder / "shoe_link.c"
    text = LINK.read_text(encoding="utf-8").replace(EXCHANGED.search, EXCHANGED.replacement)
    link.write_text(text.replace('"shoe_link.h"', f'"{KIT}/shoe_link.h"'), encoding="utf-8")
    return compiled("shoe-with-a-bug", (HOST, link, BLAKE2S), ("-O0",))


def test_a_bug_is_reported_and_makes_it_end_with_1(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "found.json"
    with program_at_pty(tmp_path, with_exchanged_reasons(tmp_path)) as shoe:
        assert main([str(shoe.port), "--key", key, *ONE_CLAUSE, "--json", str(file)]) == 1
    assert "3.10   FAILED" in capsys.readouterr().out
    found = json.loads(file.read_text(encoding="utf-8"))
    assert (found["passed"], found["shoe"]["serial_number"]) == (False, "C-0001")
    ((clause, verdict),) = [(one["clause"], one["verdict"]) for one in found["clauses"]]
    assert (clause, verdict) == ("3.10", "failed")


def test_a_shoe_with_a_card_that_no_table_has_stored_is_left_alone_unless_that_is_wanted(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with program_at_pty(tmp_path, host_program()) as shoe:
        shoe.type("card_drawn hand=1 position=1 card=0x39 burns_left=255")
        options = (str(shoe.port), "--key", key, *ONE_CLAUSE)
        assert main(options) == 2
        assert "--consume" in capsys.readouterr().err
        assert main([*options, "--consume"]) == 0
        assert "3.10   held" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("shoe", "--insecure"), "full path"),
        (("/nowhere/shoe", "--insecure"), "no shoe is there"),
        (("socket://127.0.0.1:1", "--insecure"), "no answer from there"),
        (("usb:12:zz", "--insecure"), "usb:VENDOR:PRODUCT"),
        (("/dev/null", "--insecure"), "not a serial port"),
        (("/nowhere/shoe", "--insecure", "--slack", "0.5"), "1 to 100"),
        (("/nowhere/shoe", "--insecure", "--slack", "nan"), "1 to 100"),
        (("/nowhere/shoe", "--insecure", "--silence", "-1"), "0 (never)"),
        (("/nowhere/shoe", "--insecure", "--baud", "7"), "baud rate"),
        (("/nowhere/shoe", "--insecure", "--only", "99.1"), "no such clause"),
        (("/nowhere/shoe", "--insecure", "--only", "3.1"), "binds the controller"),
        (("/nowhere/shoe", "--key", "/nowhere/key"), "cannot be read"),
        (("/nowhere/shoe", "--insecure", "--operator", "/nowhere/program"), "cannot be started"),
        (("/nowhere/shoe", "--insecure", "--operator", "'"), "cannot be read as a command"),
        (("/nowhere/shoe", "--insecure", "--json", "/nowhere/found.json"), "/nowhere/found.json"),
    ],
)
def test_what_cannot_be_used_is_one_clear_sentence(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_a_key_of_zeros_and_no_key_at_all_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "zeros").write_text("00" * 32, encoding="ascii")
    assert main(["/nowhere/shoe", "--key", str(tmp_path / "zeros")]) == 2
    assert "not a key" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["/nowhere/shoe"])


class OnUsb:
    """The emulated shoe on a USB bus of this process, in a loop of its own, with an operator."""

    def __init__(self, bus: UsbBus) -> None:
        self._bus = bus
        self._loop = asyncio.new_event_loop()
        self._shoe: EmulatedShoe
        self._done = asyncio.Event()
        self._answer: Answer | None = None

    @contextmanager
    def plugged_in(self) -> Iterator[None]:
        there = threading.Event()
        thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._emulate(there)))
        thread.start()
        assert there.wait(10)
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._done.set)
            thread.join(10)
            self._loop.close()

    async def _emulate(self, there: threading.Event) -> None:
        settings = EmulationSettings(wire=WireSettings(key=KEY, store_capacity=64), seed=1, speed=None)
        async with EmulatedShoe(port=UsbPort(self._bus), settings=settings) as self._shoe:
            there.set()
            await self._done.wait()

    async def _do(self, request: Request) -> Answer:
        try:
            return at_emulator(self._shoe.emulation, request, self._loop.time())
        except CannotError as error:
            return Answer(yes=False, why_not=str(error))
        finally:
            self._shoe.disarm()  # lets the shell send what has happened

    def ask(self, request: Request) -> None:
        self._answer = asyncio.run_coroutine_threadsafe(self._do(request), self._loop).result(10)

    def answer(self) -> Answer | None:
        return self._answer

    def seen(self) -> None:
        """It is all done at once."""


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--only", "3.10"), id="one"),
        pytest.param((), id="all", marks=pytest.mark.skipif(not LONG, reason="minutes; make test-conformance")),
    ],
)
@pytest.mark.timeout(600)
def test_a_shoe_on_usb_passes(
    options: tuple[str, ...], key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, identity, found = UsbBus(), UsbIdentity(), tmp_path / "found.json"
    device = UsbDevice(identity.vendor, identity.product, identity.serial_number, backend=bus)
    operator = OnUsb(bus)
    monkeypatch.setattr(cli, "port_of", lambda _: device)
    monkeypatch.setattr(cli, "operator_of", lambda *_, **_options: operator)
    with operator.plugged_in():
        ended = main([identity.address, "--key", key, "--slack", "2", *options, "--json", str(found)])
    report = json.loads(found.read_text(encoding="utf-8"))
    assert [one for one in report["clauses"] if one["verdict"] == "failed"] == []
    assert ended == 0
    assert report["counts"]["held"] >= (1 if options else 85)


@pytest.mark.skipif(not LONG, reason="minutes; make test-conformance")
@pytest.mark.parametrize("shoe", ["c tcp 4659", "c pty PORT", "emulator PORT"])
@pytest.mark.timeout(600)
def test_our_programs_pass_a_whole_run(shoe: str, key: str, tmp_path: Path) -> None:
    port = tmp_path / "port"
    memory = (str(tmp_path / "memory"),) if shoe.startswith("c ") else ()
    words = (*shoe.replace("PORT", str(port)).split(), *memory, key)
    operator = " ".join((sys.executable, "-m", "tests.conformance.operator_program", *words))
    address = "socket://127.0.0.1:4659" if "tcp" in shoe else str(port)
    found = tmp_path / "found.json"
    ended = main([address, "--key", key, "--operator", operator, "--slack", "2", "--json", str(found)])
    report = json.loads(found.read_text(encoding="utf-8"))
    assert [one for one in report["clauses"] if one["verdict"] == "failed"] == []
    assert ended == 0
    assert report["counts"]["held"] >= 85
