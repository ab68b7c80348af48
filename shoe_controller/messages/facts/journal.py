"""Facts about the journal itself."""

from typing import ClassVar

from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.facts.base import EventTopic, Fact


class CheckpointSigned(Fact, frozen=True, kw_only=True, tag="checkpoint_signed"):
    TOPIC: ClassVar[EventTopic] = EventTopic.CHECKPOINT

    checkpoint: Checkpoint
    """The checkpoint, as it is in the journal."""
