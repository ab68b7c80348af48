"""Builds the guest: Debian's stock kernel, a handful of its modules, Python and what it needs, as one archive.

Packages are taken apart, not installed, so no root is needed and nothing of the host changes. Built once and kept; the
project itself is put on top at every run, which a kernel allows by archives simply following one another.
"""

import hashlib
import lzma
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import requires, version
from pathlib import Path

from tests.hardware.archive import archive

PROJECT = Path(__file__).parents[2]
CACHE = PROJECT / ".cache" / "hardware"

PACKAGES = ("libc-bin", "python3", "libusb-1.0-0", "udev", "usbip", "busybox-static")
KERNEL = "linux-image-amd64"
MODULES = ("usb-common", "usbcore", "usbip-core", "vhci-hcd", "cdc-acm")
"""In the order in which they are loaded."""
LEFT_OUT_LIBRARIES = ("aiohttp", "rich")
"""No page is served in the guest, and no table is drawn."""
FURTHER_LIBRARIES = ("cffi",)
"""What libraries of the project need themselves."""
PROJECT_PARTS = (
    *("shoe_controller", "firmware_protocol", "simulator", "docs/table.example.toml", "deploy/udev"),
    *("tests/__init__.py", "tests/hardware", "tests/deploy/__init__.py", "tests/deploy/udev_checks.py"),
    *("tests/deploy/conversation.py", "tests/reckoning.py"),
    *("tests/simulator/__init__.py", "tests/simulator/agreement.py", "tests/simulator/live_controller.py"),
)
NOT_NEEDED = (
    *("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/i18n", "usr/share/zoneinfo", "usr/lib/locale"),
    *("usr/share/perl", "usr/share/perl5", "usr/share/misc", "usr/lib/udev/hwdb.d", "lib/udev/hwdb.d"),
    *("usr/lib/x86_64-linux-gnu/gconv", "usr/lib/x86_64-linux-gnu/perl-base", "usr/share/common-licenses"),
)


class Guest:
    """The two files that QEMU boots."""

    kernel = CACHE / "vmlinuz"
    base = CACHE / "base.cpio"
    initial_files = CACHE / "initrd"

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def prepare(self) -> None:
        stamp = CACHE / "built-from"
        recipe = hashlib.sha256(Path(__file__).read_bytes() + Path(__file__).with_name("archive.py").read_bytes())
        libraries = [f"{name}=={version(name)}" for name in _libraries()]
        recipe.update(" ".join(libraries).encode())
        if not stamp.exists() or stamp.read_text() != recipe.hexdigest():
            stamp.unlink(missing_ok=True)
            self._build(libraries)
            stamp.write_text(recipe.hexdigest())
        self._say("putting the project on top")
        self.initial_files.write_bytes(self.base.read_bytes() + self._project())

    def _build(self, libraries: list[str]) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / ".gitignore").write_text("*\n")
        work = CACHE / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        debian = Debian(work / "apt")
        self._say("reading Debian's package lists")
        debian.update()
        root = work / "root"
        self._say("fetching Python, udev, libusb and usbip")
        debian.unpack(root, *PACKAGES)
        self._say("fetching Debian's kernel")
        kernel = work / "kernel"
        debian.unpack_alone(kernel, debian.depends_on(KERNEL, "linux-image-"))
        self._say("making the guest's files")
        self.kernel.write_bytes(next(kernel.glob("boot/vmlinuz-*")).read_bytes())
        _take_modules(kernel, root / "modules")
        for path in NOT_NEEDED:
            shutil.rmtree(root / path, ignore_errors=True)
        _install_libraries(root, libraries)
        self.base.write_bytes(archive(root))
        shutil.rmtree(work)

    def _project(self) -> bytes:
        top = CACHE / "top"
        shutil.rmtree(top, ignore_errors=True)
        ignore = shutil.ignore_patterns("__pycache__")
        for part in PROJECT_PARTS:
            source, target = PROJECT / part, top / "project" / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=ignore)
            else:
                shutil.copy(source, target)
        _tell_version(top / "project")
        shutil.copy(Path(__file__).with_name("init"), top / "init")
        (top / "init").chmod(0o755)
        return archive(top)


