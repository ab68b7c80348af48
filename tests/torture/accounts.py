"""The three accounts of what happened at a table, and whether they agree: truth, journal, and what a subscriber has.

The truth is the emulator's: every card that physically left the shoe. The journal is read from its file as an auditor
would. What a subscriber has are the events as they reached it, by their number. Each check is an AssertionError that
says what differs.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.events import AnyShoeEvent, CardDrawn, Hand
from shoe_controller.daemon.assembly import SOFTWARE
from shoe_controller.daemon.table_journal import published_fact, read_fact, read_input, replay
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, StoredEvent
from shoe_controller.journal.verify import verify
from shoe_controller.messages.facts import (
    AlertRaised,
    AnyFact,
    CardBurned,
    CardDealt,
    CardSetAside,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    WagersChanged,
    WagersReturned,
)
from shoe_controller.mqtt.envelope import Envelopes
from shoe_controller.table.inputs import AnyInput, NewShoe, ShoeReport
from simulator.truth import AnyHappening, CardOut, RoundEnded
from tests.simulator.agreement import LaidCard, cards_of_events, cards_of_truth, same_card

OUTCOME = "event/outcome"

Events = Mapping[int, tuple[str, bytes]]
"""Topic, as `event/card`, and payload of every event, by its number."""


class Journal(NamedTuple):
    """Everything in a journal's file."""

    inputs: list[AnyInput]
    facts: list[AnyFact]
    events: dict[int, tuple[str, bytes]]
    """As they are published."""

    @property
    def shoe_events(self) -> list[AnyShoeEvent]:
        """What the shoe said, in order."""
        return [event for given in self.inputs for event in _events_in(given)]

    def alerts(self) -> set[str]:
        """Every kind that was ever raised."""
        return {fact.kind for fact in self.facts if isinstance(fact, AlertRaised)}


def _events_in(given: AnyInput) -> Iterator[AnyShoeEvent]:
    report = given.cause if isinstance(given, NewShoe) else given
    if isinstance(report, ShoeReport):
        yield report.event


def read_journal(path: Path) -> Journal:
    with JournalReader(path) as reader:
        steps = list(reader.steps(reader.oldest()))
        events: dict[int, tuple[str, bytes]] = {}
        envelopes = Envelopes(reader.identity.journal_id)
        while more := reader.events(len(events), 1000):
            events |= {stored.seq: _as_published(stored, envelopes) for stored in more}
    return Journal(
        inputs=[read_input(step.input.input) for step in steps],
        facts=[read_fact(fact) for step in steps for fact in step.events],
        events=events,
    )


def _as_published(stored: StoredEvent, envelopes: Envelopes) -> tuple[str, bytes]:
    fact = published_fact(stored)
    _, topic, payload = envelopes.message(
        seq=stored.seq, topic=fact.topic, shoe=fact.shoe, round_number=fact.round, head=stored.head, body=fact.body
    )
    return topic, payload


# --- journal and subscriber ------------------------------------------------------------------------------------------


def assert_sound(path: Path, has: Events) -> Journal:
    """The journal is whole, replays to the same facts, and is what the subscriber has; the journal, for more checks."""
    heads = [_head_in(payload) for topic, payload in has.values() if topic == OUTCOME]
    report = verify(path, replay=replay, software=SOFTWARE, heads=heads, progress=lambda _done, _all: None)
    assert report.good, f"the journal does not verify: {report.problems}"
    assert not report.not_replayed, f"some of the journal could not be replayed: {report.not_replayed}"
    journal = read_journal(path)
    assert_subscriber_has_all(journal, has)
    return journal


def _head_in(payload: bytes) -> Head:
    number, _, digest = str(msgspec.json.decode(payload)["head"]).partition(":")
    return Head(number=int(number), hash=bytes.fromhex(digest))


def assert_subscriber_has_all(journal: Journal, has: Events) -> None:
    assert list(journal.events) == list(range(1, len(journal.events) + 1)), "the numbers in the journal have a gap"
    assert sorted(has) == sorted(journal.events), (
        f"the journal's last event is {max(journal.events, default=0)}, the subscriber's {max(has, default=0)}; "
        f"missing: {sorted(set(journal.events) - set(has))[:9]}, unknown: {sorted(set(has) - set(journal.events))[:9]}"
    )
    for seq, event in journal.events.items():
        assert has[seq] == event, f"event {seq} is {event} in the journal, and the subscriber has {has[seq]}"


# --- truth and journal -----------------------------------------------------------------------------------------------


def assert_same_cards(truth: Sequence[AnyHappening], journal: Journal, *, so_far: bool = False) -> None:
    """Each card that left the shoe is in the journal once, in order, as what the shoe said and as what the table did.

    With `so_far`, the newest cards may still be under way.
    """
    true, heard = cards_of_truth(truth), cards_of_events(journal.shoe_events)
    assert len(heard) <= len(true), f"{len(heard) - len(true)} cards more in the journal than left the shoe"
    assert so_far or len(heard) == len(true), f"{len(true) - len(heard)} of {len(true)} cards are not in the journal"
    for number, (happened, stored) in enumerate(zip(true, heard, strict=False), 1):
        assert same_card(happened, stored), f"card {number}: {stored} is in the journal, {happened} happened"
    _assert_each_card_told_once(truth, journal, len(heard))


