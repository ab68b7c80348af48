"""How each mishap of a plan is brought about, and how it is over again."""

import random
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from shoe_controller.messages.requests import REPLAY, Answer, RequestRole
from simulator.broker.reasons import Reason
from simulator.faults import FAULTS, Moment
from simulator.scenario import planned
from tests.simulation.daemon_broker import CLIENT_ID
from tests.simulation.inline_writer import KillAt
from tests.simulation.mishaps import ENDS_DAEMON, NEW_JOURNAL, WAITING, WIPED
from tests.simulation.people import DEALERS, TARGET
from tests.simulation.plan import Mishap
from tests.simulation.wiping import start_again, wipe

if TYPE_CHECKING:
    from tests.simulation.world import World

GIVE_UP = 60.0
"""Seconds after which a mishap that waits for its moment is not waited for any more."""

LATEST = 3.0
"""Seconds by which bytes come late."""

RESTS = 14.0
"""Times as long as other mishaps last: longer than most houses wait for a card."""

BY_HAND = 12.0
"""Times as long as other mishaps last: a few rounds."""

NONSENSE = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"\xff\xfe",
    b'{"request_id":""}',
    b'{"request_id":"x","shoe":1,"round":1,"seat":"1","stakes":[["base.player",1e400]]}',
    b'{"request_id":"x","shoe":-1,"round":99999999999999999999,"seat":"1","stakes":[]}',
    b'{"request_id":"x","shoe":1,"round":1,"person":"rana","details":{"alert":"all"}}',
    b"[" * 3000,
)


def befall(world: "World", mishap: Mishap) -> None:
    """Let it happen."""
    world.tell(f"MISHAP   {mishap}")
    if mishap.name in FAULTS:
        _at_the_shoe(world, mishap)
    elif mishap.name in ENDS_DAEMON and not world.machine.running:
        _over(world, 0.0)  # there is nothing to end
    elif mishap.name in WAITING:
        _AROUND[mishap.name](world, mishap)
    else:
        world.met[mishap.name, world.phase] += 1
        world.observer.befell(mishap.name)
        _AROUND[mishap.name](world, mishap)


def _over(world: "World", seconds: float, end: Callable[[], object] = lambda: None) -> None:
    """After so long it is over."""

    def ended() -> None:
        end()
        world.under_way -= 1

    world.time.after(seconds, ended)


def _at_the_shoe(world: "World", mishap: Mishap) -> None:
    fault = planned(mishap.name)
    if fault.seconds is not None:
        # What is later than an Angel Eye shoe's repeats is not put together again.
        most = LATEST if mishap.name in ("glued", "bytes_delayed") else mishap.seconds
        fault = msgspec.structs.replace(fault, seconds=min(mishap.seconds, most))
    if fault.bytes is not None:
        fault = msgspec.structs.replace(fault, bytes=1 + mishap.number % 40)
    if fault.kind.moment is Moment.LINE and mishap.name not in ("forged_frame", "replayed_frame"):
        fault = msgspec.structs.replace(fault, from_host=mishap.number % 4 == 0)
    world.cable.do(lambda now: world.emulation.inject(fault, now))
    _over(world, mishap.seconds + 15.0)


# --- the line ---------------------------------------------------------------------------------------------------------


def _swapped(*, to_shoe: bool) -> Callable[["World", Mishap], None]:
    def swap(world: "World", mishap: Mishap) -> None:
        waits = True

        def over() -> None:
            nonlocal waits
            if waits:
                waits = False
                world.cable.end_swap(to_shoe=to_shoe)
                _over(world, mishap.seconds)

        def swapped() -> None:
            world.tell(f"{mishap.name} now")
            world.met[mishap.name, world.phase] += 1
            world.observer.befell(mishap.name)
            over()

        # What waits to be overtaken comes late already, whether it ever is.
        world.observer.befell(mishap.name)
        world.cable.swap(to_shoe=to_shoe, all_copies=mishap.number % 2 == 0, swapped=swapped)
        world.time.after(GIVE_UP, over)

    return swap


# --- the controller ---------------------------------------------------------------------------------------------------


def _restart_after(world: "World", seconds: float, before: Callable[[], object] = lambda: None) -> None:
    def start() -> None:
        before()
        if world.machine.powered and not world.machine.running:
            world.machine.start()

    _over(world, seconds, start)


