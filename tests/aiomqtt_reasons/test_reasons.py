"""Each reason against aiomqtt holds with the release that is pinned, and none of them with our own client."""

import gc
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from tests.aiomqtt_reasons.clients import with_aiomqtt, with_ours
from tests.aiomqtt_reasons.reasons import REASONS, Connect, Finding, public_values, try_out

each_reason = pytest.mark.parametrize(("reason", "experiment"), REASONS.items(), ids=REASONS)


@each_reason
@pytest.mark.asyncio
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # paho leaves a socket open when a handshake fails
async def test_it_holds_with_aiomqtt(reason: str, experiment: Callable[[Connect], Awaitable[Finding]]) -> None:
    finding = await try_out(experiment, with_aiomqtt)
    gc.collect()  # what is left open is found here, where it may be
    assert finding.holds, (
        f"With aiomqtt {version('aiomqtt')} it is no longer so that {reason}: {finding.evidence}. "
        "The choice of the MQTT client in docs/dependencies.md may be looked at again."
    )


@each_reason
@pytest.mark.asyncio
async def test_it_does_not_hold_with_our_client(
    reason: str, experiment: Callable[[Connect], Awaitable[Finding]]
) -> None:
    finding = await try_out(experiment, with_ours)
    assert not finding.holds, f"With our own client {reason}: {finding.evidence}"


def test_a_public_attribute_would_be_found() -> None:
    answer = SimpleNamespace(properties={"maximum_packet_size": 1234})
    assert ("client.connack.properties['maximum_packet_size']", 1234) in public_values(SimpleNamespace(connack=answer))
    assert 1234 not in [value for _, value in public_values(SimpleNamespace(_connack=answer))]
