"""A broker as a house sets it up: TLS, certificates, a user and a password, and an access list."""

import base64
import hashlib
import signal
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.messages.facts import CardDealt, RoundResult
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE, write_secret
from tests.mqtt.certificates import Certificates
from tests.reckoning import last_number, sound_journal

PASSWORD = "correct horse battery staple"  # noqa: S105 - of this test's own broker
PREFIX = f"shoe/v1/{SITE}/{TABLE}"

ACCESS = f"""
user table-1
topic write {PREFIX}/status
topic write {PREFIX}/info
topic write {PREFIX}/state
topic write {PREFIX}/roads
topic write {PREFIX}/rounds
topic write {PREFIX}/head
topic write shoe/v1/{SITE}/tables/{TABLE}
topic write {PREFIX}/event/#
topic write {PREFIX}/reply/#
topic read {PREFIX}/request/#

user board
topic read {PREFIX}/status
topic read {PREFIX}/info
topic read {PREFIX}/state
topic read {PREFIX}/roads
topic read {PREFIX}/rounds
topic read shoe/v1/{SITE}/tables/+
topic read {PREFIX}/event/#
topic read {PREFIX}/reply/#
topic write {PREFIX}/request/display/#
topic write {PREFIX}/request/wagers/#
"""


def password_entry(password: str) -> str:
    """A line of Mosquitto's password file, with less effort than it would take itself."""
    salt, rounds = b"twelve bytes", 101
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, rounds)
    return f"$7${rounds}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def guarded(folder: Path, access: str, *more: str) -> str:
    """The settings of a broker that lets in the table and the board, and nobody else."""
    (folder / "passwords").write_text(
        f"table-1:{password_entry(PASSWORD)}\nboard:{password_entry('board')}\n", encoding="utf-8"
    )
    (folder / "access").write_text(access, encoding="utf-8")
    lines = ("allow_anonymous false", f"password_file {folder}/passwords", f"acl_file {folder}/access", *more)
    return "\n".join(lines)


def as_table(folder: Path) -> dict[str, str]:
    return {"username": "table-1", "password_file": str(write_secret(folder / "mqtt.password", f"{PASSWORD}\n"))}


@pytest.mark.asyncio
async def test_tls_with_certificates_password_and_access_list(tmp_path: Path) -> None:
    (tmp_path / "pki").mkdir()
    pki = Certificates(tmp_path / "pki")
    tls = (
        f"cafile {pki.ca}",
        f"certfile {pki.broker}",
        f"keyfile {pki.folder}/broker.key",
        "require_certificate true",
    )
    key = write_secret(tmp_path / "table.key", (pki.folder / "table.key").read_text())
    mqtt = as_table(tmp_path) | {"ca_file": str(pki.ca), "cert_file": str(pki.table), "key_file": str(key)}
    async with Chain(tmp_path, speed="40", mqtt=mqtt, broker_settings=guarded(tmp_path, ACCESS, *tls)) as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        board: dict[str, Any] = {"username": "board", "password": "board", "tls": pki.files("table")}
        display = await chain.display(**board)
        terminal = await chain.terminal(display, **board)
        await display.until(lambda: display.facts_of(RoundResult), what="a round")
        assert (await terminal.bet("1", {"base.player": 500}, round=10_000)).code == "other_round"
        await display.has_everything()
        assert PASSWORD not in chain.daemon.output


@pytest.mark.asyncio
async def test_events_refused_by_the_access_list(tmp_path: Path) -> None:
    """The status says so, and a log line; when the list is mended, everything that is missing arrives."""
    closed = ACCESS.replace(f"topic write {PREFIX}/event/#\n", "")
    settings = guarded(tmp_path, closed)
    async with Chain(tmp_path, speed="40", mqtt=as_table(tmp_path), broker_settings=settings) as chain:
        await chain.start_daemon()
        display = await chain.display(username="board", password="board", asks_for_more=False)  # noqa: S106 - as above
        await chain.start_emulator()
        await display.until(lambda: display.status is not None and display.status.publishing, what="the refusal")
        assert display.status is not None
        answer, _, topic = display.status.publishing.partition(": ")
        assert answer == "not authorized", "the broker's own words, and none of ours"
        assert topic.startswith(f"{PREFIX}/event/")
        assert display.status.online
        await chain.becomes(lambda: chain.times_logged("card_dealt") > 5, what="the table to go on dealing")
        line = next(line for line in chain.log_lines if line["event"] == "publish_refused")
        assert "access list" in line["what"]
        assert chain.times_logged("publish_refused") == 1, "once for an outage, however long it lasts"
        assert display.events == {}
        (tmp_path / "access").write_text(ACCESS, encoding="utf-8")
        chain.signal_broker(signal.SIGHUP)
        await display.until(lambda: display.facts_of(CardDealt), what="the events")
        await display.until(lambda: display.status is not None and not display.status.publishing, what="the all-clear")
        await chain.kill_emulator()
        await chain.becomes(lambda: chain.times_logged("link_down"))
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        sound_journal(chain.journal, display.events)
