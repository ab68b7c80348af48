"""`docs/mqtt.md` is true: its commands and its display run at a real broker and table, and its access list holds.

On the way every message of a whole shoe, as it comes from the broker, is held against its schema. Commands of other
documents for a broker that lets everybody in are run here too.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

import msgspec
import pytest

from firmware_protocol.cards import Card
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.messages.acts import CorrectCard
from shoe_controller.messages.facts import CardCorrected, CardDealt
from shoe_controller.messages.topics import Topics, contract
from shoe_controller.mqtt.broker import Incoming, PublishRefusedError
from shoe_controller.mqtt.envelope import Envelopes
from shoe_controller.setup.access_list import ANY_CLIENT, BrokerRole, may_read, may_write
from tests.commands.running import run_program
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE
from tests.mqtt.brokers import BrokerUnderTest, becomes, connected, next_message
from tests.mqtt.schema_check import name_of, objections
from tests.mqtt.scripted import WELCOME, saying
from tests.reckoning import last_number
from tests.simulator.broker.compatibility.brokers import Setting
from tests.table.sitting import Sitting

DOCS = Path(__file__).parent.parent.parent / "docs"
DOCUMENT = (DOCS / "mqtt.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(mosquitto_.*?)\n```", DOCUMENT, re.MULTILINE)
(OF_DEMO,) = re.findall(r"```sh\n(mosquitto_.*?)\n```", (DOCS / "demo.md").read_text(encoding="utf-8"))
(OF_BOARD,) = re.findall(r"```sh\n(mosquitto_.*?)\n```", (DOCS / "board.md").read_text(encoding="utf-8"))
SHOWN = re.findall(r"```sh\n(mosquitto_rr .*?)\n```\n\n    (.*)\n", DOCUMENT)
ACCESS = "\n".join(re.findall(r"```acl\n(.*?)```", DOCUMENT, re.DOTALL))
PATIENCE = 30.0


# --- its commands ----------------------------------------------------------------------------------------------------


class Command:
    """A command of the document as a process; leaving the context ends it."""

    def __init__(self, text: str, chain: Chain) -> None:
        here = text.replace("-h localhost", f"-h 127.0.0.1 -p {chain.broker.port}")
        here = here.replace("-p PORT", f"-h 127.0.0.1 -p {chain.broker.port}")
        here = here.replace("v1/north/t1/", f"v1/{SITE}/{TABLE}/")
        for below in ("+", "tables"):
            here = here.replace(f"v1/north/{below}/", f"v1/{SITE}/{below}/")
        self.words = shlex.split(here)
        self.lines: list[str] = []
        self._stirred = asyncio.Condition()

    @property
    def listens(self) -> bool:
        return self.words[0] == "mosquitto_sub" and "-C" not in self.words

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(*self.words, stdout=asyncio.subprocess.PIPE, limit=1 << 20)
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await self._reading

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for data in self._process.stdout:
            if line := data.decode().rstrip("\n"):
                async with self._stirred:
                    self.lines.append(line)
                    self._stirred.notify_all()

    async def until(self, condition: Callable[[list[str]], bool]) -> list[str]:
        """Its lines, as soon as they are such."""
        async with asyncio.timeout(PATIENCE), self._stirred:
            await self._stirred.wait_for(lambda: condition(self.lines))
        return self.lines

    async def output(self) -> list[str]:
        """All that it writes until it ends by itself, as it should."""
        async with asyncio.timeout(PATIENCE):
            assert await self._process.wait() == 0
            await self._reading
        return self.lines


def command_with(part: str) -> str:
    found: list[str] = [text for text in COMMANDS if part in text]
    assert len(found) == 1, part
    return found[0]


async def run(text: str, chain: Chain) -> list[str]:
    async with Command(text, chain) as command:
        return await command.output()


def check(line: str, topic: str = "") -> dict[str, Any]:
    """A line holds a message that fits its schema; with `-v` its topic stands before it."""
    if not line.startswith("{"):
        topic, _, line = line.partition(" ")
    message: dict[str, Any] = json.loads(line)
    below = topic.partition(f"{SITE}/{TABLE}/")[2] or ("event/" if "fact" in message else "reply/")
    name = "tables" if topic.endswith(f"{SITE}/tables/{TABLE}") else name_of(below, message)
    assert objections(name, message) == []
    return message


@pytest.mark.asyncio
async def test_its_commands_do_what_it_says_at_a_real_table(tmp_path: Path) -> None:
    assert all(shutil.which(text.split()[0]) for text in COMMANDS), "install mosquitto-clients"
    async with AsyncExitStack() as stack:
        chain = await stack.enter_async_context(Chain(tmp_path, broker_settings="allow_anonymous true\nlog_type all"))
        everything = Command("mosquitto_sub -h localhost -V 5 -q 1 -t 'shoe/v1/north/t1/#' -F %j", chain)
        listeners = [
            made for made in (everything, *(Command(text, chain) for text in (*COMMANDS, OF_DEMO))) if made.listens
        ]
        for made in listeners:
            await stack.enter_async_context(made)
        log = tmp_path / "broker" / "mosquitto.log"
        await chain.becomes(lambda: log.read_text().count("Sending SUBACK") == len(listeners), what="the listeners")
        await chain.start_daemon()
        await chain.becomes(lambda: chain.times_logged("broker_up"), what="the table at the broker")

        assert len(SHOWN) == 2
        for text, answer in SHOWN:
            assert await run(text, chain) == [answer]
            assert objections("reply.answer", json.loads(answer), strict=True) == []

        await chain.start_emulator()
        await chain.shoe_is_dealt()

        retained = await run(command_with("-C 6"), chain)
        names = ["head", "info", "roads", "rounds", "state", "status"]
        assert sorted(line.split()[0].rpartition("/")[2] for line in retained) == names
        for line in retained:
            check(line)
        for name in ("state", "status"):
            (line,) = await run(command_with(f"/{name} -C 1"), chain)
            check(line, f"{SITE}/{TABLE}/{name}")

        (replies,) = [made for made in listeners if made.words[-1].endswith("reply/board/#")]
        await run(command_with("request/display/board/replay"), chain)
        *events, done = [check(line) for line in await replies.until(lambda lines: len(lines) == 4)]
        assert [event["seq"] for event in events] == [1, 2, 3]
        assert (done["replay"]["sent"], done["replay"]["oldest"]) == (3, 1)

        (listing,) = (made for made in listeners if made.words[-1].endswith("/tables/+"))
        (line,) = await listing.until(bool)
        assert check(line, f"{SITE}/tables/{TABLE}")["table"] == TABLE
        for made in listeners:
            if made not in (everything, listing):
                assert all(check(line) for line in await made.until(bool))
        # The broker passes on what it got from the table in that order: with the last answer, all before it is there.
        check_everything(await everything.until(lambda lines: any('\\"sent\\":3' in line for line in lines)))


def check_everything(lines: list[str]) -> None:
    """Every message of the table, requests and answers included, fits its schema, and the events have no gap."""
    seqs, names = [], set()
    for packet in map(json.loads, lines):
        below, message = packet["topic"].partition(f"{SITE}/{TABLE}/")[2], json.loads(packet["payload"])
        name = name_of(below, message)
        names.add(name)
        strict = name != "reply.replayed_event"
        assert objections(name, message, strict=strict) == []
        if below.startswith("event/"):
            seqs.append(message["seq"])
            assert ("head" in message) == (below == "event/outcome")
    assert seqs == list(range(1, len(seqs) + 1))
    expected = {
        "status",
        "info",
        "state",
        "roads",
        "rounds",
        "event.card_dealt",
        "event.round_result",
        "event.shoe_ended",
    }
    expected |= {"event.alert_raised", "event.person_acted", "reply.answer", "reply.replayed_event"}
    expected |= {"request.dealer.call_supervisor", "request.wagers.place", "request.display.replay"}
    assert expected <= names


@pytest.mark.asyncio
async def test_the_command_that_makes_a_board_forget_a_table(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain, connected(chain.broker.port, "shoe/v1/north/t9/status") as session:
        await session.publish("shoe/v1/north/t9/status", b"{}", retain=True)
        assert (await next_message(session)).payload == b"{}"
        await run(OF_BOARD, chain)
        assert (await next_message(session)).payload == b""


@pytest.mark.asyncio
async def test_the_command_that_takes_a_table_off_the_list(tmp_path: Path) -> None:
    topic = f"shoe/v1/{SITE}/tables/t9"
    async with Chain(tmp_path) as chain, connected(chain.broker.port, topic) as session:
        await session.publish(topic, b"{}", retain=True)
        assert (await next_message(session)).payload == b"{}"
        await run(command_with("/tables/t9"), chain)
        assert (await next_message(session)).payload == b""


# --- its display -----------------------------------------------------------------------------------------------------

DISPLAY, ARCHIVE = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
EVENTS = [line for block in re.findall(r"```json\n(.*?)```", DOCUMENT, re.DOTALL) for line in block.splitlines()]


def test_its_events_are_what_a_table_says() -> None:
    sitting = Sitting()
    sitting.open_shoe()
    sitting.deal("9H 4D")
    sitting.act(CorrectCard(number=1, card=Card.parse("6H")))
    dealt, corrected = sitting.all(CardDealt)[0], sitting.last(CardCorrected)
    envelopes = Envelopes("4f2a9c1e77b3d508")
    assert [
        envelopes.message(
            seq=fact.seq,
            topic="event/card",
            shoe=fact.shoe,
            round_number=fact.round,
            head=Head(number=1, hash=b""),
            body=msgspec.json.encode(fact),
        ).payload.decode()
        for fact in (dealt, corrected)
    ] == EVENTS


@pytest.mark.asyncio
async def test_its_display_has_every_event_once_although_it_was_away(tmp_path: Path) -> None:
    program = tmp_path / "display.py"
    program.write_text(DISPLAY, encoding="utf-8")
    async with Chain(tmp_path, speed="100") as chain:
        await chain.start_daemon()
        words = f"{sys.executable} {program} 127.0.0.1 {chain.broker.port} {SITE} {TABLE}"
        async with Command(words, chain) as display:
            await chain.start_emulator()
            await display.until(lambda lines: len(lines) > 10)
            display.signal(signal.SIGSTOP)
            await chain.broker.kill()
            await chain.broker.start()
            await chain.becomes(lambda: chain.times_logged("broker_up") == 2, what="the broker, for the table alone")
            unheard = chain.times_logged("round_result") + 2
            await chain.becomes(lambda: chain.times_logged("round_result") > unheard, what="rounds that it misses")
            display.signal(signal.SIGCONT)
            await display.until(lambda lines: sum("round_result" in line for line in lines) > unheard)
        seqs = [int(line.split()[0]) for line in display.lines]
        assert seqs == list(range(seqs[0], seqs[-1] + 1))


# --- its archive -----------------------------------------------------------------------------------------------------


def stored_in(file: Path) -> list[dict[str, Any]]:
    """The whole lines of the archive's file."""
    text = file.read_bytes() if file.exists() else b""
    return [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]


