"""Finding and claiming a USB shoe: pyusb's real code over the emulator's bus."""

import errno

import pytest

from shoe_controller.transports.transport import TransportError
from shoe_controller.transports.usb_device import UsbDevice
from simulator.ports.usb_shoe import (
    VENDOR_CLASS,
    UsbIdentity,
    bulk_endpoint,
    configuration_of,
    interface_of,
    interrupt_endpoint,
)
from tests.transports.ears import Ears
from tests.transports.noise import noise
from tests.transports.usb_lines import PRODUCT, VENDOR, ShoeOnBus, WatchedBus, open_device, the_shoe, usb_error

HID, VENDOR_SPECIFIC = (0x03, 0, 0), (VENDOR_CLASS, 0, 0)
KEYBOARD = [interface_of(0, 1, HID), interrupt_endpoint(0x81)]
ONE_WAY = [interface_of(1, 2, VENDOR_SPECIFIC), interrupt_endpoint(0x82), bulk_endpoint(0x02)]
SHOE = [interface_of(2, 3, VENDOR_SPECIFIC), interrupt_endpoint(0x85), bulk_endpoint(0x84), bulk_endpoint(0x06)]
EMPTY = [interface_of(2, 0, VENDOR_SPECIFIC)]
OTHER_SETTING = [interface_of(2, 2, VENDOR_SPECIFIC, 1), bulk_endpoint(0x06), bulk_endpoint(0x84)]


@pytest.mark.parametrize(
    "interfaces",
    [
        SHOE,
        KEYBOARD + ONE_WAY + SHOE,
        KEYBOARD + EMPTY + OTHER_SETTING,
    ],
)
@pytest.mark.asyncio
async def test_endpoints_are_looked_up(bus: WatchedBus, interfaces: list[bytes]) -> None:
    shoe = ShoeOnBus(bus, configurations=[configuration_of(interfaces)])
    ears = Ears()
    line = await open_device(bus, ears)
    shoe.send(b"heard")
    line.write(b"said")
    assert await ears.hear_bytes(5) == b"heard"
    assert await the_shoe(shoe, 4) == b"said"
    await line.close()
    assert shoe.endpoints_used == {0x84, 0x06}
    assert shoe.device.alternate_settings == ({2: 1} if EMPTY[0] in interfaces else {})


@pytest.mark.parametrize("size", [8, 64, 512, 1024])
@pytest.mark.asyncio
async def test_packets_may_be_as_large_as_the_descriptor_says(bus: WatchedBus, size: int) -> None:
    pipes = [interface_of(0, 2, VENDOR_SPECIFIC), bulk_endpoint(0x81, size), bulk_endpoint(0x01, size)]
    shoe = ShoeOnBus(bus, configurations=[configuration_of(pipes)])
    ears = Ears()
    line = await open_device(bus, ears)
    shoe.send(noise(4096))
    assert await ears.hear_bytes(4096) == noise(4096)
    assert shoe.packets_read == 4096 / size
    await line.close()


@pytest.mark.parametrize("active", [0, 1])
@pytest.mark.asyncio
async def test_the_configuration_is_set_where_another_or_none_is_active(bus: WatchedBus, active: int) -> None:
    configurations = [configuration_of(KEYBOARD, 1), configuration_of(SHOE, 2)]
    shoe = ShoeOnBus(bus, configurations=configurations, active=active, kernel_drivers={0} if active else ())
    line = await open_device(bus, Ears())
    assert shoe.device.configuration == 2
    assert shoe.calls.count("set_configuration") == 1
    line.write(b"said")
    assert await the_shoe(shoe, 4) == b"said"
    await line.close()


@pytest.mark.asyncio
async def test_a_configuration_that_is_active_is_left_alone(bus: WatchedBus) -> None:
    configurations = [configuration_of(SHOE, 1), configuration_of(SHOE, 2)]
    shoe = ShoeOnBus(bus, configurations=configurations, active=2)
    line = await open_device(bus, Ears())
    await line.close()
    assert shoe.device.configuration == 2
    assert "set_configuration" not in shoe.calls


@pytest.mark.asyncio
async def test_a_device_that_is_no_shoe(bus: WatchedBus) -> None:
    ShoeOnBus(bus, configurations=[configuration_of(KEYBOARD + ONE_WAY)])
    with pytest.raises(TransportError, match="no vendor-class interface with two bulk endpoints"):
        await open_device(bus, Ears())


