"""Facts about the shoe, its inventory and its link."""

from shoe_controller.archive.derived.rows import Replaced, Rows, Sweep, as_json, as_text, head, line_head, when
from shoe_controller.archive.derived.tables import CARD, LINK, ROUND, SHOE
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.messages.actors import AnyActor, Person
from shoe_controller.messages.causes import EndedEarly
from shoe_controller.messages.facts import (
    CardBurned,
    CardCounted,
    CutCardOut,
    HandEntryChanged,
    RemainderCounted,
    RunOutBegun,
    ShoeEnded,
    ShoeExchanged,
    ShoeLinkChanged,
    ShoeOpened,
)


def actor_text(actor: AnyActor) -> str | None:
    """A person by the id, anything else by its code."""
    return as_text(actor.person) if isinstance(actor, Person) else actor.code


def about_shoe(event: ArchivedEvent, rows: Rows, /, **values: object) -> None:
    if event.shoe:
        rows.patch(SHOE, (event.journal_id, event.shoe), site=event.site, table_name=event.table, **values)


def opened(event: ArchivedEvent, fact: ShoeOpened, rows: Rows) -> None:
    rules = fact.rules
    prices: dict[str, object] = {}
    if rules is not None:
        prices = {
            "game": as_text(rules.base_game),
            "currency": as_text(rules.currency),
            "decimals": rules.decimals,
            "commission_rate": as_text(rules.commission),
            "commission_taken": rules.commission_taken.value,
            "rules_hash": as_text(rules.rules_hash),
            "rules": as_json(rules),
        }
    about_shoe(
        event,
        rows,
        opened_at=when(event.at_ms),
        opened_seq=event.seq,
        opened_by=actor_text(fact.opened_by),
        decks=fact.decks,
        card_sets=as_json(fact.card_sets),
        **prices,
    )


def burned(event: ArchivedEvent, fact: CardBurned, rows: Rows) -> None:
    face = None if fact.card is None else fact.card.value
    is_first = fact.burned == 0 or face is not None
    if is_first:
        about_shoe(event, rows, first_card=face)
    else:
        about_shoe(event, rows, burned=fact.burned)
    if fact.replaces is not None:
        having = {"seq": fact.replaces}
        rows.replaced.append(Replaced(CARD, event.journal_id, event.shoe, 0, event.seq, having))
    rows.add(
        CARD,
        line_head(event, 1),
        place="first" if is_first else "burned",
        number=None if is_first else fact.burned,
        face=face,
        entered_by=as_text(fact.entered_by),
        carried=False,
        fact=event.fact,
    )


def cut_card(event: ArchivedEvent, fact: CutCardOut, rows: Rows) -> None:
    about_shoe(event, rows, cut_card_at=when(event.at_ms), last_round=fact.last_round)


def ended(event: ArchivedEvent, fact: ShoeEnded, rows: Rows) -> None:
    about_shoe(
        event,
        rows,
        ended_at=when(event.at_ms),
        ended_seq=event.seq,
        ended_why=fact.cause.code,
        ended_reason=as_text(fact.cause.reason) if isinstance(fact.cause, EndedEarly) else None,
        cards_out=fact.cards_out,
        inventory=as_json(fact.inventory),
        commission_due=as_json(fact.commission_due),
    )
    of_shoe = {"journal_id": event.journal_id, "shoe": event.shoe, "state": "open"}
    rows.sweeps.append(Sweep(ROUND, of_shoe, {"state": "not_dealt"}))


def run_out(event: ArchivedEvent, fact: RunOutBegun, rows: Rows) -> None:
    about_shoe(event, rows, remainder_expected=fact.expected)


def counted(event: ArchivedEvent, fact: CardCounted, rows: Rows) -> None:
    face = None if fact.card is None else fact.card.value
    rows.add(CARD, line_head(event, 1), place="counted", number=fact.counted, face=face, carried=False, fact=event.fact)


def remainder(event: ArchivedEvent, fact: RemainderCounted, rows: Rows) -> None:
    about_shoe(
        event,
        rows,
        remainder_expected=fact.expected,
        remainder_found=fact.found,
        remainder_fits=fact.fits,
        remainder_faces=as_json(fact.faces),
    )


def link_changed(event: ArchivedEvent, fact: ShoeLinkChanged, rows: Rows) -> None:
    rows.add(
        LINK,
        head(event),
        what="connected" if fact.up else "lost",
        reader=as_text(fact.shoe_name),
        authenticated=fact.authenticated,
        keeps_events=fact.keeps_events,
        cause=None if fact.cause is None else fact.cause.code,
    )


def exchanged(event: ArchivedEvent, fact: ShoeExchanged, rows: Rows) -> None:
    about_shoe(event, rows, exchanges=1)
    rows.add(LINK, head(event), what="exchanged", wire=as_text(fact.wire), port=as_text(fact.port))


def hand_entry(event: ArchivedEvent, fact: HandEntryChanged, rows: Rows) -> None:
    what = "hand_entry_begun" if fact.hand_entry else "hand_entry_ended"
    rows.add(LINK, head(event), what=what)
