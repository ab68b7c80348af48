"""A listener on a native line receives what the controller stores and trusts what the tags prove, unnoticed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, Hand, Standby
from firmware_protocol.link import (
    ClockSet,
    Delivery,
    DesiredShoe,
    EventGap,
    IdentifyRequested,
    LineError,
    LinkUp,
    LinkUsageError,
    Refused,
    ShoeNotice,
    Wanted,
)
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.framing import FrameReader, encode_frame
from firmware_protocol.native.listen import NativeListener, Overheard
from firmware_protocol.native.messages import FrameType, event_payload
from firmware_protocol.native.session import FORGED, REPLAYED, SealedSession
from firmware_protocol.native.store import ShoeStore
from tests.firmware_protocol.native.line import KEY, Line, Weather

SHOE, HOST = "shoe", "controller"


def cards(number: int, seed: int = 1) -> list[AnyShoeEvent]:
    source = random.Random(seed)  # noqa: S311 - cards for a test
    return [
        CardDrawn(hand=source.choice(list(Hand)), position=place % 3 + 1, card=source.choice(list(Card)))
        for place in range(number)
    ]


class Tapped:
    """A line whose every byte, in both directions, is kept."""

    def __init__(self, seed: int = 1, weather: Weather | None = None) -> None:
        self.line = Line(seed=seed, weather=weather or Weather())
        self.line.tap = self._tap
        self.chunks: list[tuple[str, bytes]] = []

    def _tap(self, sender: str, data: bytes) -> bytes:
        self.chunks.append((sender, data))
        return data

    def deal(self, events: list[AnyShoeEvent]) -> list[Delivery]:
        """What the controller has stored when all of this is."""
        before = len(self.line.journal)
        self.line.plan(events)
        self.line.run_until(lambda: len(self.line.journal) == before + len(events))
        self.line.run_for(2)
        return self.line.journal


def listen(chunks: list[tuple[str, bytes]], key: bytes | None = KEY) -> tuple[list[Overheard], NativeListener]:
    listener = NativeListener(key)
    heard = []
    for sender, data in chunks:
        heard += listener.from_shoe(data) if sender == SHOE else listener.from_controller(data)
    return [*heard, *listener.finish()], listener


def frames_of(chunks: list[tuple[str, bytes]]) -> list[bytes]:
    """The frames that the shoe has sent."""
    found = FrameReader().feed(b"".join(data for sender, data in chunks if sender == SHOE))
    return [frame for frame in found if isinstance(frame, bytes)]


def stored(heard: list[Overheard]) -> list[tuple[AnyShoeEvent, int, int | None]]:
    deliveries = [item.what for item in heard if isinstance(item.what, Delivery)]
    return [(delivery.event, delivery.sequence, delivery.boot_id) for delivery in deliveries]


def in_journal(journal: list[Delivery]) -> list[tuple[AnyShoeEvent, int, int | None]]:
    return [(delivery.event, delivery.sequence, delivery.boot_id) for delivery in journal]


@pytest.mark.parametrize("seed", range(5))
def test_it_hears_what_the_controller_stores_whatever_the_weather(seed: int) -> None:
    tapped = Tapped(seed, Weather(loss=0.2, duplicate=0.1, corrupt=0.05))
    journal = tapped.deal(cards(200, seed))
    tapped.line.restart_shoe()
    journal = tapped.deal(cards(100, seed + 100))
    heard, listener = listen(tapped.chunks)
    assert stored(heard) == in_journal(journal)
    assert all(item.authenticated for item in heard if isinstance(item.what, Delivery))
    assert not any(isinstance(item.what, EventGap | Refused | LineError) for item in heard)
    assert listener.repeats > 0
    assert {item.what.authenticated for item in heard if isinstance(item.what, LinkUp)} == {True}


def test_the_shoes_bytes_and_the_key_are_enough() -> None:
    tapped = Tapped()
    journal = tapped.deal(cards(20))
    heard, _ = listen([chunk for chunk in tapped.chunks if chunk[0] == SHOE])
    assert stored(heard) == in_journal(journal)
    assert all(item.authenticated for item in heard if isinstance(item.what, Delivery))


@pytest.mark.parametrize("key", [None, bytes(range(2, 34))])
def test_without_the_right_key_all_is_heard_and_nothing_believed(key: bytes | None) -> None:
    tapped = Tapped()
    journal = tapped.deal(cards(20))
    heard, _ = listen(tapped.chunks, key)
    assert stored(heard) == in_journal(journal)
    assert not any(item.authenticated for item in heard)
    refused = [item.what for item in heard if isinstance(item.what, Refused)]
    assert len(refused) == (0 if key is None else 1)
    assert {item.what.authenticated for item in heard if isinstance(item.what, LinkUp)} == {False}


def test_joining_in_mid_session_is_said_and_the_next_session_is_believed() -> None:
    tapped = Tapped()
    tapped.deal(cards(20))
    tapped.chunks.clear()
    tapped.deal(cards(5, 2))
    tapped.line.restart_controller()
    tapped.line.run_for(5)
    tapped.deal(cards(5, 3))
    heard, _ = listen(tapped.chunks)
    assert stored(heard) == in_journal(tapped.line.journal[20:])
    assert [item.authenticated for item in heard if isinstance(item.what, Delivery)] == [False] * 5 + [True] * 5
    assert not any(isinstance(item.what, Refused) for item in heard)


def test_a_capture_that_begins_with_an_event_joins_in_mid_stream() -> None:
    tapped = Tapped()
    journal = tapped.deal(cards(3))
    events = [frame for frame in frames_of(tapped.chunks) if frame[0] == FrameType.EVENT]
    heard, _ = listen([(SHOE, encode_frame(events[1])), (SHOE, encode_frame(events[2]))])
    assert stored(heard) == in_journal(journal[1:])
    gaps = [item.what for item in heard if isinstance(item.what, EventGap)]
    assert gaps == [EventGap(expected=0, received=journal[1].sequence, reason="joined in mid-stream")]


def test_what_the_controller_asks_for_is_heard() -> None:
    tapped = Tapped()
    tapped.deal(cards(1))
    desired = DesiredShoe(gate_locked=True, next_hand=Hand.BANKER)
    tapped.line.controller.want(desired, tapped.line.now)
    tapped.line.controller.set_clock(1_700_000_000.0, tapped.line.now)
    tapped.line.controller.identify(7, tapped.line.now)
    tapped.line.run_for(1)
    heard, _ = listen(tapped.chunks)
    notices = [item for item in heard if isinstance(item.what, ShoeNotice)]
    assert notices == [
        Overheard(Wanted(desired=desired), authenticated=True),
        Overheard(ClockSet(unix_milliseconds=1_700_000_000_000), authenticated=True),
        Overheard(IdentifyRequested(seconds=7), authenticated=True),
    ]


def test_forged_replayed_and_reflected_frames_are_refused() -> None:
    tapped = Tapped()
    tapped.deal([Standby()])
    heard, _ = listen(tapped.chunks)
    event = encode_frame(next(frame for frame in frames_of(tapped.chunks) if frame[0] == FrameType.EVENT))
    forged = encode_frame(b"\x90" + bytes(40))
    attacked = [*tapped.chunks, (SHOE, event), (SHOE, forged), (HOST, event)]
    more, _ = listen(attacked)
    assert stored(more) == stored(heard)
    reasons = [item.what.reason for item in more if isinstance(item.what, Refused)]
    assert reasons[:2] == [REPLAYED, FORGED]
    assert "own direction" in reasons[2]


@pytest.mark.parametrize("lost", [1, 3, 40])
def test_events_that_are_missing_from_the_capture_are_a_gap_and_the_rest_is_heard(lost: int) -> None:
    """The controller had them and stored them, so the shoe does not send them again."""
    tapped = Tapped()
    journal = []
    for number in range(60):
        journal = tapped.deal(cards(1, number))
        tapped.chunks.append(("mark", b"%d" % number))
    kept = []
    dropping = False
    for sender, data in tapped.chunks:
        if sender == "mark":
            dropping = 10 <= int(data) + 1 < 10 + lost
        elif not dropping:
            kept.append((sender, data))
    heard, _ = listen(kept)
    expected = in_journal(journal)
    assert stored(heard) == expected[:10] + expected[10 + lost :]
    first = expected[10][1]
    gaps = [item.what for item in heard if isinstance(item.what, EventGap)]
    assert (gaps[0].expected, gaps[0].received) == (first, first + lost)
    assert "not in the capture" in gaps[0].reason
    # The shoe's own count of its cards says the same.
    assert [gap.received - gap.expected for gap in gaps[1:]] == [lost]


def test_a_shoe_that_has_lost_its_store_is_one_gap() -> None:
    tapped = Tapped()
    tapped.deal(cards(10))
    tapped.line.restart_shoe(ShoeStore())
    tapped.line.run_for(5)
    tapped.deal(cards(3, 2))
    heard, _ = listen(tapped.chunks)
    assert stored(heard) == in_journal(tapped.line.journal)
    (gap,) = [item.what for item in heard if isinstance(item.what, EventGap)]
    assert "gone back" in gap.reason


def test_nothing_waits_for_ever_for_an_event_that_does_not_come() -> None:
    """No STATUS says what the shoe still holds; the shoe cannot have sent more than its window without an answer."""
    shoe = SealedSession(bytes(32), bytes(32))

    def event(sequence: int) -> bytes:
        body = shoe.seal(FrameType.EVENT, event_payload(7, sequence, 0, encode_event(Standby())))
        return encode_frame(body)

    listener = NativeListener(None)
    heard = [listener.from_shoe(event(sequence)) for sequence in [1, *range(3, 34), 33]]
    assert [len(items) for items in heard] == [2, *[0] * 32]
    assert listener.repeats == 1
    released = listener.from_shoe(event(34))
    assert isinstance(released[0].what, EventGap)
    assert [sequence for _, sequence, _ in stored(released)] == list(range(3, 35))


def test_a_challenge_that_is_sent_again_is_one_link_up() -> None:
    tapped = Tapped()
    tapped.deal(cards(1))
    heard, _ = listen([chunk for chunk in tapped.chunks for _ in range(2)], key=None)
    assert sum(isinstance(item.what, LinkUp) for item in heard) == 1


def test_a_key_that_is_no_key_is_refused() -> None:
    for key in (bytes(32), b"short"):
        with pytest.raises(LinkUsageError):
            NativeListener(key)


@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=60)), max_size=20), st.booleans())
def test_no_bytes_upset_it(pieces: list[tuple[bool, bytes]], framed: bool) -> None:  # noqa: FBT001 - drawn
    listener = NativeListener(KEY)
    for by_shoe, piece in pieces:
        data = encode_frame(piece) if framed and piece else piece
        heard = listener.from_shoe(data) if by_shoe else listener.from_controller(data)
        assert not any(item.authenticated for item in heard)
    listener.finish()
