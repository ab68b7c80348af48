"""Bugs put in on purpose, one at a time. Each must be found by the simulation within `SEEDS` seeds.

`python -m tests.simulation --mutations` tries them all. They replace parts of the daemon in this process only, and put
them back.
"""

import asyncio
import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from firmware_protocol.cards import Card
from firmware_protocol.events import Fault, FaultCode, Misread
from firmware_protocol.native.progress import Progress
from firmware_protocol.native.recent import RecentEvents
from shoe_controller.daemon import daemon, rollback
from shoe_controller.daemon.checkpointing import Checkpointing
from shoe_controller.daemon.engine import RETRY_STORING, Engine, Stored
from shoe_controller.daemon.pin_office import PeoplesPins
from shoe_controller.daemon.rollback import HeadNotes
from shoe_controller.daemon.table_journal import events_of
from shoe_controller.journal.errors import FileError
from shoe_controller.journal.key_folder import KeyFolder
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, Receipt
from shoe_controller.messages.causes import CorrectionCause
from shoe_controller.messages.facts import CardBurned, Inventory
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.publisher import Publisher
from shoe_controller.table import (
    betting,
    dealing,
    duty,
    entered_cards,
    finishing,
    inventory,
    link_events,
    opening,
    people,
    shoe_events,
)
from shoe_controller.table import table as table_module
from shoe_controller.table.acts import alerts as alert_acts
from shoe_controller.table.acts import amendments
from shoe_controller.table.acts import assigning as assigning_acts
from shoe_controller.table.acts import cards as card_acts
from shoe_controller.table.acts import commission as commission_acts
from shoe_controller.table.acts import people as acts_of_people
from shoe_controller.table.acts import rounds as round_acts
from shoe_controller.table.acts import shoe as shoe_acts
from shoe_controller.table.acts import wagers as wager_acts
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import NewShoeLine, PinVerdict
from shoe_controller.table.state import Shoe
from tests.simulation.seeds import plan_of
from tests.simulation.shrink import breaks

SEEDS = 1000
"""Within so many seeds each bug must be found."""

SEEDS_THAT_FIND = Path(__file__).with_name("found_by.json")
"""The first seed that finds each of them, for `make test`."""

Part = Any
"""A part of the daemon that is replaced, and what it is given: its types are those of what was there."""


class Mutation(NamedTuple):
    name: str
    what: str
    owner: object
    attribute: str
    replacement: Callable[[Any], Any]
    """Makes the bug from what was there."""


@contextmanager
def put_in(mutation: Mutation) -> Iterator[None]:
    original = getattr(mutation.owner, mutation.attribute)
    setattr(mutation.owner, mutation.attribute, mutation.replacement(original))
    try:
        yield
    finally:
        setattr(mutation.owner, mutation.attribute, original)


def found_at(mutation: Mutation, seeds: Iterable[int]) -> tuple[int, str] | None:
    """The first seed that finds the bug, and what it found."""
    with put_in(mutation):
        for seed in seeds:
            broken = breaks(plan_of(seed))
            if broken:
                return seed, broken
    return None


# --- the bugs ---------------------------------------------------------------------------------------------------------


def _acknowledge_first(original: Part) -> Part:
    async def store(self: Part, given: Part, handled: Part, work: Part) -> Stored:
        if work.delivery is not None:
            self.link.committed(work.delivery, self._seconds())
            self._send(keep=False)
        stored: Stored = await original(self, given, handled, work)
        return stored

    return store


def _publish_first(original: Part) -> Part:
    async def store(self: Part, given: Part, handled: Part, work: Part) -> Stored:
        publisher = self._observer.publisher
        outbox = self._observer._outbox  # noqa: SLF001 - a bug reaches wherever it likes
        last, head = outbox.last_seq, Head(number=0, hash=b"")
        too_early = Receipt(head=head, seqs=range(0), heads=(head,) * len(handled.facts))
        if handled.facts:
            publisher.offer(outbox.just_stored(Stored(given, handled.facts, events_of(handled), too_early)))
            outbox.last_seq = last
        stored: Stored = await original(self, given, handled, work)
        return stored

    return store


