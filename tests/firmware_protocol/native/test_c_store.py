"""What the shoe in C keeps: a loss of power at any byte, flash in pages, a full store, memory that fails, silence."""

import itertools
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.link import DesiredShoe, ImpossibleAge
from firmware_protocol.native.ages import OLDEST
from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.c_line import KEY, Happenings, Table, drawn, nonces, random_of
from tests.firmware_protocol.native.c_shoe import CShoe, Identity, Memory, PowerCutError
from tests.firmware_protocol.native.second_reader import Fields

BYTES_APART = 1 if os.environ.get("LONG_TESTS") else 53
"""Every byte in `make torture`."""
MEMORIES = {
    "EEPROM": {"event_places": 20, "events_in_page": 1, "mark_places": 3, "marks_in_page": 1},
    "flash": {"event_places": 30, "events_in_page": 10, "mark_places": 8, "marks_in_page": 4},
}


def _shoe(memory: Memory, boot_id: int = 7, *, silence: int = 3000, acknowledged_without_mark: int = 0) -> CShoe:
    return CShoe(
        key=KEY,
        memory=memory,
        random=random_of(boot_id, nonces(of=boot_id)),
        silence=silence,
        acknowledged_without_mark=acknowledged_without_mark,
    )


class _Life:
    """A shoe with a controller that stores what it hears, and losses of power wherever they are wanted.

    A card whose event was being written when the power failed may be told or not; all others are told exactly once.
    """

    def __init__(self, memory: Memory) -> None:
        self.table = Table(memory=memory)
        self.cards = itertools.count()
        self.certain: list[str] = []
        self.doubtful: set[str] = set()

    def draw(self) -> None:
        while self.table.shoe.held > 12:
            self.step()
        event = drawn(next(self.cards))
        name = str(event["card_id"])
        try:
            assert self.table.shoe.report(event, self.table.now)
        except PowerCutError:
            self.doubtful.add(name)
            self.power_is_back()
        else:
            self.certain.append(name)

    def step(self) -> None:
        try:
            self.table.step()
        except PowerCutError:
            self.power_is_back()

    def power_is_back(self) -> None:
        self.table.memory.power_is_back()
        self.table.restart_shoe()

    def told(self) -> list[str]:
        return [str(event["card_id"]) for event in self.table.events() if event["event"] == "card_drawn"]

    def check(self) -> None:
        while self.table.shoe.held:
            self.step()
        told = self.told()
        assert [name for name in told if name not in self.doubtful] == self.certain
        assert told == sorted(set(told)), "each once, in order"
        assert self.table.gaps() == []


@pytest.mark.parametrize("kind", MEMORIES)
def test_the_power_may_fail_at_any_byte_that_is_written(kind: str) -> None:
    """One life after another, up to the last byte that 40 cards and their acknowledgements write or erase."""
    for byte in itertools.count(0, BYTES_APART):
        life = _Life(Memory(**MEMORIES[kind]))
        life.table.run(0.3)
        life.table.memory.power_for = byte
        for _ in range(40):
            life.draw()
            life.step()
            life.step()
        life.check()
        if life.table.memory.power_for is not None:
            return


@settings(max_examples=40)
@given(data=st.data())
def test_losses_of_power_one_after_another(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(MEMORIES)))
    life = _Life(Memory(**MEMORIES[kind]))
    for byte in data.draw(st.lists(st.integers(0, 600), max_size=8)):
        life.table.memory.power_for = byte
        for _ in range(8):
            life.draw()
            life.step()
    life.table.memory.power_for = None
    life.check()


@pytest.mark.parametrize("kind", MEMORIES)
@pytest.mark.parametrize("unmarked", [0, 5, 1000])
def test_a_loss_of_power_brings_back_at_most_what_has_no_mark(kind: str, unmarked: int) -> None:
    table = Table(memory=Memory(**MEMORIES[kind]))
    table.shoe = _shoe(table.memory, 1001, acknowledged_without_mark=unmarked)
    for number in range(100):
        assert table.shoe.report(drawn(number), table.now)
        table.run_until_all_is_stored(5.0)
        brought_back = _shoe(_copy(table.memory), 9).held - 1
        capacity = table.memory.places[0] - table.memory.in_page[0]
        assert brought_back <= min(unmarked, capacity - 1)
    assert table.gaps() == []


def _copy(memory: Memory) -> Memory:
    copied = Memory(*itertools.chain(*zip(memory.places, memory.in_page, strict=True)))
    for one, other in zip(copied.bytes, memory.bytes, strict=True):
        one[:] = other
    return copied


