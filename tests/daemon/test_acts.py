"""Each act of dealer and supervisor through MQTT, with its answer and what is published of it.

The emulated shoe is dealt by the test's own hand, so that every act finds the phase it is for.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from firmware_protocol.events import Button
from shoe_controller.messages.actors import Person
from shoe_controller.messages.acts import ACTS, CollectCommission, DealCard, Note
from shoe_controller.messages.causes import EndedEarly
from shoe_controller.messages.facts import (
    ActProposed,
    AlertEnded,
    AlertRaised,
    CardCorrected,
    CardsShown,
    ExtraCardDecided,
    Fact,
    FreeHandAnnounced,
    PersonActed,
    ProposalEnded,
    ResultUndone,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeEnded,
    ShoeOpened,
    WrongPin,
)
from shoe_controller.messages.requests import RequestRole, acts_of
from shoe_controller.messages.retained import StateMessage
from simulator.decks import read_cards
from simulator.emulator import EmulatedShoe
from simulator.truth import Identified
from tests.daemon.clients import Display, Terminal
from tests.daemon.harness import Chain
from tests.daemon.house_file import DEALER, DEALER_PIN, PINS
from tests.daemon.programs import PATIENCE
from tests.reckoning import last_number, reckoned, sound_journal
from tests.table_files import Data

CARDS = "AS 2C " + " ".join(["9H KD KS 5C"] * 20)
"""An ace is shown first, so that one card is burned; then rounds of four cards that Player wins by 9 to 5."""

ELSEWHERE = (Note, CollectCommission, DealCard)
"""Acts of a dealer that are done in `test_disputes.py` and `test_hand_entry.py`."""

F = TypeVar("F", bound=Fact)


class AtTheTable:
    """The dealer's hands, and terminals for everybody."""

    def __init__(self, chain: Chain, shoe: EmulatedShoe, display: Display, terminal: Terminal) -> None:
        self.chain = chain
        self.shoe = shoe
        self.display = display
        self.terminal = terminal

    @property
    def state(self) -> StateMessage:
        assert self.display.state is not None
        return self.display.state

    async def phase(self, name: str) -> None:
        await self.display.until(lambda: self.display.phase == name, what=f"the phase {name}")
        await self.display.is_up_to_date()

    async def told(self, kind: type[F], count: int = 1) -> F:
        """Wait for so many facts of a kind; the last of them."""
        await self.display.until(lambda: len(self.display.facts_of(kind)) >= count, what=kind.__name__)
        await self.display.is_up_to_date()
        return self.display.facts_of(kind)[-1]

    async def draw(self, cards: int = 1) -> None:
        for _ in range(cards):
            await self.shoe.until(lambda: self.shoe.emulation.shoe.why_no_card is None, within=PATIENCE)
            before = self.display.state.cards_out if self.display.state else 0
            self.shoe.draw()
            await self.display.until(
                lambda before=before: self.display.state is not None and self.display.state.cards_out > before,  # type: ignore[misc]  # bound at once
                what="the card",
            )

    async def draw_a_round(self, **first: str) -> None:
        """From open wagers to a complete round."""
        await self.phase("betting")
        await self.ok("bet", first or {"seat": "1"})
        await self.draw(4)

    async def ok(self, name: str, how: dict[str, str] | None = None, **details: Any) -> None:  # noqa: ANN401 - the act's own fields
        if name == "bet":
            answer = await self.terminal.bet((how or {}).get("seat", "1"), {"base.player": 1000})
        elif (how or {}).get("role") == "supervisor":
            answer = await self.terminal.supervisor(name, (how or {}).get("person", "rana"), **details)
        else:
            answer = await self.terminal.act(name, person="anita", **details)
        assert (answer.status, answer.code) == ("ok", "ok"), (name, answer)

    async def supervisor(self, name: str, person: str = "rana", **details: Any) -> None:  # noqa: ANN401 - as above
        await self.ok(name, {"role": "supervisor", "person": person}, **details)

    async def refused(self, code: str, name: str, **named: Any) -> None:  # noqa: ANN401 - fields of the request
        answer = await self.terminal.act(name, **named)
        assert (answer.status, answer.code) == ("error", code), (name, answer)
        assert answer.refusal is not None, answer


