"""The access list, tried on a real Mosquitto: what each role may say, written down here a second time by hand."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_controller.messages.requests import RequestRole
from shoe_controller.messages.topics import TopicKind, contract
from shoe_controller.mqtt.broker import BrokerSession, PublishRefusedError
from shoe_controller.setup.access_list import ANY_CLIENT, BrokerRole, access_list, may_read, may_write
from shoe_controller.setup.new_table import users_of
from shoe_controller.setup.passwords import SALT_BYTES, password_line
from tests.deploy.renew import ONE_TABLE
from tests.mqtt.brokers import PATIENCE, connected, next_message
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

pytestmark = pytest.mark.asyncio

PREFIX = "shoe/v1/north/t1"

MAY_SAY = {
    "table-t1": ("status", "head", "info", "state", "roads", "rounds", "tables/t1", "event/", "reply/", "controller/"),
    "board": ("request/display/board/",),
    "seats-t1": ("request/wagers/seats-t1/", "request/display/seats-t1/"),
    "seat-1-t1": ("request/wagers/seat-1-t1/", "request/display/seat-1-t1/"),
    "dealer-t1": ("request/dealer/dealer-t1/", "request/display/dealer-t1/"),
    "supervisor-t1": ("request/supervisor/supervisor-t1/", "request/display/supervisor-t1/"),
    "console-t1": tuple(f"request/{role}/console-t1/" for role in ("wagers", "dealer", "supervisor", "display")),
    "witness": ("request/witness/witness/", "witness/witness/"),
    "pit": ("request/display/pit/", "pit/edges", "pit/alarms", "pit/pit/"),
    "archive": ("request/display/archive/", "archive/archive/"),
}


def topics_of(table: str, user: str) -> Iterator[tuple[str, str]]:
    """Every topic of a table, for a request of this user, and without what all topics of the table begin with."""
    for row in contract():
        topic = row.address("north", table, user).replace(ANY_CLIENT, "x/y")
        yield topic, topic.removeprefix(f"shoe/v1/north/{table}/").removeprefix("shoe/v1/north/")


@pytest.fixture
def settings(tmp_path: Path) -> str:
    users = users_of(ONE_TABLE)
    assert {user.name for user in users} == MAY_SAY.keys()
    lines = [password_line(user.name, user.name, bytes(SALT_BYTES)) for user in users]
    (tmp_path / "passwords").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "access").write_text(access_list(ONE_TABLE.site, users), encoding="utf-8")
    return f"allow_anonymous false\npassword_file {tmp_path}/passwords\nacl_file {tmp_path}/access"


async def is_taken(session: BrokerSession, topic: str) -> bool:
    try:
        await session.publish(topic, b"")
    except PublishRefusedError:
        return False
    return True


async def test_every_role_may_say_what_it_should_and_nothing_else(tmp_path: Path, settings: str) -> None:
    broker = Mosquitto(tmp_path, settings)
    await broker.start()
    try:
        for user, beginnings in MAY_SAY.items():
            async with connected(broker.port, client_id=user, username=user, password=user) as session:
                for sender in MAY_SAY:
                    for topic, below in topics_of("t1", sender):
                        assert await is_taken(session, topic) == below.startswith(beginnings), f"{user}: {topic}"
                # Nobody speaks for another table but a board, which asks them all, and those that watch all of them.
                others = [await is_taken(session, topic) for topic, _ in topics_of("t2", user)]
                assert sum(others) == {"board": 1, "witness": 2, "pit": 4, "archive": 2}.get(user, 0)
                assert not await is_taken(session, "shoe/v1/south/t1/status")
                assert not await is_taken(session, "anything/else")
    finally:
        await broker.kill()


async def test_a_role_that_may_ask_for_a_replay_reads_every_event_by_itself() -> None:
    """A replay sends all of them: it must not give away what the access list withholds."""
    (replay,) = (row for row in contract() if row.role is RequestRole.DISPLAY)
    events = [row for row in contract() if row.kind is TopicKind.EVENT]
    asking = [role for role in BrokerRole if may_write(role, replay)]
    assert BrokerRole.WAGERS in asking
    for role in asking:
        assert all(may_read(role, row) for row in events), role


async def test_requests_are_read_by_the_table_alone_and_answers_by_whom_they_are_for(
    tmp_path: Path, settings: str
) -> None:
    broker = Mosquitto(tmp_path, settings)
    await broker.start()

    def listen(user: str, *topics: str) -> "asyncio.Task[list[str]]":
        async def hear() -> list[str]:
            async with connected(broker.port, *topics, client_id=f"{user}-ears", username=user, password=user) as ears:
                ready.release()
                heard: list[str] = []
                while not heard or not heard[-1].endswith("/last"):
                    heard.append((await next_message(ears)).topic)
                return heard

        return asyncio.create_task(hear())

    ready = asyncio.Semaphore(0)
    try:
        everything = (f"{PREFIX}/#", "shoe/v1/north/tables/+", "shoe/v1/north/pit/#")
        for_the_pit = [f"{PREFIX}/pit/edges", f"{PREFIX}/pit/alarms", "shoe/v1/north/pit/pit/presence"]
        ears = {user: listen(user, *everything) for user in MAY_SAY if user != "table-t1"}
        table = listen("table-t1", f"{PREFIX}/request/#")
        async with asyncio.timeout(PATIENCE):
            for _ in range(len(ears) + 1):
                await ready.acquire()
        async with connected(broker.port, client_id="c", username="console-t1", password="console-t1") as console:  # noqa: S106 - of this test
            await console.publish(f"{PREFIX}/request/supervisor/console-t1/sign_in", b"a PIN")
            await console.publish(f"{PREFIX}/request/dealer/console-t1/confirm", b"")
        async with connected(broker.port, client_id="t", username="table-t1", password="table-t1") as speaker:  # noqa: S106 - of this test
            await speaker.publish(f"{PREFIX}/event/outcome", b"{}")
            await speaker.publish("shoe/v1/north/tables/t1", b"{}")
            await speaker.publish(f"{PREFIX}/state", b"{}")
            await speaker.publish(f"{PREFIX}/event/checkpoint", b"{}")
            await speaker.publish(f"{PREFIX}/status", b"{}")
            await speaker.publish(f"{PREFIX}/controller/question", b"{}")
            await speaker.publish(f"{PREFIX}/controller/answer", b"{}")
            async with connected(broker.port, client_id="p", username="pit", password="pit") as pit:  # noqa: S106 - of this test
                for topic in for_the_pit:
                    await pit.publish(topic, b"{}")
            for user in ears:
                await speaker.publish(f"{PREFIX}/reply/{user}/last", b"{}")
        for_all = [f"{PREFIX}/event/outcome", "shoe/v1/north/tables/t1", f"{PREFIX}/state"]
        for_a_witness = [f"{PREFIX}/event/checkpoint", f"{PREFIX}/status"]
        for user, heard in ears.items():
            read = [*([] if user == "witness" else for_all), *for_a_witness]
            read += for_the_pit if user in ("pit", "archive") else []
            assert await heard == [*read, f"{PREFIX}/reply/{user}/last"]
        table.cancel()
        await asyncio.gather(table, return_exceptions=True)
    finally:
        await broker.kill()
