"""The pseudo-terminal: its link, its modes, and how it knows that a host is there."""

import asyncio
import os
import select
import termios
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from simulator.ports.port import LINE_BUFFER, PortError, plugged_in
from simulator.ports.pty import PtyPort
from tests.simulator.ports.shoe_end import ShoeEnd
from tests.transports.noise import BURST, noise


def what_is_at(path: Path) -> str:
    if path.is_symlink():
        return "terminal" if path.readlink().is_char_device() else f"link to {path.readlink()}"
    return path.read_text() if path.exists() else "nothing"


def put_something_else(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(text)


def remove(path: Path) -> None:
    path.unlink()


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A host that does nothing to the terminal but open it."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def read_all(descriptor: int, size: int) -> bytes:
    """What a host reads until it has so many bytes; more, if more are there."""
    data = bytearray()
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        async with asyncio.timeout(10):
            while len(data) < size:
                await ready.wait()
                ready.clear()
                with suppress(BlockingIOError):  # the loop may have reported it twice
                    data += os.read(descriptor, 65536)
    finally:
        loop.remove_reader(descriptor)
    return bytes(data)


@pytest.mark.asyncio
async def test_the_link_is_there_while_it_is_plugged_in(link: Path, shoe: ShoeEnd) -> None:
    port = PtyPort(link)
    assert port.address == str(link)
    async with plugged_in(port, shoe):
        assert what_is_at(link) == "terminal"
        await port.unplug()
        assert what_is_at(link) == "nothing"
        await port.replug()
        assert what_is_at(link) == "terminal"


@pytest.mark.asyncio
async def test_a_relative_path_is_an_address_from_anywhere(
    link: Path, shoe: ShoeEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(link.parent)
    port = PtyPort(link.name)
    monkeypatch.chdir("/")
    async with plugged_in(port, shoe):
        assert port.address == str(link)
        assert what_is_at(link) == "terminal"


@pytest.mark.asyncio
async def test_every_byte_passes_unchanged_and_none_comes_back(link: Path, shoe: ShoeEnd) -> None:
    """Without the controller's transport, which would set the modes itself."""
    everything = bytes(range(256))
    port = PtyPort(link)
    async with plugged_in(port, shoe):
        with opened(link) as host:
            os.write(host, everything)
            assert await shoe.until_bytes(256) == everything
            port.write(everything)
            assert await read_all(host, 256) == everything
            assert not select.select([host], [], [], 0)[0], "an echo"
        assert shoe.data == everything


@pytest.mark.asyncio
async def test_the_next_host_finds_a_clean_terminal(link: Path, shoe: ShoeEnd) -> None:
    port = PtyPort(link)
    async with plugged_in(port, shoe):
        with opened(link) as host:
            await shoe.until_host()
            modes = termios.tcgetattr(host)
            modes[tty.LFLAG] |= termios.ECHO | termios.ICANON
            termios.tcsetattr(host, termios.TCSANOW, modes)
            port.write(noise(30_000))
        await shoe.until_no_host()
        with opened(link) as host:
            assert not termios.tcgetattr(host)[tty.LFLAG] & (termios.ECHO | termios.ICANON)
            await shoe.until_host()
            port.write(b"new")
            assert await read_all(host, 3) == b"new"


@pytest.mark.asyncio
async def test_a_host_that_says_a_word_and_goes(link: Path, shoe: ShoeEnd) -> None:
    """As `echo x > /tmp/shoe` does: over before the event loop has looked."""
    async with plugged_in(PtyPort(link), shoe):
        for number in range(1, 4):
            with opened(link) as host:
                os.write(host, noise(4000, number))
            await shoe.until(lambda number=number: shoe.hosts == number and not shoe.attached)  # type: ignore[misc]
            assert shoe.data == noise(4000, number)
            shoe.data.clear()


@pytest.mark.asyncio
async def test_two_hosts_at_once_are_one_until_the_last_has_gone(link: Path, shoe: ShoeEnd) -> None:
    async with plugged_in(PtyPort(link), shoe):
        with opened(link) as first:
            await shoe.until_host()
            with opened(link):
                os.write(first, b"1")
                await shoe.until_bytes(1)
            os.write(first, b"2")
            await shoe.until_bytes(2)
            assert (shoe.attached, shoe.hosts) == (True, 1)
        await shoe.until_no_host()


@pytest.mark.asyncio
async def test_hosts_that_come_and_go_faster_than_the_loop_turns(link: Path, shoe: ShoeEnd) -> None:
    def come_and_go() -> None:
        for _ in range(3000):
            with opened(link):
                pass

    port = PtyPort(link)
    async with plugged_in(port, shoe):
        hosts = threading.Thread(target=come_and_go)
        hosts.start()
        while hosts.is_alive():  # noqa: ASYNC110 - a thread has no event to wait for
            await asyncio.sleep(0.001)
        hosts.join()
        await shoe.until_no_host()
        with opened(link) as host:
            await shoe.until_host()
            port.write(b"still here")
            assert await read_all(host, 10) == b"still here"


@pytest.mark.asyncio
async def test_a_host_is_seen_even_when_the_kernel_has_forgotten_to_tell(tmp_path: Path) -> None:
    """The kernel keeps only so many happenings for a busy event loop, and says that it lost some."""
    kept = int(what_is_at(Path("/proc/sys/fs/inotify/max_queued_events")))
    links = [tmp_path / name for name in "abc"]
    shoes = [ShoeEnd() for _ in links]
    async with AsyncExitStack() as ports:
        for link, shoe in zip(links, shoes, strict=True):
            await ports.enter_async_context(plugged_in(PtyPort(link), shoe))
        for _ in range(kept // 2 + 1):
            for link in links[:2]:
                with opened(link):
                    pass
        with opened(links[2]):
            await shoes[2].until_host()


@pytest.mark.asyncio
async def test_no_processor_time_is_spent_on_waiting(link: Path, shoe: ShoeEnd) -> None:
    """Before the first host, with one that does not read, when it has read all, after it has gone, and unplugged."""
    port = PtyPort(link)

    async def rests() -> bool:
        before = time.process_time()
        await asyncio.sleep(0.2)
        return time.process_time() - before < 0.1

    async with plugged_in(port, shoe):
        assert await rests()
        with opened(link) as host:
            await shoe.until_host()
            port.write(bytes(BURST))
            assert await rests()
            await read_all(host, BURST)
            assert await rests()
        await shoe.until_no_host()
        assert await rests()
        await port.unplug()
        assert await rests()


@pytest.mark.asyncio
async def test_a_host_that_never_reads_loses_the_newest_bytes_and_delays_nobody(link: Path, shoe: ShoeEnd) -> None:
    port = PtyPort(link)
    sent = noise(2 * LINE_BUFFER)
    async with plugged_in(port, shoe):
        with opened(link) as host:
            await shoe.until_host()
            for start in range(0, len(sent), 1000):
                port.write(sent[start : start + 1000])
            assert 0 < port.lost_bytes <= len(sent) - LINE_BUFFER
            kept = len(sent) - port.lost_bytes
            assert await read_all(host, kept) == sent[:kept]
            port.write(b"on it goes")
            assert await read_all(host, 10) == b"on it goes"


@pytest.mark.asyncio
async def test_unplugging_waits_only_a_moment_for_a_host_that_does_not_read(link: Path, shoe: ShoeEnd) -> None:
    port = PtyPort(link)
    async with plugged_in(port, shoe):
        with opened(link):
            await shoe.until_host()
            port.write(bytes(BURST))
            async with asyncio.timeout(5):
                await port.unplug()
            assert not shoe.attached


@pytest.mark.asyncio
async def test_nothing_is_sent_any_more_while_it_is_being_unplugged(link: Path, shoe: ShoeEnd) -> None:
    port = PtyPort(link)
    async with plugged_in(port, shoe):
        with opened(link) as host:
            await shoe.until_host()
            port.write(b"in time")
            pulling = asyncio.create_task(port.unplug())
            await asyncio.sleep(0)
            port.write(b"too late")
            assert await read_all(host, 7) == b"in time"
            await pulling


@pytest.mark.asyncio
@pytest.mark.parametrize("what", ["file", "folder", "link", "dangling link"])
async def test_what_is_in_the_way_is_not_touched(tmp_path: Path, shoe: ShoeEnd, what: str) -> None:
    place = tmp_path / "shoe"
    match what:
        case "file":
            place.write_text("precious")
        case "folder":
            place.mkdir()
        case "link":
            place.symlink_to(tmp_path)
        case _:
            place.symlink_to("/dev/pts/no-more")
    before = _as_it_is(place)
    port = PtyPort(place)
    with pytest.raises(PortError, match=f"{place}: a .*is in the way") as trouble:
        await port.open(shoe)
    assert ("which is gone" in str(trouble.value)) == (what == "dangling link")
    await port.close()
    assert _as_it_is(place) == before


def _as_it_is(place: Path) -> tuple[int, int, int, int]:
    """All but the time at which it was last looked at."""
    found = place.lstat()
    return found.st_ino, found.st_mode, found.st_size, found.st_ctime_ns


@pytest.mark.asyncio
async def test_no_terminal_is_made_while_something_is_in_the_way(
    tmp_path: Path, shoe: ShoeEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It might have the name of the one that a killed emulator's link points to, and seem to be still in use."""
    (tmp_path / "shoe").symlink_to("/dev/pts/no-more")
    monkeypatch.delattr(os, "openpty")
    with pytest.raises(PortError, match="which is gone, is in the way"):
        await PtyPort(tmp_path / "shoe").open(shoe)


@pytest.mark.asyncio
async def test_something_in_the_way_at_a_replug(link: Path, shoe: ShoeEnd) -> None:
    port = PtyPort(link)
    async with plugged_in(port, shoe):
        await port.unplug()
        put_something_else(link, "precious")
        with pytest.raises(PortError, match="in the way"):
            await port.replug()
        assert what_is_at(link) == "precious"
        remove(link)
        await port.replug()
        assert what_is_at(link) == "terminal"


@pytest.mark.asyncio
async def test_what_somebody_else_has_put_there_meanwhile_stays(tmp_path: Path, shoe: ShoeEnd) -> None:
    link = tmp_path / "shoe"
    async with plugged_in(PtyPort(link), shoe):
        put_something_else(link, "precious")
    assert what_is_at(link) == "precious"


@pytest.mark.asyncio
async def test_a_link_that_somebody_has_removed(link: Path, shoe: ShoeEnd) -> None:
    port = PtyPort(link)
    async with plugged_in(port, shoe):
        remove(link)
        await port.unplug()
        await port.replug()
        assert what_is_at(link) == "terminal"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/no/such/folder/shoe", r"the folder /no/such/folder does not exist\. Make it"),
        ("/sys/shoe", r"this user may not write in the folder /sys\."),
        ("/dev/null/shoe", r"cannot make a link there \(Not a directory\)"),
        ("/tmp/" + 300 * "x", r"cannot make a link there \(File name too long\)"),  # noqa: S108 - never made
        ("/tmp/a\0b", r"is not a path"),  # noqa: S108 - never made
        ("", r"a folder of that name is in the way"),
    ],
)
async def test_places_where_no_link_can_be(path: str, message: str, shoe: ShoeEnd) -> None:
    port = PtyPort(path)
    with pytest.raises(PortError, match=message):
        await port.open(shoe)
    await port.close()


@pytest.mark.asyncio
async def test_many_shoes_share_one_watcher(tmp_path: Path) -> None:
    """More than a user may have watchers on most machines, which is 128."""
    count = 150
    shoes = [ShoeEnd() for _ in range(count)]
    ports = [PtyPort(tmp_path / str(number)) for number in range(count)]
    for port, shoe in zip(ports, shoes, strict=True):
        await port.open(shoe)
    with ExitStack() as hosts:
        for number in range(0, count, 2):
            hosts.enter_context(opened(tmp_path / str(number)))
        for number, shoe in enumerate(shoes):
            await shoe.until(lambda shoe=shoe, number=number: shoe.attached == (number % 2 == 0))  # type: ignore[misc]
    for port, shoe in zip(ports, shoes, strict=True):
        await shoe.until_no_host()
        await port.close()
    assert {what_is_at(tmp_path / str(number)) for number in range(count)} == {"nothing"}
