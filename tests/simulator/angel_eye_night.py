"""An Angel Eye night: what an emulated shoe sends in a night of mishaps, as a script of scenes at the shoe.

`python -m tests.simulator.angel_eye_night` makes `tests/recordings/angel_eye_night.*` anew from the seed. Each scene is
a round, or what happens between two, in the documented order of telegrams. The truth beside the bytes says which rounds
people at the table would call dealt, when nobody listened, and what needed a person.
"""

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.events import Button, Fault, FaultCode, IndicatedWinner
from simulator.emulation import Emulation, EmulationSettings
from simulator.firmware import Stage
from simulator.recording import Chunk
from simulator.shoe_line import Wire, WireSettings
from simulator.truth import AnyHappening, CardOut, RoundEnded

FOLDER = Path(__file__).parents[1] / "recordings"
NAME = "angel_eye_night"
SEED = 18
CARD, RESULT, WAGERS, SUPERVISOR = 2.5, 3.0, 20.0, 8.0
"""Seconds that people take."""
WAITS_FOR_SUPERVISOR = 120.0
NOISE = bytes.fromhex("00 fe 80 00 7f e0")
"""Six stray bytes at a power-up, as in the capture."""


class Outage(msgspec.Struct, frozen=True):
    """Nobody was on the line from `begin` to `end`."""

    begin: float
    end: float


