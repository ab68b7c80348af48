"""The files that browsers may load: a fixed set that is read at the start, so that no path leads anywhere else."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from shoe_controller import messages

HTML = "text/html"
JSON = "application/json"

KINDS = {
    ".html": HTML,
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": JSON,
    ".svg": "image/svg+xml",
}

SHARED = Path(__file__).parent / "static"
"""Files that all pages load."""

TILES = Path(__file__).parent / "tiles"
"""Files of the pages that show tables: tiles with their roads, and the look that these pages share."""

TABLE_WORDS = Path(messages.__file__).parent / "words"
"""The words for what tables publish, in each language."""

LANGUAGES = {"en": "en", "zh-hant": "zh-Hant", "zh-hans": "zh-Hans"}
"""As an address and the configuration write them, and as a page does."""

LANGUAGE_MARK = b'lang="en"'
"""The language in the page's file; it is replaced by the requested one."""


LOOKS = ("dark", "light")

LOOK_MARK = b'data-look="dark"'
"""The look in the page's file; it is replaced by the requested one."""


class File(NamedTuple):
    content: bytes
    kind: str
    tag: str
    """Changes with the content, so that a browser need not fetch it again."""


def read_files(*folders: Path) -> dict[str, File]:
    """All files of these folders that a browser can use, and those that all pages share, by name."""
    return {
        file.name: File(content := file.read_bytes(), KINDS[file.suffix], hashlib.blake2s(content).hexdigest()[:16])
        for folder in (SHARED, TABLE_WORDS, *folders)
        for file in sorted(folder.iterdir())
        if file.suffix in KINDS
    }


def tag_of_all(files: Mapping[str, File]) -> str:
    """Changes with any of them."""
    return hashlib.blake2s("".join(file.tag for file in files.values()).encode()).hexdigest()[:16]


def in_language(page: bytes, asked: str, usual: str) -> bytes:
    """The page in the language that its address requests, if there is one; else in the default language."""
    language = LANGUAGES.get(asked.lower().replace("_", "-"), LANGUAGES[usual])
    return page.replace(LANGUAGE_MARK, f'lang="{language}"'.encode(), 1)


def in_look(page: bytes, asked: str, usual: str) -> bytes:
    """The page in the look that its address requests, if there is one; else in the default look."""
    look = asked if asked in LOOKS else usual
    return page.replace(LOOK_MARK, f'data-look="{look}"'.encode(), 1)
