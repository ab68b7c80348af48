"""The USB bus inside this process: what pyusb sees of a shoe, and how strict the bus is. Threads are the host's."""

import asyncio
import errno
import threading
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
import usb.core  # type: ignore[import-untyped]  # pyusb has no types
import usb.util  # type: ignore[import-untyped]  # as above

from shoe_controller.transports.transport import TransportError
from shoe_controller.transports.usb_device import UsbDevice
from simulator.ports.port import LINE_BUFFER, PortError, plugged_in
from simulator.ports.usb import UsbBus, UsbPort
from simulator.ports.usb_plug import UsbHandle, UsbPlug
from simulator.ports.usb_shoe import DATA_IN, DATA_OUT, PACKET_SIZE, UsbIdentity
from tests.simulator.ports.shoe_end import ShoeEnd
from tests.transports.ears import Ears
from tests.transports.noise import BURST, noise

Device = Any
"""An object of pyusb, which comes without types."""
T = TypeVar("T")


@pytest.fixture
def bus() -> UsbBus:
    return UsbBus()


def devices(bus: UsbBus) -> list[Device]:
    return list(usb.core.find(find_all=True, backend=bus))


@contextmanager
def claimed(bus: UsbBus) -> Iterator[Device]:
    (device,) = devices(bus)
    usb.util.claim_interface(device, 0)
    try:
        yield device
    finally:
        usb.util.dispose_resources(device)


def refuses(code: int, call: Callable[[], object]) -> None:
    with pytest.raises(usb.core.USBError) as trouble:
        call()
    assert trouble.value.errno == code


@pytest.mark.asyncio
async def test_who_the_device_says_it_is(bus: UsbBus, shoe: ShoeEnd) -> None:
    identity = UsbIdentity("No. 7 ♠", 0xCAFE, 0x0001, "Schuhmacher", "Schlitten")
    port = UsbPort(bus, identity)
    assert port.address == "usb:cafe:0001:No. 7 ♠"
    async with plugged_in(port, shoe):
        (device,) = devices(bus)
        assert (device.idVendor, device.idProduct, device.bcdUSB) == (0xCAFE, 1, 0x0200)
        assert (device.manufacturer, device.product, device.serial_number) == ("Schuhmacher", "Schlitten", "No. 7 ♠")
        interface = device.get_active_configuration()[0, 0]
        assert (interface.bInterfaceClass, interface.bNumEndpoints) == (0xFF, 2)
        assert [endpoint.bEndpointAddress for endpoint in interface] == [DATA_IN, DATA_OUT]
        assert {endpoint.bmAttributes for endpoint in interface} == {usb.util.ENDPOINT_TYPE_BULK}
        assert {endpoint.wMaxPacketSize for endpoint in interface} == {PACKET_SIZE}
        assert "Vendor Specific" in str(device), "pyusb can print all of it"
        usb.util.dispose_resources(device)


@pytest.mark.asyncio
async def test_a_shoe_without_a_serial_number(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus, UsbIdentity(serial_number=None))
    assert port.address == "usb:1209:5b0e"
    async with plugged_in(port, shoe):
        (device,) = devices(bus)
        assert device.serial_number is None
        usb.util.dispose_resources(device)


@pytest.mark.parametrize(
    "wrong",
    [
        {"vendor": -1},
        {"product": 0x10000},
        {"serial_number": ""},
        {"serial_number": "two\nlines"},
        {"manufacturer": " "},
        {"product_name": "x" * 127},
        {"product_name": "♠" * 127},
        {"product_name": "🂡" * 64},
        {"serial_number": "\ud800"},
    ],
)
def test_what_is_no_identity(wrong: dict[str, Any]) -> None:
    with pytest.raises(PortError, match=r"is not a USB .*: write "):
        UsbIdentity(**wrong)


