"""The descriptors and the control endpoint, for both kinds of device."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.ports.usb_shoe import CONFIGURATION, Setup, UsbIdentity, UsbKind, UsbShoe

KINDS = st.sampled_from(UsbKind)
BYTES, WORDS = st.integers(0, 0xFF), st.integers(0, 0xFFFF)
LINE_CODING = struct.pack("<IBBB", 4800, 0, 0, 8)


def get_descriptor(shoe: UsbShoe, kind: int, index: int = 0, length: int = 0xFFFF) -> bytes | None:
    return shoe.answer(Setup(0x80, 0x06, kind << 8 | index, 0x0409, length))


def acm() -> UsbShoe:
    return UsbShoe(UsbIdentity(), UsbKind.CDC_ACM)


@pytest.mark.parametrize("kind", UsbKind)
def test_the_configuration_adds_up(kind: UsbKind) -> None:
    """As a kernel reads it: every length leads to the next part, every count is true."""
    data = get_descriptor(UsbShoe(UsbIdentity(), kind), 2)
    assert data is not None
    total, interfaces, value = struct.unpack_from("<HBB", data, 2)
    assert (total, value) == (len(data), CONFIGURATION)
    parts = []
    while data:
        parts.append(data[: data[0]])
        data = data[data[0] :]
    assert [part[2] for part in parts if part[1] == 4] == list(range(interfaces))
    endpoints = [part for part in parts if part[1] == 5]
    assert len(endpoints) == sum(part[4] for part in parts if part[1] == 4)
    assert len({part[2] for part in endpoints}) == len(endpoints)
    assert all(part[0] == 7 for part in endpoints)


def test_the_parts_that_a_linux_kernel_looks_for_in_a_serial_device() -> None:
    data = acm().configurations[0]
    assert acm().interface_classes == [bytes([2, 2, 0]), bytes([0x0A, 0, 0])]
    assert bytes([5, 0x24, 6, 0, 1]) in data, "the union of the two interfaces"
    assert bytes([4, 0x24, 2]) in data, "what of the abstract control model it can do"


@pytest.mark.parametrize("kind", UsbKind)
def test_a_host_may_ask_for_part_of_a_descriptor(kind: UsbKind) -> None:
    shoe = UsbShoe(UsbIdentity(), kind)
    for number in (1, 2):
        whole = get_descriptor(shoe, number)
        assert whole is not None
        assert all(get_descriptor(shoe, number, 0, length) == whole[:length] for length in range(len(whole)))


def test_what_a_full_speed_device_has_not() -> None:
    """A device qualifier, another speed's configuration, a BOS, a second configuration, a fourth text."""
    shoe = acm()
    assert [get_descriptor(shoe, *which) for which in ((6, 0), (7, 0), (15, 0), (2, 1), (3, 4))] == [None] * 5


def test_the_serial_line_is_set_and_read_back() -> None:
    shoe = acm()
    assert shoe.answer(Setup(0xA1, 0x21, 0, 0, 7)) == struct.pack("<IBBB", 115_200, 0, 0, 8)
    assert shoe.answer(Setup(0x21, 0x20, 0, 0, 7), LINE_CODING) == b""
    assert shoe.answer(Setup(0xA1, 0x21, 0, 0, 7)) == LINE_CODING
    assert shoe.answer(Setup(0x21, 0x20, 0, 0, 6), LINE_CODING[:6]) is None
    assert shoe.answer(Setup(0x21, 0x23, 100, 0, 0)) == b"", "a break"


def test_the_port_is_open_while_dtr_is_up() -> None:
    shoe = acm()
    states = []
    for lines in (0b00, 0b01, 0b11, 0b10, 0b01):
        assert shoe.answer(Setup(0x21, 0x22, lines, 0, 0)) == b""
        states.append(shoe.port_open)
    assert states == [False, True, True, False, True]
    assert shoe.answer(Setup(0x00, 0x09, 1, 0, 0)) == b"", "configured anew"
    assert not shoe.port_open


def test_a_vendor_device_is_no_serial_line() -> None:
    shoe = UsbShoe(UsbIdentity(), UsbKind.VENDOR)
    assert shoe.answer(Setup(0xA1, 0x21, 0, 0, 7)) is None
    assert shoe.answer(Setup(0x21, 0x22, 1, 0, 0)) is None


@given(KINDS, st.builds(Setup, BYTES, BYTES, WORDS, WORDS, WORDS), st.binary(max_size=64))
def test_any_request_is_answered_or_stalled(kind: UsbKind, setup: Setup, data: bytes) -> None:
    answer = UsbShoe(UsbIdentity(), kind).answer(setup, data)
    assert answer is None or len(answer) <= setup.length
    assert not answer or setup.to_host
