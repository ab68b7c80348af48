"""`shoe-controller odds --counted`: what a player who counts cards would win with each wager."""

import argparse
import math
import os
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.outcome import number_of_decks
from shoe_controller.baccarat.wagers import Schedule
from shoe_controller.commands.output import GOOD, as_text, console, print_json
from shoe_controller.commands.schedule_options import DEFAULT_BASE_GAME, chosen_catalogue, chosen_schedule
from shoe_controller.config.table_file import load_config
from shoe_controller.protection.figures import Counted, CountedFile, read_counted, written
from shoe_controller.protection.plot import bars, svg

CUT = 14
SHOES = 300
DEPTHS = (26, 39, 52, 78, 104)
"""Cards behind the cut card for which figures are given beside those for `--cut`."""

LEAST_CUT, LEAST_DEALT = 6, 26

WIDE = 140
"""Columns of a terminal that has room for the figures of every depth."""

_OPTIONS = ("cut", "shoes", "seed", "last_rounds", "tags", "trigger", "svg", "table")


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what a counter would win")
    group.add_argument(
        "--counted",
        action="store_true",
        help="play shoes, every wager whenever its exact edge is the player's, and say what that wins",
    )
    group.add_argument("--cut", type=_whole, metavar="N", help=f"cards behind the cut card (default: {CUT})")
    group.add_argument(
        "--last-rounds", type=_whole, metavar="N", help="rounds after the one in which the cut card comes (default: 1)"
    )
    group.add_argument("--shoes", type=_whole, metavar="N", help=f"how many shoes are played (default: {SHOES})")
    group.add_argument("--seed", type=_whole, metavar="N", help="another seed gives other shoes (default: 1)")
    group.add_argument(
        "--tags",
        type=_tags,
        metavar="A,2,...,9,T",
        help="play a published count instead: the tags of ace, two to nine and ten (--tags=-1,0,...)",
    )
    group.add_argument("--trigger", type=_number, metavar="N", help="with --tags: the true count from which is bet")
    group.add_argument("--svg", type=Path, metavar="FILE", help="write the plot to this file")
    group.add_argument(
        "--table",
        type=Path,
        metavar="FILE",
        help="the wagers, prices and decks of this table's file; the figures are stored beside it, for `config check`",
    )


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number


def _tags(text: str) -> tuple[float, ...]:
    tags = tuple(map(_number, text.split(",")))
    if len(tags) != 10:
        raise argparse.ArgumentTypeError(f"{text!r} must be ten numbers: the tags of ace, two to nine and ten")
    return tags


def given_without(args: argparse.Namespace) -> str | None:
    """Return an option that means nothing without --counted."""
    return next((f"--{name.replace('_', '-')}" for name in _OPTIONS if getattr(args, name) is not None), None)


def stored_beside(table: Path) -> Path:
    """Return where the figures of a table's own pay tables are stored."""
    return table.with_name(f"{table.name}.counted.json")


class BadOptionsError(ValueError):
    """Options that do not belong together."""


class _Play(NamedTuple):
    """What is played, and how a shoe ends."""

    schedule: Schedule
    wagers: list[str]
    decks: int
    cut: int
    last_rounds: int


def run(args: argparse.Namespace) -> int:
    """Play the shoes; raise what is wrong with the options, the catalogue or the table's file."""
    _check(args)
    play = _what_is_played(args)
    found = _played(args, play)
    if args.svg is not None:
        title = f"Units a counter wins in a shoe, {number_of_decks(play.decks)}"
        args.svg.write_text(svg(title, list(zip(play.wagers, found, strict=True))), encoding="utf-8")
    if args.table is not None:
        _store(stored_beside(args.table), found)
    if args.json:
        rows = zip(play.wagers, found, strict=True)
        print_json([{"wager": wager, **msgspec.to_builtins(each)} for wager, each in rows])
    else:
        _draw(play, found)
    return GOOD


def _check(args: argparse.Namespace) -> None:
    if args.out is not None or args.journal is not None or args.shoe is not None or args.round is not None:
        raise BadOptionsError("--counted plays whole shoes: leave --out and --journal out")
    if (args.tags is None) != (args.trigger is None):
        raise BadOptionsError("--tags and --trigger belong together")
    if args.table is not None and args.tags is not None:
        raise BadOptionsError("--table stores what perfect play wins: leave --tags out")
    if args.table is not None and (args.catalogue or args.pay_table or args.base != DEFAULT_BASE_GAME):
        raise BadOptionsError("--table has its own base game, pay tables and catalogue: leave those options out")
    if args.shoes == 0:
        raise BadOptionsError("--shoes must be at least 1")
    if args.svg is not None and args.svg.exists():
        raise BadOptionsError(f"{args.svg} exists already and was left alone: name another file for --svg")
    if args.svg is not None and not args.svg.absolute().parent.is_dir():
        raise BadOptionsError(f"{args.svg} cannot be written: there is no folder {args.svg.absolute().parent}")


