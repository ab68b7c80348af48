"""Cards that lie in the wrong hand, and cards that may not be used, on the console."""

from firmware_protocol.events import Button
from shoe_controller.messages.acts import AssignCards
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import ActProposed, AlertRaised, CardDiscarded, CardsAssigned, RoundResult
from tests.console.every_act.trial import Evening, Trial


async def assign_cards(trial: Trial) -> None:
    await trial.come_in()
    await trial.at.draw(2)
    await trial.bet("1", base_player="50")
    await trial.at.draw(3)
    trial.at.shoe.inject("out_of_turn")
    await trial.at.draw(1)
    alert = (await trial.fact(AlertRaised)).alert
    assert (alert.kind, alert.remedy) == (AlertKind.OUT_OF_TURN, "assign")
    await trial.tap("tab-alerts")
    await trial.reads(".alert .detail")
    # What the rules do not give is refused: the card went to Player, and is Banker's.
    await trial.supervisor_mode()
    await trial.tap("tab-supervisor", "act-assign_cards", "hand-4-player", "next", "reason-0")
    await trial.identify()
    await trial.is_refused()
    await trial.tap("close")
    await trial.supervise("assign_cards", "hand-4-banker", "next")
    lie = await trial.fact(CardsAssigned)
    assert [(place.hand.value, str(place.card)) for place in lie.places] == [
        ("player", "9H"),
        ("banker", "KD"),
        ("player", "KS"),
        ("banker", "5C"),
    ]
    # The round is complete, so that it takes two to say that a card was read wrongly.
    await trial.supervise("assign_cards", "face-4", "rank-4", "suit-C", "next", "next")
    assert isinstance((await trial.fact(ActProposed)).act, AssignCards)
    await trial.tap("tab-alerts")
    await trial.reads(".proposal .about")
    await trial.second_supervisor_approves()
    assert str((await trial.fact(CardsAssigned, 2)).places[-1].card) == "4C"
    # The shoe cannot account for its round, and gives no result: a supervisor compares, and the dealer confirms.
    trial.at.shoe.press(Button.RESULT, held=True)
    await trial.clear_alert(AlertKind.ENDED_BY_FORCE)
    await trial.tap("do-confirm")
    await trial.fact(RoundResult)
    await trial.at.phase("betting")


async def discard_card(trial: Trial) -> None:
    await trial.at.draw(3)
    await trial.supervise("discard_card", "number-3", "cause-face_up", "next")
    gone = await trial.fact(CardDiscarded)
    assert (str(gone.place.card), gone.cause) == ("KS", "face_up")
    # The next card takes its place, and the dealer confirms: the shoe counts another card.
    await trial.at.draw(2)
    await trial.at.phase("complete")
    await trial.tap("do-confirm")
    result = await trial.fact(RoundResult)
    assert [str(card) for card in result.outcome.player.cards] == ["9H", "5C"]
    for number in (1, 2):
        await trial.tap("tab-rounds", f"round-1.{number}")
        await trial.reads(f"[data-round='1.{number}'] .details")


CARDS_PLACED = Evening(
    {"assign_cards": assign_cards, "discard_card": discard_card},
    settings={
        "gate_locks": "when_stopped",
        "discarded_card": "next_card",
        "finished_round": "two_supervisors",
    },
)
