"""The conversation of USB/IP without any socket: any bytes, cut anywhere."""

import struct
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from simulator.ports.port import Host, HostEvent
from simulator.ports.usb_shoe import UsbIdentity, UsbKind, UsbShoe
from simulator.ports.usbip_packets import ExportedShoe, MalformedPacketError
from simulator.ports.usbip_session import UsbIpSession

IMPORT = struct.pack(">HHI32s", 0x0111, 0x8003, 0, b"1-1")
LIST = struct.pack(">HHI", 0x0111, 0x8005, 0)
KINDS = st.sampled_from(UsbKind)


def session(kind: UsbKind) -> UsbIpSession:
    exported = ExportedShoe(UsbShoe(UsbIdentity(), kind), 1, 2)
    return UsbIpSession(lambda: (exported, True))


def submit(  # noqa: PLR0917 - the fields of a packet, in their order
    number: int, endpoint: int, to_host: int, length: int, setup: bytes = bytes(8), data: bytes = b""
) -> bytes:
    head = struct.pack(">IIIII", 1, number, 0x10002, to_host, endpoint)
    return head + struct.pack(">IIIII8s", 0, length, 0, 0, 0, setup) + data


def unlink(number: int, other: int) -> bytes:
    return struct.pack(">IIIIII24x", 2, number, 0x10002, 0, 0, other)


COMMANDS = st.one_of(
    st.builds(
        submit,
        st.integers(0, 99),
        st.integers(0, 4),
        st.just(1),
        st.integers(0, 2000),
        st.binary(min_size=8, max_size=8),
    ),
    st.binary(max_size=100).flatmap(
        lambda data: st.builds(
            submit,
            st.integers(0, 99),
            st.integers(0, 4),
            st.just(0),
            st.just(len(data)),
            st.sampled_from([bytes(8), b"\x21\x22\x01\0\0\0\0\0", b"\x21\x22\0\0\0\0\0\0"]),
            st.just(data),
        )
    ),
    st.builds(unlink, st.integers(0, 99), st.integers(0, 99)),
)


def feed(kind: UsbKind, chunks: list[bytes]) -> tuple[list[HostEvent], bytes]:
    talk = session(kind)
    events: list[HostEvent] = []
    sent = b""
    for chunk in chunks:
        events += talk.receive(chunk)
        if talk.imported is not None:
            talk.imported.offer(b"card ")
        sent += talk.to_send()
    return events, sent


@given(KINDS, st.lists(st.binary(max_size=200), max_size=20), st.booleans())
def test_any_bytes_are_understood_or_refused(kind: UsbKind, chunks: list[bytes], import_first: bool) -> None:  # noqa: FBT001 - drawn
    with suppress(MalformedPacketError):
        feed(kind, [IMPORT, *chunks] if import_first else chunks)


@given(KINDS, st.lists(COMMANDS, max_size=20), st.data())
def test_the_same_bytes_cut_anywhere_mean_the_same(kind: UsbKind, commands: list[bytes], data: st.DataObject) -> None:
    whole = LIST + IMPORT + b"".join(commands)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=10)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    one, other = session(kind), session(kind)
    heard = list(one.receive(whole))
    heard_in_pieces = [event for piece in pieces for event in other.receive(piece)]
    assert heard_in_pieces == heard
    assert other.to_send() == one.to_send()


@given(KINDS, st.lists(COMMANDS, max_size=30))
def test_hosts_come_and_go_in_turn_and_speak_only_while_they_are_there(kind: UsbKind, commands: list[bytes]) -> None:
    events, _ = feed(kind, [IMPORT, *commands])
    there = False
    for event in events:
        if isinstance(event, Host):
            assert (event is Host.ATTACHED) != there
            there = event is Host.ATTACHED
        else:
            assert there
            assert event


@given(KINDS, st.lists(st.sampled_from(range(1, 50)), unique=True), st.lists(st.integers(0, 300), max_size=20))
def test_every_byte_goes_to_the_oldest_read_that_waits(kind: UsbKind, reads: list[int], sizes: list[int]) -> None:
    talk = session(kind)
    list(talk.receive(IMPORT + submit(100, 0, 0, 0, b"\x21\x22\x01\0\0\0\0\0")))
    for number in reads:
        list(talk.receive(submit(number, 1, 1, 64)))
    talk.to_send()
    assert talk.imported is not None
    offered = b""
    for size in sizes:
        chunk = bytes(index % 256 for index in range(len(offered), len(offered) + size))
        offered += chunk
        talk.imported.offer(chunk)
    answers = talk.to_send()
    got = b""
    answered = []
    while answers:
        command, number, status, length = struct.unpack_from(">II12xiI", answers)
        assert (command, status) == (3, 0)
        answered.append(number)
        got += answers[48 : 48 + length]
        answers = answers[48 + length :]
    assert answered == reads[: len(answered)]
    expected = offered if kind is UsbKind.CDC_ACM or reads else b""
    assert got == expected[: len(got)]
    assert len(answered) == len(reads) or len(got) == len(expected), "nothing waits on both sides"
