"""What the pages of the board say, read from their own data."""

import json

from shoe_controller.board.process import PAGES
from shoe_controller.pages.site_files import LANGUAGES as TAGS

LANGUAGES: dict[str, dict[str, str]] = {
    tag: json.loads((PAGES / f"words.{tag}.json").read_text(encoding="utf-8")) for tag in TAGS.values()
}
"""Each language with its texts by key."""
