"""Coming to a broker: settings without sense, users it does not want, subscriptions it refuses, strange answers."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoe_controller.mqtt.broker import (
    BrokerError,
    BrokerSettingsError,
    BrokerUnreachableError,
    NotWelcomeError,
    SubscriptionRefusedError,
    TlsFiles,
    Will,
)
from shoe_controller.mqtt.client import NetworkBroker
from tests.mqtt.brokers import WILL, address, connected
from tests.mqtt.scripted import SUBSCRIBED, WELCOME, saying
from tests.simulator.broker.compatibility.brokers import Setting

pytestmark = pytest.mark.asyncio

USERS = {"table": "secret"}
PASSWORDS = Setting(users=USERS)
REFUSING = Setting(users=USERS, readable={"table": ("request/#",)})
TABLE = {"username": "table", "password": "secret"}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"host": ""}, "host is empty"),
        ({"port": 0}, "0 is not a port"),
        ({"port": 65536}, "65536 is not a port"),
        ({"client_id": ""}, "client id is empty"),
        ({"client_id": "x" * 65536}, "client id .* too long"),
        ({"client_id": "a\0b"}, "client id .* characters"),
        ({"username": "\ud800"}, "user name .* characters"),
        ({"password": "x"}, "no user name"),
        ({"keep_alive": 0}, "keep-alive of 0"),
        ({"keep_alive": 65536}, "keep-alive of 65536"),
        ({"connect_timeout": 0}, "within 0 seconds"),
        ({"connect_timeout": float("inf")}, "within inf seconds"),
        ({"connect_timeout": float("nan")}, "within nan seconds"),
    ],
)
async def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BrokerSettingsError, match=sentence):
        address(**({"port": 1883} | wrong))


async def test_a_key_without_its_certificate_is_refused(tmp_path: Any) -> None:  # noqa: ANN401 - pytest's
    with pytest.raises(BrokerSettingsError, match="without its certificate"):
        TlsFiles(key_file=tmp_path / "key")


async def test_a_password_is_not_shown() -> None:
    assert "secret" not in f"{address(1883, **TABLE)!r} {address(1883, **TABLE)}"


@pytest.mark.parametrize("topic", ["", "a/+", "a\0"])
async def test_a_will_for_no_topic_is_refused(topic: str) -> None:
    with pytest.raises(BrokerSettingsError, match="not a valid will topic"):
        async with NetworkBroker(address(1)).connect(Will(topic, b""), []):
            pass


async def test_what_is_no_filter_is_refused(port: int) -> None:
    with pytest.raises(BrokerSettingsError, match="not a topic filter: good/#, bad#"):
        async with connected(port, "good/#", "bad#"):
            pass


async def test_a_host_that_cannot_be_one_is_an_error_that_says_so() -> None:
    with pytest.raises(BrokerUnreachableError, match=r"host a\.\.b is not known"):
        async with connected(1883, host="a..b"):
            pass


@pytest.mark.parametrize("setting", [PASSWORDS])
@pytest.mark.parametrize(
    "given_", [{}, {"username": "table"}, TABLE | {"password": "Secret"}, TABLE | {"username": "x"}]
)
async def test_a_wrong_password_is_an_error_that_says_what_to_check(port: int, given_: dict[str, str]) -> None:
    with pytest.raises(
        NotWelcomeError, match=r"does not let in .*client id table-7.*Check user name and pass"
    ) as error:
        async with connected(port, **given_):
            pass
    assert "ecret" not in str(error.value)
    async with connected(port, **TABLE) as session:
        await session.publish("x", b"")


@pytest.mark.parametrize("setting", [REFUSING])
async def test_a_refused_subscription_is_named(port: int) -> None:
    async with connected(port, "request/a/+", "request/b", **TABLE):
        pass
    with pytest.raises(SubscriptionRefusedError, match=r"secrets/#: Not authorized.*access list") as refused:
        async with connected(port, "request/#", "secrets/#", **TABLE):
            pass
    assert refused.value.topic_filter == "secrets/#"


PASSING = {0x80, 0x83, 0x88, 0x89, 0x97, 0x9F}


@pytest.mark.parametrize(
    "code",
    [*range(0x80, 0x8B), 0x8C, 0x90, 0x95, 0x97, 0x9A, 0x9B, 0x9C, 0x9D, 0x9F],
    ids=hex,
)
async def test_every_refusal_of_mqtt_5_is_an_error_of_its_kind(code: int) -> None:
    async with saying(bytes([0x20, 3, 0, code, 0]), hang_up=True) as port:
        kind = BrokerUnreachableError if code in PASSING else NotWelcomeError
        with pytest.raises(kind, match=r"[A-Z].*\.$"):
            async with connected(port):
                pass


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"", "hung up.*check its port, and whether it wants TLS"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "hung up.*check its port"),
        (b"SSH-2.0-OpenSSH\r\n" + bytes(100), "not MQTT 5"),
        (bytes.fromhex("20 03 00 00"), "hung up"),
        (bytes.fromhex("e0 00"), "ended it"),
    ],
)
async def test_what_is_no_welcome_is_an_error(answer: bytes, sentence: str) -> None:
    async with saying(answer, hang_up=True) as port:
        with pytest.raises(BrokerUnreachableError, match=sentence):
            async with connected(port):
                pass


async def test_a_broker_that_speaks_only_an_older_mqtt_is_an_error_that_says_so() -> None:
    async with saying(bytes.fromhex("20 02 00 01"), hang_up=True) as port:
        with pytest.raises(NotWelcomeError, match="needs MQTT 5"):
            async with connected(port):
                pass


@pytest.mark.parametrize("lacking", ["24 00", "25 00"])
async def test_a_broker_that_cannot_do_what_we_need_is_not_used(lacking: str) -> None:
    async with saying(bytes.fromhex(f"20 05 00 00 02 {lacking}")) as port:
        with pytest.raises(NotWelcomeError, match="QoS 1, or does not retain messages"):
            async with connected(port):
                pass


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(max_size=60), before=st.sampled_from([b"", WELCOME, WELCOME + SUBSCRIBED]))
async def test_noise_is_nothing_worse_than_an_error(noise: bytes, before: bytes) -> None:
    async with saying(before + noise, hang_up=True) as port:
        with pytest.raises(BrokerError, match=r"\.$"):
            async with NetworkBroker(address(port)).connect(WILL, ["x"]) as session:
                raise await session.lost()
