"""Draws recalled rounds in the terminal, for people; used by `recall.py` alone, which imports it only when it draws.

No line depends on its colour. Text from people or from the shoe is stripped of whatever could move a terminal's cursor.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from firmware_protocol.cards import Card
from shoe_controller.baccarat.codes import Code
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.house import CommissionTaken, PlacedWager
from shoe_controller.baccarat.settlement import Settlement
from shoe_controller.history.rounds import (
    AboutShoe,
    Amendment,
    Attempt,
    CardChange,
    PutRight,
    RecalledAct,
    RecalledAlert,
    RecalledCard,
    RecalledResult,
    RecalledRound,
    Remark,
    Returned,
)
from shoe_controller.messages.alerts import Severity
from shoe_controller.messages.facts import (
    CardBurned,
    CardCounted,
    CommissionCollected,
    CommissionWaived,
    CutCardOut,
    DisputeClosed,
    DisputeOpened,
    HandEntryChanged,
    NoteMade,
    PaymentAdjusted,
    RemainderCounted,
    RunOutBegun,
    ShoeEnded,
    ShoeExchanged,
    ShoeOpened,
)
from shoe_controller.words.render import ENGLISH

NOT_SHOWN = "--"
AT_END = (ShoeEnded, RunOutBegun, CardCounted, RemainderCounted)

_STATES = {
    "open": "wagers are open",
    "not_dealt": "not dealt, the shoe was over",
    "under_way": "under way",
    "void": "void",
}
_WINNERS = {Winner.PLAYER: "Player wins", Winner.BANKER: "Banker wins", Winner.TIE: "Tie"}
_WINNER_STYLES = {Winner.PLAYER: "bold blue", Winner.BANKER: "bold red", Winner.TIE: "bold green"}


def draw(out: Console, rounds: list[RecalledRound], remark: str) -> None:
    if remark:
        out.print(remark)
    for number, playing in enumerate(rounds):
        if number or remark:
            out.print()
        _draw_round(out, playing)


def _draw_round(out: Console, playing: RecalledRound) -> None:
    out.print(_title(playing))
    out.print(_when(playing))
    ends = [fact for fact in playing.about_shoe if isinstance(fact, AT_END)]
    for fact in playing.about_shoe:
        if fact not in ends:
            _say(out, _about_shoe(fact))
    for number, attempt in enumerate(playing.attempts, 1):
        if len(playing.attempts) > 1:
            _say(out, f"Dealt for the {_ordinal(number)} time:", style="bold")
        _draw_attempt(out, attempt, playing.amended)
    _draw_wagers(out, playing)
    if playing.remarks:
        _say(out, "Put on record:", style="bold")
        _put(out, _remarks(playing))
    if playing.alerts:
        _say(out, "Alerts:", style="bold")
        _put(out, _alerts(playing.alerts))
    if playing.acts:
        _say(out, "What people did:", style="bold")
        _put(out, _acts(playing.acts))
    for end in ends:
        _say(out, _about_shoe(end))


def _draw_wagers(out: Console, playing: RecalledRound) -> None:
    """Draw the wagers that are not in a settlement."""
    if playing.free:
        _say(out, "A free hand, dealt without wagers.")
    if playing.wagers and playing.state != "settled":
        _say(out, "Wagers that stand:", style="bold")
        _put(out, _wagers(playing.wagers))
    for returned in playing.returned:
        _say(
            out,
            f"Returned at {_clock(returned.time)}, {returned.total} in all: {_why_returned(returned)}",
            style="bold",
        )
        _put(out, _wagers(returned.wagers))
    for corrected in playing.corrected:
        by = "" if corrected.person is None else f" by {_clean(corrected.person)}"
        _say(out, f"Wagers put right at {_clock(corrected.time)}{by} ({corrected.cause}):", style="bold")
        for line in _differences(corrected.difference, "return", "take in"):
            _say(out, line)
        _put(out, _wagers(corrected.after))
    results = [result for attempt in playing.attempts for result in attempt.results]
    drawn = [amended for result in results for amended in _undone_with(result, playing.amended)]
    for amended in playing.amended:
        if amended not in drawn:
            _draw_amendment(out, amended)


def _undone_with(result: RecalledResult, amendments: Sequence[Amendment]) -> list[Amendment]:
    """Amendments that were taken back together with this result; they are drawn below it, in the order of events."""
    return [amended for amended in amendments if amended.undone is not None and amended.undone == result.undone]


def _draw_amendment(out: Console, amended: Amendment) -> None:
    people = " and ".join(_clean(person) for person in (amended.person, amended.approved_by) if person)
    why = f": {_clean(amended.reason)}" if amended.reason else "."
    _say(
        out,
        f"AMENDED at {_clock(amended.time)} by {people}, shoe {amended.shoe}, round {amended.round}{why}",
        style="bold yellow",
    )
    hands = (("Player", amended.outcome.player), ("Banker", amended.outcome.banker))
    totals = ", ".join(f"{name} {hand.total} ({' '.join(map(str, hand.cards))})" for name, hand in hands)
    _say(out, f"{totals}. {_WINNERS[amended.outcome.winner]}.")
    if amended.undone is not None:
        _say(out, f"UNDONE at {_clock(amended.undone.time)}, with the result.", style="bold yellow")
    for line in _differences(amended.difference, "pay", "collect"):
        _say(out, line)
    for seat, amount in amended.commission.items():
        _say(out, f"Seat {_clean(seat)}: marked commission {amount:+}.")
    for seat, amount in amended.commission_back.items():
        pay = "pay it back." if amended.was_collected else "pay it back if it was collected."
        _say(out, f"Seat {_clean(seat)}: commission {amount} is not owed any more; {pay}")
    if amended.settlement is not None:
        _put(out, _steps(amended.settlement))


def _differences(difference: Mapping[str, int], to_seat: str, from_seat: str) -> Iterator[str]:
    for seat, amount in difference.items():
        yield f"Seat {_clean(seat)}: {to_seat if amount > 0 else from_seat} {abs(amount)}."


# --- the head --------------------------------------------------------------------------------------------------------


def _title(playing: RecalledRound) -> Text:
    if playing.state == "before":
        name = f"Shoe {playing.shoe}, before its first round" if playing.shoe else "Before the first shoe"
        return Text(name, style="bold")
    title = Text(f"Shoe {playing.shoe}, round {playing.round}: ", style="bold")
    if playing.state == "settled" and playing.outcome is not None:
        winner = playing.outcome.winner
        return title.append(_WINNERS[winner], style=_WINNER_STYLES[winner])
    had_result = any(attempt.results for attempt in playing.attempts)
    again = ", its result was taken back" if playing.state == "under_way" and had_result else ""
    return title.append(f"{_STATES.get(playing.state, playing.state)}{again}")


def _when(playing: RecalledRound) -> str:
    when = f"  {_date(playing.began)} {_clock(playing.began)}"
    if playing.ended is not None:
        when += f" to {_clock(playing.ended)}"
    when += " UTC"
    if playing.dealer is not None:
        when += f", dealer {_clean(playing.dealer)}"
    return when if playing.closed_by is None else f"{when}, wagers closed by {_words(playing.closed_by)}"


def _about_shoe(fact: AboutShoe) -> str:  # noqa: PLR0911 - one sentence for each fact
    match fact:
        case RunOutBegun() | CardCounted() | RemainderCounted():
            return _about_remainder(fact)
        case ShoeExchanged():
            return f"Another shoe took the place of this one: {_clean(fact.wire)} at {_clean(fact.port)}."
        case HandEntryChanged():
            return "Dealt by hand from here on." if fact.hand_entry else "Back to the shoe's reader."
        case ShoeOpened():
            sets = f", card sets {', '.join(map(_clean, fact.card_sets))}" if fact.card_sets else ""
            return f"The shoe was opened by {_words(fact.opened_by)}, {fact.decks} decks{sets}."
        case CardBurned(card=None, burned=0):
            return "The first card was not read."
        case CardBurned(card=Card()):
            return f"First card {fact.card}: {fact.to_burn} to burn."
        case CardBurned():
            return f"Burned: {fact.burned}." if fact.to_burn is None else f"Burned: {fact.burned} of {fact.to_burn}."
        case CutCardOut():
            return f"The cut card came out; round {fact.last_round} is the last."
        case ShoeEnded():
            due = ", ".join(f"seat {_clean(seat)} {amount}" for seat, amount in fact.commission_due.items())
            collected = f" Commission due: {due}." if due else ""
            return f"The shoe ended after {fact.cards_out} cards: {_words(fact.cause)}.{collected}{_inventory(fact)}"


def _inventory(ended: ShoeEnded) -> str:
    inventory = ended.inventory
    if inventory is None:
        return ""
    unseen = f" {inventory.unseen} of them came unseen." if inventory.unseen else ""
    foreign = f" {inventory.foreign} of them are foreign." if inventory.foreign else ""
    return f" Known to have come: {_faces(inventory.known)}.{unseen}{foreign} {inventory.remainder} must be left."


def _about_remainder(fact: RunOutBegun | CardCounted | RemainderCounted) -> str:
    match fact:
        case RunOutBegun():
            return f"The rest is drawn through the reader; {fact.expected} must be left."
        case CardCounted():
            return f"Counted: {fact.counted}."
    fits = "as it must be" if fact.fits else "it DOES NOT FIT"
    found = f"{fact.found} cards were left of {fact.expected}: {fits}."
    faces = fact.faces
    if faces is None:
        return found
    lines = [found]
    lines += [f"Missing: {_faces(faces.missing)}; {faces.unseen} came unseen."] if faces.missing else []
    lines += [f"Extra: {_faces(faces.extra)}."] if faces.extra else []
    lines += [f"Pieces that came twice: {', '.join(map(_clean, faces.duplicates))}."] if faces.duplicates else []
    lines += [f"Foreign: {faces.foreign}."] if faces.foreign else []
    return " ".join(lines)


def _faces(faces: Mapping[Card, int]) -> str:
    return ", ".join(f"{card} {count}" for card, count in faces.items()) or "none"


# --- cards and results -----------------------------------------------------------------------------------------------


def _draw_attempt(out: Console, attempt: Attempt, amendments: Sequence[Amendment]) -> None:
    if attempt.cards:
        _put(out, _cards(attempt.cards))
    if any(card.card is None for card in attempt.cards):
        _say(out, f"{NOT_SHOWN} lies face down, or has not been identified.")
    for aside in attempt.set_aside:
        _say(out, f"{_face(aside.card)} was set aside: {_words(aside.why)}.")
    for extra in attempt.extra_cards:
        burned = f"{extra.burned} burned" if extra.burned else ""
        used = "one begins the next round" if extra.begins_next_round else ""
        by = "" if extra.person is None else f", by {_clean(extra.person)}"
        _say(out, f"Extra cards: {' and '.join(filter(None, (burned, used)))}{by}.")
    for put_right in attempt.put_right:
        _say(out, _put_right(put_right))
    for result in attempt.results:
        _draw_result(out, result)
        for amended in _undone_with(result, amendments):
            _draw_amendment(out, amended)
    if attempt.ended is not None:
        _draw_void(out, attempt)
    elif not attempt.results or attempt.results[-1].undone is not None:
        _say(out, _standing(attempt))


def _draw_void(out: Console, attempt: Attempt) -> None:
    by = "" if attempt.voided_by is None else f" by {_clean(attempt.voided_by)}"
    again = ", to be dealt again with the same wagers" if attempt.ended == "replay" else ""
    _say(out, f"Voided{by}{again}: {_clean(attempt.void_reason)}", style="bold")
    for line in _differences(attempt.void_difference or {}, "pay", "collect"):
        _say(out, f"Settled before. {line}")


def _put_right(put_right: PutRight) -> str:
    by = "" if put_right.person is None else f", by {_clean(put_right.person)}"
    why = f": {_clean(put_right.reason)}" if put_right.reason else ""
    match put_right.what:
        case "assigned":
            return f"The cards were assigned to their hands{by}{why}."
        case "due_in_truth":
            return "After the correction, an extra card that was due took its place."
        case "discarded":
            cause = "" if put_right.cause is None else f" ({ENGLISH.discard_cause(put_right.cause)})"
            return f"Card {put_right.number}, {_face(put_right.card)}, was discarded{cause}{by}{why}."


def _cards(cards: list[RecalledCard]) -> Table:
    grid = _grid()
    for card in cards:
        why = [] if card.why is None else [_words(card.why)]
        entered = [] if card.entered_by is None else [f"entered by {_clean(card.entered_by)}"]
        lines = [*why, *entered, *(_change(change) for change in card.changes)]
        _add(grid, str(card.number), str(card.hand), _face(card.card), "\n".join(lines))
    return grid


def _change(change: CardChange) -> str:
    by = "" if change.person is None else f" by {_clean(change.person)}"
    why = f": {_clean(change.reason)}" if change.reason else ""
    faces = f" from {_face(change.old)} to {_face(change.new)}" if change.what == "corrected" else ""
    return f"{change.what}{faces}{by} at {_clock(change.time)}{why}"


def _standing(attempt: Attempt) -> str:
    standing = attempt.standing
    if standing is None:
        return "No card has come yet."
    totals = f"Player has {_total(standing.player_total)}, Banker has {_total(standing.banker_total)}."
    if standing.why is None:
        return totals
    unconfirmed = "; the result is not confirmed" if standing.complete else ""
    return f"{totals} {_words(standing.why)}{unconfirmed}."


def _total(total: int | None) -> str:
    return "a total not shown" if total is None else str(total)


def _draw_result(out: Console, result: RecalledResult) -> None:
    hands = (("Player", result.outcome.player), ("Banker", result.outcome.banker))
    totals = ", ".join(f"{name} {hand.total} ({' '.join(map(str, hand.cards))})" for name, hand in hands)
    _say(out, f"{totals}. {_words(result.why)}.")
    verdict = f"{_WINNERS[result.outcome.winner]}, confirmed by {_words(result.confirmed_by)}"
    _say(out, f"{verdict} at {_clock(result.time)}.", style=_WINNER_STYLES[result.outcome.winner])
    undone = result.undone
    if undone is not None:
        by = "" if undone.person is None else f" by {_clean(undone.person)}"
        second = "" if undone.approved_by is None else f" and {_clean(undone.approved_by)}"
        why = f": {_clean(undone.reason)}" if undone.reason else "."
        _say(out, f"UNDONE at {_clock(undone.time)}{by}{second}{why}", style="bold yellow")
        for seat, amount in undone.commission_back.items():
            _say(out, f"Commission of {amount} is paid back to seat {_clean(seat)}: it was collected already.")
    if result.settlement is not None:
        heading = "Payments, all of them undone:" if undone is not None else "Payments, in the dealer's order:"
        _say(out, heading, style="bold")
        _put(out, _steps(result.settlement))
        for line in _sums(result.settlement):
            _say(out, line)
        for line in _differences(result.difference or {}, "pay", "collect"):
            _say(out, f"Settled anew. {line}")


def _steps(settlement: Settlement) -> Table:
    grid = _grid()
    wagers = {(wager.seat, wager.wager): wager for wager in settlement.wagers}
    for step in settlement.steps:
        wager = wagers[step.seat, step.wager]
        price = f"stake {wager.stake}" + (f", {wager.pays}" if wager.pays else "")
        _add(grid, f"seat {_clean(step.seat)}", step.step, str(step.amount), _clean(step.wager), price)
    return grid


def _sums(settlement: Settlement) -> Iterator[str]:
    for seat, sums in (
        *((f"Seat {_clean(seat)}", s) for seat, s in settlement.seats.items()),
        ("All", settlement.totals),
    ):
        commission = f", commission {sums.commission}" if sums.commission else ""
        cut = f", cut {sums.cut}" if sums.cut else ""
        yield f"{seat}: stakes {sums.stakes}, taken {sums.taken}, paid {sums.paid}{commission}{cut}."
    if settlement.totals.commission and settlement.commission_taken is CommissionTaken.MARKED:
        yield "Commission is marked, and due until it is collected."
    if settlement.limit_reached is not None:
        yield f"Winnings were cut to the round's limit of {settlement.limit_reached.limit}."


def _wagers(wagers: Sequence[PlacedWager]) -> Table:
    grid = _grid()
    for wager in wagers:
        _add(grid, f"seat {_clean(wager.seat)}", str(wager.stake), _clean(wager.wager))
    return grid


# --- notes, disputes, payments by hand -------------------------------------------------------------------------------


def _remarks(playing: RecalledRound) -> Table:
    grid = _grid()
    for remark in playing.remarks:
        people = " and ".join(_clean(person) for person in (remark.person, remark.approved_by) if person is not None)
        is_here = (remark.of_shoe, remark.of_round) == (playing.shoe, playing.round)
        where = "" if is_here else f"Shoe {remark.of_shoe}, round {remark.of_round}: "
        _add(grid, _clock(remark.fact.time), f"{where}{_remark(remark)}{f' ({people})' if people else ''}")
    return grid


def _remark(remark: Remark) -> str:
    match remark.fact:
        case NoteMade() as note:
            return f"Note: {_clean(note.text)}"
        case DisputeOpened(dispute=dispute):
            seat = "" if dispute.seat is None else f", seat {_clean(dispute.seat)}"
            return f"Dispute {dispute.number} opened{seat}: {_clean(dispute.text)}"
        case DisputeClosed() as closed:
            return f"Dispute {closed.dispute.number} decided: {_clean(closed.decision)}"
        case PaymentAdjusted() as adjusted:
            done = "paid to" if adjusted.amount > 0 else "collected from"
            return f"Payment put right: {abs(adjusted.amount)} {done} seat {_clean(adjusted.seat)}"
        case CommissionCollected() as collected:
            return f"Commission of {collected.amount} collected from seat {_clean(collected.seat)}"
        case CommissionWaived() as waived:
            return f"Commission of {waived.amount} of seat {_clean(waived.seat)} waived"


# --- alerts and people -----------------------------------------------------------------------------------------------


def _alerts(alerts: list[RecalledAlert]) -> Table:
    grid = _grid()
    for alert in alerts:
        kind, severity, detail = alert.alert.kind, alert.alert.severity, _clean(ENGLISH.detail(alert.alert))
        happened = f"{ENGLISH.happened(kind)} ({detail})" if detail else ENGLISH.happened(kind)
        style = "bold red" if severity is Severity.STOPS else "yellow"
        _add(
            grid,
            _clock(alert.raised),
            Text.assemble((f"{kind} ({severity})", style), f"\n{happened}\n{_end_of(alert)}"),
        )
    return grid


def _end_of(alert: RecalledAlert) -> str:
    if alert.ended is None:
        return "It stands."
    how = f", {alert.ended_how}" if alert.ended_how else ""
    why = "" if alert.cause is None else f": {_words(alert.cause)}"
    return f"Ended at {_clock(alert.ended)}{why}{how}."


def _acts(acts: list[RecalledAct]) -> Table:
    grid = _grid()
    for act in acts:
        _add(grid, _clock(act.time), f"{_clean(act.person)} {_act(act)}")
    return grid


def _act(act: RecalledAct) -> str:
    if act.outcome == "wrong_pin":
        locked_out = "; locked out" if act.locked_out else ""
        return f"gave a wrong PIN, {act.failures} in a row{locked_out}"
    about = ""
    if act.card_number is not None:
        about = f" card {act.card_number}, {_face(act.card)}"
    elif act.alert is not None:
        about = f" {act.alert_kind or act.alert}"
    elif act.hand is not None:
        about = f" {act.hand}"
    elif act.seat is not None:
        moved = "" if act.to_seat is None else f" to seat {_clean(act.to_seat)}"
        stake = "" if act.stake is None else f" {act.stake}"
        about = f" seat {_clean(act.seat)} {_clean(act.wager or '')}{stake}{moved}"
    role = f" ({act.role})" if act.role else ""
    second = "" if act.approved_by is None else f", approved by {_clean(act.approved_by)}"
    why = f": {_clean(act.reason)}" if act.reason else ""
    why_not = "" if act.not_done is None else f": {_words(act.not_done)}"
    not_done = {"proposed": " (proposed, not yet approved)", "not_done": f" (not done{why_not})"}
    return f"{role.strip()} {act.act}{about}{second}{not_done.get(act.outcome, '')}{why}".strip()


# --- words -----------------------------------------------------------------------------------------------------------


def _grid() -> Table:
    """A grid without lines; what does not fit wraps within its column."""
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))


def _add(grid: Table, *cells: str | Text) -> None:
    # rich would turn :smile: in a plain string into an emoji.
    grid.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))


def _say(out: Console, text: str, style: str = "") -> None:
    _put(out, Text(text, style=style))


def _put(out: Console, what: Table | Text) -> None:
    if isinstance(what, Table):
        for column in what.columns:
            column.overflow = "fold"  # a narrow terminal breaks a word rather than cutting it off
    out.print(Padding(what, (0, 0, 0, 2), expand=False))


def _clean(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _words(code: Code) -> str:
    """People's own words can hold anything."""
    return _clean(ENGLISH.of(code))


def _why_returned(returned: Returned) -> str:
    return _clean(returned.reason) if returned.cause is None else ENGLISH.return_cause(returned.cause)


def _face(card: Card | None) -> str:
    return NOT_SHOWN if card is None else str(card)


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def _date(time: int) -> str:
    return _moment(time)[:10]


def _clock(time: int) -> str:
    return _moment(time)[11:19]


def _moment(time: int) -> str:
    """Format a time. An unset clock can have any value; one outside the calendar is shown as dashes."""
    try:
        return datetime.fromtimestamp(time / 1000, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return "----------T--------"
