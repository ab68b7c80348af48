"""`firmware_protocol/c/vectors.h` is `vectors.json` in C, and the kit meets it without a line of Python."""

import subprocess
from pathlib import Path

from tests.firmware_protocol.native import make_vectors_header
from tests.firmware_protocol.native.c_build import BLAKE2S, compiled
from tests.firmware_protocol.native.second_vectors import CONVERSATIONS, VECTORS

SOURCE = Path(__file__).with_name("c_vectors.c")


def test_the_header_is_up_to_date() -> None:
    """If this is meant: `python -m tests.firmware_protocol.native.make_vectors_header`."""
    assert make_vectors_header.FILE.read_text(encoding="utf-8") == make_vectors_header.text()


def test_the_kit_meets_every_talk_in_c_alone() -> None:
    program = compiled("vectors", (SOURCE, BLAKE2S), ("-O0",))
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    assert ran.stdout == f"{len(CONVERSATIONS) + len(VECTORS['trials'])} talks, 0 failures\n", ran.stdout + ran.stderr
    assert ran.returncode == 0