class Debian:
    """The package lists and packages of the host's own release, in a folder of our own."""

    def __init__(self, folder: Path, architecture: str = "amd64") -> None:
        self._packages = folder / "cache" / "archives"
        (self._packages / "partial").mkdir(parents=True)
        (folder / "state" / "lists" / "partial").mkdir(parents=True)
        nothing_installed = folder / "status"
        nothing_installed.touch()
        self._options = [
            *("-qq", "-o", f"Dir::State={folder / 'state'}", "-o", f"Dir::Cache={folder / 'cache'}"),
            *("-o", f"Dir::State::status={nothing_installed}", "-o", "APT::Install-Recommends=false"),
            *("-o", "APT::Sandbox::User=", "-o", "Debug::NoLocking=true", "-o", f"APT::Architecture={architecture}"),
        ]

    def update(self) -> None:
        _run("apt-get", *self._options, "update")

    def depends_on(self, package: str, prefix: str) -> str:
        """The package beginning with `prefix` that a package of no content stands for."""
        depends = _run("apt-cache", *self._options, "depends", "--important", package)
        return next(name for name in depends.split() if name.startswith(prefix) and name != package)

    def unpack(self, root: Path, *packages: str) -> None:
        """The packages and all they depend on."""
        _run("apt-get", *self._options, "--yes", "--download-only", "install", *packages)
        self._unpack_all(root)

    def unpack_alone(self, root: Path, package: str) -> None:
        _run("apt-get", *self._options, "download", package, folder=self._packages)
        self._unpack_all(root)

    def _unpack_all(self, root: Path) -> None:
        for file in sorted(self._packages.glob("*.deb")):
            _run("dpkg-deb", "--extract", str(file), str(root))
            file.unlink()


def _take_modules(kernel: Path, target: Path) -> None:
    target.mkdir()
    for name in MODULES:
        (module,) = kernel.glob(f"**/{name}.ko*")
        content = module.read_bytes()
        (target / f"{name}.ko").write_bytes(lzma.decompress(content) if module.suffix == ".xz" else content)
    (target / "order").write_text("".join(f"{name}.ko\n" for name in MODULES))


def _tell_version(project: Path) -> None:
    """What an installed program knows of itself: the daemon writes its version into every journal."""
    known = project / "shoe_controller.dist-info"
    known.mkdir()
    text = f"Metadata-Version: 2.1\nName: shoe-controller\nVersion: {version('shoe-controller')}\n"
    (known / "METADATA").write_text(text, encoding="utf-8")


def _libraries() -> Iterator[str]:
    """The libraries that the project names, so that a new one is in the guest as well."""
    for requirement in requires("shoe-controller") or ():
        name, _, marker = requirement.partition(";")
        library = re.split("[^A-Za-z0-9_-]", name.strip(), maxsplit=1)[0]
        if "extra" not in marker and library not in LEFT_OUT_LIBRARIES:
            yield library
    yield from FURTHER_LIBRARIES


def _install_libraries(root: Path, libraries: list[str]) -> None:
    """The same versions as the host's, for the guest's Python."""
    python = next(path.name for path in sorted((root / "usr/bin").glob("python3.*")) if path.name[8:].isdigit())
    _run(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"),
        *("--target", str(root / "python"), "--python-version", python.removeprefix("python")),
        *("--platform", "manylinux2014_x86_64", "--only-binary", ":all:", *libraries),
    )


def _run(*command: str, folder: Path | None = None) -> str:
    try:
        return subprocess.run(command, cwd=folder, check=True, text=True, capture_output=True).stdout
    except FileNotFoundError as error:
        raise SystemExit(f"{command[0]} is missing: the guest is built from Debian's packages, on Debian.") from error
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{' '.join(command)}\nfailed:\n{error.stdout}{error.stderr}") from error
