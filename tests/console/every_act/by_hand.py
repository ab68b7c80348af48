"""A card that left the shoe unseen, and a table that is dealt by hand, on the console."""

from shoe_controller.messages.facts import CardDealt, EnteredCardConfirmed, HandEntryChanged, RoundResult
from tests.console.console_chain import ConsoleAt
from tests.console.every_act.trial import Evening, Trial
from tests.daemon.house_file import DEALER


async def draw_unheard(at: ConsoleAt) -> str:
    """A card leaves the shoe while its cable is out; what it is."""
    shoe = at.shoe.emulation.shoe
    before, face = shoe.cards_inside, shoe.stack.top.card.value
    if shoe.gate_locked:
        at.shoe.turn_gate_key()
    at.shoe.draw()
    await at.shoe.until(lambda: shoe.cards_inside < before)
    return face


async def enter_card(trial: Trial) -> None:
    await trial.come_in()
    await trial.at.draw(2)
    await trial.bet("1", base_player="50")
    await trial.at.draw(1)
    await trial.at.shoe.unplug()
    await trial.reads(".alert h3")
    face = await draw_unheard(trial.at)
    await trial.supervise("enter_card", "number-2", f"rank-{face[0]}", f"suit-{face[1]}", "next")
    assert (await trial.fact(CardDealt, 2)).place.entered_by == "rana"


async def begin_hand_entry(trial: Trial) -> None:
    await trial.supervise("begin_hand_entry")
    assert (await trial.fact(HandEntryChanged)).hand_entry
    await trial.reads("#where")


async def deal_card(trial: Trial) -> None:
    for dealt in (1, 2):
        face = await draw_unheard(trial.at)
        await trial.tap("tab-cards", f"deal-{face[0]}", f"deal-{face[1]}", "deal")
        place = (await trial.fact(CardDealt, dealt)).place
        assert (str(place.card), place.entered_by) == (face, DEALER)
    await trial.tap("do-confirm")
    await trial.fact(RoundResult)


async def end_hand_entry(trial: Trial) -> None:
    await trial.supervise("end_hand_entry")
    assert not (await trial.fact(HandEntryChanged)).hand_entry
    await trial.at.shoe.replug()
    await trial.fact(EnteredCardConfirmed, 3)
    await trial.tap("tab-rounds", "round-1.1")
    await trial.reads("[data-round='1.1'] .details")


DEALT_BY_HAND = Evening(
    {
        "enter_card": enter_card,
        "begin_hand_entry": begin_hand_entry,
        "deal_card": deal_card,
        "end_hand_entry": end_hand_entry,
    }
)
