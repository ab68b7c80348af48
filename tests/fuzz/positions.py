"""Tables to which fuzzed requests come: in every phase, with wagers, alerts, proposals and wrong PINs."""

from collections.abc import Callable
from typing import NamedTuple

from firmware_protocol.events import Button, ButtonPressed, CutCard, IndicatedWinner, LidChanged, LinkDownCause
from shoe_controller.messages.acts import EndShoe, FreeHand, SignIn, UndoLastResult
from shoe_controller.messages.facts import AnyFact
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.inputs import LinkLost, PinVerdict
from shoe_controller.table.state import RulesSource, TableState
from tests.table.sitting import Sitting


class Position(NamedTuple):
    rules: RulesSource
    state: TableState
    facts: tuple[AnyFact, ...]
    mono_ns: int
    sequence: int


def _betting(sitting: Sitting) -> None:
    sitting.open_shoe()
    sitting.bets("1", [("base.player", 50), ("pairs.player", 5)])
    sitting.bet("2", "base.banker", 100)


def _dealing(sitting: Sitting) -> None:
    _betting(sitting)
    sitting.deal("9H 4D")


def _complete(sitting: Sitting) -> None:
    _betting(sitting)
    sitting.deal("9H 4D KS 2C")


def _settled(sitting: Sitting) -> None:
    _complete(sitting)
    sitting.result(IndicatedWinner.PLAYER)


def _undo_proposed(sitting: Sitting) -> None:
    _settled(sitting)
    sitting.bet("3", "base.tie", 10)
    sitting.act(UndoLastResult())


def _not_read(sitting: Sitting) -> None:
    _betting(sitting)
    sitting.deal("9H")
    sitting.card(None)


def _extra_card(sitting: Sitting) -> None:
    _complete(sitting)
    sitting.card("5S")


def _stopped(sitting: Sitting) -> None:
    _dealing(sitting)
    sitting.event(LidChanged(opened=True))


def _guessed(sitting: Sitting) -> None:
    """One more wrong PIN raises the alert, and one more of Ann's at the terminal `board` locks her out there."""
    _betting(sitting)
    for number in range(9):
        user = "board" if number < 4 else f"pit-{number}"
        sitting.act(SignIn(), pin=PinVerdict.WRONG, user=user)


def _without_link(sitting: Sitting) -> None:
    _betting(sitting)
    sitting.give(LinkLost(how=LinkDownCause.DISCONNECTED, reason="pulled"))


def _last_round(sitting: Sitting) -> None:
    _betting(sitting)
    sitting.event(CutCard())


def _free_hand(sitting: Sitting) -> None:
    sitting.open_shoe()
    sitting.dealer(FreeHand())


def _ended(sitting: Sitting) -> None:
    sitting.open_shoe()
    sitting.act(EndShoe())


def _button(sitting: Sitting) -> None:
    _complete(sitting)
    sitting.event(ButtonPressed(button=Button.RESULT))


_SITTINGS: tuple[tuple[Callable[[], Sitting], Callable[[Sitting], None]], ...] = (
    (Sitting, _betting),
    (Sitting, lambda _: None),
    (Sitting, lambda sitting: sitting.open_shoe(burn=None)),
    (Sitting, _dealing),
    (Sitting, _complete),
    (Sitting, _settled),
    (Sitting, _undo_proposed),
    (Sitting, _not_read),
    (Sitting, _extra_card),
    (Sitting, _stopped),
    (Sitting, _guessed),
    (Sitting, _without_link),
    (Sitting, _last_round),
    (Sitting, _free_hand),
    (Sitting, _ended),
    (Sitting, _button),
    (lambda: Sitting(reveal=Reveal.BY_DEALER), _complete),
    (lambda: Sitting(bets_close=BetsClose.DEALER), _betting),
    (lambda: Sitting(confirm_after=5.0, burn=False), _complete),
)


def _position(make: Callable[[], Sitting], play: Callable[[Sitting], None]) -> Position:
    sitting = make()
    play(sitting)
    return Position(sitting.rules, sitting.state, tuple(sitting.facts), sitting.mono_ns, sitting.sequence)


POSITIONS = tuple(_position(make, play) for make, play in _SITTINGS)
