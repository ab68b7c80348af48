"""What gives cause for each alert, as a real shoe or person would: one function for each way.

`simulator/faults.py` says what each wire tells of each fault. The table of cases is in `alert_cases.py`.
"""

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    Burn,
    Button,
    ButtonPressed,
    CameAgain,
    CardDrawn,
    CardIdentified,
    CardReadAgain,
    CardReturned,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    Hand,
    IndicatedWinner,
    LidChanged,
    LineLook,
    Misread,
    PresetChanged,
    ResultIndicated,
    Started,
)
from firmware_protocol.link import RefusedCause
from shoe_controller.messages.acts import (
    Approve,
    BeginHandEntry,
    BeginRunOut,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    CountRemainder,
    EndHandEntry,
    EndRunOut,
    EndShoe,
    EnterCard,
    IdentifyCard,
    OpenDispute,
    OpenShoe,
    SignIn,
    SignOut,
    UndoLastResult,
    VoidRound,
)
from shoe_controller.messages.details import DealtSign, HeadSource, JournalBehind, MetController
from shoe_controller.table.inputs import (
    AgeImpossible,
    ClockStepped,
    ControllerMet,
    DealtBefore,
    EventsMissed,
    GateUnanswered,
    JournalBegun,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LineStrange,
    LinkBack,
    LinkLost,
    MessagesRefused,
    PinVerdict,
    RequestsFlooded,
    RolledBack,
    StatusAhead,
)
from shoe_controller.table.pins import GUESSING_TRIES
from shoe_controller.table.state import TableState
from shoe_controller.table.succession import for_new_journal
from tests.table.sitting import Sitting

PLAYER_WINS = "7H 4D KS 2C"
"""Player stands on 7, Banker on 6: no more cards."""
MISUSED = Fault(code=FaultCode.BUTTON_MISUSED)


def start(table: Sitting, cards: str = "") -> None:
    """A shoe with a wager that stands, and some cards dealt."""
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.deal(cards)


def stop(code: FaultCode) -> Fault:
    return Fault(code=code, stopped=True)


# --- what gives cause ------------------------------------------------------------------------------------------------


def over_draw_native(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C"), card_id="five"))


def over_draw_angel_eye(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA))
    table.event(FaultCleared(code=FaultCode.OVER_DRAW))


def over_draw_whose_card_is_awaited(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.event(Fault(code=FaultCode.OVER_DRAW))


def over_draw_undisclosed(table: Sitting) -> None:
    """A shoe that discloses at the result knows that the round is complete, and the table does not."""
    start(table)
    for hand, position in ((Hand.PLAYER, 1), (Hand.BANKER, 1), (Hand.PLAYER, 2), (Hand.BANKER, 2)):
        table.event(CardDrawn(hand=hand, position=position))
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA))


def over_draw_without_warning(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.card("5C", Hand.PLAYER)


def over_draw_after_settlement(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.dealer(Confirm())
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C")))


def over_draw_after_unseen_card(table: Sitting) -> None:
    """Banker's first card left unseen, so that the round seems to be complete too soon."""
    start(table)
    for text in ["7H", "4D", "KS", "2C", "5C"]:
        table.event(CardDrawn(card=Card.parse(text)))


def shown_card_carried(table: Sitting) -> None:
    """An Angel Eye shoe begins the next round with a card that was burned at the table, and that everyone has seen."""
    over_draw_native(table)
    table.act(BurnExtraCard())
    table.dealer(Confirm())
    table.bet("1", "base.player", 50)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("5C"), carried_over=True))


def burned_card_carried(table: Sitting) -> None:
    """The same with a card that nobody has seen."""
    over_draw_undisclosed(table)
    table.act(BurnExtraCard())
    faces = zip(PLAYER_WINS.split(), (Hand.PLAYER, Hand.BANKER) * 2, (1, 1, 2, 2), strict=True)
    for text, hand, position in faces:
        table.event(CardIdentified(hand=hand, position=position, card=Card.parse(text)))
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, carried_over=True))


