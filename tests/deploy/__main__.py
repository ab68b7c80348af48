"""`python -m tests.deploy`: the packages in containers of a clean Debian 12 and 13, through a table's whole life.

Builds the package twice, as it is and as a later version, makes a root of each release (kept in .cache/deploy), boots
it with systemd-nspawn and runs `trial.sh` inside. Needs root, and what `.ci/system-packages deploy` installs. What a
container cannot show (the device rules of the sandbox, udev, arm64) is not tried here.

    python -m tests.deploy                 # both releases
    python -m tests.deploy bookworm        # one of them
"""

import os
import pty
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.hardware.guest_image import PROJECT

CACHE = PROJECT / ".cache" / "deploy"
RELEASES = {"bookworm": "deb12", "trixie": "deb13"}
PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "udev", "python3", "openssl", "libusb-1.0-0"),
    *("mosquitto", "mosquitto-clients"),
)
VERSIONS = ("0.1.0", "0.1.1")
VERDICT = "trial: passed"
LONGEST_TRIAL = 600
LOOK_EVERY = 0.5

UNIT = """\
[Unit]
After=multi-user.target

[Service]
Type=oneshot
ExecStart=/bin/sh -c '/root/trial.sh /root/one.deb /root/two.deb >/root/trial.log 2>&1'
ExecStopPost=/bin/systemctl poweroff --no-block
"""


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - this is a command


def main() -> int:
    chosen = sys.argv[1:] or list(RELEASES)
    unknown = [name for name in chosen if name not in RELEASES]
    if unknown:
        say(f"There is no release {unknown[0]!r} here: {', '.join(RELEASES)}.")
        return 2
    if os.geteuid() != 0:
        say("Containers need root: sudo make test-deploy")
        return 1
    passed = [trial(release) for release in chosen]
    return 0 if all(passed) else 1


def trial(release: str) -> bool:
    packages = [_package(release, version) for version in VERSIONS]
    with _root(release) as root:
        for package, name in zip(packages, ("one.deb", "two.deb"), strict=True):
            shutil.copy(package, root / "root" / name)
        shutil.copy(Path(__file__).with_name("trial.sh"), root / "root")
        (root / "etc/systemd/system/trial.service").write_text(UNIT, encoding="utf-8")
        wants = root / "etc/systemd/system/default.target.wants"
        wants.mkdir(exist_ok=True)
        (wants / "trial.service").symlink_to("/etc/systemd/system/trial.service")
        say(f"{release}: booting")
        return _boot(root, release)


def _package(release: str, version: str) -> Path:
    say(f"{release}: building version {version}")
    build = [sys.executable, str(PROJECT / "deploy" / "build_deb.py"), "--suite", release, "--version", version]
    done = subprocess.run([*build, "--output", str(CACHE)], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


@contextmanager
def _root(release: str) -> Iterator[Path]:
    """A clean root of that release, gone afterwards."""
    clean, used = CACHE / f"{release}.tar", CACHE / f"{release}.root"
    if not clean.exists():
        say(f"{release}: making a clean root, which takes a minute or two")
        unfinished = clean.with_suffix(".new.tar")
        command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", release]
        subprocess.run([*command, str(unfinished)], check=True)
        unfinished.rename(clean)
    shutil.rmtree(used, ignore_errors=True)
    used.mkdir(parents=True)
    subprocess.run(["tar", "--extract", "--file", str(clean), "--directory", str(used)], check=True)  # noqa: S607 - Debian's own
    try:
        yield used
    finally:
        shutil.rmtree(used, ignore_errors=True)


def _boot(root: Path, release: str) -> bool:
    """Boot it with a terminal, without which it says and does nothing, and show what the trial writes."""
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
            shown = _show(log, shown, release)
            time.sleep(LOOK_EVERY)
    finally:
        container.kill()
        container.wait()
        os.close(ours)
    _show(log, shown, release)
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    passed = VERDICT in text
    if not passed:
        say(f"{release}: FAILED. The last lines were:\n" + "\n".join(text.splitlines()[-60:]))
    return passed


def _show(log: Path, shown: int, release: str) -> int:
    """Show what is new in the log, as far as it tells of a step; how much has been shown."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    whole = text.rfind("\n") + 1
    for line in text[shown:whole].splitlines():
        if line.startswith("trial: "):
            say(f"{release}: {line.removeprefix('trial: ')}")
    return max(shown, whole)


if __name__ == "__main__":
    sys.exit(main())
