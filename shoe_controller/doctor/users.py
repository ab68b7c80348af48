"""The user that the service runs as, and that user's rights to a file: derived from the file's mode, not tried.

The doctor is often run as root, to whom nothing is forbidden; the service is not root.
"""

import grp
import os
import pwd
import stat
from pathlib import Path
from typing import NamedTuple

SERVICE_USER = "shoe-controller"

READ, WRITE, SEARCH = stat.S_IROTH, stat.S_IWOTH, stat.S_IXOTH


class User(NamedTuple):
    name: str
    uid: int
    groups: frozenset[int]


def user_called(name: str) -> User:
    """Look up a user by name; raise `KeyError` if there is none."""
    entry = pwd.getpwnam(name)
    return User(name, entry.pw_uid, frozenset(os.getgrouplist(name, entry.pw_gid)))


def service_user() -> User:
    """The user of the installed service; where there is none, or we cannot check for it, the current user."""
    if os.geteuid() == 0:
        try:
            return user_called(SERVICE_USER)
        except KeyError:
            pass
    groups = frozenset((*os.getgroups(), os.getegid()))
    try:
        name = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a service may run under a user id that has no name
        name = str(os.geteuid())
    return User(name, os.geteuid(), groups)


def may(user: User, path: Path, rights: int, *, above: bool = True) -> bool:
    """Whether a user has these rights (`READ`, `WRITE`, `SEARCH`) to a file, all folders above it included.

    Raises `OSError` if it does not exist.
    """
    real = path.resolve(strict=True)
    folders = real.parents if above else ()
    return _has(user, real.stat(), rights) and all(_has(user, folder.stat(), SEARCH) for folder in folders)


def _has(user: User, status: os.stat_result, rights: int) -> bool:
    if user.uid == 0:
        return True
    mode = status.st_mode
    if status.st_uid == user.uid:
        mode >>= 6
    elif status.st_gid in user.groups:
        mode >>= 3
    return mode & rights == rights


def group_name(path: Path) -> str:
    number = path.stat().st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
