"""`shoe-controller console` as it is started: its file, its user at the broker, TLS, and lines that break."""

import asyncio
import re
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import load_console
from shoe_controller.messages.acts import CallSupervisor
from shoe_controller.messages.facts import PersonActed
from tests.console.console_chain import console_at
from tests.console.served import code_of
from tests.daemon.house_file import DEALER, DEALER_PIN, SITE, TABLE, write_secret
from tests.daemon.programs import COMMANDS
from tests.daemon.test_broker_access import ACCESS, PASSWORD, as_table, password_entry
from tests.mqtt.certificates import Certificates
from tests.table_files import Data, write

DOCUMENT = (Path(__file__).parent.parent.parent / "docs" / "console.md").read_text(encoding="utf-8")

LEAST: Data = {"table": {"site": "north", "name": "t1"}, "mqtt": {"host": "127.0.0.1"}}


# --- its file --------------------------------------------------------------------------------------------------------


def problems_of(folder: Path, data: Data) -> list[str]:
    with pytest.raises(BadFileError) as error:
        load_console(write(folder, data))
    return [str(problem) for problem in error.value.problems]


def test_a_console_needs_no_house_and_no_people(tmp_path: Path) -> None:
    config = load_console(write(tmp_path, LEAST))
    settings = config.settings
    assert (config.site, config.table, config.client, config.password) == ("north", "t1", "console", None)
    assert (settings.host, settings.port, settings.idle_timeout, settings.language) == ("127.0.0.1", 8081, 600, "en")


