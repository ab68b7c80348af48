"""`python -m tests.proofs`: frama-c proves that the shoe in C touches no memory but its own; ends with a table.

What is proven, and of which inputs, is in `layouts.c`: framing, the layouts of events and frames, what is heard and
what the memory gives back. Each part is analysed by itself, for a processor with 64 bits. Needs
`.ci/system-packages prove`.
"""

# ruff: noqa: T201 - reports to the terminal

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.firmware_protocol.native.c_build import BLAKE2S

PRECISION = {
    "hear_anything": 7,
    "remember_anything": 7,
    "lay_out_anything": 7,
    "unframe_anything": 5,
    "frame_anything": 5,
    "challenge_anybody": 7,
    "hash_anything": 7,
    "send_anything": 5,
    "receive_anything": 5,
}
"""How much Eva keeps apart: as little as excludes every alarm."""

_ALARMS = re.compile(r"^ {2}(\d+) alarms? generated", re.MULTILINE)
_PROVEN = re.compile(
    r"^ {2}100% of the logical properties reached have been proven|No logical properties", re.MULTILINE
)


def prove(part: str) -> tuple[bool, str]:
    began = time.monotonic()
    done = subprocess.run(
        [
            *("frama-c", "-eva", "-eva-precision", str(PRECISION[part]), "-eva-no-show-progress"),
            *("-machdep", "gcc_x86_64", "-main", part, str(Path(__file__).with_name("layouts.c")), str(BLAKE2S)),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    alarms = _ALARMS.search(done.stdout)
    proven = done.returncode == 0 and alarms is not None and alarms[1] == "0" and bool(_PROVEN.search(done.stdout))
    found = "no access out of bounds, nothing undefined" if proven else f"NOT PROVEN:\n{done.stdout}{done.stderr}"
    return proven, f"{part:20}{time.monotonic() - began:>6.0f} s  {found}"


def main() -> int:
    proven = True
    with ThreadPoolExecutor(os.cpu_count()) as processes:
        for held, row in processes.map(prove, PRECISION):
            proven = proven and held
            print(row, flush=True)
    return int(not proven)


if __name__ == "__main__":
    sys.exit(main())
