"""What is believed: nothing that the shoe did not say, whatever a stranger puts on the line. No bytes do any harm."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.link import Delivery, DesiredShoe, EventGap, ShoeIdentity, Wanted
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import FrameType
from firmware_protocol.native.session import FRAME_TAG_BYTES
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import ShoeStore
from tests.firmware_protocol.native.events import table_events
from tests.firmware_protocol.native.line import KEY, Line, bodies
from tests.firmware_protocol.native.puppets import PuppetController, PuppetShoe

SMALL = st.binary(max_size=40)
ANY_FRAME = st.builds(
    lambda frame_type, rest: encode_frame(bytes((frame_type,)) + rest),
    st.sampled_from([int(frame_type) for frame_type in FrameType]) | st.integers(0, 255),
    st.binary(max_size=200),
)
ANY_STREAM = st.lists(ANY_FRAME | st.binary(max_size=300), max_size=20)


class Stranger:
    """Sits on the line: sees every frame, and drops, repeats, reflects, changes and invents as it likes."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.seen: list[tuple[str, bytes]] = []

    def __call__(self, sender: str, data: bytes) -> bytes:
        line, passed = self.line, b""
        for body in bodies(data):
            self.seen.append((sender, body))
            match line.random.randrange(12):
                case 0:
                    continue
                case 1:
                    whose, old = line.random.choice(self.seen)
                    line.inject(whose, encode_frame(old), line.random.uniform(0.0, 5.0))
                case 2:
                    line.inject("shoe" if sender == "controller" else "controller", encode_frame(body))
                case 3:
                    line.inject(sender, encode_frame(self.changed(body)))
                case 4:
                    passed += encode_frame(self.changed(body))
                    continue
                case 5:
                    invented = bytes((line.random.choice(list(FrameType)),)) + line.random.randbytes(40)
                    line.inject(line.random.choice(["shoe", "controller"]), encode_frame(invented))
                case 6:
                    # An old frame's content under the newest counter, or the newest content under an old one.
                    _, other = line.random.choice(self.seen)
                    line.inject(sender, encode_frame(body[:9] + other[9:] or b"\0"))
            passed += encode_frame(body)
        return passed

    def changed(self, body: bytes) -> bytes:
        spoilt = bytearray(body)
        spoilt[self.line.random.randrange(len(spoilt))] ^= 1 << self.line.random.randrange(8)
        return bytes(spoilt)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_a_stranger_on_the_line_can_delay_and_nothing_else(seed: int) -> None:
    line = Line(seed=seed)
    line.tap = Stranger(line)
    events = list(table_events(150))
    line.plan(events)
    line.controller.want(DesiredShoe(gate_locked=True), line.now)
    while len(line.journal) < 100 and line.step(line.now + 1000.0):
        if line.random.random() < 0.002:
            line.random.choice([line.restart_controller, line.restart_shoe])()
        arrived = [delivery.sequence for delivery in line.journal]
        assert arrived == list(range(1, len(arrived) + 1))
    for delivery, event in zip(line.journal, events, strict=False):
        assert type(delivery.event) is type(event)
        assert getattr(delivery.event, "card_id", None) == getattr(event, "card_id", None)
    assert len(line.journal) >= 100
    assert line.reports_of(EventGap) == []
    desires = {notice.desired for notice in line.notices if isinstance(notice, Wanted)}
    assert desires <= {DesiredShoe(gate_locked=True)}


def fresh_controller() -> NativeController:
    link = NativeController(key=KEY, nonce=lambda: bytes(16))
    link.connected(0.0)
    return link


def fresh_shoe() -> NativeShoe:
    identity = ShoeIdentity(
        model="M", firmware="1", serial_number="S", boot_id=1, protocol_version=1, capabilities=frozenset()
    )
    link = NativeShoe(identity=identity, store=ShoeStore(), nonce=lambda: bytes(16), now=0.0, key=KEY)
    link.connected(0.0)
    link.report(next(iter(table_events(1))), 0.0)
    return link


@given(ANY_STREAM, st.booleans())
def test_no_bytes_disturb_a_controller(stream: list[bytes], in_session: bool) -> None:  # noqa: FBT001 -- both cases
    link = fresh_controller()
    if in_session:
        PuppetShoe(link).shake_hands()
    now = 0.0
    for data in stream:
        assert not any(isinstance(item, Delivery) for item in link.receive(data, now))
        now += 0.3
        link.tick(now)
        assert len(link.to_send()) < 9_000


@given(ANY_STREAM, st.booleans())
def test_no_bytes_disturb_a_shoe(stream: list[bytes], in_session: bool) -> None:  # noqa: FBT001 -- both cases
    link = fresh_shoe()
    if in_session:
        PuppetController(link).shake_hands()
    now = 5.0
    for data in stream:
        assert not any(isinstance(item, Wanted) for item in link.receive(data, now))
        now += 0.3
        link.tick(now)
        assert len(link.to_send()) < 9_000
    assert len(link.store.events) == 1


@given(st.lists(st.tuples(st.integers(0x90, 0xFF), SMALL), max_size=30))
def test_no_believed_nonsense_disturbs_a_controller(frames: list[tuple[int, bytes]]) -> None:
    """Firmware that holds the key and is full of mistakes."""
    link = fresh_controller()
    shoe = PuppetShoe(link)
    shoe.shake_hands()
    for frame_type, payload in frames:
        for item in shoe.say(shoe.session.seal(frame_type, payload)):
            if isinstance(item, Delivery):
                link.committed(item, shoe.now)
        shoe.now += 0.1
        link.tick(shoe.now)


@given(st.lists(st.tuples(st.integers(0x10, 0x7F), SMALL), max_size=30))
def test_no_believed_nonsense_disturbs_a_shoe(frames: list[tuple[int, bytes]]) -> None:
    controller = PuppetController(fresh_shoe())
    controller.shake_hands()
    for frame_type, payload in frames:
        controller.say_sealed(frame_type, payload)
        controller.now += 0.1
        controller.shoe.tick(controller.now)


@pytest.mark.parametrize("length", range(1, 9 + FRAME_TAG_BYTES + 2))
def test_frames_too_short_to_be_sealed_are_refused(length: int) -> None:
    link = fresh_controller()
    shoe = PuppetShoe(link)
    shoe.shake_hands()
    for frame_type in (FrameType.EVENT, FrameType.STATUS, 0xA0):
        shoe.say(bytes((frame_type,)) + bytes(length - 1))
    assert sum(link.counts.refused.values()) == 3


def test_a_flood_of_hellos_is_answered_at_a_measured_pace() -> None:
    link = fresh_shoe()
    hello = bytes((FrameType.HELLO, 1, 1, 0))
    now = 10.0
    for number in range(1000):
        link.receive(encode_frame(hello + number.to_bytes(16, "big")) * 3, now)
        now += 0.001
    assert len(link.to_send()) < 11 * 200
