"""From an empty folder to a running table: init, Mosquitto with what it wrote, the daemon, a dealt shoe, the doctor."""

import json
import os
import tarfile
from pathlib import Path

import pytest

from tests.daemon.programs import Program
from tests.deploy.new_house import PINS, command, init, its_broker, let_emulator_deal
from tests.mqtt.brokers import becomes

SKIPPED = ("clock", "disk-space", "disk-speed", "disk-kind", "open-ports")
"""What depends on the machine of the test."""


@pytest.mark.asyncio
async def test_a_new_house_is_healthy_and_tells_no_secrets(tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert init(house).exit_code == 0
    let_emulator_deal(house)
    table = str(house / "table.toml")
    not_running = command("status", table)
    assert not_running.exit_code == 2
    async with its_broker(house):
        daemon = Program("shoe-controller", "run", table, log=tmp_path / "daemon.log")
        emulator = Program(
            *("shoe-emulator", "run", "--headless", "--port", f"pty:{house / 'shoe'}"),
            *("--key", str(house / "shoe.key"), "--speed", "20", "--seed", "3"),
            log=tmp_path / "emulator.log",
        )
        try:
            await emulator.start()
            await daemon.start()
            await becomes(lambda: daemon.output.count("round_result") >= 2, within=60)
            (house / "t1.journal.keys" / "first.public").rename(tmp_path / "elsewhere.public")
            _the_doctor_is_content(table)
            _the_screen_shows_the_table(table)
            _the_bundle_has_no_secrets(house, tmp_path / "bundle.tar.gz")
            assert daemon.is_running
        finally:
            await daemon.terminate()
            await emulator.kill()
        assert command("status", table).exit_code == 1
        assert "NOT RUNNING" in command("status", table).out


def _the_doctor_is_content(table: str) -> None:
    answer = command("doctor", table, "--json", *(word for name in SKIPPED for word in ("--skip", name)))
    verdicts = {each["check"]: each for each in answer.json["findings"]}
    assert answer.json["good"], verdicts
    assert verdicts["broker-roles"]["verdict"] == "good"
    assert "on 20" in verdicts["broker-tls"]["what"]
    assert verdicts["shoe-key"]["verdict"] == "good"


def _the_screen_shows_the_table(table: str) -> None:
    answer = command("status", table)
    assert answer.exit_code == 0, answer.err
    assert answer.out.startswith("t1: running on ")
    assert "connected, with its key" in answer.out
    assert "shoe 1, round " in answer.out
    assert len(answer.out.splitlines()) < 24
    told = command("status", table, "--json").json
    assert told["status"]["online"] is True
    assert told["state"]["shoe"] == 1


def _the_bundle_has_no_secrets(house: Path, bundle: Path) -> None:
    table = house / "table.toml"
    answer = command("support-bundle", str(table), "--output", str(bundle))
    assert answer.exit_code == 0, answer.err
    assert bundle.stat().st_mode & 0o077 == 0
    with tarfile.open(bundle) as archive:
        files = {Path(each.name).name: archive.extractfile(each) for each in archive.getmembers()}
        contents = {name: file.read() for name, file in files.items() if file is not None}
    assert {"doctor.json", "table.toml", "versions.txt", "log.txt"} <= contents.keys()
    assert json.loads(contents["doctor.json"])
    assert b"north" in contents["table.toml"]
    secrets = {
        *(file.read_text(encoding="utf-8").strip() for file in house.rglob("*.password")),
        *(file.read_text(encoding="utf-8").strip() for file in house.rglob("*.key")),
        *PINS.values(),
    }
    text = table.read_text(encoding="utf-8")
    secrets |= {line.split('"')[1] for line in text.splitlines() if line.startswith("pin = ")}
    assert len(secrets) >= 6 + 3 + 3 + 3
    for secret in secrets:
        for name, content in contents.items():
            assert secret.encode() not in content, name
            assert secret.upper().encode() not in content.upper() or len(secret) < 8, name
    again = command("support-bundle", str(table), "--output", str(bundle))
    assert again.exit_code == 2
    assert "was left alone" in again.err


def test_a_broken_file_with_a_secret_in_it_is_not_sent_along(tmp_path: Path) -> None:
    """Whoever pasted a PIN or a key into the wrong place must not send it to a stranger."""
    key = os.urandom(32).hex()
    table = tmp_path / "table.toml"
    table.write_text(
        f'[shoe]\nkey_file = "{key}"\n[[people]]\nid = "x"\npin = 480612\n"pin" = \'77 35 01\'\nbroken', "utf-8"
    )
    bundle = tmp_path / "bundle.tar.gz"
    assert command("support-bundle", str(table), "--output", str(bundle)).exit_code == 0
    with tarfile.open(bundle) as archive:
        contents = b"".join(file.read() for each in archive if (file := archive.extractfile(each)) is not None)
    assert b'id = "x"' in contents
    for secret in (key, "480612", "77 35 01"):
        assert secret.encode() not in contents


def test_nonsense_for_status_and_bundle(tmp_path: Path) -> None:
    nothing_yet = command("status", str(tmp_path / "table.toml"))
    assert nothing_yet.exit_code == 2
    assert "correct its path, or make it with `shoe-controller init`" in nothing_yet.err
    words = ("--site", "n", "--table", "t", "--port", "/dev/x", "--no-broker", "--insecure")
    assert command("init", str(tmp_path / "house"), *words).exit_code == 0
    answer = command("status", str(tmp_path / "house" / "table.toml"))
    assert answer.exit_code == 2
    assert "without a broker" in answer.err
    unwritable = command("support-bundle", str(tmp_path / "none.toml"), "--output", str(tmp_path / "no" / "x.tar.gz"))
    assert unwritable.exit_code == 2
    assert "cannot be written" in unwritable.err
