"""`shoe-controller journal verify|recall|export|prune FILE`: commands on a table's journal, for auditors and operators.

`journal begin CONFIG` is in `begin_journal.py`. All others work beside a running controller. Exit code 1 means that the
journal is damaged, 2 that the arguments cannot be used, 3 that nothing wrong was found and not all could be proved: a
head lies in a pruned part whose export was not given, the key of `verify --key` or the file of `--witness` proves
nothing, or the keys begin anew. The work itself is in `shoe_controller/journal/`.
"""

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from shoe_controller.clock.moment import Moment
from shoe_controller.commands import begin_journal, recall
from shoe_controller.commands.output import GOOD, add_json_option, as_text, bad_input, print_json
from shoe_controller.config.plain_files import check_plain, read_plain
from shoe_controller.config.strict_reading import why_unreadable
from shoe_controller.daemon.table_journal import SOFTWARE, replay, same_fact
from shoe_controller.journal.checkpoint_check import next_key_of
from shoe_controller.journal.errors import DamagedJournalError, JournalError
from shoe_controller.journal.export import Form, Selection, header, line, selected
from shoe_controller.journal.key_folder import read_public
from shoe_controller.journal.opening import private
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.journal.replay_check import Replay
from shoe_controller.journal.verify import Report, verify
from shoe_controller.process.lines_file import LinesFileError
from shoe_controller.witness.evidence import Evidence, differing_checkpoints, differing_heads, evidence_of
from shoe_controller.words.render import ENGLISH

DAMAGED = 1
UNPROVED = 3

REPLAY: Replay = replay
"""Replays the inputs of a shoe."""

SECONDS_BETWEEN_LOOKS = 0.5
REST = 0.02
"""Seconds between two transactions of `prune`, in which the table can write."""

_HEAD = re.compile(r"(\d{1,18}):([0-9a-fA-F]{64})")


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("journal", help="check, recall, export, prune or begin a table's journal")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_verify(actions)
    _add_export(actions)
    _add_prune(actions)
    recall.add_parser(actions, run)
    begin_journal.add_parser(actions)


def _add_verify(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = actions.add_parser(
        "verify",
        help="find out whether anything was changed, removed or added",
        description="Check every record of a journal against the chain that ties them together, and that the table, "
        "given the same inputs again, leads to the same events byte for byte. Events of another version are counted "
        "and not replayed.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--head",
        action="append",
        default=[],
        type=_head,
        metavar="NUMBER:HASH",
        help="an end of the chain that was kept elsewhere, as results carry it; may be given more than once",
    )
    parser.add_argument(
        "--export",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="a file that `prune` wrote, or the folder with all of them: its records are checked and replayed too; "
        "may be given more than once",
    )
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="the public key that was taken away when the journal was begun: says up to which record and time the "
        "journal is proved; may be given more than once",
    )
    parser.add_argument(
        "--earlier",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="an earlier journal of the table, the oldest first, where the key is that of its first one",
    )
    parser.add_argument(
        "--witness",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="the file of a witness: compares the journal with every head and checkpoint that it has; may be given "
        "more than once",
    )
    add_json_option(parser)
    parser.set_defaults(run=run, act=_verify)


