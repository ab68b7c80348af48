"""Attacks with requests: floods, answers aimed at others, and guessed PINs. Real table, real broker, real daemon."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from shoe_controller.messages.alerts import AlertKind, AlertMessage
from shoe_controller.messages.details import FloodingUser
from shoe_controller.messages.facts import AlertRaised, RoundResult, WrongPin
from shoe_controller.messages.requests import RequestRole
from shoe_controller.mqtt.request_limits import BURST, RATE
from shoe_controller.mqtt.requests import LONGEST_CORRELATION
from shoe_controller.table.pins import MOST_NAMES
from tests.attacks.attack import Attack
from tests.bench.daemon import resident
from tests.daemon.clients import Display, Heard, MqttClient, Terminal
from tests.daemon.harness import Chain
from tests.daemon.house_file import PINS
from tests.mqtt.counter import PINS as COUNTER_PINS
from tests.mqtt.counter import TOPICS, Counter
from tests.simulator.broker import wire

MOST_GROWTH = 32 * 1024
"""KiB that the daemon may grow by in a flood; the requests that it keeps take 8 MiB at most."""
QUEUES = "allow_anonymous true\nmax_queued_messages 10000"


# --- floods ----------------------------------------------------------------------------------------------------------


def _flood(folder: Path, tries: int) -> str:
    return asyncio.run(_flooded(folder, tries))


async def _flooded(folder: Path, tries: int) -> str:
    """One client sends requests of every kind as fast as the broker takes them, while cards are dealt."""
    procedure = {"gate_locks": "when_stopped"}
    async with Chain(folder, speed="100", procedure=procedure, broker_settings=QUEUES) as chain:
        await chain.start_daemon()
        display = await chain.display()
        flooder = await chain.terminal(display, "flooder")
        supervisor = await chain.terminal(display, "supervisor")
        await chain.start_emulator()
        await display.until(lambda: display.facts_of(RoundResult), what="the first result")
        dealt, before = len(display.facts_of(RoundResult)), resident(chain.daemon.pid)
        began = asyncio.get_running_loop().time()
        await _send_raw(chain.broker.port, itertools.islice(_requests(flooder), tries))
        answer = await supervisor.ask("supervisor", "sign_in", _signing_in("rana", PINS["rana"]))
        assert answer.code == "other_round", "the PIN was right, and only the round was not"
        await display.until(lambda: len(display.facts_of(RoundResult)) >= dealt + 2, what="two more results")
        await display.until(lambda: _floods(display), what="the alert")
        took = asyncio.get_running_loop().time() - began
        assert {alert.detail for alert in _floods(display)} == {FloodingUser(user=flooder.visitor.client_id)}
        growth = resident(chain.daemon.pid) - before
        assert growth < MOST_GROWTH, f"the daemon grew by {growth} KiB"
        allowed = len(RequestRole) * (BURST + RATE * took)
        assert flooder.answers_heard <= allowed, f"{flooder.answers_heard} answers in {took:.1f} s"
        assert chain.times_logged("broker_down") == 0
    return f"cards went on, a supervisor was answered, memory grew by {max(0, growth) / 1024:.1f} MiB"


def _floods(display: Display) -> list[AlertMessage]:
    return [fact.alert for fact in display.facts_of(AlertRaised) if fact.alert.kind is AlertKind.REQUEST_FLOOD]


def _requests(terminal: Terminal) -> Iterator[bytes]:
    """PUBLISH packets; at QoS 0, nothing holds their sender back."""
    properties = {"response_topic": terminal.reply_topic, "correlation_data": b"c"}
    kinds = (
        ("wagers", "place", b'{"request_id": '),
        ("wagers", "place", b"x" * 1000),
        ("dealer", "call_supervisor", b'{"request_id":"a%d","shoe":0,"round":0}'),
        ("supervisor", "sign_in", b'{"request_id":"s%d","shoe":0,"round":0,"person":"p%d","pin":"000000"}'),
        ("display", "replay", b'{"request_id":"r%d","after":0,"limit":100000,"batch":100}'),
        ("display", "x" * 200, b"{}"),
    )
    for number, (role, name, body) in enumerate(itertools.cycle(kinds)):
        numbered = body % ((number,) * body.count(b"%d"))
        yield wire.publish(terminal.request_topic(role, name), numbered, props=properties)


async def _send_raw(port: int, packets: Iterator[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(wire.connect("raw-flooder", keep_alive=0))
    await reader.read(1)
    while some := b"".join(itertools.islice(packets, 100)):
        writer.write(some)
        await writer.drain()
        await asyncio.sleep(0.001)
    writer.write(bytes.fromhex("e000"))
    with suppress(ConnectionError):
        await reader.read()
    writer.close()


def _signing_in(person: str, pin: str) -> dict[str, object]:
    return {"request_id": "sign-in", "shoe": 9999, "round": 9999, "person": person, "pin": pin}


# --- reflection ------------------------------------------------------------------------------------------------------


class _Victim(MqttClient):
    def __init__(self, chain: Chain, name: str) -> None:
        self.heard_messages: list[Heard] = []
        super().__init__(chain.visitor(name), f"{chain.topics.prefix}/reply/#")

    def heard(self, message: Heard) -> None:
        self.heard_messages.append(message)


def _reflect(folder: Path, tries: int) -> str:
    return asyncio.run(_reflected(folder, tries))


async def _reflected(folder: Path, tries: int) -> str:
    """Replays with somebody else's reply topic, and with correlation data that would go out with every event."""
    async with Chain(folder, speed="40") as chain:
        await chain.start_daemon()
        display = await chain.display()
        attacker = await chain.terminal(display, "attacker")
        await chain.start_emulator()
        await display.until(lambda: display.facts_of(RoundResult), what="some events")
        async with _Victim(chain, "victim") as victim:
            body = msgspec.json.encode({"request_id": "r", "after": 0, "limit": 100_000})
            topic = attacker.request_topic("display", "replay")
            theirs = f"{chain.topics.replies}{victim.visitor.client_id}/1"
            own = f"{chain.topics.replies}{attacker.visitor.client_id}/other"
            for number in range(tries):
                attacker.publish(topic, body, response_topic=theirs, correlation=b"c")
                if number % 10 == 0:
                    attacker.publish(topic, body, response_topic=own, correlation=b"c" * (LONGEST_CORRELATION + 1))
                if number % 20 == 19:
                    await asyncio.sleep(1 / RATE)
            honest = await attacker.ask("display", "replay", {"request_id": "honest", "after": 10**9})
            assert honest.code in ("beyond_newest", "busy")
            heard = victim.heard_messages
            assert not [message for message in heard if message.topic == theirs]
            longest = max((len(message.correlation or b"") for message in heard), default=0)
            assert longest <= LONGEST_CORRELATION
            events = [message for message in heard if b'"seq"' in message.payload and message.topic == own]
            assert not events, "a request with long correlation data replays nothing"
    return "nothing reached the other client, and no long correlation data came back"


