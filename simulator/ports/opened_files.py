"""Reports when a file is opened, with Linux inotify; used by `pty.py`.

All ports of an event loop share one watcher, because a user may have only some 128 of them on the whole machine. The
kernel may merge two openings into one event, so a call means that the file was opened lately, not how often or by whom.
"""

import asyncio
import ctypes
import errno
import os
import struct
from collections.abc import Callable

from simulator.ports.port import PortError

IN_OPEN = 0x20
IN_Q_OVERFLOW = 0x4000
_EVENT = struct.Struct("iIII")
"""Which watch, what happened, a cookie, and the length of a file name, which is 0 for a watch on a single file."""

_SENTENCES = {
    errno.EMFILE: "this user has too many programs that watch files. Raise fs.inotify.max_user_instances with sysctl.",
    errno.ENOSPC: "this user watches too many files. Raise fs.inotify.max_user_watches with sysctl.",
}


def watch(path: str, opened: Callable[[], None]) -> Callable[[], None]:
    """Call `opened` in this event loop after `path` is opened; return a function that ends the watch."""
    loop = asyncio.get_running_loop()
    watcher = _Watcher.of_loop.get(loop) or _Watcher(loop)
    number = watcher.add(path, opened)
    return lambda: watcher.remove(number)


class _Watcher:
    of_loop: dict[asyncio.AbstractEventLoop, "_Watcher"] = {}  # noqa: RUF012 - shared by design, and never copied

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._call("inotify", self._libc.inotify_init1, os.O_NONBLOCK | os.O_CLOEXEC)
        loop.add_reader(self._descriptor, self._readable)
        self.of_loop[loop] = self

    def add(self, path: str, opened: Callable[[], None]) -> int:
        try:
            number = self._call(path, self._libc.inotify_add_watch, self._descriptor, os.fsencode(path), IN_OPEN)
        except PortError:
            self._end_if_idle()
            raise
        self._callbacks[number] = opened
        return number

    def remove(self, number: int) -> None:
        del self._callbacks[number]
        self._libc.inotify_rm_watch(self._descriptor, number)
        self._end_if_idle()

    def _end_if_idle(self) -> None:
        if not self._callbacks:
            del self.of_loop[self._loop]
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _readable(self) -> None:
        try:
            events = os.read(self._descriptor, 4096)
        except (BlockingIOError, InterruptedError):
            return
        happened = list(_EVENT.iter_unpack(events))
        if any(mask & IN_Q_OVERFLOW for _, mask, _, _ in happened):
            opened = list(self._callbacks.values())
        else:
            numbers = dict.fromkeys(number for number, mask, _, _ in happened if mask & IN_OPEN)
            opened = [self._callbacks[number] for number in numbers if number in self._callbacks]
        for callback in opened:
            callback()

    @staticmethod
    def _call(what: str, function: Callable[..., int], *arguments: object) -> int:
        result = function(*arguments)
        if result < 0:
            code = ctypes.get_errno()
            raise PortError(f"{what}: {_SENTENCES.get(code) or os.strerror(code) + '.'}")
        return result