def _daemon_killed(world: "World", mishap: Mishap) -> None:
    world.machine.kill()
    _restart_after(world, mishap.seconds / 3)


def _daemon_stopped(world: "World", mishap: Mishap) -> None:
    world.machine.stop()
    _restart_after(world, 3.0 + mishap.seconds / 3)


def _machine_reboots(world: "World", mishap: Mishap) -> None:
    world.machine.lose_power()
    _restart_after(world, mishap.seconds, world.machine.power_up)


def _journal_damaged(world: "World", mishap: Mishap) -> None:
    world.machine.kill()
    world.machine.damage_journal(mishap.number)
    _restart_after(world, mishap.seconds / 3)


def _journal_put_back(world: "World", mishap: Mishap) -> None:
    gives_up = world.time.now + GIVE_UP

    def wait() -> None:
        phase = world.phase
        if world.machine.older_copies:
            world.tell(f"{mishap.name} now")
            world.met[mishap.name, phase] += 1
            world.observer.befell(mishap.name)
            world.machine.kill()
            world.machine.put_back(mishap.number)
        elif world.time.now < gives_up:
            # The journal has just begun, or is damaged, and nothing of it is noted anywhere.
            world.time.after(0.01, wait)
            return
        _restart_after(world, mishap.seconds / 3)

    wait()


def _killed_at(kill_at: KillAt) -> Callable[["World", Mishap], None]:
    def kill(world: "World", mishap: Mishap) -> None:
        world.observer.befell(mishap.name)
        world.machine.disk.kill_at = kill_at
        killed = len(world.machine.killed_at_commit)
        gives_up = world.time.now + GIVE_UP

        def wait() -> None:
            phases = world.machine.killed_at_commit[killed:]
            if phases or not world.machine.running or world.time.now > gives_up:
                world.met.update((mishap.name, phase) for phase in phases)
                world.machine.disk.kill_at = None
                _restart_after(world, mishap.seconds / 3)
            else:
                world.time.after(0.2, wait)

        wait()

    return kill


def _disk_full(world: "World", mishap: Mishap) -> None:
    disk = world.machine.disk
    disk.full = True
    _over(world, mishap.seconds, lambda: setattr(disk, "full", False))


def _slow_disk(world: "World", mishap: Mishap) -> None:
    disk = world.machine.disk
    disk.sync_seconds = 0.05 + (mishap.number % 100) / 40
    _over(world, mishap.seconds, lambda: setattr(disk, "sync_seconds", disk.usual_sync))


def _clock_steps(world: "World", mishap: Mishap) -> None:
    world.machine.wall_step_ms += mishap.number % 8_000_000 - 4_000_000
    _over(world, 0.0)


# --- the broker -------------------------------------------------------------------------------------------------------


def _broker_away(world: "World", mishap: Mishap) -> None:
    broker = world.broker
    broker.reachable = False
    broker.do(lambda now: broker.core.restart(now, orderly=mishap.number % 2 == 0))
    _over(world, mishap.seconds * 2, lambda: setattr(broker, "reachable", True))


def _broker_hangs(world: "World", mishap: Mishap) -> None:
    core = world.broker.core
    core.stall()
    _over(world, mishap.seconds * 2, lambda: world.broker.do(core.resume))


def _broker_forgets(world: "World", mishap: Mishap) -> None:
    core = world.broker.core
    keeps = mishap.number % 3
    world.broker.do(lambda now: core.restart(now, keep_sessions=keeps == 1, keep_retained=keeps == 2, orderly=False))
    _over(world, 0.0)


def _cut(*names: str) -> Callable[["World", Mishap], None]:
    def cut(world: "World", mishap: Mishap) -> None:
        name = names[mishap.number % len(names)]
        world.broker.do(lambda now: world.broker.core.cut(now, name))
        _over(world, 0.0)

    return cut


def _display_forgotten(world: "World", _mishap: Mishap) -> None:
    world.broker.do(lambda now: world.broker.core.forget_session("lasting", now))
    _over(world, 0.0)


def _behave(world: "World") -> None:
    core = world.broker.core
    core.misbehaviour.behave()
    core.release_acknowledgements()
    world.broker.look()


