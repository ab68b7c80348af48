"""Makes all trials at one shoe, and says of every clause what became of it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from firmware_protocol.native.messages import BadFrameError
from simulator.conformance.bench import Bench
from simulator.conformance.clauses import Bound, Clause
from simulator.conformance.line import LineLostError
from simulator.conformance.trial import Needs, Trial
from simulator.conformance.trials import TRIALS
from simulator.conformance.untriable import UNTRIABLE
from simulator.conformance.verdicts import TrialEndedError, Verdict

NOTHING_CAME = "nothing came from the shoe that would show it"
NO_TRIAL = "advice which this suite does not try"


class Result(NamedTuple):
    clause: Clause
    verdict: Verdict
    why: str
    """How it failed, or why it was not tried; empty where it held."""


def make_trials(
    bench: Bench, trials: Iterable[Trial] = TRIALS, begun: Callable[[Trial], None] = lambda _: None
) -> None:
    """Make them one after the other. One that breaks off costs none behind it."""
    for trial in trials:
        why = _why_left_out(bench, trial)
        if why:
            bench.findings.could_not_try(trial.clauses, why)
            continue
        begun(trial)
        with bench.findings.of_trial(trial.title, trial.clauses):
            _make(bench, trial)


def _make(bench: Bench, trial: Trial) -> None:
    try:
        trial.run(bench)
    except LineLostError as error:
        bench.session = None
        bench.reopen()
        raise TrialEndedError(f"the line was lost: {error}") from error
    except (BadFrameError, LookupError) as error:
        # What was wrong about it was noted when the frame came.
        raise TrialEndedError(f"the shoe sent what this trial cannot go on with: {error}") from error


def _why_left_out(bench: Bench, trial: Trial) -> str:
    settings = bench.settings
    if trial.needs is Needs.MANY_CARDS and not settings.long:
        return "it needs many cards, and --quick leaves that out"
    if trial.needs is Needs.POWER and not settings.power:
        return "the power stays on (--no-power)"
    return ""


def results(bench: Bench, clauses: Iterable[Clause]) -> tuple[Result, ...]:
    """What became of each clause of the page."""
    return tuple(_result(bench, clause) for clause in clauses)


def _result(bench: Bench, clause: Clause) -> Result:
    if clause.bound is Bound.CONTROLLER:
        return Result(clause, Verdict.CONTROLLER, "")
    verdict, why = bench.findings.of(clause.number)
    if verdict is Verdict.FAILED and not clause.must:
        return Result(clause, Verdict.ADVICE, why)
    if verdict is Verdict.NOT_TRIED:
        no_reason = NOTHING_CAME if clause.must else NO_TRIAL
        return Result(clause, verdict, UNTRIABLE.get(clause.number) or why or no_reason)
    return Result(clause, verdict, why)