@pytest.mark.parametrize("kind", MEMORIES)
def test_a_full_store_says_so_in_its_last_place_and_goes_on_when_half_is_empty(kind: str) -> None:
    table = Table(memory=Memory(**MEMORIES[kind]))
    happenings = Happenings(table)
    capacity = table.memory.places[0] - table.memory.in_page[0]
    happenings.draw(capacity - 2)
    assert not table.shoe.full
    assert not table.shoe.report(drawn(500), table.now), "only the fault found a place"
    assert (table.shoe.full, table.shoe.held) == (1, capacity)
    assert not table.shoe.report({"event": "cut_card"}, table.now)
    total = table.shoe.total
    table.restart_shoe()
    assert (table.shoe.full, table.shoe.held, table.shoe.total) == (1, capacity, total), "also over a loss of power"
    table.run_until_all_is_stored(10.0)
    assert not table.shoe.full
    full, cleared = ({"event": name, "code": "event_store_full", "detail": None} for name in ("fault", "fault_cleared"))
    assert table.events() == [*happenings.expected, full | {"stopped": True}, cleared]
    table.run(1.0)
    assert len(table.gaps()) == 1, "one card is in the total alone"
    assert table.shoe.report(drawn(501), table.now)


def test_a_card_that_could_not_be_written_is_in_the_total_also_after_a_loss_of_power() -> None:
    memory = Memory(event_places=20)
    shoe = _shoe(memory)
    memory.fails = True
    assert not shoe.report(drawn(1), 0.0)
    memory.fails = False
    assert shoe.report(drawn(2), 0.0)
    assert (shoe.total, shoe.held) == (2, 2)
    again = _shoe(memory, 8)
    assert (again.total, again.held) == (2, 3), "the place that failed is stepped over"


def test_nothing_is_written_into_a_page_that_could_not_be_erased() -> None:
    table = Table(memory=Memory(**MEMORIES["flash"]))
    happenings = Happenings(table)
    for _ in range(30):
        happenings.draw(1)
        table.run_until_all_is_stored(5.0)
    while table.shoe.next % 10 != 1:
        happenings.draw(1)
    table.run_until_all_is_stored(5.0)
    table.memory.erase_fails = True
    for number in range(3):
        assert not table.shoe.report(drawn(100 + number), table.now)
    table.memory.erase_fails = False
    table.run(1.2)
    assert not table.shoe.full, "a shoe that can store nothing stops, and deals again when it can"
    happenings.draw(1)
    table.run_until_all_is_stored(5.0)
    assert [event for event in table.events() if event["event"] != "fault_cleared"] == happenings.expected
    assert len(table.gaps()) == 1, "three cards are in the total alone"


def test_an_event_that_the_memory_has_lost_shows_as_a_gap() -> None:
    table = Table()
    happenings = Happenings(table)
    table.run(1.0)
    table.stores = False
    happenings.draw(4)
    table.memory.bytes[0][2 * 96 + 30] ^= 1
    table.restart_shoe()
    table.restart_controller()
    table.stores = True
    table.run_until_all_is_stored(10.0)
    assert [event.get("card_id") for event in table.events()][-3:] == ["CARD-0002", "CARD-0003", None]
    assert table.gaps()


@pytest.mark.parametrize("places", [(8, 1, 2, 1), (9, 1, 1, 1), (9, 0, 2, 1), (25, 10, 8, 4), (30, 10, 4, 4)])
def test_memory_that_is_too_small_or_has_no_whole_pages_is_refused(places: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="refuses"):
        _shoe(Memory(*places))


@pytest.mark.parametrize("wrong", ["x" * 33, "\x1f", "\x7f"])
def test_a_name_that_cannot_be_sent_is_refused_and_an_id_is_left_out(wrong: str) -> None:
    with pytest.raises(ValueError, match="refuses"):
        CShoe(key=KEY, memory=Memory(20), random=lambda size: b"x" * size, identity=Identity(model=wrong))
    memory = Memory(20)
    shoe = _shoe(memory)
    assert shoe.report(drawn(0) | {"card_id": wrong}, 0.0)
    assert second.event_fields(memory.said(1)) == drawn(0) | {"card_id": None, "total": 1}


def test_a_key_of_zeros_is_refused() -> None:
    with pytest.raises(ValueError, match="refuses"):
        CShoe(key=bytes(32), memory=Memory(20), random=lambda size: b"x" * size)


