"""The rights of each role at the broker, derived from the contract, and written as a Mosquitto access list.

The controller cannot see who wrote a request, so the broker keeps the roles apart: a display cannot command, a wager
terminal cannot confirm, a table cannot speak for another. The topic of a request names its user, and each user may
write its own name alone: a line for each user and request, for a `pattern` line would give every user every role.
`init` writes the list, `doctor` tries it.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from shoe_controller.messages.facts import EventTopic
from shoe_controller.messages.requests import RequestRole
from shoe_controller.messages.topics import (
    ANY,
    PIT,
    SITE_ARCHIVE,
    SITE_WITNESS,
    STATUS,
    TopicKind,
    TopicRow,
    Topics,
    contract,
    event_topic,
)

EVERY_TABLE = ANY
"""In place of the table in the rules of a user that serves all tables of a site."""

ANY_CLIENT = "{client}/{name}"
"""The contract's placeholder for the rest of a reply's topic."""


class BrokerRole(Enum):
    TABLE = "table"
    DISPLAY = "display"
    WAGERS = "wagers"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    CONSOLE = "console"
    WITNESS = "witness"
    PIT = "pit"
    ARCHIVE = "archive"

    @property
    def what(self) -> str:
        return WHAT[self]


WHAT = {
    BrokerRole.TABLE: "the controller of one table: the only one that publishes for it, and that reads its requests",
    BrokerRole.DISPLAY: "displays, such as the results boards: read, and request a replay of events",
    BrokerRole.WAGERS: "wager terminals: read, and place wagers, for one seat where the table's file says so",
    BrokerRole.DEALER: "a dealer's own terminal: reads, and sends a dealer's requests",
    BrokerRole.SUPERVISOR: "a supervisor's own terminal: reads, and sends a supervisor's requests",
    BrokerRole.CONSOLE: "the console beside the table, which dealers and supervisors share",
    BrokerRole.WITNESS: "a witness: reads heads and checkpoints of journals, nothing else, and publishes its alarms",
    BrokerRole.PIT: "the pit's process: follows all tables, and alone publishes edges and alarms, for the pit's eyes",
    BrokerRole.ARCHIVE: "an archive: reads all that may be read, the pit's edges too, and publishes whether it stores",
}

ASKS: dict[BrokerRole, frozenset[RequestRole]] = {
    BrokerRole.TABLE: frozenset(),
    BrokerRole.DISPLAY: frozenset({RequestRole.DISPLAY}),
    BrokerRole.WAGERS: frozenset({RequestRole.WAGERS, RequestRole.DISPLAY}),
    BrokerRole.DEALER: frozenset({RequestRole.DEALER, RequestRole.DISPLAY}),
    BrokerRole.SUPERVISOR: frozenset({RequestRole.SUPERVISOR, RequestRole.DISPLAY}),
    BrokerRole.CONSOLE: frozenset(RequestRole) - {RequestRole.WITNESS},
    BrokerRole.WITNESS: frozenset({RequestRole.WITNESS}),
    BrokerRole.PIT: frozenset({RequestRole.DISPLAY}),
    BrokerRole.ARCHIVE: frozenset({RequestRole.DISPLAY}),
}
"""The requests that each role may send. A replay sends every event, so that a role with it must read all of them.

A witness reads no events but checkpoints, and its one request is answered with nothing else.
"""

WITNESS_READS = frozenset({STATUS, event_topic(EventTopic.CHECKPOINT)})

READS_PIT = frozenset({BrokerRole.PIT, BrokerRole.ARCHIVE})
"""Roles that read what the pit's process publishes: it is what a card counter would like to know."""

READS_ARCHIVES = frozenset({BrokerRole.SUPERVISOR, BrokerRole.PIT, BrokerRole.ARCHIVE})
"""Roles that read whether an archive is there, and stores."""

READS_WITNESSES = frozenset(
    {
        BrokerRole.DISPLAY,
        BrokerRole.SUPERVISOR,
        BrokerRole.CONSOLE,
        BrokerRole.WITNESS,
        BrokerRole.PIT,
        BrokerRole.ARCHIVE,
    }
)
"""Roles that read what witnesses publish; a witness reads its own messages alone."""


class BrokerUser(NamedTuple):
    name: str
    role: BrokerRole
    table: str = EVERY_TABLE
    """The one table that the user is for, unless it serves all of the site."""


def is_of_witness(row: TopicRow) -> bool:
    return row.key == SITE_WITNESS


def is_of_pit(row: TopicRow) -> bool:
    return row.key.startswith(f"{PIT}/")


def is_of_archive(row: TopicRow) -> bool:
    return row.key.startswith(f"{SITE_ARCHIVE}/")


def may_write(role: BrokerRole, row: TopicRow) -> bool:
    if is_of_witness(row):
        return role is BrokerRole.WITNESS
    if is_of_pit(row):
        return role is BrokerRole.PIT
    if is_of_archive(row):
        return role is BrokerRole.ARCHIVE
    if role is BrokerRole.TABLE:
        return row.kind is not TopicKind.REQUEST
    return row.role in ASKS[role]


def may_read(role: BrokerRole, row: TopicRow) -> bool:
    """Whether a role reads a topic. Every user reads the replies to itself; that is a rule for all, not for a role."""
    if is_of_witness(row):
        return role in READS_WITNESSES
    if is_of_pit(row):
        return role in READS_PIT
    if is_of_archive(row):
        return role in READS_ARCHIVES
    if role is BrokerRole.WITNESS:
        return row.below in WITNESS_READS
    if role is BrokerRole.TABLE:
        # Its own retained messages too, so that `shoe-controller status` can read them as the table's own user.
        return row.kind in (TopicKind.REQUEST, TopicKind.RETAINED, TopicKind.CONTROLLER)
    return row.kind in (TopicKind.RETAINED, TopicKind.EVENT)


def access_list(site: str, users: Iterable[BrokerUser]) -> str:
    """The text of a Mosquitto `acl_file`."""
    return "\n".join(_lines(site, users)) + "\n"


def _lines(site: str, users: Iterable[BrokerUser]) -> Iterator[str]:
    yield "# Who may read and write what. Generated from the message contract; `shoe-controller doctor` tests it."
    yield "# Only a table's controller reads requests, which carry PINs, and only it writes anything but requests."
    for user in users:
        yield ""
        yield f"# {user.role.value}: {user.role.what}"
        yield f"user {user.name}"
        for row in contract():
            access = _ACCESS[may_read(user.role, row), may_write(user.role, row)]
            if access:
                sender = user.name if may_write(user.role, row) else ANY
                yield f"topic {access} {row.address(site, user.table, sender).replace(ANY_CLIENT, '#')}"
    yield ""
    yield "# Every user reads the replies to itself, and no others."
    yield f"pattern read {Topics(ANY, ANY).replies}%u/#"


_ACCESS = {(False, False): "", (True, False): "read", (False, True): "write", (True, True): "readwrite"}
