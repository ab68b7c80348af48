"""What must hold when a simulated sitting is over: truth = journal = what each display has, and no alert too many."""

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.daemon.table_journal import SOFTWARE, published_fact, replay
from shoe_controller.journal.checkpoints import read_checkpoint
from shoe_controller.journal.key_folder import PRIVATE, PUBLIC, Key, read_public
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.verify import verify
from shoe_controller.messages.alerts import AlertKind, Severity
from shoe_controller.messages.procedure import BetsClose
from shoe_controller.table.alerts import ALERTS
from shoe_controller.table.procedure import GateLocks
from simulator.reckoner.displays import display_problems, same_event
from simulator.shoe_line import Wire
from tests.simulation.damage import left_of
from tests.simulation.machine import RECORDS_BETWEEN
from tests.simulation.mishaps import PATIENT, TOLD, without_cause
from tests.simulation.observer import SURELY_MISSED, BrokenPromiseError
from tests.simulation.reader import LOOKS_LIKE

if TYPE_CHECKING:
    from tests.simulation.world import World


CARDS_FOR_NINTH = 14
"""So many cards after it began, the ninth has come."""
JUST = 1.0
"""Seconds in which what had been sent before a mishap still arrives."""

MOST_UNSIGNED = 3 * RECORDS_BETWEEN
"""Records after the last checkpoint: while a new one is made or tried again, others are stored."""

ENDS_SHOE = {"cut_card_in_round", "empty_in_round", "unasked_acts", "reader_dead", "early_new_shoe"}
"""After these there may be new cards, for which the lid is opened."""


def audit(world: "World") -> None:
    world.observer.check_sums()
    _journal_is_whole(world)
    _damaged_journals_are_kept(world)
    _older_copies_are_kept(world)
    _checkpoints_are_in_order(world)
    _cards_are_all_there(world)
    _displays_have_it_all(world)
    _no_alert_without_cause(world)
    _every_mishap_is_told(world)


def _journal_is_whole(world: "World") -> None:
    path = world.machine.journal
    report = verify(path, replay=replay, software=SOFTWARE, progress=lambda _done, _all: None)
    if not report.good:
        raise BrokenPromiseError(f"the journal does not verify: {report.problems[:3]}")
    if report.replayed != len(world.observer.messages):
        raise BrokenPromiseError(f"{report.replayed} facts were replayed of {len(world.observer.messages)}")
    with JournalReader(path) as reader:
        events = reader.events(0, len(world.observer.messages) + 1)
        stored = [(published_fact(event).topic, event.body) for event in events]
    if stored != world.observer.messages:
        raise BrokenPromiseError("the journal does not hold what was stored")


def _checkpoints_are_in_order(world: "World") -> None:
    """Each journal is proved by its first key, each checkpoint published once, and no key is left that has signed."""
    machine, observer = world.machine, world.observer
    keys = machine.config.journal.keys
    first = [read_public(file.read_text()) for file in keys.glob(f"*{PUBLIC}")]
    report = verify(
        machine.journal, software=SOFTWARE, keys=[key for key in first if key], progress=lambda _done, _all: None
    )
    with JournalReader(machine.journal) as reader:
        signed = [read_checkpoint(record.body) for record in reader.checkpoints()]
        head = reader.position().head.number
    if report.keys_anew or (signed and (report.proof is None or report.proof.checkpoint != signed[-1].index)):
        raise BrokenPromiseError(f"{len(signed)} checkpoints, and {report.proof} is proved; {report.keys_anew}")
    if head - (signed[-1].number if signed else 0) > MOST_UNSIGNED:
        raise BrokenPromiseError(f"no checkpoint was made of record {head}, after {signed[-1:]}")
    left = [msgspec.json.decode(file.read_bytes(), type=Key) for file in keys.glob(f"*{PRIVATE}")]
    last = signed[-1].index if signed else 0
    # Any daemon may have been stopped between two steps of its last checkpoint.
    used = [key for key in left if key.journal == observer.journal and key.index < last]
    if used or len(left) > 2 * len(observer.journals):
        raise BrokenPromiseError(f"these keys are left after checkpoint {last}: {left}")
    for journal, messages in observer.journals.items():
        events = [msgspec.json.decode(body)["checkpoint"] for topic, body in messages if topic == "event/checkpoint"]
        if any(later["index"] != earlier["index"] + 1 for earlier, later in pairwise(events)):
            raise BrokenPromiseError(f"checkpoints of {journal} are published out of order: {events}")
        if any(later["key"] != earlier["next_key"] for earlier, later in pairwise(events)):
            raise BrokenPromiseError(f"checkpoints of {journal} are signed with unknown keys: {events}")


