"""The tables of `shoe_native.lua`, as the text between its two marks; they come from `fields.py`."""

import re
from collections.abc import Iterable

from firmware_protocol.native.event_layouts import KINDS
from firmware_protocol.native.framing import MAX_ENCODED
from firmware_protocol.native.messages import FROM_SHOE, NONCE_BYTES
from firmware_protocol.native.session import FRAME_TAG_BYTES
from firmware_protocol.native.texts import MAX_TEXT
from firmware_protocol.wireshark.fields import CAPABILITY, EVENTS, FIELDS, FRAMES, LAMP, Field, Layout, in_words

_PART = re.compile(r"(-- generated: tables\n).*?(-- end\n)", re.DOTALL)


def renewed(script: str) -> str:
    """The dissector with its tables as they should be."""
    whole, count = _PART.subn(lambda match: match[1] + tables() + match[2], script)
    if count != 1:
        raise ValueError(f"a dissector has one generated part, not {count}")
    return whole


def tables() -> str:
    constants = {
        "MAX_ENCODED": MAX_ENCODED,
        "MAX_TEXT": MAX_TEXT,
        "NONCE_BYTES": NONCE_BYTES,
        "SEALED_TAG_BYTES": FRAME_TAG_BYTES,
        "FROM_SHOE": FROM_SHOE,
    }
    frames = ((frame_type, frame_type.name, layout) for frame_type, layout in FRAMES.items())
    events = ((kind, str(event.__struct_config__.tag).upper(), EVENTS[event]) for kind, event in KINDS.items())
    lines = [
        *(f"local {name} = {value}" for name, value in constants.items()),
        "local FIELDS = {",
        *(f"    {key} = {_field(key, field)}," for key, field in FIELDS.items()),
        "}",
        *_layouts("FRAMES", frames),
        *_layouts("EVENTS", events),
    ]
    return "".join(f"{line}\n" for line in lines)


def _field(key: str, field: Field) -> str:
    parts = [f"name = {_quoted(_title(key))}", f"size = {_quoted(field.size.value)}"]
    if field.codes:
        codes = ", ".join(f"[{code}] = {_quoted(words)}" for code, words in field.codes.items())
        parts.append(f"codes = {{{codes}}}")
    if field.others:
        parts.append(f"others = {_quoted(field.others)}")
    if field.flags:
        flags = ", ".join(_flag(key, mask) for key, mask in field.flags.items())
        parts.append(f"flags = {{{flags}}}")
    if field.absent is not None:
        parts.append(f"absent = {field.absent}")
    if field.unit:
        parts.append(f"unit = {_quoted(field.unit)}")
    if field.hexadecimal:
        parts.append("hexadecimal = true")
    if field.in_summary:
        parts.append("in_summary = true")
    return f"{{{', '.join(parts)}}}"


def _flag(key: str, mask: int) -> str:
    name = _title(key.removeprefix(CAPABILITY).removeprefix(LAMP))
    return f"{{key = {_quoted(key)}, name = {_quoted(name)}, mask = {mask:#x}}}"


def _layouts(name: str, layouts: Iterable[tuple[int, str, Layout]]) -> Iterable[str]:
    yield f"local {name} = {{"
    for code, called, layout in layouts:
        parts = [f"name = {_quoted(called)}", f"keys = {{{', '.join(map(_quoted, layout.keys))}}}"]
        if layout.tag_bytes:
            parts.append(f"tag_bytes = {layout.tag_bytes}")
        if layout.given:
            parts.append(f"given = {_quoted(layout.given)}")
        yield f"    [{code:#04x}] = {{{', '.join(parts)}}},"
    yield "}"


def _title(key: str) -> str:
    return in_words(key).capitalize()


def _quoted(text: str) -> str:
    """A text of ours as Lua writes it; none of them has a quotation mark or a backslash."""
    return f'"{text}"'
