"""Noise on the line to a shoe: what is told of it, and that it does not take the processor."""

import asyncio
import socket
from pathlib import Path

import pytest

from firmware_protocol.link import LineQuality
from shoe_controller.daemon.line_budget import LONGEST_PAUSE, MOST_SAVED, PER_SECOND, LineBudget
from shoe_controller.daemon.line_watch import EVERY, LineWatch
from shoe_controller.transports.descriptor_line import DescriptorLine
from shoe_controller.transports.transport import TransportError
from tests.daemon.harness import Chain
from tests.daemon.test_wiped_shoe import ShoeOnTheDesk


def test_bad_frames_are_told_of_at_once_and_then_once_a_minute_while_there_are_more() -> None:
    now, found = 0.0, LineQuality(0, 0, 0)
    told: list[LineQuality] = []
    watch = LineWatch(lambda: found, told.append, lambda: now)
    for second in range(600):
        now = float(second)
        if second < 300:
            found = LineQuality(10 * second, second, 0)
        elif second == 450:
            found = found._replace(refused=1)
        watch.look()
    assert told[0].damaged == 1
    assert len(told) == 1 + 299 // int(EVERY * 0.9) + 1 + 1
    assert told[-2].damaged == 299, "what came last before it was quiet, too"
    assert told[-1].refused == 1
    assert watch.told == told[-1]


def test_a_flood_has_to_wait_and_a_serial_line_never_does() -> None:
    serial, flooded = LineBudget(), LineBudget()
    assert not any(serial.pause_after(58, step / 100) for step in range(10_000)), "11520 bytes, two in each frame"
    assert flooded.pause_after(MOST_SAVED, 0.0) == 0.0
    assert flooded.pause_after(PER_SECOND // 10, 0.0) == pytest.approx(0.1)
    assert flooded.pause_after(100 * PER_SECOND, 0.1) == LONGEST_PAUSE


@pytest.mark.asyncio
async def test_a_line_is_left_unread_as_long_as_its_owner_asks_for() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)  # noqa: FBT003 - the name of the method says what it is
    loop = asyncio.get_running_loop()
    came: list[tuple[float, bytes]] = []
    first, second = asyncio.Event(), asyncio.Event()

    def received(data: bytes) -> float:
        came.append((loop.time(), data))
        (second if first.is_set() else first).set()
        return 0.1

    def lost(error: TransportError) -> None:
        raise AssertionError(error)

    line = DescriptorLine(
        ours.fileno(), received, lost, release=ours.close, explain=lambda error: TransportError(str(error))
    )
    theirs.send(b"one")
    await asyncio.wait_for(first.wait(), 10)
    theirs.send(b"two")
    await asyncio.wait_for(second.wait(), 10)
    assert [data for _, data in came] == [b"one", b"two"]
    assert came[1][0] - came[0][0] >= 0.1, "a pause that was asked for is kept, however busy the machine is"
    await line.close()
    theirs.close()


class NoisyShoe(ShoeOnTheDesk):
    """A shoe on a line that makes up three frames once the shoe has its session."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        made_up = asyncio.create_task(self._make_up(writer))
        await super().serve(reader, writer)
        made_up.cancel()

    async def _make_up(self, writer: asyncio.StreamWriter) -> None:
        while not self.times_set:  # noqa: ASYNC110 - what is waited for comes as bytes
            await asyncio.sleep(0.01)
        writer.write(b"\0" + b"\x05oops\0" * 3)


@pytest.mark.asyncio
async def test_damaged_frames_are_counted_in_the_status_and_in_the_log(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain:
        shoe = NoisyShoe()
        async with shoe.listening() as port:
            chain.data["shoe"]["port"] = f"socket://127.0.0.1:{port}"
            chain.write_file()
            display = await chain.display()
            await chain.start_daemon()
            await display.until(lambda: display.status and display.status.line_damaged, within=30, what="the damage")
            assert display.status is not None
            assert display.status.line_frames, "the good ones are counted too"
            (told,) = (line for line in chain.log_lines if line["event"] == "line_quality")
        assert (told["level"], told["damaged"]) == ("info", display.status.line_damaged)
        assert not [line for line in chain.log_lines if line["event"] == "alert_raised"], "it is sent again"
