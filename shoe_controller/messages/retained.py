"""The retained messages: what a display needs that connects just now.

Amounts are whole minor units of the table's currency; times are milliseconds since 1970.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from firmware_protocol.cards import Card
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.outcome import HandOutcome
from shoe_controller.baccarat.roads import Roads
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import ActName, AnyAct, Role
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.facts import MOST_CARDS, AsideCard, CardPlace, Dispute, DueCommission, Standing
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.prompts import AnyPrompt
from shoe_controller.messages.rules import PublishedRules

MOST_DISPUTES = 10
"""That can be open at once: each has a text, and all of them are in every `state`."""

SCHEMA = 1
"""The version of the messages here; topics have the version of the whole contract, `v1`."""


# --- status and info -------------------------------------------------------------------------------------------------


class StatusMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the controller is online, and how it is. The broker publishes the offline one as the last will.

    It does not go through the journal, so that a full disk can still be reported.
    """

    schema: int = SCHEMA
    """The version of this message."""
    online: bool
    """Whether the controller is connected to the broker."""
    session: int
    """Counts up with every connection to the broker; the will of an older session means nothing."""
    start: str = ""
    """Random, new at each start of the controller. Two that take turns are two controllers of one table."""
    seq: int = 0
    """The last event that it includes; in an offline one, the last when the connection was made or ended."""
    version: str = ""
    """Of the controller's software."""
    journal: str = ""
    """The journal's id. Where it differs from the one before, a new journal was begun, and `seq` counts from 1."""
    head: str = ""
    """Where the journal's chain stood when the last round ended, `NUMBER:HASH`; in a will, at the connect."""
    seal: str = ""
    """A keyed hash of table, `journal` and `head`, by which the table knows its own message; empty without a key."""
    shoe_link: bool = False
    """Whether the shoe is connected; unknown while the controller is offline."""
    authenticated: bool = False
    """Whether the shoe has proven itself with its key; a display shows when it has not."""
    keeps_events: bool = True
    """Whether the shoe sends again what was not stored; a display shows when cards can be lost with the connection."""
    line_frames: int = 0
    """Whole frames from the shoe since the controller opened its line, as counted when the next two last changed."""
    line_damaged: int = 0
    """Pieces on the shoe's line that were no frame: damaged, cut off, or noise. Counted on at most once a minute."""
    line_refused: int = 0
    """Whole frames on the shoe's line that were not believed, as in the alert `line_refused`."""
    storing: bool = True
    """Whether the journal can be written to; if not, the table stands still."""
    publishing: str = ""
    """The broker's answer to the message that it refused last, and its topic; empty while it accepts them."""
    discarded: int = 0
    """Messages since its start that the table discarded: they cannot be read, or have too many properties."""
    alert: AlertMessage | None = None
    """The gravest alert that stands."""


class HeadMessage(msgspec.Struct, frozen=True, kw_only=True):
    """How far the journal had come when the last round ended. Unlike `status` it is replaced by no will."""

    schema: int = SCHEMA
    """The version of this message."""
    journal: str
    """The journal's id."""
    head: str
    """Where the journal's chain stood, `NUMBER:HASH`."""
    seal: str
    """As in `status`."""


class InfoMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What the table offers, and how it is called."""

    schema: int = SCHEMA
    """The version of this message."""
    journal: str
    """The journal's id."""
    seq: int
    """The last event when this was made."""
    version: str
    """Of the controller's software."""
    site: str
    """As in the topic."""
    table: str
    """As in the topic."""
    title: str
    """What the table is called on a display; may be empty."""
    headline: str
    """A line that the house shows on its boards; may be empty."""
    rules: PublishedRules
    """Those of the shoe on the table; without one, those of the next."""
    rules_pending: bool
    """Whether a changed configuration waits for the next shoe."""


class TableListing(msgspec.Struct, frozen=True, kw_only=True):
    """One table of the site. It stays while the controller is away: `status` says whether it is online."""

    schema: int = SCHEMA
    """The version of this message."""
    journal: str
    """The journal's id."""
    site: str
    """The house, as in the topic."""
    table: str
    """Both are parts of the table's topics: `shoe/v1/{site}/{table}/`."""
    title: str
    """What the table is called on a display; may be empty."""
    version: str
    """Of the controller's software."""