def extra_card(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C")))


def over_draw_after_unread_card(table: Sitting) -> None:
    """The shoe takes the card for one too many, because it does not know one before it."""
    start(table, "7H")
    table.event(Misread(hand=Hand.BANKER, position=1))
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C")))


def extra_card_after_unread_card(table: Sitting) -> None:
    start(table, "7H")
    table.event(Misread(hand=Hand.BANKER, position=1))
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C")))


def extra_card_before_the_round(table: Sitting) -> None:
    start(table)
    table.event(CardDrawn(hand=Hand.EXTRA))


def out_of_turn(table: Sitting) -> None:
    start(table, "7H")
    table.card("4D", Hand.PLAYER)


def due_card_elsewhere(table: Sitting) -> None:
    """Player's third was taken for the first card of the next round, before the result was undone."""
    start(table, PLAYER_WINS)
    table.dealer(Confirm())
    table.card("5C")
    table.act(VoidRound())
    table.act(UndoLastResult(), person="ann")
    table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben")
    table.act(CorrectCard(number=1, card=Card.parse("2H")))


def out_of_turn_undisclosed(table: Sitting) -> None:
    start(table)
    table.card(None)
    table.card(None, Hand.PLAYER)
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))
    table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("4D")))
    table.event(ResultIndicated(winner=None))


def burned_in_the_round(table: Sitting) -> None:
    start(table, "7H")
    table.event(CardDrawn(hand=Hand.BURN))


def place_filled(table: Sitting) -> None:
    start(table, "7H 4D")
    table.card("9C", Hand.PLAYER, position=1)


def place_filled_later(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("9C")))


def misread_native(table: Sitting) -> None:
    start(table)
    table.event(Misread(hand=Hand.PLAYER, position=1))
    table.event(stop(FaultCode.UNREADABLE))
    table.event(FaultCleared(code=FaultCode.UNREADABLE))
    table.event(ResultIndicated(winner=None))


def misread_angel_eye(table: Sitting) -> None:
    start(table)
    table.card(None)
    table.event(stop(FaultCode.UNREADABLE))
    table.event(FaultCleared(code=FaultCode.UNREADABLE))
    table.event(ResultIndicated(winner=None))


def undisclosed_native(table: Sitting) -> None:
    start(table)
    table.card(None)
    table.deal("4D KS 2C")
    table.event(CardIdentified(hand=Hand.PLAYER, position=1))
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))


def undisclosed_angel_eye(table: Sitting) -> None:
    start(table)
    for _ in range(4):
        table.card(None)
    table.event(ButtonPressed(button=Button.RESULT))
    table.event(CardIdentified(hand=Hand.PLAYER, position=1))
    table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("KS")))
    table.event(CardIdentified(hand=Hand.BANKER, position=1, card=Card.parse("4D")))
    table.event(CardIdentified(hand=Hand.BANKER, position=2, card=Card.parse("2C")))
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))


def too_many_copies(table: Sitting) -> None:
    start(table, "KS KS KS KS KS KS")


def copy_of_earlier_round(table: Sitting) -> None:
    """A card of the round before was read wrongly."""
    start(table, "9H 4D KS 2C")
    table.dealer(Confirm())
    table.deal("9H")
    table.act(VoidRound())


def too_many_copies_later(table: Sitting) -> None:
    start(table)
    hands = [Hand.PLAYER, Hand.BANKER] * 3
    for hand in hands:
        table.card(None, hand)
    for number, hand in enumerate(hands):
        table.event(CardIdentified(hand=hand, position=number // 2 + 1, card=Card.parse("KS")))


def card_twice(table: Sitting) -> None:
    start(table)
    table.card("7H", card_id="one")
    table.card("7H", card_id="one")


def foreign_native(table: Sitting) -> None:
    start(table)
    table.event(ForeignCard(hand=Hand.PLAYER, position=1, deck_set="theirs"))
    table.event(stop(FaultCode.FOREIGN_CARD))
    table.event(FaultCleared(code=FaultCode.FOREIGN_CARD))
    table.event(ResultIndicated(winner=None))


def foreign_angel_eye(table: Sitting) -> None:
    start(table)
    table.card(None)
    table.event(stop(FaultCode.FOREIGN_CARD))


def foreign_by_its_set(table: Sitting) -> None:
    start(table)
    table.card("7H", deck_set="theirs")


def foreign_found_out_later(table: Sitting) -> None:
    start(table)
    table.card(None)
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("7H"), deck_set="theirs"))


