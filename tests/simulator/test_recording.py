"""Traffic to a file and back: what is recorded is what was on the line, and it plays again as it was."""

import asyncio
import io
import os
import tty
from collections.abc import Callable
from itertools import count
from pathlib import Path

import msgspec
import pytest

from shoe_controller.transports.serial_port import port_at
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.port import PortListener
from simulator.ports.pty import PtyPort
from simulator.ports.tcp import TcpPort
from simulator.recording import BadRecordingError, Chunk, Player, Recorder, RecordingPort, read_recording
from simulator.relay import RealLineError, Relay
from simulator.shoe_line import Wire, WireSettings
from tests.simulator.live_controller import LiveController

WITHIN = 20.0


def chunks_in(file: io.BytesIO) -> list[Chunk]:
    return [msgspec.json.decode(line, type=Chunk) for line in file.getvalue().splitlines()]


async def wait_for(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN):
        while not condition():  # noqa: ASYNC110 -- the other side is a plain descriptor that tells nobody
            await asyncio.sleep(0.002)


def test_times_count_from_the_first_bytes() -> None:
    file = io.BytesIO()
    clock = count(100, 2).__next__
    recorder = Recorder(file.write, lambda: float(clock()))
    recorder.record("shoe", b"\x05\x30")
    recorder.record("host", b"\x06")
    assert chunks_in(file) == [Chunk(0.0, "shoe", "0530"), Chunk(2.0, "host", "06")]
    assert recorder.chunks == 2


def test_a_recording_is_read_packed_or_not(tmp_path: Path) -> None:
    import gzip  # noqa: PLC0415 -- only here

    line = b'{"t":0.5,"dir":"shoe","hex":"05 31"}\n\n'
    (tmp_path / "a.jsonl").write_bytes(line)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(line))
    for name in ("a.jsonl", "a.jsonl.gz"):
        (chunk,) = read_recording(tmp_path / name)
        assert (chunk.t, chunk.dir, chunk.data) == (0.5, "shoe", b"\x05\x31")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x05\x30\x53", "a.jsonl, line 1 is not part of a recording"),
        (b'{"t":0,"dir":"shoe","hex":"05"}\n{"t":0,"dir":"me","hex":"05"}', "a.jsonl, line 2 is not part"),
        (b'{"t":0,"dir":"shoe","hex":"5"}', "a.jsonl, line 1 is not part"),
        (b'{"t":"now","dir":"shoe","hex":""}', "a.jsonl, line 1 is not part"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_with_its_line(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    with pytest.raises(BadRecordingError, match=problem):
        list(read_recording(tmp_path / "a.jsonl"))


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecordingError, match="cannot be read: No such file"):
        list(read_recording(tmp_path / "missing.jsonl"))
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(BadRecordingError, match="cannot be read"):
        list(read_recording(tmp_path / "broken.gz"))


@pytest.mark.asyncio
async def test_an_emulated_shoe_is_recorded_in_both_directions(tmp_path: Path) -> None:
    file = io.BytesIO()
    wire = WireSettings(wire=Wire.NATIVE)
    port = RecordingPort(PtyPort(tmp_path / "shoe"), Recorder(file.write, asyncio.get_running_loop().time))
    settings = EmulationSettings(wire=wire, seed=1, speed=None)
    async with (
        EmulatedShoe(port=port, settings=settings) as shoe,
        LiveController(port_at(port.address), wire) as controller,
    ):
        await shoe.until(lambda: shoe.emulation.shoe.why_no_card is None)
        shoe.draw()
        await shoe.until(lambda: not shoe.emulation.shoe.line.store.events)
        await shoe.unplug()
        await shoe.replug()
        await shoe.until(lambda: shoe.emulation.shoe.link_up, within=WITHIN)
    chunks = chunks_in(file)
    assert {chunk.dir for chunk in chunks} == {"shoe", "host"}
    assert [chunk.t for chunk in chunks] == sorted(chunk.t for chunk in chunks)
    assert controller.seen


class Ears:
    """Somebody who opens a pty and listens."""

    def __init__(self, path: str) -> None:
        self.heard = bytearray()
        self.descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.descriptor)
        asyncio.get_running_loop().add_reader(self.descriptor, self._read)

    def _read(self) -> None:
        try:
            self.heard += os.read(self.descriptor, 65536)
        except OSError:
            asyncio.get_running_loop().remove_reader(self.descriptor)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.descriptor)
        os.close(self.descriptor)


