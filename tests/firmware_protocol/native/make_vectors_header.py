"""Writes `firmware_protocol/c/vectors.h`: `vectors.json` once more, as arrays for a test of firmware in C.

    python -m tests.firmware_protocol.native.make_vectors_header

Run it after `make_vectors`. A test compares the file with what this makes; `c_vectors.c` tries the kit with it.
"""

import json
from collections.abc import Iterable
from typing import Any

from tests.firmware_protocol.native import make_vectors
from tests.firmware_protocol.native.c_build import KIT

FILE = KIT / "vectors.h"
Fields = dict[str, Any]

HEAD = """\
/* vectors.json of ../native as arrays, for tests of firmware in C. Section 11 of ../native/PROTOCOL.md explains them.
 *
 * Generated: python -m tests.firmware_protocol.native.make_vectors_header
 *
 * Times are milliseconds since power-up. To try a shoe with a talk: give it the key, the random numbers and what it
 * kept, power it up, and take the steps in their order. At each step pass the time to your shoe first; then
 *     'H'  this happens at the shoe: kind and payload of an event. STARTED is in the list, too
 *     'C'  the controller sends these bytes
 *     'L'  the controller sends them, and they are lost
 *     'S'  your shoe has sent these bytes by now, zero bytes before them aside. In all it sends its steps 'S' and
 *          nothing else
 */
#ifndef SHOE_VECTORS_H
#define SHOE_VECTORS_H

#include <stddef.h>
#include <stdint.h>

struct shoe_vector_bytes {
    size_t size;
    const char *bytes;
};

struct shoe_vector_pair {
    struct shoe_vector_bytes one, other;
    const char *why;
};

struct shoe_vector_event {
    uint32_t sequence, boot_id;
    struct shoe_vector_bytes said; /* kind and payload */
};

struct shoe_vector_step {
    uint32_t t;
    char what; /* 'H', 'C', 'L' or 'S' */
    struct shoe_vector_bytes bytes;
};

struct shoe_vector_talk {
    const char *why;
    const char *key;       /* 32 bytes; NULL: the shoe has none */
    const char *nonces[2]; /* 16 bytes each, in the order in which they are drawn */
    uint32_t boot_id;
    uint32_t next, total, acknowledged_boot_id, acknowledged; /* what the shoe has kept, */
    const struct shoe_vector_event *held;                     /* and these events */
    size_t held_size;
    uint16_t places; /* of the event store */
    const struct shoe_vector_step *steps;
    size_t steps_size;
};

/* The shoe of all talks: its names, and cause 3 (watchdog). */
"""


def _text(data: bytes) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def _bytes(data: str) -> str:
    return f"{{{len(data) // 2}, {_text(bytes.fromhex(data))}}}"


def _array(declaration: str, rows: Iterable[str]) -> str:
    return f"static const {declaration}[] = {{\n" + ",\n".join(f"    {row}" for row in rows) + "\n};\n"


def _steps(talk: Fields) -> Iterable[tuple[int, str]]:
    """What happens, at its time, comes before the frames of that time."""
    happens = [(round(event["t"] * 1000), "H", event["bytes"]) for event in talk["happens"]]
    for frame in talk["frames"]:
        moment = round(frame["t"] * 1000)
        while happens and happens[0][0] <= moment:
            at, what, said = happens.pop(0)
            yield at, f"{{{at}, '{what}', {_bytes(said)}}}"
        what = "S" if frame["from"] == "shoe" else "L" if frame["lost"] else "C"
        yield moment, f"{{{moment}, '{what}', {_bytes(frame['wire'])}}}"


def _talks(vectors: Fields) -> list[tuple[str, Fields]]:
    whole = {
        "conversation": "a session",
        "unrecognised": "PROOF names an event that this shoe never had",
        "insecure": "a session without a key",
    }
    return [*((why, vectors[name]) for name, why in whole.items()), *((t["why"], t) for t in vectors["trials"])]