@pytest.mark.asyncio
async def test_a_kernel_driver_is_detached(bus: WatchedBus) -> None:
    shoe = ShoeOnBus(bus, kernel_drivers={0})
    line = await open_device(bus, Ears())
    assert not shoe.has_kernel_driver(0)
    await line.close()


@pytest.mark.asyncio
async def test_a_backend_that_knows_no_kernel_drivers(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    shoe.faults["is_kernel_driver_active"] = NotImplementedError("is_kernel_driver_active")
    line = await open_device(bus, ears)
    shoe.send(b"heard")
    assert await ears.hear_bytes(5) == b"heard"
    await line.close()


@pytest.mark.asyncio
async def test_the_serial_number_chooses(bus: WatchedBus) -> None:
    ShoeOnBus(bus, UsbIdentity("SHOE-1"))
    ShoeOnBus(bus, UsbIdentity(None))
    second = ShoeOnBus(bus, UsbIdentity("SHOE-2"))
    ShoeOnBus(bus, UsbIdentity("SHOE-2", product=1))
    line = await open_device(bus, Ears(), "SHOE-2")
    assert {handle.plug for handle in bus.open_handles} == {second}
    line.write(b"said")
    assert await the_shoe(second, 4) == b"said"
    await line.close()


@pytest.mark.asyncio
async def test_the_right_shoe_is_not_there(bus: WatchedBus) -> None:
    ShoeOnBus(bus, UsbIdentity("SHOE-1"))
    with pytest.raises(TransportError, match=r"USB 1209:5b0e serial number SHOE-2: no shoe is there. Plug it in"):
        await open_device(bus, Ears(), "SHOE-2")


@pytest.mark.asyncio
async def test_two_shoes_and_no_serial_number(bus: WatchedBus) -> None:
    ShoeOnBus(bus, UsbIdentity("SHOE-1"))
    ShoeOnBus(bus, UsbIdentity("SHOE-2"))
    with pytest.raises(TransportError, match="2 such devices are plugged in"):
        await open_device(bus, Ears())


@pytest.mark.parametrize("serial_number", [None, "SHOE-1"])
@pytest.mark.asyncio
async def test_a_device_that_we_may_not_open(bus: WatchedBus, serial_number: str | None) -> None:
    shoe = ShoeOnBus(bus)
    shoe.faults["open_device"] = usb_error(errno.EACCES)
    with pytest.raises(TransportError, match=r"may not be opened by the user .* udev rule"):
        await open_device(bus, Ears(), serial_number)


@pytest.mark.asyncio
async def test_a_device_that_another_program_holds(bus: WatchedBus) -> None:
    ShoeOnBus(bus)
    line = await open_device(bus, Ears())
    with pytest.raises(TransportError, match=r"is in use by another program \(`sudo fuser -v /dev/bus/usb/250/001`"):
        await open_device(bus, Ears())
    await line.close()


@pytest.mark.asyncio
async def test_a_fault_while_opening_is_not_hidden(bus: WatchedBus) -> None:
    ShoeOnBus(bus).faults["claim_interface"] = ZeroDivisionError("a fault")
    with pytest.raises(ZeroDivisionError):
        await open_device(bus, Ears())


@pytest.mark.asyncio
async def test_without_libusb_the_error_names_the_package() -> None:
    searches = []

    def find_nothing() -> None:
        searches.append("once")

    device = UsbDevice(VENDOR, PRODUCT, find_backend=find_nothing)
    for _ in range(3):
        with pytest.raises(TransportError, match=r"Install the package libusb-1.0-0"):
            await device.open(print, print)
    assert searches == ["once"]


@pytest.mark.asyncio
async def test_nobody_there(bus: WatchedBus) -> None:
    with pytest.raises(TransportError, match=r"USB 1209:5b0e: no shoe is there"):
        await open_device(bus, Ears())


@pytest.mark.parametrize(
    ("vendor", "product", "serial_number", "complaint"),
    [
        (-1, 1, None, "-1 is not a USB vendor id"),
        (1, 0x10000, None, "65536 is not a USB product id"),
        (1, 1, "", "serial number is empty"),
        (1, 1, "  ", "serial number is empty"),
    ],
)
def test_nonsense_numbers(vendor: int, product: int, serial_number: str | None, complaint: str) -> None:
    with pytest.raises(TransportError, match=complaint):
        UsbDevice(vendor, product, serial_number)
