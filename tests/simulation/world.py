"""One simulated table with everything around it: made from a plan, run to its end, and looked at all the while."""

import gc
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.config.secret_files import Secret
from shoe_controller.config.table import JournalSettings
from shoe_controller.config.table_file import Config, RunningConfig, for_running, load_config
from shoe_controller.daemon.table_journal import published_fact
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry, Receipt
from shoe_controller.messages.topics import Topics
from simulator.emulation import Emulation, EmulationSettings
from simulator.reader_ids import cards_file
from simulator.reckoner.displays import same_event
from simulator.reckoner.mismatch import MismatchError
from simulator.reckoner.reckoning import Step
from simulator.shoe_line import Wire, WireSettings
from simulator.truth import AnyHappening, FaultInjected
from tests.daemon.house_file import SEAL_KEY, person
from tests.simulation import happenings
from tests.simulation.audit import audit
from tests.simulation.cable import Cable
from tests.simulation.clients import Display, Shown, Terminal
from tests.simulation.corrections import Changes, Corrections
from tests.simulation.counting import CountingSeat
from tests.simulation.houses import DECKS, SimulatedHouse, house_of, section
from tests.simulation.machine import Machine
from tests.simulation.misnaming import Misnaming
from tests.simulation.observer import BrokenPromiseError, Memory, Observer
from tests.simulation.people import DEALERS, SUPERVISORS, TARGET, Players, Staff
from tests.simulation.pit import Pit
from tests.simulation.placing import Placing
from tests.simulation.plan import DOWN, Mishap, Plan
from tests.simulation.reader import DealerAtDisplay
from tests.simulation.virtual_broker import VirtualBroker
from tests.simulation.virtual_time import RESOLUTION, VirtualTime
from tests.simulation.wiping import Deletions
from tests.table_files import Data, write

KEY = bytes(range(100, 132))
LONGEST = 3600.0
"""Virtual seconds in which all rounds of a plan must be over."""
PATIENCE = 900.0
"""Virtual seconds in which a table on which nothing goes wrong any more must settle another round."""
GOING_HOME = 30.0
"""Virtual seconds after which nobody at the table asks for anything any more, when the sitting is over."""
MOST_STEPS = 400_000


class Ran(NamedTuple):
    """What came of a seed."""

    plan: Plan
    broken: str
    """Nothing, or what must not have happened."""
    rounds: int
    seconds: float
    """Virtual."""
    steps: int
    """Of the agenda."""
    met: Counter[tuple[str, str]]
    """Mishaps, each with the phase in which it came."""
    alerts: Counter[str]
    acts: Counter[str]
    """What people did."""
    facts: Counter[str]
    """Events of each kind."""
    settled: Counter[tuple[str, str]]
    """Wagers, each with the base game in which it was settled."""
    edges: int
    """Sets of live edges of the pit's process that were held to the public events."""
    tricks: int
    """How often people had to pull the cable, or to move the lid once more, to get going again."""


def run(plan: Plan, *, told: Callable[[str], object] | None = None) -> Ran:
    """Run a plan to its end."""
    folder = Path(tempfile.mkdtemp(prefix="simulation-", dir=quick_folder()))
    world = World(plan, folder, told)
    broken = ""
    # Garbage is looked for between two runs, when most of it can go at once.
    gc.disable()
    try:
        with world.time.passing():
            world.run()
    except MismatchError as error:
        broken = str(error)
    finally:
        gc.enable()
        world.machine.bury()
        shutil.rmtree(folder)
    alerts = Counter(raised.kind for raised in world.observer.raised)
    tricks = world.staff.replugged + world.staff.lids_moved
    return Ran(
        plan=plan,
        broken=broken,
        rounds=world.observer.results,
        seconds=world.time.now,
        steps=world.time.steps,
        met=world.met,
        alerts=alerts,
        acts=world.observer.acts,
        facts=world.observer.facts,
        settled=world.observer.settled,
        edges=world.pit.checked,
        tricks=tricks,
    )


@cache
def quick_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a folder of our own is made in it


