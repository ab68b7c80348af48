"""The people and the cards around a desk: an honest dealer with a real stack of cards, and supervisors.

`go_on` does the next right thing, whatever the table stands at; `put_right` clears away whatever stops the table, and
an AssertionError says that it could not: no alert may leave a table without a way out. `Mishap` is what a dealer, a
shoe or a cheat can do wrong with a card.
"""

import random
from collections.abc import Callable
from enum import Enum

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    DoubleFeed,
    Fault,
    FaultCode,
    ForeignCard,
    Hand,
    IndicatedWinner,
    LidChanged,
    Misread,
    ResultIndicated,
)
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    AnyAct,
    Approve,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    DealCard,
    EndHandEntry,
    EndShoe,
    IdentifyCard,
    NoMoreBets,
    OpenShoe,
    VoidRound,
)
from shoe_controller.messages.alerts import Clearer, Severity
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose
from shoe_controller.table.alerts import ALERTS
from shoe_controller.table.duty import burn_is_due
from shoe_controller.table.inputs import ShoeReport
from shoe_controller.table.opening import needs_supervisor
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND
from shoe_controller.table.state import Alert
from simulator.decks import Piece, shuffled_decks
from tests.table.desk import Desk

HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}
LOCKED_OUT_NS = 301 * 1_000_000_000
SECOND = "second supervisor"
STRANGE = Card.ACE_OF_CLUBS
"""What a supervisor says where nobody saw the card."""
MOST_TROUBLES = 40
"""So many acts put right whatever can stop a table."""