def _assert_each_card_told_once(truth: Sequence[AnyHappening], journal: Journal, heard: int) -> None:
    told = [fact for fact in journal.facts if isinstance(fact, CardDealt | CardBurned | CardSetAside)]
    out = [happening for happening in truth if isinstance(happening, CardOut)]
    assert len(told) == heard, f"{heard} cards came from the shoe, and the table told of {len(told)}"
    for happened, fact in zip(out, told, strict=False):
        fits = isinstance(fact, CardSetAside) or (
            fact.place.hand.value == happened.to.value and fact.place.card in (None, happened.card)
            if isinstance(fact, CardDealt)
            else happened.to is Hand.BURN and fact.card in (None, happened.card)
        )
        assert fits, f"card {happened.number}: {happened} happened, and the table told {fact}"


def assert_nothing_guessed(truth: Sequence[AnyHappening], journal: Journal) -> None:
    """Where the wire loses cards: each card in the journal is one that the shoe told of, and it left, in that order.

    Faces that the shoe tells later are held against the truth with the results: which card they belong to cannot be
    said where the end of a round is lost.
    """
    true = iter(cards_of_truth(truth))
    drawn = [event for event in journal.shoe_events if isinstance(event, CardDrawn) and not event.carried_over]
    for event in drawn:
        heard = LaidCard(event.hand, event.position, event.card)
        assert any(same_card(happened, heard) for happened in true), f"{heard} never happened, or not in this order"
    told = [fact for fact in journal.facts if isinstance(fact, CardDealt | CardBurned | CardSetAside)]
    assert len(told) == len(drawn), f"{len(drawn)} cards came from the shoe, and the table told of {len(told)}"


def assert_same_results(truth: Sequence[AnyHappening], journal: Journal) -> None:
    """The results that stand are those of rounds that were dealt to their end, in order, none of them twice."""
    ended = iter([happening for happening in truth if isinstance(happening, RoundEnded) and happening.winner])
    for fact in journal.facts:
        if isinstance(fact, RoundResult):
            cards = fact.outcome.player.cards, fact.outcome.banker.cards
            found = any((happened.player, happened.banker) == cards for happened in ended)
            assert found, f"shoe {fact.shoe}, round {fact.round}: {cards} was never dealt, or is told twice"


# --- wagers ----------------------------------------------------------------------------------------------------------


def assert_wagers_end_once(journal: Journal) -> int:
    """What stood when a round ended was settled, or returned, once; how many wagers that were."""
    standing: dict[str, tuple[tuple[str, str, int], ...]] = {}
    ends: Counter[tuple[int, int]] = Counter()
    wagers = 0
    for fact in journal.facts:
        where = f"shoe {fact.shoe}, round {fact.round}"
        match fact:
            case WagersChanged():
                standing[fact.seat] = tuple((wager.seat, wager.wager, wager.stake) for wager in fact.wagers)
            case WagersReturned():
                for wager in fact.returned:
                    left = tuple(one for one in standing.get(wager.seat, ()) if one[1] != wager.wager)
                    assert len(left) < len(standing.get(wager.seat, ())), f"{where}: {wager} did not stand"
                    standing[wager.seat] = left
            case RoundVoided(replay=False):
                _assert_same_wagers(where, standing, [(one.seat, one.wager, one.stake) for one in fact.returned])
                standing = {}
            case RoundSettled():
                ends[fact.shoe, fact.round] += 1
                settled = [(one.seat, one.wager, one.stake) for one in fact.settlement.wagers]
                _assert_same_wagers(where, standing, settled)
                wagers += len(settled)
                standing = {}
            case SettlementUndone():
                ends[fact.shoe, fact.round] -= 1
            case _:
                pass
    twice = [where for where, times in ends.items() if times > 1]
    assert not twice, f"settled twice: (shoe, round) {twice}"
    return wagers


def _assert_same_wagers(
    where: str, standing: Mapping[str, tuple[tuple[str, str, int], ...]], ended: Sequence[tuple[str, str, int]]
) -> None:
    stood = sorted(wager for seat in standing.values() for wager in seat)
    assert stood == sorted(ended), f"{where}: {stood} stood, and {sorted(ended)} came to an end"


def assert_each_request_done_once(journal: Journal, accepted: Sequence[int], unanswered: Sequence[int]) -> None:
    """Every request asks for a total of its own: an accepted one is there once, another at most once if at all."""
    done = Counter(fact.total for fact in journal.facts if isinstance(fact, WagersChanged) and fact.total)
    for total in accepted:
        assert done.pop(total, 0) == 1, f"the accepted wagers of {total} in all are not there exactly once"
    for total in unanswered:
        assert done.pop(total, 0) <= 1, f"the wagers of {total} in all are there twice"
    assert not done, f"wagers that nobody asked for, or that were refused: {dict(done)}"
