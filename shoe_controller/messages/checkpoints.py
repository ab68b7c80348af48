"""A checkpoint of the journal, as it is published: signed with a key that is then removed from the table's machine.

`docs/journal.md` describes which bytes are signed; `shoe_controller/journal/checkpoints.py` makes them.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal."""
Signature = Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]


class SucceededKey(msgspec.Struct, frozen=True, kw_only=True):
    """The key of an earlier journal of the table, which vouches for the first key of this one."""

    journal: str
    """The id of the earlier journal."""
    index: int
    """The index of its key."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the journal that signs everything before it and names the key of the next one."""

    journal: str
    """The id of the journal that it belongs to."""
    index: int
    """Counts up by one with every checkpoint of the journal, from 1 on; 0 if an earlier journal's key signed it."""
    number: int
    """The number of the record before it; it stands for all records up to that one."""
    hash: Hash
    """The hash of that record, in hexadecimal."""
    time: int
    """When it was signed: milliseconds since 1970, by the controller's clock."""
    key: Hash
    """The Ed25519 public key that it is signed with: `next_key` of the checkpoint before it, in hexadecimal."""
    next_key: Hash
    """The public key of the next checkpoint, in hexadecimal."""
    succeeds: SucceededKey | None = None
    """Where `index` is 0: the earlier journal's key, which signed it; null in every other checkpoint."""
    signature: Signature
    """The Ed25519 signature, in hexadecimal."""
