"""Wrong PINs: counted by terminal and person together, with pauses that grow; over all terminals, an alert.

A pause holds at the terminal where the wrong PINs were given, so that nobody can lock a person out from somewhere else.
A name that no person has is counted like any other: the table learns the result of a check, and nothing about names.
"""

import msgspec

from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import PinsGuessed
from shoe_controller.messages.facts import WrongPin
from shoe_controller.messages.refusals import LockedOut, WrongPinRefused
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.procedure import Procedure
from shoe_controller.table.state import SECOND, PinRecord, TableState, WrongTry

LONGEST_PAUSE = 4 * 3600.0
"""Seconds; each wrong PIN after a pause doubles the next one, up to this."""

FORGET_AFTER = 24 * 3600 * SECOND
"""After this long without another wrong PIN, a count is forgotten; names are mistyped at every terminal."""

MOST_NAMES = 8
"""Names that are counted singly at one terminal; all further ones share one count."""
OTHER_NAMES = ""
"""The person of that shared count."""

MOST_RECORDS = 200
"""Counts that are kept in all; the oldest is forgotten first."""

GUESSING_TRIES, GUESSING_WITHIN = 10, 600 * SECOND
"""Wrong PINs over all terminals, within this time, that raise the alert and slow checks down."""


def pause_left(state: TableState, user: str, person: str, now: int) -> int:
    """Seconds for which this person's PIN is still not checked at this terminal; 0 if it is."""
    record = _record(state.lasting.pins, user, person)
    until = None if record is None else record.locked_until_ns
    return 0 if until is None else max(0, -(-(until - now) // SECOND))


def guessing(state: TableState, now: int) -> bool:
    """Whether so many wrong PINs came lately, over all terminals, that checks are to be slowed down."""
    tries = state.lasting.wrong_tries
    return len(tries) == GUESSING_TRIES and now - tries[0].at_ns < GUESSING_WITHIN


def pin_holds(draft: Draft, given: PersonActs) -> bool:
    """Whether the act may go on: no PIN was given, or the right one, and there is no pause. Counts a wrong one."""
    if given.pin is PinVerdict.NOT_GIVEN:
        return True
    pause = pause_left(draft.state, given.user, given.person, draft.now)
    if pause:
        draft.refuse(LockedOut(person=given.person, seconds=pause))
        return False
    before = _record(draft.lasting.pins, given.user, given.person)
    if before is not None and before.locked_until_ns is not None and not given.user:
        _forget(draft, given.user, given.person)  # see `_wrong_pin`
    if given.pin is PinVerdict.WRONG:
        _wrong_pin(draft, given.person, given.user)
        return False
    _forget(draft, given.user, given.person)
    return True


def date_pins_anew(draft: Draft) -> None:
    """After a power-up, earlier times cannot be compared: a pause begins again, in full."""
    now, procedure = draft.now, draft.procedure
    draft.lasting.pins = tuple(
        msgspec.structs.replace(
            record,
            at_ns=now,
            locked_until_ns=None if record.locked_until_ns is None else now + _pause(procedure, record),
        )
        for record in draft.lasting.pins
    )
    draft.lasting.wrong_tries = tuple(msgspec.structs.replace(each, at_ns=now) for each in draft.lasting.wrong_tries)


def _record(pins: tuple[PinRecord, ...], user: str, person: str) -> PinRecord | None:
    """The count that applies: the person's own at this terminal, or the shared one where too many names were tried."""
    own = {record.person: record for record in pins if record.user == user}
    if person in own or not user:
        return own.get(person)
    return own.get(OTHER_NAMES) if len(own.keys() - {OTHER_NAMES}) >= MOST_NAMES else None


def _wrong_pin(draft: Draft, person: str, user: str) -> None:
    """Count it. A request without a user is one of layout 1: there, counts were by person, and pauses did not grow."""
    if user:
        oldest = draft.now - FORGET_AFTER
        draft.lasting.pins = tuple(each for each in draft.lasting.pins if each.at_ns > oldest or _holds(each, draft))
    before = _record(draft.lasting.pins, user, person)
    if before is None:
        names = sum(each.user == user and each.person != OTHER_NAMES for each in draft.lasting.pins)
        before = PinRecord(user=user, person=OTHER_NAMES if user and names >= MOST_NAMES else person, failures=0)
    record = msgspec.structs.replace(before, failures=before.failures + 1, at_ns=draft.now, locked_until_ns=None)
    locked = record.failures >= draft.procedure.wrong_pins
    if locked:
        record = msgspec.structs.replace(record, locked_until_ns=draft.now + _pause(draft.procedure, record))
    _forget(draft, user, record.person)
    draft.lasting.pins = (*draft.lasting.pins, record)[-MOST_RECORDS:]
    draft.emit(WrongPin, person=person, failures=record.failures, locked_out=locked, user=user)
    draft.refuse(WrongPinRefused(locked_out=locked))
    if user:
        _look_for_guessing(draft, user)


def _look_for_guessing(draft: Draft, user: str) -> None:
    tries = (*draft.lasting.wrong_tries, WrongTry(user=user, at_ns=draft.now))[-GUESSING_TRIES:]
    draft.lasting.wrong_tries = tries
    if guessing(draft.state, draft.now):
        draft.alert(AlertKind.PIN_GUESSING, PinsGuessed(tries=len(tries), users=_once_each(tries)))


def _once_each(tries: tuple[WrongTry, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.user for each in tries))


def _pause(procedure: Procedure, record: PinRecord) -> int:
    """How long a pause lasts after so many wrong PINs, in nanoseconds."""
    first = procedure.locked_out_for
    if not record.user:
        return int(first * SECOND)
    doubled = first * 2.0 ** min(record.failures - procedure.wrong_pins, 32)
    return int(min(max(doubled, first), max(LONGEST_PAUSE, first)) * SECOND)


def _holds(record: PinRecord, draft: Draft) -> bool:
    return record.locked_until_ns is not None and draft.now < record.locked_until_ns


def _forget(draft: Draft, user: str, person: str) -> None:
    draft.lasting.pins = tuple(each for each in draft.lasting.pins if (each.user, each.person) != (user, person))