class Dealer:
    def __init__(self, desk: Desk, *, discloses_at_draw: bool, numbered: bool, seed: int) -> None:
        self.desk = desk
        self.discloses_at_draw = discloses_at_draw
        self.numbered = numbered
        self.chance = random.Random(seed)  # noqa: S311 - the same cards every time
        self.stack: list[Piece] = []
        self.seen: dict[tuple[int, int, int, int], Card] = {}
        """The faces in the hands, by shoe, round, attempt and number, whatever the shoe reported."""
        self.first_face: Card | None = None
        self.over_drawn = (0, 0)
        """The shoe and the round of the last over-draw."""

    # --- cards -------------------------------------------------------------------------------------------------------

    def load(self) -> None:
        self.stack = list(shuffled_decks(self.desk.rules_decks, self.chance).pieces)

    def draw(self) -> Piece | None:
        """The next piece of card; nothing when the shoe is empty."""
        return self.stack.pop(0) if self.stack else None

    def faces(self) -> list[Card]:
        """What lies in the hands of this round, as anybody at the table can see it."""
        playing = self.desk.state.round
        laid = () if playing is None else playing.cards
        return [card.card or self.seen.get(self._place(number), STRANGE) for number, card in enumerate(laid, 1)]

    def show(self, event: AnyShoeEvent, piece: Piece, *, age_ms: int = 0) -> None:
        """A piece of card leaves the shoe, which tells of it, and lies there for all to see."""
        before = len(self.faces())
        self.desk.event(event, age_ms=age_ms)
        if len(self.faces()) > before:
            self.seen[self._place(len(self.faces()))] = piece.card

    def _place(self, number: int) -> tuple[int, int, int, int]:
        state = self.desk.state
        return state.shoe_number, state.round_number, 0 if state.round is None else state.round.attempt, number

    def told(self, piece: Piece, hand: Hand | None, **more: object) -> CardDrawn:
        """How the shoe tells of a piece."""
        discloses = self.discloses_at_draw or hand is Hand.BURN
        fields: dict[str, object] = {"hand": hand, "card": piece.card if discloses else None}
        if self.numbered and discloses:
            fields |= {"card_id": piece.card_id, "deck_set": "house"}
        drawn: CardDrawn = CardDrawn(**(fields | more))  # type: ignore[arg-type]  # the fields of a drawn card
        return drawn

    def next_side(self) -> Side | None:
        """Whose card is next by the faces that lie there; nobody's where they make no round."""
        deal = Deal()
        try:
            for face in self.faces():
                deal.feed(face)
        except DealError:
            return None
        return deal.next_side

    # --- an honest round ---------------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """The next right thing."""
        state = self.desk.state
        if state.lasting.hand_entry:
            self.deal_by_hand()
        elif not state.lasting.link.up:
            self.desk.link_back()
        elif any(ALERTS[alert.kind].severity is Severity.STOPS for alert in state.lasting.alerts):
            self.put_right()
        else:
            self._deal_on(state.phase)

    def _open_shoe(self) -> None:
        self.load()
        if needs_supervisor(self.desk.state):
            assert self.act(OpenShoe()) is None
        else:
            assert self.desk.dealer(OpenShoe()).refusal is None

    def _deal_on(self, phase: Phase) -> None:
        desk = self.desk
        self._sign_in()
        match phase:
            case Phase.NO_SHOE | Phase.ENDED:
                self._open_shoe()
            case Phase.FIRST_CARD | Phase.BURNING:
                self._burn(first=phase is Phase.FIRST_CARD)
            case Phase.BETTING | Phase.CLOSED if burn_is_due(desk.state):
                self._burn(first=False)
            case Phase.BETTING if desk.rules.procedure.bets_close is BetsClose.DEALER:
                assert desk.dealer(NoMoreBets()).refusal is None
            case Phase.BETTING | Phase.CLOSED | Phase.DEALING:
                self._deal_a_card()
            case Phase.COMPLETE if desk.state.round is not None and desk.state.round.forgotten:
                # The shoe has begun another round after its restart: its results are not of this one.
                assert desk.dealer(Confirm()).refusal is None
            case Phase.COMPLETE:
                self.ask_for_result()

    def _sign_in(self) -> None:
        desk = self.desk
        if desk.rules.procedure.dealer_signs_in:
            on_duty = desk.state.lasting.dealer
            # The program may have died between the sign-in and its answer.
            if on_duty is None or on_duty.token_digest != desk.duty_token or not self.chance.randrange(9):
                assert desk.sign_in(self.chance.choice(["dan", "eve"])).refusal is None

    def _burn(self, *, first: bool) -> None:
        piece = self.draw()
        if piece is None:
            self._shoe_is_empty()
        elif first:
            self.first_face = piece.card
            self.desk.event(self.told(piece, Hand.BURN, first_of_shoe=True))
        else:
            self.desk.event(CardDrawn(hand=Hand.BURN))

    def _deal_a_card(self) -> None:
        state = self.desk.state
        if state.shoe is not None and state.shoe.carried is not None and state.phase not in CARDS_OUT:
            # It lies in Player's first place already; of a round whose cards lie there, it waits for the next one.
            side: Side | None = Side.BANKER
        else:
            side = self.next_side()
        if side is None:
            # All cards lie there, and the shoe has not identified them.
            self.ask_for_result()
            return
        piece = self.draw()
        if piece is None:
            self._shoe_is_empty()
            return
        self.show(self.told(piece, HANDS[side], position=self.next_place(side)), piece)

    def next_place(self, side: Side) -> int:
        playing = self.desk.state.round
        laid = () if playing is None else playing.cards
        return 1 + sum(one.hand is side for one in laid)

    def _shoe_is_empty(self) -> None:
        """No card came: what lies there is void, and the shoe is over."""
        self.desk.event(Fault(code=FaultCode.DRAW_TIMEOUT))
        self.put_right()
        if self.desk.state.phase in IN_ROUND:
            assert self.act(VoidRound()) is None
        if self.desk.state.phase in (Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING):
            assert self.act(EndShoe()) is None

    def ask_for_result(self) -> None:
        """The shoe's button, the faces if they were not reported before, and the shoe's result."""
        desk = self.desk
        desk.event(ButtonPressed(button=Button.RESULT))
        if not self.discloses_at_draw and desk.state.phase in CARDS_OUT and desk.state.round is not None:
            count = {Side.PLAYER: 0, Side.BANKER: 0}
            for laid, face in zip(desk.state.round.cards, self.faces(), strict=False):
                count[laid.hand] += 1
                desk.event(CardIdentified(hand=HANDS[laid.hand], position=count[laid.hand], card=face))
        desk.event(self.right_result())

    def right_result(self) -> ResultIndicated:
        """What the shoe would indicate for the cards as the table knows them."""
        deal = Deal()
        playing = self.desk.state.round
        for laid in () if playing is None else playing.cards:
            if laid.card is not None and not deal.complete:
                deal.feed(laid.card)
        return ResultIndicated(
            winner=IndicatedWinner(deal.facts.winner.value) if deal.complete else IndicatedWinner.TIE
        )

    # --- by hand -----------------------------------------------------------------------------------------------------

    def deal_by_hand(self) -> None:
        """The next right thing at a table that is dealt by hand; what the shoe would report it keeps for later."""
        state, desk = self.desk.state, self.desk
        if any(ALERTS[alert.kind].severity is Severity.STOPS for alert in state.lasting.alerts):
            self.put_right()
            return
        self._sign_in()
        match state.phase:
            case Phase.NO_SHOE | Phase.ENDED:
                self._open_shoe()
            case Phase.BETTING if desk.rules.procedure.bets_close is BetsClose.DEALER:
                assert desk.dealer(NoMoreBets()).refusal is None
            case Phase.COMPLETE:
                assert desk.dealer(Confirm()).refusal is None
            case _:
                self._enter_a_card()

    def _enter_a_card(self) -> None:
        piece = self.draw()
        if piece is None:
            if self.desk.state.phase in IN_ROUND:
                assert self.act(VoidRound()) is None
            if self.desk.state.phase in (Phase.FIRST_CARD, Phase.BURNING, Phase.BETTING):
                assert self.act(EndShoe()) is None
            return
        desk, happened = self.desk, self.desk.mono_ns
        if desk.state.phase is Phase.FIRST_CARD:
            self.first_face = piece.card
        desk.sequence += 1
        report = ShoeReport(event=self.told(piece, None), sequence=desk.sequence, boot_id=desk.boot_id)
        live = desk.state.lasting.link.up
        if live:
            desk.kept.append(report)
            desk.deliver()
        else:
            desk.kept_since.append((happened, report))
        desk.wait(2)
        burning = desk.state.phase is Phase.BURNING
        before = len(self.faces())
        refused = desk.dealer(DealCard(card=None if burning and self.chance.random() < 0.5 else piece.card)).refusal
        assert refused is None, refused
        if len(self.faces()) > before:
            self.seen[self._place(len(self.faces()))] = piece.card

    def back_to_reader(self) -> None:
        """Between two rounds."""
        for _ in range(MOST_TROUBLES):
            if not self.desk.state.lasting.hand_entry:
                return
            if self.act(EndHandEntry()) is not None:
                self.deal_by_hand()
        raise AssertionError(f"no way back to the reader in the phase {self.desk.state.phase}, {self.desk.alerts}")

    # --- supervisors -------------------------------------------------------------------------------------------------

    def act(self, act: AnyAct) -> str | None:
        """A supervisor acts; the code of the refusal, if there is one."""
        refusal = self.desk.act(act).refusal
        if refusal is not None and refusal.code == "locked_out":
            self.desk.mono_ns += LOCKED_OUT_NS
            refusal = self.desk.act(act).refusal
        proposal = self.desk.state.lasting.proposal
        if refusal is None and proposal is not None and proposal.act == act:
            refusal = self.desk.act(Approve(proposal=proposal.number), person=SECOND).refusal
        return None if refusal is None else refusal.code

    def put_right(self) -> None:
        for _ in range(MOST_TROUBLES):
            state = self.desk.state
            stopping = [alert for alert in state.lasting.alerts if ALERTS[alert.kind].severity is Severity.STOPS]
            if not stopping:
                return
            if not state.lasting.link.up and not state.lasting.hand_entry:
                self.desk.link_back()
            elif state.lasting.lid_open:
                self.desk.event(LidChanged(opened=False))
            else:
                self._put_right(stopping[0])
        raise AssertionError(f"nothing ends {self.desk.alerts} in the phase {self.desk.state.phase}")

    def _put_right(self, alert: Alert) -> None:
        kind = ALERTS[alert.kind]
        if alert.kind in ("misread", "undisclosed_card") and self._name_card(alert):
            return
        if alert.kind == "result_undone":
            refused = self.act(Confirm()) and self.act(VoidRound())
        elif alert.kind == "over_draw" and self._over_drawn_before():
            # The cards lie face down where the shoe put them, and not as they were drawn: no further card is due there.
            refused = self.act(VoidRound())
        elif kind.cleared_by is not Clearer.NOBODY:
            refused = self.act(ClearAlert(alert=alert.number))
        elif "burn_extra_card" in kind.ended_by:
            refused = self.act(BurnExtraCard()) and self.act(VoidRound())
        elif alert.kind == "bad_shoe":
            refused = self.act(VoidRound()) and self.act(EndShoe())
        else:
            refused = self.act(VoidRound())
        assert refused is None, f"{alert.kind} in the phase {self.desk.state.phase}: {refused}"

    def _over_drawn_before(self) -> bool:
        here = (self.desk.state.shoe_number, self.desk.state.round_number)
        before, self.over_drawn = self.over_drawn, here
        playing = self.desk.state.round
        return before == here and playing is not None and any(not laid.shown for laid in playing.cards)

    def _name_card(self, alert: Alert) -> bool:
        """Whether the supervisor could say which card it is."""
        if alert.card == 0:
            face = self.first_face or STRANGE
        else:
            number = alert.card or 0
            face = self.faces()[number - 1] if 0 < number <= len(self.faces()) else STRANGE
        return self.act(IdentifyCard(number=alert.card or 0, card=face)) is None


