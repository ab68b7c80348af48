"""`make deb`: builds the Debian package, for this machine or another, for Debian 12 or 13, on amd64 or arm64.

    python deploy/build_deb.py --suite bookworm --arch arm64

Everything that is not part of Debian is inside, under /opt/shoe-controller: nothing is fetched when it is installed.
Libraries are those of `dependencies.lock`, each checked against its hash, and the project is built with the tools of
`build.lock`; `make lock` renews both. So the same commit gives the same bytes. `sbom.cdx.json` lists what is inside.
Needs pip with access to packages, and dpkg-deb.
"""
# ruff: noqa: INP001 - a stand-alone program, not part of a package

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sbom import bill_of_materials

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
PREFIX = Path("opt/shoe-controller")
LIBRARIES = PREFIX / "lib"
LOCK, BUILD_LOCK = DEPLOY / "dependencies.lock", DEPLOY / "build.lock"
BILL = PREFIX / "sbom.cdx.json"

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
LOCKED = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement")
"""With a lock behind them: these versions, and of each only the files whose hashes are there."""


class Suite(NamedTuple):
    python: str
    """The version of Debian's own Python, for which compiled libraries are built."""
    next_python: str
    tag: str


SUITES = {"bookworm": Suite("3.11", "3.12", "deb12"), "trixie": Suite("3.13", "3.14", "deb13")}

PLATFORMS = {"amd64": "x86_64", "arm64": "aarch64"}
MANYLINUX = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
"""Wheels that Debian 12 can run; newer ones need a newer C library."""

FILES = {
    "systemd/*.service": "usr/lib/systemd/system",
    "udev/*.rules": "usr/lib/udev/rules.d",
    "sysusers.d/*.conf": "usr/lib/sysusers.d",
    "tmpfiles.d/*.conf": "usr/lib/tmpfiles.d",
    "modules-load.d/*.conf": "usr/lib/modules-load.d",
    "kiosk/shoe-kiosk": "usr/lib/shoe-controller",
    "kiosk/kiosk.env": "usr/share/doc/shoe-controller/examples",
    "mosquitto/*": "usr/share/doc/shoe-controller/mosquitto",
}
SERVICES = (
    *("shoe-controller.service", "shoe-controller@.service"),
    *("shoe-board.service", "shoe-console.service", "shoe-console@.service", "shoe-witness.service"),
    "shoe-pit.service",
    "shoe-archive.service",
)
KNOWS_BACKOFF = ("trixie",)
"""Suites whose systemd supports the keys of `backoff.conf`."""

LAUNCHER = """\
#!/usr/bin/python{python} -I
# Only our own libraries and Python's: nothing in a home folder or in /usr/local can get in between.
import sys

sys.path.insert(0, "/{libraries}")
from {module} import main

# Processes that a command starts for more cores read this file too.
if __name__ == "__main__":
    sys.exit(main())
"""

COMMANDS = {
    "shoe-controller": "shoe_controller.cli",
    "shoe-emulator": "simulator.cli",
    "shoe-conformance": "shoe_controller.conformance.cli",
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the Debian package.")
    own = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607 - Debian's own
    parser.add_argument("--suite", choices=SUITES, default=_own_suite())
    parser.add_argument("--arch", choices=PLATFORMS, default=own)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument("--version", help="a version other than pyproject.toml's, for tests")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="shoe-deb-") as folder:
        package = build(Path(folder), args.suite, args.arch, args.output, args.version)
    sys.stdout.write(f"{package}\n")
    return 0


def _own_suite() -> str:
    """This machine's release, if we build for it; Raspberry Pi OS uses the code name of its Debian."""
    try:
        name = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        name = ""
    return name if name in SUITES else "bookworm"


def build(work: Path, suite: str, arch: str, output: Path, version: str | None = None) -> Path:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    full_version = f"{version or project['version']}~{SUITES[suite].tag}"
    tree = work / "tree"
    tree.mkdir(mode=0o755)
    installed = _install_libraries(work, tree / LIBRARIES, suite, arch)
    (tree / BILL).write_text(bill_of_materials(version or project["version"], installed), encoding="utf-8")
    _install_files(tree, suite)
    versions = _versions(tree / LIBRARIES)
    _write_control(tree, suite, arch, full_version, project["description"])
    package = output / f"shoe-controller_{full_version}_{arch}.deb"
    pack(tree, package)
    package.with_name(f"{package.name}.versions").write_text(
        "".join(f"{each}\n" for each in versions), encoding="utf-8"
    )
    return package


def wheels_for(python: str, arch: str) -> list[str]:
    """The options with which pip takes wheels for that Python on that machine, and nothing else."""
    platforms = [word for each in MANYLINUX for word in ("--platform", f"{each}_{PLATFORMS[arch]}")]
    return ["--only-binary", ":all:", "--python-version", python, "--implementation", "cp", *platforms]


