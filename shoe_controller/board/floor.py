"""All tables of a site: sorts messages by their topics, and knows what to subscribe to and what to ask for. Pure."""

import re
from collections.abc import Iterator

from shoe_controller.board.model import TableModel
from shoe_controller.mqtt.contract import Topics
from shoe_controller.web.replay_request import Ask, ask_for_replay

MOST_TABLES = 1000
"""More than any site has; messages of further ones are left alone, so that they cannot fill the memory."""

MOST_ASKED = 8
"""Tables that are asked at once for what is missing: a broker drops what it cannot deliver quickly enough."""

TABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")

RETAINED = ("status", "info", "state", "roads")


class Floor:
    """The tables of a site; `version` grows with every change, of all and of each."""

    def __init__(self, site: str, client: str, tables: frozenset[str] = frozenset()) -> None:
        """`client` is our name in reply topics; of all tables only those named are looked at, if any are."""
        self.tables: dict[str, TableModel] = {}
        self.versions: dict[str, int] = {}
        self.version = 0
        self.connected = False
        self._prefix = f"shoe/v1/{site}/"
        self._site = site
        self._client = client
        self._only = tables
        self._requests = 0

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return (
            *(f"{self._prefix}+/{name}" for name in RETAINED),
            f"{self._prefix}+/event/#",
            f"{self._prefix}+/reply/{self._client}/#",
        )

    def broker_up(self) -> None:
        self.connected = True
        for table in self.tables.values():
            table.connected()
        self.touch()

    def broker_down(self) -> None:
        self.connected = False
        self.touch()

    def touch(self) -> None:
        """Whoever shows a table should look again."""
        self.version += 1
        self.versions = dict.fromkeys(self.tables, self.version)

    def is_live(self, table: TableModel) -> bool:
        return self.connected and table.online

    def heard(self, topic: str, payload: bytes, now: float) -> None:
        """Any message of the subscriptions; `msgspec.DecodeError` if it cannot be read."""
        name, _, below = topic.removeprefix(self._prefix).partition("/")
        if not topic.startswith(self._prefix) or not self._is_ours(name):
            return
        if not payload and below == "status":
            self._forget(name)
            return
        table = self.tables.get(name)
        if table is None:
            if not payload or len(self.tables) >= MOST_TABLES:
                return
            table = self.tables[name] = TableModel(name)
        if below.startswith(f"reply/{self._client}/"):
            table.heard_reply(payload, now)
        elif payload:
            table.heard(below, payload, now)
        self._changed(name)

    def _is_ours(self, name: str) -> bool:
        return TABLE_NAME.fullmatch(name) is not None and (not self._only or name in self._only)

    def _forget(self, name: str) -> None:
        """Somebody has cleared the retained status: the table is no more."""
        if self.tables.pop(name, None) is not None:
            self.version += 1
            self.versions.pop(name, None)

    def _changed(self, name: str) -> None:
        self.version += 1
        self.versions[name] = self.version

    def asks(self, now: float, request_id: str) -> Iterator[Ask]:
        """What should be asked for now; `request_id` is unlike that of any other start of this process."""
        asked = sum(table.awaits(now) for table in self.tables.values())
        for table in self.tables.values():
            after = table.wanted(now)
            if after is not None and asked < MOST_ASKED:
                asked += 1
                table.asked(now)
                self._requests += 1
                topics = Topics(self._site, table.name)
                yield ask_for_replay(
                    topics,
                    after,
                    request_id=f"{request_id}-{self._requests}",
                    response_topic=f"{topics.replies}{self._client}/replay",
                )
