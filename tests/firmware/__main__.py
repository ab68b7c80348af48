"""`python -m tests.firmware [CARDS]`: the shoe in C on small processors, all of them emulated; ends with a table.

Needs `.ci/system-packages firmware`. `qemu-arm` runs the program of the desk, the others the examples of the kit.
"""

# ruff: noqa: T201 - reports to the terminal

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.firmware.boards import ATmega2560, Board, Microbit
from tests.firmware.dealt import Dealt
from tests.firmware_protocol.native.c_build import BLAKE2S, HOST, LINK, compiled
from tests.firmware_protocol.native.c_program import CProgram, deal_shoe

CARDS = 100


def qemu_arm(folder: Path, cards: int) -> str:
    program = compiled("shoe_arm", (HOST, LINK, BLAKE2S), ("-O2", "-static"), compiler="arm-linux-gnueabi-gcc")
    dealt = deal_shoe(folder, cards=4 * cards, seed=1, shoe=CProgram(folder, ("qemu-arm",), program))
    happened = f"killed {dealt.kills} times, link begun again {dealt.forgotten} times"
    return f"{len(dealt.stored)} cards on a bad line, {happened}"


def _on(board: Callable[[Path], Board]) -> Callable[[Path, int], str]:
    def deal(folder: Path, cards: int) -> str:
        emulated = board(folder)
        dealt = Dealt(emulated, seed=1)
        try:
            dealt.deal(cards)
        finally:
            emulated.close()
        dealt.check()
        return f"{cards} cards, {dealt.power_losses} losses of power, link begun again {dealt.forgotten} times"

    return deal


TRIALS: dict[str, Callable[[Path, int], str]] = {
    "qemu-arm": qemu_arm,
    "micro:bit (QEMU)": _on(Microbit),
    "ATmega2560 (simavr)": _on(ATmega2560),
}


def main() -> int:
    cards = int(sys.argv[1]) if len(sys.argv) > 1 else CARDS
    failed = False
    for name, trial in TRIALS.items():
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="firmware-") as folder:
            try:
                found = f"each card once: {trial(Path(folder), cards)}"
            except AssertionError as error:
                failed, found = True, f"FAILED: {error}"
        print(f"{name:22}{time.monotonic() - began:>6.0f} s  {found}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
