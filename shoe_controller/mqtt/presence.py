"""The retained messages of a running table: made from its state when something in them has changed, and only then."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import msgspec

from firmware_protocol.link import LineQuality
from shoe_controller.messages.retained import HeadMessage, StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.retained import (
    Posted,
    gravest_alert,
    info_message,
    roads_message,
    rounds_message,
    state_message,
    storing_alert,
    table_listing,
)
from shoe_controller.table.draft import ReadRules
from shoe_controller.table.state import RulesSource, TableState

_encode = msgspec.json.Encoder().encode


class NotedHead(NamedTuple):
    """How far the journal had come at the end of the last round, as `status` says it."""

    head: str
    seal: str


class Present(Protocol):
    """The parts of a running table that retained messages publish."""

    @property
    def state(self) -> TableState: ...

    @property
    def storing_trouble(self) -> str | None: ...

    @property
    def noted_head(self) -> "NotedHead": ...

    @property
    def line_quality(self) -> LineQuality: ...

    @property
    def rules_pending(self) -> bool: ...

    @property
    def rules(self) -> RulesSource:
        """Those of the shoe on the table, else those of the next one."""


class TablePresence:
    """A `Presence`. Messages carry the last `seq` that they include: that of their last change."""

    def __init__(
        self,
        table: Present,
        topics: Topics,
        posted: Posted,
        read_rules: ReadRules,
        journal_id: str,
    ) -> None:
        self._journal_id = journal_id
        self._table = table
        self._topics = topics
        self._posted = posted
        self._read_rules = read_rules
        self._made: dict[str, tuple[object, bytes]] = {}

    def status(self, session: int, *, online: bool, publishing: str, discarded: int) -> bytes:
        state, trouble, noted = self._table.state, self._table.storing_trouble, self._table.noted_head
        if not online:
            return _encode(
                StatusMessage(
                    online=False,
                    session=session,
                    start=self._posted.start,
                    seq=state.lasting.seq,
                    version=self._posted.version,
                    journal=self._journal_id,
                    head=noted.head,
                    seal=noted.seal,
                )
            )
        link, line = state.lasting.link, self._table.line_quality
        return self._cached(
            self._topics.status,
            (session, publishing, discarded, trouble, noted, link, line, state.lasting.alerts),
            lambda: StatusMessage(
                online=True,
                session=session,
                start=self._posted.start,
                seq=state.lasting.seq,
                version=self._posted.version,
                journal=self._journal_id,
                head=noted.head,
                seal=noted.seal,
                shoe_link=link.up,
                authenticated=link.up and link.authenticated,
                keeps_events=link.keeps_events or not link.up,
                line_frames=line.frames,
                line_damaged=line.damaged,
                line_refused=line.refused,
                storing=trouble is None,
                publishing=publishing,
                discarded=discarded,
                alert=gravest_alert(state) if trouble is None else storing_alert(trouble),
            ),
        )

    def retained(self) -> Iterator[tuple[str, bytes]]:
        state = self._table.state
        rules, pending = self._table.rules, self._table.rules_pending
        topics = self._topics
        yield (
            topics.info,
            self._cached(
                topics.info,
                (rules, pending),
                lambda: info_message(
                    posted=self._posted,
                    rules=rules,
                    house=self._read_rules(rules),
                    journal=self._journal_id,
                    seq=state.lasting.seq,
                    rules_pending=pending,
                ),
            ),
        )
        noted = self._table.noted_head
        yield (
            topics.head,
            self._cached(
                topics.head,
                noted,
                lambda: HeadMessage(journal=self._journal_id, head=noted.head, seal=noted.seal),
            ),
        )
        yield (
            topics.state,
            self._cached(
                topics.state,
                state.lasting.seq,
                lambda: state_message(state, self._journal_id, self._read_rules),
            ),
        )
        results = () if state.shoe is None else state.shoe.results
        yield (
            topics.roads,
            self._cached(topics.roads, (state.shoe_number, results), lambda: roads_message(state, self._journal_id)),
        )
        settled = () if state.shoe is None else state.shoe.settled
        yield (
            topics.rounds,
            self._cached(
                topics.rounds,
                (state.shoe_number, len(results), settled),
                lambda: rounds_message(state, self._journal_id),
            ),
        )
        yield topics.listing, self._cached(topics.listing, None, lambda: table_listing(self._posted, self._journal_id))

    def _cached(self, topic: str, depends_on: object, make: Callable[[], msgspec.Struct]) -> bytes:
        made = self._made.get(topic)
        if made is None or made[0] != depends_on:
            made = self._made[topic] = (depends_on, _encode(make()))
        return made[1]
