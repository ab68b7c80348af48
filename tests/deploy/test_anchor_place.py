"""Where `init` puts the anchor: the choice among mounted file systems, the folder, and what the unit needs for it."""

import os
import subprocess
from pathlib import Path

import pytest

from shoe_controller.config.table import ANCHORS, JOURNALS
from shoe_controller.config.table_file import load_config
from shoe_controller.setup.anchor_place import (
    choose_folder,
    folder_on,
    make_anchor_folder,
    mount_of,
    mounted_at_every_boot,
    other_file_systems,
    read_mounts,
    unit_addition,
)
from shoe_controller.setup.apply import Places, plan
from tests.daemon.programs import COMMANDS
from tests.deploy.new_house import command, init
from tests.deploy.renew import ONE_TABLE
from tests.deploy.test_units import needs_systemd

ROOT = "27 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 rw"
FSTAB = """\
# the disks of this machine
proc /proc proc defaults 0 0
PARTUUID=1-01 /boot/firmware vfat defaults 0 2
PARTUUID=1-02 / ext4 defaults,noatime 0 1
LABEL=data /data ext4 defaults 0 2
LABEL=more /mnt/second\\040disk xfs rw 0 2
LABEL=home /home ext4 defaults 0 2
LABEL=var /var ext4 defaults 0 2
LABEL=stick /media/stick ext4 defaults,nofail 0 2
LABEL=later /later ext4 noauto 0 2
nas:/export /nas nfs4 defaults 0 0
LABEL=fat /fat vfat defaults 0 2
tmp /scratch tmpfs defaults 0 0
/data/shared /shared none bind 0 0
LABEL=usr /usr ext4 defaults 0 2
LABEL=pool /pool btrfs subvol=@data 0 0
"""
OWN = "/var/lib/shoe-controller/t1.journal"

CASES: dict[str, tuple[list[str], str, str | None]] = {
    "one disk": ([ROOT], OWN, None),
    "a second disk": ([ROOT, "30 27 8:1 / /data rw - ext4 /dev/sda1 rw"], OWN, "/data"),
    "a name with a space": (
        [ROOT, r"30 27 8:1 / /mnt/second\040disk rw shared:7 master:2 - xfs /dev/sda1 rw"],
        OWN,
        "/mnt/second disk",
    ),
    "the first of two": (
        [ROOT, "31 27 8:2 / /mnt/second\\040disk rw - xfs /dev/sdb1 rw", "30 27 8:1 / /data rw - ext4 /dev/sda1 rw"],
        OWN,
        "/data",
    ),
    "a subvolume of another disk": ([ROOT, "30 27 0:40 /@data /pool rw - btrfs /dev/sda1 rw"], OWN, "/pool"),
    "read-only mount": ([ROOT, "30 27 8:1 / /data ro - ext4 /dev/sda1 rw"], OWN, None),
    "failed disk": ([ROOT, "30 27 8:1 / /data rw - ext4 /dev/sda1 ro"], OWN, None),
    "not in fstab": ([ROOT, "30 27 8:1 / /media/usb rw - ext4 /dev/sda1 rw"], OWN, None),
    "a boot does without it": ([ROOT, "30 27 8:1 / /media/stick rw - ext4 /dev/sda1 rw"], OWN, None),
    "mounted by hand": ([ROOT, "30 27 8:1 / /later rw - ext4 /dev/sda1 rw"], OWN, None),
    "network": ([ROOT, "30 27 0:50 / /nas rw - nfs4 nas:/export rw"], OWN, None),
    "memory": ([ROOT, "30 27 0:51 / /scratch rw - tmpfs tmp rw"], OWN, None),
    "without owners and modes": ([ROOT, "30 27 8:1 / /fat rw - vfat /dev/sda1 rw"], OWN, None),
    "the boot loader's": ([ROOT, "30 27 179:1 / /boot/firmware rw - vfat /dev/mmcblk0p1 rw"], OWN, None),
    "hidden from the service": ([ROOT, "30 27 8:1 / /home rw - ext4 /dev/sda1 rw"], OWN, None),
    "the system's programs": ([ROOT, "30 27 8:1 / /usr rw - ext4 /dev/sda1 rw"], OWN, None),
    "a part of another one": ([ROOT, "30 27 8:1 /shared /shared rw - ext4 /dev/sda1 rw"], OWN, None),
    "the same disk a second time": ([ROOT, "30 27 179:2 / /data rw - ext4 /dev/mmcblk0p2 rw"], OWN, None),
    "a subvolume of the same disk": (
        ["27 1 0:30 /@ / rw - btrfs /dev/sda1 rw", "30 27 0:31 /@data /pool rw - btrfs /dev/sda1 rw"],
        OWN,
        None,
    ),
    "overlay, as in a container": (
        ["27 1 0:60 / / rw - overlay overlay rw", "30 27 8:1 /c/hosts /etc/hosts rw - ext4 /dev/sda1 rw"],
        OWN,
        None,
    ),
    "overlay with a disk": (
        ["27 1 0:60 / / rw - overlay overlay rw", "30 27 8:1 / /data rw - ext4 /dev/sda1 rw"],
        OWN,
        "/data",
    ),
    "/var of its own": ([ROOT, "30 27 8:1 / /var rw - ext4 /dev/sda1 rw"], OWN, "/"),
    "/var of its own, and a disk for data": (
        [ROOT, "30 27 8:1 / /var rw - ext4 /dev/sda1 rw", "31 27 8:2 / /data rw - ext4 /dev/sdb1 rw"],
        OWN,
        "/data",
    ),
    "the journal on the second disk": ([ROOT, "30 27 8:1 / /data rw - ext4 /dev/sda1 rw"], "/data/t1.journal", None),
    "another mounted over it": (
        [ROOT, "30 27 8:1 / /data rw - ext4 /dev/sda1 rw", "31 30 0:52 / /data rw - tmpfs tmp rw"],
        OWN,
        None,
    ),
    "nothing known": ([], OWN, None),
}


