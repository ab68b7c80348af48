"""The errors of a journal; the message of each is a sentence for the person who must act.

`database.py` and `opening.py` raise those about the file, `store.py` those about what is to be written.
"""

from pathlib import Path


class JournalError(Exception):
    """Base of all journal errors; the message is a sentence."""


class JournalUsageError(JournalError):
    """An invalid call by this program, not a fault of the file. Nothing was written."""


class FileError(JournalError):
    """An error of the journal file itself."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason

    @property
    def system_text(self) -> str:
        """What SQLite or the operating system reported, without our own words and without the path."""
        return self.reason if self.__cause__ is None else str(self.__cause__)


class JournalMissingError(FileError):
    """There is no file of that name."""


class NotBegunError(FileError):
    """There is no journal, and none may be begun unasked."""


class JournalInUseError(FileError):
    """Another program writes to this journal."""


class HardLinkedJournalError(FileError):
    """The file has more than one name."""


class JournalBusyError(FileError):
    """Another program held the file for too long; nothing was written."""


class OtherTableError(FileError):
    """A good journal, of another table."""


class NewerJournalError(FileError):
    """Written by a newer version of this program."""


class OlderJournalError(FileError):
    """Written by an older version of this program, and not yet brought up to date."""


class DamagedJournalError(FileError):
    """The file cannot be trusted. It must be set aside, and never written to or treated as an empty one."""


class NotAJournalError(DamagedJournalError):
    """The file is something else."""


class TruncatedJournalError(DamagedJournalError):
    """A part of the file is missing."""


class WrongSchemaError(DamagedJournalError):
    """The tables in the file are not those of a journal."""


class BrokenChainError(DamagedJournalError):
    """A record does not follow from the one before it."""


class StorageError(FileError):
    """Nothing was stored. The write can be retried when the cause is gone."""


class DiskFullError(StorageError):
    """The disk is full."""


class ReadOnlyError(StorageError):
    """The file or its file system is not writable."""


class DiskFailedError(StorageError):
    """The disk reported an error."""


class UnreadableAnchorError(FileError):
    """The anchor is there and says nothing."""


class NotAnAnchorError(UnreadableAnchorError):
    """In the anchor's place is another file, or one that is damaged beyond recognition."""


class EventsPrunedError(JournalError):
    """The requested events are no longer in the journal."""

    def __init__(self, wanted: int, first: int) -> None:
        super().__init__(
            f"event {wanted} was pruned; the oldest one still in the journal is {first}. Older ones are in the exports."
        )
        self.wanted = wanted
        self.first = first
