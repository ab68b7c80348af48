"""What holds for every port, whichever it is, with the controller's own transport at the other end."""

import asyncio
from pathlib import Path

import pytest

from shoe_controller.transports.reconnect import LineOpened, Outage
from simulator.ports.port import Port, PortError, plugged_in
from simulator.ports.pty import PtyPort
from simulator.ports.tcp import TcpPort
from tests.simulator.ports.shoe_end import ShoeEnd
from tests.simulator.ports.sides import KINDS, Sides
from tests.transports.ears import Ears
from tests.transports.noise import BURST, noise


@pytest.fixture(params=KINDS)
def sides(request: pytest.FixtureRequest, link: Path) -> Sides:
    return KINDS[request.param](link)


async def exchange(sides: Sides, shoe: ShoeEnd, ears: Ears, seed: int) -> None:
    """Open the line once, and send a burst each way at the same time."""
    async with sides.line(ears) as line:
        await shoe.until_host()
        shoe.data.clear()
        ears.data.clear()
        sides.port.write(noise(BURST, seed))
        line.write(noise(BURST, seed + 1))
        assert await ears.hear_bytes(BURST) == noise(BURST, seed)
        assert await shoe.until_bytes(BURST) == noise(BURST, seed + 1)
    await shoe.until_no_host()


@pytest.mark.asyncio
async def test_bytes_go_both_ways_in_order(sides: Sides, shoe: ShoeEnd) -> None:
    async with plugged_in(sides.port, shoe):
        await exchange(sides, shoe, Ears(), seed=1)
    assert sides.port.lost_bytes == 0


@pytest.mark.asyncio
async def test_each_host_is_seen_to_come_and_go(sides: Sides, shoe: ShoeEnd) -> None:
    async with plugged_in(sides.port, shoe):
        for number in range(1, 6):
            async with sides.line(Ears()):
                await shoe.until_host()
            await shoe.until_no_host()
            assert shoe.hosts == number


@pytest.mark.asyncio
async def test_what_nobody_is_there_to_read_is_thrown_away(sides: Sides, shoe: ShoeEnd) -> None:
    async with plugged_in(sides.port, shoe):
        sides.port.write(b"into the void")
        async with sides.line(Ears()) as line:
            line.write(b"?")
            await shoe.until_bytes(1)
        await shoe.until_no_host()
        sides.port.write(b"and again")
        ears = Ears()
        async with sides.line(ears):
            await shoe.until_host()
            sides.port.write(b"at last")
            assert await ears.hear_bytes(7) == b"at last"
    assert sides.port.lost_bytes == 0, "only bytes that a host was too slow for are counted"


@pytest.mark.asyncio
async def test_the_controller_finds_a_shoe_that_is_plugged_in_again(sides: Sides, shoe: ShoeEnd) -> None:
    ears = Ears()
    async with plugged_in(sides.port, shoe), sides.controller(ears) as controller:
        for number in range(5):
            await ears.hear_reports(2 * number + 1)
            await shoe.until_host()
            controller.write(b"card?")
            await shoe.until_bytes(5)
            sides.port.write(b"card!")
            await ears.hear(lambda: ears.data == b"card!")
            await sides.port.unplug()
            assert not shoe.attached
            await ears.hear_reports(2 * number + 2)
            sides.port.write(b"nobody hears this")
            shoe.data.clear()
            ears.data.clear()
            await sides.port.replug()
        await ears.hear_reports(11)
    assert [type(report) for report in ears.reports] == [LineOpened, Outage] * 5 + [LineOpened]


@pytest.mark.asyncio
async def test_a_shoe_that_is_absent_at_first(sides: Sides, shoe: ShoeEnd) -> None:
    ears = Ears()
    async with plugged_in(sides.port, shoe):
        await sides.port.unplug()
        async with sides.controller(ears):
            await ears.hear_reports(1)
            await sides.port.replug()
            await ears.hear_reports(2)
            await shoe.until_host()
    assert [type(report) for report in ears.reports[:2]] == [Outage, LineOpened]


