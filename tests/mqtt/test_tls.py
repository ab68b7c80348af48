"""TLS against Mosquitto, with an authority of the tests' own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from shoe_controller.mqtt.broker import BadCertificateError, BrokerLostError, BrokerUnreachableError, TlsFiles
from tests.mqtt.brokers import PATIENCE, connected, next_message, nothing_left_since
from tests.mqtt.certificates import Certificates
from tests.mqtt.scripted import saying
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.transports.leaks import Belongings

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def secured(folder: Path, made: Certificates, name: str = "broker", more: str = "") -> AsyncIterator[Mosquitto]:
    key = made.folder / f"{name}.key"
    files = f"cafile {made.ca}\ncertfile {made.folder / name}.crt\nkeyfile {key}\n"
    broker = Mosquitto(folder, f"allow_anonymous true\n{files}{more}")
    await broker.start()
    try:
        yield broker
    finally:
        await broker.kill()


async def test_messages_go_both_ways(tmp_path: Path, certificates: Certificates) -> None:
    async with secured(tmp_path, certificates) as broker:
        before = Belongings.now()
        async with connected(broker.port, "cards", tls=TlsFiles(ca_file=certificates.ca)) as session:
            sent = [session.publish_soon("cards", b"%d" % number + bytes(10_000)) for number in range(200)]
            for number in range(200):
                assert (await next_message(session)).payload.rstrip(b"\0") == b"%d" % number
            await asyncio.gather(*sent)
        await nothing_left_since(before)


async def test_a_killed_broker_is_told_at_once(tmp_path: Path, certificates: Certificates) -> None:
    tls = TlsFiles(ca_file=certificates.ca)
    async with secured(tmp_path, certificates) as broker, connected(broker.port, tls=tls) as session:
        await broker.kill()
        with pytest.raises(BrokerLostError):
            async with asyncio.timeout(PATIENCE):
                await session.publish("cards", b"")


async def test_a_broker_of_another_authority_or_another_host_is_not_believed(
    tmp_path: Path, certificates: Certificates
) -> None:
    async with secured(tmp_path, certificates) as broker:
        for unfit in (TlsFiles(ca_file=certificates.other_ca), TlsFiles()):
            with pytest.raises(BadCertificateError, match=r"certificate of the broker .* not accepted.*CA file"):
                async with connected(broker.port, tls=unfit):
                    pass
    async with secured(tmp_path, certificates, "elsewhere") as broker:
        with pytest.raises(BadCertificateError, match=r"IP address mismatch.*made out to this host"):
            async with connected(broker.port, tls=TlsFiles(ca_file=certificates.ca)):
                pass


async def test_a_broker_that_wants_our_certificate_gets_it(tmp_path: Path, certificates: Certificates) -> None:
    async with secured(tmp_path, certificates, more="require_certificate true\n") as broker:
        async with connected(broker.port, tls=certificates.files("table")) as session:
            await session.publish("cards", b"")
        for unfit in (TlsFiles(ca_file=certificates.ca), certificates.files("impostor")):
            # Mosquitto says why and resets the connection; whether its words arrive before is a matter of luck.
            with pytest.raises(
                (BadCertificateError, BrokerUnreachableError),
                match=r"does not accept our certificate|check .* whether it accepts our certificate",
            ):
                async with connected(broker.port, tls=unfit):
                    pass


@pytest.mark.parametrize("which", ["no such file", "no certificate", "another's key", "encrypted key"])
async def test_files_that_cannot_be_used_are_named(tmp_path: Path, certificates: Certificates, which: str) -> None:
    rubbish = tmp_path / "rubbish.pem"
    rubbish.write_text("rubbish")
    cert, key = certificates.folder / "table.crt", certificates.folder / "impostor.key"
    unfit, name = {
        "no such file": (TlsFiles(ca_file=tmp_path / "none.pem"), "none.pem"),
        "no certificate": (TlsFiles(ca_file=rubbish), "rubbish.pem"),
        "another's key": (TlsFiles(ca_file=certificates.ca, cert_file=cert, key_file=key), "impostor.key"),
        "encrypted key": (
            TlsFiles(ca_file=certificates.ca, cert_file=cert, key_file=certificates.encrypted_key("table")),
            "locked.key",
        ),
    }[which]
    with pytest.raises(BadCertificateError, match=rf"{name}.* (cannot be read|cannot be used)"):
        async with connected(1, tls=unfit):
            pass


async def test_tls_where_there_is_none_and_none_where_there_is(tmp_path: Path, certificates: Certificates) -> None:
    plain = Mosquitto(tmp_path, "allow_anonymous true")
    await plain.start()
    with pytest.raises(BrokerUnreachableError, match="whether it wants TLS"):
        async with connected(plain.port, tls=TlsFiles(ca_file=certificates.ca)):
            pass
    await plain.kill()
    async with secured(tmp_path, certificates) as broker:
        with pytest.raises(BrokerUnreachableError, match="whether it wants TLS"):
            async with connected(broker.port):
                pass


@pytest.mark.parametrize("cancel", [False, True])
async def test_a_broker_that_hangs_in_the_middle_of_tls_leaves_nothing(
    certificates: Certificates, *, cancel: bool
) -> None:
    async def enter(port: int) -> None:
        async with connected(port, tls=TlsFiles(ca_file=certificates.ca), connect_timeout=0.3):
            pass

    async with saying() as port:
        before = Belongings.now()
        entering = asyncio.ensure_future(enter(port))
        await asyncio.sleep(0.1)
        if cancel:
            entering.cancel()
        with pytest.raises(asyncio.CancelledError if cancel else BrokerUnreachableError):
            await entering
        await nothing_left_since(before)