def test_wear_is_spread_over_all_places() -> None:
    table = Table(memory=Memory(event_places=40, events_in_page=10, mark_places=8, marks_in_page=4))
    table.shoe = _shoe(table.memory, 1001, acknowledged_without_mark=16)
    happenings = Happenings(table)
    for _ in range(100):
        happenings.draw(4)
        table.run_until_all_is_stored(5.0)
    assert table.memory.erased < 400 / 10 + 400 / 16 / 4 + 4


# --- time ------------------------------------------------------------------------------------------------------


def test_the_gate_locks_after_a_silence_and_follows_no_desire_until_the_next() -> None:
    table = Table()
    table.run(0.5)
    table.controller.want(DesiredShoe(gate_locked=False), table.now)
    table.run(0.5)
    assert (table.shoe.locks, table.shoe.revision > 0) == (1, True), "once, as the session began"
    for _ in range(301):
        table.now += 0.01
        table.shoe.tick(table.now)
    assert (table.shoe.locks, table.shoe.revision, table.shoe.locked_by_silence) == (2, 0, 1)
    table.run(5.0)
    assert (table.shoe.locks, table.shoe.locked_by_silence) == (4, 0), (
        "the controller began another session, in two steps"
    )
    assert table.shoe.desires[-1]["gate"] == 1


def test_silence_counts_from_power_up_or_never() -> None:
    for silence, locks in ((3000, 1), (0, 0)):
        shoe = _shoe(Memory(20), silence=silence)
        shoe.tick(2.99)
        assert shoe.locks == 0
        shoe.tick(3.0)
        shoe.tick(9.0)
        assert shoe.locks == locks


def test_milliseconds_may_run_over() -> None:
    """After 49.7 days; ages of earlier events go on, up to the highest number."""
    table = Table()
    table.now = 2**32 / 1000 - 1.0
    table.restart_shoe()
    table.restart_controller()
    happenings = Happenings(table)
    happenings.draw(3)
    table.run(3.0)
    happenings.draw(3)
    table.run_until_all_is_stored(5.0)
    assert [event["card_id"] for event in table.events() if "card_id" in event] == [f"CARD-{n:04}" for n in range(6)]


@pytest.mark.parametrize(("days", "age"), [(0.5, 43_200_000), (60, 0xFFFFFFFF)])
def test_ages_go_on_over_the_run_over(days: float, age: int) -> None:
    table = Table()
    table.run(0.5)
    table.stores = False
    table.shoe.report(drawn(0), table.now)
    for _ in range(20):
        table.now += days * 86400 / 20
        table.shoe.tick(table.now)
    table.shoe.line_is_back(table.now)
    table.restart_controller()
    table.run(2.0)
    oldest = next(delivery for delivery in table.deliveries if getattr(delivery.event, "card_id", None))
    said = [report.reported for report in table.reports if isinstance(report, ImpossibleAge)] or [oldest.age]
    assert age - 1000 <= round(said[0] * 1000) <= min(age + 3000, 0xFFFFFFFF)
    assert oldest.age == min(said[0], OLDEST)


def test_the_wait_follows_the_round_trip_and_doubles_while_nothing_comes() -> None:
    table = Table()
    happenings = Happenings(table)
    while not table.shoe.in_session:
        table.step()
    assert table.shoe.wait == 250
    for _ in range(20):
        table.run(0.3)
        happenings.draw(1)
    table.run(1.0)
    assert 50 <= table.shoe.wait < 100
    table.stores = False
    happenings.draw(1)
    waits: list[int] = []
    for _ in range(1200):
        table.step()
        if not waits or table.shoe.wait != waits[-1]:
            waits.append(table.shoe.wait)
    assert waits[-1] == 2000
    assert all(later == min(2 * earlier, 2000) for earlier, later in itertools.pairwise(waits))


def test_a_strangers_hellos_do_not_keep_the_shoe_from_its_keep_alive() -> None:
    table = Table()
    table.run(1.0)
    hello: Fields = {"oldest": 1, "newest": 1, "flags": 0}
    said = b""
    for number in range(20):
        asked = second.message_bytes(second.HELLO, hello | {"nonce_c": number.to_bytes(16, "big")})
        table.shoe.receive(second.framed(asked), table.now)
        table.now += 0.2
        table.shoe.tick(table.now)
        said += table.shoe.to_send(table.now)
    statuses = [body for body in second.Line().bodies(said) if body[0] == second.STATUS]
    assert len(statuses) >= 6
