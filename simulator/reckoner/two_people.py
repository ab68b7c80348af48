"""Acts that one supervisor proposes and another approves."""

from simulator.reckoner.mismatch import Json, MismatchError

ALWAYS = frozenset({"undo_last_result", "amend_round", "accept_rollback", "adjust", "waive_commission"})
WITH_A_CARD_OUT = frozenset({"set_wager", "move_wager"})
OF_FINISHED = frozenset({"correct_card", "enter_card", "assign_cards", "discard_card", "void_round", "void_and_replay"})
"""Of a round that is complete, or whose result is or was known, where the house wants two for it."""


def check_two(acted: Json, *, card_is_out: bool, finished: bool) -> None:
    """Whether somebody else has approved what takes two."""
    name = acted["act"]["act"]
    takes_two = name in ALWAYS or (name in WITH_A_CARD_OUT and card_is_out) or (name in OF_FINISHED and finished)
    if takes_two and acted["approved_by"] in (None, acted["person"]):
        raise MismatchError(f"one person alone did what takes two: {acted}")
