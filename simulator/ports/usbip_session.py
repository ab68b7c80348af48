"""One client of the USB/IP server, from its first byte to its last. Pure: bytes in, bytes and host events out.

The owner of a session writes what `to_send` returns after each call, and ends it when it raises.
"""

import errno
from collections import deque
from collections.abc import Callable, Iterator

from simulator.ports.port import LINE_BUFFER, Host, HostEvent
from simulator.ports.usb_shoe import DATA_IN, DATA_OUT, NOTIFICATION_IN, UsbKind, UsbShoe, serial_state
from simulator.ports.usbip_packets import (
    BUS_ID_SIZE,
    OPERATION,
    VERSION,
    ExportedShoe,
    MalformedPacketError,
    Operation,
    ReplyStatus,
    Transfer,
    Unlink,
    device_list,
    operation_reply,
    read_command,
    returned,
    unlinked,
)

MOST_TRANSFERS = 1024
"""Pending read transfers; a kernel's drivers submit some sixteen."""


class UsbIpSession:
    """A client that sends requests, and then perhaps the host of the device it has imported.

    `offer` returns what is available: the device, if it is plugged in, and whether it is free.
    """

    def __init__(self, offer: Callable[[], tuple[ExportedShoe | None, bool]]) -> None:
        self._offer = offer
        self._buffer = bytearray()
        self._unsent = bytearray()
        self.imported: ImportedShoe | None = None

    def receive(self, data: bytes) -> Iterator[HostEvent]:
        """Yield the host events in these bytes; raise `MalformedPacketError` where they are not USB/IP."""
        self._buffer += data
        while self.imported is None:
            used = self._read_operation()
            if not used:
                return
            del self._buffer[:used]
        while (command := read_command(self._buffer, self.imported.device_id)) is not None:
            packet, size = command
            del self._buffer[:size]
            yield from self.imported.handle(packet)

    def to_send(self) -> bytes:
        """Bytes for the client; each byte is returned once."""
        data = bytes(self._unsent)
        self._unsent.clear()
        return data

    def _read_operation(self) -> int:
        """Answer the request at the start of the buffer; return its size, or 0 if it has not arrived in full."""
        if len(self._buffer) < OPERATION.size:
            return 0
        version, operation, _ = OPERATION.unpack_from(self._buffer)
        if version != VERSION:
            raise MalformedPacketError(f"version {version:#06x} of USB/IP is not {VERSION:#06x}")
        exported, free = self._offer()
        if operation == Operation.LIST:
            self._unsent += device_list([] if exported is None else [exported])
            return OPERATION.size
        if operation != Operation.IMPORT:
            raise MalformedPacketError(f"operation {operation:#06x} is not one that a client requests")
        size = OPERATION.size + BUS_ID_SIZE
        if len(self._buffer) < size:
            return 0
        bus_id = bytes(self._buffer[OPERATION.size : size]).rstrip(b"\0")
        if exported is None or bus_id != exported.bus_id.encode():
            self._unsent += operation_reply(Operation.IMPORT_REPLY, ReplyStatus.NO_DEVICE)
        elif not free:
            self._unsent += operation_reply(Operation.IMPORT_REPLY, ReplyStatus.DEVICE_BUSY)
        else:
            self._unsent += operation_reply(Operation.IMPORT_REPLY, ReplyStatus.OK, exported.record())
            self.imported = ImportedShoe(exported, self._unsent)
        return size