def _talk_parts(number: int, talk: Fields) -> Iterable[str]:
    held = talk["shoe_keeps"]["held"]
    if held:
        rows = (f"{{{event['sequence']}, 0x{event['boot_id']:08x}, {_bytes(event['bytes'])}}}" for event in held)
        yield _array(f"struct shoe_vector_event shoe_vector_held_{number}", rows)
    yield _array(f"struct shoe_vector_step shoe_vector_steps_{number}", (step for _, step in _steps(talk)))


def _talk(number: int, why: str, talk: Fields) -> str:
    keeps = talk["shoe_keeps"]
    key = bytes.fromhex(talk["key"])
    nonces = [_text(bytes.fromhex(nonce)) for nonce in talk.get("shoe_nonces", [talk.get("shoe_nonce")])]
    boot_id = next(frame["says"]["shoe"]["boot_id"] for frame in talk["frames"] if frame["type"] == "CHALLENGE")
    steps = sum(1 for _ in _steps(talk))
    held = f"shoe_vector_held_{number}" if keeps["held"] else "NULL"
    return (
        f"{{{json.dumps(why)}, {_text(key) if any(key) else 'NULL'}, {{{', '.join(nonces)}}}, 0x{boot_id:08x}, "
        f"{keeps['next']}, {keeps['total']}, 0x{keeps['acknowledged']['boot_id']:08x}, "
        f"{keeps['acknowledged']['sequence']}, {held}, {len(keeps['held'])}, {keeps.get('places', 1024)}, "
        f"shoe_vector_steps_{number}, {steps}}}"
    )


def _pairs(name: str, comment: str, rows: Iterable[tuple[str, str, str]]) -> str:
    shown = (f"{{{_bytes(one)}, {_bytes(other)}, {json.dumps(why)}}}" for one, other, why in rows)
    return f"/* {comment} */\n" + _array(f"struct shoe_vector_pair {name}", shown)


def text() -> str:
    vectors = make_vectors.make()
    keys, talks = vectors["keys"], _talks(vectors)
    shoe = next(frame for frame in vectors["conversation"]["frames"] if frame["type"] == "CHALLENGE")["says"]["shoe"]
    names = [f"#define SHOE_VECTOR_{name.upper()} {json.dumps(shoe[name])}" for name in _NAMES]
    capabilities = int.from_bytes(bytes.fromhex(keys["challenge"])[44:46], "big")
    parts = [HEAD + "\n".join([*names, f"enum {{ SHOE_VECTOR_CAPABILITIES = 0x{capabilities:04x} }};\n"])]
    framing = ((shown["body"], shown["wire"], "") for shown in vectors["framing"])
    parts.append(_pairs("shoe_vector_framing", "A body, and its frame on the wire.", framing))
    bad = ((shown["between_zeros"], "", shown["why"]) for shown in vectors["bad_framing"])
    parts.append(_pairs("shoe_vector_bad_framing", "Between two zero bytes: no frame.", bad))
    events = ((shown["bytes"], "", json.dumps(shown["event"])) for shown in vectors["events"])
    parts.append(_pairs("shoe_vector_events", "Kind and payload of an event, and the event as JSON.", events))
    parts.append("/* Section 4: what is made of the key, a CHALLENGE and a PROOF without their tags. */\n")
    made = (f"{{{_bytes(keys[name])}, {{0, NULL}}, {json.dumps(name)}}}" for name in keys)
    parts.append(_array("struct shoe_vector_pair shoe_vector_keys", made))
    for number, (_, talk) in enumerate(talks):
        parts += _talk_parts(number, talk)
    rows = (_talk(number, why, talk) for number, (why, talk) in enumerate(talks))
    parts.append(_array("struct shoe_vector_talk shoe_vector_talks", rows))
    return "\n".join(parts) + "\n#endif\n"


_NAMES = ("model", "firmware", "serial_number")

if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
