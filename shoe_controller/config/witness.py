"""The `[witness]` section: the site whose journals are watched, and the file for their heads and checkpoints."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.config.table import LONGEST_NAME, is_name

WITNESSED = Path("/var/lib/shoe-witness")
"""Default folder of the file: the system's folder for a service's own data."""

LONGEST_PAUSE = 3600


class WitnessEntry(msgspec.Struct):
    site: str | None = None
    file: str | None = None
    heads_every: int = 1800
    acknowledged: int = 0
    username: str | None = None
    password_file: str | None = None


class WitnessSettings(NamedTuple):
    site: str
    file: Path
    heads_every: int
    """Seconds between two lines in the file with the heads of a table."""
    acknowledged: int
    """The last line of the file whose alarms a person has looked into."""
    username: str | None
    """The user of the witness at the broker; `None` for the one of `[mqtt]`."""
    password_file: Path | None


def witness_from(
    entry: WitnessEntry, folder: Path, site: str | None, problems: list[Problem]
) -> WitnessSettings | None:
    """Check the section. `site` is the table's, the default for the witness's."""
    section = Section("witness", problems)
    chosen = entry.site or site
    section.require("site", chosen, 'the site whose tables are watched, as in site = "kathmandu"')
    if entry.site is not None and not is_name(entry.site):
        message = f"must be 1 to {LONGEST_NAME} letters (a-z, A-Z), digits, - or _, because it is part of topics"
        section.problem("site", f"{message}; not {entry.site!r}")
    section.whole_number("heads_every", entry.heads_every, 0, LONGEST_PAUSE)
    section.whole_number("acknowledged", entry.acknowledged, 0, 2**63 - 1)
    file = section.path("file", entry.file, folder)
    if chosen is None:
        return None
    return WitnessSettings(
        site=chosen,
        file=file or WITNESSED / f"{chosen}.witness",
        heads_every=entry.heads_every,
        acknowledged=entry.acknowledged,
        username=entry.username,
        password_file=section.path("password_file", entry.password_file, folder),
    )
