"""A dealer's duty through the whole chain: sign-in, relief, what it outlives, and the card that a new dealer burns."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firmware_protocol.events import Button
from shoe_controller.messages.facts import (
    AlertRaised,
    BettingClosed,
    CardBurned,
    DealerChanged,
    RoundResult,
    ShoeLinkChanged,
)
from shoe_controller.messages.prompts import NewDealerBurns
from simulator.decks import read_cards
from tests.daemon.harness import Chain
from tests.daemon.house_file import DEALER, DEALER_PIN, person
from tests.daemon.test_acts import CARDS, AtTheTable
from tests.reckoning import last_number, reckoned, sound_journal

OTHER, OTHER_PIN = "bikash", "518204"
TOKEN, OTHERS_TOKEN = "the token of the first dealer's terminal", "the token of the other dealer's terminal"


@asynccontextmanager
async def with_two_dealers(folder: Path) -> AsyncIterator[AtTheTable]:
    """Nobody is on duty, and no shoe is open. At the end no file of the table holds a token."""
    procedure = {"dealer_signs_in": True, "new_dealer_burns": True}
    async with Chain(folder, procedure=procedure) as chain:
        chain.data["people"].append(person(OTHER, "dealer", OTHER_PIN))
        chain.write_file()
        await chain.start_daemon()
        listed = tuple(read_cards(CARDS, "the test's cards"))
        async with chain.emulated_shoe(cards=listed, speed=None) as shoe:
            display = await chain.display()
            await display.until(lambda: display.state is not None and display.state.link_up, what="the shoe")
            yield AtTheTable(chain, shoe, display, await chain.terminal(display))
        assert await chain.stop_daemon() == 0
        await display.has_everything(last_number(chain.journal))
        reckoned(sound_journal(chain.journal, display.events), None, info=display.info)
        assert_no_token_in(folder)


def assert_no_token_in(folder: Path) -> None:
    written = [file.read_bytes() for file in folder.iterdir() if file.is_file()]
    assert not any(token.encode() in text for text in written for token in (TOKEN, OTHERS_TOKEN))


@pytest.mark.asyncio
async def test_a_sign_in_outlives_everything_but_another(tmp_path: Path) -> None:
    async with with_two_dealers(tmp_path) as table:
        chain, shoe, display, terminal = table.chain, table.shoe, table.display, table.terminal
        await table.refused("not_signed_in", "open_shoe", person=DEALER)
        assert (await terminal.act("sign_in", person=DEALER, pin=DEALER_PIN, token=TOKEN)).status == "ok"
        assert (await table.told(DealerChanged)).dealer == DEALER
        shoe.press(Button.NEW_SHOE)
        await table.phase("first_card")
        await table.draw(2)
        await table.phase("betting")
        await table.draw(2)

        # In mid-round both the daemon and the broker die, and the token is as good as before.
        await chain.kill_daemon()
        await chain.broker.kill()
        await chain.broker.start()
        await chain.start_daemon()
        await terminal.is_connected()
        assert (await table.told(ShoeLinkChanged, 3)).up
        assert table.state.dealer == DEALER
        await table.refused("not_signed_in", "call_supervisor", person=DEALER, token=OTHERS_TOKEN)
        await table.draw(2)
        await table.phase("complete")
        assert (await terminal.act("confirm", person=DEALER, token=TOKEN)).status == "ok"
        assert (await table.told(RoundResult)).dealer == DEALER
        shoe.press(Button.RESULT)

        # Another dealer takes over, and burns a card.
        await table.phase("betting")
        assert (await terminal.act("sign_in", person=OTHER, pin=OTHER_PIN, token=OTHERS_TOKEN)).status == "ok"
        await table.refused("not_signed_in", "call_supervisor", person=DEALER, token=TOKEN)
        await display.until(lambda: isinstance(table.state.prompt, NewDealerBurns), what="the prompt")
        shoe.press(Button.BURN)
        await table.draw(1)
        assert (await table.told(CardBurned, 3)).burned == 2
        await table.draw(4)
        assert (await table.told(BettingClosed, 2)).dealer == OTHER
        assert {fact.alert.kind for fact in display.facts_of(AlertRaised)} == {"shoe_lost"}
        shoe.press(Button.RESULT)
        await table.told(RoundResult, 2)

        # The house strikes the dealer off: the table takes the file up, and nobody is on duty.
        chain.data["people"].pop()
        chain.write_file()
        chain.daemon.signal(signal.SIGHUP)
        assert (await table.told(DealerChanged, 3)).dealer is None
        await table.refused("not_signed_in", "call_supervisor", person=OTHER, token=OTHERS_TOKEN)
