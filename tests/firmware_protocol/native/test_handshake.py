"""How a session begins, and how it does not: versions, keys, restarts at any moment, and strangers on the line."""

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.events import Button, StartCause
from firmware_protocol.link import (
    DesireAwaited,
    LineError,
    LinkDown,
    LinkUp,
    LinkUsageError,
    Refused,
    RefusedCause,
    ShoeIdentity,
)
from firmware_protocol.native.controller import ControllerTimings, NativeController
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.handshake import NO_BOOT_ID, SHOE_HAS_ANOTHER_KEY, TAMPERED_HELLO
from firmware_protocol.native.messages import (
    TAG_BYTES,
    Challenge,
    FrameType,
    Hello,
    Reject,
    Versions,
    button_capability,
)
from firmware_protocol.native.session import CONTROLLER_KEY_LABEL, SHOE_KEY_LABEL, session_keys, shoe_tag
from firmware_protocol.native.shoe import NativeShoe, ShoeTimings
from firmware_protocol.native.store import ShoeStore
from firmware_protocol.native.texts import UnsendableError
from tests.firmware_protocol.native.events import table_events
from tests.firmware_protocol.native.line import KEY, Ends, Line, Weather, bodies

OTHER_KEY = bytes(range(2, 34))
RANGES = [Versions(oldest, newest) for oldest in (1, 2, 3) for newest in (1, 2, 3) if oldest <= newest]


def of_type(bodies: list[bytes], frame_type: FrameType) -> list[bytes]:
    return [body for body in bodies if body[0] == frame_type]


def is_up(line: Line) -> Callable[[], bool]:
    return lambda: line.controller.shoe is not None


def test_both_sides_know_each_other_after_one_exchange() -> None:
    line = Line()
    line.run_until(is_up(line), seconds=0.1)
    (up,) = line.reports_of(LinkUp)
    assert up.authenticated
    assert up.shoe == ShoeIdentity(
        model="Test Shoe",
        firmware="1.2.3",
        serial_number="TS-0001",
        boot_id=up.shoe.boot_id if up.shoe else 0,
        protocol_version=1,
        capabilities=frozenset({"gate", "lamps"}),
        start_cause=StartCause.POWER_ON,
    )
    assert line.notices == [DesireAwaited(), LinkUp(authenticated=True)]


@pytest.mark.parametrize(("ours", "theirs"), list(product(RANGES, RANGES)), ids=str)
def test_the_newest_common_version_is_spoken_or_the_reason_is_told_once(ours: Versions, theirs: Versions) -> None:
    line = Line(ends=Ends(controller_versions=ours, shoe_versions=theirs))
    line.run_for(20.0)
    common = [version for version in (1, 2, 3) if ours.oldest <= version <= ours.newest]
    common = [version for version in common if theirs.oldest <= version <= theirs.newest]
    if common:
        assert line.controller.shoe is not None
        assert line.controller.shoe.protocol_version == max(common)
        assert line.reports_of(Refused) == []
    else:
        assert line.controller.shoe is None
        (refused,) = line.reports
        assert isinstance(refused, Refused)
        assert refused.cause is RefusedCause.VERSION
        assert refused.reason.startswith(f"no common protocol version: the shoe speaks {theirs}, we speak {ours};")


@pytest.mark.parametrize(
    ("controller_key", "shoe_key", "cause", "reason"),
    [
        (KEY, OTHER_KEY, RefusedCause.KEY, SHOE_HAS_ANOTHER_KEY),
        (None, KEY, RefusedCause.NO_KEY, "the shoe speaks only with a key: put its key into the configuration"),
        (
            KEY,
            None,
            RefusedCause.NO_KEY,
            "the shoe has no key: put one into it, or set insecure = true in the configuration",
        ),
    ],
)
def test_a_key_that_does_not_fit_is_told_once(
    controller_key: bytes | None, shoe_key: bytes | None, cause: RefusedCause, reason: str
) -> None:
    line = Line(ends=Ends(controller_key=controller_key, shoe_key=shoe_key))
    line.plan(table_events(5))
    line.run_for(60.0)
    assert line.journal == []
    assert line.reports == [Refused(cause=cause, reason=reason, count=1)]
    assert line.controller.counts.refused[reason] > 10
    assert LinkUp(authenticated=True) not in line.notices
    line.replug()
    line.run_for(10.0)
    assert [report.reason for report in line.reports_of(Refused)] == [reason, reason], "reported again on a new line"


