"""What a shoe holds and what has come out of it: the inventory at its end, and what proves that a shoe is bad.

Whatever has left the shoe is in `cards_out`, whether it was dealt, burned, set aside, entered by hand or never read;
`copies` counts those whose face is known. Of a foreign card the decks hold none: it leaves one more behind.
"""

from collections.abc import Iterator, Sequence

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import AnyAlertEnd
from shoe_controller.messages.details import ProvenBad, ShoeProof
from shoe_controller.messages.facts import Inventory
from shoe_controller.messages.phases import Phase
from shoe_controller.table.draft import Draft
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.state import Round, Shoe

CARDS_IN_DECK = len(CARDS_BY_NUMBER)

KEEPS_INVENTORY = 3
"""The first `REVISION` in which the end of a shoe says where its cards are, and a bad shoe is not dealt on."""


def inventory_of(shoe: Shoe) -> Inventory | None:
    """Where the cards are; nothing for a shoe whose facts an earlier version decided."""
    if shoe.revision < KEEPS_INVENTORY:
        return None
    return Inventory(
        decks=shoe.decks,
        known={CARDS_BY_NUMBER[number]: copies for number, copies in enumerate(shoe.copies) if copies},
        unseen=unseen(shoe),
        foreign=shoe.foreign,
        remainder=remainder_of(shoe),
        uncertain=shoe.uncertain,
    )


def with_unseen(inventory: Inventory, cards: int) -> Inventory:
    """The inventory when so many more cards have come, and nobody knows which."""
    return msgspec.structs.replace(inventory, unseen=inventory.unseen + cards, remainder=inventory.remainder - cards)


def unseen(shoe: Shoe) -> int:
    """Cards that came and whose face is not known."""
    return shoe.cards_out - sum(shoe.copies)


def remainder_of(shoe: Shoe) -> int:
    """Cards that must still be in the shoe."""
    return CARDS_IN_DECK * shoe.decks + shoe.foreign - shoe.cards_out


# --- a bad shoe ------------------------------------------------------------------------------------------------------


def is_bad(shoe: Shoe, playing: Round | None = None) -> bool:
    """Whether something came out that its decks cannot hold: nothing more is bet or settled with these cards.

    A round goes on where just the cards were discarded from it that prove so, or where it was settled before they came;
    it is the last.
    """
    return any(_proofs(shoe, () if playing is None else playing.proven))


def _proofs(shoe: Shoe, discarded: Sequence[ShoeProof]) -> Iterator[ShoeProof]:
    """What is proven by more cards than those that were discarded."""
    if shoe.revision < KEEPS_INVENTORY:
        return
    yield from (proof for proof, proving in _proving(shoe).items() if proving > discarded.count(proof))


def all_proofs(shoe: Shoe) -> tuple[ShoeProof, ...]:
    """What is proven of a shoe, once for each card that proves it."""
    if shoe.revision < KEEPS_INVENTORY:
        return ()
    return tuple(proof for proof, proving in _proving(shoe).items() for _ in range(proving))


def _proving(shoe: Shoe) -> dict[ShoeProof, int]:
    """How many cards prove what."""
    return {
        ShoeProof.TOO_MANY_COPIES: sum(max(0, copies - shoe.decks) for copies in shoe.copies),
        ShoeProof.CARD_TWICE: shoe.pieces_twice,
        ShoeProof.FOREIGN_CARD: shoe.foreign,
        ShoeProof.TOO_MANY_CARDS: max(0, shoe.cards_out - CARDS_IN_DECK * shoe.decks),
    }


def judge_shoe(draft: Draft, ended_by: AnyAlertEnd) -> None:
    """Raise what is proven of the shoe on the table; end what is proven no longer, as a corrected card may do."""
    shoe = draft.state.shoe
    in_play = shoe is not None and draft.phase is not Phase.ENDED
    discarded = draft.round.proven if draft.phase in CARDS_OUT else ()
    proofs = tuple(_proofs(draft.shoe, discarded)) if in_play else ()
    for alert in draft.lasting.alerts:
        if alert.kind is AlertKind.BAD_SHOE and alert.fault not in proofs:
            draft.end_alert(alert, ended_by)
    for proof in proofs:
        draft.alert(AlertKind.BAD_SHOE, ProvenBad(proof=proof), fault=proof)
