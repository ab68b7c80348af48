"""What all parts of the reckoner share: the error that they raise, and the types of what they read."""

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
"""A JSON object: a line of the truth, an event, or an input. Fields that are not known here are ignored."""

RoundKey = tuple[int, int]
"""Shoe and round."""


class MismatchError(AssertionError):
    """Two records of the same table contradict each other, or one contradicts itself."""


def round_of(event: Json) -> RoundKey:
    return event["shoe"], event["round"]
