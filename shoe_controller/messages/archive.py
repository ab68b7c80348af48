"""What an archive publishes of itself: whether it is there, and whether it stores."""

import msgspec


class ArchiveMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an archive is online, and whether it stores. The broker publishes the offline one as the last will.

    Where two are there, one stores and one stands by; the one that stores is shown.
    """

    schema: int = 1
    """The version of this message."""
    online: bool
    """Whether it is connected to the broker."""
    start: str
    """Random, new at each connection of the process to the broker."""
    time: int
    """Milliseconds since 1970, by the clock of the process."""
    storing: bool = False
    """Whether its database takes events. If not, they wait in the journals of the tables, and none is lost."""
    standby: bool = False
    """Whether another archive stores into the same database, and this one waits to take over."""
    behind: int = 0
    """Events that tables have announced and that are not stored yet, over all tables."""
