"""Facts about what people did."""

from typing import ClassVar

from shoe_controller.messages.acts import AnyAct, Role
from shoe_controller.messages.causes import AnyProposalEnd
from shoe_controller.messages.facts.base import EventTopic, Fact


class PersonActed(Fact, frozen=True, kw_only=True, tag="person_acted"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    act: AnyAct
    """What was done."""
    person: str
    """The id of the person who did it; of an act of two people, the first. The role where no person was named."""
    role: Role
    """The role in which it was done."""
    reason: str
    """What the person gave as the reason; may be empty."""
    approved_by: str | None = None
    """The second supervisor, where the act takes two."""
    user: str = ""
    """The broker's user who sent the request, of an act of two people the second; empty in layout version 1."""


class ActProposed(Fact, frozen=True, kw_only=True, tag="act_proposed"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    proposal: int
    """The proposal's number."""
    act: AnyAct
    """What is proposed."""
    person: str
    """The id of the person who proposed it."""
    reason: str
    """What the person gave as the reason."""
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""


class ProposalEnded(Fact, frozen=True, kw_only=True, tag="proposal_ended"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    proposal: int
    """The proposal's number."""
    cause: AnyProposalEnd
    """Why it ended."""


class DealerChanged(Fact, frozen=True, kw_only=True, tag="dealer_changed"):
    """Another dealer is on duty, or none."""

    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    dealer: str | None
    """The id of the dealer on duty now; null if none is."""
    before: str | None
    """The id of the dealer whose duty ended with it; null if none was on duty."""


class WrongPin(Fact, frozen=True, kw_only=True, tag="wrong_pin"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    person: str
    """The id of the person whose PIN was asked for; `unknown-…` where no person has the id that was given."""
    failures: int
    """Wrong PINs in a row for this person at this terminal."""
    locked_out: bool
    """Whether the person is locked out at this terminal now."""
    user: str = ""
    """The broker's user who sent the request; empty in events from a journal of layout version 1."""
