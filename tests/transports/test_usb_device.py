"""An open USB line, and how it ends: pyusb's real code over the emulator's bus."""

import asyncio
import errno
import threading
import time

import pytest

from shoe_controller.transports.thread_line import INPUT_LIMIT
from shoe_controller.transports.transport import LINGER, OUTPUT_LIMIT, TransportError
from simulator.ports.usb_shoe import DATA_IN, DATA_OUT
from tests.transports.ears import PATIENCE, Ears
from tests.transports.noise import BURST, noise
from tests.transports.usb_lines import ShoeOnBus, WatchedBus, open_device, the_shoe, usb_error


@pytest.mark.asyncio
async def test_bytes_pass_both_ways(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    shoe.send(b"nine of hearts")
    assert await ears.hear_bytes(14) == b"nine of hearts"
    line.write(b"gate")
    assert await the_shoe(shoe, 4) == b"gate"
    await line.close()
    assert ears.lost == []
    assert "set_configuration" not in shoe.calls


@pytest.mark.asyncio
async def test_large_bursts_both_ways_at_once_lose_nothing(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    down, up = noise(BURST, seed=2), noise(BURST, seed=3)
    line.write(down)
    shoe.send(up)
    assert await ears.hear_bytes(BURST) == up
    assert await the_shoe(shoe, BURST) == down
    await line.close()


@pytest.mark.asyncio
async def test_a_full_packet_does_not_wait_for_a_short_one(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    begin = time.monotonic()
    for count in range(1, 21):
        shoe.send(bytes(64))
        await ears.hear_bytes(64 * count)
    assert time.monotonic() - begin < 20 * 0.25 * 0.9
    await line.close()


@pytest.mark.asyncio
async def test_no_bytes_arrive_before_the_line_is_in_hand(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    opening = asyncio.create_task(open_device(bus, ears))
    await asyncio.sleep(0)
    shoe.wait_until(lambda: shoe.in_use)
    shoe.send(b"waiting since before")
    time.sleep(0.1)  # noqa: ASYNC251 - the loop is stuck while the reader could run ahead
    assert shoe.packets_read == 0
    line = await opening
    assert ears.data == b""
    assert await ears.hear_bytes(20) == b"waiting since before"
    await line.close()


@pytest.mark.asyncio
async def test_an_empty_packet_is_nothing(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    shoe.empty_packets = 1
    await asyncio.to_thread(shoe.wait_until, lambda: shoe.empty_packets == 0)
    shoe.send(b"after it")
    assert await ears.hear_bytes(8) == b"after it"
    await line.close()


@pytest.mark.asyncio
async def test_a_busy_controller_lets_the_shoe_wait_and_loses_nothing(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    said = noise(4 * INPUT_LIMIT)
    shoe.send(said)
    # The loop is stuck here, until the reader has filled its buffer and has been waiting for a while.
    shoe.wait_until(lambda: shoe.packets_read * 64 >= INPUT_LIMIT)
    time.sleep(0.3)  # noqa: ASYNC251 - the loop is meant to be stuck
    assert shoe.packets_read * 64 <= INPUT_LIMIT + 64
    assert await ears.hear_bytes(len(said)) == said
    await line.close()


@pytest.mark.asyncio
async def test_a_slow_shoe_gets_everything(bus: WatchedBus) -> None:
    shoe = ShoeOnBus(bus, takes=100)
    line = await open_device(bus, Ears())
    said = noise(BURST)
    for start in range(0, BURST, 1000):
        line.write(said[start : start + 1000])
    assert await the_shoe(shoe, BURST) == said
    await line.close()


@pytest.mark.asyncio
async def test_a_shoe_that_pauses_gets_everything_once(bus: WatchedBus) -> None:
    shoe = ShoeOnBus(bus, takes=0)
    line = await open_device(bus, Ears())
    line.write(b"gate")
    await asyncio.to_thread(shoe.wait_until, lambda: shoe.calls.count("bulk_write") >= 2)  # one has timed out
    shoe.takes = None
    assert await the_shoe(shoe, 4) == b"gate"
    await line.close()
    assert shoe.received == b"gate"


@pytest.mark.asyncio
async def test_a_shoe_that_never_takes_anything_ends_the_line(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus, takes=0), Ears()
    line = await open_device(bus, ears)
    for _ in range(OUTPUT_LIMIT // 1000 + 1):
        line.write(bytes(1000))
    assert "accepts no bytes" in await ears.hear_the_end()
    assert bus.open_handles == set()
    line.write(b"nobody")
    await line.close()
    assert shoe.received == b""


@pytest.mark.asyncio
async def test_unplugging_while_reading(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    shoe.unplug()
    begin = time.monotonic()
    assert "was unplugged or switched off" in await ears.hear_the_end()
    assert time.monotonic() - begin < 5
    assert bus.open_handles == set()
    await line.close()
    await line.close()


@pytest.mark.asyncio
async def test_unplugging_while_writing(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus, takes=0), Ears()
    line = await open_device(bus, ears)
    line.write(bytes(BURST))
    await asyncio.to_thread(shoe.wait_until, lambda: "bulk_write" in shoe.calls)
    shoe.unplug()
    assert "was unplugged" in await ears.hear_the_end()
    await line.close()


@pytest.mark.asyncio
async def test_unplugging_while_closing(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus, takes=0), Ears()
    line = await open_device(bus, ears)
    line.write(b"gate")
    closing = asyncio.create_task(line.close())
    await asyncio.sleep(0)
    shoe.unplug()
    await closing
    assert ears.lost == []


@pytest.mark.parametrize(
    "step",
    [
        "get_device_descriptor",
        "open_device",
        "get_configuration",
        "ctrl_transfer",
        "is_kernel_driver_active",
        "detach_kernel_driver",
        "claim_interface",
    ],
)
@pytest.mark.asyncio
async def test_unplugging_at_any_step_of_opening(bus: WatchedBus, step: str) -> None:
    shoe, ears = ShoeOnBus(bus, kernel_drivers={0}), Ears()
    shoe.hooks[step] = shoe.unplug
    with pytest.raises(TransportError, match=r"was unplugged|no shoe is there"):
        await open_device(bus, ears, "SHOE-1")
    assert bus.open_handles == set()
    assert ears.lost == []


@pytest.mark.asyncio
async def test_bytes_that_came_before_the_end_are_heard_before_it(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    shoe.send(noise(1024))
    shoe.wait_until(lambda: shoe.packets_read == 16)  # the loop is stuck meanwhile
    shoe.unplug()
    await ears.hear_the_end()
    assert ears.data == noise(1024)
    await line.close()


@pytest.mark.asyncio
async def test_closing_waits_for_the_read_in_hand(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    line = await open_device(bus, ears)
    await asyncio.to_thread(shoe.wait_until, lambda: bool(shoe.reads_under_way))
    await line.close()
    assert shoe.reads_under_way == []
    shoe.send(b"too late")
    assert shoe.packets_read == 0
    assert ears.data == b""


@pytest.mark.asyncio
async def test_closing_lets_the_last_bytes_leave(bus: WatchedBus) -> None:
    shoe = ShoeOnBus(bus, takes=64)
    line = await open_device(bus, Ears())
    line.write(noise(4096))
    await line.close()
    assert shoe.received == noise(4096)


@pytest.mark.asyncio
async def test_the_last_bytes_leave_also_when_the_reader_is_done_first(bus: WatchedBus) -> None:
    shoe, ears = ShoeOnBus(bus, takes=64), Ears()
    shoe.hooks["bulk_write"] = lambda: time.sleep(0.005)
    line = await open_device(bus, ears)
    await asyncio.to_thread(shoe.wait_until, lambda: bool(shoe.reads_under_way))
    line.write(noise(640))
    closing = asyncio.create_task(line.close())
    await asyncio.sleep(0)
    shoe.send(b"ends the read in hand")
    await closing
    assert shoe.received == noise(640)
    assert ears.data == b""  # nobody is called back once the line is being closed


@pytest.mark.asyncio
async def test_closing_does_not_wait_for_a_shoe_that_takes_nothing(bus: WatchedBus) -> None:
    ShoeOnBus(bus, takes=0)
    line = await open_device(bus, Ears())
    line.write(bytes(BURST))
    begin = time.monotonic()
    await line.close()
    assert time.monotonic() - begin < LINGER + 5


@pytest.mark.asyncio
async def test_cancelling_close_closes_first(bus: WatchedBus) -> None:
    ShoeOnBus(bus)
    line = await open_device(bus, Ears())
    closing = asyncio.create_task(line.close())
    for _ in range(3):
        await asyncio.sleep(0)
        closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert bus.open_handles == set()


@pytest.mark.parametrize("step", ["open_device", "claim_interface"])
@pytest.mark.asyncio
async def test_cancelling_while_opening(bus: WatchedBus, step: str) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    go_on = threading.Event()

    def wait() -> None:
        assert go_on.wait(PATIENCE)

    shoe.hooks[step] = wait
    opening = asyncio.create_task(open_device(bus, ears))
    await asyncio.to_thread(shoe.wait_until, lambda: step in shoe.calls)
    opening.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert bus.open_handles == set()


@pytest.mark.parametrize("call", ["bulk_read", "bulk_write"])
@pytest.mark.asyncio
async def test_an_endpoint_that_refuses_is_cleared_and_the_line_ends(bus: WatchedBus, call: str) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    shoe.faults[call] = usb_error(errno.EPIPE)
    line = await open_device(bus, ears)
    line.write(b"said")
    assert "refused a transfer" in await ears.hear_the_end()
    await line.close()
    assert shoe.halts_cleared == {DATA_IN if call == "bulk_read" else DATA_OUT}


@pytest.mark.parametrize("call", ["bulk_read", "bulk_write"])
@pytest.mark.asyncio
async def test_a_fault_in_a_backend_is_not_a_deaf_line(bus: WatchedBus, call: str) -> None:
    shoe, ears = ShoeOnBus(bus), Ears()
    shoe.faults[call] = ZeroDivisionError("a fault")
    line = await open_device(bus, ears)
    line.write(b"said")
    assert "ZeroDivisionError('a fault'). This is a fault of the controller" in await ears.hear_the_end()
    await line.close()


@pytest.mark.asyncio
async def test_a_line_that_nobody_closes_ends_with_its_loop(bus: WatchedBus) -> None:
    shoe = ShoeOnBus(bus)

    def forgetful() -> None:
        asyncio.run(open_and_forget())

    async def open_and_forget() -> None:
        await open_device(bus, Ears())

    await asyncio.to_thread(forgetful)
    for thread in threading.enumerate():
        if thread.name.startswith("USB"):
            thread.join(PATIENCE)
    assert shoe.reads_under_way == []
    assert bus.open_handles == set()


@pytest.mark.asyncio
async def test_an_idle_line_costs_next_to_nothing(bus: WatchedBus) -> None:
    ShoeOnBus(bus)
    line = await open_device(bus, Ears())
    begin = time.process_time()
    await asyncio.sleep(0.5)
    assert time.process_time() - begin < 0.1
    await line.close()
