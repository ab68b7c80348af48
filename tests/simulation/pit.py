"""The pit's core as one more follower: killed now and then, behind, replayed, and held to the public events alone."""

from collections.abc import Callable, Sequence
from random import Random

from msgspec import DecodeError

from shoe_controller.follow.table import subscriptions
from shoe_controller.messages.topics import Topics
from shoe_controller.pit.prices import SharedPrices
from shoe_controller.pit.table import PitTable
from tests.pit.chain import check
from tests.pit.public_fold import read, shown
from tests.simulation.clients import GRACE, Client
from tests.simulation.observer import BrokenPromiseError
from tests.simulation.virtual_broker import VirtualBroker
from tests.simulation.virtual_time import VirtualTime
from tests.simulator.broker.wire import Received

PRICES = SharedPrices()

LIVES = 40
"""Messages after which the process is killed, on average; it comes back and knows nothing."""

USER = "pit"

PublicEvents = Callable[[str], Sequence[tuple[str, bytes]]]
"""The events of a journal, in order, with their topics: as they are published, without the envelope."""

OPENS = b'"fact":"shoe_opened"'


class Pit(Client):
    def __init__(
        self, broker: VirtualBroker, time: VirtualTime, topics: Topics, chance: Random, events: PublicEvents
    ) -> None:
        self.checked = 0
        """Sets of edges that were held to the public events."""
        self.killed = 0
        self._chance = chance
        self._events = events
        self._lives = 0
        self._looks_later = False
        self._checked_last: object = None
        self._table = self._born(topics)
        replies = self._table.followed.reply_topic
        super().__init__(broker, time, topics, USER, *subscriptions(topics, replies), clean=True)

    def _born(self, topics: Topics) -> PitTable:
        self._lives = self._chance.randrange(2 * LIVES)
        return PitTable(topics, prices=PRICES, edge_limit=0.0, client=USER, instance="pit")

    def came(self) -> None:
        self._table.broker_up()
        self._look()

    def lost(self, why: str) -> None:
        self._table.broker_down()
        super().lost(why)

    def heard(self, message: Received) -> None:
        self._lives -= 1
        if self._lives < 0:
            self.killed += 1
            self._table = self._born(self.topics)
            self.end.hang_up("the pit's process is killed")
            return
        try:
            self._table.receive(
                self.topics.below(message.topic), message.payload, self.time.now, retained=message.retain
            )
        except DecodeError as error:
            raise BrokenPromiseError(f"the pit's process cannot read {message.topic}: {error}") from error
        self._hold_to_public_events()
        self._look_later()

    def _hold_to_public_events(self) -> None:
        figures = self._table.figures()
        if not figures.edges or figures == self._checked_last:
            return
        self._checked_last = figures
        message = self._table.edges_message(figures, "s", 0)
        if message is None:
            return
        events = [body for _, body in self._events(message.journal)[: message.seq]]
        opened = max((at for at, body in enumerate(events) if OPENS in body[:60]), default=0)
        known = shown(map(read, events[opened:]))
        if known is None or not known.betting:
            raise BrokenPromiseError(f"the pit's process has edges for round {message.round}, which nobody bets on")
        try:
            check(message, known)
        except AssertionError as error:
            raise BrokenPromiseError(f"edges do not follow from the shown cards: {error}") from error
        self.checked += 1

    def _look_later(self) -> None:
        if not self._looks_later:
            self._looks_later = True
            self.time.after(GRACE, self._look)

    def _look(self) -> None:
        self._looks_later = False
        request = self._table.request(self.time.now) if self.end.ready else None
        if request is not None:
            self.publish(request.topic, request.payload, response_topic=request.response_topic, correlation=b"replay")
            self._look_later()
        self._table.work_off()