def test_its_own_user_goes_before_the_tables(tmp_path: Path) -> None:
    write_secret(tmp_path / "table.password", "for the table\n")
    write_secret(tmp_path / "console.password", "for the console\n")
    mqtt = LEAST["mqtt"] | {"username": "table-1", "password_file": "table.password"}
    config = load_console(write(tmp_path, LEAST | {"mqtt": mqtt}))
    assert config.password is not None
    assert (config.username, config.password.reveal()) == ("table-1", "for the table")
    own = {"username": "console-t1", "password_file": "console.password"}
    config = load_console(write(tmp_path, LEAST | {"mqtt": mqtt, "console": own}))
    assert config.password is not None
    assert (config.client, config.password.reveal()) == ("console-t1", "for the console")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"host": "0.0.0.0"}, "console.host: without a certificate"),  # noqa: S104 - that is what is refused
        ({"host": "192.168.1.7"}, "console.host: without a certificate"),
        ({"host": "casino.example"}, "console.host: must be an IP address"),
        ({"port": 0}, "console.port: must be from 1 to 65535"),
        ({"idle_timeout": 29}, "console.idle_timeout: must be from 30 to 43200"),
        ({"idle_timeout": 43201}, "console.idle_timeout"),
        ({"language": "fr"}, "console.language"),
        ({"username": "a/b"}, "console.username: must not have /"),
        ({"password_file": "x"}, "console.password_file: a password needs a username"),
        ({"cert_file": "x.pem"}, "console.cert_file: a certificate and its key belong together"),
        ({"username": "u", "password_file": "nowhere"}, "console.password_file:"),
        ({"cert_file": "no.pem", "key_file": "no.key"}, "console.key_file:"),
        ({"unknown": 1}, "console"),
    ],
)
def test_what_is_wrong_with_its_section_is_said_with_its_place(
    tmp_path: Path, settings: dict[str, Any], problem: str
) -> None:
    found = problems_of(tmp_path, LEAST | {"console": settings})
    assert any(text.startswith(problem) for text in found), found


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert problems_of(tmp_path, {"console": {}}) == [
        "table: is missing: a console belongs to one table; add [table] with its site and name",
        "mqtt: is missing: a console talks to the table over the broker; add [mqtt]",
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.9.9.9"])
def test_this_machine_needs_no_certificate(tmp_path: Path, host: str) -> None:
    assert load_console(write(tmp_path, LEAST | {"console": {"host": host}})).settings.host == host


def test_the_command_says_what_is_wrong_and_where(tmp_path: Path) -> None:
    file = write(tmp_path, LEAST | {"console": {"port": 99999}})
    ended = subprocess.run(
        [str(COMMANDS / "shoe-controller"), "console", str(file)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "console.port: must be from 1 to 65535" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_port_that_is_taken_is_a_sentence(tmp_path: Path) -> None:
    import socket  # noqa: PLC0415 - of this test alone

    with socket.create_server(("127.0.0.1", 0)) as taken:
        file = write(tmp_path, LEAST | {"console": {"port": taken.getsockname()[1]}})
        command = [str(COMMANDS / "shoe-controller"), "console", str(file)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "Address already in use. Choose another host or port in [console]" in ended.stderr
    assert "Traceback" not in ended.stderr


# --- the whole of it -------------------------------------------------------------------------------------------------


class Caller:
    """Asks the console's server as its page does."""

    def __init__(self, address: str, tls: ssl.SSLContext | None = None) -> None:
        self.address = address
        self.token = ""
        self._tls: ssl.SSLContext | bool = True if tls is None else tls
        self.http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Origin": self.address, "Content-Type": "application/json", "X-Console-Token": self.token}
        data = msgspec.json.encode(body)
        async with self.http.post(self.address + path, data=data, headers=headers, ssl=self._tls) as response:
            told: dict[str, Any] = msgspec.json.decode(await response.read())
        return told

    async def sign_in(self) -> str:
        told = await self.post("/sign-in", {"person": DEALER, "pin": DEALER_PIN})
        self.token = told.get("session", {}).get("token", "")
        return code_of(told)

    async def acts_in_the_record(self) -> list[str]:
        async with self.http.get(f"{self.address}/rounds", ssl=self._tls) as response:
            rounds = (await response.json())["rounds"]
        return [act["act"] for played in rounds for act in played["acts"]]

    async def act(self, name: str, number: int, shoe: int = 1, round_: int = 0) -> str:
        body = {"request_id": f"request-{number}", "act": name, "shoe": shoe, "round": round_}
        return code_of(await self.post("/dealer", body))


async def becomes(ask: Callable[[], Awaitable[object]], wanted: object) -> None:
    """Ask until the answer is the one that is waited for."""
    for _ in range(200):
        answer = await ask()
        if answer == wanted:
            return
        await asyncio.sleep(0.1)
    pytest.fail(f"waited for {wanted!r}, and had {answer!r}")


def documented_access() -> str:
    block = str(re.findall(r"```acl\n(.*?)```", DOCUMENT, re.DOTALL)[0])
    return block.replace("shoe/v1/north/t1/", f"shoe/v1/{SITE}/{TABLE}/")


@pytest.mark.asyncio
async def test_with_the_access_that_the_document_gives_its_user_and_no_more(tmp_path: Path) -> None:
    folder = tmp_path / "access"
    folder.mkdir()
    users = {"table-1": PASSWORD, "console-t1": "for the console", "display": "display"}
    lines = [f"{user}:{password_entry(password)}" for user, password in users.items()]
    (folder / "passwords").write_text("\n".join(lines) + "\n", encoding="utf-8")
    own_access = ACCESS.replace("user board", "user display")
    (folder / "access").write_text(own_access + documented_access(), encoding="utf-8")
    settings = f"allow_anonymous false\npassword_file {folder}/passwords\nacl_file {folder}/access"
    password = write_secret(folder / "console.password", "for the console\n")
    async with console_at(
        tmp_path,
        console={"username": "console-t1", "password_file": str(password)},
        broker_settings=settings,
        mqtt=as_table(folder),
        display={"username": "display", "password": "display"},
    ) as at:
        caller = Caller(at.address)
        async with caller.http:
            await becomes(caller.sign_in, "ok")
            assert await caller.act("call_supervisor", 1) == "ok"
            await at.display.until(lambda: len(at.display.facts_of(PersonActed)) == 2, what="what was done")
            assert {fact.person for fact in at.display.facts_of(PersonActed)} == {DEALER}
            # The console was switched on after the first events: it has asked for them.
            await becomes(caller.acts_in_the_record, ["sign_in", "call_supervisor"])
        assert "refused" not in at.console.output
        assert "not_sent" not in at.console.output
        met = (at.chain.folder / "broker" / "mosquitto.log").read_text(encoding="utf-8")
        assert re.search(r" as shoe-console-\S+-[0-9a-f]{16} ", met), "its client id can be guessed"


@pytest.mark.asyncio
async def test_over_tls(tmp_path: Path) -> None:
    folder = tmp_path / "tls"
    folder.mkdir()
    certificates = Certificates(folder)
    (folder / "broker.key").chmod(0o600)
    console = {"cert_file": str(certificates.broker), "key_file": str(folder / "broker.key")}
    async with console_at(tmp_path, console=console, tls=True) as at:
        caller = Caller(at.address, ssl.create_default_context(cafile=str(certificates.ca)))
        async with caller.http:
            await becomes(caller.sign_in, "ok")
            assert await caller.act("call_supervisor", 1) == "ok"


@pytest.mark.asyncio
async def test_nothing_is_asked_while_nobody_is_there_and_it_comes_back_by_itself(tmp_path: Path) -> None:
    async with console_at(tmp_path) as at:
        caller = Caller(at.address)
        async with caller.http:
            await becomes(caller.sign_in, "ok")
            await at.chain.kill_daemon()

            async def code(number: int) -> str:
                return await caller.act("call_supervisor", number)

            await becomes(lambda: code(1), "controller_away")
            await at.chain.start_daemon()
            await at.chain.broker.kill()
            assert await code(1000) in {"controller_away", "no_answer"}
            await at.chain.broker.start()
            await becomes(lambda: code(1001), "ok")
            await at.display.until(
                lambda: any(isinstance(fact.act, CallSupervisor) for fact in at.display.facts_of(PersonActed)),
                what="the call",
            )


def test_the_document_names_every_key_of_the_page() -> None:
    pages = Path(__file__).parent.parent.parent / "shoe_controller" / "console" / "static"
    script = (pages / "main.js").read_text(encoding="utf-8")
    keys = set(re.findall(r'\b\w+: "([A-Z])"', script)) | {"T"}
    assert keys
    assert [key for key in sorted(keys) if f"`{key}`" not in DOCUMENT] == []