def _late(world: "World", mishap: Mishap) -> None:
    topic = ("#", f"{world.stranger.topics.prefix}/request/#", f"{world.stranger.topics.prefix}/event/#")
    world.broker.core.misbehaviour.delay_deliveries(
        0.1 + mishap.seconds / 2, topic_filter=topic[mishap.number % 3], times=1 + mishap.number % 20
    )
    _over(world, mishap.seconds, lambda: _behave(world))


def _lost(world: "World", mishap: Mishap) -> None:
    name = ("lasting", "fleeting")[mishap.number % 2]
    # Of a new journal a display learns from `status` alone; one that never comes cannot be missed until the next.
    begins_anew = not NEW_JOURNAL.isdisjoint(world.plan.names)
    topics = f"{world.displays[0].topics.prefix}/event/#" if begins_anew else "#"
    world.broker.core.misbehaviour.drop_deliveries(client_id=name, topic_filter=topics, times=1 + mishap.number % 10)
    _over(world, mishap.seconds, lambda: _behave(world))


def _doubled(world: "World", mishap: Mishap) -> None:
    world.broker.core.misbehaviour.duplicate_deliveries(times=1 + mishap.number % 10)
    _over(world, mishap.seconds, lambda: _behave(world))


def _withheld(world: "World", mishap: Mishap) -> None:
    world.broker.core.misbehaviour.withhold_acknowledgements(client_id=CLIENT_ID, times=1 + mishap.number % 5)
    _over(world, mishap.seconds, lambda: _behave(world))


def _refused(world: "World", mishap: Mishap) -> None:
    reason = (Reason.NOT_AUTHORISED, Reason.QUOTA_EXCEEDED)[mishap.number % 2]
    world.broker.core.misbehaviour.deny_publishes(reason, client_id=CLIENT_ID, times=1 + mishap.number % 5)
    _over(world, mishap.seconds, lambda: _behave(world))


# --- strangers --------------------------------------------------------------------------------------------------------


def _nonsense(world: "World", mishap: Mishap) -> None:
    chance = random.Random(mishap.number)  # noqa: S311 - the same every time
    prefix = world.stranger.topics.prefix
    names = (
        "wagers/stranger/place",
        "dealer/stranger/confirm",
        "supervisor/stranger/void_round",
        "display/stranger/replay",
        "x/stranger/y",
        "dealer/stranger/" + "z" * 300,
        "dealer/confirm",
    )
    for _ in range(10):
        topic = f"{prefix}/request/{chance.choice(names)}"
        reply = chance.choice([None, f"{prefix}/reply/stranger/answer"])
        world.stranger.publish(topic, chance.choice(NONSENSE), response_topic=reply, retain=chance.random() < 0.2)
    _over(world, 1.0)


def _wrong_pins(world: "World", mishap: Mishap) -> None:
    view = world.stranger.view
    for number in range(1 + mishap.number % 8):
        world.stranger.ask(
            "supervisor/void_round",
            lambda _: None,
            {
                "shoe": 0 if view is None else view.shoe,
                "round": 0 if view is None else view.round,
                "person": TARGET[0] if mishap.number % 3 else "nobody",
                "pin": f"{100000 + number}",
                "reason": "let me in",
            },
            tries=1,
        )
    _over(world, 1.0)


def _stolen_names(world: "World", mishap: Mishap) -> None:
    view = world.stranger.view
    acts = ["sign_out"]
    if world.plan.procedure.dealer_signs_in and view is not None and view.shoe:
        acts += ["no_more_bets", "confirm", "call_supervisor"]

    def answered(answer: Answer) -> None:
        if answer.status == "ok":
            world.observer.let_in(answer)

    for number, act in enumerate(acts):
        world.stranger.ask(
            f"dealer/{act}",
            answered,
            {
                "shoe": 0 if view is None else view.shoe,
                "round": 0 if view is None else view.round,
                "person": list(DEALERS)[mishap.number % len(DEALERS)],
                "token": f"{mishap.number + number:040}",
            },
            tries=1,
        )
    _over(world, 1.0)


def _forged_reply(world: "World", mishap: Mishap) -> None:
    prefix = world.stranger.topics.prefix
    targets = (f"{prefix}/event/card", f"{prefix}/state", "shoe/v1/other/table/reply/x/y", f"{prefix}/reply/+/x", "a")
    body = msgspec.json.encode({"request_id": "f", "after": 0})
    topic = world.stranger.topics.request(RequestRole.DISPLAY, "stranger", REPLAY)
    world.stranger.publish(topic, body, response_topic=targets[mishap.number % len(targets)])
    _over(world, 1.0)