# --- PINs ------------------------------------------------------------------------------------------------------------


def _guess(folder: Path, tries: int) -> str:
    return asyncio.run(_guessed(folder, tries))


async def _guessed(folder: Path, tries: int) -> str:
    """One terminal guesses the PINs of both supervisors and of thousands of names, ten times a second."""
    counter = Counter(folder)
    counter.sitting.open_shoe()
    replies = f"{TOPICS.replies}guesser/1"
    checked = 0
    for number in range(tries):
        name = ("ann", "ben", f"name-{number}")[number % 3]
        body = counter.named(request_id=f"g{number}", person=name, pin=f"{number % 1_000_000:06}")
        request = msgspec.json.encode(body)
        answer = await counter.bring("supervisor/sign_in", request, user="guesser", response_topic=replies)
        assert answer is not None
        assert answer.code in ("wrong_pin", "locked_out") or COUNTER_PINS.get(name) == body["pin"]
        counter.sitting.wait(0.1)
        checked = len(counter.looked_at)
    most = (MOST_NAMES + 1) * 9
    assert checked <= most, f"{checked} checks"
    assert len(counter.sitting.all(WrongPin)) == checked
    for person, pin in COUNTER_PINS.items():
        answer = await counter.supervisor("sign_in", person=person, pin=pin, request_id=f"own-{person}")
        assert answer.code == "ok", "nobody is locked out at another terminal"
    if tries >= 100:
        assert AlertKind.PIN_GUESSING in counter.sitting.alerts
    return f"{checked} of them were checked, an alert was raised, both supervisors signed in elsewhere"


ATTACKS = (
    Attack("flood of requests from one client", _flood, tries=120_000, sample=4_000),
    Attack("replays reflected at another client", _reflect, tries=2_000, sample=0),
    Attack("PINs guessed from one terminal", _guess, tries=10_000, sample=300),
)
