"""The doctor and the shoe: silence, noise, keys and versions; and that no card is lost by it."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firmware_protocol.link import ShoeIdentity
from firmware_protocol.native.messages import Versions
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import ShoeStore
from shoe_controller.doctor.findings import Thresholds
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.line_faults import Trouble
from simulator.ports.pty import PtyPort
from simulator.reader_ids import cards_file
from simulator.shoe_line import Wire, WireSettings
from simulator.truth import AnyHappening, Identified, TruthSink
from tests.daemon.harness import QUICK, Chain
from tests.daemon.house_file import CARDS_FILE, OTHER_KEY, SHOE_KEY
from tests.doctor.clinic import clinic_file, good, not_looked, patient_with, problems
from tests.doctor.guarded_broker import as_the_table, guarded_settings, users_file
from tests.reckoning import last_number, reckoned, sound_journal
from tests.transports.pty_shoe import PtyShoe

pytestmark = pytest.mark.asyncio

BEFORE = ("port", "port-free")
SHORT = Thresholds(listen_seconds=0.7)
LONG = Thresholds(listen_seconds=10, measure_seconds=0)


def emulated(folder: Path, truth: TruthSink = lambda _: None, **wire: object) -> EmulatedShoe:
    settings = WireSettings(**({"wire": Wire.NATIVE, "key": SHOE_KEY} | wire))  # type: ignore[arg-type]  # of a test
    emulation = EmulationSettings(wire=settings, pace=QUICK, seed=5)
    return EmulatedShoe(port=PtyPort(folder / "shoe"), settings=emulation, truth=truth)


async def test_a_shoe_that_answers_with_our_key(tmp_path: Path) -> None:
    seen: list[AnyHappening] = []
    async with emulated(tmp_path, seen.append) as shoe:
        patient = patient_with(tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe")), limits=LONG)
        assert "it is the one that blinks" in await good(patient, "shoe", *BEFORE)
        await shoe.until(lambda: any(isinstance(happening, Identified) for happening in seen), within=10)
        assert "holds the right key" in await good(patient, "shoe-key")
        assert "firmware" in await good(patient, "firmware")
        assert "protocol version 1" in await good(patient, "firmware")


async def test_line_fails_when_many_frames_are_damaged(tmp_path: Path) -> None:
    measured = Thresholds(listen_seconds=10, measure_seconds=0.4)
    async with emulated(tmp_path) as shoe:
        patient = patient_with(tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe")), limits=measured)
        assert "no frame was damaged" in await good(patient, "line", *BEFORE, "shoe")
        assert patient.shoe is not None
        assert patient.shoe.quality is not None
        assert patient.shoe.quality.frames > 5, "the shoe is made to talk"
        line = shoe.emulation.effects.from_shoe
        for place in range(1500, 600_000, 100):
            line.trouble_bytes(Trouble.CORRUPTED, begin=line.sent + place, length=1)
        patient = patient_with(
            tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe")), limits=measured._replace(measure_seconds=1.5)
        )
        assert "frames were damaged" in await problems(patient, "line", *BEFORE, "shoe")


async def test_shoe_fails_when_nobody_answers(tmp_path: Path) -> None:
    shoe = PtyShoe(tmp_path / "shoe")
    shoe.plug_in()
    try:
        patient = patient_with(tmp_path, clinic_file(tmp_path, shoe.path), limits=SHORT)
        assert "no shoe answers there" in await problems(patient, "shoe", *BEFORE)
        assert "not contacted" in await not_looked(patient, "firmware")
        assert "not contacted" in await not_looked(patient, "shoe-key")
    finally:
        shoe.unplug()


async def test_shoe_fails_when_it_speaks_another_wire(tmp_path: Path) -> None:
    async with emulated(tmp_path, wire=Wire.ANGEL_EYE, key=None, spacing=0.01):
        patient = patient_with(
            tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe")), limits=Thresholds(listen_seconds=3)
        )
        told = await problems(patient, "shoe", *BEFORE)
        assert "is not what the native wire sends" in told
        assert 'It looks like the Angel Eye wire: set wire = "angel_eye" in [shoe]' in told


async def test_a_reader_of_ids_is_heard_and_has_no_key(tmp_path: Path) -> None:
    data = clinic_file(tmp_path, str(tmp_path / "shoe"), wire="lines", key_file=None)
    (tmp_path / CARDS_FILE).write_bytes(cards_file(8, "pieces"))
    async with emulated(tmp_path, wire=Wire.LINES, key=None):
        patient = patient_with(tmp_path, data, limits=LONG)
        assert "a shoe answers at" in await good(patient, "shoe", *BEFORE)
        assert "has no key" in await not_looked(patient, "shoe-key")


async def test_an_angel_eye_shoe_is_heard_and_its_silence_is_no_problem(tmp_path: Path) -> None:
    data = clinic_file(tmp_path, str(tmp_path / "shoe"), wire="angel_eye", key_file=None)
    async with emulated(tmp_path, wire=Wire.ANGEL_EYE, key=None, spacing=0.01):
        patient = patient_with(tmp_path, data, limits=LONG)
        assert "a shoe answers at" in await good(patient, "shoe", *BEFORE)
        assert "no keys" in await not_looked(patient, "shoe-key")
    silent = PtyShoe(tmp_path / "silent")
    silent.plug_in()
    try:
        data["shoe"]["port"] = silent.path
        assert "normal between two cards" in await not_looked(
            patient_with(tmp_path, data, limits=SHORT), "shoe", *BEFORE
        )
    finally:
        silent.unplug()


async def test_shoe_key_fails_when_the_shoe_holds_another_key(tmp_path: Path) -> None:
    async with emulated(tmp_path, key=OTHER_KEY):
        patient = patient_with(tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe")), limits=LONG)
        assert "does not hold our key" in await problems(patient, "shoe-key", *BEFORE, "shoe")


async def test_shoe_key_fails_when_one_side_has_none(tmp_path: Path) -> None:
    async with emulated(tmp_path, key=None):
        patient = patient_with(tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe")), limits=LONG)
        assert "the shoe has no key" in await problems(patient, "shoe-key", *BEFORE, "shoe")
    insecure = patient_with(tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe"), key_file=None), limits=SHORT)
    assert "anyone at the cable can pretend" in await problems(insecure, "shoe-key")


@asynccontextmanager
async def shoe_of_the_future(shoe: PtyShoe, versions: Versions) -> AsyncIterator[None]:
    """The native shoe's own end of the line, with other versions of the protocol than ours."""
    generator = random.Random(3)  # noqa: S311 - nonces of a test
    loop = asyncio.get_running_loop()
    identity = ShoeIdentity(
        model="Next", firmware="9.0", serial_number="N1", boot_id=7, protocol_version=9, capabilities=frozenset()
    )
    link = NativeShoe(
        identity=identity,
        store=ShoeStore(capacity=16),
        nonce=lambda: generator.randbytes(16),
        now=loop.time(),
        key=SHOE_KEY,
        versions=versions,
    )
    shoe.plug_in()

    async def pump() -> None:
        link.connected(loop.time())
        while True:
            try:
                link.receive(await shoe.receive(1), loop.time())
            except TimeoutError:
                return
            link.tick(loop.time())
            await shoe.send(link.to_send())

    task = asyncio.create_task(pump())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        shoe.unplug()