@asynccontextmanager
async def at_the_table(
    folder: Path,
    cards: str = CARDS,
    *,
    house: Data | None = None,
    **procedure: Any,  # noqa: ANN401 - settings of [procedure]
) -> AsyncIterator[AtTheTable]:
    """A new shoe of these cards, announced, and dealt by hand; at the end the journal is compared with the display."""
    async with Chain(folder, procedure=procedure) as chain:
        chain.data["house"] |= house or {}
        chain.write_file()
        await chain.start_daemon()
        listed = tuple(read_cards(cards, "the test's cards"))
        async with chain.emulated_shoe(cards=listed, speed=None) as shoe:
            display = await chain.display()
            terminal = await chain.terminal(display)
            await display.until(lambda: display.state is not None and display.state.link_up, what="the shoe")
            shoe.press(Button.NEW_SHOE)
            await display.until(lambda: display.phase in ("first_card", "betting"), what="the new shoe")
            yield AtTheTable(chain, shoe, display, terminal)
        assert await chain.stop_daemon() == 0
        await display.has_everything(last_number(chain.journal))
        assert display.contradictions == []
        reckoned(sound_journal(chain.journal, display.events), None, info=display.info)


def test_every_act_is_done_somewhere_at_a_real_table() -> None:
    others = ("acts", "rollback", "amendments", "disputes", "hand_entry", "placing", "shoe_change")
    files = [Path(__file__).with_name(f"test_{name}.py") for name in others]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    assert [rule.name for rule in ACTS.values() if f'"{rule.name}"' not in text] == []


@pytest.mark.asyncio
async def test_the_acts_of_a_dealer(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, bets_close="dealer", reveal="by_dealer") as table:
        await table.refused("not_now", "no_more_bets")
        await table.draw(2)
        await table.phase("betting")
        await table.ok("bet")
        await table.refused("wagers_stand", "free_hand")
        await table.ok("no_more_bets")
        await table.phase("closed")
        await table.draw(4)
        assert all(place.card is None for place in table.state.cards), "nothing unrevealed leaves the controller"
        await table.ok("reveal_cards", hand="player")
        shown = await table.told(CardsShown)
        assert [str(place.card) for place in shown.places] == ["9H", "KS"]
        await table.ok("reveal_cards")
        await table.told(CardsShown, 2)
        await table.refused("nothing_hidden", "reveal_cards")
        await table.ok("confirm")
        result = await table.told(RoundResult)
        assert (result.outcome.winner.value, result.confirmed_by) == ("player", Person(person="anita"))
        await table.told(RoundSettled)
        await table.ok("free_hand")
        await table.told(FreeHandAnnounced)
        token = "t" * 32
        assert (await table.terminal.act("sign_in", person=DEALER, pin=DEALER_PIN, token=token)).status == "ok"
        assert (await table.terminal.act("sign_out", person=DEALER, token=token)).status == "ok"
        await table.refused("free_hand", "free_hand")
        await table.ok("blink_shoe")
        await table.chain.becomes(
            lambda: any(isinstance(happened, Identified) for happened in table.chain.truth), what="the shoe to blink"
        )
        await table.ok("call_supervisor")
        alert = (await table.told(AlertRaised)).alert
        assert alert.kind == "supervisor_called"
        await table.refused("not_a_supervisor", "clear_alert", alert=alert.number)
        await table.supervisor("clear_alert", alert=alert.number)
        await table.told(AlertEnded)
        await table.refused("not_a_supervisor", "open_shoe")
        await table.supervisor("end_shoe")
        await table.ok("open_shoe")
        assert (await table.told(ShoeOpened, 2)).opened_by == Person(person="anita")
        assert {type(fact.act) for fact in table.display.facts_of(PersonActed)} >= {
            act for act, rule in ACTS.items() if rule.name in acts_of(RequestRole.DEALER) and act not in ELSEWHERE
        }


@pytest.mark.asyncio
async def test_a_supervisor_names_and_corrects_cards(tmp_path: Path) -> None:
    async with at_the_table(tmp_path) as table:
        await table.draw(2)
        await table.phase("betting")
        await table.ok("bet")
        await table.supervisor("sign_in")
        await table.draw(3)
        table.shoe.inject("undisclosed")
        await table.draw(1)
        await table.refused("unknown_request", "identify_card", number=4, card="5C")
        table.shoe.press(Button.RESULT)
        assert (await table.told(AlertRaised)).alert.kind == "undisclosed_card"
        answer = await table.terminal.supervisor("identify_card", number=4, card="5C", reason=" ")
        assert answer.code == "reason_missing"
        await table.supervisor("identify_card", number=4, card="5C")
        assert (await table.told(RoundResult)).outcome.winner.value == "player"
        # The next round: the fourth card was a six, says the supervisor.
        await table.draw_a_round()
        await table.supervisor("correct_card", number=4, card="9D")
        corrected = await table.told(CardCorrected)
        assert str(corrected.place.card) == "9D"
        table.shoe.press(Button.RESULT)
        assert (await table.told(AlertRaised, 2)).alert.kind == "result_differs"
        await table.supervisor("clear_alert", alert=table.state.alerts[0].number)
        await table.ok("confirm")
        assert (await table.told(RoundResult, 2)).outcome.winner.value == "tie"


