"""The `[pit]` section: the site whose tables are followed, the pit's page, and the file of its alarms."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.config.board import Look
from shoe_controller.config.section import Section
from shoe_controller.config.site_people import SITE_PEOPLE_FILE
from shoe_controller.config.strict_reading import Problem
from shoe_controller.config.table import LONGEST_NAME, is_name
from shoe_controller.config.web import Language, check_serving, is_loopback

ALARMS = Path("/var/lib/shoe-pit")
"""Default folder of the file of alarms: the system's folder for a service's own data."""

LEAST_IDLE, MOST_IDLE = 30, 12 * 3600

LEAST_LIMIT, MOST_LIMIT = -1.0, 10.0

FEWEST_SHOES, MOST_SHOES = 10, 1_000_000_000


class PitEntry(msgspec.Struct):
    site: str | None = None
    tables: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8090
    language: Language = "en"
    look: Look = "dark"
    idle_timeout: int = 600
    people_file: str | None = None
    edge_limit: float = 0.0
    false_alarm_after: int = 10_000
    file: str | None = None
    acknowledged: int = 0
    username: str | None = None
    password_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None


class PitSettings(NamedTuple):
    site: str
    tables: tuple[str, ...]
    """The tables that are followed; all of the site if empty."""
    host: str
    port: int
    language: Language
    look: Look
    idle_timeout: int
    """Seconds without a touch after which the person signed in is signed out."""
    people_file: Path
    """The people of the site."""
    edge_limit: float
    """The player's edge above which a wager is an alarm."""
    false_alarm_after: int
    """Shoes after which, on average, a seat that does not follow an edge is an alarm: no fewer, for each wager."""
    file: Path
    """The file of alarms."""
    evidence: Path
    """The file of what was found out about seats so far, beside it."""
    acknowledged: int
    """The last line of the file whose alarms a person has looked into."""
    username: str | None
    """The user of the process at the broker; `None` for the one of `[mqtt]`."""
    password_file: Path | None
    cert_file: Path | None
    key_file: Path | None
    """With both, the page is served over TLS."""


def pit_from(entry: PitEntry, folder: Path, site: str | None, problems: list[Problem]) -> PitSettings | None:
    """Check the section. `site` is the table's, the default for the pit's."""
    section = Section("pit", problems)
    chosen = entry.site or site
    section.require("site", chosen, 'the site whose tables are followed, as in site = "kathmandu"')
    for key, names in (("site", (entry.site,)), ("tables", entry.tables)):
        for name in names:
            if name is not None and not is_name(name):
                message = (
                    f"must be 1 to {LONGEST_NAME} letters (a-z, A-Z), digits, - or _, because it is part of topics"
                )
                section.problem(key, f"{message}; not {name!r}")
    check_serving(section, entry)
    section.whole_number("idle_timeout", entry.idle_timeout, LEAST_IDLE, MOST_IDLE)
    section.whole_number("acknowledged", entry.acknowledged, 0, 2**63 - 1)
    if not LEAST_LIMIT <= entry.edge_limit <= MOST_LIMIT:
        message = f"must be a player's edge from {LEAST_LIMIT} to {MOST_LIMIT}, as in 0.02 for 2 %"
        section.problem("edge_limit", f"{message}; not {entry.edge_limit}")
    section.whole_number("false_alarm_after", entry.false_alarm_after, FEWEST_SHOES, MOST_SHOES)
    # Passwords are entered at the page, and what it shows is for the pit alone.
    if entry.cert_file is None and entry.key_file is None and not is_loopback(entry.host):
        section.problem("host", "without a certificate (cert_file, key_file) only this machine is served: 127.0.0.1")
    people_file = section.path("people_file", entry.people_file, folder)
    file = section.path("file", entry.file, folder)
    if chosen is None:
        return None
    file = file or ALARMS / f"{chosen}.alarms"
    return PitSettings(
        site=chosen,
        tables=entry.tables,
        host=entry.host,
        port=entry.port,
        language=entry.language,
        look=entry.look,
        idle_timeout=entry.idle_timeout,
        people_file=people_file or folder / SITE_PEOPLE_FILE,
        edge_limit=entry.edge_limit,
        false_alarm_after=entry.false_alarm_after,
        file=file,
        evidence=file.with_name(f"{file.name}.evidence"),
        acknowledged=entry.acknowledged,
        username=entry.username,
        password_file=section.path("password_file", entry.password_file, folder),
        cert_file=section.path("cert_file", entry.cert_file, folder),
        key_file=section.path("key_file", entry.key_file, folder),
    )
