"""The end of a shoe and what is left of it, and another shoe in the middle, on the console."""

from playwright.async_api import expect

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.events import Button
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    CardBurned,
    CardCounted,
    RemainderCounted,
    RoundResult,
    RunOutBegun,
    ShoeEnded,
    ShoeExchanged,
    ShoeLinkChanged,
    ShoeOpened,
)
from simulator.decks import read_cards
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.pty import PtyPort
from simulator.shoe_line import Wire, WireSettings
from tests.console.console_chain import CARDS
from tests.console.every_act.trial import Evening, Trial
from tests.daemon.house_file import OTHER_KEY, write_secret
from tests.daemon.programs import PATIENCE

IN_PLAY = "AS 2C 9H KD KS 5C"
"""The first card of the shoe, one that is burned, and a round that Player wins."""


def whole_deck() -> str:
    """One deck, and no card twice."""
    first = IN_PLAY.split()
    return " ".join([*first, *(card.value for card in Card if card.value not in first)])


OFFERED = ("base.player", "base.banker", "base.tie")
LEFT = len(whole_deck().split()) - len(IN_PLAY.split())


async def end_shoe(trial: Trial) -> None:
    await trial.come_in()
    await trial.at.draw(6)
    trial.at.shoe.press(Button.RESULT)
    await trial.fact(RoundResult)
    await trial.supervise("end_shoe")
    inventory = (await trial.fact(ShoeEnded)).inventory
    assert inventory is not None
    assert inventory.remainder == LEFT
    await trial.reads("#sentence")


async def count_remainder(trial: Trial) -> None:
    # The next shoe waits for the count.
    await expect(trial.desk.at("do-open_shoe")).to_have_count(0)
    await trial.supervisor_mode()
    await trial.tap("tab-supervisor")
    await expect(trial.desk.at("act-open_shoe")).to_be_disabled()
    await trial.tap("act-count_remainder", "next")
    await trial.is_refused()  # no number was given
    await trial.fill("cards-left", str(LEFT - 1))
    await trial.tap("next")
    await trial.give_reason_and_pin()
    assert not (await trial.fact(RemainderCounted)).fits
    assert (await trial.fact(AlertRaised)).alert.kind is AlertKind.REMAINDER_DIFFERS
    await trial.tap("tab-alerts")
    await trial.reads(".alert .detail")
    # They are counted again, and fit.
    await trial.tap("tab-supervisor", "act-count_remainder")
    await trial.fill("cards-left", str(LEFT))
    await trial.tap("next")
    await trial.give_reason_and_pin()
    assert (await trial.fact(RemainderCounted, 2)).fits
    await trial.fact(AlertEnded)


async def begin_run_out(trial: Trial) -> None:
    await trial.supervise("begin_run_out")
    assert (await trial.fact(RunOutBegun)).expected == LEFT
    shoe = trial.at.shoe
    for counted in range(1, LEFT + 1):
        await shoe.until(lambda: shoe.emulation.shoe.why_no_card is None, within=PATIENCE)
        shoe.draw()
        await trial.fact(CardCounted, counted)  # the shoe takes it for a card of a round
    await trial.reads("#sentence")


async def end_run_out(trial: Trial) -> None:
    await trial.supervise("end_run_out")
    counted = await trial.fact(RemainderCounted)
    assert (counted.found, counted.fits) == (LEFT, True)
    assert counted.faces is not None
    assert (counted.faces.missing, counted.faces.extra, counted.faces.unseen) == ({}, {}, 0)
    # Now the dealer may announce new cards.
    await trial.hold("do-open_shoe")
    await trial.fact(ShoeOpened)


SHOE_COUNTED = Evening(
    {
        "end_shoe": end_shoe,
        "count_remainder": count_remainder,
        "begin_run_out": begin_run_out,
        "end_run_out": end_run_out,
    },
    whole_deck(),
    {
        "more": {"house": {"decks": 1, "offer": list(OFFERED), "allow_decks": ["nepal_super_baccarat", *OFFERED]}},
        "remainder": "counted",
        "gate_locks": "when_stopped",
    },
)


def another_shoe(trial: Trial) -> EmulatedShoe:
    """A shoe at another port with another key, as the technician writes it into the table's file."""
    chain = trial.at.chain
    port, key_file = chain.folder / "other-shoe", write_secret(chain.folder / "other.key", OTHER_KEY.hex())
    chain.data["shoe"] = chain.data["shoe"] | {"port": str(port), "key_file": str(key_file)}
    chain.write_file()
    wire = WireSettings(wire=Wire.NATIVE, disclosing=Disclosing.AT_DRAW, key=OTHER_KEY, spacing=0.004)
    cards = tuple(read_cards(CARDS, "the other shoe"))
    return EmulatedShoe(port=PtyPort(port), settings=EmulationSettings(wire=wire, seed=2, cards=cards, speed=None))


async def exchange_shoe(trial: Trial) -> None:
    at = trial.at
    await trial.come_in()
    await at.draw(2)
    await trial.bet("1", base_player="50")
    # The file cannot be used: the answer says what is wrong with it, and nothing changes.
    right = at.chain.data["shoe"]
    at.chain.data["shoe"] = right | {"port": "nowhere"}
    at.chain.write_file()
    await trial.supervisor_mode()
    await trial.tap("tab-supervisor", "act-exchange_shoe", "reason-0")
    await trial.identify()
    await trial.is_refused()
    await trial.tap("close")
    at.chain.data["shoe"] = right
    # The old shoe is dead, so that nobody knows whether it has kept a card.
    await at.shoe.unplug()
    await trial.fact(ShoeLinkChanged)
    async with another_shoe(trial) as other:
        await trial.supervise("exchange_shoe")
        assert (await trial.fact(ShoeExchanged)).port == str(at.chain.folder / "other-shoe")
        await trial.clear_alert(AlertKind.EVENT_GAP)
        assert (await trial.fact(ShoeLinkChanged, 2)).up
        # It thinks that it holds new cards, and its first card is burned.
        await other.until(lambda: other.emulation.shoe.why_no_card is None, within=PATIENCE)
        other.draw()
        await trial.clear_alert(AlertKind.SHOE_CHANGE_UNCONFIRMED)
        await trial.fact(CardBurned)
        state = at.display.state
        assert state is not None
        assert (state.shoe, state.round, state.cards_out) == (1, 1, 3)
        assert [(wager.seat, wager.stake) for wager in state.wagers] == [("1", 5000)]
        await trial.tap("tab-wagers")
        await trial.reads("#sentence")


SHOE_EXCHANGED = Evening({"exchange_shoe": exchange_shoe}, settings={"gate_locks": "when_stopped"})
