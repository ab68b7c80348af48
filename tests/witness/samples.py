"""Checkpoints that are really signed, and statuses, of a table whose journal a witness sees."""

from hashlib import blake2s, sha256
from typing import Any

import msgspec

from shoe_controller.journal import checkpoints as signed
from shoe_controller.journal import ed25519
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.witness.judgement import SeenStatus

TABLE, JOURNAL = "t1", "4f2a"


def seed(journal: str, index: int, line: str = "") -> bytes:
    return blake2s(f"{journal} {index} {line}".encode()).digest()


def digest(number: int, line: str = "") -> str:
    """The hash of a record; another line of history has others."""
    return sha256(f"{number} {line}".encode()).hexdigest()


def checkpoint(index: int, *, journal: str = JOURNAL, line: str = "", **changed: Any) -> Checkpoint:  # noqa: ANN401 - fields of a checkpoint
    """Checkpoint `index`, after ten records each. `line` names another line of history, with keys of its own."""
    succeeds = changed.pop("succeeds", None)
    key = changed.pop("key", None) or seed(journal, index, line)
    fields: dict[str, Any] = {
        "journal": journal,
        "index": index,
        "number": 10 * (index + 1),
        "hash": digest(10 * (index + 1), line),
        "time": 1_790_000_000_000 + index,
        "key": ed25519.public_half(key).hex(),
        "next_key": ed25519.public_half(seed(journal, index + 1, line)).hex(),
        "succeeds": None if succeeds is None else signed.SucceededKey(**succeeds),
    } | changed
    made = signed.Checkpoint(**fields)
    signature = ed25519.sign(key, signed.signed_bytes(made))
    return msgspec.convert(msgspec.structs.replace(made, signature=signature.hex()), Checkpoint, from_attributes=True)


def status(session: int, number: int | None = None, *, line: str = "", **more: Any) -> SeenStatus:  # noqa: ANN401 - fields of a status
    usual: dict[str, Any] = {"online": True, "start": f"start {session}", "journal": JOURNAL}
    head = "" if number is None else f"{number}:{digest(number, line)}"
    return SeenStatus(session=session, head=head, **(usual | more))
