"""`python -m tests.hardware [WORD]`: boots the guest, shows what it says, and exits with 0 if all its checks passed.

With a word, only checks whose name contains it: `python -m tests.hardware the_table`.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.hardware.guest_image import Guest

VERDICT = "guest: all checks passed"
BOOT_AND_CHECK_SECONDS = 1800
SYSTEM_PACKAGES = Path(__file__).parents[2] / ".ci" / "system-packages"


def main() -> int:
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - started:5.1f} s] {text}", flush=True)  # noqa: T201 - this is a command

    machine = os.uname().machine
    if machine != "x86_64":
        say(f"The guest is made for x86_64, and this machine is {machine}.")
        return 1
    if subprocess.run([str(SYSTEM_PACKAGES), "hardware"], check=False).returncode:
        say("The packages could not be installed.")
        return 1
    # The kernel hands on what it does not know itself to the first program's environment.
    chosen = f"CHECKS={sys.argv[1]}" if len(sys.argv) > 1 else ""
    guest = Guest(say)
    guest.prepare()
    say("booting the guest")
    qemu = subprocess.Popen(
        [
            *("qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "768", "-nodefaults", "-nic", "none"),
            *("-display", "none", "-serial", "stdio", "-no-reboot"),
            *("-kernel", str(guest.kernel), "-initrd", str(guest.initial_files)),
            # On a busy machine the emulated clock runs so unevenly that the kernel would give it up, and panic.
            *("-append", f"console=ttyS0 loglevel=3 panic=-1 no_timer_check rdinit=/init {chosen}"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    alarm = threading.Timer(BOOT_AND_CHECK_SECONDS, qemu.kill)
    alarm.start()
    passed = False
    try:
        for line in qemu.stdout or ():
            if text := line.rstrip():
                passed = passed or text == VERDICT
                say(text)
    finally:
        alarm.cancel()
        qemu.kill()
        qemu.wait()
    say("passed" if passed else "FAILED: the guest did not say that all its checks passed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
