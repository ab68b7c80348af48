"""`make lock`: renews `dependencies.lock`, `build.lock` and `pipx.lock`, from which releases are made.

Resolves what pyproject.toml allows to the newest versions that exist for every target, and writes names, versions and
the hashes of the wheels of all targets; no addresses, no paths. Read the changes before you commit them. Needs pip
with access to packages.
"""
# ruff: noqa: INP001 - a stand-alone program, not part of a package

import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path

from build_deb import BUILD_LOCK, LOCK, PLATFORMS, ROOT, SUITES, wheels_for
from release import PIPX_LOCK

HEAD = "# Written by `make lock`: for Debian 12 and 13 (Python 3.11 and 3.13), amd64 and arm64.\n"


def main() -> int:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)
    for lock, wanted in (
        (LOCK, project["project"]["dependencies"]),
        (BUILD_LOCK, project["build-system"]["requires"]),
        (PIPX_LOCK, ["pip"]),
    ):
        lock.write_text(locked(wanted), encoding="utf-8")
        sys.stdout.write(f"{lock.name}\n")
    return 0


def locked(wanted: list[str]) -> str:
    """The lock for these requirements, in the format of pip's requirements files."""
    versions: dict[str, set[str]] = defaultdict(set)
    hashes: dict[str, set[str]] = defaultdict(set)
    for suite in SUITES:
        for arch in PLATFORMS:
            for name, version, sha256 in _resolved(wanted, suite, arch):
                versions[name].add(version)
                hashes[name].add(sha256)
    lines = [HEAD]
    for name in sorted(versions):
        if len(versions[name]) > 1:
            found = " and ".join(sorted(versions[name]))
            raise SystemExit(f"{name} is {found} on different targets: bound it in pyproject.toml to one of them.")
        (version,) = versions[name]
        lines.append(f"{name}=={version}")
        lines += [f" \\\n    --hash=sha256:{each}" for each in sorted(hashes[name])]
        lines.append("\n")
    return "".join(lines)


def _resolved(wanted: list[str], suite: str, arch: str) -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory(prefix="shoe-lock-") as folder:
        report = Path(folder, "report.json")
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        words += ["--target", folder, "--report", str(report), *wheels_for(SUITES[suite].python, arch), *wanted]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
        if done.returncode:
            raise SystemExit(f"pip found no versions for {suite} on {arch}:\n{done.stderr}")
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return [
        (
            each["metadata"]["name"].lower().replace("_", "-"),
            each["metadata"]["version"],
            each["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for each in found
    ]


if __name__ == "__main__":
    sys.exit(main())
