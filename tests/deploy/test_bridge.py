"""The bridge example between two real brokers: events go to the pit, requests come from there with their properties."""

import re
from pathlib import Path

import pytest

from tests.deploy.test_units import DEPLOY
from tests.mqtt.brokers import becomes, connected, next_message
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

pytestmark = pytest.mark.asyncio

PREFIX = "shoe/v1/north/t1"


def bridge_to(port: int) -> str:
    """The example as it is, but for what depends on the house: address, authority and password."""
    text = (DEPLOY / "mosquitto" / "bridge.conf.example").read_text(encoding="utf-8")
    text = re.sub(r"^address .*$", f"address 127.0.0.1:{port}", text, flags=re.MULTILINE)
    return re.sub(
        r"^(bridge_cafile|bridge_insecure|remote_username|remote_password) .*\n", "", text, flags=re.MULTILINE
    )


async def test_the_pit_hears_the_table_and_can_ask_it(tmp_path: Path) -> None:
    for name in ("pit", "table"):
        (tmp_path / name).mkdir()
    pit = Mosquitto(tmp_path / "pit", "allow_anonymous true")
    await pit.start()
    table = Mosquitto(tmp_path / "table", f"allow_anonymous true\n{bridge_to(pit.port)}")
    try:
        await table.start()
        await becomes(lambda: "bridge-north-t1" in (tmp_path / "pit" / "mosquitto.log").read_text(encoding="utf-8"))
        asked = f"{PREFIX}/request/#"
        async with (
            connected(table.port, asked, client_id="controller") as controller,
            connected(pit.port, f"{PREFIX}/#", "shoe/v1/north/tables/+", client_id="board") as board,
        ):
            await controller.publish("shoe/v1/north/tables/t1", b"{}", retain=True)
            assert (await next_message(board)).topic == "shoe/v1/north/tables/t1"
            await controller.publish(f"{PREFIX}/state", b"{}", retain=True)
            assert (await next_message(board)).topic == f"{PREFIX}/state"
            await controller.publish(f"{PREFIX}/event/outcome", b"{}")
            assert (await next_message(board)).topic == f"{PREFIX}/event/outcome"
            reply = f"{PREFIX}/reply/pit/1"
            asks = f"{PREFIX}/request/display/pit/replay"
            await board.publish_soon(asks, b"{}", response_topic=reply, correlation=b"7")
            request = await next_message(controller)
            assert (request.response_topic, request.correlation) == (reply, b"7")
            assert (await next_message(board)).topic == asks
            await controller.publish(reply, b"{}", correlation=b"7")
            answer = await next_message(board)
            assert (answer.topic, answer.correlation) == (reply, b"7")
            # Without the pit the table goes on, and what it says meanwhile gets there later.
            await pit.kill()
            await controller.publish(f"{PREFIX}/event/card", b"{}")
        await pit.start()
        async with connected(pit.port, f"{PREFIX}/event/#", client_id="late") as late:
            assert (await next_message(late)).topic == f"{PREFIX}/event/card"
    finally:
        await table.kill()
        await pit.kill()
