"""The shoe's memory: it comes back as it was saved, counts every card, and says once when it is full."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.events import AnyShoeEvent, CardDrawn, DoubleFeed, Fault, FaultCleared, FaultCode
from firmware_protocol.link import EventGap, LinkUsageError
from firmware_protocol.native.store import EventStoreFullError, ShoeStore
from firmware_protocol.native.texts import UnsendableError
from tests.firmware_protocol.native.events import any_event
from tests.firmware_protocol.native.line import Line, Weather
from tests.firmware_protocol.native.puppets import BOOT_ID


@given(st.lists(any_event(st.none()), max_size=30))
def test_a_saved_store_is_the_same_store(events: list[AnyShoeEvent]) -> None:
    store = ShoeStore()
    for number, event in enumerate(events):
        store.add(event, BOOT_ID, number / 8)
    assert msgspec.json.decode(msgspec.json.encode(store), type=ShoeStore) == store


def test_the_shoe_counts_its_cards_itself() -> None:
    store = ShoeStore(card_total=41)
    for event in (CardDrawn(), DoubleFeed(cards=3), CardDrawn(carried_over=True), CardDrawn(total=46)):
        store.add(event, BOOT_ID, 0.0)
    assert [getattr(stored.event, "total", None) for stored in store.events] == [42, 45, 45, 46]
    with pytest.raises(LinkUsageError, match="counts its cards itself"):
        store.add(CardDrawn(total=99), BOOT_ID, 0.0)
    with pytest.raises(UnsendableError):
        store.add(CardDrawn(position=999), BOOT_ID, 0.0)
    assert (store.card_total, store.next_sequence) == (46, 5), "what was refused left no trace"


def test_a_full_store_is_one_fault_and_no_card_is_lost_unseen() -> None:
    line = Line(weather=Weather(loss=1.0), store=ShoeStore(capacity=20))
    for _ in range(19):
        line.shoe.report(CardDrawn(), line.now)
    for _ in range(3):
        with pytest.raises(EventStoreFullError, match="stop dealing"):
            line.shoe.report(CardDrawn(), line.now)
    assert len(line.shoe.store.events) == 20
    line.weather = Weather()
    line.run_until(lambda: len(line.journal) == 21, seconds=20.0)
    line.run_for(5.0)
    events = [delivery.event for delivery in line.journal]
    assert events[19:] == [
        Fault(code=FaultCode.EVENT_STORE_FULL, stopped=True),
        FaultCleared(code=FaultCode.EVENT_STORE_FULL),
    ]
    gaps = line.reports_of(EventGap)
    assert [(gap.expected, gap.received) for gap in gaps] == [(19, 22)], "three cards left untold, and it shows"
    line.shoe.report(CardDrawn(), line.now)
    line.run_until(lambda: len(line.journal) == 22, seconds=5.0)
    assert len(line.reports_of(EventGap)) == 1


def test_a_store_too_small_to_work_is_refused() -> None:
    with pytest.raises(LinkUsageError, match="too small"):
        ShoeStore(capacity=7)