def _damaged_journals_are_kept(world: "World") -> None:
    """Each was set aside as it was, for the record; a new one was begun, and an alert in it names the file."""
    path, observer, damaged = world.machine.journal, world.observer, world.machine.damaged
    names = _names_aside(path)
    kept = [left_of(Path(f"{path}{name}")) for name in names]
    for left in damaged:
        if left not in kept:
            raise BrokenPromiseError(f"a damaged journal is gone, or was changed: kept are {names}")
        kept.remove(left)
    if kept or len(observer.journals) != 1 + len(damaged) + len(world.machine.rolled_back):
        raise BrokenPromiseError(
            f"{len(damaged)} journals were damaged, kept are {names}, begun {list(observer.journals)}"
        )
    damages = [raised.detail for raised in observer.raised if raised.kind == "journal_damaged"]
    named = {file for detail in damages for file in detail["files"]}
    unreported = [name for name in names if f"{path.name}{name}" not in named]
    if unreported:
        raise BrokenPromiseError(f"no alert reports that a damaged journal was set aside: {unreported}")


def _older_copies_are_kept(world: "World") -> None:
    """Each was kept as it was put back, and an alert tells where it ends, what was noted beyond, and its name."""
    path, expected = world.machine.journal, world.machine.rolled_back
    told = [raised.detail for raised in world.observer.raised if raised.kind == "journal_rolled_back"]
    ends = [f"{detail['number']}:{detail['hash']}" for detail in told]
    if ends != [str(head) for head in expected] or any(detail["noted"] <= detail["number"] for detail in told):
        raise BrokenPromiseError(f"{expected} were put back, and the alerts tell of {told}")
    for detail in told:
        with JournalReader(path.with_name(detail["file"])) as reader:
            kept = reader.position().head
        if str(kept) != f"{detail['number']}:{detail['hash']}":
            raise BrokenPromiseError(f"{detail} is kept with its end at {kept}")


def _names_aside(path: Path) -> list[str]:
    """What is added to the journal's name where it was set aside."""
    names = {file.name.removeprefix(path.name) for file in path.parent.glob(f"{path.name}.damaged-*")}
    return sorted({name.removesuffix("-wal").removesuffix("-shm") for name in names})


def _cards_are_all_there(world: "World") -> None:
    observer = world.observer
    if world.plan.wire is Wire.NATIVE and observer.unheard:
        raise BrokenPromiseError(f"cards never reached the journal: {observer.unheard}")
    # Of two cards at once the Angel Eye wire tells of one, as not read.
    lost = [card for card in (*observer.missing, *observer.unheard) if card.get("reading") != "with_another"]
    stopped = [raised for raised in observer.raised if lost and raised.t >= lost[0]["t"] and _stops(raised.kind)]
    # The telegrams' numbers begin anew after nine: when just nine or eighteen went by unheard, nothing can show it.
    may_be_nine = len(lost) > SURELY_MISSED
    if lost and not (observer.loss_is_known or stopped or may_be_nine):
        raise BrokenPromiseError(f"cards were lost and no alert reported it: {lost}")


def _stops(kind: str) -> bool:
    return ALERTS[AlertKind(kind)].severity is Severity.STOPS


