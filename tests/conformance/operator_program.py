"""An operator for `shoe-conformance` who brings the shoe along: `python -m tests.conformance.operator_program …`.

    c LINE NAME MEMORY KEY    the shoe in C as a program, LINE being pty or tcp
    emulator NAME KEY         the shoe of `shoe-emulator` at the pseudo-terminal NAME

Requests come as lines, and each is answered by one: `done`, `yes`, `no` or `cannot WHY`.
"""

import asyncio
import subprocess
import sys
from pathlib import Path

from simulator.conformance.line import Answer, Doing, Request
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.pty import PtyPort
from simulator.shoe_line import WireSettings
from simulator.virtual_shoe import CannotError
from tests.conformance.hands import at_emulator
from tests.firmware_protocol.native.c_build import host_program

CARD = "card_drawn hand=1 position=1 card=0x39 burns_left=255\n"
BUTTON = "button code=5\n"


def request_of(line: str) -> Request:
    words = line.split()
    number = int(words.pop()) if words[-1].isdigit() else 0
    return Request(Doing(" ".join(words)), number, "", "")


def reply(answer: Answer) -> None:
    text = f"cannot {answer.why_not}" if answer.impossible else "yes" if answer.yes else "no"
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class CProgram:
    """The shoe in C; what it prints tells what can be seen at it."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [str(host_program()), *self._words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._locked, self._lamps, self._identified = True, 0, False
        self._until("ready")

    def _until(self, wanted: str) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._see(line.strip())
            if line.strip() == wanted or line.strip() == "no place":
                return
        raise SystemExit("the shoe in C has ended")

    def _see(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "desire":
            fields = dict(field.split("=") for field in rest.split())
            self._locked = self._locked if fields["gate"] == "0" else fields["gate"] == "2"
            self._lamps = int(fields["lamps"])
        elif line.startswith("the gate is locked"):
            self._locked = True
        elif word == "identify":
            self._identified = True

    def do(self, request: Request) -> Answer:
        match request.doing:
            case Doing.DRAW | Doing.EVENT:
                for _ in range(request.number):
                    self._type(CARD if request.doing is Doing.DRAW else BUTTON)
            case Doing.POWER:
                self.end()
                self._start()
            case _:
                # Whatever it has printed until now comes before the answer to this.
                self._type("not a command", "not understood")
                seen = {
                    Doing.SEE_GATE_LOCKED: self._locked,
                    Doing.SEE_LAMPS: self._lamps == request.number,
                    Doing.SEE_IDENTIFY: self._identified,
                }
                return Answer(yes=seen[request.doing])
        return Answer(yes=True)

    def _type(self, line: str, answer: str = "stored") -> None:
        assert self._process.stdin
        self._process.stdin.write(line if line.endswith("\n") else f"{line}\n")
        self._process.stdin.flush()
        self._until(answer)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def with_c_program(words: list[str]) -> None:
    shoe = CProgram(words)
    try:
        for line in sys.stdin:
            reply(shoe.do(request_of(line)))
    finally:
        shoe.end()


async def with_emulator(name: str, key: bytes) -> None:
    settings = EmulationSettings(wire=WireSettings(key=key, store_capacity=64), seed=1, speed=None)
    loop = asyncio.get_running_loop()
    async with EmulatedShoe(port=PtyPort(Path(name)), settings=settings) as shoe:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            try:
                answer = at_emulator(shoe.emulation, request_of(line), loop.time())
            except CannotError as error:
                answer = Answer(yes=False, why_not=str(error))
            shoe.disarm()  # lets the shell send what has happened
            reply(answer)


def main() -> None:
    kind, *words = sys.argv[1:]
    if kind == "c":
        with_c_program(words)
    else:
        name, key_file = words
        asyncio.run(with_emulator(name, bytes.fromhex(Path(key_file).read_text(encoding="ascii"))))


if __name__ == "__main__":
    main()
