"""A journal's folder in another place than the default, made because a person has named it; and whose its files are."""

import os
import pwd
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from shoe_controller.config.plain_files import make_folder
from shoe_controller.setup.apply import TABLE_GROUP


def make_journal_folder(folder: Path) -> Path | None:
    """Make it for the service's user, where there is one and we may; returns it if it was missing."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    if not missing:
        return None
    make_folder(folder)
    if os.geteuid() == 0:
        with suppress(KeyError):
            user = pwd.getpwnam(TABLE_GROUP)
            for made in missing:
                os.chown(made, user.pw_uid, user.pw_gid)
    return folder


def give_to_owner(folder: Path, files: Iterable[Path]) -> None:
    """Give files that root has made in this folder to the folder's owner."""
    if os.geteuid() == 0:
        owner = folder.stat()
        for file in files:
            if file.exists():
                os.chown(file, owner.st_uid, owner.st_gid)
