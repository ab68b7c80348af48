"""Requests that are late, repeated, nonsense, forged or too many: each gets its answer, and the table deals on."""

import asyncio
import itertools
import random
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import FloodingUser
from shoe_controller.messages.facts import AlertRaised, RoundResult, WagersChanged
from shoe_controller.messages.refusals import OtherSeat
from shoe_controller.messages.requests import REPLAY, Answer, RequestRole
from shoe_controller.mqtt.broker import LARGEST_PACKET
from shoe_controller.mqtt.request_limits import BURST
from tests.daemon.clients import Display, Heard, MqttClient, Terminal, Visitor
from tests.daemon.harness import Chain
from tests.daemon.house_file import PINS, SEATS
from tests.daemon.parties import takes_wagers
from tests.reckoning import last_number, reckoned, sound_journal


class Eavesdropper(MqttClient):
    """Receives everything that goes over the broker."""

    def __init__(self, chain: Chain) -> None:
        super().__init__(chain.visitor("eavesdropper"), "#")
        self.messages: list[Heard] = []

    def heard(self, message: Heard) -> None:
        self.messages.append(message)


QUEUES = "allow_anonymous true\nmax_queued_messages 10000"
"""As many messages wait for a slow client as at the broker that `init` sets up."""


async def wagers_open(display: Display) -> None:
    await display.until(lambda: takes_wagers(display.state), what="wagers to open")
    await display.is_up_to_date()


def dealt_by_hand() -> dict[str, str]:
    return {"bets_close": "dealer"}


@pytest.mark.asyncio
async def test_late_repeated_and_foreign_requests(tmp_path: Path) -> None:
    async with Chain(tmp_path, speed="12", procedure=dealt_by_hand()) as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        display = await chain.display()
        terminal = await chain.terminal(display)
        await wagers_open(display)
        assert display.state is not None
        shoe, playing = display.state.shoe, display.state.round

        first = await terminal.bet("1", {"base.player": 500}, request_id="the same")
        again = await terminal.bet("1", {"base.player": 500}, request_id="the same")
        assert first == again
        assert first.status == "ok"
        assert first.wagers is not None
        assert (first.wagers.seat, first.wagers.total) == ("1", 500)
        other = await terminal.bet("2", {"base.player": 700}, request_id="the same")
        assert other.code == "other_contents"
        seen = display.state.seq
        await chain.stop_daemon()
        await chain.start_daemon()
        await display.until(lambda: display.state is not None and display.state.seq > seen, what="the next state")
        await wagers_open(display)
        other = await terminal.bet("2", {"base.player": 700}, request_id="the same")
        assert other.code == "other_contents", "also by a controller that was started since"
        assert (await terminal.bet("1", {"base.player": 500}, request_id="the same")).status == "ok"
        await display.is_up_to_date()
        assert len(display.facts_of(WagersChanged)) == 1, "a repeat gets the first answer and does nothing twice"

        for wrong in ({"round": playing + 1}, {"round": playing - 1}, {"shoe": shoe + 1}, {"shoe": shoe - 1}):
            assert (await terminal.bet("1", {"base.player": 600}, **wrong)).code == "other_round"
        assert (await terminal.bet("nowhere", {"base.player": 600})).code == "unknown_seat"
        assert (await terminal.bet("1", {"base.player": 600, "no.wager": 5})).status == "error"
        assert (await terminal.bet("1", {"base.player": 1})).status == "error"
        assert (await terminal.bet("1", {})).code == "bad_request"
        assert (await terminal.bet("2", {"base.player": 0})).code == "no_such_wager"
        assert (await terminal.act("no_more_bets")).status == "ok"
        assert (await terminal.bet("1", {"base.player": 600}, shoe=shoe, round=playing)).status == "error"

        body = {"request_id": "r", "shoe": shoe, "round": playing, "person": "rana", "pin": "480612", "reason": "why"}
        for role, name in (
            ("dealer", "void_round"),
            ("display", "no_more_bets"),
            ("wagers", "void_round"),
            ("supervisor", "replay"),
            ("supervisor", "no_such_act"),
        ):
            assert (await terminal.ask(role, name, body)).code == "unknown_request", (role, name)


NONSENSE = [
    b"",
    b"{}",
    b"null",
    b"[1, 2, 3]",
    b"\xff\xfe\x00",
    b'{"request_id": 5}',
    b'{"request_id": "x", "shoe": 1, "round": 1, "seat": "1", "stakes": [{"wager": "base.player", "stake": -5}]}',
    b'{"request_id": "x", "shoe": 1, "round": 1, "seat": "1", "stakes": [{"wager": "base.player", "stake": 1e300}]}',
    b'{"request_id": "", "shoe": 1, "round": 1, "seat": "1", "stakes": []}',
    b'{"request_id": "' + b"x" * 500 + b'", "shoe": 1, "round": 1, "seat": "1", "stakes": []}',
    b'{"request_id": "x", "shoe": 99999999999999999999999999, "round": 1, "seat": "1", "stakes": []}',
    b"[" * 20_000,
    b'{"a":' * 5000,
    b"x" * (LARGEST_PACKET - 1000),
]


