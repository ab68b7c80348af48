"""The check at the end: every card that left the shoe is in the journal, in order, and settled rounds were dealt. Pure.

The Angel Eye wire can lose a telegram for ever, or be given one by a stranger. Where one of the faults that do so was
just shown, such cards are counted by themselves, and only if they lie at a round that the table had voided.
"""

from typing import NamedTuple

from shoe_controller.demo.event_lines import face
from shoe_controller.demo.ledger import CardLedger, RecordedCard, Round
from shoe_controller.demo.truth import Happening
from shoe_controller.table.facts import AnyFact, ResultUndone, RoundResult, RoundVoided


class Reckoning(NamedTuple):
    cards: int
    """Cards that left the shoe and are recorded, in order."""
    rounds: int
    """Settled rounds that were dealt just so."""
    lost: int
    """Cards that the line lost while a fault was shown, where the table voided the round."""
    made_up: int
    """Cards that a stranger told of, in the same circumstances."""
    on_their_way: int
    """Cards that left the shoe in the last moment, and were not told of yet."""
    problems: tuple[str, ...]


def reckon(
    truth: list[Happening],
    rounds: list[Happening],
    facts: list[AnyFact],
    faults: list[Happening],
    loses_cards: frozenset[str],
) -> Reckoning:
    """Compare what the shoe let out with what was recorded. `loses_cards` names the faults that excuse a difference."""
    ledger = CardLedger()
    for fact in facts:
        ledger.take(fact)
    pairs = _aligned(truth, ledger.cards)
    matched = [number for number, (left, right) in enumerate(pairs) if left is not None and right is not None]
    last = matched[-1] if matched else -1
    void = {(fact.shoe, fact.round) for fact in facts if isinstance(fact, RoundVoided)}
    problems: list[str] = []
    lost = made_up = on_their_way = 0
    for number, (left, right) in enumerate(pairs):
        excused = _fault_at(pairs, number, faults) in loses_cards and _beside_void(pairs, number, void)
        if left is not None and right is None:
            if number > last:
                on_their_way += 1
            elif excused:
                lost += 1
            else:
                problems.append(f"{face(left.card)} to {left.to} left the shoe and is not in the journal")
        elif left is None and right is not None:
            if excused:
                made_up += 1
            else:
                problems.append(f"{face(right.card)} for {right.place} is in the journal and never left the shoe")
    settled, unexplained = _settled_as_dealt(rounds, facts)
    return Reckoning(len(matched), settled, lost, made_up, on_their_way, (*problems, *unexplained))


_Pair = tuple[Happening | None, RecordedCard | None]


def _aligned(truth: list[Happening], recorded: list[RecordedCard]) -> list[_Pair]:
    """Both lists side by side with as many pairs as possible; what fits nothing stands alone."""
    begin = 0
    while begin < min(len(truth), len(recorded)) and recorded[begin].tells_of(truth[begin]):
        begin += 1
    pairs: list[_Pair] = [*zip(truth[:begin], recorded[:begin], strict=True)]
    left, right = truth[begin:], recorded[begin:]
    longest = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            best = max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = max(best, longest[i + 1][j + 1] + 1) if right[j].tells_of(left[i]) else best
    i = j = 0
    while i < len(left) and j < len(right):
        if right[j].tells_of(left[i]) and longest[i][j] == longest[i + 1][j + 1] + 1:
            pairs.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            pairs.append((left[i], None))
            i += 1
        else:
            pairs.append((None, right[j]))
            j += 1
    pairs += [(card, None) for card in left[i:]]
    pairs += [(None, card) for card in right[j:]]
    return pairs


def _fault_at(pairs: list[_Pair], number: int, faults: list[Happening]) -> str:
    """The last fault before this card, or for one that never left the shoe, before the next that did."""
    t = next((left.t for left, _ in pairs[number:] if left is not None), float("inf"))
    return next((fault.fault for fault in reversed(faults) if fault.t <= t), "")


def _beside_void(pairs: list[_Pair], number: int, void: set[Round]) -> bool:
    """Whether the card belongs to a round that was voided: its own, or that of a neighbour in the row."""
    before = next((card for _, card in reversed(pairs[: number + 1]) if card is not None), None)
    after = next((card for _, card in pairs[number:] if card is not None), None)
    return any(card is not None and card.where in void for card in (before, after))


def _settled_as_dealt(rounds: list[Happening], facts: list[AnyFact]) -> tuple[int, list[str]]:
    """Every settled round must have been dealt at the shoe, card by card, and in this order."""
    undone = {fact.replaces for fact in facts if isinstance(fact, ResultUndone)}
    dealt = iter(rounds)
    settled, problems = 0, []
    for fact in facts:
        if not isinstance(fact, RoundResult) or fact.seq in undone:
            continue
        hands = (fact.outcome.player.cards, fact.outcome.banker.cards)
        if any((one.player, one.banker) == hands for one in dealt):
            settled += 1
        else:
            problems.append(f"shoe {fact.shoe}, round {fact.round} was settled on cards that were not dealt")
            break
    return settled, problems
