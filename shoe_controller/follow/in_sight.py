"""Which tables there are at the broker, for a page that waits for one in vain: it can say what there is instead.

The broker decides what a user sees: of a filter for all sites, it delivers what the access list lets this user read,
and no name of another house. The look is a connection of its own, which ends at once: a broker that refuses it harms
nobody.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from shoe_controller.messages.topics import ANY, Topics
from shoe_controller.mqtt.broker import Broker, BrokerError, BrokerSession, Incoming

LOOK_EVERY = 3.0
"""Seconds between two looks, while a table is waited for."""

MOST_SHOWN = 20
"""Tables that are named."""

MOST_READ = 2000
"""Messages that are read in a look."""

_DRAINED = 0.1
"""Seconds without another message after which all that was retained has been read."""

LISTINGS = Topics(ANY, ANY).listing
"""A filter for the listings of all tables of all sites."""

_LISTING = re.compile(re.escape(LISTINGS).replace(re.escape(ANY), "([A-Za-z0-9_-]{1,40})"))


class Waiting(msgspec.Struct, frozen=True):
    """What is waited for, and what can be seen instead; each as SITE/TABLE."""

    tables: tuple[str, ...]
    there: tuple[str, ...]


async def tables_in_sight(broker: Broker) -> tuple[str, ...]:
    """Look once; raises `BrokerError` where the broker does not let us."""
    async with broker.connect(None, (LISTINGS,)) as session:
        return listed(await read_all(session))


async def read_all(session: BrokerSession) -> list[Incoming]:
    """What the broker had retained for the subscriptions, up to a bound."""
    await session.retained_arrived()
    messages, found = session.incoming(), list[Incoming]()
    with suppress(TimeoutError):
        while len(found) < MOST_READ:
            async with asyncio.timeout(_DRAINED):
                found.append(await anext(messages))
    return found


def listed(messages: list[Incoming]) -> tuple[str, ...]:
    """The tables in these listings, as SITE/TABLE."""
    listings = (_LISTING.fullmatch(message.topic) for message in messages if message.payload)
    return tuple(sorted({"/".join(listing.groups()) for listing in listings if listing is not None})[:MOST_SHOWN])


async def look_around(
    broker: Broker,
    waits: Callable[[], bool],
    seen: Callable[[tuple[str, ...]], None],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Look again and again while something is waited for, until cancelled."""
    while True:
        await sleep(LOOK_EVERY)
        if waits():
            try:
                found = await tables_in_sight(broker)
            except BrokerError:
                found = ()
            if waits():
                seen(found)
