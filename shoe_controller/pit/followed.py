"""What the process follows over its one connection: events, for edges, and what the page shows of tables besides."""

from collections.abc import Iterator

from shoe_controller.board.floor import Floor
from shoe_controller.follow.table import EVENT_PREFIX, Request
from shoe_controller.messages.topics import REPLY
from shoe_controller.mqtt.broker import BrokerSession, Incoming
from shoe_controller.pit.site import ExposedSite


class FollowedPit:
    """A `Followed` that hands everything on to both; events and replies do not concern the floor."""

    def __init__(self, site: ExposedSite, floor: Floor) -> None:
        self._site = site
        self._floor = floor

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self._site.subscriptions, *self._floor.subscriptions)))

    def broker_up(self, session: BrokerSession) -> None:
        self._floor.broker_up(session)
        self._site.broker_up(session)

    def broker_down(self) -> None:
        self._floor.broker_down()
        self._site.broker_down()

    def receive(self, message: Incoming, now: float) -> None:
        try:
            self._site.receive(message, now)
        finally:
            below = message.topic.split("/", 4)[-1]
            if not below.startswith((EVENT_PREFIX, f"{REPLY}/")):
                self._floor.receive(message, now)

    def requests(self, now: float) -> Iterator[Request]:
        self._floor.requests(now)
        yield from self._site.requests(now)
