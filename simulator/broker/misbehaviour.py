"""Rules by which the broker misbehaves, so that tests can see how its clients cope.

Each rule may be limited to one client, to topics, and to a number of times; `behave` removes all of them.
One-off actions (cut, stall, forget, restart) are methods of the broker itself.
"""

from dataclasses import dataclass
from typing import TypedDict, Unpack

from simulator.broker.reasons import REFUSALS_OF_A_MESSAGE, Reason
from simulator.broker.topics import is_filter, matches


class Aim(TypedDict, total=False):
    """The clients and topics that a rule applies to; what is left out is not limited."""

    client_id: str
    topic_filter: str
    times: int


@dataclass(slots=True, kw_only=True)
class _Rule:
    client_id: str | None = None
    topic_filter: str | None = None
    times: int | None = None
    """How many more times it applies; `None` for always."""
    reason: Reason = Reason.UNSPECIFIED_ERROR
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.topic_filter is not None and not is_filter(self.topic_filter):
            raise ValueError(f"{self.topic_filter!r} is not a topic filter: + and # must each stand alone in a level.")
        if self.times is not None and self.times < 1:
            raise ValueError(
                f"a rule that applies {self.times} times does nothing; give 1 or more, or leave it out for always."
            )

    def applies(self, client_id: str, topic: str) -> bool:
        """Whether the rule applies; each yes uses up one of its times."""
        if self.times == 0 or (self.client_id is not None and self.client_id != client_id):
            return False
        if self.topic_filter is not None and not matches(self.topic_filter, topic):
            return False
        if self.times is not None:
            self.times -= 1
        return True


class Misbehaviour:
    """All rules in force. Without any, the broker behaves."""

    def __init__(self) -> None:
        self.behave()

    def behave(self) -> None:
        """Remove every rule; withheld acknowledgements stay withheld until the broker releases them."""
        self._withhold: list[_Rule] = []
        self._deny: list[_Rule] = []
        self._delay: list[_Rule] = []
        self._drop: list[_Rule] = []
        self._duplicate: list[_Rule] = []

    def withhold_acknowledgements(self, **aim: Unpack[Aim]) -> None:
        """Take messages and pass them on, but keep back the PUBACK that says so."""
        self._withhold.append(_Rule(**aim))

    def deny_publishes(
        self,
        reason: Reason = Reason.NOT_AUTHORISED,
        **aim: Unpack[Aim],
    ) -> None:
        """Refuse messages with this reason; a 3.1.1 client gets a plain acknowledgement and no delivery."""
        if reason not in REFUSALS_OF_A_MESSAGE:
            possible = ", ".join(sorted(each.name for each in REFUSALS_OF_A_MESSAGE))
            raise ValueError(f"{reason.name} cannot refuse a message; these can: {possible}.")
        self._deny.append(_Rule(**aim, reason=reason))

    def delay_deliveries(
        self,
        seconds: float,
        **aim: Unpack[Aim],
    ) -> None:
        """Send messages to subscribers only after this delay, in their order."""
        if seconds <= 0:
            raise ValueError(f"a delay of {seconds} seconds does nothing; give more than 0.")
        self._delay.append(_Rule(**aim, seconds=seconds))

    def drop_deliveries(self, **aim: Unpack[Aim]) -> None:
        """Acknowledge messages to their publisher and lose a subscriber's copy, whatever the QoS."""
        self._drop.append(_Rule(**aim))

    def duplicate_deliveries(self, **aim: Unpack[Aim]) -> None:
        """Send a subscriber its copy twice, as two separate messages, whatever the QoS."""
        self._duplicate.append(_Rule(**aim))

    def withholds(self, client_id: str, topic: str) -> bool:
        return _first(self._withhold, client_id, topic) is not None

    def denial(self, client_id: str, topic: str) -> Reason | None:
        rule = _first(self._deny, client_id, topic)
        return None if rule is None else rule.reason

    def copies(self, client_id: str, topic: str) -> int:
        """Return how many times a delivery is made: 1 unless a rule applies."""
        if _first(self._drop, client_id, topic) is not None:
            return 0
        return 1 if _first(self._duplicate, client_id, topic) is None else 2

    def delay(self, client_id: str, topic: str) -> float:
        rule = _first(self._delay, client_id, topic)
        return 0.0 if rule is None else rule.seconds


def _first(rules: list[_Rule], client_id: str, topic: str) -> _Rule | None:
    return next((rule for rule in rules if rule.applies(client_id, topic)), None)