class Dealt(msgspec.Struct, frozen=True):
    """A round that people at the table would call dealt."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    winner: IndicatedWinner


class NeedsPerson(msgspec.Struct, frozen=True):
    """Something that truly needs a person, and the act that decides on it."""

    t: float
    what: str
    alert: str
    act: str
    card: Card | None = None
    """A card whose report was lost, and that a supervisor enters."""
    number: int | None = None
    """Its place in the order of the draw."""


class Night(msgspec.Struct, frozen=True):
    outages: tuple[Outage, ...]
    rounds: tuple[Dealt, ...]
    needs: tuple[NeedsPerson, ...]


class Recorded(NamedTuple):
    traffic: bytes
    night: bytes


class Shoe:
    """A person at an emulated shoe, on virtual time; what the line carries is kept with its times."""

    def __init__(self, disclosing: Disclosing = Disclosing.AT_RESULT) -> None:
        wire = WireSettings(wire=Wire.ANGEL_EYE, disclosing=disclosing, spacing=0.05)
        self.now = 0.0
        self.chunks: list[Chunk] = []
        self.outages: list[Outage] = []
        self.needs: list[NeedsPerson] = []
        self.truth: list[AnyHappening] = []
        self.emulation = Emulation(
            EmulationSettings(wire=wire, seed=SEED, speed=None), now=0.0, truth=self.truth.append
        )
        self._kept: list[bytes] | None = None
        """What a serial server keeps while nobody listens to it."""
        self._lost = False
        self.emulation.host_attached(0.0)
        self.wait(1.0)

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while (deadline := self.emulation.next_deadline()) is not None and deadline < end:
            self.now = max(self.now, deadline)
            self.emulation.tick(self.now)
            self._carry()
        self.now = end

    def _carry(self) -> None:
        for piece in self.emulation.to_send(self.now):
            if self._kept is not None:
                self._kept.append(piece)
            elif not self._lost:
                self.chunks.append(Chunk(round(self.now, 6), "shoe", piece.hex()))

    def do(self, act: Callable[[float], object], then: float = CARD) -> None:
        act(self.now)
        self._carry()
        self.wait(then)

    def draw(self, then: float = CARD) -> None:
        self.do(self.emulation.draw, then)

    def clear(self, *, carry_over: bool = False) -> None:
        self.do(lambda now: self.emulation.clear(now, carry_over=carry_over))

    def ask_for_result(self, then: float = WAGERS) -> None:
        self.do(lambda now: self.emulation.press(Button.RESULT, now), then)

    def deal(self, cards: int | None = None) -> None:
        """So many cards, or all that the rules ask for."""
        firmware = self.emulation.shoe.firmware
        drawn = 0
        while firmware.stage is not Stage.COMPLETE and drawn != cards:
            self.draw()
            drawn += 1
        if firmware.stage is Stage.COMPLETE:
            self.wait(RESULT)

    def round(self) -> None:
        self.deal()
        self.ask_for_result()

    def new_shoe(self) -> None:
        self.do(lambda now: self.emulation.press(Button.NEW_SHOE, now))
        while self.emulation.shoe.firmware.stage is not Stage.READY:
            self.draw(1.2)
        self.wait(WAGERS)

    def restart(self) -> None:
        self.do(self.emulation.reboot, 1.0)
        self.chunks.append(Chunk(round(self.now, 6), "shoe", NOISE.hex()))
        self.wait(1.0)

    def noise(self) -> None:
        self.chunks.append(Chunk(round(self.now, 6), "shoe", NOISE.hex()))
        self.wait(3.0)

    # --- nobody listens ----------------------------------------------------------------------------------------

    def cable_pulled(self, meanwhile: Callable[[], object]) -> None:
        """What the shoe sends meanwhile is lost."""
        begin, self._lost = self.now, True
        meanwhile()
        self._lost = False
        self.outages.append(Outage(round(begin, 6), round(self.now, 6)))
        self.wait(1.0)

    def server_unreachable(self, meanwhile: Callable[[], object]) -> None:
        """A serial server keeps what the shoe sends meanwhile, and delivers it all at once."""
        begin, self._kept = self.now, []
        meanwhile()
        kept, self._kept = b"".join(self._kept), None
        self.outages.append(Outage(round(begin, 6), round(self.now, 6)))
        self.wait(0.5)
        self.chunks.append(Chunk(round(self.now, 6), "shoe", kept.hex()))
        self.wait(1.0)

    def needs_person(self, what: str, alert: str, act: str, number: int | None = None) -> None:
        """`number`: of the card that left last, which nobody heard of."""
        card = None if number is None else self.last_card()
        self.needs.append(NeedsPerson(round(self.now, 6), what, alert, act, card, number))

    def last_card(self) -> Card:
        return next(each.card for each in reversed(self.truth) if isinstance(each, CardOut))


# --- the scenes ------------------------------------------------------------------------------------------------------


def over_draw(shoe: Shoe, *, use: bool, extra: int = 1, time_out: bool = False) -> None:
    """`E` 82, `d`, then `i` where it is burned, `e` 82, the faces and the result."""
    shoe.deal()
    for _ in range(extra):
        shoe.draw()
    shoe.needs_person("a card was drawn too many", "over_draw", "use_extra_card" if use else "burn_extra_card")
    if time_out:
        # Reported in error mode on top of it, and never cleared by an `e` of its own.
        shoe.do(lambda now: shoe.emulation.shoe.line.report(Fault(code=FaultCode.DRAW_TIMEOUT, stopped=True), now))
    shoe.wait(SUPERVISOR)
    shoe.clear(carry_over=use)
    shoe.ask_for_result()


def restart_in_round(shoe: Shoe, cards: int) -> None:
    shoe.deal(cards)
    shoe.restart()
    shoe.needs_person("the shoe restarted in the middle of a round", "shoe_restarted", "void_and_replay")
    shoe.wait(SUPERVISOR)
    shoe.round()


def restart_after_round(shoe: Shoe) -> None:
    """Nobody has wagered yet: nothing is at risk, and nobody is needed."""
    shoe.deal()
    shoe.ask_for_result(then=RESULT)
    shoe.restart()
    shoe.wait(WAGERS)


def pushed_back(shoe: Shoe, *, half_way: bool) -> None:
    shoe.deal(2)
    shoe.do(lambda now: shoe.emulation.shoe.push_back(now, half_way=half_way))
    shoe.needs_person("a card was pushed back", "card_pushed_back", "clear_alert")
    shoe.wait(SUPERVISOR)
    shoe.clear()
    shoe.round()


def jam(shoe: Shoe) -> None:
    shoe.deal(3)
    shoe.do(shoe.emulation.shoe.jam)
    shoe.needs_person("a card stuck in the exit", "no_card_came", "clear_alert")
    shoe.wait(SUPERVISOR)
    shoe.clear()
    shoe.round()


def result_too_early(shoe: Shoe) -> None:
    shoe.deal(3)
    shoe.do(lambda now: shoe.emulation.press(Button.RESULT, now))
    shoe.needs_person("the result was asked for too early", "result_too_early", "clear_alert")
    shoe.wait(SUPERVISOR)
    shoe.clear()
    shoe.round()


def cable_pulled_between_rounds(shoe: Shoe) -> None:
    shoe.cable_pulled(lambda: shoe.wait(4.0))
    shoe.needs_person("nobody listened for a while", "event_gap", "clear_alert")
    shoe.wait(WAGERS)


def cable_pulled_in_round(shoe: Shoe) -> None:
    shoe.deal(2)
    shoe.cable_pulled(lambda: shoe.wait(4.0))
    shoe.needs_person("nobody listened for a while", "event_gap", "clear_alert")
    shoe.wait(SUPERVISOR)
    shoe.round()


def card_lost_with_the_cable(shoe: Shoe) -> None:
    """The dealer draws a card while the cable is out, then waits as the display asks; a supervisor enters the card."""
    shoe.deal(1)
    shoe.cable_pulled(shoe.draw)
    shoe.needs_person("a card left unheard", "event_gap", "enter_card", number=2)
    shoe.needs_person("nobody listened for a while", "event_gap", "clear_alert")
    shoe.wait(WAITS_FOR_SUPERVISOR)
    shoe.round()


def rounds_all_at_once(shoe: Shoe, rounds: int) -> None:
    def meanwhile() -> None:
        for _ in range(rounds):
            shoe.round()

    shoe.server_unreachable(meanwhile)
    shoe.needs_person("nobody listened for a while", "event_gap", "clear_alert")
    shoe.wait(WAGERS)


def play(shoe: Shoe) -> None:
    shoe.new_shoe()
    scenes: tuple[Callable[[], object], ...] = (
        shoe.round,
        lambda: over_draw(shoe, use=False),
        lambda: over_draw(shoe, use=True),
        lambda: restart_after_round(shoe),
        lambda: pushed_back(shoe, half_way=True),
        lambda: restart_in_round(shoe, 1),
        lambda: over_draw(shoe, use=True, time_out=True),
        lambda: pushed_back(shoe, half_way=False),
        lambda: cable_pulled_between_rounds(shoe),
        lambda: jam(shoe),
        shoe.noise,
        lambda: over_draw(shoe, use=False, extra=2),
        lambda: restart_in_round(shoe, 4),
        lambda: cable_pulled_in_round(shoe),
        lambda: result_too_early(shoe),
        lambda: rounds_all_at_once(shoe, 16),
        lambda: card_lost_with_the_cable(shoe),
        shoe.round,
    )
    for scene in scenes:
        scene()


def night(disclosing: Disclosing = Disclosing.AT_RESULT) -> Recorded:
    shoe = Shoe(disclosing)
    play(shoe)
    dealt = [
        Dealt(each.player, each.banker, each.winner)
        for each in shoe.truth
        if isinstance(each, RoundEnded) and each.winner is not None
    ]
    traffic = b"".join(msgspec.json.encode(chunk) + b"\n" for chunk in shoe.chunks)
    told = Night(tuple(shoe.outages), tuple(dealt), tuple(shoe.needs))
    return Recorded(traffic, msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")


def main() -> None:
    recorded = night()
    (FOLDER / f"{NAME}.jsonl.gz").write_bytes(gzip.compress(recorded.traffic, 9, mtime=0))
    (FOLDER / f"{NAME}.truth.json").write_bytes(recorded.night)
    sys.stdout.write(f"{NAME}: {len(recorded.traffic):,} bytes\n")


if __name__ == "__main__":
    main()
