"""Checks of the broker: whether it accepts the table, how long its certificate is valid, and the table's last status.

The doctor connects as the table's own user, but with another client id: with the table's it would disconnect the table.
"""

import asyncio
import os
import secrets
import socket
import ssl
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import UTC, datetime
from ipaddress import ip_address

import msgspec

from shoe_controller.clock.system_clock import Clock
from shoe_controller.config.mqtt import MqttSettings
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.daemon.beginning import is_missing
from shoe_controller.doctor.broker_advice import RENEW, to_do_about, to_do_about_tls
from shoe_controller.doctor.findings import Finding, Patient, good, not_looked, problem
from shoe_controller.doctor.holders import writers_of
from shoe_controller.journal.errors import JournalError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.controllers import ControllerAnswer
from shoe_controller.messages.retained import StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import BrokerAddress, BrokerError, BrokerSession, PublishRefusedError, TlsFiles
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.peers import Peers, Place, encode
from shoe_controller.words.render import ENGLISH

PATIENCE = 3.0
AFTER_THE_FIRST = 0.3
"""Seconds for another controller of the table to answer too."""
DAY_SECONDS = 24 * 60 * 60

NO_SECRETS = "the configuration or a secret is not ready, see above"
NO_BROKER = "the table runs without a broker"

_decode_status = msgspec.json.Decoder(StatusMessage).decode


def connection(
    mqtt: MqttSettings, subscriptions: Sequence[str], username: str | None, password: str | None
) -> AbstractAsyncContextManager[BrokerSession]:
    """Connect as that user, without a will."""
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
        return problem(sentence(error), to_do_about(error, config.mqtt))
    who = f"the user {config.mqtt.username}" if config.mqtt.username else "an anonymous client"
    return good(f"the broker at {config.mqtt.host}:{config.mqtt.port} accepts the table as {who}")


async def look_at_certificate(patient: Patient) -> list[Finding]:
    config = patient.running
    if config is None or config.mqtt is None:
        return not_looked(NO_SECRETS if config is None else NO_BROKER)
    return await judge_certificate(config.mqtt, patient)


