"""Finding and claiming a USB shoe: pyusb's real code over the bus of fake_usb.py."""

import errno

import pytest

from shoe_controller.transports.transport import TransportError
from shoe_controller.transports.usb_device import UsbDevice
from tests.transports.ears import Ears
from tests.transports.fake_usb import (
    HID_CLASS,
    INTERRUPT,
    PRODUCT,
    VENDOR,
    FakeConfiguration,
    FakeEndpoint,
    FakeInterface,
    FakeShoe,
    UsbBus,
    usb_error,
)
from tests.transports.noise import noise
from tests.transports.usb_lines import open_device, the_shoe

KEYBOARD = FakeInterface(0, kind=HID_CLASS, endpoints=(FakeEndpoint(0x81, INTERRUPT),))
ONE_WAY = FakeInterface(1, endpoints=(FakeEndpoint(0x82, INTERRUPT), FakeEndpoint(0x02)))
SHOE = FakeInterface(2, endpoints=(FakeEndpoint(0x85, INTERRUPT), FakeEndpoint(0x84), FakeEndpoint(0x06)))
EMPTY = FakeInterface(2, endpoints=())
OTHER_SETTING = FakeInterface(2, alternate=1, endpoints=(FakeEndpoint(0x06), FakeEndpoint(0x84)))


@pytest.mark.parametrize(
    "interfaces",
    [
        ((SHOE,),),
        ((KEYBOARD,), (ONE_WAY,), (SHOE,)),
        ((KEYBOARD,), (EMPTY, OTHER_SETTING)),
    ],
)
@pytest.mark.asyncio
async def test_endpoints_are_looked_up(bus: UsbBus, interfaces: tuple[tuple[FakeInterface, ...], ...]) -> None:
    shoe = bus.plug_in(FakeShoe(configurations=(FakeConfiguration(1, interfaces),)))
    ears = Ears()
    line = await open_device(bus, ears)
    shoe.send(b"heard")
    line.write(b"said")
    assert await ears.hear_bytes(5) == b"heard"
    assert await the_shoe(shoe, 4) == b"said"
    await line.close()
    assert shoe.endpoints_used == {0x84, 0x06}
    assert ("alternate setting 1 of interface 2" in shoe.calls) == (OTHER_SETTING in interfaces[-1])


@pytest.mark.parametrize("size", [8, 64, 512, 1024])
@pytest.mark.asyncio
async def test_packets_may_be_as_large_as_the_descriptor_says(bus: UsbBus, size: int) -> None:
    pipes = FakeInterface(endpoints=(FakeEndpoint(0x81, packet=size), FakeEndpoint(0x01, packet=size)))
    shoe = bus.plug_in(FakeShoe(configurations=(FakeConfiguration(1, ((pipes,),)),)))
    ears = Ears()
    line = await open_device(bus, ears)
    shoe.send(noise(4096), packet=size)
    assert await ears.hear_bytes(4096) == noise(4096)
    await line.close()


@pytest.mark.parametrize("active", [0, 1])
@pytest.mark.asyncio
async def test_the_configuration_is_set_where_another_or_none_is_active(bus: UsbBus, active: int) -> None:
    configurations = (FakeConfiguration(1, ((KEYBOARD,),)), FakeConfiguration(2, ((SHOE,),)))
    shoe = bus.plug_in(FakeShoe(configurations=configurations, active=active, kernel_drivers={0} if active else set()))
    line = await open_device(bus, Ears())
    assert shoe.active == 2
    assert shoe.calls.count("set_configuration") == 1
    line.write(b"said")
    assert await the_shoe(shoe, 4) == b"said"
    await line.close()


@pytest.mark.asyncio
async def test_a_configuration_that_is_active_is_left_alone(bus: UsbBus) -> None:
    configurations = (FakeConfiguration(1, ((SHOE,),)), FakeConfiguration(2, ((SHOE,),)))
    shoe = bus.plug_in(FakeShoe(configurations=configurations, active=2))
    line = await open_device(bus, Ears())
    await line.close()
    assert shoe.active == 2
    assert "set_configuration" not in shoe.calls


@pytest.mark.asyncio
async def test_a_device_that_is_no_shoe(bus: UsbBus) -> None:
    bus.plug_in(FakeShoe(configurations=(FakeConfiguration(1, ((KEYBOARD,), (ONE_WAY,))),)))
    with pytest.raises(TransportError, match="no vendor-class interface with two bulk endpoints"):
        await open_device(bus, Ears())


@pytest.mark.asyncio
async def test_a_kernel_driver_is_detached(bus: UsbBus) -> None:
    shoe = bus.plug_in(FakeShoe(kernel_drivers={0}))
    line = await open_device(bus, Ears())
    assert shoe.kernel_drivers == set()
    await line.close()


@pytest.mark.asyncio
async def test_a_backend_that_knows_no_kernel_drivers(bus: UsbBus) -> None:
    shoe, ears = bus.plug_in(FakeShoe(kernel_drivers=None)), Ears()
    line = await open_device(bus, ears)
    shoe.send(b"heard")
    assert await ears.hear_bytes(5) == b"heard"
    await line.close()


@pytest.mark.asyncio
async def test_the_serial_number_chooses(bus: UsbBus) -> None:
    bus.plug_in(FakeShoe(serial_number="SHOE-1"))
    bus.plug_in(FakeShoe(serial_number=None))
    second = bus.plug_in(FakeShoe(serial_number="SHOE-2"))
    bus.plug_in(FakeShoe(product=1, serial_number="SHOE-2"))
    line = await open_device(bus, Ears(), "SHOE-2")
    assert {handle.shoe for handle in bus.open_handles} == {second}
    line.write(b"said")
    assert await the_shoe(second, 4) == b"said"
    await line.close()


@pytest.mark.asyncio
async def test_the_right_shoe_is_not_there(bus: UsbBus) -> None:
    bus.plug_in(FakeShoe(serial_number="SHOE-1"))
    with pytest.raises(TransportError, match=r"USB 1209:5b0e serial number SHOE-2: no shoe is there. Plug it in"):
        await open_device(bus, Ears(), "SHOE-2")


@pytest.mark.asyncio
async def test_two_shoes_and_no_serial_number(bus: UsbBus) -> None:
    bus.plug_in(FakeShoe(serial_number="SHOE-1"))
    bus.plug_in(FakeShoe(serial_number="SHOE-2"))
    with pytest.raises(TransportError, match="2 such devices are plugged in"):
        await open_device(bus, Ears())


@pytest.mark.parametrize("serial_number", [None, "SHOE-1"])
@pytest.mark.asyncio
async def test_a_device_that_we_may_not_open(bus: UsbBus, serial_number: str | None) -> None:
    shoe = bus.plug_in(FakeShoe())
    shoe.faults["open_device"] = usb_error(errno.EACCES)
    with pytest.raises(TransportError, match=r"may not be opened by the user .* udev rule"):
        await open_device(bus, Ears(), serial_number)


@pytest.mark.asyncio
async def test_a_device_that_another_program_holds(bus: UsbBus) -> None:
    bus.plug_in(FakeShoe())
    line = await open_device(bus, Ears())
    with pytest.raises(TransportError, match=r"is in use by another program \(`sudo fuser -v /dev/bus/usb/250/001`"):
        await open_device(bus, Ears())
    await line.close()


@pytest.mark.asyncio
async def test_a_fault_while_opening_is_not_hidden(bus: UsbBus) -> None:
    bus.plug_in(FakeShoe()).faults["claim_interface"] = ZeroDivisionError("a fault")
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
async def test_nobody_there(bus: UsbBus) -> None:
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
