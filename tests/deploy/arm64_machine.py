"""An emulated arm64 machine like a Raspberry Pi, with Debian's own kernel and systemd: how it is made, and booted.

Its disk is made once and kept in .cache/deploy; programs of arm64 that set Debian up run through qemu-user. The machine
runs the `arm64_trial.sh` that it finds on a second disk, and switches itself off. What it says comes over the serial
line.
"""

import hashlib
import lzma
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.deploy.container import CACHE, VERDICT, Say, clean_root
from tests.hardware.archive import archive
from tests.hardware.guest_image import Debian

RELEASE = "bookworm"
MORE_PACKAGES = ("kmod", "usbip")
MODULES = (
    *("virtio_pci", "virtio_blk", "ext4", "crc32c_generic"),
    *("vhci_hcd", "cdc_acm", "ftdi_sio", "pl2303", "cp210x", "ch341"),
)
"""For the disk, then for the shoe: the kernel's side of USB/IP, and every driver that the package loads at boot."""
DISK_MEGABYTES = 1500
MACHINE = (
    *("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "1024"),
    *("-accel", "tcg,thread=multi", "-nodefaults", "-nic", "none", "-display", "none"),
    *("-serial", "stdio", "-no-reboot"),
)

FIRST_PROGRAM = """\
#!/bin/busybox sh
# Finds the disk and hands over to Debian's systemd.
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /disk
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do insmod "/modules/$module"; done </modules/order
until mount -t ext4 /dev/vda /disk 2>/dev/null; do sleep 0.2; done
mount --move /dev /disk/dev
umount /sys /proc
exec switch_root /disk /sbin/init
"""

TRIAL_UNIT = """\
[Unit]
After=basic.target

[Service]
Type=oneshot
ExecStartPre=/bin/mkdir -p /run/trial
ExecStartPre=/bin/mount -o ro /dev/vdb /run/trial
ExecStart=/bin/sh -c '/run/trial/arm64_trial.sh /run/trial/later.deb >/dev/ttyAMA0 2>&1'
ExecStopPost=/bin/systemctl poweroff --no-block
"""


DISK = CACHE / "arm64.disk"
KERNEL = CACHE / "arm64.kernel"
FIRST_FILES = CACHE / "arm64.initrd"
STAMP = CACHE / "arm64.built-from"


def make_once(say: Say) -> None:
    """Make the machine, unless one that was made from this very recipe is there."""
    recipe = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == recipe:
        return
    STAMP.unlink(missing_ok=True)
    _let_programs_run()
    with clean_root(RELEASE, say, *MORE_PACKAGES, arch="arm64") as root, tempfile.TemporaryDirectory() as folder:
        _make(root, Path(folder), say)
    STAMP.write_text(recipe, encoding="utf-8")


def _let_programs_run() -> None:
    """Have the kernel start programs of arm64 through qemu-user, where installing it has not set that up."""
    test = ["arch-test", "arm64"]
    if subprocess.run(test, check=False, capture_output=True).returncode:
        _run("update-binfmts", "--enable", "qemu-aarch64")
        if subprocess.run(test, check=False, capture_output=True).returncode:
            raise SystemExit("This kernel does not start programs of arm64: it needs binfmt_misc and qemu-user-static.")


def _make(root: Path, work: Path, say: Say) -> None:
    say("fetching Debian's kernel")
    debian = Debian(work / "apt", "arm64")
    debian.update()
    unpacked, first = work / "kernel", work / "first"
    debian.unpack_alone(unpacked, debian.depends_on("linux-image-arm64", "linux-image-"))
    debian.unpack_alone(first, "busybox-static")
    (image,) = unpacked.glob("boot/vmlinuz-*")
    shutil.copy(image, KERNEL)
    _take_modules(unpacked, image.name.removeprefix("vmlinuz-"), first / "modules", root)
    (first / "init").write_text(FIRST_PROGRAM, encoding="utf-8")
    (first / "init").chmod(0o755)
    FIRST_FILES.write_bytes(archive(first))
    _prepare_services(root)
    make_disk(root, DISK, DISK_MEGABYTES)


def _take_modules(unpacked: Path, version: str, first: Path, root: Path) -> None:
    """Our modules and all that they need: in their order for the first program, and as Debian has them for the rest."""
    _run("depmod", "--basedir", str(unpacked), version)
    folder = unpacked / "lib/modules" / version
    order = list(_with_needs(folder))
    first.mkdir(parents=True)
    target = root / "lib/modules" / version
    for module in order:
        content = (folder / module).read_bytes()
        plain = lzma.decompress(content) if module.endswith(".xz") else content
        name = Path(module).name.removesuffix(".xz")
        (first / name).write_bytes(plain)
        (target / module).parent.mkdir(parents=True, exist_ok=True)
        (target / module).write_bytes(content)
    disk_only = [name for name in order if "usb" not in name]
    (first / "order").write_text("".join(f"{Path(name).name.removesuffix('.xz')}\n" for name in disk_only))
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(folder / name, target)
    _run("depmod", "--basedir", str(root), version)


def _with_needs(folder: Path) -> Iterator[str]:
    """Paths below `folder`, each after those it needs. What is built into the kernel is not among them."""
    needs: dict[str, list[str]] = {}
    for line in (folder / "modules.dep").read_text(encoding="utf-8").splitlines():
        module, _, rest = line.partition(":")
        needs[module] = rest.split()
    by_name = {Path(module).name.partition(".")[0].replace("-", "_"): module for module in needs}
    wanted = [by_name[name] for name in MODULES if name in by_name]
    # depmod lists what a module needs with the farthest last.
    return iter(dict.fromkeys(each for module in wanted for each in (*reversed(needs[module]), module)))


def _prepare_services(root: Path) -> None:
    units = root / "etc/systemd/system"
    (units / "multi-user.target.wants").mkdir(parents=True, exist_ok=True)
    (units / "trial.service").write_text(TRIAL_UNIT, encoding="utf-8")
    (units / "multi-user.target.wants" / "trial.service").symlink_to("/etc/systemd/system/trial.service")
    # The serial line is the trial's own.
    (units / "serial-getty@ttyAMA0.service").symlink_to("/dev/null")
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n", encoding="utf-8")
    (root / "etc/hostname").write_text("table\n", encoding="utf-8")


def make_disk(folder: Path, disk: Path, megabytes: int) -> None:
    disk.unlink(missing_ok=True)
    _run("mke2fs", "-q", "-t", "ext4", "-d", str(folder), str(disk), f"{megabytes}M")


def boot(disks: tuple[str, ...], longest: int, say: Say) -> bool:
    """Let the machine run until it switches itself off; whether its trial passed."""
    words = [*MACHINE, "-kernel", str(KERNEL), "-initrd", str(FIRST_FILES)]
    words += [word for disk in disks for word in ("-drive", disk)]
    words += ["-append", "console=ttyAMA0 loglevel=3 panic=-1 systemd.show_status=no root=/dev/vda rw"]
    machine = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    alarm = threading.Timer(longest, machine.kill)
    alarm.start()
    lines: list[str] = []
    try:
        for line in machine.stdout or ():
            lines.append(line.rstrip())
            if lines[-1].startswith("trial: "):
                say(lines[-1].removeprefix("trial: "))
    finally:
        alarm.cancel()
        machine.kill()
        machine.wait()
    passed = VERDICT in lines
    if not passed:
        say("FAILED. The last lines were:\n" + "\n".join(lines[-60:]))
    return passed


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\nfailed:\n{done.stdout[-4000:]}{done.stderr}")
