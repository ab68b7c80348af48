"""A shoe on a serial port, or behind a serial server. The only file that imports pyserial.

pyserial opens, configures and locks the port; `descriptor_line.py` reads and writes.
Nothing here touches the modem lines after opening: a pseudo-terminal has none.
"""

import errno
import fcntl
import os
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import serial

from shoe_controller.transports.descriptor_line import DescriptorLine, bytes_in_kernel
from shoe_controller.transports.socket_port import SOCKET_PREFIX, SocketPort
from shoe_controller.transports.transport import OnBytes, OnLost, Port, Transport, TransportError, every_half_second
from shoe_controller.transports.troubles import UNPLUGGED, explain

NATIVE_BAUD = 115_200
ANGEL_EYE_BAUD = 4_800
LINES_BAUD = 9_600
USUAL_BAUD = {"native": NATIVE_BAUD, "angel_eye": ANGEL_EYE_BAUD, "lines": LINES_BAUD}
"""By the wire, all with 8 data bits, no parity and 1 stop bit, which are pyserial's own defaults."""

LOWEST_BAUD, HIGHEST_BAUD = 50, 4_000_000
PTY_MAJORS = range(136, 144)
"""The device numbers of Linux pseudo-terminals."""

_ABSENT = (
    "no shoe is there. Plug it in and switch it on, or correct the address in the configuration "
    "(`ls /dev/serial/by-id` lists what is plugged in)."
)
_NO_SERIAL_PORT = "this is not a serial port. Correct the address in the configuration."
_SENTENCES = {
    errno.ENOENT: _ABSENT,
    errno.ENOTDIR: _ABSENT,
    errno.ELOOP: _ABSENT,
    errno.ENAMETOOLONG: _ABSENT,
    errno.ENOTTY: _NO_SERIAL_PORT,
    errno.EINVAL: _NO_SERIAL_PORT,
    errno.EISDIR: _NO_SERIAL_PORT,
    errno.ECONNRESET: UNPLUGGED,
}


def port_at(address: str, baud: int = NATIVE_BAUD) -> Port:
    """Return the port that a configuration names: a path such as /dev/serial/by-id/…, or socket://host:port."""
    if address.startswith(SOCKET_PREFIX):
        return SocketPort(address)
    return SerialPort(address, baud)


class SerialPort:
    """A device file, or a symbolic link to one, which is resolved at each opening."""

    def __init__(self, path: str, baud: int = NATIVE_BAUD) -> None:
        if not path.startswith("/") or not path.isprintable():
            raise TransportError(
                f"{path!r} is not the address of a shoe: write a full path such as /dev/serial/by-id/usb-…, "
                "or socket://host:port."
            )
        if not LOWEST_BAUD <= baud <= HIGHEST_BAUD:
            raise TransportError(
                f"{baud} is not a baud rate for {path}: write a number from {LOWEST_BAUD} to {HIGHEST_BAUD}, "
                f"usually {NATIVE_BAUD} (native), {ANGEL_EYE_BAUD} (Angel Eye) or {LINES_BAUD} (lines)."
            )
        self._path = path
        self._baud = baud

    @property
    def name(self) -> str:
        return self._path

    def retry_delays(self) -> Iterator[float]:
        return every_half_second()

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> Transport:
        try:
            # With a time-out of 0 between bytes (VMIN 1), an empty read always means a hang-up.
            port = serial.Serial(self._path, self._baud, exclusive=True, inter_byte_timeout=0)
            _lock_out_terminal_programs(port)
            return DescriptorLine(
                port.fileno(),
                on_bytes,
                on_lost,
                release=lambda: _release(port),
                explain=self._explain,
            )
        except (OSError, ValueError, termios.error) as error:
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> TransportError:
        return explain(self._path, _error_number(error), str(error), _SENTENCES, Path(self._path))


def _error_number(error: BaseException | None) -> int | None:
    """The errno of an error of pyserial, which sometimes keeps only the text."""
    while error is not None:
        if isinstance(error, OSError) and error.errno is not None:
            return error.errno
        if isinstance(error, termios.error):
            return int(error.args[0])
        error = error.__context__
    return None


def _is_pseudo_terminal(port: serial.Serial) -> bool:
    return os.major(os.fstat(port.fileno()).st_rdev) in PTY_MAJORS


def _lock_out_terminal_programs(port: serial.Serial) -> None:
    """Lock out programs that open the port without locking it and would steal bytes.

    Not on a pseudo-terminal: there the lock would outlive us, for as long as the program at the other end runs.
    """
    try:
        if not _is_pseudo_terminal(port):
            fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
    except OSError:
        port.close()
        raise


def _release(port: serial.Serial) -> None:
    with suppress(OSError, termios.error):  # the device may be gone; the port is closed in any case
        # Closing a real port waits up to half a minute for bytes that cannot leave; drop them first.
        if bytes_in_kernel(port.fileno()):
            termios.tcflush(port.fileno(), termios.TCOFLUSH)
        if not _is_pseudo_terminal(port):
            fcntl.ioctl(port.fileno(), termios.TIOCNXCL)
    port.close()
