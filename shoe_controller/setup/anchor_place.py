"""Where a new table's anchor goes: to another lasting file system than the journal's, if one is mounted.

An older copy of a whole disk brings an older anchor along, if that lies on the same disk.
"""

import os
import re
import stat
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from shoe_controller.config.plain_files import make_folder
from shoe_controller.config.table import ANCHORS

LASTING = frozenset({"btrfs", "ext3", "ext4", "f2fs", "xfs"})
"""File systems of a local disk that keep owners and modes, and after a power cut what was synced."""

NOT_FOR_DATA = tuple(
    map(Path, ("/boot", "/dev", "/efi", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/usr", "/var/tmp"))  # noqa: S108 - places to stay out of
)
"""Places of the system, those that are emptied, and those that the service's unit hides from it."""

DATA_ON_ROOT = Path("/srv")
"""Where data lies on the root file system, if /var is another one."""

MAY_BE_AWAY = frozenset({"noauto", "nofail"})
"""Options in fstab of a file system that a boot does without."""


class Mount(NamedTuple):
    """A mounted file system, as a line of /proc/self/mountinfo has it."""

    point: Path
    kind: str
    source: str
    device: str
    """Major and minor number."""
    root: str
    """The folder of the file system that is shown at the mount point."""
    options: frozenset[str]
    """Of the mount and of the file system."""


def read_mounts(mountinfo: str) -> list[Mount]:
    """The mounts in the order in which they were made."""
    found = []
    for line in mountinfo.splitlines():
        of_mount, _, of_system = line.partition(" - ")
        _, _, device, root, point, options, *_ = of_mount.split(" ")
        kind, source, more = of_system.split(" ")[:3]
        all_options = frozenset((*options.split(","), *more.split(",")))
        found.append(Mount(Path(_unescaped(point)), kind, _unescaped(source), device, _unescaped(root), all_options))
    return found


def mounted_at_every_boot(fstab: str) -> frozenset[Path]:
    """The mount points of fstab that a boot waits for."""
    fields = [line.split() for line in fstab.splitlines() if not line.lstrip().startswith("#")]
    return frozenset(
        Path(_unescaped(each[1])) for each in fields if len(each) > 3 and not MAY_BE_AWAY & set(each[3].split(","))
    )


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)


def mount_of(path: Path, mounts: Sequence[Mount]) -> Mount | None:
    """The mount that a path without symbolic links lies on: the innermost, and of two at one point the later."""
    around = [mount for mount in mounts if path.is_relative_to(mount.point)]
    return max(reversed(around), key=lambda mount: len(mount.point.parts), default=None)


def folder_on(mount: Mount) -> Path:
    """The folder of anchors on a file system."""
    return (DATA_ON_ROOT if mount.point == Path("/") else mount.point) / ANCHORS.name


def other_file_systems(
    mounts: Sequence[Mount], at_every_boot: Collection[Path], journal: Path, default: Path = ANCHORS
) -> list[Mount]:
    """The mounts on which the anchor of this journal is better kept than in the default folder, the best first.

    None if the default folder lies on another lasting file system than the journal.
    """
    here, usual = mount_of(journal, mounts), mount_of(default, mounts)
    if here is None or usual is None or (usual.kind in LASTING and not _same(usual, here)):
        return []
    fit = [
        mount
        for mount in mounts
        if mount.kind in LASTING
        and not _same(mount, here)
        and mount.point in at_every_boot
        and "ro" not in mount.options
        # Anything else shows a part of a file system in a second place; a btrfs is always shown by its subvolumes.
        and (mount.root == "/" or mount.kind == "btrfs")
        and not any(mount.point.is_relative_to(place) for place in NOT_FOR_DATA)
        and mount_of(folder_on(mount), mounts) == mount
    ]
    return sorted(fit, key=lambda mount: (mount.point == Path("/"), mount.point))


def _same(one: Mount, other: Mount) -> bool:
    return one.device == other.device or (one.source == other.source and one.source.startswith("/"))


def choose_folder(
    journal: Path, proc: Path = Path("/proc"), fstab: Path = Path("/etc/fstab")
) -> tuple[Path, Mount] | None:
    """The folder on this machine's best other file system; `None` where the default folder is as good as any.

    A place that others can write to is passed over: they could put another folder there.
    """
    if not journal.parent.is_dir():
        return None  # there is no owner yet to make the folder for
    try:
        mounts = read_mounts((proc / "self" / "mountinfo").read_text(encoding="utf-8", errors="surrogateescape"))
        at_every_boot = mounted_at_every_boot(fstab.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return None
    for mount in other_file_systems(mounts, at_every_boot, journal.resolve(), ANCHORS.resolve()):
        folder = folder_on(mount)
        if _is_closed(folder.parent):
            return folder, mount
    return None


def _is_closed(folder: Path) -> bool:
    try:
        found = folder.stat()
    except OSError:
        return False
    return found.st_uid == 0 and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def make_anchor_folder(anchor: Path, journal: Path) -> Path | None:
    """Make the anchor's folder for the owner of the journal's; returns it if it was missing.

    Nothing is made before the journal's folder is there: the service makes both in the default places.
    """
    folder, home = anchor.parent, journal.parent
    if folder.is_dir() or not home.is_dir():
        return None
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    make_folder(folder)
    if os.geteuid() == 0:
        owner = home.stat()
        for made in missing:
            os.chown(made, owner.st_uid, owner.st_gid)
    return folder


def unit_addition(folder: Path) -> str:
    """What the table's unit, which may write to its default folders alone, needs besides."""
    text = str(folder)
    if not text.isprintable():
        raise ValueError(f"the folder {text!r} cannot be named in a unit of systemd: choose another for the anchor")
    quoted = re.sub(r'(["\\])', r"\\\1", text).replace("%", "%%")
    return (
        "# Written by `shoe-controller init`. In this folder the table notes how far its journal has come. Without it\n"
        "# the table starts all the same, and logs that the anchor cannot be written.\n"
        f'[Service]\nReadWritePaths="-{quoted}"\n'
    )
