"""Each fault of the emulated shoe through the whole chain: the alert it must raise, what people do, and the next round.

Faults are let loose on the second card of a round, one after another, in as few shoes as they allow. After each the
round stops or goes on as the table below says; a supervisor puts things right over MQTT, and the round after it is
settled.
"""

import asyncio
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from firmware_protocol.events import Button, Hand
from shoe_controller.messages.facts import AlertRaised, RoundResult, RoundVoided
from simulator.emulator import EmulatedShoe
from simulator.faults import FAULTS, Detection, Group
from simulator.reckoner.alignment import Leniency
from simulator.scenario import planned
from simulator.shoe_line import Wire as ShoeWire
from simulator.truth import CardOut, FaultInjected, Reading
from tests.daemon.clients import Display, Terminal
from tests.daemon.harness import Chain
from tests.daemon.house_file import Wire
from tests.daemon.parties import takes_wagers
from tests.daemon.programs import PATIENCE
from tests.reckoning import last_number, reckoned, sound_journal

NOTHING, VOID, CLEAR = "none", "void", "clear"

FORCED = ("result_too_early", "ended_by_force")
"""A round that is ended by force at the shoe is asked for its result while cards are due."""


class Promise(NamedTuple):
    """What a fault must lead to."""

    alerts: tuple[str, ...] = ()
    """All of these are raised."""
    perhaps: tuple[str, ...] = ()
    """These may be, depending on what just happened; nothing else is."""
    remedy: str = NOTHING
    """What the supervisor does: none (it heals by itself), clear, void, identify, burn, use, end_shoe."""


NATIVE: dict[str, Promise] = {
    "over_draw_burned": Promise(("over_draw",), remedy="burn"),
    "over_draw_carried_over": Promise(("over_draw",), remedy="use"),
    "result_too_early": Promise(("result_too_early",), remedy=CLEAR),
    "out_of_turn": Promise(("out_of_turn",), remedy=VOID),
    "pushed_back_at_exit": Promise(("card_pushed_back",), remedy=CLEAR),
    "pushed_back_half_way": Promise(("card_pushed_back",), remedy=CLEAR),
    "misread": Promise(("misread",), remedy=VOID),
    "undisclosed": Promise(("undisclosed_card",), remedy="identify"),
    "duplicate_card": Promise(("card_twice", "bad_shoe"), remedy="end_shoe"),
    "ninth_copy": Promise(("too_many_copies", "bad_shoe"), remedy="end_shoe"),
    "foreign_card": Promise(("foreign_card", "bad_shoe"), remedy="end_shoe"),
    "double_feed": Promise(("double_feed",), remedy=VOID),
    "cut_card_in_round": Promise(),
    "empty_in_round": Promise(("no_card_came",), remedy="end_shoe"),
    "lid_opened": Promise(("lid_opened",), remedy=CLEAR),
    "reboot": Promise(("shoe_restarted",), ("shoe_lost",), remedy=VOID),
    "power_loss": Promise(("shoe_restarted", "shoe_lost"), remedy=VOID),
    "unplug": Promise(("shoe_lost",)),
    "wrong_key": Promise(("line_refused", "shoe_restarted"), ("shoe_lost",), remedy=VOID),
    "jam": Promise(("no_card_came",), remedy=CLEAR),
    "gate_forced": Promise(("gate_forced",), remedy=CLEAR),
    "low_voltage": Promise(("shoe_fault",)),
    "bytes_lost": Promise(),
    "bytes_corrupted": Promise(),
    "bytes_doubled": Promise(),
    "bytes_delayed": Promise(),
    "single_bytes": Promise(),
    "glued": Promise(),
    "silence": Promise(("shoe_lost",)),
    "forged_frame": Promise(("line_refused",), remedy=CLEAR),
    "replayed_frame": Promise(("line_refused",), remedy=CLEAR),
}
LOST = ("event_gap", "shoe_lost", "place_filled", "out_of_turn", "card_not_due", "result_too_early", "stray_result")
"""What can come of telegrams that never arrived, or that a stranger sent."""
ANGEL_EYE = NATIVE | {
    "double_feed": Promise(("misread",), remedy=VOID),
    "reboot": Promise(("shoe_restarted",), LOST, remedy=VOID),
    "power_loss": Promise(("shoe_restarted",), LOST, remedy=VOID),
    "unplug": Promise(("shoe_lost",), LOST, remedy=VOID),
    "silence": Promise(("event_gap",), LOST, remedy=VOID),
    "forged_frame": Promise(("event_gap",), LOST, remedy=VOID),
    "replayed_frame": Promise(("event_gap",), LOST, remedy=VOID),
}
PROMISES: dict[Wire, dict[str, Promise]] = {"native": NATIVE, "angel_eye": ANGEL_EYE}

