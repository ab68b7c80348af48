"""Asks a table that runs to make its shoe blink, as a terminal of the table does: with the act `blink_shoe`.

The table's own user may write no requests, so it takes a user of `broker-users.toml` that may send a dealer's. The act
is on the table's record.
"""

import asyncio
import secrets

import msgspec

from shoe_controller.config.mqtt import MqttSettings
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.doctor.broker import connection
from shoe_controller.doctor.findings import Patient
from shoe_controller.messages.acts import BLINK_SECONDS, ActName
from shoe_controller.messages.requests import ActRequest, Answer, RequestRole
from shoe_controller.messages.retained import StateMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import BrokerError, BrokerSession
from shoe_controller.setup.access_list import ASKS, EVERY_TABLE
from shoe_controller.setup.users_file import USERS_FILE, KnownUser, read_users

PATIENCE = 3.0
BY_HAND = "to see which one it is, touch `Make the shoe blink` under Alerts on the console"


async def ask_to_blink(patient: Patient) -> str:
    """What came of it, as the end of a sentence about the shoe."""
    config = patient.running
    if config is None or config.mqtt is None or not patient.broker_ready:
        return BY_HAND
    user = _terminal(patient, config)
    if user is None:
        return BY_HAND
    try:
        async with asyncio.timeout(PATIENCE):
            answer = await _asked(config.mqtt, Topics(config.table.site, config.table.name), user)
    except (BrokerError, TimeoutError, msgspec.DecodeError):
        return BY_HAND
    if answer.code == "cannot_blink":
        return "its wire cannot make it blink"
    return f"it is the one that blinks for {BLINK_SECONDS} s" if answer.status == "ok" else BY_HAND


def _terminal(patient: Patient, config: RunningConfig) -> KnownUser | None:
    """A user of this table who may send a dealer's requests."""
    file = patient.users_file or patient.file.with_name(USERS_FILE)
    try:
        users = read_users(file) if file.exists() else ()
    except BadFileError:
        return None
    tables = (EVERY_TABLE, config.table.name)
    return next(
        (known for known in users if RequestRole.DEALER in ASKS[known.user.role] and known.user.table in tables), None
    )


async def _asked(mqtt: MqttSettings, topics: Topics, known: KnownUser) -> Answer:
    name = known.user.name
    reply = f"{topics.replies}{name}/doctor-{secrets.token_hex(4)}"
    async with connection(mqtt, (topics.state, reply), name, known.password.reveal()) as session:
        state = msgspec.json.decode(await _next(session, topics.state), type=StateMessage)
        request = ActRequest(request_id=secrets.token_hex(8), shoe=state.shoe, round=state.round)
        topic = topics.request(RequestRole.DEALER, name, ActName.BLINK_SHOE)
        await session.publish_soon(topic, msgspec.json.encode(request), response_topic=reply)
        return msgspec.json.decode(await _next(session, reply), type=Answer)


async def _next(session: BrokerSession, topic: str) -> bytes:
    """The next message of this topic."""
    async for message in session.incoming():
        if message.topic == topic:
            return message.payload
    raise BrokerError("the connection is over")
