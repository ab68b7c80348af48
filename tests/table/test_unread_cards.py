"""Cards that were not read, as many as there can be."""

import msgspec

from firmware_protocol.events import CardDrawn, Hand
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import ActName
from shoe_controller.messages.retained import TableView
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting


def test_the_view_can_be_read_while_the_first_card_of_the_shoe_and_all_six_of_the_round_are_unknown() -> None:
    table = Sitting()
    table.announce()
    table.event(CardDrawn(hand=Hand.BURN, first_of_shoe=True))
    for _ in range(6):
        table.card(None)
    view = view_of(table.state, read_rules)
    (identify,) = (listed for listed in view.acts if listed.act == ActName.IDENTIFY_CARD)
    assert identify.cards == (0, 1, 2, 3, 4, 5, 6)
    assert msgspec.json.decode(msgspec.json.encode(view), type=TableView) == view