@pytest.mark.parametrize("case", CASES)
def test_the_anchor_goes_to_another_lasting_file_system(case: str) -> None:
    lines, journal, chosen = CASES[case]
    found = other_file_systems(read_mounts("\n".join(lines)), mounted_at_every_boot(FSTAB), Path(journal))
    assert (str(found[0].point) if found else None) == chosen


def test_its_folder_there() -> None:
    data, root = read_mounts(f"30 27 8:1 / /data rw - ext4 /dev/sda1 rw\n{ROOT}")
    assert folder_on(data) == Path("/data/shoe-controller-anchor")
    assert folder_on(root) == Path("/srv/shoe-controller-anchor"), "not a folder at the top of the machine"


def test_this_machine_is_understood() -> None:
    mounts = read_mounts(Path("/proc/self/mountinfo").read_text(encoding="utf-8"))
    for place in (Path("/"), Path("/proc"), Path(__file__).resolve()):
        mount = mount_of(place, mounts)
        assert mount is not None
        assert place.stat().st_dev == mount.point.stat().st_dev


@pytest.mark.parametrize(
    ("point", "fits"),
    [("/opt", True), ("/var/local", False), ("/no/such/place", False)],
    ids=["root's", "open", "gone"],
)
def test_a_place_that_others_can_write_to_is_passed_over(tmp_path: Path, point: str, *, fits: bool) -> None:
    """Folders of this machine, taken for mount points: Debian lets its staff write to /var/local."""
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "mountinfo").write_text(f"{ROOT}\n30 27 8:1 / {point} rw - ext4 /dev/sda1 rw\n", "utf-8")
    fstab = tmp_path / "fstab"
    fstab.write_text(f"LABEL=data {point} ext4 defaults 0 2\n", "utf-8")
    chosen = choose_folder(tmp_path / "t1.journal", tmp_path, fstab)
    assert (None if chosen is None else chosen[0]) == (Path(point) / "shoe-controller-anchor" if fits else None)
    assert choose_folder(tmp_path / "no_folder" / "t1.journal", tmp_path, fstab) is None
    assert choose_folder(tmp_path / "t1.journal", tmp_path / "no_proc", fstab) is None


# --- what is made for it ---------------------------------------------------------------------------------------------


def test_the_folder_belongs_to_the_journals_owner(tmp_path: Path) -> None:
    home = tmp_path / "journals"
    anchor = tmp_path / "disk" / "anchors" / "t1.anchor"
    assert make_anchor_folder(anchor, home / "t1.journal") is None, "there is no owner yet"
    home.mkdir()
    if os.geteuid() == 0:
        os.chown(home, 4321, 1234)
    assert make_anchor_folder(anchor, home / "t1.journal") == anchor.parent
    for made in (anchor.parent, anchor.parent.parent):
        found, owner = made.stat(), home.stat()
        assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (owner.st_uid, owner.st_gid, 0o750)
    anchor.parent.chmod(0o700)
    assert make_anchor_folder(anchor, home / "t1.journal") is None
    assert anchor.parent.stat().st_mode & 0o777 == 0o700, "a folder that was there is left alone"


def test_init_makes_the_folder_and_the_table_knows_it(tmp_path: Path) -> None:
    house = tmp_path / "house"
    answer = init(house)
    folder = house / "anchor"
    assert f"{folder}: made, for the anchor" in answer.out
    assert folder.stat().st_mode & 0o777 == 0o750
    config = load_config(house / "table.toml")
    assert config.journal is not None
    assert config.journal.anchor == folder / "t1.anchor"
    folder.rmdir()
    assert f"{folder}: made, for the anchor" in command("init", str(house)).out


