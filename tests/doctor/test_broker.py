"""The doctor and the broker: a real Mosquitto that refuses, whose certificate ends, whose access list is wrong."""

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.doctor.findings import Machine, Thresholds
from shoe_controller.doctor.roles import OTHER_CLIENT
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.retained import StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.table.alerts import alert_message
from shoe_controller.table.state import Alert
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE, write_secret
from tests.doctor.clinic import clinic_file, good, not_looked, patient_with, problems
from tests.doctor.guarded_broker import ACCESS, as_the_table, guarded_settings, users_file
from tests.journal.samples import write
from tests.mqtt.brokers import connected, next_message
from tests.mqtt.certificates import NEW_KEY, Certificates
from tests.mqtt.test_publisher import peers_of
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

pytestmark = pytest.mark.asyncio

TOPICS = Topics(SITE, TABLE)

ALERT = alert_message(Alert(number=1, kind=AlertKind.MISREAD, seq=1))


@asynccontextmanager
async def broker(folder: Path, settings: str = "allow_anonymous true") -> AsyncIterator[Mosquitto]:
    folder.joinpath("broker").mkdir(exist_ok=True)
    running = Mosquitto(folder / "broker", settings)
    await running.start()
    try:
        yield running
    finally:
        await running.kill()


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


# --- letting in ------------------------------------------------------------------------------------------------------


async def test_a_broker_that_lets_the_table_in(tmp_path: Path) -> None:
    async with broker(tmp_path) as running:
        patient = patient_with(tmp_path, clinic_file(tmp_path, broker_port=running.port))
        assert "accepts the table" in await good(patient, "broker")
        assert "needs no TLS" in await good(patient, "broker-tls")
        assert "published no status at this broker yet" in await not_looked(patient, "table")
    assert "without a broker" in await not_looked(patient_with(tmp_path, clinic_file(tmp_path)), "broker")


async def test_broker_fails_when_nobody_answers(tmp_path: Path, certificates: Certificates) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        patient = patient_with(tmp_path, clinic_file(tmp_path, broker_port=port))
        assert "No broker answers at 127.0.0.1" in await problems(patient, "broker")
        patient = patient_with(
            tmp_path, clinic_file(tmp_path, broker_port=port, mqtt={"ca_file": str(certificates.ca)})
        )
        assert "the broker does not answer" in await not_looked(patient, "broker-tls")
    assert "cannot be reached" in await not_looked(patient, "table")
    assert "cannot be reached" in await not_looked(patient, "broker-roles")


async def test_broker_fails_when_the_password_is_wrong(tmp_path: Path) -> None:
    async with broker(tmp_path, guarded_settings(tmp_path)) as running:
        mqtt = as_the_table(tmp_path)
        patient = patient_with(tmp_path, clinic_file(tmp_path, broker_port=running.port, mqtt=mqtt))
        assert "as the user the-table" in await good(patient, "broker")
        write_secret(tmp_path / "mqtt.password", "another")
        assert "the-table" in await problems(patient, "broker")


# --- TLS -------------------------------------------------------------------------------------------------------------


def with_tls(made: Certificates, certificate: Path) -> str:
    key = certificate.with_suffix(".key")
    return f"allow_anonymous true\ncafile {made.ca}\ncertfile {certificate}\nkeyfile {key}"


async def test_broker_tls_fails_when_the_certificate_ends_soon(tmp_path: Path, certificates: Certificates) -> None:
    # The certificates of the tests are good for 30 days.
    async with broker(tmp_path, with_tls(certificates, certificates.broker)) as running:
        data = clinic_file(tmp_path, broker_port=running.port, mqtt={"ca_file": str(certificates.ca)})
        patient = patient_with(tmp_path, data, limits=Thresholds(certificate_days=20))
        assert "TLS is trusted" in await good(patient, "broker-tls")
        patient.limits = Thresholds(certificate_days=90)
        assert "which is in 29 days" in await problems(patient, "broker-tls")


async def test_broker_tls_fails_when_the_certificate_is_over(tmp_path: Path, certificates: Certificates) -> None:
    old = tmp_path / "old.crt"
    command = ["/usr/bin/openssl", "req", "-x509", *NEW_KEY, str(tmp_path / "old.key"), "-out", str(old)]
    more = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1"]
    subprocess.run([*command, *more], check=True, capture_output=True)  # noqa: ASYNC221 - nothing else is running
    over = [
        *("/usr/bin/openssl", "x509", "-in", str(old), "-signkey", str(tmp_path / "old.key"), "-days", "-1"),
        *("-out", str(old.with_name("over.crt"))),
    ]
    subprocess.run(over, check=True, capture_output=True)  # noqa: ASYNC221 - nothing else is running
    ended = old.with_name("over.crt")
    ended.with_suffix(".key").write_bytes((tmp_path / "old.key").read_bytes())
    async with broker(tmp_path, with_tls(certificates, ended)) as running:
        data = clinic_file(tmp_path, broker_port=running.port, mqtt={"ca_file": str(ended)})
        assert "certificate has expired" in await problems(patient_with(tmp_path, data), "broker-tls")


