"""What goes wrong around a table, what the doctor advises, and that advice carried out word for word.

Each trouble is made in a ward where everything is right. Where the advice is a command, it is run as it stands; where
it is a sentence, what it says is done.
"""

import copy
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from shoe_controller.doctor.findings import Patient, Thresholds
from shoe_controller.doctor.users import User, service_user, user_called
from shoe_controller.setup.passwords import SALT_BYTES, password_line
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.port import Port
from simulator.ports.pty import PtyPort
from simulator.ports.tcp import TcpPort
from simulator.shoe_line import Wire, WireSettings
from tests.console.console_chain import free_port
from tests.daemon.harness import QUICK
from tests.daemon.house_file import OTHER_KEY, SHOE_KEY, people, person, write_secret
from tests.doctor.clinic import clinic_file, patient_with
from tests.doctor.guarded_broker import ACCESS, as_the_table, guarded_settings, users_file
from tests.mqtt.certificates import Certificates
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.table_files import Data

SERVICE = "nobody"
"""A user of every machine that owns none of the files."""


class Ward:
    """A table's folder, what runs beside it, and who looks."""

    def __init__(self, folder: Path, certificates: Certificates) -> None:
        self.folder = folder
        self.certificates = certificates
        self.data: Data = clinic_file(folder, str(folder / "shoe"))
        self.user: User = service_user()
        self.stack = AsyncExitStack()
        self._written: Data = {}

    def patient(self) -> Patient:
        """Whom the doctor looks at; the file is written when something in it has changed, and keeps its mode."""
        limits = Thresholds(listen_seconds=2.0, measure_seconds=0, certificate_days=1)
        if self._written != self.data:
            self._written = copy.deepcopy(self.data)
            return patient_with(self.folder, self.data, user=self.user, limits=limits)
        return Patient(file=self.folder / "table.toml", user=self.user, limits=limits)

    async def broker(self, settings: str = "allow_anonymous true", **mqtt: Any) -> Mosquitto:  # noqa: ANN401 - keys of [mqtt]
        """A broker that runs until the end, and a table that names it."""
        memory = self.folder / "broker"
        memory.mkdir()
        running = Mosquitto(memory, settings)
        await running.start()
        self.stack.push_async_callback(running.kill)
        self.data["mqtt"] = {"host": "127.0.0.1", "port": running.port, "keep_alive": 2} | mqtt
        return running

    async def shoe(self, **wire: Any) -> EmulatedShoe:  # noqa: ANN401 - fields of WireSettings
        return await self._shoe(PtyPort(self.folder / "shoe"), wire)

    async def _shoe(self, port: Port, wire: dict[str, Any]) -> EmulatedShoe:
        settings = WireSettings(**({"wire": Wire.NATIVE, "key": SHOE_KEY} | wire))  # type: ignore[arg-type]  # of a test
        emulation = EmulationSettings(wire=settings, pace=QUICK, seed=5)
        shoe = EmulatedShoe(port=port, settings=emulation, truth=lambda _: None)
        return await self.stack.enter_async_context(shoe)

    async def shoe_at_server(self, port: int) -> EmulatedShoe:
        """A shoe behind a serial server of this machine."""
        return await self._shoe(TcpPort("127.0.0.1", port), {})

    def run(self, advice: str) -> None:
        """Run the command that the advice is, as the person who reads it would: root needs no sudo."""
        done = subprocess.run(
            ["/bin/bash", "-c", advice.replace("sudo ", "")], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


Follow = Callable[[str], Awaitable[None]]
"""Does what the advice says."""


class Trouble(NamedTuple):
    what: str
    check: str
    advised: str
    """A part of the advice; `@` stands for the folder."""
    made: Callable[[Ward], AbstractAsyncContextManager[Follow]]
    before: tuple[str, ...] = ()
    """Checks that this one builds on."""
    root: bool = False
    """Only root can make it, and put it right."""


TROUBLES: list[Trouble] = []

_Maker = Callable[[Ward], Awaitable[Follow]]


def _trouble(check: str, advised: str, *before: str, root: bool = False) -> Callable[[_Maker], _Maker]:
    def listed(maker: _Maker) -> _Maker:
        @asynccontextmanager
        async def made(ward: Ward) -> AsyncIterator[Follow]:
            async with ward.stack:
                yield await maker(ward)

        TROUBLES.append(Trouble(maker.__name__, check, advised, made, before, root))
        return maker

    return listed


def _then(step: Callable[[], object]) -> Follow:
    async def follow(_advice: str) -> None:
        step()

    return follow


def _command(ward: Ward) -> Follow:
    async def follow(advice: str) -> None:
        ward.run(advice)

    return follow


# --- the file --------------------------------------------------------------------------------------------------------


@_trouble("configuration", "Do what it says there")
async def unknown_key(ward: Ward) -> Follow:
    ward.data["table"]["nmae"] = "x"
    return _then(lambda: ward.data["table"].pop("nmae"))


@_trouble("pay-tables", "Correct the [house] section")
async def commission_of_nothing(ward: Ward) -> Follow:
    ward.data["house"]["commission"] = {"rate": "0%"}
    return _then(lambda: ward.data["house"].pop("commission"))


def _person_added(ward: Ward) -> Follow:
    async def follow(advice: str) -> None:
        _add_person(ward, advice, "371940")

    return follow


def _add_person(ward: Ward, advice: str, pin: str) -> None:
    command = advice.partition("`sudo ")[2].partition("`")[0]
    ward.run(f"echo {pin} | {Path(sys.executable).parent}/{command}")


@_trouble("people", "person add @/table.toml --supervisor maya='Maya Gurung'`")
async def no_supervisor(ward: Ward) -> Follow:
    ward.data["people"] = people()[:1]

    async def follow(advice: str) -> None:
        _add_person(ward, advice, "371940")
        _add_person(ward, advice.replace("maya='Maya Gurung'", "rana='B. Rana'"), "480612")

    return follow


@_trouble("people", "Add another one, with that person's own id and name: `sudo shoe-controller config person add @/")
async def one_supervisor(ward: Ward) -> Follow:
    ward.data["people"] = people()[:2]
    return _person_added(ward)


@_trouble("people", "Add a dealer, with that person's own id and name: `sudo shoe-controller config person add @/")
async def nobody_to_sign_in(ward: Ward) -> Follow:
    ward.data |= {"procedure": {"dealer_signs_in": True}, "people": people()[1:], "mqtt": {"host": "127.0.0.1"}}
    return _person_added(ward)


@_trouble("people", "choose one of 6 digits or more, with `shoe-controller keys pin`")
async def short_pin(ward: Ward) -> Follow:
    ward.data["people"] = [person("rana", "supervisor", "4806"), person("shah", "supervisor", "773501")]
    return _then(lambda: ward.data["people"].__setitem__(0, person("rana", "supervisor", "480612")))


# --- files and their rights ------------------------------------------------------------------------------------------


@_trouble("secrets", "Do what it says there")
async def key_is_missing(ward: Ward) -> Follow:
    (ward.folder / "shoe.key").unlink()
    return _then(lambda: write_secret(ward.folder / "shoe.key", SHOE_KEY.hex()))


@_trouble("secrets", "sudo chgrp $(id -gn nobody) @/table.toml @/shoe.key && sudo chmod u+rw,g+r,g-wx,o-rwx", root=True)
async def service_reads_nothing(ward: Ward) -> Follow:
    ward.user = user_called(SERVICE)
    return _command(ward)


@_trouble("secrets", "sudo chmod g-w,o-w @/table.toml", root=True)
async def service_may_change_its_file(ward: Ward) -> Follow:
    ward.user = user_called(SERVICE)
    file, key = ward.patient().file, ward.folder / "shoe.key"
    ward.run(f"chgrp $(id -gn {SERVICE}) {file} {key}")
    file.chmod(0o660)
    key.chmod(0o640)
    return _command(ward)


@_trouble("secrets", "sudo chmod o-rwx @/table.toml")
async def everybody_reads_hashes(ward: Ward) -> Follow:
    ward.patient().file.chmod(0o644)
    return _command(ward)


@_trouble("journal", "sudo install -d -o nobody -m 750 '@/no such folder'", root=True)
async def journal_folder_is_missing(ward: Ward) -> Follow:
    ward.user = user_called(SERVICE)
    ward.data["journal"]["file"] = str(ward.folder / "no such folder" / "t.journal")
    return _command(ward)


@_trouble(
    "journal", "sudo chown nobody @/shut/journal && sudo chmod u+rwX @/shut/journal && sudo chmod a+x @/shut", root=True
)
async def journal_folder_is_shut(ward: Ward) -> Follow:
    ward.user = user_called(SERVICE)
    folder = ward.folder / "shut" / "journal"
    folder.mkdir(parents=True)
    for each in (folder, folder.parent):
        each.chmod(0o700)
    ward.data["journal"]["file"] = str(folder / "t.journal")
    return _command(ward)


@_trouble("anchor", "sudo chown nobody @/anchors && sudo chmod u+rwX @/anchors", root=True)
async def anchor_folder_is_shut(ward: Ward) -> Follow:
    ward.user = user_called(SERVICE)
    (ward.folder / "anchors").mkdir(mode=0o700)
    ward.data["journal"]["anchor"] = str(ward.folder / "anchors" / "t.anchor")
    return _command(ward)


@_trouble("journal-key", "sudo chmod 700 @/keys")
async def keys_are_open(ward: Ward) -> Follow:
    (ward.folder / "keys").mkdir()
    (ward.folder / "keys").chmod(0o755)
    ward.data["journal"]["keys"] = str(ward.folder / "keys")
    return _command(ward)


@_trouble("journal-key", "Move it to a place that this machine cannot write to")
async def public_key_is_here(ward: Ward) -> Follow:
    keys, elsewhere = ward.folder / "keys", ward.folder / "stick"
    keys.mkdir(mode=0o700)
    (keys / "first.public").write_text("x", encoding="utf-8")
    ward.data["journal"]["keys"] = str(keys)
    return _then(lambda: (keys / "first.public").rename(elsewhere))


# --- the broker ------------------------------------------------------------------------------------------------------


@_trouble("broker", "sudo systemctl start mosquitto")
async def broker_does_not_run(ward: Ward) -> Follow:
    broker = await ward.broker()
    await broker.kill()

    async def follow(_advice: str) -> None:
        await broker.start()

    return follow


@_trouble("broker", "write its port in [mqtt]")
async def wrong_port(ward: Ward) -> Follow:
    broker = await ward.broker()
    ward.data["mqtt"]["port"] = 1
    return _then(lambda: ward.data["mqtt"].update(port=broker.port))


@_trouble("broker", 'Where the broker is on this machine, write host = "127.0.0.1"')
async def unknown_host(ward: Ward) -> Follow:
    await ward.broker()
    ward.data["mqtt"]["host"] = "no-such-host.invalid"
    return _then(lambda: ward.data["mqtt"].update(host="127.0.0.1"))


@_trouble("broker", "and write the same password into @/mqtt.password, on one line")
async def wrong_password(ward: Ward) -> Follow:
    broker = await ward.broker(guarded_settings(ward.folder), **as_the_table(ward.folder))
    write_secret(ward.folder / "mqtt.password", "another")

    async def follow(advice: str) -> None:
        assert "`sudo mosquitto_passwd /etc/mosquitto/shoe-controller/passwords the-table`, or with another" in advice
        line = password_line("the-table", "one of our own", bytes(SALT_BYTES))
        write_secret(ward.folder / "passwords", f"{line}\n")
        write_secret(ward.folder / "mqtt.password", "one of our own\n")
        await broker.kill()
        await broker.start()

    return follow


@_trouble("broker", "Name the table's user as username in [mqtt], and the file with the password as password_file")
async def no_user(ward: Ward) -> Follow:
    await ward.broker(guarded_settings(ward.folder))
    return _then(lambda: ward.data["mqtt"].update(as_the_table(ward.folder)))


def _with_tls(ward: Ward, certificate: Path) -> str:
    key = certificate.with_suffix(".key")
    return f"allow_anonymous true\ncafile {ward.certificates.ca}\ncertfile {certificate}\nkeyfile {key}"


async def _another_authority(ward: Ward) -> Follow:
    ours = ward.folder / "ca.pem"
    ours.write_bytes(ward.certificates.other_ca.read_bytes())
    await ward.broker(_with_tls(ward, ward.certificates.broker), ca_file=str(ours))
    return _then(lambda: ours.write_bytes(ward.certificates.ca.read_bytes()))


@_trouble("broker", "Copy the certificate of the broker's own authority over @/ca.pem")
async def another_authority(ward: Ward) -> Follow:
    return await _another_authority(ward)


@_trouble("broker-tls", "Copy the certificate of the broker's own authority over @/ca.pem", "broker")
async def another_authority_again(ward: Ward) -> Follow:
    return await _another_authority(ward)


@_trouble("broker-tls", "Write in [mqtt] the host for which the certificate was made", "broker")
async def another_host(ward: Ward) -> Follow:
    await ward.broker(_with_tls(ward, ward.certificates.broker), ca_file=str(ward.certificates.ca))
    ward.data["mqtt"]["host"] = "localhost"

    async def follow(advice: str) -> None:
        command = advice.split("`")[1]
        done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=False)  # noqa: ASYNC221 - short
        assert "IP Address:127.0.0.1" in done.stdout
        ward.data["mqtt"]["host"] = "127.0.0.1"

    return follow