def test_a_table_that_no_unit_runs_keeps_the_default_and_asks_nothing_of_systemd(tmp_path: Path) -> None:
    words = ("--site", "n", "--table", "t", "--port", "/dev/x", "--no-broker", "--insecure")
    answer = command("init", str(tmp_path / "house"), *words)
    assert answer.exit_code == 0, answer.err
    config = load_config(tmp_path / "house" / "table.toml")
    assert config.journal is not None
    assert config.journal.anchor == ANCHORS / "n-t.anchor"
    assert config.journal.file == JOURNALS / "t.journal"


@pytest.mark.parametrize(
    ("file", "unit"), [("table.toml", "shoe-controller.service"), ("t2.toml", "shoe-controller@t2.service")]
)
def test_the_unit_may_write_to_an_anchor_elsewhere(tmp_path: Path, file: str, unit: str) -> None:
    new = ONE_TABLE._replace(broker_host=None, anchor="/data/shoe-controller-anchor/north-t1.anchor")
    places = Places(tmp_path / "etc", tmp_path / "broker", file, units=tmp_path / "units")
    planned = {each.file: each for each in plan(new, places)}
    addition = planned[tmp_path / "units" / f"{unit}.d" / "anchor.conf"]
    assert b'\nReadWritePaths="-/data/shoe-controller-anchor"\n' in addition.content
    assert addition.ours, "it is written again when the place changes"
    assert b'\nanchor = "/data/shoe-controller-anchor/north-t1.anchor"\n' in planned[tmp_path / "etc" / file].content
    for other in (new._replace(anchor=None), new):
        without = places._replace(units=None) if other is new else places
        assert not [each for each in plan(other, without) if each.file.name == "anchor.conf"]


@needs_systemd
@pytest.mark.parametrize("folder", ["/data/anchor", '/data/my disk/100% "a\\b"/anchor'])
def test_systemd_understands_the_addition(tmp_path: Path, folder: str) -> None:
    units = tmp_path / "units"
    (units / "shoe-controller.service.d").mkdir(parents=True)
    (units / "shoe-controller.service.d" / "anchor.conf").write_text(unit_addition(Path(folder)), "utf-8")
    (units / "shoe-controller.service").write_text("[Service]\nExecStart=/bin/true\nProtectSystem=strict\n", "utf-8")
    done = subprocess.run(
        ["/usr/bin/systemd-analyze", "verify", "--man=no", "shoe-controller.service"],
        capture_output=True,
        text=True,
        check=False,
        env={"SYSTEMD_UNIT_PATH": f"{units}:", "PATH": os.environ["PATH"]},
    )
    assert not [line for line in done.stderr.splitlines() if "anchor.conf" in line], done.stderr


def test_a_folder_that_a_unit_cannot_name_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be named in a unit"):
        unit_addition(Path("/data/\n[Service]\nUser=root"))


# --- as installed ----------------------------------------------------------------------------------------------------

NAMESPACE = ("/usr/bin/unshare", "--mount")
INSTALLED = """
set -e
cd "$1"
mkdir disk && mount -t tmpfs none disk
for place in etc var; do
    mkdir "disk/$place" "disk/$place.work"
    mount -t overlay -o "lowerdir=/$place,upperdir=disk/$place,workdir=disk/$place.work" none "/$place"
done
mount -t tmpfs -o mode=755 none /srv
mkdir -p /var/lib/shoe-controller /etc/systemd/system
chown 4321:1234 /var/lib/shoe-controller
cp fstab /etc/fstab
init() { (mount --bind mountinfo "/proc/$BASHPID/mountinfo" && exec "$program" init "$@" </dev/null); }
program=$2
init --site north --table t1 --port /dev/x --no-broker --insecure
stat -c '%n %u:%g %a' /srv/shoe-controller-anchor
grep '^anchor =' /etc/shoe-controller/table.toml
cat /etc/systemd/system/shoe-controller.service.d/anchor.conf
echo again
init
"""
"""Everything that it writes to is in memory, in a mount namespace that ends with it."""


def test_the_installed_table_gets_all_of_it(tmp_path: Path) -> None:
    try_it = [*NAMESPACE, "mount", "-t", "tmpfs", "none", "/srv"]
    if subprocess.run(try_it, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount anything")
    (tmp_path / "mountinfo").write_text(f"{ROOT}\n30 27 8:1 / /srv rw - ext4 /dev/sda1 rw\n", "utf-8")
    (tmp_path / "fstab").write_text("LABEL=data /srv ext4 defaults 0 2\n", "utf-8")
    done = subprocess.run(
        [*NAMESPACE, "bash", "-c", INSTALLED, "bash", str(tmp_path), str(COMMANDS / "shoe-controller")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, _, again = done.stdout.partition("again\n")
    assert "The anchor goes to /srv/shoe-controller-anchor: /srv (ext4) is not the journal's file system.\n" in first
    assert "/srv/shoe-controller-anchor 4321:1234 750\n" in first
    assert 'anchor = "/srv/shoe-controller-anchor/north-t1.anchor"\n' in first
    assert 'ReadWritePaths="-/srv/shoe-controller-anchor"\n' in first
    assert "made" not in again
    assert "The anchor goes" not in again, "a place that was chosen once is kept"
