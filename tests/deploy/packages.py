"""The two packages of a trial: one of an earlier commit, which is installed first, and one of the files as they are.

EARLIER=COMMIT chooses the earlier commit. Otherwise it is the newest that packs another program
than the files here: the last commit, if they were changed since. Nothing in the checkout is touched.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hardware.guest_image import PROJECT

BUILDER = Path("deploy", "build_deb.py")
PACKED = ("shoe_controller", "firmware_protocol", "simulator")
EARLIER_VERSION, LATER_VERSION = "0.1.0", "0.1.1"


class NoEarlierCommitError(Exception):
    """There is nothing to upgrade from; a sentence for whoever must act."""


def earlier_commit(checkout: Path = PROJECT, named: str | None = None) -> str:
    """The full name of the commit whose package is upgraded."""
    if _git(checkout, "rev-parse", "--git-dir") is None:
        raise NoEarlierCommitError(
            f"{checkout} is no git checkout, so there is no earlier commit to upgrade from: clone the repository."
        )
    if named is not None:
        return _named(checkout, named)
    for commit in (_git(checkout, "rev-list", "HEAD") or "").split():
        if not _builds(checkout, commit):
            break
        if _git(checkout, "diff", "--quiet", commit, "--", *PACKED) is None:
            return commit
    if _git(checkout, "rev-parse", "--is-shallow-repository") == "true":
        raise NoEarlierCommitError(
            "This clone is shallow, and no commit in it packs another program than the files here: get the others "
            "with `git fetch --unshallow`."
        )
    raise NoEarlierCommitError(
        f"No earlier commit that has {BUILDER} packs another program than the files here: name one with EARLIER=COMMIT."
    )


def _named(checkout: Path, name: str) -> str:
    commit = _git(checkout, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if commit is None:
        raise NoEarlierCommitError(
            f"EARLIER={name}: this clone has no such commit. If it is shallow, `git fetch --unshallow` gets the others."
        )
    if not _builds(checkout, commit):
        raise NoEarlierCommitError(f"EARLIER={name}: that commit has no {BUILDER} yet, so it gives no package.")
    return commit


def _builds(checkout: Path, commit: str) -> bool:
    return _git(checkout, "cat-file", "-e", f"{commit}:{BUILDER}") is not None


def unpack_commit(commit: str, folder: Path) -> None:
    """The files of a commit, as a clone of it would have them."""
    packed = subprocess.run(["git", "-C", str(PROJECT), "archive", commit], check=True, capture_output=True).stdout  # noqa: S607 - the git of whoever runs this
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "--extract", "--directory", str(folder)], check=True, input=packed)  # noqa: S607 - Debian's own


def copy_files(folder: Path) -> None:
    """The files as they are, without what git leaves out."""
    names = _git(PROJECT, "ls-files", "--cached", "--others", "--exclude-standard", "-z") or ""
    for name in filter(None, names.split("\0")):
        if (PROJECT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)


def earlier_package(commit: str, suite: str, output: Path) -> Path:
    """Built by that commit's own builder, from that commit's own files; once, for a commit does not change."""
    done = output / commit / f"{suite}.built"
    if done.exists():
        return Path(done.read_text(encoding="utf-8"))
    moment = _git(PROJECT, "log", "-1", "--format=%ct", commit) or ""
    with tempfile.TemporaryDirectory(prefix="shoe-earlier-") as folder:
        unpack_commit(commit, Path(folder))
        built = _built(Path(folder), suite, done.parent, EARLIER_VERSION, {"SOURCE_DATE_EPOCH": moment})
    done.write_text(str(built), encoding="utf-8")
    return built


def package(suite: str, output: Path, arch: str | None = None) -> Path:
    """Of the files as they are."""
    return _built(PROJECT, suite, output, LATER_VERSION, {}, *(() if arch is None else ("--arch", arch)))


def _built(source: Path, suite: str, output: Path, version: str, environment: dict[str, str], *more: str) -> Path:
    words = ["--suite", suite, "--version", version, "--output", str(output), *more]
    done = subprocess.run(
        [sys.executable, str(source / BUILDER), *words],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    if done.returncode:
        raise SystemExit(f"The package could not be built:\n{done.stdout}{done.stderr}")
    return Path(done.stdout.strip())


def _git(checkout: Path, *words: str) -> str | None:
    """What git says; nothing if it fails, as where there is no git at all."""
    try:
        done = subprocess.run(["git", "-C", str(checkout), *words], check=False, capture_output=True, text=True)  # noqa: S607 - the git of whoever runs this
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
