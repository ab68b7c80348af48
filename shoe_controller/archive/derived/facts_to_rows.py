"""What every fact means for the tables. Pure: the rows of an event follow from that event alone."""

from collections.abc import Callable
from typing import Any

import msgspec

from shoe_controller.archive.derived import card_rows, people_rows, result_rows, round_rows, shoe_rows
from shoe_controller.archive.derived.rows import Rows, as_text, head
from shoe_controller.archive.derived.tables import NOT_DERIVED
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.messages import facts
from shoe_controller.messages.facts import AnyFact, Fact

Taking = Callable[[ArchivedEvent, Any, Rows], None]

TAKING: dict[type[Fact], Taking] = {
    facts.ShoeOpened: shoe_rows.opened,
    facts.CardBurned: shoe_rows.burned,
    facts.CutCardOut: shoe_rows.cut_card,
    facts.ShoeEnded: shoe_rows.ended,
    facts.RunOutBegun: shoe_rows.run_out,
    facts.CardCounted: shoe_rows.counted,
    facts.RemainderCounted: shoe_rows.remainder,
    facts.ShoeLinkChanged: shoe_rows.link_changed,
    facts.ShoeExchanged: shoe_rows.exchanged,
    facts.HandEntryChanged: shoe_rows.hand_entry,
    facts.BettingOpened: round_rows.opened,
    facts.FreeHandAnnounced: round_rows.free_hand,
    facts.WagersChanged: round_rows.changed,
    facts.BettingClosed: round_rows.closed,
    facts.WagersCorrected: round_rows.corrected,
    facts.WagersReturned: round_rows.returned,
    facts.RoundVoided: round_rows.voided,
    facts.CardDealt: card_rows.dealt,
    facts.CardsShown: card_rows.shown,
    facts.CardCorrected: card_rows.corrected,
    facts.CardsAssigned: card_rows.assigned,
    facts.CardDiscarded: card_rows.discarded,
    facts.CardSetAside: card_rows.set_aside,
    facts.ExtraCardDecided: card_rows.decided,
    facts.RoundResult: result_rows.result,
    facts.ResultUndone: result_rows.undone,
    facts.RoundSettled: result_rows.settled,
    facts.SettlementUndone: result_rows.settlement_undone,
    facts.RoundAmended: result_rows.amended,
    facts.CommissionCollected: result_rows.commission,
    facts.CommissionWaived: result_rows.commission,
    facts.AlertRaised: people_rows.raised,
    facts.AlertEnded: people_rows.ended,
    facts.PersonActed: people_rows.acted,
    facts.ActProposed: people_rows.proposed,
    facts.ProposalEnded: people_rows.proposal_ended,
    facts.DealerChanged: people_rows.dealer_changed,
    facts.WrongPin: people_rows.wrong_pin,
    facts.NoteMade: people_rows.note,
    facts.DisputeOpened: people_rows.dispute,
    facts.DisputeClosed: people_rows.dispute,
    facts.PaymentAdjusted: people_rows.adjusted,
}

WITHOUT_ROWS: frozenset[type[Fact]] = frozenset({facts.EnteredCardConfirmed, facts.CheckpointSigned})
"""The first changes nothing that a person had entered, the second is about the journal."""

_NAMES = {str(kind.__struct_config__.tag) for kind in (*TAKING, *WITHOUT_ROWS)}

_decode = msgspec.json.Decoder(AnyFact).decode

_LARGEST = 2**63 - 1


def rows_of(event: ArchivedEvent) -> Rows:
    """Return the rows of one event; none of a fact that this version does not know.

    A known fact that cannot be read, as with a code of a later version, is a row of `not_derived`, with the reason.
    """
    rows = Rows()
    if event.fact not in _NAMES:
        return rows
    try:
        fact = _decode(event.payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return _not_derived(event, str(error))
    take = TAKING.get(type(fact))
    if take is not None:
        take(event, fact, rows)
    if _is_too_large(rows):
        return _not_derived(event, "a number is larger than a column holds")
    return rows


def _is_too_large(rows: Rows) -> bool:
    """Whether some number fits no column: it would stop the whole archive."""
    for values in rows.values():
        for value in values:
            if type(value) is int and not -_LARGEST <= value <= _LARGEST:
                return True
    return False


def _not_derived(event: ArchivedEvent, why: str) -> Rows:
    rows = Rows()
    rows.add(NOT_DERIVED, head(event), fact=event.fact, why=as_text(why))
    return rows
