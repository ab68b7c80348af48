"""How events that are missing are asked for. Pure."""

from typing import NamedTuple

import msgspec

from shoe_controller.mqtt.contract import ReplayRequest, Topics


class Ask(NamedTuple):
    """A request for events that are missing."""

    topic: str
    payload: bytes
    response_topic: str


def ask_for_replay(topics: Topics, after: int, *, request_id: str, response_topic: str) -> Ask:
    """Ask a table for its events after this number; the answers come to `response_topic`."""
    request = ReplayRequest(request_id=request_id, after=after)
    return Ask(f"{topics.prefix}/request/display/replay", msgspec.json.encode(request), response_topic)
