"""Small processors under emulation, with the examples of the kit in C in them; their UART is a pipe."""

import contextlib
import socket
import subprocess
import time
from pathlib import Path
from typing import Protocol

from tests.firmware_protocol.native.c_build import BLAKE2S, KIT, LINK, ROOT, compiled

EXAMPLES = KIT / "examples"
KEY = bytes(range(1, 9)) + bytes(24)
"""It stands in the examples."""


class Board(Protocol):
    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """Its input and output are the UART."""

    def lose_power(self) -> None:
        """And have it again: what is in its memory stays."""

    def close(self) -> None: ...


def _piped(command: list[str], errors: Path) -> "subprocess.Popen[bytes]":
    with errors.open("ab") as written:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=written, bufsize=0)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()


class Microbit:
    """QEMU's BBC micro:bit. Its flash is lost with the process, so the power fails as a reset."""

    def __init__(self, folder: Path) -> None:
        example = EXAMPLES / "microbit"
        options = ("-Os", "-mcpu=cortex-m0", "-mthumb", "-ffreestanding", "-fno-tree-loop-distribute-patterns")
        # Registers and vectors are addresses, which the pedantic part of the standard knows nothing of.
        alone = ("-Wno-pedantic", "-nostdlib", "-T", str(example / "microbit.ld"), "-lgcc")
        sources = (example / "main.c", example / "start.c", LINK, BLAKE2S)
        program = compiled("microbit", sources, options, compiler="arm-none-eabi-gcc", last=alone)
        monitor = folder / "monitor"
        self.process = _piped(
            [
                *("qemu-system-arm", "-M", "microbit", "-device", f"loader,file={program}", "-display", "none"),
                *("-serial", "stdio", "-monitor", f"unix:{monitor},server,nowait"),
            ],
            folder / "qemu.errors",
        )
        self._monitor = socket.socket(socket.AF_UNIX)
        while True:
            with contextlib.suppress(OSError):
                self._monitor.connect(str(monitor))
                return
            time.sleep(0.02)

    def lose_power(self) -> None:
        self._monitor.send(b"system_reset\n")

    def close(self) -> None:
        self._monitor.close()
        _end(self.process)


class ATmega2560:
    """Under simavr. Its EEPROM is a file, so the power fails as `kill -9`."""

    def __init__(self, folder: Path) -> None:
        sources = (EXAMPLES / "atmega2560" / "main.c", LINK, BLAKE2S)
        options = ("-Os", "-mmcu=atmega2560", "-DF_CPU=16000000UL")
        program = compiled("atmega2560", sources, options, compiler="avr-gcc", last=("-Wno-pedantic",))
        emulator = ROOT / "tests" / "firmware" / "avr_board.c"
        # The headers of simavr were not written for our warnings.
        board = compiled(
            "avr_board", (emulator,), ("-O2", "-Wno-conversion", "-Wno-pedantic"), last=("-lsimavr", "-lelf")
        )
        self._command = [str(board), str(program), str(folder / "eeprom")]
        self._errors = folder / "simavr.errors"
        self.process = _piped(self._command, self._errors)

    def lose_power(self) -> None:
        _end(self.process)
        self.process = _piped(self._command, self._errors)

    def close(self) -> None:
        _end(self.process)