@pytest.mark.asyncio
async def test_nonsense_forgery_and_oversize(tmp_path: Path) -> None:
    async with Chain(tmp_path, speed="12", procedure=dealt_by_hand()) as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        display = await chain.display()
        terminal = await chain.terminal(display)
        await wagers_open(display)
        prefix = chain.topics.prefix
        place_topic = terminal.request_topic("wagers", "place")
        for payload, place in itertools.product(
            NONSENSE,
            (("wagers", "place"), ("dealer", "no_more_bets"), ("supervisor", "void_round"), ("display", "replay")),
        ):
            answer = await terminal.answer_to(terminal.send_raw(terminal.request_topic(*place), payload))
            assert answer.code == "bad_request", (payload[:80], place, answer)

        async with Eavesdropper(chain) as everything:
            body = {
                "request_id": "forged",
                "shoe": 1,
                "round": 1,
                "seat": "1",
                "stakes": [{"wager": "base.tie", "stake": 500}],
            }
            for topic in (
                f"{prefix}/event/outcome",
                f"{prefix}/status",
                f"{prefix}/state",
                f"{prefix}/reply/",
                f"{prefix}/reply/me",
                f"{chain.topics.replies}another-user/answers",
                terminal.request_topic("dealer", "no_more_bets"),
                "shoe/v1/other-site/table-9/event/outcome",
            ):
                terminal.publish(place_topic, msgspec.json.encode(body), response_topic=topic)
            # An honest question behind them is answered when they have been dealt with.
            assert (await terminal.act("call_supervisor")).status == "ok"
            assert not [m for m in everything.messages if b"forged" in m.payload and "/request/" not in m.topic]
        await display.is_up_to_date()
        assert not display.facts_of(WagersChanged), "a request with a forged response topic is not carried out"
        logged = [line for line in chain.log_lines if line["event"] == "request"]
        assert sum(line["code"] == "forged_response_topic" for line in logged) >= 8

        # More than the controller takes: the broker keeps it back, and nobody is disturbed.
        terminal.publish(place_topic, b"y" * (4 * LARGEST_PACKET), response_topic=terminal.reply_topic)
        terminal.publish(place_topic, msgspec.json.encode(body), retain=True)
        assert (await terminal.act("no_more_bets")).status == "ok"
        await display.until(lambda: display.facts_of(RoundResult), what="the round to be dealt to its end")
        assert chain.times_logged("broker_down") == 0


@pytest.mark.asyncio
async def test_a_thousand_requests_a_second(tmp_path: Path) -> None:
    """For three seconds, of all kinds, from one client, while a shoe is dealt without pause."""
    procedure = {"gate_locks": "when_stopped"}
    async with Chain(tmp_path, speed="100", procedure=procedure, broker_settings=QUEUES) as chain:
        await chain.start_daemon()
        display = await chain.display()
        flooder = await chain.terminal(display, "flooder")
        supervisor = await chain.terminal(display, "supervisor")
        await chain.start_emulator()
        await wagers_open(display)
        chance = random.Random(5)  # noqa: S311 - a test that must repeat itself
        before = len(display.facts_of(RoundResult))
        sent: list[bytes] = []
        began = asyncio.get_running_loop().time()
        for batch in range(300):
            sent += [_some_request(flooder, chance) for _ in range(10)]
            await asyncio.sleep(max(0.0, began + (batch + 1) / 100 - asyncio.get_running_loop().time()))
        body = {"shoe": 0, "round": 0, "person": "rana", "pin": PINS["rana"], "request_id": supervisor.new_id()}
        answer = await supervisor.ask("supervisor", "sign_in", body)
        assert answer.code in ("ok", "other_round"), "the right PIN is right, whatever the flooder tries"
        await flooder.until(lambda: len(flooder.answers) >= BURST, what="the answers to what is served")
        assert len(flooder.answers) < len(sent), "the others are left to time out"
        dealt = len(display.facts_of(RoundResult)) - before
        assert dealt >= 3, "the table goes on dealing"
        await display.is_up_to_date()
        raised = {fact.alert.kind: fact.alert for fact in display.facts_of(AlertRaised)}
        assert set(raised) <= {"late_wager", "pin_guessing", "request_flood"}
        assert raised[AlertKind.REQUEST_FLOOD].detail == FloodingUser(user=flooder.visitor.client_id)
        assert chain.times_logged("broker_down") == 0
        await chain.kill_emulator()
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        reckoned(sound_journal(chain.journal, display.events), None, info=display.info)


