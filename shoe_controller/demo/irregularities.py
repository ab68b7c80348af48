"""What people at the table get wrong, or have to put right, and what shows that it was put right.

A row here and a script of the same name in `irregular_scripts.py` are all that there is to one; the fault book, the
screen, the report and the choice by name take them as they take the shoe's faults (`faults.py`).
"""

from typing import NamedTuple


class Irregularity(NamedTuple):
    name: str
    what: str
    put_right_by: frozenset[str]
    """Facts, alerts and acts, all of which there are when it was put right."""
    wires: tuple[str, ...]
    games: tuple[str, ...]

    def was_noticed(self, names: frozenset[str]) -> bool:
        """Whether these facts, alerts and acts show that it was put right."""
        return self.put_right_by <= names


def _row(
    name: str,
    what: str,
    put_right_by: str,
    *,
    wires: str = "native angel_eye lines",
    games: str = "nepal commission no_commission",
) -> Irregularity:
    return Irregularity(name, what, frozenset(put_right_by.split()), tuple(wires.split()), tuple(games.split()))


_ALL = (
    _row("wager_entered_wrongly", "after the close it is seen that a stake was entered wrongly", "wagers_corrected"),
    _row(
        "wager_at_wrong_seat",
        "with cards on the table it is seen that a wager was placed for the wrong seat",
        "act_proposed wagers_corrected",
    ),
    _row(
        "late_wager",
        "a player bets when the first card has left the shoe; the wager is returned",
        "late_wager wagers_corrected",
        # The other wire does not say how old a card is.
        wires="native",
    ),
    _row("round_amended", "an earlier round was settled with a wrong stake", "act_proposed round_amended"),
    _row(
        "dispute",
        "a player disputes what was paid by hand; the payment is put right",
        "dispute_opened act_proposed payment_adjusted dispute_closed",
    ),
    _row(
        "commission_collected",
        "a player leaves who owes commission",
        "commission_collected",
        games="commission",
    ),
    _row(
        "commission_waived",
        "a player is gone who owes commission",
        "act_proposed commission_waived",
        games="commission",
    ),
    _row("noted", "something worth knowing happens at a seat", "note_made"),
    _row("new_dealer", "another dealer takes over, and burns a card", "dealer_changed card_burned"),
    _row(
        "burn_forgotten",
        "another dealer takes over, and forgets to burn a card",
        "dealer_changed burn_due",
        # Where a shoe cannot tell a burned card from a dealt one, the table takes the first card for the burned one.
        wires="native angel_eye",
    ),
    _row(
        "replay_with_other_wagers",
        "a round is misdealt and dealt again; a player changes a wager before it",
        "void_and_replay wagers_changed",
    ),
    _row("damaged_card", "a card is damaged; the next one takes its place", "card_discarded round_result"),
    _row(
        "extra_card_was_due",
        "a card is named wrongly, and the next seems one too many; corrected, that one takes its place",
        "over_draw act_proposed card_corrected cards_assigned",
    ),
    _row("card_unseen", "a card leaves the shoe while its cable is out, and is entered", "enter_card card_dealt"),
    _row(
        "dealt_by_hand",
        "the shoe's reader is dead: a round is dealt by hand",
        "begin_hand_entry deal_card round_result end_hand_entry",
    ),
    _row("shoe_exchanged", "the shoe fails between two rounds: another takes its place", "shoe_exchanged shoe_link"),
    _row(
        "new_shoe_too_early",
        "the dealer presses the shoe's button for new cards, and the same cards are in",
        "shoe_change_unconfirmed card_burned",
        # A reader has no buttons.
        wires="native angel_eye",
    ),
    _row(
        "remainder_counted",
        "the shoe is ended early, and one card too few is counted of what is left; it is counted again",
        "shoe_ended remainder_differs remainder_counted shoe_opened",
    ),
    _row(
        "first_card_corrected",
        "the first card of a new shoe is named wrongly, and put right while cards are burned",
        "shoe_opened correct_card card_burned",
    ),
    _row(
        "remainder_run_out",
        "the shoe is ended early, and what is left of it is drawn through its reader",
        "run_out_begun card_counted remainder_counted shoe_opened",
        # Some hundred cards take minutes on the other wire, which sends each three times.
        wires="native",
    ),
)

IRREGULARITIES = {row.name: row for row in _ALL}


def irregularities_at(wire: str, game: str) -> tuple[str, ...]:
    """All that can happen with this wire and game, in the order in which they are shown."""
    return tuple(row.name for row in _ALL if wire in row.wires and game in row.games)