# --- people -----------------------------------------------------------------------------------------------------------


def _store_wiped(world: "World", mishap: Mishap) -> None:
    emulation = world.emulation
    before = emulation.shoe.line.store.next_sequence
    world.cable.do(lambda now: world.observer.store_wiped(wipe(emulation, mishap.number, now)))
    _over(
        world,
        mishap.seconds,
        lambda: world.cable.do(lambda now: start_again(emulation, mishap.number, before, now)),
    )


def _dealer_rests(world: "World", mishap: Mishap) -> None:
    def let(*, deal: bool) -> None:
        world.cable.do(lambda now: world.emulation.let_dealer(now, deal=deal))

    let(deal=False)
    # People who deal by hand meanwhile go on to do so.
    _over(world, RESTS * mishap.seconds, lambda: let(deal=not world.staff.by_hand.rests))


def _reader_dead(world: "World", mishap: Mishap) -> None:
    """The shoe is not heard for a few rounds; it may be back before people go back to it, or after."""
    by_hand = world.staff.by_hand
    if by_hand.wanted:
        _over(world, 0.0)
        return
    by_hand.begin(back_first=mishap.number % 2 == 0)

    def watch() -> None:
        if by_hand.is_over:
            world.under_way -= 1
        else:
            world.time.after(1.0, watch)

    def go_back() -> None:
        by_hand.go_back()
        watch()

    world.time.after(BY_HAND * mishap.seconds, go_back)


def _early_new_shoe(world: "World", _mishap: Mishap) -> None:
    world.staff.shoes.announce()
    _over(world, 1.0)


def _shoe_exchanged(world: "World", mishap: Mishap) -> None:
    """It waits until it can be done; half of the shoes that come instead have just been switched on."""
    shoes = world.staff.shoes
    shoes.want_exchange(switched_on=mishap.number % 2 == 0)
    gives_up = world.time.now + GIVE_UP

    def watch() -> None:
        if shoes.wants_exchange and world.time.now < gives_up:
            world.time.after(1.0, watch)
        else:
            shoes.wants_exchange = False
            world.under_way -= 1

    watch()


def _unasked_acts(world: "World", mishap: Mishap) -> None:
    chance = random.Random(mishap.number)  # noqa: S311 - the same every time
    seconds = 0.0
    for _ in range(chance.randint(1, 6)):
        world.time.after(seconds, partial(world.staff.act_unasked, chance.randrange(1 << 30)))
        seconds += chance.uniform(1.0, 4.0)
    _over(world, seconds)


_AROUND: dict[str, Callable[["World", Mishap], None]] = {
    "frames_swapped": _swapped(to_shoe=False),
    "commands_swapped": _swapped(to_shoe=True),
    "daemon_killed": _daemon_killed,
    "killed_before_commit": _killed_at(KillAt.BEFORE_COMMIT),
    "killed_in_commit": _killed_at(KillAt.IN_COMMIT),
    "killed_after_commit": _killed_at(KillAt.AFTER_COMMIT),
    "daemon_stopped": _daemon_stopped,
    "machine_reboots": _machine_reboots,
    "journal_damaged": _journal_damaged,
    "journal_put_back": _journal_put_back,
    "disk_full": _disk_full,
    "slow_disk": _slow_disk,
    "clock_steps": _clock_steps,
    "broker_away": _broker_away,
    "broker_hangs": _broker_hangs,
    "broker_forgets": _broker_forgets,
    "controller_cut": _cut(CLIENT_ID),
    "display_cut": _cut("lasting", "fleeting", "console", "players"),
    "display_forgotten": _display_forgotten,
    "late_deliveries": _late,
    "lost_deliveries": _lost,
    "doubled_deliveries": _doubled,
    "withheld_confirmations": _withheld,
    "refused_publishes": _refused,
    "nonsense_requests": _nonsense,
    "wrong_pins": _wrong_pins,
    "stolen_names": _stolen_names,
    "forged_reply_topics": _forged_reply,
    WIPED: _store_wiped,
    "dealer_rests": _dealer_rests,
    "reader_dead": _reader_dead,
    "unasked_acts": _unasked_acts,
    "early_new_shoe": _early_new_shoe,
    "shoe_exchanged": _shoe_exchanged,
}