class Mishap(Enum):
    """What can go wrong with a card or a result."""

    ONE_TOO_MANY = "one too many"
    OUTSIDE = "outside of the round"
    WRONG_HAND = "to the wrong hand"
    NO_HAND = "the shoe does not say where to"
    FILLED_PLACE = "a place that is filled"
    MISSED_PLACE = "a place after the next"
    BURNED = "burned"
    MISREAD = "not read"
    UNDISCLOSED = "not disclosed"
    FOREIGN = "foreign"
    FOREIGN_SET = "of another set"
    TWO_AT_ONCE = "two at once"
    SAME_FACE = "a face that came often already"
    SAME_PIECE = "a piece that came before"
    LATE = "told late"
    FIRST_OF_SHOE = "called the first of a shoe"
    CARRIED_OVER = "called carried over"
    WRONG_FACE_TOLD = "identified as another"
    WRONG_RESULT = "wrong result"
    NO_RESULT = "ended by force"
    BUTTON_EARLY = "result button"


def befall(dealer: Dealer, mishap: Mishap) -> None:
    """Let this happen now."""
    event = _RESULTS.get(mishap)
    if event is not None:
        dealer.desk.event(event(dealer))
        return
    piece = dealer.draw()
    if piece is None:
        dealer.desk.event(Fault(code=FaultCode.DRAW_TIMEOUT))
        return
    if mishap is Mishap.TWO_AT_ONCE:
        more = dealer.draw()
        dealer.desk.event(DoubleFeed(cards=1 if more is None else 2))
        return
    side = dealer.next_side() or Side.PLAYER
    age_ms = dealer.chance.randrange(1, 60_000) if mishap is Mishap.LATE else 0
    dealer.show(_card_event(dealer, mishap, piece, side), piece, age_ms=age_ms)