def double_feed(table: Sitting) -> None:
    start(table)
    table.event(DoubleFeed(cards=2))
    table.event(stop(FaultCode.UNREADABLE))
    table.event(ResultIndicated(winner=None))


def not_due_by_correction(table: Sitting) -> None:
    start(table, "2H 3D KS 2C 5H")
    table.act(CorrectCard(number=1, card=Card.parse("9H")))


def not_due_at_the_result(table: Sitting) -> None:
    start(table)
    for hand in (Hand.PLAYER, Hand.BANKER, Hand.PLAYER, Hand.BANKER, Hand.PLAYER):
        table.card(None, hand)
    for position, card in ((1, "9H"), (2, "KS"), (3, "5H")):
        table.event(CardIdentified(hand=Hand.PLAYER, position=position, card=Card.parse(card)))
    table.event(CardIdentified(hand=Hand.BANKER, position=1, card=Card.parse("3D")))
    table.event(CardIdentified(hand=Hand.BANKER, position=2, card=Card.parse("2C")))


def bad_burned_card(table: Sitting) -> None:
    table.open_shoe(burn=None)
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("3H"), first_of_shoe=True))
    table.event(Misread(hand=Hand.BURN))


def bad_burned_card_angel_eye(table: Sitting) -> None:
    table.open_shoe(burn=None)
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("3H"), first_of_shoe=True))
    table.event(CardDrawn(hand=Hand.BURN, burns_left=2))
    table.event(stop(FaultCode.FOREIGN_CARD))


def entered_card_differs(table: Sitting) -> None:
    start(table, "7H")
    event_gap_alone(table)
    table.act(EnterCard(number=2, card=Card.parse("4D")))
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=Card.parse("4H")), age_ms=5000)


def event_gap_alone(table: Sitting) -> None:
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))
    table.act(ClearAlert(alert=table.alert_number("event_gap")))


def never_entered(table: Sitting) -> None:
    start(table)
    table.act(BeginHandEntry())
    table.act(EndHandEntry())
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=5000)


def pushed_back_native(table: Sitting) -> None:
    start(table, "7H")
    table.event(CardReturned(card=Card.parse("4D")))
    table.event(Fault(code=FaultCode.PUSHED_BACK_AT_EXIT))


def pushed_back_angel_eye(table: Sitting) -> None:
    start(table, "7H")
    table.event(Fault(code=FaultCode.PUSHED_BACK_HALF_WAY))


def late_wager(table: Sitting) -> None:
    start(table)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=5000)


def draw_before_close(table: Sitting) -> None:
    start(table, "7H")


def too_early_native(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(ButtonPressed(button=Button.RESULT))
    table.event(MISUSED)
    table.event(FaultCleared(code=FaultCode.BUTTON_MISUSED))


def too_early_angel_eye(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(MISUSED)


def result_differs(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.result(IndicatedWinner.BANKER)


def result_differs_once_known(table: Sitting) -> None:
    undisclosed_native(table)
    table.act(IdentifyCard(number=1, card=Card.parse("6H")))


def settled_result_differs(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.dealer(Confirm())
    table.event(ResultIndicated(winner=IndicatedWinner.BANKER))


def ended_by_force(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(ResultIndicated(winner=None))


def result_undone(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    undo(table)


def undo(table: Sitting) -> None:
    table.act(UndoLastResult())
    table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben")


def result_after_shoe_change(table: Sitting) -> None:
    start(table)
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))


def stray_result(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))


def too_slow(table: Sitting) -> None:
    start(table, "7H 4D")
    table.timer()


def no_card_came(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(stop(FaultCode.DRAW_TIMEOUT))
    table.event(FaultCleared(code=FaultCode.DRAW_TIMEOUT))
    table.event(ResultIndicated(winner=None))


def card_jammed(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(stop(FaultCode.JAM))
    table.event(FaultCleared(code=FaultCode.JAM))


def burn_announced_wrong(table: Sitting) -> None:
    table.open_shoe(burn=None)
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("3H"), first_of_shoe=True))
    table.event(Burn(cards=4))


def burn_counted_wrong(table: Sitting) -> None:
    table.open_shoe(burn=None)
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("3H"), first_of_shoe=True))
    table.event(CardDrawn(hand=Hand.BURN, burns_left=1))


def burn_broken_off(table: Sitting) -> None:
    table.open_shoe(burn=None)
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("3H"), first_of_shoe=True))
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))