@pytest.mark.asyncio
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8, 13, 30, 80])
async def test_unplugged_at_any_moment(sides: Sides, shoe: ShoeEnd, turns: int) -> None:
    """So many turns of the event loop after the controller began to open the line and both began to send."""

    async def chatter() -> None:
        ears = Ears()
        async with sides.controller(ears) as controller:
            for seed in range(1000):
                controller.write(noise(3000, seed))
                sides.port.write(noise(3000, seed))
                await asyncio.sleep(0)

    async with plugged_in(sides.port, shoe):
        for _ in range(3):
            chatting = asyncio.create_task(chatter())
            for _ in range(turns):
                await asyncio.sleep(0)
            await sides.port.unplug()
            assert not shoe.attached
            for _ in range(turns):
                await asyncio.sleep(0)
            await sides.port.replug()
            chatting.cancel()
            await asyncio.wait([chatting])
        await shoe.until_no_host()
        await exchange(sides, shoe, Ears(), seed=7)
    assert not shoe.attached


@pytest.mark.asyncio
@pytest.mark.parametrize("sides", ["pty", "tcp"], indirect=True)
async def test_what_was_sent_before_an_unplug_has_arrived(sides: Sides, shoe: ShoeEnd) -> None:
    """Not on USB: a USB host fetches bytes, and what it has not fetched has never left the shoe."""
    async with plugged_in(sides.port, shoe):
        for seed in range(5):
            ears = Ears()
            async with sides.line(ears):
                await shoe.until_host()
                sides.port.write(noise(BURST, seed))
                await sides.port.unplug()
                await ears.hear_the_end()
            assert bytes(ears.data) == noise(BURST, seed)
            await sides.port.replug()


@pytest.mark.asyncio
async def test_pulling_plugging_and_closing_twice(sides: Sides, shoe: ShoeEnd) -> None:
    await sides.port.close()  # before it was ever open
    async with plugged_in(sides.port, shoe), sides.line(Ears()):
        await shoe.until_host()
        await sides.port.replug()  # it is in
        await sides.port.unplug()
        await sides.port.unplug()
        await sides.port.replug()
        await sides.port.replug()
        assert (shoe.attached, shoe.hosts) == (False, 1)
        await asyncio.gather(sides.port.unplug(), sides.port.unplug(), sides.port.close())
    await sides.port.close()
    async with plugged_in(sides.port, shoe):
        await exchange(sides, shoe, Ears(), seed=3)


@pytest.mark.asyncio
async def test_a_cancelled_unplug_has_unplugged(sides: Sides, shoe: ShoeEnd) -> None:
    ears = Ears()
    async with plugged_in(sides.port, shoe), sides.line(ears):
        await shoe.until_host()
        sides.port.write(bytes(BURST))
        pulling = asyncio.create_task(sides.port.unplug())
        await asyncio.sleep(0)
        pulling.cancel()
        await asyncio.wait([pulling])
        assert not shoe.attached
        await ears.hear_the_end()


@pytest.mark.asyncio
async def test_a_port_is_closed_however_its_block_ends(sides: Sides, shoe: ShoeEnd) -> None:
    async def emulate() -> None:
        async with plugged_in(sides.port, shoe), sides.line(Ears()):
            await shoe.until_host()
            await asyncio.Event().wait()

    emulating = asyncio.create_task(emulate())
    await shoe.until_host()
    emulating.cancel()
    await asyncio.wait([emulating])
    assert not shoe.attached


@pytest.mark.asyncio
async def test_the_shoe_may_answer_from_inside_the_call(sides: Sides) -> None:
    class Echo(ShoeEnd):
        def host_attached(self) -> None:
            super().host_attached()
            sides.port.write(b"hello ")

        def received(self, data: bytes) -> None:
            super().received(data)
            sides.port.write(data)

        def host_detached(self) -> None:
            super().host_detached()
            sides.port.write(b"goodbye")

    ears = Ears()
    async with plugged_in(sides.port, Echo()), sides.line(ears) as line:
        line.write(noise(BURST))
        await ears.hear(lambda: bytes(ears.data).endswith(noise(BURST)))  # a serial host may have flushed the hello
        await sides.port.unplug()
        await ears.hear_the_end()


@pytest.mark.asyncio
@pytest.mark.parametrize("sides", ["pty", "tcp"], indirect=True)
async def test_two_shoes_cannot_have_one_place(sides: Sides, shoe: ShoeEnd) -> None:
    """A USB bus has room for any number of devices."""
    async with plugged_in(sides.port, shoe):
        other = _at_the_same_place(sides.port)
        with pytest.raises(PortError, match=r"in the way|in use by another program"):
            await other.open(ShoeEnd())
        await other.close()
        await exchange(sides, shoe, Ears(), seed=5)


def _at_the_same_place(port: Port) -> Port:
    if isinstance(port, PtyPort):
        return PtyPort(port.address)
    return TcpPort(port=int(port.address.rpartition(":")[2]))