def test_without_a_key_both_sides_must_want_it_and_the_link_says_so() -> None:
    line = Line(ends=Ends(controller_key=None, shoe_key=None))
    line.plan(table_events(100))
    line.run_until(lambda: len(line.journal) == 100)
    assert [up.authenticated for up in line.reports_of(LinkUp)] == [False]


@pytest.mark.parametrize(
    "options",
    [{}, {"key": KEY, "insecure": True}, {"key": KEY[:31]}, {"key": bytes(32)}, {"key": b""}],
    ids=["none", "both", "short", "zeros", "empty"],
)
def test_a_key_must_be_right_or_knowingly_absent(options: dict[str, bytes | bool]) -> None:
    with pytest.raises(LinkUsageError, match="key"):
        NativeController(nonce=lambda: bytes(16), **options)  # type: ignore[arg-type]


def test_nonsense_in_a_constructor_is_refused_at_once() -> None:
    with pytest.raises(LinkUsageError, match="16 bytes"):
        NativeController(key=KEY, nonce=lambda: b"short").connected(0.0)
    with pytest.raises(LinkUsageError, match="keep-alive"):
        ControllerTimings(keep_alive=5.0, silence=3.0)
    good = ShoeIdentity(
        model="M", firmware="1", serial_number="S", boot_id=1, protocol_version=1, capabilities=frozenset()
    )

    def make(**changed: object) -> None:
        fields = {name: getattr(good, name) for name in good.__struct_fields__} | changed
        NativeShoe(identity=ShoeIdentity(**fields), store=ShoeStore(), nonce=lambda: bytes(16), now=0.0, key=KEY)

    make(capabilities=frozenset({"gate", "lamps", "card_ids", "button_result"}))
    for boot_id in (0, -1, 1 << 32):
        with pytest.raises(LinkUsageError, match="boot id"):
            make(boot_id=boot_id)
    for bad in ({"model": "x" * 33}, {"firmware": "1.0\n"}, {"serial_number": "Nº 7"}, {"capabilities": {"wings"}}):
        with pytest.raises(UnsendableError):
            make(**bad)


def test_every_capability_and_cause_arrives() -> None:
    names = ["gate", "lamps", "card_ids", *map(button_capability, Button)]
    for name, cause in product(names, StartCause):
        shoe = ShoeIdentity(
            model="",
            firmware="f",
            serial_number="s" * 32,
            boot_id=9,
            protocol_version=2,
            capabilities=frozenset({name}),
            start_cause=cause,
        )
        hello = Hello(Versions(1, 2), insecure=True, nonce=bytes(range(16)))
        challenge = Challenge(hello, 2, Versions(2, 3), bytes(range(16, 32)), shoe)
        assert Challenge.read(challenge.untagged_body() + bytes(16)) == challenge


@pytest.mark.parametrize("first", ["shoe", "controller"])
@pytest.mark.parametrize("late", [0.0, 0.003, 0.4999, 0.5, 2.0, 61.0])
def test_either_side_may_come_first(first: str, late: float) -> None:
    line = Line(connected=False)
    starts = {"shoe": line.shoe.connected, "controller": line.controller.connected}
    starts.pop(first)(line.now)
    line.inject("shoe", b"\x33half a frame") if first == "controller" else line.inject("controller", b"\x09stale")
    if first == "shoe" and late:
        # Nobody listens yet: what the shoe says meanwhile is lost.
        line.shoe.to_send()
    line.now += late
    for start in starts.values():
        start(line.now)
    line.run_until(is_up(line), seconds=0.7)


def test_stale_bytes_and_half_frames_do_not_stop_a_handshake() -> None:
    line = Line(seed=4)
    for size in (1, 3, 40, 500):
        line.inject("shoe", line.random.randbytes(size))
        line.inject("controller", line.random.randbytes(size))
    line.run_until(is_up(line), seconds=1.2)
    assert all(isinstance(report, LineError | LinkUp) for report in line.reports)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(1, 9), st.sampled_from("csr")), max_size=6))
