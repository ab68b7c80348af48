"""What was found out, as a table for people and as JSON for programs."""

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from firmware_protocol.link import ShoeIdentity
from simulator.conformance.run import Result
from simulator.conformance.verdicts import Verdict

WIDTH = 110
_MARKS = {
    Verdict.HELD: "held",
    Verdict.FAILED: "FAILED",
    Verdict.ADVICE: "advice",
    Verdict.NOT_TRIED: "not tried",
}
_INDENT = " " * 19


def table(results: Sequence[Result]) -> str:
    """A line for each clause; below it how it failed, or why it was not tried."""
    lines: list[str] = []
    for clause, verdict, why in results:
        if verdict is Verdict.CONTROLLER:
            continue
        text = textwrap.shorten(clause.text, WIDTH - len(_INDENT), placeholder=" …")
        lines.append(f"{clause.number:7}{_MARKS[verdict]:12}{text}")
        if why:
            lines += textwrap.wrap(why, WIDTH, initial_indent=_INDENT + "-> ", subsequent_indent=_INDENT + "   ")
    others = ", ".join(result.clause.number for result in results if result.verdict is Verdict.CONTROLLER)
    if others:
        lines += ["", *textwrap.wrap(f"Bind the controller alone: {others}", WIDTH)]
    return "\n".join([*lines, "", conclusion(results), ""])


def conclusion(results: Sequence[Result]) -> str:
    counts = Counter(result.verdict for result in results)
    failed = [result.clause.number for result in results if result.verdict is Verdict.FAILED]
    first = f"{counts[Verdict.HELD]} clauses held, {len(failed)} failed"
    first += f" ({', '.join(failed)})" if failed else ""
    return (
        f"{first}, {counts[Verdict.NOT_TRIED]} could not be tried, {counts[Verdict.ADVICE]} pieces of advice are not "
        f"followed."
    )


def as_json(results: Sequence[Result], shoe: ShoeIdentity) -> str:
    report: dict[str, Any] = {
        "shoe": {
            "model": shoe.model,
            "firmware": shoe.firmware,
            "serial_number": shoe.serial_number,
            "protocol_version": shoe.protocol_version,
        },
        "passed": has_passed(results),
        "counts": {verdict.value: sum(one.verdict is verdict for one in results) for verdict in Verdict},
        "clauses": [
            {
                "clause": clause.number,
                "binds": clause.bound.value,
                "level": "MUST" if clause.must else "SHOULD",
                "verdict": verdict.value,
                "why": why,
                "text": clause.text,
            }
            for clause, verdict, why in results
        ],
    }
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def has_passed(results: Iterable[Result]) -> bool:
    return not any(result.verdict is Verdict.FAILED for result in results)