async def test_broker_tls_fails_when_it_is_another_authority_or_another_host(
    tmp_path: Path, certificates: Certificates
) -> None:
    async with broker(tmp_path, with_tls(certificates, certificates.broker)) as running:
        data = clinic_file(tmp_path, broker_port=running.port, mqtt={"ca_file": str(certificates.other_ca)})
        patient = patient_with(tmp_path, data)
        assert "no trusted TLS connection" in await problems(patient, "broker-tls")
        assert "not accepted" in await problems(patient, "broker")
    async with broker(tmp_path, with_tls(certificates, certificates.elsewhere)) as running:
        data = clinic_file(tmp_path, broker_port=running.port, mqtt={"ca_file": str(certificates.ca)})
        assert "IP address mismatch" in await problems(patient_with(tmp_path, data), "broker-tls")


async def test_broker_tls_fails_when_pins_would_cross_the_network_in_the_open(tmp_path: Path) -> None:
    data = clinic_file(tmp_path, broker_port=1883, mqtt={"host": "broker.example"})
    assert "is not encrypted" in await problems(patient_with(tmp_path, data), "broker-tls")


class OtherMachine(SystemClock):
    """The clock of another machine."""

    def boot(self) -> str:
        return "another boot"


# --- what the table says of itself -----------------------------------------------------------------------------------


async def test_a_running_table_is_good(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain:
        await chain.start_daemon()
        display = await chain.display()
        await display.until(lambda: display.status is not None and display.status.online)
        assert "stores its events and publishes them" in await good(
            patient_with(tmp_path, chain.data), "table", "broker"
        )
        assert chain.daemon.is_running
        sandboxed = patient_with(tmp_path, chain.data, clock=OtherMachine())
        assert "stores its events" in await good(sandboxed, "table", "broker"), "it writes to this machine's journal"
        copied = {**chain.data, "journal": {**chain.data["journal"], "file": str(tmp_path / "another.journal")}}
        elsewhere = patient_with(tmp_path, copied, clock=OtherMachine())
        told = await problems(elsewhere, "table", "broker")
        assert (
            f"by the controller of another machine: {socket.gethostname()} (127.0.0.1, process {chain.daemon.pid})"
            in told
        )
        for begun in (False, True):
            if begun:
                write(tmp_path / "another.journal", [])
            told = await problems(patient_with(tmp_path, copied), "table", "broker")
            assert f"is served from another journal than {tmp_path / 'another.journal'}" in told
            assert f"of this machine: {socket.gethostname()} (127.0.0.1, process {chain.daemon.pid})" in told
        assert not chain.times_logged("another_controller"), "the doctor is no other controller"
        await chain.stop_daemon()
        await display.until(lambda: display.status is not None and not display.status.online)
        assert "is not running" in await good(patient_with(tmp_path, chain.data), "table", "broker")


async def test_two_controllers_of_a_table_are_a_problem(tmp_path: Path) -> None:
    async with broker(tmp_path) as running:
        status = msgspec.json.encode(StatusMessage(online=True, session=1, start="first"))
        async with connected(running.port, TOPICS.questions) as session:
            await session.publish(TOPICS.status, status, retain=True)

            async def answer() -> None:
                message = await next_message(session)
                for start in ("first", "second"):
                    found = peers_of(TOPICS, start, served=60.0).answer_to(session, message.payload)
                    assert found is not None
                    await session.publish(TOPICS.answers, msgspec.json.encode(found[0]))

            answering = asyncio.create_task(answer())
            patient = patient_with(tmp_path, clinic_file(tmp_path, broker_port=running.port))
            told = await problems(patient, "table", "broker")
            await answering
        assert "2 controllers serve the table" in told
        assert "machine of first (127.0.0.1, process 7) and machine of second (127.0.0.1, process 7)" in told
        assert "Stop all but one of them" in told


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        (msgspec.json.encode(StatusMessage(online=True, session=1, storing=False)), "journal cannot be written to"),
        (
            msgspec.json.encode(StatusMessage(online=True, session=1, publishing="not allowed")),
            "the broker refuses its events",
        ),
        (
            msgspec.json.encode(StatusMessage(online=True, session=1, alert=ALERT)),
            "stands still: A card left the shoe and could not be read.",
        ),
        (b"42", "is not a status"),
    ],
)
async def test_table_fails_when_it_says_so_itself(tmp_path: Path, payload: bytes, told: str) -> None:
    async with broker(tmp_path) as running:
        async with connected(running.port) as session:
            await session.publish(TOPICS.status, payload, retain=True)
        patient = patient_with(tmp_path, clinic_file(tmp_path, broker_port=running.port))
        assert told in await problems(patient, "table", "broker")


