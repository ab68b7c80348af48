"""Text from a stranger, such as a file's name or a topic, made safe to print."""

import unicodedata

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control and formatting characters, half characters and line ends: they move the cursor, or hide or reverse text."""


def printable(text: str, keep: str = "") -> str:
    """The text with unsafe characters as escapes, but for those to keep."""
    if text.isprintable():
        return text
    return "".join(
        character if character in keep or unicodedata.category(character) not in _UNSAFE else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