def _displays_have_it_all(world: "World") -> None:
    observer = world.observer
    for display in world.displays:
        problems = display_problems(dict(enumerate(observer.messages, 1)), display.events)
        if problems:
            raise BrokenPromiseError(f"{display.name}: {problems}")
        if display.journal != observer.journal:
            raise BrokenPromiseError(f"{display.name} shows the journal {display.journal}, not {observer.journal}")
        if display.state is not None and display.state.seq == len(observer.messages):
            observer.check_open(display.state)
        for journal, events in display.laid_by.items():
            if any(not same_event(observer.journals[journal][seq - 1], shown) for seq, shown in events.items()):
                raise BrokenPromiseError(f"{display.name} has events of another journal among those of {journal}")
    if not set(world.plan.names) - PATIENT and any(display.replays for display in world.displays):
        raise BrokenPromiseError("a display had to ask for events although nothing was in their way")


def _no_alert_without_cause(world: "World") -> None:
    plan, observer = world.plan, world.observer
    hasty = plan.procedure.bets_close is BetsClose.DEALER and plan.procedure.gate_locks is GateLocks.WHEN_STOPPED
    shoe_ends = plan.cut_card_after is not None or ENDS_SHOE & set(plan.names)
    for raised in observer.raised:
        befallen = {name for t, name in observer.injected if t <= raised.t}
        if world.staff.replugged:
            befallen.add("unplug")
        if world.staff.relieved:
            befallen.add("relief")  # where the first card came before the burned one, as with a hasty dealer
        if world.staff.shoes.refused:
            befallen.add("new_shoe_refused")  # a supervisor said that it is the old one, and the shoe burns
        if plan.wire is Wire.LINES:
            befallen |= {LOOKS_LIKE[name] for name in befallen & LOOKS_LIKE.keys()}
        if hasty:
            befallen.add("hasty_dealer")  # a supervisor may void the round, and what follows from that follows here too
        if without_cause(raised.kind, befallen, hasty=hasty, shoe_ends=bool(shoe_ends) or "lid_opened" in befallen):
            raise BrokenPromiseError(f"{raised.kind} was raised at {raised.t:.3f} without a cause")


def _every_mishap_is_told(world: "World") -> None:
    """Where one thing went wrong and nothing else: others might have voided the round, or stand already."""
    observer = world.observer
    # Also what people put right without a call is among those.
    befallen = {name for _, name in observer.injected}
    if len(world.plan.mishaps) != 1 or befallen != set(world.plan.names):
        return
    came = observer.injected[-1][0]
    if any(came - JUST < t < came + JUST for t in observer.results_at):
        return  # the round was over before anything could be noticed
    for name, phase in world.met:
        kinds, phases = TOLD.get(name, ((), ()))
        must_be_told = bool(kinds) and phase in phases and not _may_go_unnoticed(world, name, phase, came)
        if must_be_told and not any(raised.kind in kinds for raised in observer.raised):
            raise BrokenPromiseError(f"{name} in the phase {phase} was not reported: {observer.raised}")


def _may_go_unnoticed(world: "World", name: str, phase: str, came: float) -> bool:
    plan, observer = world.plan, world.observer
    # Among the cards that were left, which are counted whatever they are.
    if phase == "ended" and observer.facts["run_out_begun"]:
        return True
    match name:
        case "early_new_shoe":
            # After the cut card a dealer may announce the next shoe.
            return plan.cut_card_after is not None
        case "ninth_copy":
            # The shoe was over before the ninth came; or two supervisors said that one of the nine was another card;
            # or a new dealer burned one of them, and such a shoe never tells which card that was.
            over = sum(card["t"] > came for card in observer.cards) < CARDS_FOR_NINTH or plan.cut_card_after is not None
            burned = plan.disclosing is Disclosing.AT_RESULT and bool(world.staff.relieved)
            return over or burned or bool(observer.acts["amend_round"])
        case "duplicate_card":
            # The first of the two may have been burned, and such a shoe never tells which cards those were.
            return plan.disclosing is Disclosing.AT_RESULT
    return False
