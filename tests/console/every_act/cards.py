"""Cards that are put right on the console, rounds that are voided, and what two supervisors do."""

from firmware_protocol.events import Button
from shoe_controller.messages.acts import UndoLastResult
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import (
    ActProposed,
    AlertRaised,
    CardCorrected,
    CardsShown,
    ExtraCardDecided,
    FreeHandAnnounced,
    PersonActed,
    ProposalEnded,
    ResultUndone,
    RoundResult,
    RoundVoided,
)
from tests.console.every_act.trial import Evening, Trial


async def settle(trial: Trial) -> None:
    results = len(trial.facts(RoundResult))
    trial.at.shoe.press(Button.RESULT)
    await trial.fact(RoundResult, results + 1)
    await trial.at.phase("betting")


async def give_up_round(trial: Trial) -> None:
    """The shoe forgets the round that the table has voided."""
    trial.at.shoe.press(Button.RESULT, held=True)
    await trial.at.phase("betting")


async def identify_card(trial: Trial) -> None:
    await trial.come_in()
    await trial.at.draw(2)
    await trial.bet("1", base_player="50")
    trial.at.shoe.inject("misread")
    await trial.at.draw(1)
    alert = (await trial.fact(AlertRaised)).alert
    assert alert.kind is AlertKind.MISREAD
    await trial.tap(f"mend-{alert.number}")
    await trial.identify()
    await trial.tap(f"mend-{alert.number}-identify_card", "rank-9", "suit-H", "next", "reason-0")
    await trial.identify(pin="000000")
    await trial.is_refused()
    await trial.identify()
    assert [str(place.card) for place in (await trial.fact(CardsShown)).places] == ["9H"]
    await trial.is_done()


async def correct_card(trial: Trial) -> None:
    await trial.supervise("correct_card", "rank-8", "suit-D", "next")
    assert str((await trial.fact(CardCorrected)).place.card) == "8D"
    await trial.tap("tab-rounds", "round-1.1")
    await trial.reads("[data-round='1.1'] .details")


async def void_round(trial: Trial) -> None:
    trial.at.shoe.clear()  # the fault stands at the shoe as well
    await trial.supervise("void_round")
    void = await trial.fact(RoundVoided)
    assert (void.replay, void.total) == (False, 5000)
    await give_up_round(trial)
    await trial.tap("tab-rounds")
    await trial.reads("[data-round='1.1'] .details")


async def use_extra_card(trial: Trial) -> None:
    await trial.at.draw(5)
    assert (await trial.fact(AlertRaised)).alert.kind is AlertKind.OVER_DRAW
    trial.at.shoe.clear(carry_over=True)
    await trial.supervise("use_extra_card")
    assert (await trial.fact(ExtraCardDecided)).used
    await settle(trial)
    # Everyone has seen it: the round that it begins has no wagers.
    assert (await trial.fact(FreeHandAnnounced)).carried
    await trial.reads("#sentence")


async def burn_extra_card(trial: Trial) -> None:
    trial.at.shoe.draw()  # the card that lies there already
    await trial.at.draw(3)
    await trial.at.phase("complete")
    await trial.at.draw(1)
    assert (await trial.fact(AlertRaised)).alert.kind is AlertKind.OVER_DRAW
    trial.at.shoe.clear()
    await trial.supervise("burn_extra_card")
    assert not (await trial.fact(ExtraCardDecided)).used
    await settle(trial)


async def void_and_replay(trial: Trial) -> None:
    await trial.bet("5", base_banker="20")
    await trial.at.draw(2)
    await trial.supervise("void_and_replay")
    assert (await trial.fact(RoundVoided)).replay
    await give_up_round(trial)


async def undo_last_result(trial: Trial) -> None:
    await trial.at.draw(4)
    await settle(trial)
    await trial.supervise("undo_last_result")
    assert isinstance((await trial.fact(ActProposed)).act, UndoLastResult)
    await trial.second_supervisor_approves()
    await trial.fact(ResultUndone)
    acted = await trial.is_on_record("undo_last_result")
    assert (acted.person, acted.approved_by) == ("rana", "shah")
    # The round waits; here a supervisor confirms the result as it was.
    await trial.supervise("confirm", reason=False)
    await trial.fact(RoundResult, 2)


async def withdraw(trial: Trial) -> None:
    await trial.supervise("undo_last_result")
    await trial.fact(ActProposed)
    await trial.tap("tab-alerts", "withdraw")
    await trial.identify()
    await trial.fact(ProposalEnded)
    await trial.is_done()
    assert trial.facts(ResultUndone) == []


async def approve(trial: Trial) -> None:
    await trial.supervise("undo_last_result")
    await trial.tap("tab-alerts", "approve")
    await trial.identify("rana")
    await trial.is_refused()  # not the one who proposed it
    await trial.identify("shah")
    await trial.fact(ResultUndone)
    await trial.is_done()
    assert trial.facts(PersonActed)[-1].approved_by == "shah"
    await trial.supervise("confirm", reason=False)
    await trial.fact(RoundResult)


CARDS_PUT_RIGHT = Evening(
    {
        "identify_card": identify_card,
        "correct_card": correct_card,
        "void_round": void_round,
        "use_extra_card": use_extra_card,
        "burn_extra_card": burn_extra_card,
        "void_and_replay": void_and_replay,
        "undo_last_result": undo_last_result,
        "withdraw": withdraw,
        "approve": approve,
    },
    settings={"gate_locks": "when_stopped", "shown_card": "free_hand"},
)
