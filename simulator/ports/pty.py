"""The emulated shoe on a pseudo-terminal, found through a symbolic link that stays the same, as udev would make it."""

import errno
import fcntl
import os
import select
import termios
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from simulator.ports.descriptor_line import DescriptorLine
from simulator.ports.opened_files import watch
from simulator.ports.port import PortError, PortListener, linger_until


class PtyPort:
    """A serial line without a wire. Each time it is plugged in it is another terminal behind the same link.

    The shoe has the master's end of the terminal, the host opens the slave's. inotify reports when it is
    opened, and the master sees a hang-up when the last host has closed it. In between no slave may be open here, or
    the hang-up would never come; and while no host is there the master is not watched, since its hang-up would keep
    the event loop spinning. A host that closes the terminal and opens it again within one turn of the event loop
    counts as one host, and so do two that share it.

    Unlike a real port it has no modem lines, no parity and no baud rate, and a hang-up throws away what the host has
    not read. So `unplug` waits a moment for a host that is reading, so that what left the shoe arrives.

    The kernel keeps some 20 KB for a host that does not read, and this class `LINE_BUFFER` more. Bytes that the last
    host left unread are not shown to the next one. An existing file or link at the link's path is never
    touched, not even one that a killed emulator left behind.
    """

    def __init__(self, link: str | Path) -> None:
        self._link = Path(link).absolute()
        self._terminal = ""
        self._master: int | None = None
        self._line: DescriptorLine | None = None
        """Set while a host is attached."""
        self._listener: PortListener | None = None
        self._unwatch: Callable[[], None] | None = None
        self._unplugging = False
        self.lost_bytes = 0

    @property
    def address(self) -> str:
        return str(self._link)

    async def open(self, listener: PortListener) -> None:
        self._listener = listener
        await self.replug()

    def write(self, data: bytes) -> None:
        if self._line is not None and not self._unplugging:
            self.lost_bytes += self._line.write(data)

    async def unplug(self) -> None:
        self._unplugging = True
        try:
            await self._let_the_host_read()
        finally:
            self._unplugging = False
            self._pull()

    async def replug(self) -> None:
        if self._master is None:
            self._plug_in()

    async def close(self) -> None:
        await self.unplug()

    def _plug_in(self) -> None:
        if os.path.lexists(self._link):  # checked before we make a terminal, which might revive its old target
            raise PortError(_in_the_way(self._link))
        try:
            master, slave = os.openpty()
        except OSError as error:
            raise PortError(f"Cannot open a pseudo-terminal: {error.strerror}.") from error
        try:
            self._terminal = os.ttyname(slave)
            tty.setraw(slave)
            os.set_blocking(master, False)
            self._unwatch = watch(self._terminal, self._opened)
            self._make_link()
        except BaseException:
            self._stop_watching()
            os.close(master)
            raise
        finally:
            os.close(slave)
        self._master = master

    def _make_link(self) -> None:
        try:
            self._link.symlink_to(self._terminal)
        except FileExistsError as error:
            raise PortError(_in_the_way(self._link)) from error
        except OSError as error:
            raise PortError(_no_place(self._link, error)) from error
        except ValueError as error:
            raise PortError(f"{str(self._link)!r} is not a path: {error}.") from error

    def _opened(self) -> None:
        """Handle an opening of the terminal; it may be closed again, or have been our own."""
        if self._master is None or self._line is not None or _events(self._master) == select.POLLHUP:
            return
        self._line = DescriptorLine(self._master, self._received, self._host_gone)
        if self._listener is not None:
            self._listener.host_attached()

    def _received(self, data: bytes) -> None:
        if self._listener is not None:
            self._listener.received(data)

    def _host_gone(self) -> None:
        self._line = None
        self._clean_terminal()
        if self._listener is not None:
            self._listener.host_detached()

    def _clean_terminal(self) -> None:
        """Clear the last host's unread bytes, modes and exclusive lock from the terminal.

        Where that lock keeps us out too, because we are not root, the terminal stays as it is until a replug.
        """
        with suppress(OSError, termios.error):
            slave = _open_slave(self._terminal)
            try:
                fcntl.ioctl(slave, termios.TIOCNXCL)
                termios.tcflush(slave, termios.TCIFLUSH)
                tty.setraw(slave, termios.TCSANOW)
            finally:
                os.close(slave)

    async def _let_the_host_read(self) -> None:
        if self._line is None:
            return
        with suppress(OSError):  # a host may hold the terminal exclusively; then we cannot wait
            slave = _open_slave(self._terminal)
            try:
                # Polling a terminal also pushes on what is still inside the kernel.
                await linger_until(
                    lambda: self._line is None or not (self._line.unsent or _events(slave) & select.POLLIN)
                )
            finally:
                os.close(slave)

    def _pull(self) -> None:
        if self._master is None:
            return
        self._stop_watching()
        with suppress(OSError):  # the link has been removed already
            if str(self._link.readlink()) == self._terminal:
                self._link.unlink()
        line, self._line = self._line, None
        if line is not None:
            line.stop()
        os.close(self._master)
        self._master = None
        if line is not None and self._listener is not None:
            self._listener.host_detached()

    def _stop_watching(self) -> None:
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None


def _events(descriptor: int) -> int:
    """Whether a terminal is readable (POLLIN) and whether its other end is closed (POLLHUP)."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return next((events for _, events in poll.poll(0)), 0)


def _open_slave(terminal: str) -> int:
    return os.open(terminal, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)


def _in_the_way(link: Path) -> str:
    try:
        target = link.readlink()
    except OSError:
        kind = "folder" if link.is_dir() else "file"
        return f"{link}: a {kind} of that name is in the way. Choose another path, or move it away."
    state = "which exists" if link.exists() else "which is gone"
    return (
        f"{link}: a symbolic link to {target}, {state}, is in the way. If no other emulator is using it, "
        f"remove it (`rm {link}`); else choose another path."
    )


def _no_place(link: Path, error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return f"{link}: the folder {link.parent} does not exist. Make it, or choose another path."
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"{link}: this user may not write in the folder {link.parent}. Choose another path."
    return f"{link}: cannot make a link there ({error.strerror}). Choose another path."