# --- state -----------------------------------------------------------------------------------------------------------


class ProposalView(msgspec.Struct, frozen=True, kw_only=True):
    """An act that takes two people, proposed by the first."""

    proposal: int
    """Its number, for `approve` and `withdraw`."""
    act: AnyAct
    """What is proposed."""
    person: str
    """The id of the person who proposed it."""
    reason: str
    """What the person gave as the reason."""


class LastOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The round that was settled last in this shoe."""

    round: int
    """The round's number."""
    player: HandOutcome
    """Player's hand."""
    banker: HandOutcome
    """Banker's hand."""
    winner: Winner
    """The hand that won, or a tie."""
    won: dict[str, str]
    """The wagers of the house that won, by their ids, each with its price in lowest terms, after commission."""


class LastVoid(msgspec.Struct, frozen=True, kw_only=True):
    """The round that was voided last in this shoe."""

    round: int
    """The round's number."""
    replay: bool
    """Whether the round is dealt again with the same wagers; otherwise they were returned."""


class PossibleAct(msgspec.Struct, frozen=True, kw_only=True):
    """An act that the table would accept now, from a person in this role."""

    act: ActName
    """The act's name, as in the request's topic."""
    role: Role
    """Under which `request/{role}/` it is accepted."""
    pin: bool
    """Whether it needs a PIN."""
    reason: bool
    """Whether it needs a reason."""
    token: bool = False
    """Whether it needs the token of the dealer on duty; of `sign_in`, a new one."""
    two_people: bool
    """Whether it is only proposed, and waits for another supervisor."""
    cards: Annotated[tuple[int, ...], Meta(max_length=MOST_CARDS + 1)] = ()
    """`identify_card`, `correct_card`, `discard_card`, `enter_card`: the positions that `number` can name; 0 is the
    first card of the shoe."""
    hands: Annotated[tuple[Side, ...], Meta(max_length=len(Side))] = ()
    """`reveal_cards`: the hands in which cards lie face down."""
    alerts: tuple[int, ...] = ()
    """`clear_alert`: the alerts that can be cleared."""
    proposals: Annotated[tuple[int, ...], Meta(max_length=1)] = ()
    """`approve`, `withdraw`: the proposal that stands."""
    disputes: Annotated[tuple[int, ...], Meta(max_length=MOST_DISPUTES)] = ()
    """`close_dispute`: the disputes that are open."""
    seats: tuple[str, ...] = ()
    """`collect_commission`, `waive_commission`: the seats that owe commission."""