def _take_over_first(original: Part) -> Part:
    async def store(self: Part, given: Part, handled: Part, work: Part) -> Stored:
        self.table.take_over(handled)
        self._observer.publisher.touch()
        stored: Stored = await original(self, given, handled, work)
        return stored

    return store


def _give_up_when_full(original: Part) -> Part:
    async def store(self: Part, given: Part, handled: Part, work: Part) -> Stored:
        submit = self._journal.submit

        class Once:
            async def submit(self, entry: Part) -> Receipt:
                try:
                    receipt: Receipt = await submit(entry)
                except FileError:
                    empty = msgspec.structs.replace(entry, input=None, events=(), raw=(), link_state=None)
                    while True:
                        try:
                            await submit(empty)
                        except FileError:
                            await asyncio.sleep(RETRY_STORING)
                        else:
                            break
                    first = handled.facts[0].seq if handled.facts else 1
                    head, facts = Head(number=0, hash=b""), len(handled.facts)
                    return Receipt(head=head, seqs=range(first, first + facts), heads=(head,) * facts)
                return receipt

        before, self._journal = self._journal, Once()
        try:
            stored: Stored = await original(self, given, handled, work)
        finally:
            self._journal = before
        return stored

    return store


def _nothing(_original: Part) -> Part:
    return lambda *_, **__: None


def _forget_link(original: Part) -> Part:
    return lambda config, _state, *rest, **named: original(config, None, *rest, **named)


def _skip_an_event(original: Part) -> Part:
    def after(self: Part, sent: int, room: int) -> Part:
        return [message for message in original(self, sent, room) if message.seq % 23]

    return after


def _believe_misread(original: Part) -> Part:
    def arrived_from(event: Part, age_ms: int) -> Part:
        arrived = original(event, age_ms)
        if isinstance(event, Misread):
            return msgspec.structs.replace(arrived, card=Card.TWO_OF_CLUBS, problems=())
        return arrived

    return arrived_from


def _any_hand_will_do(original: Part) -> Part:
    def arrived_from(event: Part, age_ms: int) -> Part:
        arrived = original(event, age_ms)
        in_hand = arrived.hand in dealing.SIDES
        return msgspec.structs.replace(arrived, hand=None, position=None) if in_hand else arrived

    return arrived_from


def _leave_out_a_wager(original: Part) -> Part:
    return lambda house, facts, wagers: original(house, facts, wagers[:-1] or wagers)


def _pay_the_loser(original: Part) -> Part:
    def settle(house: Part, facts: Part, wagers: Part) -> Part:
        if facts.player_cards == facts.banker_cards == 2:
            facts = facts._replace(player_total=facts.banker_total, banker_total=facts.player_total)
        return original(house, facts, wagers)

    return settle


def _any_pin(_original: Part) -> Part:
    async def verdict(_self: Part, _person: str, _pin: str, _role: Part) -> PinVerdict:
        return PinVerdict.RIGHT

    return verdict


def _lose_an_input(original: Part) -> Part:
    def current_shoe(self: Part) -> Part:
        steps = list(original(self))
        return iter(steps[:-1] if len(steps) > 1 else steps)

    return current_shoe


def _forget_wagers(original: Part) -> Part:
    def void_and_replay(draft: Part, why: str) -> None:
        original(draft, why)
        draft.round.wagers = ()

    return void_and_replay


def _keep_the_face(original: Part) -> Part:
    def correct(draft: Part, number: int, card: Part, person: str) -> None:
        cards = draft.round.cards
        original(draft, number, card, person)
        draft.round.cards = cards

    return correct


def _forget_a_checkpoint(original: Part) -> Part:
    def publish(self: Part, body: bytes) -> None:
        if msgspec.json.decode(body)["index"] % 3:
            original(self, body)

    return publish


def _deaf_to(code: FaultCode) -> Callable[[Part], Part]:
    def bug(original: Part) -> Part:
        def fault(draft: Part, event: Fault) -> None:
            if event.code is not code:
                original(draft, event)

        return fault

    return bug


