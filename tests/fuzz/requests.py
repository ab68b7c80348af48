"""Any requests in any order to a table in any phase: each is answered once, and nothing is done twice.

An input chooses a table, and then up to some twenty steps: requests, most of them right in most of their fields,
repeats of earlier ones, cards, time, lost connections, a daemon that is killed, a full disk. `request_world.py` says
what must hold.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from firmware_protocol.events import Button, ButtonPressed, IndicatedWinner, LinkDownCause
from shoe_controller.messages.acts import ACTS
from shoe_controller.messages.limits import LARGEST_SEQ, LARGEST_STAKE
from shoe_controller.messages.requests import (
    CHECKPOINTS,
    LONGEST_USER,
    PLACE,
    REPLAY,
    RequestRole,
    acts_of,
)
from shoe_controller.messages.topics import LONGEST_REPLY
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.table.inputs import LinkBack, LinkLost
from tests.fuzz.brought import TOPICS
from tests.fuzz.positions import POSITIONS
from tests.fuzz.request_world import PINS, RequestWorld, small_limits
from tests.fuzz.source import Source

INSTRUMENTED = (
    "shoe_controller.messages.requests",
    "shoe_controller.messages.topics",
    "shoe_controller.mqtt.replays",
    "shoe_controller.mqtt.request_service",
    "shoe_controller.mqtt.requests",
    "shoe_controller.table",
)
LONGEST_INPUT = 80

T = TypeVar("T")

_NAMES = {
    RequestRole.WAGERS: (PLACE,),
    RequestRole.DEALER: tuple(acts_of(RequestRole.DEALER)),
    RequestRole.SUPERVISOR: tuple(acts_of(RequestRole.SUPERVISOR)),
    RequestRole.DISPLAY: (REPLAY,),
    RequestRole.WITNESS: (CHECKPOINTS,),
}
_ROLES = (RequestRole.WAGERS, RequestRole.SUPERVISOR, RequestRole.DEALER, *RequestRole)
_DETAILS: dict[str, tuple[str, ...]] = {
    rule.name: tuple(field.name for field in msgspec.structs.fields(act)) for act, rule in ACTS.items()
}
"""The names of the fields of each act."""
_USERS = ("board", "board b", "seat-1", "pit"), ("ü", "+", "t" * LONGEST_USER, "t" * (LONGEST_USER + 1), "")
_IDS = ("r1", "b r1", "r2", "r3"), ("ü", "i" * 80, "i" * 81, "")
_PEOPLE = ("ann", "ben", "dan"), ("nobody", "", "p" * 41)
_REASONS = ("seen", "seen", ""), (" ", "ß" * 500, "x" * 501)
_SEATS = ("1", "2", "3"), ("9", "", "s" * 41)
_WAGERS = ("base.player", "base.banker", "base.tie", "pairs.player"), ("lucky_6.lucky_6", "none", "")
_STAKES = (50, 0, 5, 100), (1, 1000, 1001, LARGEST_STAKE, LARGEST_STAKE + 1, -1)
"""Likely values, and odd ones."""
_NUMBERS = (0, 1, 2, 5, 20, -1, LARGEST_SEQ, LARGEST_SEQ + 1, 10**30)
_CARDS = ("9H", "AS", "TD", "2C", "??", None)
_ODD: tuple[object, ...] = (
    None,
    True,
    -1,
    0,
    1.0,
    1.5,
    2**63,
    "",
    "x" * 600,
    [],
    {},
    [[]],
    {"act": "confirm"},
    "\ud7ff\0",
)
_CARDS_OF_SHOE = ("9H", "4D", "KS", "2C", "8S", "AS", None)
_DEEPEST = 1100


def one_input(data: bytes) -> None:
    source = Source(data)
    start = source.pick(POSITIONS)
    world = RequestWorld(start, slow=source.flag())
    with small_limits(), world.running():
        while source.left:
            source.pick(_STEPS)(world, source)
        world.finish()


# --- requests --------------------------------------------------------------------------------------------------------


def _request(world: RequestWorld, source: Source) -> None:
    role = source.pick(_ROLES)
    user = _likely(source, _USERS)
    name = source.pick(_NAMES[role])
    odd = source.number(15)
    if odd == 1:
        name = source.take(source.number(12)).decode(errors="replace")
    elif odd == 2:
        name = source.pick(_NAMES[source.pick(_ROLES)])
    payload = msgspec.json.encode(_fields(world, source, role, name))
    if odd == 3:
        payload = source.take(source.number(60))
    elif odd in (4, 5):
        payload = _edited(payload, source)
    topic = f"{TOPICS.prefix}/request/{role.value}/{user}/{name}"
    if odd == 6:
        topic = source.take(source.number(40)).decode(errors="replace")
    world.bring(_message(source, topic, payload, user))


def _message(source: Source, topic: str, payload: bytes, user: str) -> Incoming:
    properties = source.number(15)
    correlation = None if properties == 0 else source.take(properties % 4)
    reply: str | None = f"{TOPICS.replies}{user}/1"
    if properties == 12:
        correlation = b"c" * source.pick((127, 128, 129, 60_000))
    elif properties == 13:
        reply = source.pick(
            (
                None,
                f"{TOPICS.replies}pit/1",
                f"{TOPICS.replies}{user}/",
                f"{TOPICS.replies}{user}",
                f"{TOPICS.replies}{user}/#",
                f"{TOPICS.replies}{user}/{'r' * LONGEST_REPLY}",
                f"{TOPICS.replies}{user}/{'r' * (LONGEST_REPLY + 1)}",
                TOPICS.state,
                "",
            )
        )
    elif properties == 14:
        reply = TOPICS.replies + source.take(source.number(12)).decode(errors="replace")
    return Incoming(
        topic=topic, payload=payload, response_topic=reply, correlation=correlation, retain=properties == 15
    )


def _fields(world: RequestWorld, source: Source, role: RequestRole, name: str) -> dict[str, Any]:
    state = world.state
    fields: dict[str, Any] = {"request_id": _likely(source, _IDS)}
    match role:
        case RequestRole.WAGERS:
            fields |= {
                "seat": _likely(source, _SEATS),
                "stakes": [
                    {"wager": _likely(source, _WAGERS), "stake": _likely(source, _STAKES)}
                    for _ in range(source.number(3) + 1)
                ],
            }
        case RequestRole.DISPLAY:
            fields |= {"after": source.pick((0, world.newest() - 1, world.newest(), *_NUMBERS))}
            fields |= {"limit": source.pick((1, 30, 100_000, 0)), "batch": source.pick((1, 20, 100, 101))}
        case RequestRole.WITNESS:
            fields |= {"after": source.pick(_NUMBERS)}
        case _:
            person = _likely(source, _PEOPLE)
            fields |= {
                "person": person,
                "pin": source.pick((PINS.get(person, "1"), PINS.get(person, "1"), "000000", None)),
            }
            fields |= {"reason": _likely(source, _REASONS), "details": _details(world, source, name)}
    if role in (RequestRole.WAGERS, RequestRole.DEALER, RequestRole.SUPERVISOR):
        fields |= {"shoe": state.shoe_number, "round": state.round_number}
    odd = source.number(31)
    if odd < 3:
        key = source.pick((*fields, "more"))
        if odd == 0:
            fields.pop(key, None)
        else:
            fields[key] = source.pick(_ODD if odd == 1 else _NUMBERS)
    return fields


def _details(world: RequestWorld, source: Source, name: str) -> dict[str, Any]:
    details: dict[str, Any] = {}
    for field in _DETAILS.get(name, ()):
        match field:
            case "alert":
                details["alert"] = source.pick((*(each.number for each in world.state.lasting.alerts), *_NUMBERS))
            case "proposal":
                details["proposal"] = source.pick((world.state.lasting.proposals_made, *_NUMBERS))
            case "number" | "shoe" | "round" | "dispute":
                details[field] = source.pick((*_NUMBERS, None))
            case "seat":
                details["seat"] = _likely(source, _SEATS)
            case "amount":
                details["amount"] = _likely(source, _STAKES)
            case "card":
                details["card"] = source.pick(_CARDS)
            case _:
                details[field] = source.pick(("player", "banker", None, "both"))
    odd = source.number(63)
    if odd == 1:
        details[source.pick(("number", "card", "act", "x"))] = source.pick(_ODD)
    elif odd == 2:
        details["x"] = _nested(source.number(_DEEPEST))
    return details


def _likely(source: Source, values: tuple[Sequence[T], Sequence[T]]) -> T:
    """One of the likely values; of the odd ones once in sixteen times."""
    number = source.number(255)
    likely, odd = values
    return likely[number % len(likely)] if number < 240 else odd[number % len(odd)]


def _nested(depth: int) -> object:
    return msgspec.Raw(b"[" * depth + b"]" * depth if depth else b"0")


def _edited(payload: bytes, source: Source) -> bytes:
    """A right request with a few bytes changed."""
    edited = bytearray(payload)
    for _ in range(source.number(2) + 1):
        at = source.number(len(edited))
        edited[at : at + source.number(8)] = source.take(source.number(8))
    return bytes(edited)


def _repeat(world: RequestWorld, source: Source) -> None:
    """An earlier request once more; the same, or with another reply topic, name, or change in its bytes."""
    if not world.brought:
        return
    earlier = world.brought[-1 - source.number(min(len(world.brought), 256) - 1)]
    message = earlier.message
    odd = source.number(7)
    payload = _edited(message.payload, source) if odd == 1 else message.payload
    topic = message.topic
    if odd == 2:
        topic = f"{TOPICS.prefix}/request/{earlier.role}/{_likely(source, _USERS)}/{earlier.name}"
    if odd == 3:
        world.bring(_message(source, topic, payload, earlier.user))
        return
    world.bring(
        Incoming(
            topic=topic,
            payload=payload,
            response_topic=message.response_topic,
            correlation=message.correlation,
            retain=message.retain,
        )
    )


# --- everything else -------------------------------------------------------------------------------------------------


def _shoe(world: RequestWorld, source: Source) -> None:
    match source.number(7):
        case 0:
            world.event(ButtonPressed(button=source.pick(tuple(Button))))
        case 1:
            world.result(source.pick((*IndicatedWinner, None)))
        case 2:
            world.give(LinkLost(how=LinkDownCause.DISCONNECTED, reason="pulled"))
        case 3:
            world.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench"))
        case _:
            world.card(source.pick(_CARDS_OF_SHOE))


def _time(world: RequestWorld, source: Source) -> None:
    world.go_on(source.pick((0.1, 1.0, 10.0, 130.0, 310.0, 100_000.0)))


def _held_up(world: RequestWorld, source: Source) -> None:
    """What is held up in a slow world goes on, one at a time."""
    match source.number(2):
        case 0:
            world.store_next()
        case 1:
            world.finish_pin_check()
        case _:
            world.confirm_next()


def _trouble(world: RequestWorld, source: Source) -> None:
    match source.number(3):
        case 0:
            world.lose_connection()
        case 1:
            world.restart()
        case 2:
            world.full = not world.full
        case _:
            world.slow = not world.slow


_STEPS: tuple[Callable[[RequestWorld, Source], None], ...] = (
    _request,
    _request,
    _request,
    _repeat,
    _repeat,
    _shoe,
    _time,
    _held_up,
    _held_up,
    _trouble,
)
