"""Runs one command of a document as its reader would, in a house of its own.

What cannot be run here stands in `NOT_RUN` with its reason. A command that runs until it is stopped is started,
shown to work, and stopped.
"""

import os
import pty
import re
import shlex
import signal
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection

from shoe_controller.cli import parser as controller_parser
from shoe_controller.conformance.cli import parser as conformance_parser
from simulator.cli import parser as emulator_parser
from tests.daemon.programs import COMMANDS
from tests.documents.places import TYPED, free_port
from tests.documents.snippets import ROOT

PATIENCE = 60.0

NEW_PIN = "918273\n"
"""Typed where a person is added: everybody's PIN is another."""

PASSWORD = "harbour lantern 58\n"  # noqa: S105 - of nobody
"""Typed where the secret of a person of the site is asked for."""

UNITS = {unit.name.removesuffix(".service") for unit in (ROOT / "deploy" / "systemd").glob("*.service")}

NOT_RUN = {
    "apt": "it changes the machine; `make test-deploy` installs the package on clean ones",
    "systemctl": "it takes systemd, which `make test-deploy` has; here the unit must exist",
    "journalctl": "it takes systemd, which `make test-deploy` has; here the unit must exist",
    "chromium": "it takes a screen; the tests of the board open its pages without one",
    "pipx": "it takes the wheels of a release; the trials of `make test-deploy` run it without a network",
    "uvx": "it takes the wheels of a release; the trials of `make test-deploy` run it without a network",
    "cd dist/shoe-controller-0.1.0": "it takes a release; the trial `release` of `make test-deploy` checks one",
    "wireshark": "it takes a screen; tests/firmware_protocol/wireshark runs tshark",
    "make": "it would run the tests inside the tests; here the target must exist and take its options",
    "shoe-controller archive archive.toml verify": "it takes PostgreSQL; tests/archive/test_journal_file.py has one",
    "shoe-controller cards learn": "it takes a reader; tests/commands/test_cards.py has one made of a pty",
    "shoe-controller doctor /etc/shoe-controller/t2.toml": "it takes a second table: tests/deploy/test_second_table.py",
    "shoe-controller odds --counted": "it takes minutes; tests/commands/test_odds.py plays a few shoes",
    "shoe-conformance": "it takes a shoe and somebody at it; tests/conformance/test_program.py has both",
    "shoe-emulator record --line": "it takes a real line; tests/simulator/test_recording.py has one made of ptys",
}
"""By how they begin."""

ASKS = {"shoe-controller init": "it asks at a terminal; tests/deploy/test_first_round.py answers"}
"""Commands that are not run just as they stand here, without an option."""


def why_not_run(line: str) -> str | None:
    words = " ".join(_words(line))
    begins = (why for start, why in NOT_RUN.items() if words == start or words.startswith(f"{start} "))
    return ASKS.get(words) or next(begins, None)


def _words(line: str) -> list[str]:
    return shlex.split(_without_sudo(line), comments=True)


def _without_sudo(line: str) -> str:
    return re.sub(r"\bsudo (-u \S+ )?", "", line)


def run(line: str, house: Path) -> str:
    """Run it, or look at it as far as that goes; what it wrote."""
    if why_not_run(line) is not None:
        _look_at(_words(line))
        return ""
    here = _in(house, line)
    words = _words(here)
    if words[:2] in [["shoe-controller", process] for process in ("run", "witness", "archive")]:
        return _until_told_to_end(words, house, lambda written: "ready" in written)
    if words[:2] in [["shoe-controller", page] for page in ("board", "console", "pit")]:
        port = tomllib.loads((house / words[2]).read_text(encoding="utf-8"))[words[1]]["port"]
        return _until_told_to_end(words, house, lambda _: _is_served(port))
    if words[0] == "shoe-emulator":
        return _shoe(words, house)
    return _to_its_end(here, house)


def _in(house: Path, line: str) -> str:
    """The command with the places of an installed house put into this one."""
    here = _without_sudo(line)
    for installed, place in (
        ("/etc/mosquitto/shoe-controller", house / "broker"),
        ("/etc/shoe-controller", house),
        ("/var/lib/shoe-controller", house),
        ("shoe-controller init", f"shoe-controller init {house}"),
        ("/tmp/shoe", house / "port"),  # noqa: S108 - it is replaced
        ("127.0.0.1:4001", f"127.0.0.1:{free_port()}"),
        (" table.journal", " t1.journal"),
    ):
        here = here.replace(installed, str(place))
    return here


