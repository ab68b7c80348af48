"""`shoe-controller status CONFIG`: one screen about a running table, from its retained messages.

Exit code 0 means that the table runs, 1 that it does not run or is stopped, 2 that the broker could not be asked.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

import msgspec

from shoe_controller.commands.installed_table import add_config_argument
from shoe_controller.commands.output import GOOD, add_json_option, bad_input, print_json
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.words.render import ENGLISH

if TYPE_CHECKING:
    from shoe_controller.config.table_file import RunningConfig
    from shoe_controller.messages.retained import InfoMessage, RoadsMessage, StateMessage, StatusMessage

T = TypeVar("T")

NOT_WELL = 1
PATIENCE = 2.0
"""Seconds for the broker to send the retained messages."""
NAMES = 9


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "status",
        help="show the state of a table",
        description="Show the state of a table on one screen: its shoe, its round, its alerts and its counts.",
    )
    add_config_argument(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # Imported late: it brings the event loop and all libraries along, which no other command needs.
    from shoe_controller.config.table_file import for_running, load_config  # noqa: PLC0415 - see above
    from shoe_controller.mqtt.broker import BrokerError  # noqa: PLC0415 - see above

    try:
        config = for_running(load_config(args.config, guarded=False))
    except BadFileError as error:
        return bad_input(args, "bad_config", str(error))
    if config.mqtt is None:
        return bad_input(args, "no_broker", "the table runs without a broker, so its state is not published")
    try:
        retained = asyncio.run(_retained(config))
        where = "" if args.json else asyncio.run(_where(config, retained))
    except BrokerError as error:
        return bad_input(args, "broker", str(error))
    return _show(args, config, retained, where)


async def _where(config: "RunningConfig", retained: dict[str, bytes]) -> str:
    """Where the controllers run that serve the table: not always on this machine, nor with this file."""
    from shoe_controller.clock.system_clock import SystemClock  # noqa: PLC0415 - see `run`
    from shoe_controller.doctor.broker import controllers_of, places_of  # noqa: PLC0415 - see `run`
    from shoe_controller.messages.topics import STATUS  # noqa: PLC0415 - see `run`
    from shoe_controller.mqtt.peers import status_in  # noqa: PLC0415 - see `run`

    status = status_in(retained.get(STATUS, b""))
    if status is None or not status.online:
        return ""
    return places_of(await controllers_of(config, SystemClock()))


async def _retained(config: "RunningConfig") -> dict[str, bytes]:
    """The retained messages, by the last part of their topics."""
    from shoe_controller.doctor.broker import as_the_table  # noqa: PLC0415 - see `run`
    from shoe_controller.messages.topics import Topics  # noqa: PLC0415 - see `run`

    topics = Topics(config.table.site, config.table.name)
    wanted = (topics.status, topics.info, topics.state, topics.roads)
    found: dict[str, bytes] = {}
    async with as_the_table(config, wanted) as session:
        try:
            async with asyncio.timeout(PATIENCE):
                async for message in session.incoming():
                    found[topics.below(message.topic)] = message.payload
                    # Roads come with the first shoe only.
                    if len(found) == len(wanted):
                        break
        except TimeoutError:
            pass
    return found


def _show(args: argparse.Namespace, config: "RunningConfig", retained: dict[str, bytes], where: str) -> int:
    from shoe_controller.messages.retained import InfoMessage, RoadsMessage, StateMessage, StatusMessage  # noqa: PLC0415 - see `run`
    from shoe_controller.messages.topics import INFO, ROADS, STATE, STATUS  # noqa: PLC0415 - see `run`

    if STATUS not in retained:
        message = (
            f"table {config.table.site}/{config.table.name} has no retained messages at this broker: it has "
            "never run here, or its user may not read its own topics; `shoe-controller doctor` shows which"
        )
        return bad_input(args, "nothing_there", message)
    try:
        status = msgspec.json.decode(retained[STATUS], type=StatusMessage)
        info = _decoded(retained.get(INFO), InfoMessage)
        state = _decoded(retained.get(STATE), StateMessage)
        roads = _decoded(retained.get(ROADS), RoadsMessage)
    except msgspec.DecodeError as error:
        return bad_input(
            args, "unreadable", f"the retained messages are from another version, or not a table's: {error}"
        )
    if args.json:
        print_json({"status": status, "info": info, "state": state, "roads": roads})
    else:
        sys.stdout.write(
            "".join(f"{line}\n" for line in screen(config.table.title, status, info, state, roads, where=where))
        )
    return GOOD if status.online and (state is None or not state.stopped) else NOT_WELL


def _decoded(payload: bytes | None, kind: type[T]) -> T | None:
    return msgspec.json.decode(payload, type=kind) if payload else None


def screen(  # noqa: PLR0913 - each of the retained messages
    title: str,
    status: "StatusMessage",
    info: "InfoMessage | None",
    state: "StateMessage | None",
    roads: "RoadsMessage | None",
    *,
    where: str = "",
) -> Iterator[str]:
    """The screen line by line, the most important first."""
    running = f"running on {where}" if where else "running"
    yield f"{title}: {running if status.online else 'NOT RUNNING; what follows is its last state'}"
    # Each has the number of the event after which it was published, and `status` is published seldom.
    others = [message for message in (info, state, roads) if message is not None]
    last = max(status.seq, *(each.seq for each in others if status.journal in ("", each.journal)), 0)
    yield _line("version", f"{status.version or 'unknown'}, event {last}")
    if info is not None:
        rules = info.rules
        offer = f"{len(rules.offered)} wagers, {len(rules.seats)} seats"
        yield _line("game", f"{rules.base_game}, {rules.decks} decks, {offer}")
    if status.online:
        yield _line("shoe", _shoe(status))
        if status.line_damaged or status.line_refused:
            found = f"{status.line_frames} frames, {status.line_damaged} damaged, {status.line_refused} refused"
            yield _line("line", f"{found} since its start; `shoe-controller doctor` judges it")
        yield _line("journal", "writable" if status.storing else "CANNOT BE WRITTEN TO: the table is stopped")
        if status.publishing:
            yield _line("broker", f"REFUSES OUR EVENTS: {status.publishing}")
        if status.discarded:
            yield _line("discarded", f"{status.discarded} messages since its start; its log says of which topic")
    if state is not None:
        yield from _table(state)
    if roads is not None:
        counts = roads.counts
        yield _line(
            "results",
            f"{counts.rounds} rounds: banker {counts.banker}, player {counts.player}, tie {counts.tie}, "
            f"pairs {counts.banker_pair} and {counts.player_pair}, naturals {counts.natural}",
        )


def _shoe(status: "StatusMessage") -> str:
    if not status.shoe_link:
        return "NOT CONNECTED"
    key = "with its key" if status.authenticated else "without a key"
    return f"connected, {key}" + ("" if status.keeps_events else "; it sends nothing again that is lost")


def _table(state: "StateMessage") -> Iterator[str]:
    yield _line("round", f"shoe {state.shoe}, round {state.round}, {state.phase}{', STOPPED' if state.stopped else ''}")
    if state.cards:
        laid = ", ".join(f"{place.hand.value} {place.card or 'face down'}" for place in state.cards)
        yield _line("cards", laid)
    stakes = sum(wager.stake for wager in state.wagers)
    yield _line("wagers", f"{len(state.wagers)}, together {stakes}" if state.wagers else "none")
    last = state.last_outcome
    if last is not None:
        yield _line("last", f"round {last.round}: {last.winner.value}, {last.player.total} to {last.banker.total}")
    for alert in state.alerts:
        yield _line("ALERT", f"{ENGLISH.happened(alert.kind)} {ENGLISH.to_do(alert.kind)}")
        if detail := ENGLISH.detail(alert):
            yield _line("", detail)
    # The shoe's cable is not to blame where the line carries what another wire or speed sends.
    if state.link_up or all(alert.kind is not AlertKind.WRONG_LINE for alert in state.alerts):
        yield _line("next", ENGLISH.prompt(state.prompt))


def _line(name: str, what: str) -> str:
    return f"  {name:{NAMES}} {what}"