def test_a_restart_at_any_moment_of_a_handshake_is_survived(seed: int, restarts: list[tuple[int, str]]) -> None:
    line = Line(seed=seed)
    for steps, who in restarts:
        for _ in range(steps):
            line.step(line.now + 10.0)
        {"c": line.restart_controller, "s": line.restart_shoe, "r": line.replug}[who]()
    line.plan(table_events(3))
    line.run_until(lambda: len(line.journal) == 3, seconds=10.0)


def test_a_restarted_shoe_is_noticed_at_once_and_named() -> None:
    line = Line()
    line.run_until(is_up(line))
    line.run_for(10.0)
    line.restart_shoe()
    line.run_for(0.1)
    changes = [type(report) for report in line.reports if not isinstance(report, LineError)]
    assert changes == [LinkUp, LinkDown, LinkUp]
    assert line.reports_of(LinkDown)[0].reason == "the shoe restarted: watchdog"


def test_a_lost_first_status_is_sent_again_in_the_same_session() -> None:
    line = Line(ends=Ends(shoe_timings=ShoeTimings(keep_alive=10.0)))
    line.run_until(lambda: line.shoe.counts.sessions == 1)
    line.tap = lambda sender, data: b"" if sender == "shoe" else data
    line.run_for(0.1)
    line.tap = lambda _, data: data
    line.run_until(is_up(line), seconds=0.6)
    assert line.shoe.counts.sessions == 1


def test_a_reject_in_a_session_is_not_even_a_hint() -> None:
    line = Line()
    line.recording = True
    line.run_until(is_up(line))
    line.run_for(5.0)
    line.inject("shoe", encode_frame(bytes((FrameType.AWAKE,))))
    line.run_until(lambda: len(of_type(line.sent["controller"], FrameType.HELLO)) == 2)
    nonce = Hello.read(of_type(line.sent["controller"], FrameType.HELLO)[1]).nonce
    line.inject("shoe", encode_frame(Reject(2, Versions(1, 1), nonce).body()))
    line.run_for(5.0)
    assert [type(report) for report in line.reports] == [LinkUp]


def test_a_late_answer_to_an_earlier_hello_is_not_taken_for_a_wrong_one() -> None:
    line = Line()
    line.recording = True
    line.run_until(is_up(line))
    late = of_type(line.sent["shoe"], FrameType.CHALLENGE)[0]
    line.replug()
    line.weather = Weather(loss=1.0)
    line.inject("shoe", encode_frame(late))
    line.run_for(0.1)
    assert line.reports_of(Refused) == []
    assert line.controller.counts.unexpected == 1


def test_a_late_copy_of_the_hello_of_the_present_session_is_not_answered() -> None:
    line = Line()
    line.recording = True
    line.run_until(is_up(line))
    line.run_for(1.0)
    line.inject("controller", encode_frame(of_type(line.sent["controller"], FrameType.HELLO)[0]))
    line.run_for(1.0)
    assert len(of_type(line.sent["shoe"], FrameType.CHALLENGE)) == 1


# --- strangers on the line -------------------------------------------------------------------------------------


def test_nothing_unsigned_ends_a_session() -> None:
    line = Line(seed=8)
    line.recording = True
    line.run_until(is_up(line))
    line.plan(table_events(200))
    stranger = Hello(Versions(1, 1), insecure=False, nonce=b"stranger's nonce")
    for _ in range(600):
        for body in (stranger.body(), bytes((FrameType.PROOF,)) + line.random.randbytes(40)):
            line.inject("controller", encode_frame(body))
        reject = bytes((FrameType.REJECT, 1, 9, 9)) + bytes(16)
        challenge = bytes((FrameType.CHALLENGE,)) + line.random.randbytes(80)
        for body in (bytes((FrameType.AWAKE,)), reject, challenge):
            line.inject("shoe", encode_frame(body))
        line.run_for(0.02)
    assert len(line.journal) == 200
    assert line.reports_of(LinkDown) == []
    assert len(line.reports_of(LinkUp)) == 1
    # 12 seconds: the real session may have been renewed a few times, which costs nobody anything.
    assert line.controller.counts.sessions <= 6
    assert len(of_type(line.sent["controller"], FrameType.HELLO)) <= 40
    assert len(of_type(line.sent["shoe"], FrameType.CHALLENGE)) <= 12 / 0.1 + 1