class CarriedCard(msgspec.Struct, frozen=True, kw_only=True):
    """An extra card that lies ready as Player's first of the next round."""

    card: Card | None
    """The card; null if nobody may see it yet, or it is not known."""
    shown: bool
    """Whether everyone has seen it; then the round that it begins is a free hand."""


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """What may be shown of a table at a moment. No field gives away a card that lies face down."""

    seq: int
    """The last event that it includes."""
    phase: Phase
    """While cards lie face down, `dealing` also stands for `complete`."""
    stopped: bool
    """Whether an alert stops the table."""
    betting_open: bool
    """Whether a wager would be accepted now."""
    prompt: AnyPrompt
    """What comes next, for the dealer."""
    shoe: int
    """Counted from 1; 0 before the first."""
    round: int
    """The round that wagers are open for or that is being dealt; after the last round of a shoe, that one."""
    dealer: str | None = None
    """The id of the dealer on duty; null if none is. Where `dealer_signs_in` is false, others may act too."""
    decks: int | None
    """Decks in the shoe; null without one."""
    free: bool
    """The round is dealt without wagers."""
    link_up: bool
    """Whether the shoe is connected."""
    hand_entry: bool = False
    """Whether the table is dealt by hand: the dealer enters each card, and the shoe is not needed."""
    cards_out: int
    """Cards that left the shoe, read or not."""
    burned: int
    """Cards burned in this shoe, the first card not counted."""
    counted: int | None = None
    """Cards of the remainder that have come through the reader; null unless they are being counted so."""
    to_burn: int | None
    """How many cards the first card says are burned; null before it is known."""
    last_round: int | None
    """The number of the last round of this shoe, once the cut card is out."""
    cards: Annotated[tuple[CardPlace, ...], Meta(max_length=MOST_CARDS)]
    """The cards of the round, in the order in which they were dealt."""
    extra_cards: int
    """Cards that left the shoe during the round and lie in no hand."""
    aside: tuple[AsideCard, ...] = ()
    """These cards, in the order of the draw."""
    carried: CarriedCard | None = None
    """The extra card that begins the next round, or the round that wagers are open for; null without one."""
    discarded: int = 0
    """Cards of this shoe that were discarded from a round."""
    standing: Standing | None
    """Null while there is no round."""
    wagers: tuple[PlacedWager, ...]
    """The wagers of the round, as they stand."""
    alerts: tuple[AlertMessage, ...]
    """All that stand, the oldest first."""
    proposal: ProposalView | None
    """The act that waits for a second supervisor; null without one."""
    acts: tuple[PossibleAct, ...]
    """What people can do now, by role. While cards lie face down, the acts of both possible phases are listed."""
    last_outcome: LastOutcome | None
    """Null before the first settled round of the shoe, and after that one was taken back."""
    last_void: LastVoid | None
    """Null before the first void round of the shoe, and as soon as a round has a result after it."""
    disputes: Annotated[tuple[Dispute, ...], Meta(max_length=MOST_DISPUTES)] = ()
    """The disputes that are open, of this shoe and of earlier ones, the oldest first."""
    commission: tuple[DueCommission, ...] = ()
    """Marked commission that is not collected yet, by shoe and seat: of this shoe so far, and of earlier ones."""


class StateMessage(TableView, frozen=True, kw_only=True):
    """How the table stands: everything that may be shown of it."""

    schema: int = SCHEMA
    """The version of this message."""
    journal: str
    """The journal's id."""
    round_id: str
    """The round's id, unique over all journals, as in the events of the round."""


# --- roads -----------------------------------------------------------------------------------------------------------


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Of the rounds of this shoe that have a result."""

    rounds: int
    """Rounds with a result."""
    banker: int
    """Rounds that Banker won."""
    player: int
    """Rounds that Player won."""
    tie: int
    """Ties."""
    banker_pair: int
    """Rounds with a Banker pair."""
    player_pair: int
    """Rounds with a Player pair."""
    natural: int
    """Rounds that a natural ended."""


class RoadsMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The roads of the shoe, ready to be drawn; a result that is taken back leaves no trace in it.

    Columns and rows count from 0.
    """

    schema: int = SCHEMA
    """The version of this message."""
    journal: str
    """The journal's id."""
    seq: int
    """The last event when this was made; no event since has changed it."""
    shoe: int
    """The shoe, counted from 1; 0 before the first."""
    counts: Counts
    """How often each result came."""
    roads: Roads
    """The five roads."""


# --- rounds ----------------------------------------------------------------------------------------------------------


class DealtRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round that has a result."""

    round: int
    """The round's number."""
    round_id: str
    """The round's id, unique over all journals."""
    player: HandOutcome
    """Player's hand."""
    banker: HandOutcome
    """Banker's hand."""
    winner: Winner
    """The hand that won, or a tie."""
    free: bool
    """The round was dealt without wagers."""
    seq: int
    """The number of the event `round_result`."""
    time: int | None
    """When it got its result; null where that was stored by a version that did not keep the time."""


class RoundsMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The rounds of the shoe that have a result, with their cards; one that is taken back leaves no trace in it."""

    schema: int = SCHEMA
    """The version of this message."""
    journal: str
    """The journal's id."""
    seq: int
    """The last event when this was made; no event since has changed it."""
    shoe: int
    """The shoe, counted from 1; 0 before the first."""
    missing: int
    """Rounds of the shoe that are not listed: all of them where the shoe was opened by a version that kept no cards."""
    rounds: tuple[DealtRound, ...]
    """In the order in which they were dealt."""
