"""The two brokers every test of this folder runs against, set up alike: the emulated one and Debian's Mosquitto."""

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from simulator.broker import AccessList, BrokerLimits, EmulatedBroker, Rule
from simulator.broker.access import EVERYTHING_ALLOWED
from tests.simulator.broker.compatibility.mosquitto import Mosquitto, dynamic_security

EMULATED, MOSQUITTO = "emulated", "mosquitto"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How a test wants its broker."""

    users: dict[str, str] | None = None
    access_file: str | None = None
    """The text of an acl_file: subscriptions are granted, and forbidden messages held back."""
    readable: dict[str, tuple[str, ...]] | None = None
    """Filters each user may subscribe to; all other subscriptions are refused."""
    packet_bytes: int | None = None
    queued: int | None = None


class Broker(Protocol):
    @property
    def port(self) -> int: ...

    async def start(self) -> None: ...

    async def end(self) -> None:
        """Leave nothing behind; the test is over."""

    async def restart(self, *, keep: bool) -> None:
        """Stop in order and start again, or crash and start again with nothing left."""


class EmulatedUnderTest:
    def __init__(self, setting: Setting) -> None:
        limits = BrokerLimits()
        self._broker = EmulatedBroker(
            users=setting.users,
            limits=BrokerLimits(
                packet_bytes=setting.packet_bytes or limits.packet_bytes, queued=setting.queued or limits.queued
            ),
            access=_access(setting),
        )

    @property
    def port(self) -> int:
        return self._broker.port

    async def start(self) -> None:
        await self._broker.start()

    async def end(self) -> None:
        await self._broker.stop()

    async def restart(self, *, keep: bool) -> None:
        await self._broker.restart(keep_sessions=keep, keep_retained=keep, orderly=keep)


class MosquittoUnderTest:
    def __init__(self, setting: Setting, folder: Path) -> None:
        self._mosquitto = Mosquitto(folder, "\n".join(_mosquitto_settings(setting, folder)))

    @property
    def port(self) -> int:
        return self._mosquitto.port

    async def start(self) -> None:
        await self._mosquitto.start()

    async def end(self) -> None:
        await self._mosquitto.kill()

    async def restart(self, *, keep: bool) -> None:
        if keep:
            await self._mosquitto.stop()
        else:
            await self._mosquitto.kill()
            self._mosquitto.forget()
        await self._mosquitto.start()


def _access(setting: Setting) -> AccessList:
    if setting.access_file is not None:
        return AccessList.from_mosquitto(setting.access_file)
    if setting.readable is not None:
        return AccessList(
            Rule(topic_filter, user=user, write=False)
            for user, filters in setting.readable.items()
            for topic_filter in filters
        )
    return EVERYTHING_ALLOWED


def _mosquitto_settings(setting: Setting, folder: Path) -> list[str]:
    lines = [f"allow_anonymous {'true' if setting.users is None else 'false'}"]
    if setting.readable is not None:
        assert setting.users is not None
        security = folder / "security.json"
        security.write_text(json.dumps(_security(setting.users, setting.readable)))
        lines += [f"plugin {dynamic_security()}", f"plugin_opt_config_file {security}"]
    elif setting.users is not None:
        passwords = folder / "passwords"
        passwords.write_text("".join(f"{user}:{_entry(password)}\n" for user, password in setting.users.items()))
        lines.append(f"password_file {passwords}")
    if setting.access_file is not None:
        access = folder / "access"
        access.write_text(setting.access_file)
        lines.append(f"acl_file {access}")
    if setting.packet_bytes is not None:
        lines.append(f"max_packet_size {setting.packet_bytes}")
    if setting.queued is not None:
        lines.append(f"max_queued_messages {setting.queued}")
    return lines


_SALT, _ROUNDS = b"twelve bytes", 101


def _hash(password: str) -> str:
    return base64.b64encode(hashlib.pbkdf2_hmac("sha512", password.encode(), _SALT, _ROUNDS)).decode()


def _entry(password: str) -> str:
    return f"$7${_ROUNDS}${base64.b64encode(_SALT).decode()}${_hash(password)}"


def _security(users: dict[str, str], readable: dict[str, tuple[str, ...]]) -> dict[str, object]:
    """Write the configuration of Mosquitto's dynamic security, the one way it refuses subscriptions."""
    return {
        "defaultACLAccess": {
            "publishClientSend": False,
            "publishClientReceive": True,
            "subscribe": False,
            "unsubscribe": True,
        },
        "groups": [],
        "clients": [
            {
                "username": user,
                "password": _hash(password),
                "salt": base64.b64encode(_SALT).decode(),
                "iterations": _ROUNDS,
                "roles": [{"rolename": user}],
            }
            for user, password in users.items()
        ],
        "roles": [
            {
                "rolename": user,
                "acls": [{"acltype": "subscribePattern", "topic": each, "allow": True} for each in filters],
            }
            for user, filters in readable.items()
        ],
    }
