"""Containers of a clean Debian with its own systemd: a root that is made once, and a trial that runs in it."""

import os
import pty
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.hardware.guest_image import PROJECT

CACHE = PROJECT / ".cache" / "deploy"
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "udev", "python3", "openssl", "libusb-1.0-0"),
    *("mosquitto", "mosquitto-clients"),
)
"""What a machine has before the package comes: Debian itself, what the package depends on, and a broker."""
VERDICT = "trial: passed"
LONGEST_TRIAL = 900
LOOK_EVERY = 0.5

UNIT = """\
[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/bin/sh -c '/root/{script} >/root/trial.log 2>&1'
ExecStopPost=/bin/systemctl poweroff --no-block
"""

COMPARING = (*("tests/__init__.py", "tests/reckoning.py", "tests/deploy/__init__.py", "tests/deploy/nothing_lost.py"),)
"""What compares a journal with the truth, beside the installed program."""

Say = Callable[[str], None]


@contextmanager
def clean_root(release: str, say: Say, *more: str, arch: str | None = None) -> Iterator[Path]:
    """A root of that release, of this machine's architecture or another, with `more` packages; gone afterwards."""
    other = [] if arch is None else [f"--architectures={arch}"]
    name = "-".join((release, *(() if arch is None else (arch,)), *more))
    clean, used = CACHE / f"{name}.tar", CACHE / f"{name}.root"
    if not clean.exists():
        say("making a clean root, which takes some minutes, once")
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = clean.with_suffix(".new.tar")
        command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join((*PACKAGES, *more))}", release]
        subprocess.run([*command, *other, str(unfinished)], check=True)
        unfinished.rename(clean)
    shutil.rmtree(used, ignore_errors=True)
    used.mkdir(parents=True)
    subprocess.run(["tar", "--extract", "--file", str(clean), "--directory", str(used)], check=True)  # noqa: S607 - Debian's own
    try:
        yield used
    finally:
        shutil.rmtree(used, ignore_errors=True)


def put_scripts(folder: Path, script: str, *more: str) -> None:
    """A trial, the steps that all trials take, what compares at the end, and what else it reads."""
    for name in (script, "steps.sh"):
        shutil.copy(Path(__file__).with_name(name), folder)
    for part in (*COMPARING, *more):
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / part, folder / part)


def run_inside(root: Path, script: str, say: Say) -> bool:
    """Boot it, let this script of its /root run with these words, show its steps; whether it passed."""
    (root / "etc/systemd/system/trial.service").write_text(UNIT.format(script=script), encoding="utf-8")
    wants = root / "etc/systemd/system/default.target.wants"
    wants.mkdir(exist_ok=True)
    (wants / "trial.service").symlink_to("/etc/systemd/system/trial.service")
    say("booting")
    # Without a terminal it says and does nothing.
    ours, theirs = pty.openpty()
    command = ["systemd-nspawn", "--quiet", f"--directory={root}", "--register=no", "--keep-unit", "--boot"]
    container = subprocess.Popen(
        [*command, "--private-network", f"--machine=shoe-{os.getpid()}"], stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    log, shown, until = root / "root" / "trial.log", 0, time.monotonic() + LONGEST_TRIAL
    try:
        while container.poll() is None and time.monotonic() < until:
            with suppress(OSError):
                os.read(ours, 1 << 16)
            shown = _show(log, shown, say)
            time.sleep(LOOK_EVERY)
    finally:
        container.kill()
        container.wait()
        os.close(ours)
    _show(log, shown, say)
    text = _text(log)
    passed = VERDICT in text.splitlines()
    if not passed:
        say("FAILED. The last lines were:\n" + "\n".join(text.splitlines()[-60:]))
    return passed


def _show(log: Path, shown: int, say: Say) -> int:
    """Show what is new in the log, as far as it tells of a step; how much has been shown."""
    text = _text(log)
    whole = text.rfind("\n") + 1
    for line in text[shown:whole].splitlines():
        if line.startswith("trial: "):
            say(line.removeprefix("trial: "))
    return max(shown, whole)


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
