"""What a check is, what it finds, and the patient that it looks at."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.clock.system_clock import Clock, SystemClock
from shoe_controller.config.mqtt import PLAIN_PORT
from shoe_controller.config.table_file import Config, RunningConfig
from shoe_controller.doctor.users import User
from shoe_controller.mqtt.contract import StatusMessage


class Verdict(Enum):
    GOOD = "good"
    PROBLEM = "problem"
    NOT_LOOKED = "not looked at"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    verdict: Verdict
    what: str
    """What was found, as a sentence."""
    to_do: str = ""
    """What to do about this very problem; empty where the check's own advice, or `what` itself, says it."""


def good(what: str) -> list[Finding]:
    return [Finding(verdict=Verdict.GOOD, what=what)]


def problem(what: str, to_do: str = "") -> list[Finding]:
    return [Finding(verdict=Verdict.PROBLEM, what=what, to_do=to_do)]


def not_looked(why: str) -> list[Finding]:
    return [Finding(verdict=Verdict.NOT_LOOKED, what=why)]


class Thresholds(NamedTuple):
    """Where the doctor begins to worry."""

    free_bytes: int = 500 * 1024 * 1024
    """A year of a busy table is about this much."""
    free_inodes: int = 1000
    fsync_seconds: float = 0.1
    """Every card waits for one; a worn SD card needs far more."""
    certificate_days: int = 30
    listen_seconds: float = 5.0
    """How long the shoe has to answer."""


class Machine(NamedTuple):
    """Where the kernel tells of itself."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")
    vcgencmd: str = "vcgencmd"
    """The command that asks a Raspberry Pi's firmware."""
    plain_port: int = PLAIN_PORT
    """Where a broker without TLS would listen."""


class ShoeProbe(NamedTuple):
    """What came of talking to the shoe."""

    answered: bool
    what: str
    refused: str = ""
    """Why we do not believe the shoe, or it does not believe us."""
    authenticated: bool = False
    firmware: str = ""


@dataclass
class Patient:
    """One table, and what earlier checks have found out about it."""

    file: Path
    user: User
    """Whom the service runs as."""
    users_file: Path | None = None
    limits: Thresholds = field(default_factory=Thresholds)
    machine: Machine = field(default_factory=Machine)
    clock: Clock = field(default_factory=SystemClock)
    config: Config | None = None
    running: RunningConfig | None = None
    """Set when all that a table needs is there, secrets included."""
    port_ready: bool = False
    """Whether the shoe's port can be opened, so that it makes sense to talk to the shoe."""
    table_runs: bool = False
    """Whether the table's own controller holds the port at this moment."""
    broker_ready: bool = False
    shoe: ShoeProbe | None = None
    status: StatusMessage | None = None
    """What the table last said of itself at the broker."""


Look = Callable[[Patient], Awaitable[list[Finding]]]


class Check(NamedTuple):
    name: str
    looks_at: str
    to_do: str
    """What helps against most problems that it finds."""
    look: Look
