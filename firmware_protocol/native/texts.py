"""Short texts on the wire: a length byte and that many printable ASCII characters. Names and card ids use them."""

from firmware_protocol.link import LinkUsageError

MAX_TEXT = 32
"""Characters, so also bytes."""


class UnsendableError(LinkUsageError):
    """A value of ours that cannot be represented on the wire."""


class BadTextError(ValueError):
    """A received text that is cut off, too long or not printable."""


def pack_text(text: str) -> bytes:
    if not (text.isascii() and text.isprintable()) or len(text) > MAX_TEXT:
        raise UnsendableError(f"{text!r} cannot be sent: a text has at most {MAX_TEXT} printable ASCII characters")
    return bytes((len(text),)) + text.encode("ascii")


def unpack_text(data: bytes, at: int) -> tuple[str, int]:
    """Return the text that starts at `at`, and the offset after it."""
    length = data[at]
    end = at + 1 + length
    if not length:
        return "", end
    text = data[at + 1 : end].decode("ascii")
    if len(text) != length or length > MAX_TEXT or not text.isprintable():
        raise BadTextError(f"{text!r} instead of the announced {length} printable characters")
    return text, end
