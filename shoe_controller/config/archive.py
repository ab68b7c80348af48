"""The `[archive]` section: the site whose tables are followed, and the database that their events are stored in."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem
from shoe_controller.config.table import LONGEST_NAME, is_name

MOST_YEARS = 100

SCHEMES = ("postgresql", "postgres")


class ArchiveEntry(msgspec.Struct):
    site: str | None = None
    tables: tuple[str, ...] = ()
    database: str | None = None
    database_password_file: str | None = None
    retention_years: int = 7
    username: str | None = None
    password_file: str | None = None


class ArchiveSettings(NamedTuple):
    site: str
    tables: tuple[str, ...]
    """The tables that are followed; all of the site if empty."""
    database: str
    """Where it is, as a URI of PostgreSQL's own library."""
    database_password_file: Path | None
    retention_years: int
    """Years after which a month is dropped; 0 for never."""
    username: str | None
    """The user of the archive at the broker; `None` for the one of `[mqtt]`."""
    password_file: Path | None


def archive_from(
    entry: ArchiveEntry, folder: Path, site: str | None, problems: list[Problem]
) -> ArchiveSettings | None:
    """Check the section. `site` is the table's, the default for the archive's."""
    section = Section("archive", problems)
    chosen = entry.site or site
    section.require("site", chosen, 'the site whose tables are followed, as in site = "kathmandu"')
    for key, names in (("site", (entry.site,)), ("tables", entry.tables)):
        for name in names:
            if name is not None and not is_name(name):
                message = (
                    f"must be 1 to {LONGEST_NAME} letters (a-z, A-Z), digits, - or _, because it is part of topics"
                )
                section.problem(key, f"{message}; not {name!r}")
    section.require(
        "database", entry.database, 'where it is, as in database = "postgresql://archive@/house?host=/run/postgresql"'
    )
    if entry.database is not None:
        _check_address(section, entry.database)
    section.whole_number("retention_years", entry.retention_years, 0, MOST_YEARS)
    password_file = section.path("database_password_file", entry.database_password_file, folder)
    if chosen is None or entry.database is None:
        return None
    return ArchiveSettings(
        site=chosen,
        tables=entry.tables,
        database=entry.database,
        database_password_file=password_file,
        retention_years=entry.retention_years,
        username=entry.username,
        password_file=section.path("password_file", entry.password_file, folder),
    )


def _check_address(section: Section, address: str) -> None:
    try:
        parts = urlsplit(address)
        has_password = parts.password is not None
    except ValueError:
        parts, has_password = urlsplit(""), False
    if has_password or "password=" in parts.query:
        # Not shown: it is a secret, and this file is not.
        section.problem("database", "has a password in it: put that into a file, and name it in database_password_file")
    elif parts.scheme not in SCHEMES or not address.isprintable():
        section.problem("database", 'must begin with postgresql://, as in "postgresql://archive@db.example:5432/house"')
