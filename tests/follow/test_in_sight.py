"""What can be seen at a broker in place of a table that is waited for: what the rights allow, and no other house."""

import asyncio
from pathlib import Path

import pytest

from shoe_controller.follow.in_sight import look_around, tables_in_sight
from shoe_controller.mqtt.broker import BrokerAddress
from shoe_controller.mqtt.client import NetworkBroker
from tests.daemon.house_file import SITE, TABLE
from tests.doctor.guarded_broker import ACCESS, guarded_settings, password_of
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

pytestmark = pytest.mark.asyncio

OF_ANOTHER_HOUSE = "user the-table\ntopic write shoe/v1/another-house/tables/+\n"


def as_user(port: int, name: str) -> NetworkBroker:
    address = BrokerAddress(
        host="127.0.0.1", port=port, client_id=f"{name}-in-sight", username=name, password=password_of(name)
    )
    return NetworkBroker(address)


async def test_a_display_sees_its_own_house_and_a_console_its_own_table(tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    access = ACCESS.replace("user the-table\n", OF_ANOTHER_HOUSE)
    running = Mosquitto(tmp_path / "broker", guarded_settings(tmp_path, access))
    await running.start()
    try:
        assert await tables_in_sight(as_user(running.port, "board")) == ()
        for user, topic in (
            ("the-table", f"shoe/v1/{SITE}/tables/{TABLE}"),
            ("other-table", f"shoe/v1/{SITE}/tables/table-2"),
            ("the-table", "shoe/v1/another-house/tables/table-9"),
        ):
            async with as_user(running.port, user).connect(None, ()) as session:
                await session.publish(topic, b"{}", retain=True)
        assert await tables_in_sight(as_user(running.port, "board")) == (f"{SITE}/{TABLE}", f"{SITE}/table-2")
        assert await tables_in_sight(as_user(running.port, "console")) == (f"{SITE}/{TABLE}",)
        assert await tables_in_sight(as_user(running.port, "seats")) == (f"{SITE}/{TABLE}", f"{SITE}/table-2")
    finally:
        await running.kill()


async def test_it_looks_only_while_something_is_waited_for_and_survives_a_broker_that_is_away() -> None:
    turns = 0
    seen: list[tuple[str, ...]] = []

    async def sleep(_seconds: float) -> None:
        nonlocal turns
        turns += 1
        if turns > 3:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await look_around(as_user(1, "board"), lambda: turns == 2, seen.append, sleep)
    assert seen == [()]
