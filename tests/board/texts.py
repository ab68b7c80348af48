"""What the pages of the board say, read from their own data."""

import json

from shoe_controller.board.process import STATIC
from shoe_controller.web.static_files import LANGUAGES as TAGS
from shoe_controller.web.static_files import TILES

LANGUAGES: dict[str, dict[str, str]] = {
    tag: {
        key: text
        for file in (TILES / f"tiles.{tag}.json", STATIC / f"words.{tag}.json")
        for key, text in json.loads(file.read_text(encoding="utf-8")).items()
    }
    for tag in TAGS.values()
}
"""Each language with its texts by key."""
