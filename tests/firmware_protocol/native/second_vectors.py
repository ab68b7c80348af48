"""`vectors.json` for the second reader: its frames found, and their fields turned into the second reader's words."""

import json
from collections.abc import Callable
from pathlib import Path

from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.second_reader import Fields

_PAGE = Path(__file__).parents[3] / "firmware_protocol" / "native"
VECTORS: Fields = json.loads((_PAGE / "vectors.json").read_text("utf-8"))
CONVERSATIONS = ("conversation", "unrecognised", "insecure")
TYPES = {
    "HELLO": second.HELLO,
    "PROOF": second.PROOF,
    "ACK": second.ACK,
    "NAK": second.NAK,
    "DESIRE": second.DESIRE,
    "CLOCK": second.CLOCK,
    "IDENTIFY": second.IDENTIFY,
    "AWAKE": second.AWAKE,
    "CHALLENGE": second.CHALLENGE,
    "REJECT": second.REJECT,
    "EVENT": second.EVENT,
    "STATUS": second.STATUS,
}
CAPABILITIES = {
    "gate": 0,
    "lamps": 1,
    "card_ids": 2,
    "button_result": 8,
    "button_no_more_bets": 9,
    "button_new_shoe": 10,
    "button_burn": 11,
    "button_call_supervisor": 12,
}


def title(vector: Fields) -> str:
    return str(vector.get("why") or vector.get("type") or json.dumps(vector.get("event", vector.get("body"))))[:60]


def all_frames() -> list[Fields]:
    rejected = [pair[side] for pair in VECTORS["rejected"] for side in ("hello", "reject")]
    answered = [pair[side] for pair in VECTORS["answered"] for side in ("said", "answer")]
    talked = [frame for name in CONVERSATIONS for frame in VECTORS[name]["frames"]]
    return [*talked, *rejected, *answered]


def frames_of_trials() -> list[Fields]:
    return [frame for trial in VECTORS["trials"] for frame in trial["frames"]]


def _hello_fields(says: Fields) -> Fields:
    oldest, newest = says["versions"]
    nonce = bytes.fromhex(says["nonce"])
    return {"oldest": oldest, "newest": newest, "flags": int(says["insecure"]), "nonce_c": nonce}


def _challenge_fields(says: Fields) -> Fields:
    shoe, hello = says["shoe"], _hello_fields(says["hello"])
    causes = {name: number for number, name in second.CAUSES.items()}
    return {
        "version": says["version"],
        "oldest": says["versions"][0],
        "newest": says["versions"][1],
        "hello_bytes": bytes([hello["oldest"], hello["newest"], hello["flags"]]),
        "nonce_c": hello["nonce_c"],
        "nonce_s": bytes.fromhex(says["nonce"]),
        "boot_id": shoe["boot_id"],
        "cause": causes[shoe["start_cause"]],
        "capabilities": sum(1 << CAPABILITIES[name] for name in shoe["capabilities"]),
        "model": shoe["model"],
        "firmware": shoe["firmware"],
        "serial_number": shoe["serial_number"],
    }


def _desire_fields(says: Fields) -> Fields:
    hands = {name: number for number, name in second.HANDS.items()}
    return {
        "revision": says["revision"],
        "gate": {None: 0, False: 1, True: 2}[says["gate_locked"]],
        "lamps": sum(1 << ["player", "banker", "tie", "alert"].index(lamp) for lamp in says["lamps"]),
        "next_hand": hands[says["next_hand"]],
    }


def _status_fields(says: Fields) -> Fields:
    flags = says["recognised"] | says["gate_locked_by_silence"] << 1 | says["store_full"] << 2
    return {
        "oldest": says["oldest"],
        "next": says["next"],
        "total": says["total"],
        "revision": says["revision"],
        "flags": flags,
    }


def _reject_fields(says: Fields) -> Fields:
    oldest, newest = says["versions"]
    return {"reason": says["reason"], "oldest": oldest, "newest": newest, "nonce_c": bytes.fromhex(says["nonce"])}


def _proof_fields(says: Fields) -> Fields:
    return {"nonce_s": bytes.fromhex(says["nonce"]), "boot_id": says["boot_id"], "sequence": says["sequence"]}


def _event_frame_fields(says: Fields) -> Fields:
    event = bytes([says["kind"]]) + bytes.fromhex(says["payload"])
    return {"boot_id": says["boot_id"], "sequence": says["sequence"], "age": says["age"], "event": event}


_FIELDS: dict[str, Callable[[Fields], Fields]] = {
    "HELLO": _hello_fields,
    "CHALLENGE": _challenge_fields,
    "PROOF": _proof_fields,
    "REJECT": _reject_fields,
    "DESIRE": _desire_fields,
    "STATUS": _status_fields,
    "EVENT": _event_frame_fields,
    "CLOCK": lambda says: {"milliseconds": says["unix_milliseconds"]},
}


def fields_of(frame: Fields) -> Fields:
    """What a vector says in the product's words, in the second reader's words."""
    says = {name: value for name, value in frame["says"].items() if name != "counter"}
    return _FIELDS.get(frame["type"], dict)(says)