# --- what is not run -------------------------------------------------------------------------------------------------


def _look_at(words: list[str]) -> None:
    match words:
        case ["systemctl" | "journalctl", *rest]:
            units = [re.sub(r"@.*", "@", word) for word in rest if word.startswith(("shoe-", "mosquitto"))]
            assert units
            assert set(units) <= UNITS | {"mosquitto"}, words
        case ["make", *rest]:
            assert make(*rest)
        case ["pipx" | "uvx", *rest]:
            _look_at(rest[rest.index("shoe-controller") + 1 :])
        case ["shoe-emulator", *rest]:
            emulator_parser().parse_args(rest)
        case ["shoe-controller", *rest]:
            controller_parser(rest[0]).parse_args(rest)
        case ["shoe-conformance", *rest]:
            conformance_parser().parse_args(rest)
        case _:
            pass


def make(*words: str) -> str:
    """What `make` would run."""
    done = subprocess.run(
        ["/usr/bin/make", "--dry-run", "--always-make", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- what is run -----------------------------------------------------------------------------------------------------


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{COMMANDS}:{os.environ['PATH']}", "TERM": "xterm-256color", "COLUMNS": "120"}


def _typed(line: str) -> str:
    if "keys password" in line or " --pit " in line:
        return PASSWORD
    return NEW_PIN if " person add " in line else TYPED


def _to_its_end(line: str, house: Path) -> str:
    if _words(line)[:2] == ["shoe-controller", "keys"] and "shoe" in _words(line):
        (house / "shoe.key").unlink(missing_ok=True)  # one is never written over
    done = subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=house,
        env=_environment(),
        input=_typed(line),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


def _until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)


def _until_told_to_end(words: list[str], house: Path, works: Callable[[str], bool]) -> str:
    written = house / f"{words[1]}.log"
    with (
        written.open("wb") as log,
        subprocess.Popen(words, cwd=house, env=_environment(), stdout=log, stderr=log) as process,
    ):
        try:
            _until(lambda: process.poll() is not None or works(written.read_text(encoding="utf-8")), " ".join(words))
            assert process.poll() is None, written.read_text(encoding="utf-8")
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    return written.read_text(encoding="utf-8")


def _is_served(port: int) -> bool:
    try:
        with create_connection(("127.0.0.1", port), timeout=1.0):
            return True
    except OSError:
        return False


# --- the emulated shoe, which wants a terminal and a controller ------------------------------------------------------


def _shoe(words: list[str], house: Path) -> str:
    if "--port" not in words and "faults" not in words:
        words += ["--port", f"pty:{house / 'port'}"]  # others on this machine may have a shoe at the usual place
    if "--shoes" in words:
        words += ["--decks", "1"]  # soon dealt
    ends_by_itself = not {"--headless", "play", "faults"}.isdisjoint(words)
    enough = b"round 1:" if "record" in words else b" quit"
    terminal, other_end = pty.openpty()
    os.set_blocking(terminal, False)
    written = bytearray()
    with subprocess.Popen(
        words, cwd=house, env=_environment(), stdin=other_end, stdout=other_end, stderr=other_end
    ) as process:
        os.close(other_end)
        try:
            with _listening(house / "port") as hear:

                def ended() -> bool:
                    hear()
                    written.extend(_read(terminal))
                    return process.poll() is not None

                if not ends_by_itself:
                    _until(lambda: ended() or enough in _without_colours(written), f"the picture of {words}")
                    os.write(terminal, b"q")
                _until(ended, f"the end of {words}: {written!r}")
            assert process.returncode == 0, written.decode()
        finally:
            process.kill()
            os.close(terminal)
    return written.decode(errors="replace")


@contextmanager
def _listening(port: Path) -> Iterator[Callable[[], None]]:
    """A host that opens the shoe's port as soon as it is there, and reads whatever comes."""
    opened: list[int] = []

    def hear() -> None:
        if not opened and port.is_symlink():
            opened.append(os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK))
        for descriptor in opened:
            _read(descriptor)

    try:
        yield hear
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _without_colours(written: bytearray) -> bytes:
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", bytes(written))


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # nothing there, or nobody there any more
        return b""