_OTHER = {Side.PLAYER: Side.BANKER, Side.BANKER: Side.PLAYER}

_RESULTS: dict[Mishap, Callable[[Dealer], AnyShoeEvent]] = {
    Mishap.WRONG_FACE_TOLD: lambda dealer: CardIdentified(
        hand=dealer.chance.choice([Hand.PLAYER, Hand.BANKER, Hand.EXTRA]),
        position=dealer.chance.choice([None, 1, 2, 3]),
        card=dealer.chance.choice([*CARDS_BY_NUMBER, None]),
    ),
    Mishap.CARRIED_OVER: lambda dealer: CardDrawn(
        hand=Hand.PLAYER, position=1, card=dealer.chance.choice([*CARDS_BY_NUMBER, None]), carried_over=True
    ),
    Mishap.WRONG_RESULT: lambda dealer: ResultIndicated(
        winner=dealer.chance.choice(list(IndicatedWinner)), player_pair=dealer.chance.random() < 0.3
    ),
    Mishap.NO_RESULT: lambda _dealer: ResultIndicated(winner=None),
    Mishap.BUTTON_EARLY: lambda _dealer: ButtonPressed(button=Button.RESULT),
}


def _card_event(  # noqa: C901, PLR0911, PLR0912 - one for each mishap
    dealer: Dealer, mishap: Mishap, piece: Piece, side: Side
) -> CardDrawn | Misread | ForeignCard:
    hand, position = HANDS[side], dealer.next_place(side)
    match mishap:
        case Mishap.MISREAD:
            return Misread(hand=hand, position=position)
        case Mishap.FOREIGN:
            return ForeignCard(hand=hand, position=position, deck_set="elsewhere")
        case Mishap.UNDISCLOSED:
            return CardDrawn(hand=hand, position=position)
        case Mishap.ONE_TOO_MANY | Mishap.OUTSIDE:
            return dealer.told(piece, Hand.EXTRA if mishap is Mishap.OUTSIDE else None)
        case Mishap.WRONG_HAND:
            return dealer.told(piece, HANDS[_OTHER[side]], position=dealer.chance.choice([None, position]))
        case Mishap.NO_HAND:
            return dealer.told(piece, None)
        case Mishap.FILLED_PLACE:
            return dealer.told(piece, hand, position=max(1, position - 1))
        case Mishap.MISSED_PLACE:
            return dealer.told(piece, hand, position=position + 1)
        case Mishap.BURNED:
            return dealer.told(piece, Hand.BURN)
        case Mishap.FOREIGN_SET:
            return dealer.told(piece, hand, position=position, deck_set="elsewhere")
        case Mishap.SAME_FACE:
            copies = dealer.desk.state.shoe.copies if dealer.desk.state.shoe is not None else (0,)
            return dealer.told(piece, hand, position=position, card=CARDS_BY_NUMBER[copies.index(max(copies))])
        case Mishap.SAME_PIECE:
            return dealer.told(piece, hand, position=position, card_id="house-1")
        case Mishap.FIRST_OF_SHOE:
            return dealer.told(piece, Hand.BURN, first_of_shoe=True)
    return dealer.told(piece, hand, position=position)