def _any_token(_original: Part) -> Part:
    return lambda lasting, given: msgspec.structs.replace(given, person=lasting.dealer_id or given.person)


def _keep_the_first_dealer(original: Part) -> Part:
    def begin_duty(draft: Part, person: str, token_digest: str) -> None:
        if draft.lasting.dealer is None:
            original(draft, person, token_digest)

    return begin_duty


def _same(_original: Part) -> Part:
    return lambda given: given


def _note_too_much(original: Part) -> Part:
    def note(self: Part, head: Head) -> None:
        original(self, Head(number=head.number + 40, hash=head.hash))

    return note


def _return_all_of_the_seat(_original: Part) -> Part:
    def return_late(draft: Part, seats: set[str]) -> None:
        kept = tuple(wager for wager in draft.round.wagers if wager.seat not in seats)
        betting.correct_wagers(draft, CorrectionCause.LATE, kept)

    return return_late


def _forget_a_seat(original: Part) -> Part:
    return lambda settlement: dict(list(original(settlement).items())[1:])


def _pay_nothing_back(original: Part) -> Part:
    def change_marks(*given: Part) -> dict[str, int]:
        original(*given)
        return {}

    return change_marks


def _keep_the_stake(original: Part) -> Part:
    def correct_wagers(draft: Part, cause: Part, wagers: Part) -> None:
        before = draft.round.wagers
        original(draft, cause, wagers)
        draft.round.wagers = before

    return correct_wagers


def _leave_it_owed(original: Part) -> Part:
    def take_off(draft: Part, seat: str, shoe: int | None, *, paid: bool) -> Part:
        due, marks = draft.lasting.commission_due, draft.shoe.marks
        taken = original(draft, seat, shoe, paid=paid)
        draft.lasting.commission_due, draft.shoe.marks = due, marks
        return taken

    return take_off


def _carry_into_wagers(_original: Part) -> Part:
    """Neither is the card burned before wagers open, nor is the round free."""
    return lambda _state: False


def _lose_the_discarded(original: Part) -> Part:
    def discard(draft: Part, *given: Part) -> None:
        original(draft, *given)
        draft.shoe.cards_out -= 1

    return discard


def _burn_as_before(original: Part) -> Part:
    def correct_first(draft: Part, card: Part, by: Part) -> None:
        before = draft.shoe.burns
        seen = len(draft.facts)
        original(draft, card, by)
        draft.shoe.burns = before
        draft.facts[seen:] = [
            msgspec.structs.replace(fact, to_burn=before) if isinstance(fact, CardBurned) else fact
            for fact in draft.facts[seen:]
        ]

    return correct_first


def _nobody_entered(original: Part) -> Part:
    return lambda draft, _person: original(draft, "")


def _one_less_unseen(real: Callable[..., Any]) -> Callable[..., Any]:
    def inventory_of(shoe: Shoe) -> Inventory | None:
        told: Inventory | None = real(shoe)
        if told is None or not told.unseen:
            return told
        return msgspec.structs.replace(told, unseen=told.unseen - 1, remainder=told.remainder + 1)

    return inventory_of


def _forget_count(real: Callable[..., Any]) -> Callable[..., Any]:
    def shoe_exchanged(draft: Draft, line: NewShoeLine) -> None:
        real(draft, line)
        if draft.state.shoe is not None:
            draft.shoe.cards_out, draft.shoe.copies = 0, tuple(0 for _ in draft.shoe.copies)

    return shoe_exchanged