SHORTER = {"lid_opened": 0.2, "power_loss": 0.4, "unplug": 0.4, "wrong_key": 4.0, "low_voltage": 0.2}
"""Seconds that a fault lasts here; what the wires' own time-outs have to notice lasts as long as it must."""

HANDS_OFF = ("reboot", "power_loss", "unplug", "wrong_key", "silence")
"""Faults in which a dealer sees that the shoe is not as it should be, and waits."""

OVER_ANGEL_EYE = (("at_result", Group.DEALER), ("at_result", Group.SHOE), ("at_result", Group.STRANGER))
"""What of the slower wire runs every time."""

CASES = [
    pytest.param(
        wire,
        disclose,
        group,
        id=f"{wire}-{disclose}-{group.name.lower()}",
        marks=[] if wire == "native" or (disclose, group) in OVER_ANGEL_EYE else pytest.mark.long,
    )
    for wire, disclose in (("native", "at_draw"), ("angel_eye", "at_draw"), ("angel_eye", "at_result"))
    for group in Group
]


def faults_of(group: Group, wire: Wire) -> list[str]:
    """The faults of a group that this wire can tell of; those that end the shoe come last."""
    told = [
        name for name, kind in FAULTS.items() if kind.group is group and isinstance(kind.on(ShoeWire(wire)), Detection)
    ]
    return sorted(told, key=lambda name: PROMISES[wire][name].remedy == "end_shoe")


@pytest.mark.parametrize("wire", ["native", "angel_eye"])
def test_every_fault_has_its_promise(wire: Wire) -> None:
    """But for what only a reader of ids can do."""
    assert PROMISES[wire].keys() == FAULTS.keys() - {"read_again"}


@pytest.mark.asyncio
@pytest.mark.parametrize(("wire", "disclose", "group"), CASES)
async def test_faults_through_the_whole_chain(tmp_path: Path, wire: Wire, disclose: str, group: Group) -> None:
    procedure = {"bets_close": "dealer", "shown_card": "free_hand"}
    async with Chain(tmp_path, wire=wire, disclose=disclose, seed=31, shoes=None, procedure=procedure) as chain:
        await chain.start_daemon()
        async with chain.emulated_shoe() as shoe:
            display = await chain.display()
            evening = Evening(chain, shoe, display, await chain.terminal(display))
            await evening.deal_a_round("to begin with")
            for name in faults_of(group, wire):
                await evening.lets_happen(name, PROMISES[wire][name])
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        lossy = any(getattr(FAULTS[name].on(ShoeWire(wire)), "loses", False) for name in faults_of(group, wire))
        invented = any(getattr(FAULTS[name].on(ShoeWire(wire)), "invents", False) for name in faults_of(group, wire))
        # Cards may be missing or false on this wire; what was made of them is on the record all the same.
        leniency = Leniency(any_loss=lossy or invented, any_invention=lossy or invented)
        assert display.contradictions == []
        journal = sound_journal(chain.journal, display.events)
        reckoned(journal, chain.truth, info=display.info, native=wire == "native", leniency=leniency)