# --- the access list -------------------------------------------------------------------------------------------------


async def test_the_access_list_that_init_writes_is_right(tmp_path: Path) -> None:
    async with Chain(tmp_path, mqtt=as_the_table(tmp_path), broker_settings=guarded_settings(tmp_path)) as chain:
        await chain.start_daemon()
        users_file(tmp_path)
        await chain.becomes(lambda: chain.times_logged("broker_up"), what="the table to be at the broker")
        patient = patient_with(tmp_path, chain.data)
        told = await good(patient, "broker-roles", "broker", "table")
        users = "the-table, other-table, board, seats, dealer, boss, console, witness, pit, archive"
        assert f"permissions of {users} were tried" in told
        # Nothing that was tried came to anything: the table answered, and stands where it stood.
        assert {line["code"] for line in chain.log_lines if line["event"] == "request"} == {"bad_request"}
        assert chain.times_logged("request_failed") == 0
        assert chain.times_logged("person_acted") == 0


PREFIX = TOPICS.prefix
BOARD = "user board\n"


@pytest.mark.parametrize(
    ("access", "told"),
    [
        pytest.param(
            ACCESS.replace(BOARD, f"{BOARD}topic write {PREFIX}/request/dealer/board/confirm\n"),
            [f"user board (display) may write {PREFIX}/request/dealer/board/confirm, and must not"],
            id="a display commands",
        ),
        pytest.param(
            ACCESS.replace("user seats\n", f"user seats\ntopic write {PREFIX}/request/#\n"),
            [f"user seats (wagers) may write {PREFIX}/request/supervisor/seats/void_round, and must not"],
            id="a wager terminal confirms",
        ),
        pytest.param(
            f"{ACCESS}pattern write {PREFIX}/request/+/%u/+\n",
            [f"user seats (wagers) may write {PREFIX}/request/supervisor/seats/void_round, and must not"],
            id="a pattern gives every user every role",
        ),
        pytest.param(
            ACCESS.replace("user seats\n", f"user seats\ntopic write {PREFIX}/request/wagers/+/place\n"),
            [f"user seats (wagers) may write {PREFIX}/request/wagers/{OTHER_CLIENT}/place, and must not"],
            id="a user writes in the name of another",
        ),
        pytest.param(
            ACCESS.replace("user the-table\n", f"user the-table\ntopic write shoe/v1/{SITE}/tables/+\n"),
            [f"user the-table (table) may write shoe/v1/{SITE}/tables/", ", and must not"],
            id="a table lists another",
        ),
        pytest.param(
            ACCESS.replace("user the-table\n", f"user the-table\ntopic write shoe/v1/{SITE}/+/status\n"),
            ["user the-table (table) may write shoe/v1/", "/status, and must not"],
            id="a table speaks for another",
        ),
        pytest.param(
            ACCESS.replace("user other-table\n", f"user other-table\ntopic write {PREFIX}/event/#\n"),
            [f"user other-table (table) may write {PREFIX}/event/outcome, and must not"],
            id="another table speaks for this one",
        ),
        pytest.param(
            ACCESS.replace("user boss\n", f"user boss\ntopic read {PREFIX}/request/#\n"),
            [f"user boss (supervisor) may read {PREFIX}/request/supervisor/boss/void_round, and must not"],
            id="somebody reads PINs",
        ),
        pytest.param(
            ACCESS.replace("user witness\n", f"user witness\ntopic write {PREFIX}/request/display/witness/replay\n"),
            [f"user witness (witness) may write {PREFIX}/request/display/witness/replay, and must not"],
            id="a witness gets every event",
        ),
        pytest.param(
            ACCESS.replace("user board\n", f"user board\ntopic write shoe/v1/{SITE}/witness/+/+\n"),
            [f"user board (display) may write shoe/v1/{SITE}/witness/{OTHER_CLIENT}/"],
            id="a display speaks for a witness",
        ),
        pytest.param(
            ACCESS.replace("user board\n", f"user board\ntopic read {PREFIX}/pit/#\n"),
            [f"user board (display) may read {PREFIX}/pit/{name}, and must not" for name in ("alarms", "edges")],
            id="a display reads the live edges",
        ),
        pytest.param(
            ACCESS.replace("user board\n", f"user board\ntopic write {PREFIX}/pit/edges\n"),
            [f"user board (display) may write {PREFIX}/pit/edges, and must not"],
            id="a display makes up edges",
        ),
        pytest.param(
            ACCESS.replace("reply/%u/#", "reply/#"),
            [f"user board (display) may read {PREFIX}/reply/{OTHER_CLIENT}/1, and must not"],
            id="everybody reads the answers to others",
        ),
        pytest.param(
            ACCESS.replace("pattern read", "# pattern read"),
            [f"user board (display) may not read the answers at {PREFIX}/reply/board/, and must"],
            id="nobody reads one's answers",
        ),
        pytest.param(
            ACCESS.replace(f"topic write {PREFIX}/request/dealer/dealer/confirm\n", ""),
            [f"user dealer (dealer) may not write {PREFIX}/request/dealer/dealer/confirm, and must"],
            id="a dealer cannot confirm",
        ),
        pytest.param(
            ACCESS.replace(f"topic read {PREFIX}/request/wagers/+/place\n", ""),
            [f"The table's own user may not read {PREFIX}/request/wagers/seats/place, and must"],
            id="the table does not see wagers",
        ),
    ],
)
async def test_broker_roles_fails_when_the_access_list_is_wrong(tmp_path: Path, access: str, told: list[str]) -> None:
    assert access != ACCESS
    async with broker(tmp_path, guarded_settings(tmp_path, access)) as running:
        data = clinic_file(tmp_path, broker_port=running.port, mqtt=as_the_table(tmp_path))
        patient = patient_with(tmp_path, data, users_file=users_file(tmp_path))
        found = await problems(patient, "broker-roles", "broker")
        for sentence in told:
            assert sentence in found


