"""What the pages say, read from the pages' own file."""

import re
from pathlib import Path

PAGES = Path(__file__).parent.parent.parent / "shoe_controller" / "board" / "pages"

_PARTS = re.findall(
    r'^  "?([\w-]+)"?: \{\n(.*?)^  \},', (PAGES / "words.js").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)

LANGUAGES: dict[str, dict[str, str]] = {
    language: dict(re.findall(r'(\w+): "([^"]*)"', part)) for language, part in _PARTS
}
"""Each language with its texts by key."""
