"""The types of the doctor: a check, its findings, and the table that it examines."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.events import LineLook
from firmware_protocol.link import LineQuality
from shoe_controller.clock.system_clock import Clock, SystemClock
from shoe_controller.config.mqtt import PLAIN_PORT
from shoe_controller.config.table_file import (
    Config,
    OtherConfig,
    RunningConfig,
)
from shoe_controller.doctor.users import User
from shoe_controller.messages.retained import StatusMessage


class Verdict(Enum):
    GOOD = "good"
    PROBLEM = "problem"
    NOT_LOOKED = "not looked at"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    verdict: Verdict
    what: str
    """What was found, as a sentence."""
    to_do: str = ""
    """What to do about this particular problem; empty where the check's general advice, or `what` itself, says it."""


def good(what: str) -> list[Finding]:
    return [Finding(verdict=Verdict.GOOD, what=what)]


def problem(what: str, to_do: str = "") -> list[Finding]:
    return [Finding(verdict=Verdict.PROBLEM, what=what, to_do=to_do)]


def not_looked(why: str) -> list[Finding]:
    return [Finding(verdict=Verdict.NOT_LOOKED, what=why)]


class Thresholds(NamedTuple):
    """Limits beyond which the doctor reports a problem."""

    free_bytes: int = 500 * 1024 * 1024
    """A year of a busy table is about this much."""
    free_inodes: int = 1000
    fsync_seconds: float = 0.1
    """Every card waits for one; a worn SD card needs far more."""
    certificate_days: int = 30
    listen_seconds: float = 5.0
    """Seconds within which the shoe must answer."""
    measure_seconds: float = 1.5
    """Seconds for which the line to a shoe is measured."""
    damaged_share: float = 0.05
    """Damaged frames among all: a card is then sent again once in a while, which is hardly noticed."""


class Machine(NamedTuple):
    """Where to find the kernel's information; tests use others."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    vcgencmd: str = "vcgencmd"
    """The command that queries a Raspberry Pi's firmware."""
    plain_port: int = PLAIN_PORT
    """The port of a broker without TLS."""


class ShoeProbe(NamedTuple):
    """The result of talking to the shoe."""

    answered: bool
    what: str
    refused: str = ""
    """Why one side refused the other's authentication."""
    authenticated: bool = False
    firmware: str = ""
    looks_like: LineLook | None = None
    """What its bytes look like, where they are of another wire or speed."""
    quality: LineQuality | None = None
    """How good the line is, where that was measured."""


@dataclass
class Patient:
    """The table being examined, and what earlier checks have found out about it."""

    file: Path
    user: User
    """The user that the service runs as."""
    users_file: Path | None = None
    limits: Thresholds = field(default_factory=Thresholds)
    machine: Machine = field(default_factory=Machine)
    clock: Clock = field(default_factory=SystemClock)
    config: Config | None = None
    pages: OtherConfig | None = None
    """Set when the file is one for pages or a witness, and everything that they need is there."""
    running: RunningConfig | None = None
    """Set when everything that a table needs is there, secrets included."""
    server_answers: bool = False
    """Whether the serial server at the port's address took a connection."""
    port_ready: bool = False
    """Whether the shoe's port can be opened, so that it makes sense to talk to the shoe."""
    table_runs: bool = False
    """Whether the table's own controller holds the port now."""
    broker_ready: bool = False
    shoe: ShoeProbe | None = None
    status: StatusMessage | None = None
    """The table's last status at the broker."""


Look = Callable[[Patient], Awaitable[list[Finding]]]


class Check(NamedTuple):
    name: str
    looks_at: str
    to_do: str
    """What helps with most problems that it finds."""
    look: Look