async def test_broker_roles_fails_when_a_witness_reads_more_than_heads_and_checkpoints(tmp_path: Path) -> None:
    access = ACCESS.replace("user witness\n", f"user witness\ntopic read {PREFIX}/state\n")
    settings = guarded_settings(tmp_path, access)
    async with Chain(tmp_path, mqtt=as_the_table(tmp_path), broker_settings=settings) as chain:
        await chain.start_daemon()
        users_file(tmp_path)
        await chain.becomes(lambda: chain.times_logged("broker_up"), what="the table to be at the broker")
        found = await problems(patient_with(tmp_path, chain.data), "broker-roles", "broker", "table")
        assert f"user witness (witness) may read {PREFIX}/state, and must not" in found


async def test_broker_roles_fails_when_everybody_may_do_everything(tmp_path: Path) -> None:
    async with broker(tmp_path) as running:
        patient = patient_with(tmp_path, clinic_file(tmp_path, broker_port=running.port))
        assert "does not exist" in await not_looked(patient, "broker-roles", "broker")
        users_file(tmp_path)
        told = await problems(patient, "broker-roles", "broker")
        assert f"user board (display) may write {PREFIX}/status, and must not" in told
        assert f"user seats (wagers) may read {PREFIX}/request/supervisor/seats/sign_in, and must not" in told


async def test_broker_roles_fails_when_the_file_of_users_is_wrong(tmp_path: Path) -> None:
    async with broker(tmp_path, guarded_settings(tmp_path)) as running:
        data = clinic_file(tmp_path, broker_port=running.port, mqtt=as_the_table(tmp_path))
        patient = patient_with(tmp_path, data, users_file=users_file(tmp_path))
        write_secret(tmp_path / "board.password", "wrong")
        assert "user board, as " in await problems(patient, "broker-roles", "broker")
        (tmp_path / "board.password").unlink()
        assert "board.password cannot be read" in await problems(patient, "broker-roles", "broker")
        write_secret(tmp_path / "broker-users.toml", '[[users]]\nname = "x"\nrole = "dispaly"\n')
        assert "there is no role 'dispaly'" in await problems(patient, "broker-roles", "broker")


# --- the network -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
async def test_open_ports_fails_when_plain_mqtt_can_be_reached_from_elsewhere(
    tmp_path: Path, family: socket.AddressFamily
) -> None:
    with socket.socket(family) as listening:
        everywhere = "0.0.0.0" if family is socket.AF_INET else "::"  # noqa: S104 - that is what the check must see
        try:
            listening.bind((everywhere, 0))
        except OSError:
            pytest.skip("this machine has no such addresses")
        port = listening.getsockname()[1]
        machine = Machine(plain_port=port)
        patient = patient_with(tmp_path, clinic_file(tmp_path), machine=machine)
        assert "cannot be reached from other machines" in await good(patient, "open-ports")
        listening.listen()
        assert f"without TLS, at port {port} of {everywhere}" in await problems(patient, "open-ports")
    with socket.socket() as local:
        local.bind(("127.0.0.1", 0))
        local.listen()
        patient.machine = Machine(plain_port=local.getsockname()[1])
        assert "cannot be reached from other machines" in await good(patient, "open-ports")