@pytest.mark.asyncio
async def test_cards_too_many_and_voids(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, gate_locks="when_stopped", shown_card="free_hand") as table:
        await table.draw(2)
        await table.draw_a_round()
        await table.draw(1)
        assert (await table.told(AlertRaised)).alert.kind == "over_draw"
        table.shoe.clear(carry_over=True)
        await table.supervisor("use_extra_card")
        assert (await table.told(ExtraCardDecided)).used
        table.shoe.press(Button.RESULT)
        await table.told(RoundResult)
        table.shoe.draw()  # the card that lies there already
        await table.draw(3)
        await table.phase("complete")
        await table.draw(1)
        assert (await table.told(AlertRaised, 2)).alert.kind == "over_draw"
        table.shoe.clear()
        await table.supervisor("burn_extra_card")
        # Names that no supervisor has leave no trace, or the record could be filled with them.
        assert not (await table.told(ExtraCardDecided, 2)).used
        table.shoe.press(Button.RESULT)
        await table.told(RoundResult, 2)
        await table.phase("betting")
        await table.ok("bet")
        await table.draw(2)
        await table.supervisor("void_and_replay", reason="a wet card")
        assert (await table.told(RoundVoided)).replay
        table.shoe.press(Button.RESULT, held=True)
        await table.phase("betting")
        await table.draw(2)
        await table.supervisor("void_round", reason="another wet card")
        voided = await table.told(RoundVoided, 2)
        assert (voided.replay, voided.total) == (False, 1000)
        table.shoe.press(Button.RESULT, held=True)
        await table.phase("betting")
        answer = await table.terminal.supervisor("void_round")
        assert answer.code == "nothing_to_void"
        await table.supervisor("end_shoe", reason="the deck is wet")
        assert (await table.told(ShoeEnded)).cause == EndedEarly(reason="the deck is wet")


@pytest.mark.asyncio
async def test_taking_a_result_back_takes_two(tmp_path: Path) -> None:
    async with at_the_table(tmp_path) as table:
        await table.draw(2)
        await table.draw_a_round()
        table.shoe.press(Button.RESULT)
        await table.told(RoundSettled)
        await table.phase("betting")
        await table.supervisor("undo_last_result", reason="a mistake")
        proposal = (await table.told(ActProposed)).proposal
        await table.supervisor("withdraw", "shah", proposal=proposal)
        await table.told(ProposalEnded)
        answer = await table.terminal.supervisor("approve", "shah", proposal=proposal)
        assert answer.code == "no_proposal"
        await table.supervisor("undo_last_result", reason="a mistake after all")
        proposal = (await table.told(ActProposed, 2)).proposal
        answer = await table.terminal.supervisor("approve", "rana", proposal=proposal)
        assert answer.code == "same_person"
        await table.supervisor("approve", "shah", proposal=proposal)
        undone, result = await table.told(ResultUndone), table.display.facts_of(RoundResult)[0]
        assert undone.replaces == result.seq
        assert (await table.told(SettlementUndone)).replaces == table.display.facts_of(RoundSettled)[0].seq
        await table.phase("complete")
        await table.supervisor("confirm")
        again = await table.told(RoundResult, 2)
        assert again.replaces == result.seq


@pytest.mark.asyncio
async def test_wrong_pins_lock_out_one_person_and_not_the_other(tmp_path: Path) -> None:
    async with at_the_table(tmp_path, wrong_pins=3, locked_out_for=1) as table:
        for person, pin in (("rana", "111222"), ("rana", "480613"), ("anita", "264079"), ("nobody", "264079")):
            answer = await table.terminal.act("sign_in", role="supervisor", person=person, pin=pin)
            assert answer.code == "wrong_pin", (person, answer)
        # Names that no supervisor has leave no trace, or the record could be filled with them.
        assert not (await table.told(WrongPin, 2)).locked_out
        answer = await table.terminal.act("sign_in", role="supervisor", person="rana", pin="not digits")
        assert answer.code == "wrong_pin"
        assert (await table.told(WrongPin, 3)).locked_out
        answer = await table.terminal.supervisor("sign_in", "rana")
        assert answer.code == "locked_out", "the right PIN does not help now"
        await table.supervisor("sign_in", "shah")

        async def let_in() -> bool:
            return (await table.terminal.supervisor("sign_in", "rana")).status == "ok"

        for _ in range(200):
            if await let_in():
                break
        else:
            raise AssertionError("rana was never let in again")
        await table.refused("pin_missing", "sign_in", role="dealer", person=DEALER)
        await table.refused("wrong_pin", "sign_in", role="dealer", person=DEALER, pin=PINS["shah"])
        answer = await table.terminal.act("sign_in", person=DEALER, pin=DEALER_PIN)
        assert answer.status == "ok"
        answer = await table.terminal.act("sign_in", role="supervisor", person="shah")
        assert answer.code == "pin_missing"
