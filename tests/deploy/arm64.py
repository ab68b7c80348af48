"""The trial of the arm64 package, on an emulated machine like a Raspberry Pi: a real kernel, systemd, udev and USB.

Every trial begins from the same disk, and what it changes is thrown away. The package and the scripts come on a second
disk.
"""

import shutil

from tests.deploy.arm64_machine import DISK, RELEASE, boot, make_disk, make_once
from tests.deploy.container import CACHE, Say, put_scripts
from tests.deploy.packages import package

LOAD = CACHE / "arm64.load"
LOAD_DISK = CACHE / "arm64.load-disk"
LOAD_MEGABYTES = 64
LONGEST_TRIAL = 1800


def try_arm64(say: Say) -> bool:
    make_once(say)
    say("building the package")
    shutil.rmtree(LOAD, ignore_errors=True)
    LOAD.mkdir()
    shutil.copy(package(RELEASE, CACHE, "arm64"), LOAD / "later.deb")
    put_scripts(LOAD, "arm64_trial.sh")
    make_disk(LOAD, LOAD_DISK, LOAD_MEGABYTES)
    say("booting")
    disks = (f"file={DISK},format=raw,if=virtio,snapshot=on", f"file={LOAD_DISK},format=raw,if=virtio,readonly=on")
    return boot(disks, LONGEST_TRIAL, say)
