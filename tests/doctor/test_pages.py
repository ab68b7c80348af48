"""The doctor on the files of a board, a console and a witness, at a real broker with users and rights."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.config.passwords import hash_password
from shoe_controller.doctor.checks import OF_PAGES, checks_for, examine
from shoe_controller.doctor.findings import Finding, Patient, Verdict
from shoe_controller.doctor.users import service_user
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import BrokerAddress
from shoe_controller.mqtt.client import NetworkBroker
from tests.commands.running import run
from tests.daemon.house_file import SITE, TABLE, write_secret
from tests.doctor.guarded_broker import guarded_settings, password_of
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.table_files import Data, write

PIT_PAGES = "pages at 127.0.0.1 port 8090, broker at 127.0.0.1 port 1 as pit"

KINDS = ("board", "console", "witness")


def file_of(kind: str, port: int, folder: Path, *, site: str = SITE, table: str = TABLE) -> Data:
    password = write_secret(folder / f"{kind}.password", password_of(kind))
    section: Data = {"username": kind, "password_file": password.name}
    data: Data = {"mqtt": {"host": "127.0.0.1", "port": port}, kind: section}
    if kind == "console":
        return data | {"table": {"site": site, "name": table}}
    section["site"] = site
    if kind == "pit":
        write_secret(folder / "site_people.toml", "# Nobody yet.")
    return data


async def findings_in(folder: Path, data: Data) -> dict[str, Finding]:
    file = write(folder, data)
    file.chmod(0o600)
    patient = Patient(file=file, user=service_user())
    found = {check.name: findings async for check, findings in examine(patient, checks_for(file))}
    assert all(len(findings) == 1 for findings in found.values()), found
    return {name: findings[0] for name, findings in found.items()}


@asynccontextmanager
async def broker(folder: Path) -> AsyncIterator[Mosquitto]:
    """One at which a table has published its listing and its status."""
    (folder / "broker").mkdir()
    running = Mosquitto(folder / "broker", guarded_settings(folder))
    await running.start()
    name, topics = "the-table", Topics(SITE, TABLE)
    address = BrokerAddress(
        host="127.0.0.1", port=running.port, client_id="t", username=name, password=password_of(name)
    )
    try:
        async with NetworkBroker(address).connect(None, ()) as session:
            for topic in (topics.listing, topics.status):
                await session.publish(topic, b"{}", retain=True)
        yield running
    finally:
        await running.kill()


@pytest.mark.asyncio
async def test_good_files_of_pages_and_witness_and_a_wrong_site_or_table(tmp_path: Path) -> None:
    async with broker(tmp_path) as running:
        for kind in KINDS:
            found = await findings_in(tmp_path, file_of(kind, running.port, tmp_path))
            assert list(found) == [check.name for check in OF_PAGES]
            assert {each.verdict for each in found.values()} == {Verdict.GOOD}, found
        wrong = await findings_in(tmp_path, file_of("board", running.port, tmp_path, site="nroth"))
        assert wrong["tables"].verdict is Verdict.PROBLEM
        assert wrong["tables"].what == (
            f"nothing has been received from any table of site nroth; this broker shows this user {SITE}/{TABLE}"
        )
        wrong = await findings_in(tmp_path, file_of("console", running.port, tmp_path, table="table-9"))
        assert wrong["tables"].what == (
            f"nothing has been received from {SITE}/table-9; this broker shows this user {SITE}/{TABLE}"
        )
        data = file_of("board", running.port, tmp_path)
        data["board"]["tables"] = [TABLE, "table-9"]
        assert (await findings_in(tmp_path, data))["tables"].verdict is Verdict.PROBLEM
        write_secret(tmp_path / "board.password", "another")
        wrong = await findings_in(tmp_path, data)
        assert wrong["broker"].verdict is Verdict.PROBLEM
        assert f"write the same password into {tmp_path}/board.password" in wrong["broker"].to_do
        assert wrong["tables"].verdict is Verdict.NOT_LOOKED


@pytest.mark.asyncio
async def test_a_file_of_pages_with_mistakes(tmp_path: Path) -> None:
    data = file_of("board", 1, tmp_path)
    data["board"]["look"] = "white"
    found = await findings_in(tmp_path, data)
    assert "board.look: expected one of 'dark', 'light'" in found["configuration"].what
    assert {found[name].verdict for name in ("secrets", "broker", "broker-tls", "tables")} == {Verdict.NOT_LOOKED}


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("board", f"site {SITE}, all tables, pages at 127.0.0.1 port 8080, broker at 127.0.0.1 port 1 as board"),
        ("console", f"table {SITE}/{TABLE}, pages at 127.0.0.1 port 8081, broker at 127.0.0.1 port 1 as console"),
        (
            "pit",
            f"site {SITE}, all tables, file /var/lib/shoe-pit/{SITE}.alarms, 0 people of the site, {PIT_PAGES}",
        ),
        ("witness", f"site {SITE}, file /var/lib/shoe-witness/{SITE}.witness, broker at 127.0.0.1 port 1 as witness"),
    ],
)
def test_config_check_takes_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, says: str) -> None:
    data: Any = file_of(kind, 1, tmp_path)
    file = str(write(tmp_path, data))
    answer = run(capsys, "config", "check", file)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == f"{file} is valid for `shoe-controller {kind}`: {says}\n"
    assert run(capsys, "config", "check", file, "--json").json["for"] == kind
    (tmp_path / f"{kind}.password").unlink()
    wrong = run(capsys, "config", "check", file)
    assert wrong.exit_code == 2
    assert f"{kind}.password_file: " in wrong.err
    del data["mqtt"]
    assert "mqtt: is missing" in run(capsys, "config", "check", str(write(tmp_path, data))).err
    assert (
        "no check 'shoes'; the checks are configuration, secrets, broker"
        in run(capsys, "doctor", file, "--skip", "shoes").err
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("roles", "mode", "check", "verdict", "what"),
    [
        ('["pit"]', 0o640, "people", Verdict.GOOD, "1 may sign in at the pit's page: rana"),
        ('["auditor"]', 0o640, "people", Verdict.PROBLEM, "names nobody with the role pit: nobody may sign in"),
        ('["pit"]', 0o644, "configuration", Verdict.PROBLEM, "is open to others"),
        ('["pit"]', None, "configuration", Verdict.PROBLEM, "cannot be read: No such file or directory"),
    ],
)
async def test_whether_somebody_may_sign_in_at_the_pits_page(  # noqa: PLR0917 - a row of the table
    tmp_path: Path, roles: str, mode: int | None, check: str, verdict: Verdict, what: str
) -> None:
    hashed = hash_password("harbour lantern 58", bytes(16), log_cost=12)
    people = tmp_path / "site_people.toml"
    if mode is not None:
        entry = f'[[people]]\nid = "rana"\nname = "B. Rana"\nroles = {roles}\npassword = "{hashed}"\n'
        people.write_text(entry, encoding="utf-8")
        people.chmod(mode)
    pit = {"site": SITE, "people_file": people.name, "file": str(tmp_path / "pit.alarms")}
    found = await findings_in(tmp_path, {"mqtt": {"host": "127.0.0.1", "port": 1}, "pit": pit})
    assert found[check].verdict is verdict
    assert what in found[check].what
    if verdict is Verdict.PROBLEM and check == "people":
        assert "config person add" in found[check].to_do