@_trouble("broker", "what answers at ")
async def plain_broker(ward: Ward) -> Follow:
    plain = await ward.broker(ca_file=str(ward.certificates.ca))

    async def follow(_advice: str) -> None:
        await plain.kill()
        secured = Mosquitto(ward.folder / "broker", _with_tls(ward, ward.certificates.broker))
        await secured.start()
        ward.stack.push_async_callback(secured.kill)
        ward.data["mqtt"]["port"] = secured.port

    return follow


@_trouble("broker", "Name the broker's authority as ca_file in [mqtt], if the broker wants TLS")
async def broker_wants_tls(ward: Ward) -> Follow:
    await ward.broker(_with_tls(ward, ward.certificates.broker))
    return _then(lambda: ward.data["mqtt"].update(ca_file=str(ward.certificates.ca)))


@_trouble("broker-roles", "Use the access list that `shoe-controller init` writes", "broker")
async def wrong_access_list(ward: Ward) -> Follow:
    users_file(ward.folder)
    settings = guarded_settings(ward.folder, f"{ACCESS}user board\ntopic readwrite #\n")
    broker = await ward.broker(settings, **as_the_table(ward.folder))

    async def follow(_advice: str) -> None:
        write_secret(ward.folder / "access", ACCESS)
        await broker.kill()
        await broker.start()

    return follow