def _add_export(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = actions.add_parser(
        "export",
        help="write records as JSON lines or CSV",
        description="Write the records of a journal, all or some of them, one on each line.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--format", choices=[form.value for form in Form], default=Form.JSON_LINES.value)
    parser.add_argument("--shoe", type=_number, metavar="N")
    parser.add_argument("--round", type=_number, metavar="N")
    parser.add_argument("--since", type=_time, metavar="TIME", help="as 2026-11-16T20:00, in UTC unless it says +01:00")
    parser.add_argument("--until", type=_time, metavar="TIME", help="the end of the period, exclusive")
    parser.add_argument("--output", type=Path, metavar="FILE", help="a new file; without it, standard output")
    parser.set_defaults(run=run, act=_export, json=False)


def _add_prune(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = actions.add_parser(
        "prune",
        help="export old shoes to their own files, then remove them",
        description="Export whole shoes that are older than so many days, each to a file of its own, then remove them "
        "from the journal. The current shoe stays, and so does a shoe with events that are not published yet.",
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--older-than", type=_days, required=True, metavar="DAYS")
    parser.add_argument("--export-to", type=Path, required=True, metavar="FOLDER")
    add_json_option(parser)
    parser.set_defaults(run=run, act=_prune)


def run(args: argparse.Namespace) -> int:
    act: Callable[[argparse.Namespace], int] = args.act
    try:
        check_plain(args.file)
    except OSError as error:
        return bad_input(args, "journal", f"{args.file} cannot be read: {why_unreadable(error)}")
    try:
        return act(args)
    except DamagedJournalError as error:
        bad_input(args, "damaged", str(error))
        return DAMAGED
    except JournalError as error:
        return bad_input(args, "journal", str(error))


class _BadOptionError(ValueError):
    """An option of `verify` that cannot be used: which, and why."""

    def __init__(self, option: str, why: str) -> None:
        super().__init__(why)
        self.option = option


def _keys(args: argparse.Namespace) -> set[str]:
    keys: set[str] = set()
    for file in args.key:
        try:
            key = read_public(read_plain(file).decode(errors="replace"))
        except OSError as error:
            raise _BadOptionError("key", f"{file} cannot be read: {why_unreadable(error)}.") from error
        if key is None:
            raise _BadOptionError("key", f"{file} is not a public key: 64 hexadecimal digits on a line of their own.")
        keys.add(key)
    for earlier in args.earlier:
        try:
            key = next_key_of(earlier, keys)
        except JournalError as error:
            raise _BadOptionError("earlier", str(error)) from error
        if key is None:
            raise _BadOptionError("earlier", f"{earlier} is not proved by the key, so its last key proves nothing.")
        keys.add(key)
    return keys


def _evidence(args: argparse.Namespace) -> list[tuple[Path, Evidence]]:
    found = []
    for file in args.witness:
        try:
            check_plain(file)
            evidence = evidence_of(file, _journal_id(args.file))
        except LinesFileError as error:
            raise _BadOptionError("witness", str(error)) from error
        except OSError as error:
            raise _BadOptionError("witness", f"{file} cannot be read: {why_unreadable(error)}.") from error
        if not evidence.end:
            raise _BadOptionError("witness", f"{file} is no witness's file, or its first line was changed.")
        found.append((file, evidence))
    return found


def _verify(args: argparse.Namespace) -> int:
    try:
        keys, witnessed = _keys(args), _evidence(args)
    except _BadOptionError as error:
        return bad_input(args, error.option, str(error))
    heads = [head for _, evidence in witnessed for head in evidence.heads]
    with _progress() as look:
        report = verify(
            args.file,
            replay=REPLAY,
            agree=same_fact,
            software=SOFTWARE,
            heads=[*heads, *args.head],
            exports=args.export,
            keys=keys,
            progress=look,
        )
    for file, evidence in witnessed:
        for what in (*differing_heads(evidence, args.file), *differing_checkpoints(evidence, args.file)):
            report.tell(None, None, f"{file}: {what}")
    if args.json:
        print_json(_as_object(args.file, report) | {"witness": [_seen(file, each) for file, each in witnessed]})
    else:
        seen = [sentence for each in witnessed for sentence in _witness_sentences(*each, report)]
        sentences = (*_sentences(args.file, report), *_proof(report, asked=bool(keys)), *seen)
        sys.stdout.write("".join(f"{as_text(sentence)}\n" for sentence in sentences))
    if not report.good:
        return DAMAGED
    keys_prove = not keys or report.proof is not None
    witnesses_prove = all(each.newest is not None for _, each in witnessed)
    not_proved = report.keys_anew or report.unproved or report.pruned_since_proof or _cut_off(report)
    return GOOD if keys_prove and witnesses_prove and not not_proved else UNPROVED


def _cut_off(report: Report) -> list[tuple[int, int]]:
    """They matter only where something is said to be proved."""
    return report.cut_off if report.proof is not None or report.proved_by_heads else []


def _journal_id(file: Path) -> str:
    with JournalReader(file) as reader:
        return reader.identity.journal_id


def _seen(file: Path, evidence: Evidence) -> dict[str, object]:
    return {
        "file": as_text(str(file)),
        "line": evidence.end,
        "heads": evidence.head_count,
        "checkpoints": len(evidence.checkpoints),
        "newest": None if evidence.newest is None else str(evidence.newest),
        "seen": evidence.seen,
        "alarms": [{"line": each.line, "time": each.time, "alarm": each.alarm} for each in evidence.alarms],
    }


def _witness_sentences(file: Path, evidence: Evidence, report: Report) -> Iterator[str]:
    """What the file of a witness proves, and what it does not."""
    if evidence.newest is None:
        yield f"NOT PROVED by {file}: the witness has seen nothing of this journal."
        return
    what = f"{evidence.head_count} records and {len(evidence.checkpoints)} checkpoints"
    pruned = {head for part in report.unproved for head in part.heads}
    if report.good and str(evidence.newest) not in pruned:
        yield f"{file}: {what} are as the witness saw them; those that were pruned are listed above."
        yield (
            f"Proved by it up to record {evidence.newest.number}, as seen at {_utc(evidence.seen)}. Not proved: the "
            f"{report.head.number - evidence.newest.number} records after it."
        )
    elif report.good:
        yield f"NOT PROVED by {file}: the newest record that it saw, {evidence.newest.number}, was pruned."
    else:
        yield f"{file}: {what} were compared with what the witness saw."
    for each in evidence.alarms:
        yield f"The witness raised an alarm at {_utc(each.time)}, line {each.line}: {ENGLISH.of(each.alarm)}"
    yield f"Its file ends with {evidence.end}. Compare that with what the witness publishes: its end may be cut off."


def _utc(time_ms: int) -> str:
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):  # whoever signs can name any time
        return f"{time_ms} ms after 1970"


def _as_object(file: Path, report: Report) -> dict[str, object]:
    return {
        "good": report.good,
        "file": as_text(str(file)),
        "table": as_text(report.identity.table),
        "journal_id": as_text(report.identity.journal_id),
        "head": str(report.head),
        "records": report.records,
        "pruned": report.pruned,
        "from_exports": report.from_exports,
        "heads": {
            "given": report.heads,
            "confirmed": report.heads_confirmed,
            "proved_up_to": report.proved_by_heads,
        },
        "unproved": [
            {
                "first": part.first,
                "last": part.last,
                "shoe": part.shoe,
                "export": as_text(part.export_name),
                "heads": part.heads,
            }
            for part in report.unproved
        ],
        "replay": {"same": report.replayed, "not_replayed": report.not_replayed},
        "problems": [
            {"record": problem.number, "kind": problem.kind and as_text(problem.kind), "what": as_text(problem.what)}
            for problem in report.problems
        ],
        "more_problems": report.more_problems,
        "notes": report.notes,
        "checkpoints": report.checkpoints,
        "keys_anew": report.keys_anew,
        "cut_off": [{"first": first, "last": last} for first, last in _cut_off(report)],
        "pruned_since_proof": [{"first": part.first, "last": part.last} for part in report.pruned_since_proof],
        "proof": report.proof,
    }


def _sentences(file: Path, report: Report) -> Iterator[str]:
    verdict = "is whole" if report.good else "IS DAMAGED"
    yield f"{file} {verdict}: table {report.identity.table}, {report.records} records checked, {report.pruned} pruned."
    if report.from_exports:
        yield f"Of these records, {report.from_exports} are in exports."
    yield f"It ends with {report.head}."
    if report.heads:
        yield (
            f"{report.heads_confirmed} of {report.heads} heads that were given are confirmed; "
            f"they prove nothing after record {report.proved_by_heads}."
        )
    for part in report.unproved:
        yield (
            f"NOT PROVED: {len(part.heads)} heads of records {part.first} to {part.last} (shoe {part.shoe}), "
            f"pruned. Give their export, {part.export_name}, with --export."
        )
    for problem in report.problems:
        yield f"  {problem.what}"
    if report.more_problems:
        yield f"  and {report.more_problems} more of this sort."
    yield from report.notes
    yield f"Replaying the inputs gave {report.replayed} events again, byte for byte."
    for software, count in sorted(report.not_replayed.items()):
        yield f"Not replayed: {count} events written by version {software}."


def _proof(report: Report, *, asked: bool) -> Iterator[str]:
    """What the checkpoints prove."""
    if report.keys_anew:
        listed = ", ".join(map(str, report.keys_anew))
        yield (
            f"NOT VOUCHED FOR: the keys begin anew at checkpoint {listed}. The key before it was lost, an older copy "
            "of the journal was put back, or somebody signed with a key of their own."
        )
    proof, last = report.proof, report.head.number
    if not asked:
        yield f"{report.checkpoints} checkpoints fit; without --key nothing shows who signed them."
    elif proof is None:
        none = "there is no checkpoint yet" if not report.checkpoints else "the key has signed none of its checkpoints"
        yield f"NOT PROVED: {none}."
    else:
        signed = _utc(proof.time)
        yield f"Proved up to record {proof.number}, as signed in checkpoint {proof.checkpoint} at {signed}."
        yield (
            f"Not proved: the {last - proof.number} records after it. Whoever held the machine since then could have "
            "changed them, or cut others off after them."
        )
    for part in report.pruned_since_proof:
        yield (
            f"NOT PROVED: records {part.first} to {part.last} were pruned, and no checkpoint or head covers the record "
            f"that says so. Give their export {part.export_name} with --export."
        )
    for first, end in _cut_off(report):
        yield (
            f"NOT PROVED: records {first} to {end} are there, but the export of what follows them was not given, "
            "and no checkpoint or head covers them. Give that one too."
        )


def _export(args: argparse.Namespace) -> int:
    form = Form(args.format)
    wanted = Selection(shoe=args.shoe, round=args.round, since_ms=args.since, until_ms=args.until)
    with JournalReader(args.file) as reader:
        reader.position()
        try:
            with _output(args.output) as out, _progress() as look:
                out.write(header(form))
                for record in selected(reader, wanted, look):
                    out.write(line(record, form))
        except BrokenPipeError:
            raise
        except OSError as error:
            return bad_input(args, "output", f"{args.output} cannot be written: {error.strerror}")
    return GOOD


def _prune(args: argparse.Namespace) -> int:
    now = Moment(wall_ms=time.time_ns() // 1_000_000, mono_ns=time.monotonic_ns(), synchronised=False)
    if not args.export_to.is_dir():
        return bad_input(args, "folder", f"{args.export_to} is not a folder; make it first.")
    with _progress() as look:
        pruned = prune(
            args.file,
            older_than_ms=now.wall_ms - args.older_than,
            folder=args.export_to,
            now=now,
            software=SOFTWARE,
            progress=look,
            rest=lambda: time.sleep(REST),
        )
    if args.json:
        print_json(pruned)
    else:
        sys.stdout.write(f"Pruned {pruned.shoes} shoes, {pruned.records} records; {pruned.kept_because}\n")
        sys.stdout.write("".join(f"  {as_text(name)}\n" for name in pruned.exports))
    return GOOD


@contextmanager
def _output(path: Path | None) -> Iterator[IO[bytes]]:
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with open(path, "xb", opener=private) as file:
            yield file


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show progress if standard error is a terminal."""
    shown = sys.stderr.isatty()
    last = time.monotonic()

    def look(done: int, everything: int) -> None:
        nonlocal last
        if shown and time.monotonic() - last >= SECONDS_BETWEEN_LOOKS:
            last = time.monotonic()
            sys.stderr.write(f"\r{done} of {everything} records\x1b[K")
            sys.stderr.flush()

    try:
        yield look
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")


def _head(text: str) -> Head:
    match = _HEAD.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"{as_text(text)!r} is not a head, which is a number, a colon and 64 hexadecimal digits"
        )
    return Head(number=int(match[1]), hash=bytes.fromhex(match[2]))


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{as_text(text)!r} is not a number")
    return int(text)


def _days(text: str) -> int:
    """Convert days to milliseconds."""
    days = _number(text)
    if days > 100_000:
        raise argparse.ArgumentTypeError(f"{days} days is too long")
    return days * 24 * 60 * 60 * 1000


def _time(text: str) -> int:
    """Convert a point in time to milliseconds since 1970."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{as_text(text)!r} is not a time such as 2026-11-16T20:00") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)
