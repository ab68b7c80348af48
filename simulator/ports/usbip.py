"""The emulated shoe as a real USB device of any Linux kernel: a USB/IP server with one device. Standard library only.

The protocol itself is pure and in `usbip_session.py`; here are the sockets and the one timer.
"""

import asyncio
import socket
from collections.abc import Callable

from simulator.ports.descriptor_line import DescriptorLine
from simulator.ports.listening import LOOPBACK, Listening, refuse
from simulator.ports.port import Host, HostEvent, PortListener, notify
from simulator.ports.usb_shoe import UsbIdentity, UsbKind, UsbShoe
from simulator.ports.usbip_packets import LONGEST_TRANSFER, ExportedShoe, MalformedPacketError
from simulator.ports.usbip_session import ImportedShoe, UsbIpSession

USBIP_PORT = 3240
"""The default port of the `usbip` command."""

BUS = 1
FIRST_DEVICE = 2
"""Number 1 of a bus is its root hub."""

MOST_CLIENTS = 16
IMPORT_SECONDS = 10.0
"""Seconds after which a client that has not imported the device is disconnected."""

SILENCE_SECONDS = 1.0
"""Seconds without a read request after which a vendor device counts as closed: a reader always has one pending."""

ANSWERS_LIMIT = 4 * LONGEST_TRANSFER
"""Bytes buffered for a client; beyond that it is disconnected, since a stream with a hole is useless."""


class _Client:
    """A connection with its session; `received` and `gone` are the port's."""

    def __init__(
        self,
        connection: socket.socket,
        session: UsbIpSession,
        received: "Callable[[_Client, bytes], None]",
        gone: "Callable[[_Client], None]",
    ) -> None:
        self.connection = connection
        self.session = session
        self.line = DescriptorLine(
            connection.fileno(), lambda data: received(self, data), lambda: gone(self), limit=ANSWERS_LIMIT
        )
        self.patience = asyncio.get_running_loop().call_later(IMPORT_SECONDS, gone, self)


class UsbIpPort:
    """A shoe that a kernel with `vhci_hcd` attaches with the command in `address`, and then finds at `device`.

    One host imports it at a time; others see it in the list and get the reply "busy". Unplugging ends the host's
    connection, which its kernel sees as a pulled cable, and empties the list. After a replug it is in the list again,
    with a new device number, until a host attaches it again: USB/IP does not do that by itself.

    How it is known whether a program has opened the device: see `ImportedShoe`. Bytes that the kernel has not
    fetched when the cable is pulled have never left the shoe, and are lost.

    USB/IP has no passwords: anyone who can connect can take the shoe. So it is for this machine only, unless `host`
    is set.

    A program must not open the device from the event loop that runs this port: opening waits inside the kernel for
    answers that the blocked loop cannot give: a deadlock.
    """

    def __init__(
        self,
        host: str = LOOPBACK,
        port: int = USBIP_PORT,
        identity: UsbIdentity | None = None,
        kind: UsbKind = UsbKind.CDC_ACM,
    ) -> None:
        self._listening = Listening(host, port, self._accepted)
        self._identity = identity or UsbIdentity()
        self._kind = kind
        self._listener: PortListener | None = None
        self._exported: ExportedShoe | None = None
        self._next_device = FIRST_DEVICE
        self._clients: set[_Client] = set()
        self._silence: asyncio.TimerHandle | None = None
        self.lost_bytes = 0

    @property
    def address(self) -> str:
        where = f"--tcp-port {self._listening.port} attach --remote {self._listening.host}"
        return f"usbip {where} --busid {BUS}-1"

    @property
    def device(self) -> str:
        """What a person enters in the controller's configuration, on the machine where it was attached."""
        if self._kind is UsbKind.VENDOR:
            return self._identity.address
        names = (self._identity.manufacturer, self._identity.product_name, self._identity.serial_number)
        by_id = "_".join(_as_udev_writes(name) for name in names if name is not None)
        return f"/dev/serial/by-id/usb-{by_id}-if00"

    async def open(self, listener: PortListener) -> None:
        self._listening.start()
        self._listener = listener
        await self.replug()

    def write(self, data: bytes) -> None:
        host = self._host()
        if host is not None and host.session.imported is not None:
            self.lost_bytes += host.session.imported.offer(data)
            self._send(host)

    async def unplug(self) -> None:
        self._exported = None
        host = self._host()
        if host is not None:
            self._drop(host)

    async def replug(self) -> None:
        if self._exported is None:
            self._exported = ExportedShoe(UsbShoe(self._identity, self._kind), BUS, self._next_device)
            self._next_device += 1

    async def close(self) -> None:
        self._listening.stop()
        await self.unplug()
        for client in list(self._clients):
            self._drop(client)

    def _offer(self) -> tuple[ExportedShoe | None, bool]:
        return self._exported, self._host() is None

    def _host(self) -> _Client | None:
        """The client that has imported the shoe."""
        return next((client for client in self._clients if client.session.imported is not None), None)

    def _accepted(self, connection: socket.socket) -> None:
        if len(self._clients) >= MOST_CLIENTS:
            refuse(connection)
            return
        self._clients.add(_Client(connection, UsbIpSession(self._offer), self._received, self._drop))

    def _received(self, client: _Client, data: bytes) -> None:
        try:
            for event in client.session.receive(data):
                self._notify(event)
                if client not in self._clients:
                    return
        except MalformedPacketError:
            self._drop(client)
            return
        if client.session.imported is not None:
            client.patience.cancel()
        self._send(client)

    def _send(self, client: _Client) -> None:
        if client.line.write(client.session.to_send()):
            self._drop(client)
        elif client.session.imported is not None:
            self._watch_for_silence(client.session.imported)

    def _notify(self, event: HostEvent) -> None:
        if self._listener is not None:
            notify(self._listener, event)

    def _drop(self, client: _Client) -> None:
        if client not in self._clients:
            return
        self._clients.remove(client)
        client.patience.cancel()
        client.line.stop()
        client.connection.close()
        if client.session.imported is not None:
            if self._silence is not None:
                self._silence.cancel()
                self._silence = None
            if client.session.imported.host:
                self._notify(Host.DETACHED)

    def _watch_for_silence(self, imported: ImportedShoe) -> None:
        if imported.in_doubt and self._silence is None:
            loop = asyncio.get_running_loop()
            self._silence = loop.call_later(SILENCE_SECONDS, self._look_for_silence, imported, imported.transfers)

    def _look_for_silence(self, imported: ImportedShoe, transfers_before: int) -> None:
        self._silence = None
        if imported.in_doubt and imported.transfers == transfers_before:
            for event in imported.fell_silent():
                self._notify(event)
        else:
            self._watch_for_silence(imported)


def _as_udev_writes(text: str) -> str:
    """A name as in the links below /dev/serial/by-id."""
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "#+-.:=@_") else "_" for letter in text
    )
