"""`make release`: everything that a release consists of, as the folder dist/shoe-controller-VERSION.

| file                           | what it is                                                                         |
|--------------------------------|------------------------------------------------------------------------------------|
| `wheels/`                      | the project's own wheel and those of its libraries, for Python 3.11 and 3.13, on   |
|                                | amd64 and arm64, and pip for pipx: pipx, uvx and pip need no network beside it     |
| `shoe_controller-….tar.gz`     | the source distribution, which gives the same wheel                                |
| `shoe-controller_….deb`        | the packages, for Debian 12 and 13, on amd64 and arm64                             |
| `sbom.cdx.json`                | every library of the program, with version, licence and hashes                     |
| `SHA256SUMS`                   | of all of these: `sha256sum --check SHA256SUMS`                                    |

Libraries are those of `dependencies.lock`, each checked against its hash. The same commit gives the same bytes,
wherever the same zlib and xz pack them. What is not committed is refused. A folder of the same name is replaced when
the new one is whole. Needs pip with access to packages, and dpkg-deb.
"""
# ruff: noqa: INP001 - a stand-alone program, not part of a package

import argparse
import hashlib
import shutil
import sys
import tempfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

from build_deb import LOCK, LOCKED, PIP, PLATFORMS, ROOT, SUITES, build, build_project, run, wheels_for
from sbom import bill_of_materials

WHEELS, SOURCE, PACKAGES = PARTS = ("wheels", "source", "packages")
PIPX_LOCK = LOCK.with_name("pipx.lock")
"""pip, of which the pipx of Debian 13 wants a newer one than Python brings along before it installs anything."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Build a release.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all of them)")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument("--uncommitted", action="store_true", help="also with changes, for tests")
    args = parser.parse_args()
    unknown = [part for part in args.parts if part not in PARTS]
    if unknown:
        parser.error(f"{unknown[0]!r} is not a part of a release: name some of {', '.join(PARTS)}, or none for all")
    if not args.uncommitted:
        _refuse_changes()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    release = args.output / f"shoe-controller-{version}"
    args.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".release-", dir=args.output) as folder:
        made = Path(folder, release.name)
        made.mkdir(mode=0o755)
        make(Path(folder), made, version, args.parts or list(PARTS))
        shutil.rmtree(release, ignore_errors=True)
        made.rename(release)
    sys.stdout.write(f"{release}\n")
    return 0


def _refuse_changes() -> None:
    if (ROOT / ".git").exists():
        changed = run("git", "-C", str(ROOT), "status", "--porcelain")
        if changed:
            raise SystemExit(
                f"These files are not as committed, so nobody could build this release again:\n{changed}"
                "Commit them, move them away, or build from a clean clone."
            )


def make(work: Path, release: Path, version: str, parts: list[str]) -> None:
    if WHEELS in parts:
        _say("the wheels")
        collect_wheels(work, release / "wheels")
        bill = bill_of_materials(version, [_described(file) for file in sorted((release / "wheels").glob("*.whl"))])
        (release / "sbom.cdx.json").write_text(bill, encoding="utf-8")
        run(*PIP, "download", "--dest", str(release / "wheels"), *LOCKED, str(PIPX_LOCK))
    if SOURCE in parts:
        _say("the source distribution")
        build_project(work, release, "sdist")
    if PACKAGES in parts:
        for suite in SUITES:
            for arch in PLATFORMS:
                _say(f"the package for {suite} on {arch}")
                with tempfile.TemporaryDirectory(prefix="deb-", dir=work) as folder:
                    package = build(Path(folder), suite, arch, Path(folder))
                    package.rename(release / package.name)
    files = sorted(file for file in release.rglob("*") if file.is_file())
    for file in files:
        file.chmod(0o644)
    sums = [f"{_sha256(file)}  {file.relative_to(release)}\n" for file in files]
    (release / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def collect_wheels(work: Path, folder: Path) -> None:
    """The project's own wheel, and those of its locked libraries for every target."""
    build_project(work, folder, "wheel")
    for suite in SUITES.values():
        for arch in PLATFORMS:
            run(*PIP, "download", "--dest", str(folder), *wheels_for(suite.python, arch), *LOCKED, str(LOCK))


def _described(wheel: Path) -> dict[str, Any]:
    """A wheel, as pip's installation report would list it."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA") and name.count("/") == 1)
        fields = message_from_bytes(packed.read(name))
    metadata = {
        "name": fields["Name"],
        "version": fields["Version"],
        "license_expression": fields["License-Expression"],
        "license": fields["License"],
        "classifier": fields.get_all("Classifier", []),
    }
    return {"metadata": metadata, "download_info": {"archive_info": {"hashes": {"sha256": _sha256(wheel)}}}}


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _say(what: str) -> None:
    sys.stderr.write(f"building {what}\n")


if __name__ == "__main__":
    sys.exit(main())