async def judge_certificate(mqtt: MqttSettings, patient: Patient) -> list[Finding]:
    if not mqtt.tls:
        return _without_tls(mqtt)
    try:
        until = await _valid_until(mqtt)
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", None) or error.reason
        what = f"there is no trusted TLS connection to {mqtt.host}:{mqtt.port}: {reason}"
        return problem(what, to_do_about_tls(error, mqtt))
    except (OSError, TimeoutError):
        return not_looked("the broker does not answer, see above")
    now = patient.clock.now().wall_ms / 1000
    soonest, whose = min(until)
    day = datetime.fromtimestamp(soonest, UTC).strftime("%Y-%m-%d")
    days = int((soonest - now) // DAY_SECONDS)
    if days < patient.limits.certificate_days:
        return problem(f"{whose} is valid only until {day}, which is in {days} days", RENEW)
    return good(f"TLS is trusted; the first certificate to expire is {whose}, on {day}")


def _without_tls(mqtt: MqttSettings) -> list[Finding]:
    if is_loopback(mqtt.host):
        return good("the broker is on this machine, so the connection needs no TLS")
    return problem(
        f"the connection to {mqtt.host} is not encrypted: anyone on the network can read PINs and place wagers",
        "Configure TLS at the broker (see the mosquitto.conf that comes with this), and name its authority as ca_file.",
    )


async def look_at_table(patient: Patient) -> list[Finding]:
    config = patient.running
    if config is None or config.mqtt is None or not patient.broker_ready:
        return not_looked("the broker cannot be reached, see above")
    topics = Topics(config.table.site, config.table.name)
    try:
        patient.status = await _retained_status(config, topics.status)
    except BrokerError as error:
        return problem(sentence(error))
    except msgspec.DecodeError as error:
        return problem(
            f"the message retained at {topics.status} is not a status ({error})",
            "Another client or another version wrote it: find out who may write there.",
        )
    if patient.status is None:
        return not_looked("the table has published no status at this broker yet, or its user may not read it")
    return await _look_for_another(config, patient.status, patient) or _judge(patient.status)


async def _look_for_another(config: RunningConfig, status: StatusMessage, patient: Patient) -> list[Finding]:
    """Whether the table is served by more than one controller, or by that of another machine."""
    try:
        serving = await controllers_of(config, patient.clock) if status.online else []
    except BrokerError as error:
        return problem(sentence(error))
    # In a container a service may read another id of the boot than a person's shell; their journal is the same.
    own = writers_of(config.journal.file, patient.machine.proc)
    here = {patient.clock.boot(), *(each.boot for each in serving if each.process in own)}
    name = f"{config.table.site}/{config.table.name}"
    where = places_of(serving)
    if len(serving) > 1:
        return problem(
            f"{len(serving)} controllers serve the table {name}: on {where}",
            "Stop all but one of them, or give each table a site and name of its own in [table].",
        )
    if serving and serving[0].boot in here and _is_of_another_journal(config, status):
        return problem(
            f"the table {name} is served from another journal than {config.journal.file}, by a controller of this "
            f"machine: {where}",
            "Two files have one site and name in [table]: give each table its own, or stop that controller.",
        )
    if serving and serving[0].boot not in here:
        return problem(
            f"the table {name} is served by the controller of another machine: {where}",
            "If it is to be served from here, stop that one and start this one; if this is another table, give it a "
            "site and name of its own in [table].",
        )
    return []


def places_of(serving: Sequence[ControllerAnswer]) -> str:
    return " and ".join(f"{each.host} ({each.address}, process {each.process})" for each in serving)


def _is_of_another_journal(config: RunningConfig, status: StatusMessage) -> bool:
    try:
        with JournalReader(config.journal.file) as reader:
            return status.journal not in ("", reader.identity.journal_id)
    except JournalError:
        return is_missing(config.journal)


async def controllers_of(config: RunningConfig, clock: Clock) -> list[ControllerAnswer]:
    """All controllers that serve the table; usually one answers within milliseconds."""
    topics = Topics(config.table.site, config.table.name)
    peers = Peers(
        topics,
        start=f"doctor-{secrets.token_hex(4)}",
        place=Place(socket.gethostname(), os.getpid(), clock.boot()),
        password=None if config.mqtt_password is None else config.mqtt_password.reveal(),
        now=time.monotonic,
        random_id=lambda: secrets.token_hex(8),
    )
    found: dict[str, ControllerAnswer] = {}
    async with as_the_table(config, (topics.answers,)) as session:
        question = peers.question(session, to="", served=None)
        with suppress(TimeoutError, PublishRefusedError):
            async with asyncio.timeout(PATIENCE / 2) as patience:
                await session.publish(topics.questions, encode(question))
                async for message in session.incoming():
                    answer = peers.read_answer(message.payload)
                    if answer is not None:
                        found[answer.start] = answer
                        patience.reschedule(asyncio.get_running_loop().time() + AFTER_THE_FIRST)
    return list(found.values())


def _judge(status: StatusMessage) -> list[Finding]:
    if not status.online:
        return good("the table's controller is not running; its last status shows no problem")
    if not status.storing:
        return problem("the table runs, but its journal cannot be written to", "Make room on its disk; see below.")
    if status.publishing:
        return problem(
            f"the table runs, but the broker refuses its events: {status.publishing}",
            "Correct the access list, and make the broker read it again (SIGHUP).",
        )
    if status.alert is not None and status.alert.severity == "stops":
        return problem(
            f"the table stands still: {ENGLISH.happened(status.alert.kind)}", ENGLISH.to_do(status.alert.kind)
        )
    return good(f"the table runs version {status.version}, stores its events and publishes them")


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
        # Of several certificates in an authority file, only the one that signed this.
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


def sentence(error: BrokerError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