@pytest.mark.asyncio
@pytest.mark.parametrize("speed", [10.0, float("inf")])
async def test_a_recording_plays_the_shoe_s_side_with_its_timing(tmp_path: Path, speed: float) -> None:
    chunks = [
        Chunk(5.0, "shoe", "0530530336 30"),
        Chunk(6.0, "host", "ff"),
        Chunk(7.0, "shoe", "05 32 50 03 36 31"),
    ]
    player = Player(PtyPort(tmp_path / "shoe"), chunks, speed)
    playing = asyncio.create_task(player.play())
    await wait_for((tmp_path / "shoe").is_symlink)
    began = asyncio.get_running_loop().time()
    ears = Ears(str(tmp_path / "shoe"))
    try:
        await playing
        took = asyncio.get_running_loop().time() - began
        assert bytes(ears.heard) == chunks[0].data + chunks[2].data
        assert took >= 2.0 / speed
        assert player.played == 2
    finally:
        ears.close()
    assert not (tmp_path / "shoe").is_symlink()


class EchoShoe:
    """A shoe at the far end of a real line: sends back what it receives, in capitals."""

    def __init__(self, port: TcpPort | PtyPort) -> None:
        self.port = port
        self.attached = False

    def host_attached(self) -> None:
        self.attached = True

    def host_detached(self) -> None:
        self.attached = False

    def received(self, data: bytes) -> None:
        self.port.write(data.upper())


def line_name(port: TcpPort | PtyPort) -> str:
    return port.address.replace("socket://", "tcp:")


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["tcp", "pty", "pty@9600"])
async def test_a_real_line_is_recorded_between_shoe_and_controller(tmp_path: Path, kind: str) -> None:
    far = TcpPort() if kind == "tcp" else PtyPort(tmp_path / "real")
    shoe = EchoShoe(far)
    listener: PortListener = shoe
    await far.open(listener)
    file = io.BytesIO()
    recorder = Recorder(file.write, asyncio.get_running_loop().time)
    name = line_name(far) + ("@9600" if "@" in kind else "")
    relay = asyncio.create_task(Relay(PtyPort(tmp_path / "near"), name, recorder).run())
    try:
        await wait_for((tmp_path / "near").is_symlink)
        await wait_for(lambda: shoe.attached)
        ears = Ears(str(tmp_path / "near"))
        try:
            os.write(ears.descriptor, b"hello")
            await wait_for(lambda: bytes(ears.heard) == b"HELLO")
        finally:
            ears.close()
    finally:
        await far.close()
    with pytest.raises(RealLineError, match="the line to the shoe is gone"):
        await asyncio.wait_for(relay, WITHIN)
    sides = {side: b"".join(chunk.data for chunk in chunks_in(file) if chunk.dir == side) for side in ("shoe", "host")}
    assert sides == {"shoe": b"HELLO", "host": b"hello"}
    assert not (tmp_path / "near").is_symlink()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/dev/no-such-line", "cannot be opened: No such file"),
        ("/dev/null", "/dev/null is not a serial line"),
        ("/dev/null@fast", "'fast' is not a baud rate of this machine; write one such as 1200, "),
        ("/dev/null@4801", "'4801' is not a baud rate"),
        ("tcp:127.0.0.1", "is not an address: write tcp:HOST:PORT"),
        ("tcp:127.0.0.1:1", "cannot be reached"),
        ("tcp:127.0.0.1:99999", "cannot be reached"),
    ],
)
async def test_a_real_line_that_cannot_be_had_leaves_nothing_behind(tmp_path: Path, line: str, problem: str) -> None:
    recorder = Recorder(io.BytesIO().write, asyncio.get_running_loop().time)
    with pytest.raises(RealLineError, match=problem):
        await Relay(PtyPort(tmp_path / "near"), line, recorder).run()
    assert not (tmp_path / "near").is_symlink()
