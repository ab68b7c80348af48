"""Who or what did something at the table: a person, the shoe, or time."""

from shoe_controller.baccarat.codes import Code


class Actor(Code, frozen=True):
    """Who or what did it."""


class Person(Actor, frozen=True):
    """A person, by the id in the table's file; `dealer` where the request named no person."""

    person: str
    """The person's id."""


class Shoe(Actor, frozen=True):
    """The shoe, by what it reported."""


class ShoeButton(Actor, frozen=True):
    """A person pressed a button on the shoe."""


class FirstCardDrawn(Actor, frozen=True):
    """The first card of the round left the shoe."""


class TimeRanOut(Actor, frozen=True):
    """The time that the house allows for it ran out."""


AnyActor = Person | Shoe | ShoeButton | FirstCardDrawn | TimeRanOut
