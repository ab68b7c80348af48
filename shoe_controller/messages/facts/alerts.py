"""Facts about alerts."""

from typing import ClassVar

from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.causes import AnyAlertEnd
from shoe_controller.messages.facts.base import EventTopic, Fact


class AlertRaised(Fact, frozen=True, kw_only=True, tag="alert_raised"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ALERT

    alert: AlertMessage
    """The alert."""


class AlertEnded(Fact, frozen=True, kw_only=True, tag="alert_ended"):
    TOPIC: ClassVar[EventTopic] = EventTopic.ALERT

    alert: AlertMessage
    """The alert, as it was raised."""
    cause: AnyAlertEnd
    """Why it ended."""
    replaces: int
    """The `seq` of the event that raised it."""
