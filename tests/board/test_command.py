"""`shoe-controller board` as whoever sets it up meets it: mistakes, signals, and a broker that lets it only read."""

import asyncio
import re
import socket
import subprocess
import time
from pathlib import Path

import aiohttp
import pytest

from tests.board.room import free_port
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE, write_secret
from tests.daemon.programs import COMMANDS, Program
from tests.table_files import Data, write

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "board.md"


def run(folder: Path, data: Data | None) -> subprocess.CompletedProcess[str]:
    file = folder / "table.toml" if data is None else write(folder, data)
    return subprocess.run(
        [COMMANDS / "shoe-controller", "board", file], capture_output=True, text=True, timeout=30, check=False
    )


def small(**board: object) -> Data:
    return {"mqtt": {"host": "127.0.0.1", "port": free_port()}, "board": {"site": SITE, "port": free_port()} | board}


def test_mistakes_are_sentences(tmp_path: Path) -> None:
    missing = run(tmp_path, None)
    assert missing.returncode == 2
    assert "table.toml" in missing.stderr
    assert "Traceback" not in missing.stderr
    wrong = run(tmp_path, small(prot=1, look="pink"))
    assert wrong.returncode == 2
    assert "board.prot" in wrong.stderr
    assert "board.look" in wrong.stderr


def test_a_port_that_is_taken_is_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        taken = run(tmp_path, small(port=port))
    assert taken.returncode == 1
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use." in taken.stderr
    assert "Traceback" not in taken.stderr


def test_a_certificate_that_is_none_is_a_sentence(tmp_path: Path) -> None:
    write_secret(tmp_path / "key.pem", "no key")
    (tmp_path / "cert.pem").write_text("no certificate")
    answer = run(tmp_path, small(cert_file="cert.pem", key_file="key.pem"))
    assert answer.returncode == 2
    assert "board.cert_file: " in answer.stderr
    assert "holds no certificate" in answer.stderr
    assert "board.key_file: " in answer.stderr
    assert "holds no private key" in answer.stderr


@pytest.mark.asyncio
async def test_it_serves_without_a_broker_and_ends_at_once_with_streams_open(tmp_path: Path) -> None:
    data = small()
    board = Program("shoe-controller", "board", str(write(tmp_path, data)), log=tmp_path / "board.log")
    await board.start()
    try:
        async with asyncio.timeout(20):
            while '"broker_down"' not in board.output:  # noqa: ASYNC110 - a line in a log
                await asyncio.sleep(0.02)
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{data['board']['port']}/news/pit") as stream,
        ):
            assert (await stream.content.readline()).startswith(b"retry")
            started = time.monotonic()
            assert await board.terminate() == 0
            assert time.monotonic() - started < 10.0
    finally:
        await board.kill()
    assert board.output.count('"broker_down"') == 1, "an outage is reported once"
    assert "Traceback" not in board.output


@pytest.mark.asyncio
async def test_the_documents_access_list_is_all_that_a_board_needs(tmp_path: Path) -> None:
    lists = re.findall(r"```acl\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    for file, text in (
        ("passwords", ""),
        ("access", f"user table\ntopic readwrite shoe/v1/#\n\n{lists[0].replace('/north/', f'/{SITE}/')}"),
    ):
        write_secret(tmp_path / file, text)
    for user in ("table", "board"):
        subprocess.run(["/usr/bin/mosquitto_passwd", "-b", tmp_path / "passwords", user, f"{user}'s"], check=True)  # noqa: ASYNC221 - before anything runs
        write_secret(tmp_path / f"{user}.password", f"{user}'s")
    settings = f"password_file {tmp_path}/passwords\nacl_file {tmp_path}/access\nallow_anonymous false"
    table_user = {"username": "table", "password_file": str(tmp_path / "table.password")}
    async with Chain(tmp_path, broker_settings=settings, mqtt=table_user, seed=3, speed="200") as chain:
        chain.data["board"] = {"port": free_port(), "username": "board", "password_file": "board.password"}
        chain.write_file()
        await chain.start_daemon()
        await chain.start_emulator()
        await chain.becomes(lambda: chain.times_logged("round_result") >= 2, what="a few rounds")
        board = Program("shoe-controller", "board", str(tmp_path / "table.toml"), log=tmp_path / "board.log")
        await board.start()
        try:
            address = f"http://127.0.0.1:{chain.data['board']['port']}/news/pit"
            async with aiohttp.ClientSession() as session, asyncio.timeout(20):
                while True:
                    try:
                        async with session.get(address) as stream:
                            await _has_a_pace(stream)
                            break
                    except aiohttp.ClientConnectorError:
                        await asyncio.sleep(0.05)  # it does not listen yet
        finally:
            assert await board.terminate() == 0
        assert "not_sent" not in board.output
        assert "unreadable" not in board.output
        met = (tmp_path / "broker" / "mosquitto.log").read_text(encoding="utf-8")
        assert re.search(r" as shoe-board-\S+-[0-9a-f]{16} ", met), "its client id can be guessed"


async def _has_a_pace(stream: aiohttp.ClientResponse) -> None:
    """It needs every retained message: the pace is calculated from `rounds`."""
    async for line in stream.content:
        if TABLE.encode() in line and re.search(rb'"pace":\d', line) and b'"live":true' in line:
            return
