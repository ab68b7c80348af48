"""Memory, random source and milliseconds that misbehave: the shoe in C goes on, and no card goes without a trace."""

import itertools
import os
from collections.abc import Callable

import pytest

from tests.firmware_protocol.native.c_line import KEY, Table, drawn, nonces, random_of
from tests.firmware_protocol.native.c_shoe import EVENTS, CShoe, Memory, PowerCutError

BOOT_ID = 7
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
    """Writes what it should, and once says that it could not."""

    doubts = False

    def write(self, area: int, place: int, data: bytes) -> bool:
        written = super().write(area, place, data)
        if self.doubts and area == EVENTS:
            self.doubts = False
            return False
        return written


@pytest.mark.parametrize("before", [1, 10, 17, 18, 19, 20])
def test_an_event_that_was_written_and_denied_takes_no_other_ones_place(before: int) -> None:
    """Wherever in the memory it lies, also where the places begin again."""
    memory = _Sceptical(event_places=20, mark_places=3)
    table = Table(memory=memory)
    for number in range(before):
        table.shoe.report(drawn(number), table.now)
        table.run_until_all_is_stored(5.0)
    memory.doubts = True
    assert not table.shoe.report(drawn(100), table.now)
    assert table.shoe.report(drawn(101), table.now)
    total = table.shoe.total
    table.restart_shoe()
    assert table.shoe.total == total
    table.run_until_all_is_stored(5.0)
    assert [event["card_id"] for event in table.events() if "card_id" in event][-1] == "CARD-0101"
    table.run(1.0)
    assert len(table.gaps()) == 1, "the other card is in the total alone"


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
