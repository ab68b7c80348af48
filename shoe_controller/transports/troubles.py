"""Turns an error of the operating system into a message for the person who must act.

Here are the errors of any port; each kind of port adds messages of its own. Pure, except that it looks up what makes a
message exact: which group a device belongs to, which user this is, and which process holds the device.
"""

import errno
import grp
import os
import pwd
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from shoe_controller.transports.transport import OUTPUT_LIMIT, TransportError

UNPLUGGED = "the shoe was unplugged or switched off. Plug it in again; the line comes back by itself."
_TOO_MANY_FILES = "too many files are open on this system. Restart the controller, and report this."

_SENTENCES = {
    errno.EPERM: (
        "the system does not let this service open it. The shoe was probably plugged in for the first time after the "
        "service had started: restart the service, and have the driver loaded at boot (modules-load.d)."
    ),
    errno.EIO: UNPLUGGED,
    errno.ENXIO: UNPLUGGED,
    errno.ENODEV: UNPLUGGED,
    errno.ESHUTDOWN: UNPLUGGED,
    errno.ENOBUFS: (  # what the lines of this folder use when OUTPUT_LIMIT is reached
        f"the shoe accepts no bytes, and more than {OUTPUT_LIMIT // 1024} KiB are waiting for it. "
        "Switch it off and on; if that does not help, check the cable and the baud rate."
    ),
    errno.EMFILE: _TOO_MANY_FILES,
    errno.ENFILE: _TOO_MANY_FILES,
}


def explain(
    name: str, code: int | None, detail: str, sentences: Mapping[int, str], device: Path | None = None
) -> TransportError:
    """Return the message for error number `code` on the port called `name`.

    `sentences` are the messages of this kind of port. `detail` is the library's own text, shown where nothing better
    is known. `device` is the file in /dev behind the port, where there is one.
    """
    if code == errno.EACCES:
        return TransportError(_not_allowed(name, device))
    if code in {errno.EBUSY, errno.EAGAIN}:
        return TransportError(f"{name} is in use by {_holder(device)}. Stop it: only one program may talk to a shoe.")
    sentence = None if code is None else sentences.get(code) or _SENTENCES.get(code)
    return TransportError(f"{name}: {sentence or f'{detail}. Check the cable and the power of the shoe.'}")


def _not_allowed(name: str, device: Path | None) -> str:
    user, group = _user(), _group(device)
    if group is None:
        return (
            f"{name} may not be opened by the user {user}. Install the controller's udev rule, which gives the device "
            "to a group, add the user to that group, then plug the shoe in again."
        )
    return (
        f"{name} may not be opened by the user {user}: it belongs to the group {group}. "
        f"Run `sudo usermod -aG {group} {user}`, then start the controller again."
    )


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a service may run under a user id that has no name
        return str(os.geteuid())


def _group(device: Path | None) -> str | None:
    """The group that may open a device; none if it is root's own, which no one should join."""
    with suppress(OSError, KeyError):
        if device is not None:
            number = device.stat().st_gid
            return grp.getgrgid(number).gr_name if number else None
    return None


def _holder(device: Path | None) -> str:
    """The process that holds a device, as a phrase."""
    if device is None:
        return "another program"
    with suppress(OSError, ValueError):
        pid = _holder_of_lock(device) or _other_process_with(device)
        if pid == os.getpid():
            return "this controller itself, which has opened it twice"
        if pid is not None:
            return f"process {pid} ({Path(f'/proc/{pid}/comm').read_text().strip()})"
    return f"another program (`sudo fuser -v {device}` shows which)"


def _holder_of_lock(device: Path) -> int | None:
    """The process that has locked the file. The kernel lists those of other users too."""
    status = device.stat()
    wanted = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in Path("/proc/locks").read_text().splitlines():
        fields = line.split()
        if len(fields) > 5 and fields[1] == "FLOCK" and fields[5] == wanted:
            return int(fields[4])
    return None


def _other_process_with(device: Path) -> int | None:
    """Another process that has opened the file; only processes that this user may inspect are found."""
    real = device.resolve()
    own = str(os.getpid())
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has ended meanwhile, or belongs to another user
            if process.name != own and any(link.readlink() == real for link in (process / "fd").iterdir()):
                return int(process.name)
    return None