# --- the shoe --------------------------------------------------------------------------------------------------------

_SHOE = ("port", "port-free")


@_trouble("port", "Plug the shoe in and switch it on")
async def shoe_is_unplugged(ward: Ward) -> Follow:
    async def follow(_advice: str) -> None:
        await ward.shoe()

    return follow


@_trouble("port", "Switch the serial server on, and check its address")
async def serial_server_is_off(ward: Ward) -> Follow:
    port = free_port()
    ward.data["shoe"]["port"] = f"socket://127.0.0.1:{port}"

    async def follow(_advice: str) -> None:
        await ward.shoe_at_server(port)

    return follow


@_trouble("shoe", "then the shoe's cable and power, the speed that is set in the server", "port", "port-free")
async def shoe_behind_a_serial_server_is_off(ward: Ward) -> Follow:
    port = free_port()
    ward.data["shoe"]["port"] = f"socket://127.0.0.1:{port}"
    server = socket.create_server(("127.0.0.1", port))
    ward.stack.callback(server.close)

    async def follow(_advice: str) -> None:
        server.close()
        await ward.shoe_at_server(port)

    return follow


@_trouble("port-free", "Stop it: only one program may talk to a shoe", "port")
async def a_terminal_program(ward: Ward) -> Follow:
    await ward.shoe()
    with (ward.folder / "shoe").open("rb") as port:
        program = subprocess.Popen(["/bin/sleep", "60"], stdin=port)  # noqa: ASYNC220 - it holds the port
    ward.stack.callback(program.kill)

    async def follow(_advice: str) -> None:
        program.kill()
        program.wait()

    return follow


@_trouble("shoe", 'It looks like the Angel Eye wire: set wire = "angel_eye" in [shoe]', *_SHOE)
async def another_wire(ward: Ward) -> Follow:
    await ward.shoe(wire=Wire.ANGEL_EYE, key=None, spacing=0.01)

    def set_rightly() -> None:
        ward.data["shoe"]["wire"] = "angel_eye"
        ward.data["shoe"].pop("key_file")

    return _then(set_rightly)


@_trouble("shoe-key", "Put the same key into the shoe and into the file that key_file names", *_SHOE, "shoe")
async def another_key(ward: Ward) -> Follow:
    await ward.shoe(key=OTHER_KEY)
    return _then(lambda: write_secret(ward.folder / "shoe.key", OTHER_KEY.hex()))


@_trouble("shoe-key", "name it as key_file", *_SHOE, "shoe")
async def no_key(ward: Ward) -> Follow:
    await ward.shoe()
    ward.data["shoe"].pop("key_file")
    ward.data["shoe"]["insecure"] = True

    def named() -> None:
        ward.data["shoe"].pop("insecure")
        ward.data["shoe"]["key_file"] = "shoe.key"

    return _then(named)
