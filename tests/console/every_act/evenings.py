"""All evenings. A new act is a row in one of them, or in one of its own."""

from tests.console.every_act.by_hand import DEALT_BY_HAND
from tests.console.every_act.cards import CARDS_PUT_RIGHT
from tests.console.every_act.dealing import A_DEALERS_EVENING
from tests.console.every_act.money import MONEY_PUT_RIGHT
from tests.console.every_act.placing import CARDS_PLACED
from tests.console.every_act.rollback import ROLLED_BACK
from tests.console.every_act.shoes import SHOE_COUNTED, SHOE_EXCHANGED

EVENINGS = (
    A_DEALERS_EVENING,
    CARDS_PUT_RIGHT,
    CARDS_PLACED,
    DEALT_BY_HAND,
    MONEY_PUT_RIGHT,
    SHOE_COUNTED,
    SHOE_EXCHANGED,
    ROLLED_BACK,
)
