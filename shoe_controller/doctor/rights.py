"""Commands that give the service's user the rights it lacks: with the names of the files, to be copied as they are."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from shoe_controller.doctor.users import SEARCH, User, may


def quoted(paths: Iterable[Path]) -> str:
    return " ".join(shlex.quote(str(path)) for path in paths)


def make_readable(user: User, files: list[Path]) -> str:
    """Let the user's group read these files, and nobody else."""
    names = quoted(files)
    give = f"sudo chgrp $(id -gn {shlex.quote(user.name)}) {names} && sudo chmod u+rw,g+r,g-wx,o-rwx {names}"
    return f"{give}{_let_through(user, files)}"


def make_writable(user: User, paths: list[Path]) -> str:
    names = quoted(paths)
    return f"sudo chown {shlex.quote(user.name)} {names} && sudo chmod u+rwX {names}{_let_through(user, paths)}"


def _let_through(user: User, paths: list[Path]) -> str:
    """Let the user reach these paths: folders above them that are closed are opened for passing through alone."""
    above = sorted({folder for path in paths for folder in path.resolve().parents} - {path.resolve() for path in paths})
    closed = [folder for folder in above if not _open_to(user, folder)]
    return f" && sudo chmod a+x {quoted(closed)}" if closed else ""


def _open_to(user: User, folder: Path) -> bool:
    """Whether the user may pass through this folder itself, whatever is above it."""
    return may(user, folder, SEARCH, above=False)