@pytest.mark.asyncio
async def test_replays_hold_nobody_up(tmp_path: Path) -> None:
    """A display asks for everything 300 times at once: the dealer is answered, and what is replayed is whole."""
    async with Chain(tmp_path, speed="12", procedure=dealt_by_hand(), broker_settings=QUEUES) as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        display = await chain.display()
        terminal = await chain.terminal(display)
        await wagers_open(display)
        for stake in range(100, 350):
            # More changes than one seat may make in a round.
            terminal.send_bet(SEATS[stake % len(SEATS)], {"base.player": stake})
        await display.until(lambda: display.newest > 250, what="enough events")
        async with Glutton(chain) as glutton:
            for number in range(300):
                glutton.ask(number)
            await glutton.until(lambda: glutton.answers, what="the first answer")
            answer = await terminal.act("call_supervisor", within=10)
            assert answer.status == "ok"
            await glutton.until(lambda: len(glutton.answers) == 300, what="all answers")
            served = {number for number, answer in glutton.answers.items() if answer.status == "ok"}
            assert served
            assert {glutton.answers[number].code for number in set(range(300)) - served} == {"busy"}
            for number in served:
                assert glutton.events[number] == list(range(1, glutton.events[number][-1] + 1))
                assert len(glutton.events[number]) > 250
        assert chain.times_logged("broker_down") == 0


class Glutton(MqttClient):
    """Asks for everything again and again."""

    def __init__(self, chain: Chain) -> None:
        self._topic = chain.topics.request(RequestRole.DISPLAY, "glutton", REPLAY)
        self._reply = f"{chain.topics.replies}glutton/replays"
        super().__init__(chain.visitor("glutton"), self._reply)
        self.answers: dict[int, Answer] = {}
        self.events: dict[int, list[int]] = defaultdict(list)
        """The numbers of the events that came, by request."""

    def ask(self, number: int) -> None:
        request = {"request_id": f"r{number}", "after": 0, "limit": 2000}
        self.publish(
            self._topic,
            msgspec.json.encode(request),
            response_topic=self._reply,
            correlation=b"%d" % number,
        )

    def heard(self, message: Heard) -> None:
        number = int(message.correlation or b"")
        told = msgspec.json.decode(message.payload)
        if "seq" in told:
            self.events[number].append(told["seq"])
        else:
            self.answers[number] = msgspec.convert(told, Answer)


def _some_request(terminal: Terminal, chance: random.Random) -> bytes:
    match chance.randrange(6):
        case 0:
            return terminal.send_raw(terminal.request_topic("wagers", "place"), chance.choice(NONSENSE[:11]))
        case 1:
            body = {"request_id": terminal.new_id(), "shoe": 1, "round": 1, "person": "rana", "pin": "000000"}
            return terminal.send("supervisor", "sign_in", body)
        case 2:
            body = {"request_id": terminal.new_id(), "shoe": 1, "round": chance.randrange(80)}
            return terminal.send("dealer", "no_more_bets", body)
        case 3:
            return terminal.send("supervisor", "nothing", {})
        case 4:
            return terminal.send("display", "replay", {"request_id": terminal.new_id(), "after": 0, "limit": 0})
        case _:
            return terminal.send_bet("1", {"base.player": 500}, round=1)


@pytest.mark.asyncio
async def test_a_user_of_one_seat_at_a_table_that_lists_its_rounds(tmp_path: Path) -> None:
    mqtt = {"seat_users": {"seat-3": "3"}}
    async with Chain(tmp_path, speed="40", procedure=dealt_by_hand(), mqtt=mqtt) as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        display = await chain.display()
        async with Terminal(Visitor("seat-3", chain.broker.port), chain.topics, display) as terminal:
            await wagers_open(display)
            assert (await terminal.bet("1", {"base.player": 500})).refusal == OtherSeat(seat="3")
            placed = await terminal.bet("3", {"base.player": 500})
            assert placed.status == "ok"
            await display.until(lambda: display.facts_of(WagersChanged), what="the wager")
            (changed,) = display.facts_of(WagersChanged)
            assert (changed.seat, changed.user) == ("3", "seat-3")
            assert placed.wagers is not None
            assert placed.wagers.wagers == changed.wagers
            assert (await terminal.act("no_more_bets")).status == "ok"
        await display.until(lambda: display.facts_of(RoundResult), what="the round to be dealt to its end")
        result = display.facts_of(RoundResult)[0]
        await display.until(lambda: display.rounds is not None and display.rounds.rounds, what="the list of rounds")
        assert display.rounds is not None
        dealt = display.rounds.rounds[0]
        assert (dealt.seq, dealt.winner) == (result.seq, result.outcome.winner)
        assert (dealt.player, dealt.banker) == (result.outcome.player, result.outcome.banker)
        assert display.listing is not None
        assert display.listing.journal == display.rounds.journal