def nothing_burned(table: Sitting) -> None:
    table.open_shoe(burn=None)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))


def burned_between_rounds(table: Sitting) -> None:
    start(table)
    table.event(CardDrawn(hand=Hand.BURN))


def dealt_before_new_dealer_burned(table: Sitting) -> None:
    start(table)
    table.deal("9H 2D KS 4C")
    table.result(IndicatedWinner.PLAYER)
    table.sign_in("eve")
    table.card("7H")


def dealt_with_nobody_on_duty(table: Sitting) -> None:
    start(table)
    table.dealer(SignOut())
    table.card("7H")


def card_without_shoe(table: Sitting) -> None:
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))


def two_cards_without_shoe(table: Sitting) -> None:
    table.event(DoubleFeed(cards=2))


def card_after_end(table: Sitting) -> None:
    start(table)
    table.act(EndShoe())
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))


def new_shoe_button_too_early(table: Sitting) -> None:
    start(table)
    table.event(ButtonPressed(button=Button.NEW_SHOE))


def first_card_too_early(table: Sitting) -> None:
    start(table)
    table.event(CardDrawn(hand=Hand.BURN, first_of_shoe=True, card=Card.parse("3H")))


def first_card_beside_an_alert(table: Sitting) -> None:
    card_after_end(table)
    table.event(CardDrawn(hand=Hand.BURN, first_of_shoe=True, card=Card.parse("3H")))


def voided_foreign_card(table: Sitting) -> None:
    foreign_native(table)
    table.act(VoidRound())


def more_cards_than_decks_hold(table: Sitting) -> None:
    """All but two are burned between the rounds, and there is one more than there can be."""
    table.open_shoe()
    for _ in range(51):
        table.event(CardDrawn(hand=Hand.BURN))


def one_card_is_missing(table: Sitting) -> None:
    start(table)
    table.act(EndShoe())
    table.act(CountRemainder(cards=413))


def counted_again(table: Sitting) -> None:
    one_card_is_missing(table)
    table.act(BeginRunOut())


def one_piece_too_many(table: Sitting) -> None:
    start(table)
    table.act(EndShoe())
    table.act(BeginRunOut())
    for _ in range(2):
        table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H"), card_id="one"))
    table.act(EndRunOut())


def shoe_changed_native(table: Sitting) -> None:
    start(table, "7H 4D")
    table.event(ButtonPressed(button=Button.NEW_SHOE))


def shoe_changed_angel_eye(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.event(CardDrawn(hand=Hand.BURN, first_of_shoe=True, card=Card.parse("3H")))


def lid_opened(table: Sitting) -> None:
    start(table)
    table.event(LidChanged(opened=True))


def lid_open_at_the_opening(table: Sitting) -> None:
    table.event(LidChanged(opened=True))
    start(table)


def gate_forced(table: Sitting) -> None:
    start(table, "7H")
    table.event(Fault(code=FaultCode.GATE_FORCED))


def restarted_native(table: Sitting) -> None:
    start(table, "7H")
    table.give(LinkLost(reason="silence"))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=2))
    table.event(Started())


def restarted_angel_eye(table: Sitting) -> None:
    start(table, "7H")
    table.event(Started())


def gap_between_rounds(table: Sitting) -> None:
    start(table)
    table.give(LinkLost(reason="the cable was pulled"))
    table.give(LinkBack(keeps_events=False, authenticated=False, boot_id=1))


def pushed_back_between_rounds(table: Sitting) -> None:
    start(table)
    table.event(CardReturned())


def no_card_came_between_rounds(table: Sitting) -> None:
    start(table)
    table.event(stop(FaultCode.DRAW_TIMEOUT))


def restarted_between_rounds(table: Sitting) -> None:
    table.give(LinkBack(keeps_events=False, authenticated=False))
    table.open_shoe()
    table.event(Started())


def gate_unanswered(table: Sitting) -> None:
    start(table)
    table.give(GateUnanswered(reason="command to lock the gate: the shoe did not answer"))


def shoe_lost(table: Sitting) -> None:
    start(table, "7H")
    table.give(LinkLost(reason="the cable was pulled"))