@pytest.mark.asyncio
@pytest.mark.parametrize("text", [DISPLAY, ARCHIVE], ids=["display", "archive"])
async def test_its_programs_start_clean_also_after_a_loss(text: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(text, encoding="utf-8")
    heard: list[bytes] = []
    more = [str(tmp_path / "archive")] if text == ARCHIVE else []
    async with saying(WELCOME, hang_up=True, hear=heard.append) as port:
        words = (str(program), "127.0.0.1", str(port), SITE, TABLE, *more)
        running = await asyncio.create_subprocess_exec(sys.executable, *words)
        try:
            await becomes(lambda: len(connects(heard)) >= 2)
        finally:
            running.kill()
            await running.wait()
    clean_start = 0x02
    assert all(flags & clean_start for flags in connects(heard)[:2])


def connects(heard: list[bytes]) -> list[int]:
    """The flags of every CONNECT among the packets."""
    return [int(flags[0]) for flags in re.findall(rb"\x00\x04MQTT\x05(.)", b"".join(heard), re.DOTALL)]


@pytest.mark.asyncio
async def test_its_archive_misses_nothing_and_has_nothing_twice_although_it_is_killed(tmp_path: Path) -> None:
    program, folder = tmp_path / "archive.py", tmp_path / "archive"
    program.write_text(ARCHIVE, encoding="utf-8")
    async with Chain(tmp_path, speed="100") as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        await chain.becomes(lambda: chain.times_logged("round_result") > 3, what="rounds from before it was there")
        words = f"{sys.executable} {program} 127.0.0.1 {chain.broker.port} {SITE} {TABLE} {folder}"
        with JournalReader(chain.journal) as reader:
            file = folder / f"{reader.identity.journal_id}.jsonl"
        for cut in (0, 0, 7, 300):
            enough = len(stored_in(file)) + 40
            async with Command(words, chain):
                await chain.becomes(lambda enough=enough: len(stored_in(file)) > enough, what="events in the file")  # type: ignore[misc]  # bound at once
            # It was killed with SIGKILL; a power failure may also cut off what it wrote last.
            os.truncate(file, file.stat().st_size - cut)
        await chain.kill_emulator()
        async with Command(words, chain):
            await chain.becomes(lambda: len(stored_in(file)) >= last_number(chain.journal), what="what it missed")
            await chain.stop_daemon()
            await chain.becomes(lambda: len(stored_in(file)) >= last_number(chain.journal), what="the rest")
            with JournalReader(chain.journal) as reader:
                events = reader.events(0, limit=100_000)
            await begins_anew(chain, folder, file)
        stored = stored_in(file)
        assert [event["seq"] for event in stored] == list(range(1, len(events) + 1))
        for line, event in zip(stored, events, strict=True):
            assert line.items() >= json.loads(event.body).items()


async def begins_anew(chain: Chain, folder: Path, file: Path) -> None:
    """With another journal, another file is begun, at the first event."""
    for part in chain.journal.parent.glob(f"{chain.journal.name}*"):
        part.rename(part.with_name(f"old-{part.name}"))
    assert run_program("journal", "begin", str(chain.write_file())).exit_code == 0
    await chain.start_daemon()
    await chain.start_emulator()

    def others() -> set[Path]:
        return set(folder.iterdir()) - {file}

    await chain.becomes(lambda: bool(others()), what="another file")
    (other,) = others()
    await chain.becomes(lambda: bool(stored_in(other)), what="an event in it")
    assert stored_in(other)[0]["seq"] == 1
    assert stored_in(other)[0]["journal"] == other.stem
    await chain.stop_daemon()


# --- its access list -------------------------------------------------------------------------------------------------

USERS = {name: f"secret of {name}" for name in ("table-t1", "board", "seats", "dealer", "supervisor", "pit", "archive")}
PREFIX = "shoe/v1/north/t1"
TOLD = ("status", "head", "info", "state", "roads", "rounds", "event/card", "event/outcome", "event/operator")
LISTING = "shoe/v1/north/tables/t1"
ASKED = {
    "request/display/{user}/replay": {"board", "seats", "dealer", "supervisor", "pit", "archive"},
    "request/wagers/{user}/place": {"seats"},
    "request/dealer/{user}/confirm": {"dealer"},
    "request/supervisor/{user}/void_round": {"supervisor"},
}


def as_user(name: str) -> dict[str, str]:
    return {"username": name, "password": USERS[name], "client_id": f"{name}-1"}


async def may_publish(broker: BrokerUnderTest, user: str, topic: str) -> bool:
    async with connected(broker.port, **as_user(user)) as session:
        try:
            await session.publish(f"{PREFIX}/{topic}".replace("t1/../", ""), b"{}")
        except PublishRefusedError:
            return False
        return True


@pytest.mark.asyncio
@pytest.mark.parametrize("setting", [Setting(users=USERS, access_file=ACCESS)])
async def test_its_access_list_lets_each_role_write_what_it_should_and_nothing_else(broker: BrokerUnderTest) -> None:
    for topic, users in ASKED.items():
        assert {user for user in USERS if await may_publish(broker, user, topic.format(user=user))} == users, topic
        assert not [user for user in USERS if await may_publish(broker, user, topic.format(user="another"))], topic
    for topic in (*TOLD, "../tables/t1", "reply/board/1"):
        assert {user for user in USERS if await may_publish(broker, user, topic)} == {"table-t1"}, topic


@pytest.mark.asyncio
@pytest.mark.parametrize("setting", [Setting(users=USERS, access_file=ACCESS)])
@pytest.mark.parametrize("reader", ["board", "seats", "dealer", "supervisor", "pit", "archive"])
async def test_its_access_list_keeps_requests_and_the_answers_of_others_from_everybody(
    broker: BrokerUnderTest, reader: str
) -> None:
    async with (
        connected(broker.port, f"{PREFIX}/#", LISTING, **as_user(reader)) as display,
        connected(broker.port, Topics("north", "t1").requests, **as_user("table-t1")) as table,
    ):
        for topic, users in ASKED.items():
            for user in users - {reader}:
                asked = topic.format(user=user)
                assert await may_publish(broker, user, asked)
                assert (await next_message(table)).topic == f"{PREFIX}/{asked}"
        for user in USERS:
            await table.publish(f"{PREFIX}/reply/{user}/1", b"{}")
        for topic in TOLD:
            await table.publish(f"{PREFIX}/{topic}", b"{}")
        await table.publish(LISTING, b"{}")
        read = [(await next_message(display)).topic.removeprefix(f"{PREFIX}/") for _ in range(len(TOLD) + 2)]
        assert read == [f"reply/{reader}/1", *TOLD, LISTING]


ROLES = {
    "table-t1": BrokerRole.TABLE,
    "board": BrokerRole.DISPLAY,
    "seats": BrokerRole.WAGERS,
    "dealer": BrokerRole.DEALER,
    "supervisor": BrokerRole.SUPERVISOR,
    "pit": BrokerRole.PIT,
    "archive": BrokerRole.ARCHIVE,
}


def granted(user: str, topic: str, access: str) -> bool:
    """Whether a line of the list for this user, or the last line for everybody's own answers, permits it."""
    lines = ACCESS.split(f"user {user}\n")[1].split("\n\n")[0].splitlines()
    rights = [line.split()[1:] for line in lines]
    return any(access in right and _matches(pattern, topic) for right, pattern in rights)


def _matches(pattern: str, topic: str) -> bool:
    expression = re.escape(pattern).replace(r"\+", "[^/]+").replace("/\\#", "/.+")
    return re.fullmatch(expression, topic) is not None


@pytest.mark.parametrize("user", USERS)
def test_its_access_list_grants_what_init_grants(user: str) -> None:
    role = ROLES[user]
    for row in contract():
        topic = row.address("north", "t1", user).replace(ANY_CLIENT, "other/1")
        assert granted(user, topic, "read") == may_read(role, row), topic
        assert granted(user, topic, "write") == may_write(role, row), topic


@pytest.mark.asyncio
@pytest.mark.parametrize("setting", [Setting(users=USERS, access_file=ACCESS)])
async def test_its_access_list_lets_the_table_read_what_it_has_retained(broker: BrokerUnderTest) -> None:
    async with connected(broker.port, f"{PREFIX}/#", **as_user("table-t1")) as table:
        for topic in (*TOLD, "reply/board/1"):
            await table.publish(f"{PREFIX}/{topic}", b"{}")
        await table.publish(f"{PREFIX}/status", b"last")
        read: list[Incoming] = []
        while not read or read[-1].payload != b"last":
            read.append(await next_message(table))
        assert [message.topic.removeprefix(f"{PREFIX}/") for message in read[:-1]] == [
            "status",
            "head",
            "info",
            "state",
            "roads",
            "rounds",
        ]