def build_project(work: Path, output: Path, kind: str) -> Path:
    """Build the project's own `wheel` or `sdist` with the locked tools; `work` keeps these for the next call."""
    tools = work / "tools"
    if not tools.exists():
        run(*PIP, "install", "--target", str(tools), *LOCKED, str(BUILD_LOCK))
    set_time()
    build = (sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(output))
    run(*build, environment={"PYTHONPATH": str(tools)}, folder=ROOT)
    (built,) = output.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def _install_libraries(work: Path, target: Path, suite: str, arch: str) -> list[dict[str, Any]]:
    """Install the project and its locked dependencies, as wheels for the target machine; what pip reports of them."""
    report = work / "report.json"
    wheel = build_project(work, work / "wheels", "wheel")
    install = (*PIP, "install", "--no-compile", "--target", str(target), *wheels_for(SUITES[suite].python, arch))
    run(*install, "--report", str(report), *LOCKED, str(LOCK))
    run(*install, "--no-deps", str(wheel))
    shutil.rmtree(target / "bin", ignore_errors=True)
    for folder in target.glob("*.dist-info"):
        # Installer metadata differs from machine to machine, and is of no use.
        for name in ("RECORD", "direct_url.json", "INSTALLER", "REQUESTED"):
            (folder / name).unlink(missing_ok=True)
    for cache in list(target.rglob("__pycache__")):
        shutil.rmtree(cache)
    found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def _install_files(tree: Path, suite: str) -> None:
    for pattern, place in FILES.items():
        for file in sorted(DEPLOY.glob(pattern)):
            _copy(file, tree / place / file.name, executable=os.access(file, os.X_OK))
    if suite in KNOWS_BACKOFF:
        for service in SERVICES:
            _copy(DEPLOY / "systemd" / "backoff.conf", tree / f"usr/lib/systemd/system/{service}.d/backoff.conf")
    for document in sorted((ROOT / "docs").glob("*.*")):
        _copy(document, tree / "usr/share/doc/shoe-controller" / document.name)
    for name in ("README.md", "CHANGELOG.md"):
        _copy(ROOT / name, tree / "usr/share/doc/shoe-controller" / name)
    for command, module in COMMANDS.items():
        launcher = tree / PREFIX / "bin" / command
        launcher.parent.mkdir(parents=True, exist_ok=True)
        launcher.write_text(LAUNCHER.format(python=SUITES[suite].python, libraries=LIBRARIES, module=module))
        launcher.chmod(0o755)
        link = tree / "usr/bin" / command
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"/{PREFIX}/bin/{command}")


def _write_control(tree: Path, suite: str, arch: str, version: str, description: str) -> None:
    control = tree / "DEBIAN"
    control.mkdir()
    size = sum(file.stat().st_size for file in tree.rglob("*") if file.is_file()) // 1024
    values = {
        "VERSION": version,
        "ARCHITECTURE": arch,
        "SIZE": str(size),
        "PYTHON": SUITES[suite].python,
        "NEXT_PYTHON": SUITES[suite].next_python,
        "DESCRIPTION": description,
    }
    text = (DEPLOY / "debian" / "control").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    (control / "control").write_text(text, encoding="utf-8")
    for name in ("postinst", "prerm", "postrm"):
        script = (DEPLOY / "debian" / name).read_text(encoding="utf-8").replace("@PYTHON@", SUITES[suite].python)
        (control / name).write_text(script, encoding="utf-8")
        (control / name).chmod(0o755)


def pack(tree: Path, package: Path) -> None:
    """Make the package from a tree; its bytes depend on the names and contents of the files alone."""
    _make_reproducible(tree)
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(package))


def _make_reproducible(tree: Path) -> None:
    """Set one time for all files, and modes that do not depend on the build machine."""
    moment = set_time()
    for path in (*sorted(tree.rglob("*"), reverse=True), tree):
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if executable else 0o644)
        os.utime(path, (moment, moment), follow_symlinks=False)


def set_time() -> int:
    """Give every file that is written from here on, by tools too, the one time that is returned, in seconds."""
    moment = os.environ.get("SOURCE_DATE_EPOCH") or _time_of_commit()
    os.environ["SOURCE_DATE_EPOCH"] = moment
    return int(moment)


def _time_of_commit() -> str:
    """Return the commit's time; without git, that of the files: an archive of a commit has the commit's."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        return run("git", "-C", str(ROOT), "log", "-1", "--format=%ct").strip()
    return str(int((ROOT / "pyproject.toml").stat().st_mtime))


def _versions(libraries: Path) -> Iterator[str]:
    return iter(sorted(folder.name.removesuffix(".dist-info") for folder in libraries.glob("*.dist-info")))


def _copy(file: Path, target: Path, *, executable: bool = False) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    target.chmod(0o755 if executable else 0o644)


def run(*command: str, environment: dict[str, str] | None = None, folder: Path | None = None) -> str:
    done = subprocess.run(  # noqa: S603 - our own words
        command, capture_output=True, text=True, check=False, cwd=folder, env=os.environ | (environment or {})
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\nfailed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
