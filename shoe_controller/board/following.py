"""Keeps a floor told by a broker, and its pages fresh where something changes with time alone."""

from collections.abc import Callable, Iterator

from shoe_controller.board.floor import Floor
from shoe_controller.mqtt.broker import BrokerSession, Incoming
from shoe_controller.web.replay_request import Ask

TOUCH_EVERY = 30.0
"""Seconds after which pages look again by themselves, for what changes with time alone."""


class FollowedFloor:
    """A `Followed`. `request_id` is unlike that of any other start of this process."""

    def __init__(self, floor: Floor, request_id: str, changed: Callable[[], None]) -> None:
        self._floor = floor
        self._request_id = request_id
        self._changed = changed
        self._touched: float | None = None

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return self._floor.subscriptions

    def broker_up(self, _session: BrokerSession) -> None:
        self._floor.broker_up()

    def broker_down(self) -> None:
        self._floor.broker_down()

    def heard(self, message: Incoming, now: float) -> None:
        self._floor.heard(message.topic, message.payload, now)

    def asks(self, now: float) -> Iterator[Ask]:
        if self._touched is None:
            self._touched = now
        if now - self._touched >= TOUCH_EVERY:
            self._touched = now
            self._floor.touch()
            self._changed()
        return self._floor.asks(now, self._request_id)
