"""How events that are missing are asked for. Pure."""

from typing import NamedTuple

import msgspec

from shoe_controller.messages.requests import REPLAY, ReplayRequest, RequestRole
from shoe_controller.messages.topics import Topics


class Ask(NamedTuple):
    """A request for events that are missing."""

    topic: str
    payload: bytes
    response_topic: str


def ask_for_replay(topics: Topics, after: int, *, request_id: str, response_topic: str) -> Ask:
    """Ask a table for its events after this number; the answers come to `response_topic`."""
    request = ReplayRequest(request_id=request_id, after=after)
    topic = topics.request(RequestRole.DISPLAY, topics.client_of(response_topic), REPLAY)
    return Ask(topic, msgspec.json.encode(request), response_topic)
