"""The file of what was found out about seats so far: written anew after each shoe that was judged, read at the start.

One line, as those of the file of alarms: SHA-256 of the JSON text that follows it, in hexadecimal digits.
"""

import asyncio
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec

from shoe_controller.config.plain_files import read_plain
from shoe_controller.protection.following import SeatEvidence

FORMAT = 1

MOST_BYTES = 64 << 20
"""More than the evidence of all seats that are kept."""

MODE = 0o600


class JudgedShoe(msgspec.Struct, frozen=True, array_like=True):
    """A shoe that was handed in to be judged, so that a process that comes back does not count it a second time."""

    table: str
    journal: str
    shoe: int


class KeptEvidence(msgspec.Struct, frozen=True, kw_only=True):
    seats: tuple[SeatEvidence, ...] = ()
    judged: tuple[JudgedShoe, ...] = ()
    """The latest shoes, the newest last."""


class _Content(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    site: str
    evidence: KeptEvidence


class BadEvidenceError(ValueError):
    """What is in the file is not the evidence of this site."""


class EvidenceFile:
    """One process at a time writes it: the one that holds the lock of the file of alarms."""

    def __init__(self, path: Path, site: str, stamp: Callable[[], str]) -> None:
        """`stamp` tells files that were set aside from each other."""
        self._path = path
        self._site = site
        self._stamp = stamp
        self._writing = asyncio.Lock()

    def read(self) -> KeptEvidence:
        """What is in the file, nothing if there is none; raise `BadEvidenceError` or `OSError` if it cannot be used."""
        try:
            text = read_plain(self._path, MOST_BYTES)
        except FileNotFoundError:
            return KeptEvidence()
        digest, _, body = text.removesuffix(b"\n").partition(b" ")
        if digest != sha256(body).hexdigest().encode():
            raise BadEvidenceError("it is damaged")
        try:
            content = msgspec.json.decode(body, type=_Content)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadEvidenceError(f"another version wrote it: {error}") from error
        if content.format != FORMAT:
            raise BadEvidenceError(f"another version wrote it: its format is {content.format}, not {FORMAT}")
        if content.site != self._site:
            raise BadEvidenceError(f"it is of the site {content.site!r}")
        return content.evidence

    def set_aside(self) -> Path:
        """Give the file another name; return it."""
        aside = self._path.with_name(f"{self._path.name}.{self._stamp()}.aside")
        self._path.rename(aside)
        return aside

    async def write(self, evidence: Callable[[], KeptEvidence]) -> None:
        """Replace what is in it: after a power cut there is the old or the new content, whole. May raise `OSError`."""
        async with self._writing:
            content = _Content(format=FORMAT, site=self._site, evidence=evidence())
            body = msgspec.json.encode(content)
            # A disk that takes long holds up no edge.
            await asyncio.to_thread(self._replace, sha256(body).hexdigest().encode() + b" " + body + b"\n")

    def _replace(self, text: bytes) -> None:
        unfinished = self._path.with_name(f".{self._path.name}.new")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        unfinished.replace(self._path)
        folder = os.open(self._path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
