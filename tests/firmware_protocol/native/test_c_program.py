"""The shoe in C as a program, under sanitizers, at a pseudo-terminal and at a TCP port. `make torture` deals longer."""

import os
import re
import select
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from firmware_protocol.native.framing import FrameReader
from tests.firmware_protocol.native.c_build import BLAKE2S, HOST, KIT, LINK, STRICT, host_program
from tests.firmware_protocol.native.c_program import deal_shoe


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


@pytest.mark.parametrize("compiler", [name for name in ("cc", "gcc", "clang") if shutil.which(name)])
@pytest.mark.parametrize("source", [LINK, BLAKE2S, HOST], ids=lambda source: source.name)
def test_it_compiles_for_the_desk_without_a_warning(source: Path, compiler: str) -> None:
    command = [compiler, *STRICT, "-Os", "-fsyntax-only", str(source)]
    subprocess.run(command, check=True)
