"""The serial port on real pseudo-terminals."""

import asyncio
import os
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_controller.transports.serial_port import ANGEL_EYE_BAUD, NATIVE_BAUD, SerialPort, port_at
from shoe_controller.transports.socket_port import SocketPort
from shoe_controller.transports.transport import LINGER, OUTPUT_LIMIT, Transport, TransportError
from tests.transports.ears import Ears
from tests.transports.leaks import has_open
from tests.transports.noise import BURST, noise, seeded
from tests.transports.pty_shoe import PtyShoe


async def open_port(shoe: PtyShoe, ears: Ears) -> Transport:
    return await SerialPort(shoe.path).open(ears.on_bytes, ears.on_lost)


@pytest.mark.asyncio
async def test_bytes_pass_unchanged_both_ways(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    said = noise(1024)
    await shoe.send(said)
    assert await ears.hear_bytes(1024) == said
    line.write(said)
    assert await shoe.receive(1024) == said
    await line.close()
    assert ears.lost == []


@pytest.mark.asyncio
async def test_large_bursts_both_ways_at_once_lose_nothing(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    down, up = noise(BURST, seed=2), noise(BURST, seed=3)
    line.write(down)
    async with asyncio.TaskGroup() as group:
        group.create_task(shoe.send(up))
        arrived = group.create_task(shoe.receive(BURST))
    assert arrived.result() == down
    assert await ears.hear_bytes(BURST) == up
    await line.close()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.asyncio
async def test_any_pieces_arrive_in_order(shoe: PtyShoe, seed: int) -> None:
    chance = seeded(seed)
    pieces = [chance.randbytes(chance.choice([1, 2, 17, 500, 4095, 4096, 4097])) for _ in range(20)]
    ears = Ears()
    line = await open_port(shoe, ears)
    whole = b"".join(pieces)
    arriving = asyncio.create_task(shoe.receive(len(whole), step=chance.choice([1000, 65536])))
    for piece in pieces:
        line.write(piece)
        await shoe.send(piece)
        if chance.random() < 0.5:
            await asyncio.sleep(0)
    assert await arriving == whole
    assert await ears.hear_bytes(len(whole)) == whole
    await line.close()


@pytest.mark.asyncio
async def test_a_slow_controller_loses_nothing(shoe: PtyShoe) -> None:
    ears = Ears()

    def take_slowly(data: bytes) -> None:
        time.sleep(0.005)
        ears.on_bytes(data)

    line = await SerialPort(shoe.path).open(take_slowly, ears.on_lost)
    said = noise(BURST)
    os.set_blocking(shoe.master, True)
    sender = threading.Thread(target=write_all, args=(shoe.master, said))
    sender.start()
    time.sleep(0.2)  # noqa: ASYNC251 - the loop is meant to be stuck while the shoe sends
    assert await ears.hear_bytes(BURST) == said
    sender.join()
    await line.close()


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


@pytest.mark.asyncio
async def test_a_slow_shoe_gets_everything(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    said = noise(BURST)
    for start in range(0, BURST, 1000):
        line.write(said[start : start + 1000])
    assert await shoe.receive(BURST, step=100) == said
    await line.close()
    assert ears.lost == []


@pytest.mark.asyncio
async def test_single_bytes_fill_the_terminal_to_the_brim_and_all_arrive(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    said = noise(40_000)
    for byte in said:
        line.write(bytes([byte]))
    assert await shoe.receive(len(said)) == said
    await line.close()
    assert ears.lost == []


@pytest.mark.asyncio
async def test_a_shoe_that_never_reads_ends_the_line(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    written = 0
    while not ears.lost:
        line.write(bytes(1000))
        written += 1000
        assert written < 2 * OUTPUT_LIMIT, "the output buffer has no bound"
        await asyncio.sleep(0)
    assert "accepts no bytes" in await ears.hear_the_end()
    assert has_open(shoe.terminal) == 1  # the test's own
    await line.close()


@pytest.mark.asyncio
async def test_what_the_shoe_said_before_it_stopped_reading_is_not_lost(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    os.write(shoe.master, b"nine of hearts")
    line.write(bytes(OUTPUT_LIMIT))
    line.write(bytes(OUTPUT_LIMIT))  # more than waits for the first and fits beside it
    assert ears.data == b""  # nobody is called back from inside a write
    await ears.hear_the_end()
    assert ears.data == b"nine of hearts"
    await line.close()


@pytest.mark.asyncio
async def test_unplugging_ends_the_line_at_once_and_once(shoe: PtyShoe) -> None:
    ears = Ears()
    terminal = shoe.terminal
    open_at_the_end = []

    def on_lost(error: TransportError) -> None:
        open_at_the_end.append(has_open(terminal))
        ears.on_lost(error)

    line = await SerialPort(shoe.path).open(ears.on_bytes, on_lost)
    shoe.unplug()
    begin = time.monotonic()
    assert "was unplugged or switched off" in await ears.hear_the_end()
    assert time.monotonic() - begin < 5
    assert open_at_the_end == [0]
    line.write(b"into a pulled cable")
    await line.close()
    await line.close()


@pytest.mark.asyncio
async def test_unplugging_while_bytes_wait_to_be_written(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    line.write(noise(BURST))  # far more than a terminal holds
    await asyncio.sleep(0)
    shoe.unplug()
    assert "was unplugged" in await ears.hear_the_end()
    await line.close()


@pytest.mark.asyncio
async def test_unplugging_just_before_a_write(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    shoe.unplug()
    line.write(b"gate")  # the loop has not seen the hang-up yet: the write itself meets it
    line.write(b"gate")
    assert ears.lost == []
    assert "was unplugged" in await ears.hear_the_end()
    await line.close()


@pytest.mark.asyncio
async def test_unplugging_while_closing(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    line.write(noise(BURST))
    closing = asyncio.create_task(line.close())
    await asyncio.sleep(0)
    shoe.unplug()
    await closing
    assert ears.lost == []


@pytest.mark.asyncio
async def test_nothing_is_announced_after_close(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    os.write(shoe.master, b"too late")
    await line.close()
    shoe.unplug()
    await asyncio.sleep(0)
    assert ears.data == b""
    assert ears.lost == []
    line.write(b"nobody")


@pytest.mark.asyncio
async def test_a_loss_not_yet_announced_is_not_announced_after_close(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    shoe.unplug()
    line.write(b"meets the hang-up")
    await line.close()
    await asyncio.sleep(0)
    assert ears.lost == []


@pytest.mark.asyncio
async def test_closing_lets_the_last_bytes_leave(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await open_port(shoe, ears)
    said = noise(40_000)
    line.write(said)
    async with asyncio.TaskGroup() as group:
        arriving = group.create_task(shoe.receive(len(said)))
        group.create_task(line.close())
    assert arriving.result() == said


@pytest.mark.asyncio
async def test_closing_does_not_wait_for_a_shoe_that_does_not_read(shoe: PtyShoe) -> None:
    line = await open_port(shoe, Ears())
    line.write(noise(BURST))
    begin = time.monotonic()
    await line.close()
    assert time.monotonic() - begin < LINGER + 5
    assert has_open(shoe.terminal) == 1


@pytest.mark.asyncio
async def test_cancelling_close_closes(shoe: PtyShoe) -> None:
    line = await open_port(shoe, Ears())
    line.write(noise(BURST))
    closing = asyncio.create_task(line.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert has_open(shoe.terminal) == 1


@pytest.mark.asyncio
async def test_an_idle_line_costs_nothing(shoe: PtyShoe) -> None:
    line = await open_port(shoe, Ears())
    begin = time.process_time()
    await asyncio.sleep(0.5)
    assert time.process_time() - begin < 0.1
    await line.close()


@pytest.mark.parametrize("baud", [NATIVE_BAUD, ANGEL_EYE_BAUD, 9600])
@pytest.mark.asyncio
async def test_the_port_is_raw_8n1_at_the_rate_asked_for(shoe: PtyShoe, baud: int) -> None:
    line = await SerialPort(shoe.path, baud).open(print, print)
    iflag, oflag, cflag, lflag, ispeed, ospeed, control = termios.tcgetattr(shoe.slave)
    assert ispeed == ospeed == getattr(termios, f"B{baud}")
    assert cflag & termios.CSIZE == termios.CS8
    assert not cflag & (termios.PARENB | termios.CSTOPB | termios.CRTSCTS)
    assert not lflag & (termios.ICANON | termios.ECHO | termios.ISIG)
    assert not iflag & (termios.IXON | termios.IXOFF | termios.ICRNL | termios.ISTRIP)
    assert not oflag & termios.OPOST
    assert control[termios.VMIN] in {1, b"\x01"}  # else an empty read would not mean a hang-up
    await line.close()


@pytest.mark.asyncio
async def test_an_unusual_rate_is_accepted(shoe: PtyShoe) -> None:
    ears = Ears()
    line = await SerialPort(shoe.path, 31_250).open(ears.on_bytes, ears.on_lost)
    await shoe.send(b"9H")
    assert await ears.hear_bytes(2) == b"9H"
    await line.close()


@pytest.mark.asyncio
async def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(TransportError, match=r"no shoe is there. Plug it in"):
        await SerialPort(str(tmp_path / "shoe")).open(print, print)


@pytest.mark.asyncio
async def test_a_link_to_a_terminal_that_is_gone(shoe: PtyShoe) -> None:
    terminal = shoe.terminal
    shoe.unplug()
    shoe.link.symlink_to(terminal)
    try:
        with pytest.raises(TransportError, match=r"no shoe is there|was unplugged"):
            await SerialPort(shoe.path).open(print, print)
    finally:
        shoe.link.unlink()


def make_nothing_of_use(folder: Path) -> Iterator[tuple[str, str]]:
    (folder / "file").write_bytes(b"not a port")
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    yield str(folder), "not a serial port"
    yield str(folder / "file"), "not a serial port"
    yield str(folder / "pipe"), "not a serial port"
    yield "/dev/null", "not a serial port"
    yield str(folder / "loop"), "no shoe is there"
    yield str(folder / "file" / "shoe"), "no shoe is there"
    yield "/dev/" + "x" * 5000, "no shoe is there"


@pytest.mark.asyncio
async def test_paths_that_are_no_serial_port(tmp_path: Path) -> None:
    for path, sentence in make_nothing_of_use(tmp_path):
        with pytest.raises(TransportError, match=sentence):
            await SerialPort(path).open(print, print)
    assert (tmp_path / "file").read_bytes() == b"not a port"


@pytest.mark.parametrize(
    "address", ["", " ", "COM3", "ttyUSB0", "dev/ttyUSB0", "/dev/tty\0USB0", "/dev/tty\n", "http://x:1"]
)
def test_nonsense_is_refused_before_anything_is_opened(address: str) -> None:
    with pytest.raises(TransportError, match="is not the address of a shoe"):
        port_at(address)


@pytest.mark.parametrize("baud", [-1, 0, 49, 4_000_001, 10**12])
def test_nonsense_rates_are_refused(baud: int) -> None:
    with pytest.raises(TransportError, match="is not a baud rate"):
        port_at("/dev/ttyACM0", baud)


def test_an_address_says_which_kind_of_port_it_is() -> None:
    assert isinstance(port_at("/dev/ttyACM0"), SerialPort)
    assert isinstance(port_at("socket://127.0.0.1:7000"), SocketPort)
    assert port_at("/dev/ttyACM0").name == "/dev/ttyACM0"