class ImportedShoe:
    """The device as imported by a kernel. What goes back to the host is appended to `unsent`.

    A CDC-ACM device knows by the DTR line that a program has opened it. A vendor device has nothing of the kind: a host
    is attached from its first transfer on, and gone when it has requested nothing for a while, which the session's
    owner, who has a clock, reports with `fell_silent`.
    """

    def __init__(self, exported: ExportedShoe, unsent: bytearray) -> None:
        self.device_id = exported.device_id
        self._device = UsbShoe(exported.shoe.identity, exported.shoe.kind)  # without any state from the previous host
        self._is_serial = exported.shoe.kind is UsbKind.CDC_ACM
        self._unsent = unsent
        self._host = False
        self._from_shoe = bytearray()
        self._reads: deque[Transfer] = deque()
        self._notification_reads: deque[Transfer] = deque()
        self._line_came_up = False
        self.transfers = 0
        """Number of transfers the host has submitted."""

    @property
    def host(self) -> bool:
        return self._host

    @property
    def in_doubt(self) -> bool:
        """Whether a host counts as attached that has no read request pending."""
        return self._host and not self._is_serial and not self._reads

    def offer(self, data: bytes) -> int:
        """Buffer bytes for the host, if there is one. Returns how many bytes, the newest ones, did not fit."""
        if not self._host:
            return 0
        fits = data[: max(0, LINE_BUFFER - len(self._from_shoe))]
        self._from_shoe += fits
        self._serve()
        return len(data) - len(fits)

    def fell_silent(self) -> list[HostEvent]:
        return self._become(host=False)

    def handle(self, packet: Transfer | Unlink) -> list[HostEvent]:
        if isinstance(packet, Unlink):
            self._unlink(packet)
            return []
        if len(self._reads) + len(self._notification_reads) >= MOST_TRANSFERS:
            raise MalformedPacketError(f"more than {MOST_TRANSFERS} transfers are waiting")
        self.transfers += 1
        events: list[HostEvent] = []
        if packet.endpoint == 0:
            events = self._control(packet)
        elif packet.endpoint == DATA_IN:
            events = self._read(packet)
        elif packet.endpoint == DATA_OUT:
            events = self._write(packet)
        elif packet.endpoint == NOTIFICATION_IN and self._is_serial:
            self._notification_reads.append(packet)
        else:
            self._unsent += returned(packet.number, -errno.EPIPE, 0)
        self._serve()
        return events

    def _control(self, packet: Transfer) -> list[HostEvent]:
        answer = self._device.answer(packet.setup, packet.data)
        if answer is None:
            self._unsent += returned(packet.number, -errno.EPIPE, 0)
        elif packet.setup.to_host:
            answer = answer[: packet.length]
            self._unsent += returned(packet.number, 0, len(answer), answer)
        else:
            self._unsent += returned(packet.number, 0, len(packet.data))
        return self._become(host=self._device.port_open) if self._is_serial else []

    def _read(self, packet: Transfer) -> list[HostEvent]:
        self._reads.append(packet)
        return [] if self._is_serial else self._become(host=True)

    def _write(self, packet: Transfer) -> list[HostEvent]:
        self._unsent += returned(packet.number, 0, len(packet.data))
        events = [] if self._is_serial else self._become(host=True)
        if self._host and packet.data:  # a serial port that is not open discards bytes
            events.append(packet.data)
        return events

    def _become(self, *, host: bool) -> list[HostEvent]:
        if host == self._host:
            return []
        self._host = host
        self._from_shoe.clear()
        self._line_came_up = host
        return [Host.ATTACHED if host else Host.DETACHED]

    def _serve(self) -> None:
        """Answer the transfers that can be answered. The shoe ends one when it has no more data."""
        while self._reads and self._from_shoe:
            self._return(self._reads.popleft(), self._from_shoe)
        if self._line_came_up and self._notification_reads:
            self._line_came_up = False
            self._return(self._notification_reads.popleft(), bytearray(serial_state()))

    def _return(self, read: Transfer, data: bytearray) -> None:
        part = bytes(data[: read.length])
        del data[: read.length]
        self._unsent += returned(read.number, 0, len(part), part)

    def _unlink(self, packet: Unlink) -> None:
        for waiting in (self._reads, self._notification_reads):
            for read in waiting:
                if read.number == packet.transfer:
                    waiting.remove(read)
                    self._unsent += unlinked(packet.number, -errno.ECONNRESET)
                    return
        self._unsent += unlinked(packet.number, 0)  # it was answered before this came
