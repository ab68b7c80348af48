"""Users and the access list: who gets in, what a denied message and a denied subscription are answered."""

import pytest

from tests.simulator.broker.compatibility.brokers import Setting
from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import V5, Properties, Will

pytestmark = pytest.mark.asyncio

USERS = {"table": "secret", "display": "pässwörd"}
ACCESS_FILE = """
# Lines before the first user are for those without a name.
topic read public/#

user table
topic write events/#
topic read commands/#
topic readwrite shared/#
topic deny shared/private

user display
topic read events/#

pattern readwrite own/%u/%c/#
"""
GUARDED = Setting(users=USERS, access_file=ACCESS_FILE)
REFUSING = Setting(users=USERS, readable={"table": ("commands/#", "state/+"), "display": ("#",)})
TABLE: Properties = {"user": "table", "password": "secret"}
DISPLAY: Properties = {"user": "display", "password": "pässwörd"}


@pytest.mark.parametrize("setting", [Setting(users=USERS)])
@pytest.mark.parametrize(
    ("user", "password"),
    [(None, None), ("table", None), ("table", ""), ("table", "Secret"), ("nobody", "secret"), ("", "secret")],
)
async def test_a_stranger_is_not_let_in(port: int, version: int, user: str | None, password: str | None) -> None:
    raw = await RawClient.open(port, version)
    connack = await raw.connect("x", user=user, password=password)
    assert connack.reason == (0x87 if version == V5 else 5)
    assert not connack.session_present
    assert await raw.hung_up() is None
    await raw.close()


@pytest.mark.parametrize("setting", [Setting(users=USERS)])
async def test_users_are_let_in_and_may_do_everything(port: int, version: int) -> None:
    async with (
        client(port, "table-1", version=version, **TABLE) as table,
        client(port, "display-1", version=version, **DISPLAY) as display,
    ):
        await display.subscribe("#")
        await table.publish("anything", b"x")
        assert (await display.message()).payload == b"x"


@pytest.mark.parametrize("setting", [GUARDED])
@pytest.mark.parametrize("qos", [0, 1])
async def test_a_denied_message_goes_nowhere(port: int, version: int, qos: int) -> None:
    async with (
        client(port, "table-1", version=version, **TABLE) as table,
        client(port, "display-1", version=version, **DISPLAY) as display,
    ):
        await display.subscribe("#")
        for topic, allowed in {
            "commands/stop": False,
            "events/card": True,
            "events": True,
            "elsewhere": False,
            "own/table/table-1/x": True,
            "own/table/table-2/x": False,
            "own/display/table-1/x": False,
        }.items():
            answer = await table.publish(topic, b"x", qos=qos)
            if version == V5 and qos:
                assert answer in ({0x00, 0x10} if allowed else {0x87}), topic
            else:
                assert answer == 0
        await table.publish("events/fence", qos=1)
        # The display may read the table's events, and of all else nothing.
        found = await display.messages_until("events/fence")
        assert [each.topic for each in found] == ["events/card", "events"]


@pytest.mark.parametrize("setting", [GUARDED])
async def test_a_denied_retained_message_is_not_kept(port: int, version: int) -> None:
    async with client(port, "table-1", version=version, **TABLE) as table:
        await table.publish("commands/stop", b"x", retain=True)
        await table.subscribe("commands/#")
        await table.nothing_waits()


@pytest.mark.parametrize("setting", [GUARDED])
async def test_with_an_access_file_a_forbidden_subscription_is_granted_and_stays_silent(
    port: int, version: int
) -> None:
    async with client(port, "table-1", version=version, **TABLE) as table:
        assert (await table.subscribe("elsewhere", "events/#", "shared/#")).reasons == (1, 1, 1)
        for topic in ("events/card", "shared/private", "shared/open"):
            await table.publish(topic, b"x")
        assert (await table.message()).topic == "shared/open"
        await table.nothing_waits()


@pytest.mark.parametrize("setting", [GUARDED])
async def test_a_forbidden_will_is_not_published(port: int, version: int) -> None:
    async with client(port, "table-1", version=version, **TABLE) as watcher:
        await watcher.subscribe("commands/#", "shared/#")
        for user, topic in ((DISPLAY, "shared/by display"), (TABLE, "commands/by table"), (TABLE, "shared/by table")):
            async with client(port, "gone", version=version, will=Will(topic=topic), **user) as gone:
                await gone.ping()
        assert (await watcher.message()).topic == "shared/by table"
        await watcher.nothing_waits()


@pytest.mark.parametrize("setting", [REFUSING])
async def test_a_list_that_refuses_says_so_for_each_filter(port: int, version: int) -> None:
    async with client(port, "table-1", version=version, **TABLE) as table:
        refused = 0x87 if version == V5 else 0x80
        answer = await table.subscribe("commands/#", "#", "commands/+/now", "state/shoe", "state/#", "state/+", "+/x")
        assert answer.reasons == (1, refused, 1, 1, refused, 1, refused)
    async with client(port, "display-1", version=version, **DISPLAY) as display:
        assert (await display.subscribe("#", "+/x", "a")).reasons == (1, 1, 1)