async def test_firmware_fails_when_there_is_no_common_version(tmp_path: Path) -> None:
    shoe = PtyShoe(tmp_path / "shoe")
    async with shoe_of_the_future(shoe, Versions(8, 9)):
        patient = patient_with(tmp_path, clinic_file(tmp_path, shoe.path), limits=LONG)
        told = await problems(patient, "firmware", *BEFORE, "shoe")
    assert "no common protocol version" in told
    assert "update the older side" in told


async def test_a_table_that_runs_makes_its_shoe_blink(tmp_path: Path) -> None:
    guarded = Chain(tmp_path, mqtt=as_the_table(tmp_path), broker_settings=guarded_settings(tmp_path))
    async with guarded as chain, chain.emulated_shoe(cut_card=400):
        await chain.start_daemon()
        await chain.becomes(lambda: chain.times_logged("link_up"), what="the shoe")
        patient = patient_with(tmp_path, chain.data, users_file=users_file(tmp_path))
        told = await good(patient, "shoe", "broker", "table", "port-free")
        assert told == "the shoe is connected to the table's controller; it is the one that blinks for 5 s"
        await chain.becomes(lambda: any(isinstance(each, Identified) for each in chain.truth), what="the shoe to blink")


async def test_no_card_is_lost_by_looking(tmp_path: Path) -> None:
    """The controller dies, a card falls, the doctor greets the shoe twice, and the next controller misses nothing."""
    async with Chain(tmp_path, seed=11) as chain:
        await chain.start_daemon()
        display = await chain.display()
        async with chain.emulated_shoe(cut_card=300) as shoe:
            await shoe.until(lambda: shoe.emulation.shoe.cards_out >= 5, within=30)
            # Without the patient dealer, who waits for the gate before a round: the cards here are still being burned.
            shoe.on_change = lambda: None
            shoe.let_dealer(deal=False)
            await chain.kill_daemon()
            shoe.let_dealer(deal=True)
            out = shoe.emulation.shoe.cards_out
            await shoe.until(lambda: shoe.emulation.shoe.cards_out > out, within=30)
            shoe.let_dealer(deal=False)
            for _ in range(2):
                patient = patient_with(tmp_path, chain.data, limits=LONG)
                assert "a shoe answers" in await good(patient, "shoe", *BEFORE)
            await chain.start_daemon()
            out = shoe.emulation.shoe.cards_out
            await display.until(lambda: display.state is not None and display.state.cards_out == out, within=30)
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        reckoned(sound_journal(chain.journal, display.events), chain.truth)
