"""The broker: whether it lets the table in, how long its certificate is good, and what the table last said there.

The doctor comes as the table's own user, but under another client id: under the table's it would throw the table out.
"""

import asyncio
import secrets
import ssl
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from ipaddress import ip_address

import msgspec

from shoe_controller.config.mqtt import MqttSettings
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.doctor.findings import Finding, Patient, good, not_looked, problem
from shoe_controller.mqtt.broker import BrokerAddress, BrokerError, BrokerSession, TlsFiles
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.contract import StatusMessage, Topics

PATIENCE = 3.0
DAY_SECONDS = 24 * 60 * 60

NO_SECRETS = "the configuration or a secret is not ready, see above"
NO_BROKER = "the table runs without a broker"

_decode_status = msgspec.json.Decoder(StatusMessage).decode


def connection(
    mqtt: MqttSettings, subscriptions: Sequence[str], username: str | None, password: str | None
) -> AbstractAsyncContextManager[BrokerSession]:
    """A connection as that user, without a will."""
    tls = None
    if mqtt.ca_file is not None:
        tls = TlsFiles(ca_file=mqtt.ca_file, cert_file=mqtt.cert_file, key_file=mqtt.key_file)
    address = BrokerAddress(
        host=mqtt.host,
        port=mqtt.port,
        client_id=f"shoe-doctor-{secrets.token_hex(4)}",
        username=username,
        password=password,
        tls=tls,
        keep_alive=mqtt.keep_alive,
    )
    return NetworkBroker(address).connect(None, subscriptions)


def as_the_table(config: RunningConfig, subscriptions: Sequence[str]) -> AbstractAsyncContextManager[BrokerSession]:
    if config.mqtt is None:
        raise ValueError(NO_BROKER)
    password = None if config.mqtt_password is None else config.mqtt_password.reveal()
    return connection(config.mqtt, subscriptions, config.mqtt.username, password)


async def look_at_broker(patient: Patient) -> list[Finding]:
    config = patient.running
    if config is None:
        return not_looked(NO_SECRETS)
    if config.mqtt is None:
        return not_looked(NO_BROKER)
    try:
        async with as_the_table(config, ()):
            patient.broker_ready = True
    except BrokerError as error:
        return problem(_sentence(error))
    who = f"the user {config.mqtt.username}" if config.mqtt.username else "somebody without a name"
    return good(f"the broker at {config.mqtt.host}:{config.mqtt.port} lets the table in as {who}")


async def look_at_certificate(patient: Patient) -> list[Finding]:
    config = patient.running
    if config is None or config.mqtt is None:
        return not_looked(NO_SECRETS if config is None else NO_BROKER)
    mqtt = config.mqtt
    if not mqtt.tls:
        return _without_tls(mqtt)
    try:
        until = await _valid_until(mqtt)
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", None) or error.reason
        return problem(f"there is no trusted TLS connection to {mqtt.host}:{mqtt.port}: {reason}")
    except (OSError, TimeoutError):
        return not_looked("nobody answers there, see above")
    now = patient.clock.now().wall_ms / 1000
    soonest, whose = min(until)
    day = datetime.fromtimestamp(soonest, UTC).strftime("%Y-%m-%d")
    days = int((soonest - now) // DAY_SECONDS)
    if days < patient.limits.certificate_days:
        return problem(f"{whose} is good until {day} only, which is in {days} days")
    return good(f"TLS is trusted; the first certificate to end is {whose}, on {day}")


def _without_tls(mqtt: MqttSettings) -> list[Finding]:
    if is_loopback(mqtt.host):
        return good("the broker is on this machine, so the line needs no TLS")
    return problem(
        f"the line to {mqtt.host} is not encrypted: everybody on the network can read PINs and write wagers",
        "Give the broker TLS (see the mosquitto.conf that comes with this), and name its authority as ca_file.",
    )


async def look_at_table(patient: Patient) -> list[Finding]:
    config = patient.running
    if config is None or config.mqtt is None or not patient.broker_ready:
        return not_looked("the broker cannot be asked, see above")
    topics = Topics(config.table.site, config.table.name)
    try:
        patient.status = await _retained_status(config, topics.status)
    except BrokerError as error:
        return problem(_sentence(error))
    except msgspec.DecodeError as error:
        return problem(
            f"what lies at {topics.status} is no status ({error})",
            "Somebody else wrote it, or another version: find out who may write there.",
        )
    if patient.status is None:
        return not_looked("the table has said nothing at this broker yet, or its user may not read its own status")
    return _judge(patient.status)


def _judge(status: StatusMessage) -> list[Finding]:
    if not status.online:
        return good("the table's controller is not running; nothing is wrong with what it said last")
    if not status.storing:
        return problem("the table runs, and its journal cannot be written to", "Make room on its disk; see below.")
    if status.publishing:
        return problem(
            f"the table runs, and the broker does not take its events: {status.publishing}",
            "Put the access list right, and have the broker read it again (SIGHUP).",
        )
    if status.alert is not None and status.alert.severity == "stops":
        return problem(f"the table stands still: {status.alert.happened}", status.alert.to_do)
    return good(f"the table runs version {status.version}, stores what it sees, and is heard")


async def _retained_status(config: RunningConfig, topic: str) -> StatusMessage | None:
    async with as_the_table(config, (topic,)) as session:
        try:
            async with asyncio.timeout(PATIENCE / 2):
                message = await anext(session.incoming())
        except TimeoutError:
            return None
    return _decode_status(message.payload) if message.payload else None


async def _valid_until(mqtt: MqttSettings) -> list[tuple[int, str]]:
    context = ssl.create_default_context(cafile=mqtt.ca_file)
    if mqtt.cert_file is not None:
        context.load_cert_chain(mqtt.cert_file, mqtt.key_file, password="")
    async with asyncio.timeout(PATIENCE):
        _, writer = await asyncio.open_connection(mqtt.host, mqtt.port, ssl=context)
    try:
        shown = writer.get_extra_info("peercert")
        issuer = shown["issuer"]
        # Of an authority file with many in it, only the one that counts here.
        signers = [each for each in context.get_ca_certs() if each["subject"] == issuer]
    finally:
        writer.transport.abort()
    until = [(ssl.cert_time_to_seconds(shown["notAfter"]), "the broker's certificate")]
    until += [(ssl.cert_time_to_seconds(str(each["notAfter"])), f"the authority in {mqtt.ca_file}") for each in signers]
    return until


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _sentence(error: BrokerError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
