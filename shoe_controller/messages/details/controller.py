"""What is wrong with the shoe, its line, the journal and the broker."""

from enum import StrEnum

from firmware_protocol.events import FaultCode, LineLook, LinkDownCause
from shoe_controller.messages.details.base import Detail


class ShoeFault(Detail, frozen=True):
    """A fault that the shoe reports."""

    fault: FaultCode
    """The kind of fault."""
    number: int | None = None
    """The shoe's own number for it, where it has one."""


class ShoeStoreFull(Detail, frozen=True):
    """The shoe could not keep its events."""


class ShoeRestarted(Detail, frozen=True):
    """The shoe restarted; events that it had not sent are lost."""


class SilentShoe(Detail, frozen=True):
    """The shoe was silent for a while, and does not repeat what it sent then."""


class FaceReadAgain(Detail, frozen=True):
    """The reader read the same face again at once: that is one card read twice, or two cards."""


class LinkDropped(Detail, frozen=True, tag="link_lost"):
    """The line to the shoe was lost."""

    cause: LinkDownCause
    """How it was lost."""


class ControllerRestarted(Detail, frozen=True):
    """The controller restarted, and has received nothing from the shoe since."""


class DecoderMessage(Detail, frozen=True):
    """What the decoder of the shoe's line reported."""

    text: str
    """The decoder's message, in English."""


class LineLooksLike(Detail, frozen=True):
    """What comes from the shoe's port is not what the table's file says."""

    looks_like: LineLook
    """What it looks like."""
    setting: str
    """What to set in the `[shoe]` section of the table's file."""


class EventsCameAgain(Detail, frozen=True):
    """Events that are on the record already came once more."""

    events: int
    """How many, since the alert was first raised."""
    cards: int
    """How many cards left the shoe by what these events say; none of them was counted again."""


class AgeOfEvent(Detail, frozen=True):
    """How old an event is by the shoe's own clock, and what was made of it."""

    reported_ms: int
    """The age in milliseconds that the shoe said."""
    taken_ms: int
    """The age in milliseconds that the event was taken to have: as near to it as is possible."""


class ClockStep(Detail, frozen=True):
    """By how much the clock was set."""

    by_ms: int
    """Milliseconds that the clock was set forward; negative if it was set back."""


class OperatingSystemError(Detail, frozen=True, tag="system_error"):
    """What the operating system or the storage reported."""

    text: str
    """The message, as it was reported."""


class JournalSetAside(Detail, frozen=True):
    """A damaged journal was set aside; the controller's log says what is wrong with it."""

    files: tuple[str, ...]
    """The names of the files that were set aside, beside the journal."""


class HeadSource(StrEnum):
    """Where the head of a journal was noted."""

    ANCHOR = "anchor"
    STATUS = "status"


class JournalBehind(Detail, frozen=True):
    """An older copy of the journal was in its place; this journal was begun, and takes over what that one held."""

    journal: str
    """The older copy's journal id."""
    number: int
    """The number of the older copy's last record."""
    hash: str
    """The hash of that record."""
    noted: int
    """The number of a record that the journal had had."""
    noted_hash: str
    """The hash of that record."""
    source: HeadSource
    """Where that was noted."""
    file: str
    """The name of the older copy, which is kept beside the journal."""


class DealtSign(StrEnum):
    """What says that a table has dealt before."""

    ANCHOR = "anchor"
    """Its anchor names a journal."""
    KEPT = "kept"
    """A journal is kept beside the missing one: a damaged or rolled-back one, or a copy from before an upgrade."""
    STATUS = "status"
    """The broker has its `status`, from another journal."""


class NewJournalBegun(Detail, frozen=True):
    """The journal of a table that has dealt before was not there, and a new one was begun."""

    signs: tuple[DealtSign, ...]
    """What says that it has dealt before."""


class StatusBeyondJournal(Detail, frozen=True):
    """The broker had a `status` of this table, without a valid seal, that does not fit the journal."""

    number: int
    """The number of the journal's last record."""
    noted: int
    """The number of the record that the message names."""


class MetController(StrEnum):
    """What came of it that two controllers of one table met."""

    REFUSED = "refused"
    """The other one wanted to begin, and was refused."""
    STOPS = "stops"
    """The other one has served the table too, and has stopped."""
    STAYS = "stays"
    """The other one serves the table, and has for longer: this one stops."""
    UNANSWERED = "unanswered"
    """The other one publishes for the table, and does not answer; only on the record."""


class OtherController(Detail, frozen=True):
    """Another controller of this table was met: one with the same site and name."""

    how: MetController
    """What came of it."""
    host: str
    """The name of the machine that it runs on."""
    address: str
    """The address of that machine on its way to the broker."""


class SilentController(Detail, frozen=True):
    """Another controller publishes for this table, with the same site and name, and does not answer this one."""


class BrokerError(Detail, frozen=True):
    """What the broker reported."""

    text: str
    """The name of the broker's reason code, as MQTT 5 has it."""


class EarlierDetail(Detail, frozen=True):
    """From a journal of layout version 1, which stored an English sentence."""

    text: str
    """The sentence that was stored."""
