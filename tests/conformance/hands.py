"""What an operator does at an emulated shoe that is dealt by hand."""

from firmware_protocol.events import Button
from firmware_protocol.link import Lamp
from simulator.conformance.line import Answer, Doing, Request
from simulator.emulation import Emulation
from simulator.firmware import Stage

LAMPS = {Lamp.PLAYER: 1, Lamp.BANKER: 2, Lamp.TIE: 4, Lamp.ALERT: 8}


def at_emulator(emulation: Emulation, request: Request, now: float) -> Answer:
    """Do what is asked, or look; a `CannotError` says why it cannot be done."""
    shoe = emulation.shoe
    match request.doing:
        case Doing.DRAW:
            for _ in range(request.number):
                _draw(emulation, now)
        case Doing.EVENT:
            for _ in range(request.number):
                emulation.press(Button.CALL_SUPERVISOR, now)
        case Doing.POWER:
            emulation.power_off(now)
            emulation.power_on(now)
        case Doing.SEE_GATE_LOCKED:
            return Answer(yes=shoe.why_no_card is not None)
        case Doing.SEE_LAMPS:
            return Answer(yes=sum(LAMPS[lamp] for lamp in shoe.lamps) == request.number)
        case Doing.SEE_IDENTIFY:
            pass
    return Answer(yes=True)


def _draw(emulation: Emulation, now: float) -> None:
    """A card, whatever the round needs before it."""
    if emulation.shoe.firmware.stage is Stage.COMPLETE:
        emulation.press(Button.RESULT, now)
    if not emulation.shoe.cards_inside:
        emulation.new_cards(now)
    emulation.draw(now)
