"""Memory, random source and milliseconds that misbehave: the shoe in C goes on, and no card goes without a trace."""

import itertools
import os
from collections.abc import Callable

import pytest

from tests.firmware_protocol.native.c_line import KEY, Table, drawn, nonces, random_of
from tests.firmware_protocol.native.c_shoe import EVENTS, MARKS, CShoe, Memory, PowerCutError

BOOT_ID = 7
TRIES = 8
"""So many places are tried for one record."""
BYTES_APART = 1 if os.environ.get("LONG_TESTS") else 9


def _shoe(memory: Memory, boot_id: int = BOOT_ID, now: float = 0.0) -> CShoe:
    return CShoe(key=KEY, memory=memory, random=random_of(boot_id, nonces(of=boot_id)), now=now)


def _full_table() -> Table:
    """A shoe that was filled before it had a controller, which then stores all of it at once."""
    table = Table(memory=Memory(event_places=20, mark_places=3))
    cards = itertools.count()
    while not table.shoe.full:
        table.shoe.report(drawn(next(cards)), table.now)
    return table


def _last_ack(table: Table) -> bytes:
    """Let the controller store everything; of its ACKs, the one that reaches the shoe."""
    table.stores = False
    table.run(0.3)
    for delivery in table.deliveries:
        table.controller.committed(delivery, table.now)
    table.stores = True
    *_, last, _ = table.controller.to_send().split(b"\0")
    return b"\0" + last + b"\0"


def test_a_full_store_is_not_full_for_ever_after_a_loss_of_power() -> None:
    """At any byte that is written when the controller has stored everything and the fault is over."""
    cut = True
    for byte in itertools.count(0, BYTES_APART):
        table = _full_table()
        ack = _last_ack(table)
        table.memory.power_for = byte
        try:
            table.shoe.receive(ack, table.now)
            cut = False
        except PowerCutError:
            table.memory.power_is_back()
            table.restart_shoe()
        table.memory.power_for = None
        deadline = table.now + 10.0
        while table.shoe.full:
            assert table.now < deadline, f"still full after {byte} bytes and a loss of power"
            table.step()
        assert table.shoe.report(drawn(100), table.now)
        if not cut:
            return


def test_a_full_store_is_not_full_for_ever_after_a_write_that_failed() -> None:
    table = _full_table()
    ack = _last_ack(table)
    table.memory.fails = True
    table.shoe.receive(ack, table.now)
    assert (table.shoe.held, table.shoe.full) == (0, 1)
    table.memory.fails = False
    table.run(1.2)
    assert not table.shoe.full
    assert [event["event"] for event in table.events()][-2:] == ["fault", "fault_cleared"]


class _Sceptical(Memory):
    """Writes what it should, and so often says that it could not."""

    doubts = 0

    def write(self, area: int, place: int, data: bytes) -> bool:
        written = super().write(area, place, data)
        if self.doubts and area == EVENTS:
            self.doubts -= 1
            return False
        return written


@pytest.mark.parametrize("doubts", [1, TRIES])
@pytest.mark.parametrize("before", [1, 10, 17, 18, 19, 20])
def test_an_event_that_was_written_and_denied_takes_no_other_ones_place(before: int, doubts: int) -> None:
    """Wherever in the memory it lies, also where the places begin again, and whether or not another place took it."""
    memory = _Sceptical(event_places=20, mark_places=3)
    table = Table(memory=memory)
    for number in range(before):
        table.shoe.report(drawn(number), table.now)
        table.run_until_all_is_stored(5.0)
    memory.doubts = doubts
    assert table.shoe.report(drawn(100), table.now) == (doubts < TRIES)
    assert table.shoe.report(drawn(101), table.now)
    total = table.shoe.total
    table.restart_shoe()
    assert table.shoe.total == total
    table.run_until_all_is_stored(5.0)
    cards = [event["card_id"] for event in table.events() if "card_id" in event]
    assert cards[before:] == (["CARD-0100", "CARD-0101"] if doubts < TRIES else ["CARD-0101"])
    table.run(1.0)
    assert len(table.gaps()) == (doubts == TRIES), "a card that was given up is in the total alone"


def test_a_boot_id_that_repeats_makes_no_event_as_old_as_can_be() -> None:
    memory = Memory(event_places=20)
    first = _shoe(memory)
    first.report(drawn(0), 3600.0)
    again = _shoe(memory)
    table = Table(memory=memory)
    table.shoe = again
    table.run(2.0)
    assert max(delivery.age for delivery in table.deliveries) < 3.0


def test_milliseconds_that_go_back_a_little_cost_nothing() -> None:
    """As when a counter of several bytes is read while an interrupt changes it."""
    table = Table(memory=Memory(event_places=20))
    table.run(1.0)
    locks = table.shoe.locks
    table.shoe.tick(table.now + 0.001)
    table.shoe.report(drawn(0), table.now)
    table.shoe.tick(table.now - 0.002)
    assert table.shoe.locks == locks
    table.run_until_all_is_stored(5.0)
    assert table.deliveries[-1].age < 1.0