def event_gap(table: Sitting) -> None:
    start(table, "7H")
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))


def face_read_again(table: Sitting) -> None:
    start(table, "7H")
    table.event(CardReadAgain(card=Card("7H"), after_ms=400))


def event_store_full(table: Sitting) -> None:
    start(table, "7H")
    table.event(Fault(code=FaultCode.EVENT_STORE_FULL))


def named_a_card_that_never_came(table: Sitting) -> None:
    start(table, "7H")
    table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("4D")))


def shoe_stopped(table: Sitting) -> None:
    start(table, "7H")
    table.event(stop(FaultCode.SENSOR))


def shoe_fault(table: Sitting) -> None:
    start(table)
    table.event(Fault(code=FaultCode.LOW_VOLTAGE, detail=7))


def preset_changed(table: Sitting) -> None:
    start(table)
    table.event(PresetChanged())


def line_refused(table: Sitting) -> None:
    start(table)
    table.give(LineRefused(reason="a tag that does not fit"))


def wrong_key(table: Sitting) -> None:
    start(table)
    table.give(LineRefused(reason="the shoe does not hold our key", why=RefusedCause.KEY))


def wrong_line(table: Sitting) -> None:
    start(table)
    table.give(LineStrange(looks_like=LineLook.OTHER_SPEED))


def came_again(table: Sitting) -> None:
    start(table)
    table.event(CameAgain(what=CardDrawn(card=Card("7H"), total=3)))


def impossible_age(table: Sitting) -> None:
    start(table)
    table.give(AgeImpossible(sequence=7, reported_ms=4_294_967_294, taken_ms=30_000))


def clock_stepped(table: Sitting) -> None:
    start(table)
    table.give(ClockStepped(by_ms=-3_600_000))


def messages_refused(table: Sitting) -> None:
    start(table)
    table.give(MessagesRefused(reason="not authorised"))


def pin_guessing(table: Sitting) -> None:
    start(table)
    for number in range(GUESSING_TRIES):
        table.act(SignIn(), pin=PinVerdict.WRONG, user=f"terminal-{number % 3}", person=f"person-{number % 4}")


def request_flood(table: Sitting) -> None:
    start(table)
    table.give(RequestsFlooded(user="seats-t1"))


def journal_damaged(table: Sitting) -> None:
    start(table, "7H")
    table.give(JournalFailed(trouble=JournalTrouble.DAMAGED, detail="page 7"))


ROLLED_BACK = JournalBehind(
    journal="5e1ec7ed",
    number=40,
    hash="ab" * 32,
    noted=90,
    noted_hash="cd" * 32,
    source=HeadSource.ANCHOR,
    file="t1.journal.rolled-back-20260101T000000Z",
)


def journal_rolled_back(table: Sitting) -> None:
    table.begin_new_journal(RolledBack(state=for_new_journal(table.state), behind=ROLLED_BACK))


def journal_begun(table: Sitting) -> None:
    table.begin_new_journal(JournalBegun(state=TableState(), signs=(DealtSign.ANCHOR, DealtSign.KEPT)))


def dealt_before(table: Sitting) -> None:
    start(table)
    table.give(DealtBefore(journal="4f2a9c1e"))


def status_ahead(table: Sitting) -> None:
    start(table)
    table.give(StatusAhead(number=40, noted=90))


def another_controller(table: Sitting) -> None:
    start(table)
    table.give(ControllerMet(how=MetController.REFUSED, host="table-1-spare", address="192.0.2.7"))


def silent_controller(table: Sitting) -> None:
    start(table)
    table.give(ControllerMet(how=MetController.UNANSWERED, host="", address=""))


def shoe_ended_in_dispute(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.act(OpenDispute(seat="1"))
    table.result(IndicatedWinner.PLAYER)
    table.act(EndShoe())


def shoe_opened_in_dispute(table: Sitting) -> None:
    start(table, PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    table.act(OpenDispute(round=1))
    table.act(OpenShoe())


def called_by_act(table: Sitting) -> None:
    start(table)
    table.dealer(CallSupervisor())


def called_by_button(table: Sitting) -> None:
    start(table)
    table.event(ButtonPressed(button=Button.CALL_SUPERVISOR))