class Evening:
    """One shoe, and the people who get it through its faults."""

    def __init__(self, chain: Chain, shoe: EmulatedShoe, display: Display, terminal: Terminal) -> None:
        self.chain = chain
        self.shoe = shoe
        self.display = display
        self.terminal = terminal

    # --- rounds ------------------------------------------------------------------------------------------------------

    async def deal_a_round(self, why: str) -> None:
        """Bet, say "no more bets", and wait for the result."""
        before = len(self.display.facts_of(RoundResult))
        await self.begin_a_round(why)
        await self.display.until(
            lambda: len(self.display.facts_of(RoundResult)) > before, what=f"a settled round, {why}"
        )

    async def begin_a_round(self, why: str) -> None:
        await self._wagers_open(why)
        for seat, wager in (("1", "base.player"), ("5", "base.banker")):
            answer = await self.terminal.bet(seat, {wager: 1000})
            assert answer.status == "ok", (why, answer)
        answer = await self.terminal.act("no_more_bets")
        assert answer.status == "ok", (why, answer)

    async def _wagers_open(self, why: str) -> None:
        await self.display.until(
            lambda: takes_wagers(self.display.state) or self.display.phase == "ended", what=f"wagers to open, {why}"
        )
        if self.display.phase == "ended":
            virtual = self.shoe.emulation.shoe
            await self.shoe.until(lambda: virtual.cards_inside > 100 and not virtual.lid_open)
            if self.chain.wire == "angel_eye":
                # Its telegrams do not tell of new cards, and the gate is locked: the dealer says so at the terminal.
                answer = await self.terminal.act("open_shoe")
                assert answer.status == "ok", (why, answer)
            await self.display.until(lambda: takes_wagers(self.display.state), what=f"wagers to open, {why}")

    # --- faults ------------------------------------------------------------------------------------------------------

    async def lets_happen(self, name: str, promise: Promise) -> None:
        raised_before = len(self.display.facts_of(AlertRaised))
        await self._wagers_open(f"before {name}")
        fault = planned(name, at_card=self.shoe.emulation.shoe.cards_out + 2)
        fault = msgspec.structs.replace(fault, seconds=SHORTER.get(name, fault.seconds))
        self.shoe.inject(fault)
        async with asyncio.TaskGroup() as meanwhile:
            # The dealer has the next card in his hand long before a display shows that the round has begun.
            meanwhile.create_task(self._strikes(name))
            await self.begin_a_round(name)
        if name in HANDS_OFF:
            await self._dealer_waits(fault.seconds or 0.0, draws_on=name == "silence")

        def raised() -> set[str]:
            return {fact.alert.kind for fact in self.display.facts_of(AlertRaised)[raised_before:]}

        while not raised() >= set(promise.alerts):
            # A copy too many may take a round or two to come.
            await self.display.until(
                lambda: raised() >= set(promise.alerts) or takes_wagers(self.display.state),
                what=f"{name} to raise {promise.alerts}; raised: {raised()}",
            )
            if not raised() >= set(promise.alerts):
                assert name == "ninth_copy", f"{name} raised {raised()}, and the round went on"
                await self.begin_a_round(name)
        if promise.remedy == NOTHING:
            self.shoe.let_dealer(deal=True)
        await getattr(self, f"_remedy_{promise.remedy}")(name)
        if not self.shoe.emulation.dealer_is_on:
            if promise.remedy == VOID:
                await self.shoe.until(lambda: self.shoe.emulation.shoe.gate_locked)
            self.shoe.let_dealer(deal=True)
        await self.deal_a_round(f"after {name}")
        forced = FORCED if promise.remedy in (VOID, "end_shoe") else ()
        assert set(promise.alerts) <= raised() <= {*promise.alerts, *promise.perhaps, *forced}, (name, raised())

    async def _strikes(self, name: str) -> None:
        """Wait for the fault; the shoe is taken out of the dealer's hands if he sees it."""
        await self.shoe.until(lambda: self._has_struck(name), within=PATIENCE)
        if name in HANDS_OFF:
            self.shoe.let_dealer(deal=False)

    async def _dealer_waits(self, seconds: float, *, draws_on: bool) -> None:
        """Leave the shoe alone as long as the fault lasts; before he sees it, the dealer may draw a card."""
        if draws_on:
            self.shoe.draw()
        await asyncio.sleep(seconds)  # the fault is over then; nobody announces it
        await self.display.until(lambda: self.display.state is not None and self.display.state.link_up, what="the link")
        if draws_on:
            self.shoe.let_dealer(deal=True)

    def _has_struck(self, name: str) -> bool:
        return any(isinstance(each, FaultInjected) and each.fault == name for each in self.chain.truth)

    # --- what people do about it -------------------------------------------------------------------------------------

    async def _remedy_none(self, name: str) -> None:
        await self.display.until(
            lambda: (
                takes_wagers(self.display.state) and self.display.state is not None and not self.display.state.alerts
            ),
            what=f"the table to get over {name}",
        )

    async def _remedy_clear(self, name: str) -> None:
        """Ends each alert as the display says, once the shoe is in order."""
        await self.shoe.until(lambda: not self.shoe.emulation.shoe.firmware.standing)
        await self._clear_all(name)

    async def _remedy_void(self, name: str) -> None:
        """The shoe has given its round up, or is made to; then the table does."""
        await self._shoe_gives_up_round()
        before = len(self.display.facts_of(RoundVoided))
        answer = await self.terminal.supervisor("void_round", reason=name)
        assert answer.status == "ok", (name, answer)
        await self.display.until(lambda: len(self.display.facts_of(RoundVoided)) > before, what="the void")
        await self._clear_all(name)

    async def _remedy_identify(self, name: str) -> None:
        """Looks at the card on the table, and says which it is."""
        card = [c for c in self.chain.truth if isinstance(c, CardOut) and c.reading is Reading.HIDDEN][-1]
        number = 2 * (card.position or 0) - (1 if card.to is Hand.PLAYER else 0)
        answer = await self.terminal.supervisor("identify_card", number=number, card=str(card.card))
        assert answer.status == "ok", (name, answer)
        await self._clear_all(name)

    async def _remedy_burn(self, name: str) -> None:
        await self._card_too_many_is_there()
        answer = await self.terminal.supervisor("burn_extra_card")
        assert answer.status == "ok", (name, answer)

    async def _remedy_use(self, name: str) -> None:
        await self._card_too_many_is_there()
        answer = await self.terminal.supervisor("use_extra_card")
        assert answer.status == "ok", (name, answer)

    async def _card_too_many_is_there(self) -> None:
        """A wire may complain before it tells of the card, and of the faces that made the round complete."""
        await self.display.until(
            lambda: self.display.phase == "complete" and self.display.state and self.display.state.extra_cards,
            what="the card too many",
        )

    async def _remedy_end_shoe(self, name: str) -> None:
        """Void the round and end the shoe; then new cards are put in."""
        self.shoe.let_dealer(deal=False)
        answer = await self.terminal.supervisor("void_round", reason=name)
        assert answer.status == "ok", (name, answer)
        await self.display.until(lambda: self.display.phase == "betting", what="the void")
        answer = await self.terminal.supervisor("end_shoe", reason=name)
        assert answer.status == "ok", (name, answer)
        await self.display.until(lambda: self.display.phase == "ended", what="the end of the shoe")
        await self._clear_all(name)
        virtual = self.shoe.emulation.shoe
        if virtual.firmware.in_round:
            self.shoe.press(Button.RESULT, held=True)
        self.shoe.clear()
        self.shoe.new_cards()

    async def _shoe_gives_up_round(self) -> None:
        virtual = self.shoe.emulation.shoe
        await self.shoe.until(lambda: virtual.powered and self.shoe.plugged_in and not virtual.firmware.standing)
        await self.display.until(lambda: self.display.state is not None and self.display.state.link_up, what="the link")
        if virtual.firmware.in_round:
            self.shoe.press(Button.RESULT, held=True)

    async def _clear_all(self, name: str) -> None:
        """Whatever alerts stand."""
        await self.display.is_up_to_date()
        state = self.display.state
        while state is not None and state.alerts:
            alert = state.alerts[0]
            answer = await self.terminal.supervisor("clear_alert", alert=alert.number, reason=name)
            assert answer.code in ("ok", "no_such_alert", "lid_open", "other_round"), (name, alert, answer)
            seen = state.seq
            if answer.code == "lid_open":
                await asyncio.sleep(0.05)  # until the lid is closed; then the answer is another
                continue
            await self.display.until(lambda seen=seen: self.display.newest > seen, what=f"{alert.kind} to end")  # type: ignore[misc]  # bound at once
            await self.display.is_up_to_date()
            state = self.display.state
