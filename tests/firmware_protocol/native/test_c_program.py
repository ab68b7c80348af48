"""The shoe in C as a program, under sanitizers, at a pseudo-terminal and at a TCP port. `make torture` deals longer."""

import os
import re
import select
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from firmware_protocol.events import CardDrawn, Hand
from firmware_protocol.native.event_layouts import decode_event
from firmware_protocol.native.framing import FrameReader
from shoe_controller.config.shoe import ShoeSettings, port_of
from shoe_controller.conformance.operators import Nobody
from shoe_controller.conformance.real_line import RealLine
from simulator.conformance.bench import Bench, BenchSettings
from simulator.conformance.verdicts import Findings
from tests.firmware_protocol.native.c_build import BLAKE2S, HOST, KIT, LINK, STRICT, host_program
from tests.firmware_protocol.native.c_program import KEY, CProgram, deal_shoe


def test_a_short_shoe_with_every_fault_of_the_line_kills_and_reboots(tmp_path: Path) -> None:
    dealing = deal_shoe(tmp_path, cards=80, seed=1)
    assert dealing.kills
    assert dealing.forgotten


def test_at_a_tcp_port_it_says_that_it_is_awake_to_everybody_who_calls(tmp_path: Path) -> None:
    command = [str(host_program()), "tcp", "0", str(tmp_path / "shoe.memory")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shoe:
        assert shoe.stdout
        port = int(shoe.stdout.readline().split()[1])
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port), timeout=5.0) as line:
                assert FrameReader().feed(line.recv(64)) == [b"\x81"]
        assert shoe.poll() is None
        shoe.kill()


def test_it_understands_what_the_page_has_typed_and_says_where_it_does_not(tmp_path: Path) -> None:
    (example,) = re.findall(r"```text\n(button.*?)```", (KIT / "README.md").read_text("utf-8"), re.DOTALL)
    *typed, deal = [line.encode("ascii") for line in example.splitlines(keepends=True)]
    assert deal.startswith(b"deal "), "it says nothing of its own"
    command = [str(host_program()), "tcp", "0", str(tmp_path / "shoe.memory")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shoe:
        assert shoe.stdin
        assert shoe.stdout
        shoe.stdin.write(b"card_drawn hand=1 colour=red\nhooray\n" + b"".join(typed))
        shoe.stdin.flush()
        said = b""
        while said.count(b"\n") < 5 + len(typed) - 1 and select.select([shoe.stdout], [], [], 5.0)[0]:
            said += os.read(shoe.stdout.fileno(), 4096)
        shoe.kill()
    assert said.splitlines()[2:] == [b"not understood", b"not understood", *[b"stored"] * len(typed)]


def test_deal_goes_on_behind_what_was_typed(tmp_path: Path) -> None:
    """The first card was typed: the dealer's is not the first of the shoe once more."""
    (example,) = re.findall(r"```text\n(button.*?)```", (KIT / "README.md").read_text("utf-8"), re.DOTALL)
    shoe = CProgram(tmp_path)
    line = RealLine(port_of(ShoeSettings("native", str(shoe.port), 115200, None, commands=False)))
    try:
        line.reopen()
        bench = Bench(line, Nobody(), BenchSettings(key=KEY, slack=3.0), Findings(), os.urandom)
        for typed in example.replace("300", "10").splitlines():
            shoe.type(typed)
        said: list[str] = []
        while said.count("stored") < 2:
            bench.hear(0.01)
            said += shoe.lines()
        session = bench.empty()
        assert bench.desire(session, gate=1, hand=1)
        *_, dealt = bench.received_events(session, 4)  # behind STARTED and what was typed
    finally:
        line.close()
        shoe.kill()
    card = decode_event(dealt.kind, dealt.fields)
    assert isinstance(card, CardDrawn)
    assert (card.total, card.hand, card.position, card.first_of_shoe) == (2, Hand.PLAYER, 1, False)


@pytest.mark.parametrize("compiler", [name for name in ("cc", "gcc", "clang") if shutil.which(name)])
@pytest.mark.parametrize("source", [LINK, BLAKE2S, HOST], ids=lambda source: source.name)
def test_it_compiles_for_the_desk_without_a_warning(source: Path, compiler: str) -> None:
    command = [compiler, *STRICT, "-Os", "-fsyntax-only", str(source)]
    subprocess.run(command, check=True)