def _what_is_played(args: argparse.Namespace) -> _Play:
    cut = CUT if args.cut is None else args.cut
    last_rounds = args.last_rounds
    if args.table is not None:
        config = load_config(args.table, guarded=False)
        catalogue, schedule, decks = config.catalogue, config.house.schedule, config.house.decks
        wagers = config.house.offered
        last_rounds = config.procedure.last_rounds if last_rounds is None else last_rounds
    else:
        catalogue = chosen_catalogue(args)
        schedule, decks = chosen_schedule(args, catalogue), args.decks
        wagers = tuple(schedule.pay_tables)
    if args.wager is not None:
        named = catalogue.expand((args.wager,))
        wagers = tuple(wager for wager in wagers if wager in named)
        if not wagers:
            raise BadOptionsError(f"{args.wager} is not offered at this table, or has no price")
    most = 52 * decks - LEAST_DEALT
    if not LEAST_CUT <= cut <= most:
        raise BadOptionsError(f"--cut must be from {LEAST_CUT} to {most} with {number_of_decks(decks)}")
    return _Play(schedule, list(wagers), decks, cut, 1 if last_rounds is None else last_rounds)


def _played(args: argparse.Namespace, play: _Play) -> list[Counted]:
    # One process for each core, so one thread for each process; read when numpy is imported, here and in each of them.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from rich.console import Console  # noqa: PLC0415 - only this needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn  # noqa: PLC0415

    from shoe_controller.protection.campaign import Campaign, counted, priced, sums_of  # noqa: PLC0415 - see above
    from shoe_controller.protection.counted_play import Count, ShoeRules  # noqa: PLC0415

    campaign = Campaign(
        rules=ShoeRules(play.decks, play.cut, play.last_rounds),
        wagers=priced(play.schedule, play.wagers),
        deeper=tuple(depth for depth in DEPTHS if play.cut < depth <= 52 * play.decks - LEAST_DEALT),
        counting=None if args.tags is None else Count((args.tags[-1], *args.tags[:-1]), args.trigger),
        seed=1 if args.seed is None else args.seed,
    )
    shoes = SHOES if args.shoes is None else args.shoes
    columns = ("[progress.description]{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("shoes", total=shoes)
        for sums in sums_of(campaign, shoes, len(os.sched_getaffinity(0))):
            progress.update(task, completed=sums.shoes)
    return counted(campaign, play.schedule, play.wagers, sums)


def _store(file: Path, found: list[Counted]) -> None:
    """Add what was found to the file; figures of pay tables that are not offered any more stay."""
    before: tuple[Counted, ...] = ()
    if file.exists():
        try:
            before = read_counted(file.read_bytes()).counted
        except msgspec.DecodeError:
            sys.stderr.write(f"{as_text(str(file))} was no file of figures, and is written anew.\n")
    merged = {(each.pay_table, each.decks): each for each in (*before, *found)}
    new = file.with_name(f"{file.name}.new")
    new.write_bytes(written(merged.values()))
    new.replace(file)


def own_figures(table: Path) -> CountedFile:
    """Return the figures stored beside a table's file; none where there is no such file."""
    try:
        return read_counted(stored_beside(table).read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        return CountedFile(())


def _draw(play: _Play, found: list[Counted]) -> None:
    from rich.table import Table  # noqa: PLC0415 - only a drawing needs rich

    one = found[0]
    cuts = [figures.cut for figures in one.by_depth]
    title = (
        f"What a counter wins: {number_of_decks(one.decks)}, {one.by_depth[0].rounds_per_shoe:.1f} rounds a shoe with "
        f"{cuts[0]} cards behind the cut card, {one.shoes:,} shoes"
    )
    out = console()
    # A narrow terminal has the depths as bars alone.
    wide = out.width >= WIDE
    table = Table(title=title)
    table.add_column("wager", overflow="fold", min_width=24)
    headings = ["bet", "edge", "in a shoe", "error"]
    if wide:
        table.add_column("pay table")
        headings += ["in 100 rounds", *(f"cut {cut}" for cut in cuts[1:])]
    for heading in headings:
        table.add_column(heading, justify="right")
    table.add_column("by depth", no_wrap=True, min_width=len(cuts))
    highest = max(each.by_depth[0].per_shoe for each in found)
    for wager, each in sorted(zip(play.wagers, found, strict=True), key=lambda pair: -pair[1].by_depth[0].per_shoe):
        first, *deeper = each.by_depth
        cells = [wager, *([play.schedule.table_names[wager]] if wide else [])]
        cells += [f"{first.bets:.2%}", f"{first.mean_edge:.2%}", f"{first.per_shoe:.3f}", f"{first.standard_error:.3f}"]
        if wide:
            cells += [f"{first.per_100_rounds:.3f}", *(f"{figures.per_shoe:.3f}" for figures in deeper)]
        table.add_row(*cells, bars([figures.per_shoe for figures in each.by_depth], highest))
    out.print(table)