class World:
    def __init__(self, plan: Plan, folder: Path, told: Callable[[str], object] | None) -> None:
        self.plan = plan
        self.time = VirtualTime()
        self.observer = Observer(
            keeps_events=plan.wire is Wire.NATIVE,
            discloses_at_draw=plan.disclosing is Disclosing.AT_DRAW,
            now=lambda: self.time.now,
            unknown_pin=TARGET[0],
            game=plan.house.game,
            house=plan.house.rules,
        )
        self.met: Counter[tuple[str, str]] = Counter()
        self.under_way = 0
        """Mishaps that are not over."""
        self._told = told
        self._waiting = list(plan.mishaps)
        self.emulation = Emulation(_emulation_settings(plan), now=0.0, truth=self._happened)
        self.cable = Cable(self.time, self.emulation)
        self.broker = VirtualBroker(self.time)
        config = _config(plan, folder)
        self.machine = Machine(
            time=self.time,
            config=config,
            cable=self.cable,
            broker=self.broker,
            generator=self.chance("machine"),
            sync_seconds=plan.sync_seconds,
            stored=self._stored,
            begun=self._journal_begun,
            taken_over=self._journal_taken_over,
            remember=self.observer.remember if "journal_put_back" in plan.names else None,
            gone=self._gone,
        )
        if plan.wire is Wire.NATIVE:
            self.observer.deletions = Deletions(self.emulation)
            self.cable.looked = self.observer.deletions.look
        self._at_display = DealerAtDisplay(self.machine, self.cable) if plan.wire is Wire.LINES else None
        topics = Topics(config.table.site, config.table.name)
        self.displays = [
            Display(self.broker, self.time, topics, "lasting", clean=False, told=self._shown),
            Display(self.broker, self.time, topics, "fleeting", clean=True, told=self._shown),
        ]
        self.pit = Pit(
            self.broker, self.time, topics, self.chance("pit"), lambda name: self.observer.journals.get(name, ())
        )
        self.stranger = Terminal(self.broker, self.time, topics, "stranger")
        self.players = Players(
            Terminal(self.broker, self.time, topics, "players"),
            self.chance("players"),
            config.house.offered,
            Changes(self.chance("changes")) if plan.corrects else None,
        )
        if plan.counts:
            counter = Terminal(self.broker, self.time, topics, "counter")
            CountingSeat(counter, self.chance("counting"), config.house.offered)
        self.staff = Staff(
            Terminal(self.broker, self.time, topics, "console"),
            self.cable,
            self.chance("staff"),
            faces=self.observer.faces,
            first_face=self.observer.first_face,
            to_enter=self.observer.to_enter,
            bets_by_dealer=plan.procedure.bets_close.value == "dealer",
            reveals=plan.procedure.reveal.value == "by_dealer",
            undoes=plan.undoes,
            corrections=Corrections(self.chance("corrections"), self.observer.past_rounds, config.house.offered)
            if plan.corrects
            else None,
            signs_in=plan.procedure.dealer_signs_in,
            burns=plan.procedure.new_dealer_burns,
            whims=self.chance("whims") if plan.argues else None,
            placing=Placing(
                self.chance("placing"),
                self.observer.drawn_faces,
                self.observer.first_face,
                unasked=self._unasked if plan.places else None,
            ),
            misnaming=Misnaming(
                self.chance("misnaming"),
                self.observer.faces,
                lambda: self.time.now,
                unasked=self._unasked if plan.misnames else None,
            ),
            shoe_chance=self.chance("shoes"),
        )

    def _unasked(self) -> None:
        self.observer.befell("unasked_acts")

    def chance(self, name: str) -> random.Random:
        return random.Random(f"{name} {self.plan.seed}")  # noqa: S311 - the same every time

    def tell(self, what: str) -> None:
        if self._told is not None:
            self._told(f"{self.time.now:9.3f}  {what}")

    @property
    def phase(self) -> str:
        return "down" if self.machine.daemon is None else self.machine.daemon.state.phase.value

    # --- what happens -------------------------------------------------------------------------------------------------

    def _happened(self, happening: AnyHappening) -> None:
        self.observer.happened(happening)
        self.tell(f"truth    {happening}")
        if isinstance(happening, FaultInjected):
            self.met[happening.fault, self.phase] += 1

    def _stored(self, entry: Entry, receipt: Receipt) -> None:
        self.observer.stored(entry, receipt, self.machine.time_of(entry.at))
        if self._told is not None:
            given = entry.input
            self.tell(f"stored   {'nothing' if given is None else f'{given.name} {given.body[:160]!r}'}")
            for event in entry.events:
                self.tell(f"  event  {event.body.decode()[:300]}")
        if self._at_display is not None:
            self.time.after(RESOLUTION, self._at_display.look)
        said = {event.name for event in entry.events}
        self._begin(
            lambda mishap: (
                not mishap.phase
                and (mishap.after in said or (not mishap.after and mishap.entry <= self.observer.entries))
            )
        )
        if any(mishap.phase for mishap in self._waiting):
            # When the table has taken over what was stored.
            self.time.after(RESOLUTION, self._look_at_phase)

    def _gone(self) -> None:
        if self._at_display is not None:
            self._at_display.look()
        self._begin(lambda mishap: mishap.after == DOWN)
        self._look_at_phase()

    def _look_at_phase(self) -> None:
        phase = self.phase
        self._begin(lambda mishap: mishap.phase == phase and mishap.entry <= self.observer.entries)

    def _journal_begun(self, name: str) -> None:
        self.tell(f"journal  {name} is begun")
        self.observer.begin_journal(name, told_again_from=self._told_again_from())
        self.time.after(RESOLUTION, self._look_at_phase)

    def _journal_taken_over(self, reader: JournalReader, memory: Memory) -> None:
        name = reader.identity.journal_id
        self.tell(f"journal  {name} takes over")
        given = reader.last_input()
        stored = reader.events(0, 100)
        first = Step(
            None if given is None else msgspec.json.decode(given.body),
            [msgspec.json.decode(event.body) for event in stored],
        )
        messages = [(published_fact(event).topic, event.body) for event in stored]
        self.observer.go_back(name, memory, first, messages, told_again_from=self._told_again_from())
        self.time.after(RESOLUTION, self._look_at_phase)

    def _told_again_from(self) -> int | None:
        """The first event that a shoe which keeps its events can still report."""
        return self.emulation.shoe.line.store.oldest if self.plan.wire is Wire.NATIVE else None

    def _begin(self, is_due: Callable[[Mishap], bool]) -> None:
        for mishap in [each for each in self._waiting if is_due(each)]:
            self._waiting.remove(mishap)
            self.under_way += 1
            self.time.after(mishap.delay, partial(happenings.befall, self, mishap))

    def _shown(self, display: Display, seq: int, shown: Shown | None) -> None:
        """Whatever a display shows, or knows of, is on the disk, and is just that.

        Where a new journal was begun, it may still speak of the one before, until it knows of the new one.
        """
        observer = self.observer
        journals = [observer.messages]
        if display.journal != observer.journal:
            journals.append(observer.journals.get(display.journal, []))
        if shown is not None:
            journals = [observer.journals.get(shown.journal, [])]
        if seq > max(map(len, journals)):
            raise BrokenPromiseError(f"{display.name} shows event {seq}, and the journal ends with {len(journals[0])}")
        if shown is None:
            return
        if not same_event(journals[0][seq - 1], shown):
            raise BrokenPromiseError(
                f"{display.name} shows {shown} as event {seq}, and the journal has {journals[0][seq - 1]}"
            )
        if seq not in display.events and self._told is not None:
            self.tell(f"{display.name} shows {seq}")

    # --- the whole run ------------------------------------------------------------------------------------------------

    def run(self) -> None:
        self.machine.start()
        plan = self.plan
        self._until(
            lambda: self.observer.results >= plan.rounds and (not self._waiting or self.observer.entries > 60),
            LONGEST,
            "the rounds of the plan",
        )
        self._waiting.clear()
        self._until(lambda: self.under_way == 0, LONGEST, "the last mishap to be over")
        self.emulation.disarm()
        calm = self.observer.results
        self.tell("---- calm")
        self._until(lambda: self.observer.results > calm, PATIENCE, "another result after all was calm")
        self.staff.go_home()
        self.emulation.let_dealer(self.time.now, deal=False)
        gone = self.time.now + GOING_HOME
        self._until(lambda: self.time.now > gone and self._all_told(), PATIENCE, "everything to be published")
        self.machine.stop()
        self._until(lambda: self.machine.daemon is None, 30.0, "the daemon to end")
        audit(self)

    def _all_told(self) -> bool:
        observer = self.observer
        heard = not observer.unheard or self.plan.wire is not Wire.NATIVE
        return (
            heard
            and self.machine.daemon is not None
            and all(each.last == len(observer.messages) and each.journal == observer.journal for each in self.displays)
        )

    def _until(self, condition: Callable[[], bool], within: float, what: str) -> None:
        time, step, failures = self.time, self.time.step, self.machine.failures
        end = time.now + within
        while not condition():
            step()
            if failures:
                raise BrokenPromiseError(f"the daemon failed: {failures[0]}")
            if time.now > end or time.steps > MOST_STEPS:
                stands = [f"{each['alert']['kind']} ({each['alert']['detail']})" for each in self.observer.standing]
                raise BrokenPromiseError(
                    f"waited {within:g} s for {what}: phase {self.phase}, alerts {stands}, "
                    f"shoe {self.emulation.shoe.firmware.stage.value}, {self.emulation.shoe.why_no_card}"
                )


