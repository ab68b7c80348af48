"""How long a client takes to get 100,000 events again, and what a card waits meanwhile.

A table deals at a real Mosquitto with a journal of that many events behind it. Cards are timed from the last byte on
the pty to their `event/card` at a subscriber: by themselves, while a client in another process asks for everything in
batches, and while one asks for each event by itself.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import itertools
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import aiomqtt
import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER
from firmware_protocol.events import Button, ButtonPressed, CardDrawn, IndicatedWinner, ResultIndicated
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.sides import Side
from shoe_controller.clock.moment import Moment
from shoe_controller.config.table_file import load_config
from shoe_controller.daemon.table_journal import SOFTWARE, entry_for
from shoe_controller.house.rules import read_rules, rules_of
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.store import open_journal
from shoe_controller.messages.requests import REPLAY, Answer, RequestRole, Stake
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import BrokerAddress, Will
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.table.inputs import AnyInput, ControllerStarted, LinkBack, PersonActs, SeatBets, ShoeReport
from shoe_controller.table.table import Table
from tests.bench.daemon import HANDS, PAUSE, TABLE, Shoe, _start_daemon, _subscriber, _until
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

EVENTS = 100_000
CARDS = 300
TOPICS = Topics("bench", "t1")
USER = "bench"
SEATS = ("1", "2", "3")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> None:
    broker = Mosquitto(folder, "allow_anonymous true")
    await broker.start()
    shoe = Shoe()
    shoe.attach()
    try:
        (folder / "table.toml").write_text(TABLE.format(tty=shoe.path, port=broker.port, level="info"))
        events = fill(folder)
        size = (folder / "t1.journal").stat().st_size
        print(f"a journal of {events:,} events, {size / 1e6:.0f} MB")
        process = await _start_daemon(folder, shoe.path, broker.port, fresh=False)
        try:
            async with _subscriber(broker.port) as messages:
                shoe.say(shoe.next_event())
                await _until(messages, "shoe/v1/bench/t1/event/shoe")
                await _time_cards(shoe, messages, broker.port)
        finally:
            process.send_signal(signal.SIGTERM)
            await process.wait()
    finally:
        shoe.detach()
        shoe.close()
        await broker.kill()


async def _time_cards(shoe: Shoe, messages: "AsyncIterator[aiomqtt.Message]", port: int) -> None:
    print("                            p50 µs   p99 µs   most µs   all events in")
    count = itertools.count(1)
    alone = await _cards(shoe, messages, lambda: next(count) > CARDS)
    _print("cards alone", alone, "")
    for name, batch in (("in batches of 100", 100), ("one by one", 1)):
        took: list[float] = []
        latencies: list[float] = []
        while len(latencies) < CARDS:
            client = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.bench.replay", str(port), str(batch), stdout=asyncio.subprocess.PIPE
            )
            assert client.stdout is not None
            answer = asyncio.create_task(client.stdout.readline())
            latencies += await _cards(shoe, messages, answer.done)
            took.append(float(await answer))
            await client.wait()
        _print(name, latencies, f"{statistics.median(took):.1f} s")


def _print(name: str, latencies: list[float], took: str) -> None:
    cuts = statistics.quantiles(latencies, n=100)
    print(f"  {name:<24}{1e6 * cuts[49]:>8.0f} {1e6 * cuts[98]:>8.0f} {1e6 * max(latencies):>8.0f}   {took}")


async def _cards(shoe: Shoe, messages: "AsyncIterator[aiomqtt.Message]", over: Callable[[], bool]) -> list[float]:
    latencies: list[float] = []
    while not over():
        event = shoe.next_event()
        began = shoe.say(event)
        if isinstance(event, CardDrawn):
            await _until(messages, "shoe/v1/bench/t1/event/card")
            latencies.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE)
    return latencies


# --- the client ------------------------------------------------------------------------------------------------------


async def ask_for_everything(port: int, batch: int) -> float:
    """Seconds from the request for all events to the last of them, asked for by as many requests as it takes."""
    address = BrokerAddress(host="127.0.0.1", port=port, client_id=f"replay-{batch}")
    reply = f"{TOPICS.replies}{USER}/{batch}"
    topic = TOPICS.request(RequestRole.DISPLAY, USER, REPLAY)
    async with NetworkBroker(address).connect(Will("bench/replay", b""), [reply]) as session:
        began = time.perf_counter()
        have = newest = 0
        while have < EVENTS:
            request = {"request_id": f"{batch}-{have}", "after": have, "limit": 100_000, "batch": batch}
            await session.publish_soon(topic, msgspec.json.encode(request), response_topic=reply)
            async for message in session.incoming():
                body = msgspec.json.decode(message.payload)
                if "status" in body:
                    answer = msgspec.convert(body, Answer)
                    assert answer.replay is not None, answer
                    newest = answer.replay.newest
                    assert have == answer.replay.last, "every event comes before the answer"
                    break
                for event in body.get("events", [body]):
                    assert event["seq"] == have + 1
                    have += 1
        assert newest >= EVENTS
        return time.perf_counter() - began


# --- the journal -----------------------------------------------------------------------------------------------------


def fill(folder: Path) -> int:
    """Deal shoe after shoe, with wagers, until the journal holds so many events; all of them count as published."""
    config = load_config(folder / "table.toml")
    rules = rules_of(config)
    table = Table(read_rules)
    journal = open_journal(
        folder / "t1.journal",
        identity=Identity(table="bench/t1", journal_id="bench"),
        software=SOFTWARE,
        now_ms=0,
        stamp="",
    )
    try:
        for number, given in enumerate(_inputs(table), 1):
            at = Moment(wall_ms=1_790_000_000_000 + 100 * number, mono_ns=10**8 * number, synchronised=True)
            wrapped: AnyInput = given
            if isinstance(given, ShoeReport | PersonActs) and table.opens_shoe(given, at):
                wrapped = table.new_shoe(rules, given)
            handled = table.handle(wrapped, at)
            assert handled.refusal is None, handled.refusal
            stored = journal.submit(entry_for(wrapped, handled, at))
            table.take_over(handled)
            if table.state.lasting.seq >= EVENTS:
                break
        stored.result()
        journal.confirm(table.state.lasting.seq).result()
    finally:
        journal.close()
    return table.state.lasting.seq


def _inputs(table: Table) -> Iterator[AnyInput]:
    chance = random.Random(3)  # noqa: S311 - the same in every run
    sequence = itertools.count(1)

    def report(event: CardDrawn | ButtonPressed | ResultIndicated) -> ShoeReport:
        return ShoeReport(event=event, sequence=next(sequence), boot_id=3)

    yield ControllerStarted(boot="bench")
    yield LinkBack(keeps_events=True, authenticated=False, boot_id=3)
    while True:
        yield report(ButtonPressed(button=Button.NEW_SHOE))
        stack = list(CARDS_BY_NUMBER) * 8
        chance.shuffle(stack)
        while len(stack) > 20:
            for seat in SEATS:
                state = table.state
                stakes = (Stake("base.banker", 100), Stake("base.tie", 50))
                yield SeatBets(seat=seat, stakes=stakes, shoe=state.shoe_number, round=state.round_number)
            deal = Deal()
            counts = {Side.PLAYER: itertools.count(1), Side.BANKER: itertools.count(1)}
            while (side := deal.next_side) is not None:
                card = stack.pop()
                deal.feed(card)
                yield report(CardDrawn(hand=HANDS[side], position=next(counts[side]), card=card))
            yield report(ResultIndicated(winner=IndicatedWinner(deal.facts.winner.value)))


if __name__ == "__main__":
    print(asyncio.run(ask_for_everything(int(sys.argv[1]), int(sys.argv[2]))))