MUTATIONS = (
    Mutation(
        "acknowledge_first",
        "the shoe's event is acknowledged before the commit",
        Engine,
        "_store",
        _acknowledge_first,
    ),
    Mutation("publish_first", "facts are published before the commit", Engine, "_store", _publish_first),
    Mutation("take_over_first", "the table takes over before the commit", Engine, "_store", _take_over_first),
    Mutation("give_up_when_full", "what a full disk refused is not tried again", Engine, "_store", _give_up_when_full),
    Mutation("repeat_acts_twice", "a repeated request is carried out again", table_module, "answered_before", _nothing),
    Mutation("forget_link", "the link does not get what was stored last", daemon, "link_for", _forget_link),
    Mutation("skip_a_seq", "now and then an event is not published", Publisher, "_after", _skip_an_event),
    Mutation("settle_on_misread", "a misread card counts as a two", shoe_events, "arrived_from", _believe_misread),
    Mutation("any_hand", "a card out of turn goes where one is due", shoe_events, "arrived_from", _any_hand_will_do),
    Mutation("wager_left_out", "the last wager is not settled", finishing, "settle", _leave_out_a_wager),
    Mutation("pay_the_loser", "after four cards the wrong side is paid", finishing, "settle", _pay_the_loser),
    Mutation("any_pin", "every PIN is right", PeoplesPins, "verdict", _any_pin),
    Mutation("bet_any_time", "wagers are taken when they are closed", betting, "why_betting_closed", _nothing),
    Mutation("answer_anywhere", "an answer goes wherever it is wanted", Topics, "is_reply", lambda _: lambda *_a: True),
    Mutation("gap_is_nothing", "missed events raise no alert", link_events, "events_missed", _nothing),
    Mutation(
        "gate_may_be_forced", "a forced gate raises no alert", shoe_events, "_fault", _deaf_to(FaultCode.GATE_FORCED)
    ),
    Mutation("jam_is_nothing", "a jam raises no alert", shoe_events, "_fault", _deaf_to(FaultCode.JAM)),
    Mutation(
        "low_supply_is_nothing", "a low supply raises no alert", shoe_events, "_fault", _deaf_to(FaultCode.LOW_VOLTAGE)
    ),
    Mutation("forget_wagers", "a replayed round forgets its wagers", round_acts, "void_and_replay", _forget_wagers),
    Mutation(
        "keep_the_face", "a corrected card is published and stays as it was", card_acts, "correct", _keep_the_face
    ),
    Mutation(
        "late_returns_all",
        "clearing a late wager returns all of the seat",
        alert_acts,
        "return_late",
        _return_all_of_the_seat,
    ),
    Mutation("amendment_forgets_a_seat", "an amendment forgets a seat", amendments, "paid_by_seat", _forget_a_seat),
    Mutation(
        "marks_stay",
        "an amendment leaves the commission as it was marked",
        amendments,
        "change_marks",
        lambda _: lambda *_a: {},
    ),
    Mutation(
        "nothing_paid_back",
        "commission that was collected is not paid back after an amendment",
        amendments,
        "change_marks",
        _pay_nothing_back,
    ),
    Mutation("keep_the_stake", "a wager put right stays as it was", wager_acts, "correct_wagers", _keep_the_stake),
    Mutation("rounds_netted", "what rounds of an earlier shoe owe is netted", table_module, "leave_marks", _nothing),
    Mutation("due_ends_with_shoe", "commission is over with its shoe", table_module, "leave_due", _nothing),
    Mutation("still_owed", "a seat still owes what it has paid", commission_acts, "take_off", _leave_it_owed),
    Mutation("silent_dispute", "a shoe ends silently while a dispute is open", finishing, "warn_of_disputes", _nothing),
    Mutation("one_is_enough", "one supervisor does what takes two", people, "takes_two", lambda _: lambda *_a: False),
    Mutation(
        "deal_entered_twice",
        "what the shoe reports of entered cards is dealt again",
        shoe_events,
        "about_entered_cards",
        lambda _: lambda *_a: False,
    ),
    Mutation("entered_by_nobody", "no one is named for an entered card", entered_cards, "new_entry", _nobody_entered),
    Mutation(
        "shown_card_carried",
        "a card that everyone has seen begins a round with wagers",
        finishing,
        "carries_shown",
        _carry_into_wagers,
    ),
    Mutation(
        "due_card_stays_extra",
        "after a correction, an extra card that was due stays where it is",
        card_acts,
        "take_due_place",
        _nothing,
    ),
    Mutation(
        "discarded_not_counted", "a discarded card is not counted", assigning_acts, "discard", _lose_the_discarded
    ),
    Mutation(
        "burns_stay", "a corrected first card burns as many as before", card_acts, "correct_first", _burn_as_before
    ),
    Mutation("keep_used_keys", "a key that has signed is not removed", KeyFolder, "_destroy", _nothing),
    Mutation("forget_next_key", "the next key is not stored before it is named", KeyFolder, "_write", _nothing),
    Mutation("skip_a_checkpoint", "a checkpoint is not published", Checkpointing, "_publish", _forget_a_checkpoint),
    Mutation(
        "checkpoint_not_made_good",
        "a checkpoint that a crash kept from being published is forgotten",
        Checkpointing,
        "_is_published",
        lambda _: lambda *_a: True,
    ),
    Mutation("note_too_much", "a head is noted that is not yet on the disk", HeadNotes, "note", _note_too_much),
    Mutation(
        "compare_nothing",
        "the journal is compared with neither the anchor nor the table's messages",
        rollback,
        "contradicts",
        lambda _: lambda *_a: False,
    ),
    Mutation("keep_numbers", "a new journal counts on from the old one's events", rollback, "for_new_journal", _same),
    Mutation("any_token", "the token of a dealer is not compared", people, "in_name_of_dealer", _any_token),
    Mutation("first_dealer", "a sign-in does not end another's", acts_of_people, "begin_duty", _keep_the_first_dealer),
    Mutation(
        "nothing_burned",
        "a new dealer deals without burning, and nothing says so",
        duty,
        "burn_is_due",
        lambda _: lambda _state: False,
    ),
    Mutation(
        "unburned_inventory",
        "the inventory of a shoe leaves out one card that came unseen",
        finishing,
        "inventory_of",
        _one_less_unseen,
    ),
    Mutation(
        "button_ends_shoe",
        "the shoe's button ends a shoe before the cut card",
        table_module,
        "shoe_may_open",
        lambda _: lambda state: state.phase in opening.OPENS_IN,
    ),
    Mutation(
        "bad_shoe_goes_on",
        "a bad shoe is dealt on after a void",
        inventory,
        "_proofs",
        lambda _: lambda *_a: iter(()),
    ),
    Mutation(
        "counted_is_dealt",
        "a card of the remainder is taken for a card after the end",
        shoe_events,
        "counts_remainder",
        lambda _: lambda *_a: False,
    ),
    Mutation("exchange_forgets", "an exchange forgets what came", shoe_acts, "shoe_exchanged", _forget_count),
    Mutation(
        "acknowledge_unstored",
        "a wiped shoe's events are acknowledged by the numbers of stored ones",
        Progress,
        "_must_compare",
        lambda _: lambda *_a, **_k: False,
    ),
    Mutation(
        "came_again_is_new",
        "events that come again are counted once more",
        RecentEvents,
        "comes_again",
        lambda _: lambda *_a: False,
    ),
    Mutation("lose_an_input", "a restart leaves out the last input", JournalReader, "current_shoe", _lose_an_input),
)


def _try(name: str) -> tuple[str, tuple[int, str] | None]:
    mutation = next(each for each in MUTATIONS if each.name == name)
    return name, found_at(mutation, range(SEEDS))


def try_all(console: Console, *, renew: bool) -> bool:
    """Try every one, and print what found it; whether all were found. With `renew`, the seeds are stored."""
    table = Table(title=f"bugs put in on purpose, each with up to {SEEDS} seeds")
    for column in ("bug", "what", "seed", "found because"):
        table.add_column(column)
    whats = {mutation.name: mutation.what for mutation in MUTATIONS}
    seeds: dict[str, int] = {}
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for name, found in pool.imap(_try, whats):
            if found is not None:
                seeds[name] = found[0]
            seed, why = ("", "NOT FOUND") if found is None else (str(found[0]), found[1][:90])
            table.add_row(name, whats[name], seed, why)
            console.print(f"{name}: {f'seed {seed}' if found else why}", markup=False)
    console.print(table)
    if renew:
        SEEDS_THAT_FIND.write_text(json.dumps(seeds, indent=2) + "\n", encoding="utf-8")
    return len(seeds) == len(MUTATIONS)