def _emulation_settings(plan: Plan) -> EmulationSettings:
    native = plan.wire is Wire.NATIVE
    return EmulationSettings(
        wire=WireSettings(wire=plan.wire, disclosing=plan.disclosing, key=KEY if native else None),
        seed=plan.seed,
        decks=DECKS,
        cut_card=14 if plan.cut_card_after is None else 52 * DECKS - plan.cut_card_after,
        speed=plan.speed,
    )


@cache
def _people() -> list[Data]:
    supervisors = [person(name, "supervisor", pin) for name, pin in (*SUPERVISORS.items(), TARGET)]
    return [*(person(name, "dealer", pin) for name, pin in DEALERS.items()), *supervisors]


def _table_file(wire: Wire, folder: Path) -> Path:
    """The file of the table: it is read again where the shoe is exchanged."""
    key_file = folder / "shoe.key"
    key_file.write_text(KEY.hex(), encoding="ascii")
    key_file.chmod(0o600)
    shoe: Data = {"wire": "native", "port": "/dev/ttyS99", "key_file": str(key_file)}
    if wire is Wire.ANGEL_EYE:
        shoe = {"wire": "angel_eye", "port": "/dev/ttyS99", "commands": True}
    elif wire is Wire.LINES:
        (folder / "cards.jsonl").write_bytes(cards_file(DECKS, "pieces"))
        shoe = {"wire": "lines", "port": "/dev/ttyS99", "cards_files": ["cards.jsonl"]}
        shoe |= {"prefix": "$", "suffix": "*", "checksum": "crc16", "unread": "NOREAD"}
        shoe["card_takes"] = 0.1  # the dealer is up to eight times as fast as a person
    file = write(
        folder,
        {
            "house": section(house_of(0)),
            "table": {"site": "simulated", "name": "table-1"},
            "shoe": shoe,
            "mqtt": {"host": "127.0.0.1"},
            "journal": {"file": str(folder / "table.journal")},
            "people": _people(),
        },
    )
    file.chmod(0o600)
    return file


@cache
def _base_config(wire: Wire) -> RunningConfig:
    folder = Path(tempfile.mkdtemp(prefix="simulation-"))
    try:
        return for_running(load_config(_table_file(wire, folder)))
    finally:
        shutil.rmtree(folder)


def _config(plan: Plan, folder: Path) -> RunningConfig:
    house = _house_config(plan.house)
    return _base_config(plan.wire)._replace(
        file=_table_file(plan.wire, folder),
        house=house.house,
        house_text=house.house_text,
        procedure=plan.procedure,
        seal_key=Secret(SEAL_KEY),
        journal=JournalSettings(folder / "table.journal", folder / "keys", folder / "table.anchor"),
    )


@cache
def _house_config(house: SimulatedHouse) -> Config:
    folder = Path(tempfile.mkdtemp(prefix="simulation-"))
    try:
        return load_config(write(folder, {"house": section(house)}))
    finally:
        shutil.rmtree(folder)
