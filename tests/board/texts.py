"""What the pages of the board say, read from their own data."""

import json

from shoe_controller.board.process import STATIC
from shoe_controller.web.static_files import LANGUAGES as TAGS

LANGUAGES: dict[str, dict[str, str]] = {
    tag: json.loads((STATIC / f"words.{tag}.json").read_text(encoding="utf-8")) for tag in TAGS.values()
}
"""Each language with its texts by key."""
