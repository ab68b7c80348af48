"""Shoe to controller over a line that cuts, glues, loses copies, alters bytes and adds noise.

And the sequences of PROTOCOL.md, which each give the events they should.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.angel_eye.controller import AngelEyeController, LineSettings
from firmware_protocol.angel_eye.shoe import AngelEyeShoe, Disclosing, ShoeManner
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    IndicatedWinner,
    ResultIndicated,
    Standby,
    Started,
)
from firmware_protocol.link import Delivery, EventGap, LineError, LinkReport, LinkUp
from tests.firmware_protocol.angel_eye.expressible import EXPRESSIBLE_EVENTS
from tests.firmware_protocol.angel_eye.rounds import (
    NEW_SHOE,
    OVER_DRAW_BURNED,
    OVER_DRAW_CARRIED_OVER,
    PLAIN_ROUND,
    told,
)

ENQ = b"\x05"


def hear(pieces: list[bytes]) -> list[Delivery | LinkReport]:
    """What a controller makes of these pieces, a hundredth of a second apart, each delivery stored at once."""
    link = AngelEyeController(line=LineSettings(card_takes=0.0))
    link.connected(0)
    assert link.tick(0) == [LinkUp(authenticated=False)]
    out: list[Delivery | LinkReport] = []
    for number, piece in enumerate(pieces):
        now = number / 100
        items = link.receive(piece, now)
        for item in items:
            if isinstance(item, Delivery):
                link.committed(item, now)
        out += items
    return [*out, *link.tick(1_000_000)]


def telegrams_of(events: list[AnyShoeEvent], disclosing: Disclosing) -> list[bytes]:
    """Each telegram that a shoe sends for these events, start-up first, once."""
    shoe = AngelEyeShoe(ShoeManner(disclosing=disclosing, copies=1, spacing=0))
    shoe.connected(0)
    for event in events:
        shoe.report(event, 0)
    return [ENQ + rest for rest in shoe.to_send().split(ENQ)[1:]]


def spoken(items: list[Delivery | LinkReport]) -> list[AnyShoeEvent]:
    return [item.event for item in items if isinstance(item, Delivery)]


def without_clears(events: list[AnyShoeEvent]) -> list[AnyShoeEvent]:
    """The controller says itself that some errors are over; what it says is tested where its errors are."""
    return [event for event in events if not isinstance(event, FaultCleared)]


@given(st.lists(EXPRESSIBLE_EVENTS, max_size=30), st.data())
def test_a_bad_line_loses_doubles_and_invents_nothing_while_one_copy_is_sound(
    events: list[AnyShoeEvent], data: st.DataObject
) -> None:
    line = b""
    for telegram in telegrams_of(events, Disclosing.AT_DRAW):
        sound = data.draw(st.integers(0, 2))
        for copy in range(3):
            noise = data.draw(st.binary(max_size=6)).replace(ENQ, b"")
            raw = bytearray(telegram)
            damage = data.draw(st.sampled_from(["none", "lost", "altered", "cut"])) if copy != sound else "none"
            if damage == "altered":
                raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
            elif damage == "cut":
                del raw[data.draw(st.integers(1, len(raw) - 1)) :]
            elif damage == "lost":
                raw.clear()
            line += noise + raw
    cuts = sorted(data.draw(st.lists(st.integers(0, len(line)), max_size=20)))
    pieces = [line[start:end] for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True)]
    heard = hear(pieces)
    assert without_clears(spoken(heard)) == without_clears([Started(), *events])
    assert not any(isinstance(item, EventGap) for item in heard)


@given(st.lists(EXPRESSIBLE_EVENTS, min_size=1, max_size=30), st.lists(st.binary(min_size=1, max_size=6), min_size=1))
def test_each_run_of_noise_is_one_error_with_its_place(events: list[AnyShoeEvent], noises: list[bytes]) -> None:
    line = b""
    places = []
    for number, telegram in enumerate(telegrams_of(events, Disclosing.AT_DRAW)):
        noise = noises[number % len(noises)].replace(ENQ, b"\xff")
        places.append((len(line), len(noise)))
        line += noise + telegram * 2
    errors = [item for item in hear([line]) if isinstance(item, LineError)]
    assert [(error.offset, error.length) for error in errors] == places


@given(st.lists(EXPRESSIBLE_EVENTS, min_size=3, max_size=30), st.data())
def test_losing_every_copy_is_always_a_gap(events: list[AnyShoeEvent], data: st.DataObject) -> None:
    telegrams = telegrams_of(events, Disclosing.AT_DRAW)
    first = data.draw(st.integers(1, len(telegrams) - 2))
    lost = data.draw(st.integers(1, min(7, len(telegrams) - 1 - first)))
    heard = hear([b"".join(telegram * 3 for telegram in telegrams[:first] + telegrams[first + lost :])])
    (gap,) = [item for item in heard if isinstance(item, EventGap)]
    assert (gap.expected, gap.received) == ((first - 1) % 9 + 1, (first + lost - 1) % 9 + 1)
    assert gap.reason.startswith(f"at least {lost} telegram")
    assert without_clears(spoken(heard)) == without_clears(
        [Started(), *events[: first - 1], *events[first + lost - 1 :]]
    )


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_no_bytes_upset_the_controller(pieces: list[bytes]) -> None:
    heard = hear(pieces)
    assert all(isinstance(item, Delivery | LineError | EventGap) for item in heard)


# --- The sequences that were seen. -----------------------------------------------------------------------------------


@pytest.mark.parametrize("disclosing", Disclosing)
@pytest.mark.parametrize(
    "sequence",
    [NEW_SHOE, PLAIN_ROUND, OVER_DRAW_BURNED, OVER_DRAW_CARRIED_OVER, [*NEW_SHOE, *PLAIN_ROUND, *PLAIN_ROUND]],
    ids=["new shoe", "plain round", "over-draw burned", "over-draw carried over", "all of an evening"],
)
def test_a_sequence_that_was_seen_is_heard_as_it_happened(sequence: list[AnyShoeEvent], disclosing: Disclosing) -> None:
    line = b"".join(telegram * 3 for telegram in telegrams_of(sequence, disclosing))
    heard = hear([line])
    at_draw = disclosing is Disclosing.AT_DRAW
    assert spoken(heard) == [Started(), *(sequence if at_draw else told(sequence))]
    assert len(heard) == len(spoken(heard))


def test_the_capture_of_a_round_by_its_bytes() -> None:
    """`D…D I…I G P` as the page writes it, without any code of ours on the shoe's side."""
    line = bytes.fromhex(
        "05 30 53 03 36 30"
        "05 31 44 81 80 03 37 37   05 32 44 91 80 03 36 34   05 33 44 82 80 03 37 36   05 34 44 92 80 03 36 31"
        "05 35 49 81 B2 03 34 43   05 36 49 91 B3 03 35 45   05 37 49 82 B7 03 34 38   05 38 49 92 B8 03 35 38"
        "05 39 47 90 03 45 44      05 31 50 03 36 32"
    )
    heard = spoken(hear([line]))
    assert [type(event) for event in heard] == [
        Started,
        *[CardDrawn] * 4,
        *[CardIdentified] * 4,
        ResultIndicated,
        Standby,
    ]
    assert [event.card for event in heard if isinstance(event, CardIdentified)] == [
        Card.TWO_OF_SPADES,
        Card.THREE_OF_SPADES,
        Card.SEVEN_OF_SPADES,
        Card.EIGHT_OF_SPADES,
    ]
    assert heard[-2] == ResultIndicated(winner=IndicatedWinner.PLAYER)


def test_a_time_out_upon_an_over_draw_does_not_hang() -> None:
    """`E` 82, `E` C7, then only `e` 82."""
    stacked: list[AnyShoeEvent] = [
        *OVER_DRAW_BURNED[:5],
        Fault(code=FaultCode.DRAW_TIMEOUT, stopped=True, detail=7),
        *OVER_DRAW_BURNED[5:],
    ]
    heard = spoken(hear([b"".join(telegrams_of(stacked, Disclosing.AT_DRAW))]))
    place = stacked.index(FaultCleared(code=FaultCode.OVER_DRAW, detail=2))
    stacked.insert(place, FaultCleared(code=FaultCode.DRAW_TIMEOUT, detail=7))
    assert heard == [Started(), *stacked]
    assert CardDrawn(hand=Hand.EXTRA, card=Card.ACE_OF_CLUBS) in heard