def test_after_damaged_bytes_hello_is_not_waited_for() -> None:
    """They may have been the answer; on a bad line the next chance comes sooner, and noise makes no flood of it."""
    line = Line(connected=False)
    line.controller.connected(0.0)
    hellos = len(bodies(line.controller.to_send()))
    for step in range(1, 1000):
        line.controller.receive(b"noise\0", step / 1000)
        line.controller.tick(step / 1000)
        hellos += len(bodies(line.controller.to_send()))
    assert 5 <= hellos <= 8


def test_a_flood_of_awake_is_answered_a_few_times_a_second() -> None:
    line = Line(connected=False)
    line.controller.connected(0.0)
    hellos = 0
    for step in range(10_000):
        line.controller.receive(encode_frame(bytes((FrameType.AWAKE,))) * 10, step / 1000)
        hellos += len(bodies(line.controller.to_send()))
        line.controller.tick(step / 1000)
    assert hellos <= 10 * 4


def test_a_stranger_cannot_flood_the_log_with_invented_reasons() -> None:
    line = Line(connected=False)
    line.controller.connected(line.now)
    (hello,) = bodies(line.controller.to_send())
    for versions in range(1000):
        reject = Reject(1, Versions(versions % 256, versions // 256), Hello.read(hello).nonce)
        line.inject("shoe", encode_frame(reject.body()))
    line.run_for(0.1)
    assert len(line.reports) <= 20
    assert len(line.controller.counts.refused) <= 20
    assert sum(line.controller.counts.refused.values()) == 1000


def test_a_recorded_handshake_begins_nothing() -> None:
    line = Line()
    line.recording = True
    line.run_until(is_up(line))
    line.run_for(5.0)
    recorded = {side: list(bodies) for side, bodies in line.sent.items()}
    line.restart_controller()
    line.restart_shoe()
    before = (line.controller.counts.sessions, line.shoe.counts.sessions)
    line.weather = Weather(loss=1.0)
    for side in ("shoe", "controller"):
        for body in recorded[side]:
            line.inject(side, encode_frame(body))
    line.run_for(5.0)
    assert (line.controller.counts.sessions, line.shoe.counts.sessions) == before == (0, 0)
    line.weather = Weather()
    line.run_until(is_up(line), seconds=5.0)


def test_frames_sent_back_to_their_sender_are_refused() -> None:
    line = Line()
    line.plan(table_events(50))

    def mirror(sender: str, data: bytes) -> bytes:
        line.inject("controller" if sender == "shoe" else "shoe", data, 0.0005)
        return data

    line.tap = mirror
    line.run_until(lambda: len(line.journal) == 50)
    assert [up.authenticated for up in line.reports_of(LinkUp)] == [True]
    assert "a frame of our own direction: the line reflects what we send" in line.controller.counts.refused
    assert "a frame of our own direction: the line reflects what we send" in line.shoe.counts.refused


def test_the_two_directions_have_different_keys() -> None:
    from_shoe, from_controller = session_keys(KEY, b"challenge")
    assert from_shoe != from_controller
    assert len(from_shoe) == len(from_controller) == 32
    assert SHOE_KEY_LABEL != CONTROLLER_KEY_LABEL


@pytest.mark.parametrize("forged", [Versions(1, 1), Versions(1, 2), Versions(2, 3)])
def test_a_downgrade_is_noticed(forged: Versions) -> None:
    line = Line(ends=Ends(controller_versions=Versions(1, 3), shoe_versions=Versions(1, 3)))

    def downgrade(sender: str, data: bytes) -> bytes:
        if sender == "controller" and len(data) == 25:
            hello = Hello.read(bodies(data)[0])
            return encode_frame(Hello(forged, hello.insecure, hello.nonce).body())
        return data

    line.tap = downgrade
    line.run_for(10.0)
    assert line.controller.shoe is None
    assert line.reports == [Refused(cause=RefusedCause.CHANGED, reason=TAMPERED_HELLO, count=1)]


def test_a_shoe_with_a_boot_id_of_0_is_refused_and_told_of_once() -> None:
    """0 stands for no event at all in ACK and PROOF, so no power-up may have it."""
    line = Line()

    def without_boot_id(sender: str, data: bytes) -> bytes:
        sent = b""
        for body in bodies(data):
            if body[0] == FrameType.CHALLENGE:
                untagged = body[:39] + bytes(4) + body[43:-TAG_BYTES]
                sent += encode_frame(untagged + shoe_tag(KEY, untagged))
            else:
                sent += encode_frame(body)
        return sent if sender == "shoe" else data

    line.tap = without_boot_id
    line.run_for(10.0)
    assert line.reports == [Refused(cause=RefusedCause.BOOT_ID, reason=NO_BOOT_ID, count=1)]
    assert line.controller.shoe is None
    line.tap = lambda _, data: data
    line.run_until(is_up(line), seconds=5.0)


def test_a_hello_with_reserved_flags_is_the_same_hello() -> None:
    line = Line()
    line.recording = True

    def newer(sender: str, data: bytes) -> bytes:
        if sender == "controller" and bodies(data)[0][0] == FrameType.HELLO:
            (hello,) = bodies(data)
            return encode_frame(hello[:3] + b"\xfe" + hello[4:])
        return data

    line.tap = newer
    line.run_until(is_up(line), seconds=5.0)
    (challenge,) = of_type(line.sent["shoe"], FrameType.CHALLENGE)
    assert challenge[6] == 0
    line.run_for(1.0)
    line.inject("controller", encode_frame(of_type(line.sent["controller"], FrameType.HELLO)[0]))
    line.run_for(1.0)
    assert of_type(line.sent["shoe"], FrameType.CHALLENGE) == [challenge], "the HELLO of the session is dropped"


@pytest.mark.parametrize("place", range(1, 60))
def test_no_byte_of_the_shoes_answer_can_be_changed(place: int) -> None:
    """Versions, nonces, boot id, cause, capabilities, names: all of it is under the shoe's tag."""
    line = Line()

    def change(sender: str, data: bytes) -> bytes:
        sent = b""
        for body in bodies(data):
            if body[0] == FrameType.CHALLENGE:
                changed = bytearray(body)
                changed[place] ^= 0x01
                sent += encode_frame(bytes(changed))
            else:
                sent += encode_frame(body)
        return sent if sender == "shoe" else data

    line.tap = change
    line.run_for(5.0)
    assert line.controller.shoe is None
    assert line.controller.counts.sessions == 0
    line.tap = lambda _, data: data
    line.run_until(is_up(line), seconds=5.0)


@pytest.mark.parametrize("place", range(1, 41))
def test_no_byte_of_the_controllers_proof_can_be_changed(place: int) -> None:
    line = Line()

    def change(sender: str, data: bytes) -> bytes:
        sent = b""
        for body in bodies(data):
            changed = bytearray(body)
            if body[0] == FrameType.PROOF:
                changed[place] ^= 0x80
            sent += encode_frame(bytes(changed))
        return sent if sender == "controller" else data

    line.tap = change
    line.run_for(5.0)
    assert line.shoe.counts.sessions == 0
    assert line.controller.shoe is None


def test_a_controller_with_another_key_gets_nothing_from_a_shoe_and_is_told_of_once() -> None:
    """The controller does not even prove itself to a shoe that it does not believe, so forge its PROOF."""
    line = Line()
    line.recording = True
    line.run_until(lambda: bool(of_type(line.sent["shoe"], FrameType.CHALLENGE)))
    line.restart_controller()
    challenge = Challenge.read(of_type(line.sent["shoe"], FrameType.CHALLENGE)[0])
    forged = bytes((FrameType.PROOF,)) + challenge.nonce + bytes(8) + bytes(16)
    line.weather = Weather(loss=1.0)
    for _ in range(25):
        line.inject("controller", encode_frame(forged))
        line.run_for(0.01)
    assert line.shoe.counts.sessions == 0
    refused = [notice for notice in line.notices if isinstance(notice, Refused)]
    assert [report.count for report in refused] == [1]
