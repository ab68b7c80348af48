"""A table on the bench that the pit's core follows, as it would over MQTT."""

from typing import Any

import msgspec

from shoe_controller.follow.table import Request
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.facts import AnyFact
from shoe_controller.messages.pit import EdgesMessage, RaisedPitAlarm
from shoe_controller.messages.refusals import Pruned
from shoe_controller.messages.requests import ReplayRequest
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.retained import state_message
from shoe_controller.pit.prices import SharedPrices
from shoe_controller.pit.table import PitTable
from tests.follow.samples import JOURNAL, answered, published, refused_replay, replayed, status
from tests.table.sitting import Sitting

encode = msgspec.json.encode

PRICES = SharedPrices()
"""Shared, as making them takes longest."""

WALL = 1_790_000_000_000


class Followed:
    """The core beside the table, with a broker that loses nothing unless it is told to."""

    def __init__(self, sitting: Sitting, *, edge_limit: float = 0.0, journal: str = JOURNAL) -> None:
        self.sitting = sitting
        self.journal = journal
        self.now = 100.0
        self.sent = 0
        self.pruned = 0
        """Events up to this number are gone."""
        self.requests: list[ReplayRequest] = []
        self.table = PitTable(Topics("north", "t1"), prices=PRICES, edge_limit=edge_limit, client="pit", instance="i1")
        self.table.broker_up()

    @property
    def facts(self) -> list[AnyFact]:
        return self.sitting.facts

    def status(self, **more: Any) -> None:  # noqa: ANN401 - fields of a status
        self.table.receive("status", encode(status(**({"journal": self.journal} | more))), self.now)

    def state(self) -> None:
        message = state_message(self.sitting.state, self.journal, read_rules)
        self.table.receive("state", encode(message), self.now)

    def connect(self) -> None:
        """Status and state come, and nothing of what was published before."""
        self.sent = len(self.facts)
        self.status()
        self.state()
        self.settle()

    def catch_up(self) -> None:
        """What the table has published since comes."""
        for fact in self.facts[self.sent :]:
            self.table.receive(f"event/{fact.TOPIC}", published(fact, self.journal), self.now)
        self.sent = len(self.facts)
        self.state()
        self.settle()

    def settle(self) -> None:
        """Time passes; requests are answered as the controller does."""
        for _ in range(60):
            self.now += 0.3
            request = self.table.request(self.now)
            if request is not None:
                self._answer(request)

    def _answer(self, request: Request) -> None:
        asked = msgspec.json.decode(request.payload, type=ReplayRequest)
        self.requests.append(asked)
        below = self.table.topics.below(request.response_topic)
        if asked.after < self.pruned:
            refusal = Pruned(oldest=self.pruned + 1)
            self.table.receive(below, refused_replay(request, refusal), self.now)
            return
        some = [fact for fact in self.facts if fact.seq > asked.after][: asked.limit]
        for begin in range(0, len(some), 100):
            self.table.receive(below, replayed(*some[begin : begin + 100], journal=self.journal), self.now)
        last = some[-1].seq if some else asked.after
        self.table.receive(below, answered(request, self.facts[-1].seq, last), self.now)

    # --- what is published -------------------------------------------------------------------------------------------

    def edges(self) -> EdgesMessage:
        message = self.table.edges_message(self.table.figures(), "s1", WALL)
        assert message is not None
        return message

    def edge(self, wager: str) -> float:
        (found,) = (each.edge for each in self.edges().edges if each.wager == wager)
        return found

    def why_none(self) -> str | None:
        none = self.edges().none
        return None if none is None else none.code

    def alarms(self) -> list[RaisedPitAlarm]:
        return list(self.table.alarms(WALL))