@pytest.mark.asyncio
async def test_two_shoes_are_told_apart_by_their_serial_numbers(bus: UsbBus) -> None:
    first, second = ShoeEnd(), ShoeEnd()
    one, two = UsbPort(bus, UsbIdentity("ONE")), UsbPort(bus, UsbIdentity("TWO"))
    async with plugged_in(one, first), plugged_in(two, second):
        with pytest.raises(TransportError, match="2 such devices are plugged in"):
            await UsbDevice(0x1209, 0x5B0E, backend=bus).open(Ears().on_bytes, Ears().on_lost)
        ears = Ears()
        line = await UsbDevice(0x1209, 0x5B0E, "TWO", backend=bus).open(ears.on_bytes, ears.on_lost)
        await second.until_host()
        two.write(b"two")
        one.write(b"one")
        assert await ears.hear_bytes(3) == b"two"
        assert not first.attached
        await line.close()


@pytest.mark.asyncio
async def test_each_plugging_in_is_a_new_device(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    async with plugged_in(port, shoe):
        addresses = []
        for _ in range(3):
            (device,) = devices(bus)
            addresses.append(device.address)
            await port.unplug()
            assert devices(bus) == []
            await port.replug()
        assert len(set(addresses)) == 3


@pytest.mark.asyncio
async def test_everything_gives_enodev_after_an_unplug(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    async with plugged_in(port, shoe):
        (plug,) = bus.enumerate_devices()
        handle = bus.open_device(plug)
        bus.claim_interface(handle, 0)
        await shoe.until_host()
        port.write(b"too late")
        await port.unplug()
        await port.replug()
        for call in _calls(bus, plug, handle):
            refuses(errno.ENODEV, call)
        bus.close_device(handle)
    assert shoe.hosts == 1


def _calls(bus: UsbBus, plug: UsbPlug, handle: UsbHandle) -> list[Callable[[], object]]:
    room = array("B", bytes(64))
    return [
        lambda: bus.get_device_descriptor(plug),
        lambda: bus.open_device(plug),
        lambda: bus.get_configuration(handle),
        lambda: bus.set_configuration(handle, 1),
        lambda: bus.set_interface_altsetting(handle, 0, 0),
        lambda: bus.claim_interface(handle, 0),
        lambda: bus.is_kernel_driver_active(handle, 0),
        lambda: bus.detach_kernel_driver(handle, 0),
        lambda: bus.attach_kernel_driver(handle, 0),
        lambda: bus.clear_halt(handle, DATA_IN),
        lambda: bus.reset_device(handle),
        lambda: bus.bulk_read(handle, DATA_IN, 0, room, 1000),
        lambda: bus.bulk_write(handle, DATA_OUT, 0, room, 1000),
        lambda: bus.ctrl_transfer(handle, 0x80, 0x06, 0x0100, 0, room, 1000),
        lambda: bus.release_interface(handle, 0),
    ]


@pytest.mark.asyncio
async def test_a_read_under_way_ends_when_the_cable_is_pulled(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    async with plugged_in(port, shoe):
        with claimed(bus) as device:
            reading = asyncio.create_task(asyncio.to_thread(_error_number, lambda: device.read(DATA_IN, 64, 0)))
            await shoe.until_host()
            await port.unplug()
            async with asyncio.timeout(10):
                assert await reading == errno.ENODEV


def _error_number(call: Callable[[], object]) -> int | None:
    try:
        call()
    except usb.core.USBError as error:
        number: int = error.errno
        return number
    return None


@pytest.mark.asyncio
async def test_transfers_take_what_is_there_and_time_out_when_nothing_is(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    async with plugged_in(port, shoe):
        with claimed(bus) as device:
            with pytest.raises(usb.core.USBTimeoutError):
                device.read(DATA_IN, 64, 1)
            port.write(noise(300))
            assert device.read(DATA_IN, 64, 1).tobytes() == noise(300)[:64]
            assert device.read(DATA_IN, 1024, 1).tobytes() == noise(300)[64:]
            port.write(bytes(64))
            assert len(device.read(DATA_IN, 64, 1)) == 64
            with pytest.raises(usb.core.USBTimeoutError):
                device.read(DATA_IN, 64, 1)


@pytest.mark.asyncio
async def test_what_one_host_left_unread_is_not_for_the_next(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    async with plugged_in(port, shoe):
        with claimed(bus):
            port.write(b"unread")
        with claimed(bus) as device, pytest.raises(usb.core.USBTimeoutError):
            device.read(DATA_IN, 64, 1)


@pytest.mark.asyncio
async def test_what_a_host_had_sent_before_an_unplug_has_arrived(bus: UsbBus, shoe: ShoeEnd) -> None:
    """The event loop has not turned since, so that the shoe does not even know of the host."""
    port = UsbPort(bus)
    async with plugged_in(port, shoe):
        with claimed(bus) as device:
            device.write(DATA_OUT, b"gate shut")
            await port.unplug()
        assert (shoe.hosts, bytes(shoe.data)) == (1, b"gate shut")


@pytest.mark.asyncio
async def test_a_packet_longer_than_the_room_for_it_is_an_overflow_and_is_lost(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    async with plugged_in(port, shoe):
        with claimed(bus) as device:
            port.write(noise(300))
            refuses(errno.EOVERFLOW, lambda: device.read(DATA_IN, 10, 1))
            assert device.read(DATA_IN, 512, 1).tobytes() == noise(300)[64:]


@pytest.mark.asyncio
async def test_a_host_that_never_reads_loses_the_newest_bytes(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    sent = noise(LINE_BUFFER + 5000)
    async with plugged_in(port, shoe):
        with claimed(bus) as device:
            port.write(sent[:-1000])
            port.write(sent[-1000:])
            assert port.lost_bytes == 5000
            assert device.read(DATA_IN, 2 * LINE_BUFFER, 1).tobytes() == sent[:LINE_BUFFER]


@pytest.mark.asyncio
async def test_a_shoe_that_is_busy_makes_the_host_wait(bus: UsbBus, shoe: ShoeEnd) -> None:
    """The event loop does not turn here, so that the shoe takes nothing."""
    async with plugged_in(UsbPort(bus), shoe):
        with claimed(bus) as device:
            assert device.write(DATA_OUT, noise(LINE_BUFFER), 1) == LINE_BUFFER
            with pytest.raises(usb.core.USBTimeoutError):
                device.write(DATA_OUT, b"no room", 1)
            assert await shoe.until_bytes(LINE_BUFFER) == noise(LINE_BUFFER)
            assert device.write(DATA_OUT, b"", 1) == 0
            assert device.write(DATA_OUT, b"room again", 1) == 10
            await shoe.until_bytes(LINE_BUFFER + 10)


@pytest.mark.asyncio
async def test_the_interface_belongs_to_one_handle(bus: UsbBus, shoe: ShoeEnd) -> None:
    async with plugged_in(UsbPort(bus), shoe):
        (plug,) = bus.enumerate_devices()
        first, second = bus.open_device(plug), bus.open_device(plug)
        room = array("B", bytes(64))
        refuses(errno.EINVAL, lambda: bus.bulk_read(first, DATA_IN, 0, room, 1))
        bus.claim_interface(first, 0)
        bus.claim_interface(first, 0)
        refuses(errno.EBUSY, lambda: bus.claim_interface(second, 0))
        refuses(errno.EBUSY, lambda: bus.set_configuration(second, 1))
        refuses(errno.EINVAL, lambda: bus.bulk_write(second, DATA_OUT, 0, room, 1))
        bus.release_interface(second, 0)
        bus.close_device(second)
        assert bus.bulk_write(first, DATA_OUT, 0, array("B", b"mine"), 1) == 4
        assert await shoe.until_bytes(4) == b"mine"
        bus.close_device(first)
        await shoe.until_no_host()


@pytest.mark.asyncio
async def test_numbers_that_the_device_does_not_have(bus: UsbBus, shoe: ShoeEnd) -> None:
    async with plugged_in(UsbPort(bus), shoe):
        (plug,) = bus.enumerate_devices()
        handle = bus.open_device(plug)
        room = array("B", bytes(64))
        bus.claim_interface(handle, 0)
        refuses(errno.ENOENT, lambda: bus.claim_interface(handle, 1))
        refuses(errno.ENOENT, lambda: bus.bulk_read(handle, DATA_OUT, 0, room, 1))
        refuses(errno.ENOENT, lambda: bus.bulk_write(handle, DATA_IN, 0, room, 1))
        refuses(errno.EPIPE, lambda: bus.set_interface_altsetting(handle, 0, 1))
        refuses(errno.EPIPE, lambda: bus.ctrl_transfer(handle, 0xC0, 0x01, 0, 0, room, 1))
        bus.release_interface(handle, 0)
        refuses(errno.EPIPE, lambda: bus.set_configuration(handle, 2))
        bus.set_configuration(handle, 0)
        assert bus.get_configuration(handle) == 0
        bus.set_configuration(handle, 1)
        bus.close_device(handle)


@pytest.mark.asyncio
async def test_a_kernel_driver_is_detached_by_the_controller(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus, kernel_driver=True)
    async with plugged_in(port, shoe):
        (plug,) = bus.enumerate_devices()
        handle = bus.open_device(plug)
        refuses(errno.EBUSY, lambda: bus.claim_interface(handle, 0))
        refuses(errno.EBUSY, lambda: bus.set_configuration(handle, 1))
        bus.close_device(handle)
        for _ in range(2):
            ears = Ears()
            line = await UsbDevice(0x1209, 0x5B0E, backend=bus).open(ears.on_bytes, ears.on_lost)
            await shoe.until_host()
            handle = bus.open_device(next(bus.enumerate_devices()))
            refuses(errno.EBUSY, lambda handle=handle: bus.attach_kernel_driver(handle, 0))  # type: ignore[misc]
            refuses(errno.ENOENT, lambda handle=handle: bus.detach_kernel_driver(handle, 0))  # type: ignore[misc]
            await line.close()
            bus.attach_kernel_driver(handle, 0)
            assert bus.is_kernel_driver_active(handle, 0)
            bus.close_device(handle)
            await port.unplug()
            await port.replug()


@pytest.mark.asyncio
async def test_two_threads_of_a_host_at_once_while_the_cable_is_pulled(bus: UsbBus, shoe: ShoeEnd) -> None:
    port = UsbPort(bus)
    received: list[bytes] = []
    errors: list[int | None] = []

    def use(device: Device, use_it: Callable[[Device], None]) -> None:
        def for_ever() -> None:
            while True:
                use_it(device)

        errors.append(_error_number(for_ever))

    async with plugged_in(port, shoe):
        for round_number in range(1, 21):
            with claimed(bus) as device:
                received.clear()
                shoe.data.clear()
                reader = threading.Thread(
                    target=use, args=(device, lambda device: received.append(device.read(DATA_IN, 64, 5000).tobytes()))
                )
                writer = threading.Thread(target=use, args=(device, lambda device: device.write(DATA_OUT, b"x" * 100)))
                await shoe.until_host()
                port.write(noise(BURST, round_number))
                reader.start()
                writer.start()
                await shoe.until_bytes(100 * round_number)
                await port.unplug()
                reader.join(10)
                writer.join(10)
            assert b"".join(received) == noise(BURST, round_number)[: len(b"".join(received))]
            assert set(shoe.data) == {ord("x")}
            assert len(shoe.data) % 100 == 0
            await port.replug()
    assert errors == [errno.ENODEV] * 40


def test_a_bus_whose_event_loop_is_gone_has_no_devices_to_talk_to() -> None:
    bus = UsbBus()
    asyncio.run(UsbPort(bus).open(_Deaf()))
    (plug,) = bus.enumerate_devices()
    refuses(errno.ENODEV, lambda: bus.open_device(plug))


class _Deaf:
    def host_attached(self) -> None: ...
    def host_detached(self) -> None: ...
    def received(self, data: bytes) -> None: ...