def test_milliseconds_that_begin_anew_stop_nothing() -> None:
    """As after a sleep in which the counter of a processor was without power."""
    table = Table(memory=Memory(event_places=20))
    table.now = 90_000.0
    table.restart_shoe()
    table.run(4.0)
    locks = table.shoe.locks
    table.shoe.to_send(table.now)
    table.shoe.tick(0.0)
    table.shoe.tick(0.6)
    assert table.shoe.locks == locks
    assert table.shoe.to_send(0.6), "its keep-alive"


def test_pages_that_nobody_can_erase_are_refused() -> None:
    memory = Memory(event_places=30, events_in_page=10, mark_places=8, marks_in_page=4)
    memory.is_flash = False
    with pytest.raises(ValueError, match="refuses"):
        _shoe(memory)


def test_random_bytes_that_are_always_the_same_are_still_a_session() -> None:
    table = Table(memory=Memory(event_places=20))
    for fill in (b"\0", b"\xff"):
        random = _always(fill)
        table.shoe = CShoe(key=KEY, memory=table.memory, random=random, now=table.now)
        table.shoe.report(drawn(0), table.now)
        table.run(4.0)
        assert (table.shoe.held, table.shoe.boot_id != 0) == (0, True)


def _always(fill: bytes) -> Callable[[int], bytes]:
    return lambda size: fill * size


@pytest.mark.parametrize(
    ("memory", "worn"),
    [
        (Memory(mark_places=8), {3}),
        (Memory(mark_places=64), {5, 6, 7, 8, 9}),
        (Memory(event_places=20, events_in_page=10, mark_places=96, marks_in_page=32), {32}),
        (Memory(event_places=20, events_in_page=10, mark_places=96, marks_in_page=32), {40}),
    ],
    ids=["one place", "five places", "a page", "a place of a page"],
)
def test_a_worn_place_of_a_mark_is_left_behind(memory: Memory, worn: set[int]) -> None:
    """A shoe without a random source starts at every power-up, and never with a count that it had before."""
    memory.worn = {(MARKS, place) for place in worn}
    boot_ids = [CShoe(key=KEY, memory=memory, random=None).boot_id for _ in range(3 * memory.places[MARKS])]
    assert len(set(boot_ids)) == len(boot_ids)


def test_the_last_mark_is_not_given_up_for_one_that_cannot_be_written() -> None:
    memory = Memory(mark_places=2)
    first = CShoe(key=KEY, memory=memory, random=None)
    memory.worn = {(MARKS, 1)}
    for _ in range(3):
        with pytest.raises(ValueError, match="refuses"):
            CShoe(key=KEY, memory=memory, random=None)
    memory.worn = set()
    again = CShoe(key=KEY, memory=memory, random=None)
    assert again.boot_id != first.boot_id


@pytest.mark.parametrize("in_page", [1, 10])
def test_a_worn_place_of_an_event_costs_no_event(in_page: int) -> None:
    table = Table(
        memory=Memory(event_places=40, events_in_page=in_page, mark_places=64, marks_in_page=32 if in_page > 1 else 1)
    )
    table.memory.worn = {(EVENTS, place) for place in (5, 20, 21, 23)}
    for number in range(100):
        assert table.shoe.report(drawn(number), table.now)
        table.run_until_all_is_stored(5.0)
        if number % 30 == 29:
            table.restart_shoe()
    cards = [event["card_id"] for event in table.events() if event["event"] == "card_drawn"]
    assert cards == [drawn(number)["card_id"] for number in range(100)]
    assert table.gaps() == []


def test_places_that_failed_while_nothing_was_held_are_free_again() -> None:
    table = Table(memory=Memory(event_places=20, mark_places=8))
    table.run_until_all_is_stored(5.0)
    table.memory.fails = True
    for number in range(30):
        assert not table.shoe.report(drawn(number), table.now)
    table.memory.fails = False
    table.run(1.2)
    assert not table.shoe.full
    assert table.shoe.report(drawn(50), table.now)


def test_a_count_of_power_ups_of_its_own_outlives_the_store() -> None:
    kept = [0]

    def count(at_least: int) -> int:
        kept[0] = max(kept[0] + 1, at_least)
        return kept[0]

    seen = set()
    memory = Memory(mark_places=8)
    for power_up in range(6):
        if power_up in (2, 3):
            memory = Memory(mark_places=8)  # all of it is wiped
        if power_up == 4:
            kept[0] = 0  # and now this: the marks have it still
        seen.add(CShoe(key=KEY, memory=memory, random=None, count_power_up=count).boot_id)
    assert len(seen) == 6
    memory.fails = True
    seen.add(CShoe(key=KEY, memory=memory, random=None, count_power_up=count).boot_id)
    assert len(seen) == 7, "marks that cannot be written stop no shoe that counts elsewhere"
    with pytest.raises(ValueError, match="refuses"):
        CShoe(key=KEY, memory=memory, random=None, count_power_up=lambda _: 0)
