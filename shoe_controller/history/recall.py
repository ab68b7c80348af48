"""Reassembles what happened at the table, round by round, from its facts. Pure.

Facts come in the order of the journal, those of one input together. Nothing is derived here that the table did
not publish, so a face that was not shown is not known here either. Only the reason for each card is computed again,
from the faces that are shown, so that it fits the cards as they were corrected.

What comes out is in `rounds.py`; `commands/recall.py` reads the journal and shows it.
"""

from collections.abc import Iterable, Sequence

from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.drawing import HandTotals, reason
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.reasons import NotDue, NotShown
from shoe_controller.history.recalled_cards import CardFact, lie_as_amended, take_card
from shoe_controller.history.rounds import (
    AboutShoe,
    AfterRound,
    Amendment,
    Attempt,
    CorrectedWagers,
    RecalledAct,
    RecalledAlert,
    RecalledCard,
    RecalledResult,
    RecalledRound,
    Remark,
    Returned,
    TakenBack,
    about,
)
from shoe_controller.messages.acts import (
    AmendRound,
    AnyAct,
    ClearAlert,
    CorrectCard,
    DealCard,
    DiscardCard,
    EnterCard,
    IdentifyCard,
    MoveWager,
    RevealCards,
    SetWager,
    UndoLastResult,
    rule_of,
)
from shoe_controller.messages.alerts import AlertKind, AlertMessage
from shoe_controller.messages.facts import (
    ActProposed,
    AlertEnded,
    AlertRaised,
    AnyFact,
    BettingClosed,
    BettingOpened,
    CardBurned,
    CardCounted,
    CommissionCollected,
    CommissionWaived,
    DisputeClosed,
    DisputeOpened,
    FreeHandAnnounced,
    NoteMade,
    PaymentAdjusted,
    PersonActed,
    ProposalEnded,
    ResultUndone,
    RoundAmended,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeEnded,
    WagersChanged,
    WagersCorrected,
    WagersReturned,
    WrongPin,
)

Key = tuple[int, int]
"""Shoe and round."""


def last_rounds(steps: Iterable[Sequence[AnyFact]], count: int, *, from_beginning: bool) -> list[RecalledRound] | None:
    """Return the last `count` rounds, the newest last, with what came between and after them.

    `None` if these facts do not reach back far enough; with `from_beginning` there are no earlier ones.
    """
    memory = _Memory()
    for facts in steps:
        memory.take(facts)
    memory.finish()
    rounds = list(memory.rounds.values())
    counted = [number for number, playing in enumerate(rounds) if playing.counts][-count:]
    if not from_beginning and not (
        len(counted) == count and all((rounds[n].shoe, rounds[n].round) in memory.whole for n in counted)
    ):
        return None
    first = counted[0] if len(counted) == count else 0
    return [playing for playing in rounds[first:] if playing.has_content]


class _Memory:
    def __init__(self) -> None:
        self.rounds: dict[Key, RecalledRound] = {}
        """In the order in which they were begun, or resumed."""
        self.whole: set[Key] = set()
        """Rounds whose beginning was seen."""
        self._alerts: dict[int, RecalledAlert] = {}
        self._clearing: dict[int, RecalledAct] = {}
        """Acts that ended an alert, by its number."""
        self._proposals: dict[int, tuple[RecalledRound, RecalledAct]] = {}
        self._settled_last: Key | None = None

    def take(self, facts: Sequence[AnyFact]) -> None:
        """Take all facts of one input."""
        acted = next((fact for fact in facts if isinstance(fact, PersonActed)), None)
        for fact in facts:
            self._take(fact, self._round(self._key(fact, facts), fact.time), acted)

    def finish(self) -> None:
        for playing in self.rounds.values():
            for attempt in playing.attempts:
                _add_reasons(attempt.cards)

    # --- which round a fact is about ---------------------------------------------------------------------------------

    def _key(self, fact: AnyFact, facts: Sequence[AnyFact]) -> Key:
        """The round of a fact: usually the one it names; facts about a result may come when the next round is open."""
        match fact:
            case PersonActed(act=UndoLastResult()):
                undone = next((other for other in facts if isinstance(other, ResultUndone)), fact)
                return undone.shoe, undone.round
            case (
                ActProposed(act=UndoLastResult())
                | AlertRaised(alert=AlertMessage(kind=AlertKind.SETTLED_RESULT_DIFFERS))
            ):
                if self._settled_last is not None and self._settled_last[0] == fact.shoe:
                    return self._settled_last
            case RoundAmended() | PersonActed(act=AmendRound()) | ActProposed(act=AmendRound()):
                of_round = _amended_key(fact)
                if of_round in self.rounds:
                    return of_round
            case BettingOpened() | ResultUndone() | FreeHandAnnounced(carried=True):
                key = (fact.shoe, fact.round)
                if key in self.rounds:
                    self.rounds[key] = self.rounds.pop(key)
        return fact.shoe, fact.round

    def _round(self, key: Key, time: int) -> RecalledRound:
        if key not in self.rounds:
            shoe, number = key
            self.rounds[key] = RecalledRound(shoe=shoe, round=number, state="open" if number else "before", began=time)
        return self.rounds[key]

    # --- the content of facts ----------------------------------------------------------------------------------------

    def _take(self, fact: AnyFact, playing: RecalledRound, acted: PersonActed | None) -> None:
        match fact:
            case BettingOpened() | FreeHandAnnounced() | WagersChanged() | BettingClosed() | WagersReturned():
                self._take_betting(fact, playing)
            case WagersCorrected() | RoundAmended():
                _put_right(playing, fact, acted)
            case _ if isinstance(fact, CardFact):
                take_card(fact, _attempt(playing), acted)
            case RoundResult() | RoundSettled() | ResultUndone() | SettlementUndone() | RoundVoided():
                self._take_end(fact, playing, acted)
            case AlertRaised() | AlertEnded():
                self._take_alert(fact, playing, acted)
            case PersonActed() | ActProposed() | ProposalEnded() | WrongPin():
                self._take_act(fact, playing)
            case _ if isinstance(fact, AboutShoe):
                self._take_shoe(fact, playing)
            case NoteMade() | DisputeOpened() | DisputeClosed() | PaymentAdjusted():
                self._remark(fact, playing, acted)
            case CommissionCollected() | CommissionWaived():
                self._remark(fact, playing, acted)
            case _:
                pass  # the link to the shoe has alerts of its own

    def _take_betting(
        self,
        fact: BettingOpened | FreeHandAnnounced | WagersChanged | BettingClosed | WagersReturned,
        playing: RecalledRound,
    ) -> None:
        match fact:
            case BettingOpened():
                # Also when nothing was dealt and the number is reused.
                again = bool(playing.attempts) and playing.attempts[-1].ended == "replay"
                playing.state, playing.ended, playing.closed_by = "open", None, None
                playing.free = playing.free and again
                self.whole.add((fact.shoe, fact.round))
            case FreeHandAnnounced():
                playing.free = True
                if fact.carried and playing.state not in ("open", "under_way"):
                    playing.state, playing.ended, playing.closed_by = "open", None, None
                if fact.carried:
                    self.whole.add((fact.shoe, fact.round))
            case WagersChanged():
                playing.wagers = [wager for wager in playing.wagers if wager.seat != fact.seat] + list(fact.wagers)
            case BettingClosed():
                playing.state, playing.closed_by, playing.dealer = "under_way", fact.closed_by, fact.dealer
            case WagersReturned():
                playing.wagers = [wager for wager in playing.wagers if wager not in fact.returned]
                _return(playing, fact)

    def _take_end(
        self,
        fact: RoundResult | RoundSettled | ResultUndone | SettlementUndone | RoundVoided,
        playing: RecalledRound,
        acted: PersonActed | None,
    ) -> None:
        attempt = _attempt(playing)
        person = None if acted is None else acted.person
        match fact:
            case RoundResult():
                attempt.results.append(
                    RecalledResult(
                        time=fact.time,
                        outcome=fact.outcome,
                        why=fact.why,
                        confirmed_by=fact.confirmed_by,
                        dealer=fact.dealer,
                    )
                )
                playing.state, playing.ended = "settled", fact.time
                self._settled_last = (fact.shoe, fact.round)
            case RoundSettled() if attempt.results:
                attempt.results[-1].settlement = fact.settlement
                attempt.results[-1].difference = fact.difference
            case ResultUndone():
                playing.state, playing.ended = "under_way", None
                self._take_back(fact, playing, acted)
            case SettlementUndone():
                undone = attempt.results[-1].undone if attempt.results else None
                if undone is not None:
                    undone.commission_back = fact.commission_back
            case RoundVoided():
                attempt.ended = "replay" if fact.replay else "void"
                attempt.void_reason, attempt.voided_by = fact.reason, person
                attempt.void_difference = fact.difference
                if not fact.replay:
                    playing.state, playing.ended, playing.wagers = "void", fact.time, []
                    _return(playing, fact)

    def _take_back(self, fact: ResultUndone, playing: RecalledRound, acted: PersonActed | None) -> None:
        """Take a result back, and what it was amended to: the cards and wagers then lie as they were amended last."""
        undone = TakenBack(
            time=fact.time,
            person=None if acted is None else acted.person,
            approved_by=None if acted is None else acted.approved_by,
            reason="" if acted is None else acted.reason,
        )
        attempt = _attempt(playing)
        if attempt.results:
            attempt.results[-1].undone = undone
        for amended in [each for other in self.rounds.values() for each in other.amended]:
            if (amended.shoe, amended.round) == (fact.shoe, fact.round) and amended.undone is None:
                amended.undone = undone
                lie_as_amended(attempt, amended)
                settled = () if amended.settlement is None else amended.settlement.wagers
                playing.wagers = [PlacedWager(wager.seat, wager.wager, wager.stake) for wager in settled]

    def _take_alert(self, fact: AlertRaised | AlertEnded, playing: RecalledRound, acted: PersonActed | None) -> None:
        """An alert belongs to the round in which it was raised, also when it ends much later."""
        number = fact.alert.number
        if isinstance(fact, AlertRaised):
            alert = self._alerts[number] = RecalledAlert(alert=fact.alert, raised=fact.time)
            playing.alerts.append(alert)
            return
        if number in self._clearing:
            self._clearing[number].alert_kind = fact.alert.kind
        if number in self._alerts:
            alert = self._alerts[number]
            alert.ended, alert.cause = fact.time, fact.cause
            alert.ended_how = None if acted is None else rule_of(acted.act).name

    def _take_act(self, fact: PersonActed | ActProposed | ProposalEnded | WrongPin, playing: RecalledRound) -> None:
        match fact:
            case PersonActed():
                self._drop_proposal(fact)
                act = _act(fact.time, fact.act, fact.person, fact.reason)
                act.role, act.approved_by = fact.role, fact.approved_by
                if act.alert is not None:
                    self._clearing[act.alert] = act
                playing.acts.append(act)
            case ActProposed():
                act = _act(fact.time, fact.act, fact.person, fact.reason)
                act.outcome = "proposed"
                self._proposals[fact.proposal] = (playing, act)
                playing.acts.append(act)
            case ProposalEnded():
                if fact.proposal in self._proposals:
                    _, act = self._proposals[fact.proposal]
                    act.outcome, act.not_done = "not_done", fact.cause
            case WrongPin():
                playing.acts.append(
                    RecalledAct(
                        time=fact.time,
                        act=None,
                        outcome="wrong_pin",
                        person=fact.person,
                        failures=fact.failures,
                        locked_out=fact.locked_out,
                    )
                )

    def _drop_proposal(self, fact: PersonActed) -> None:
        """Remove an approved proposal: the act is listed once, with both people."""
        if fact.approved_by is not None:
            for playing, act in self._proposals.values():
                if act.outcome == "proposed" and act in playing.acts:
                    playing.acts.remove(act)

    def _remark(self, fact: AfterRound, playing: RecalledRound, acted: PersonActed | None) -> None:
        """It is listed where it was made, and with the round that it is about, if that one is recalled."""
        person, second = (None, None) if acted is None else (acted.person, acted.approved_by)
        of_shoe, of_round = about(fact)
        remark = Remark(of_shoe=of_shoe, of_round=of_round, fact=fact, person=person, approved_by=second)
        for each in (playing, self.rounds.get((of_shoe, of_round))):
            if each is not None and remark not in each.remarks:
                each.remarks.append(remark)

    def _take_shoe(self, fact: AboutShoe, playing: RecalledRound) -> None:
        if isinstance(fact, ShoeEnded):
            self._end_shoe(fact)
        last = playing.about_shoe[-1] if playing.about_shoe else None
        if isinstance(fact, CardBurned) and isinstance(last, CardBurned) and fact.card is None and last.card is None:
            playing.about_shoe[-1] = fact  # it includes all that were burned before it
        elif isinstance(fact, CardCounted) and isinstance(last, CardCounted):
            playing.about_shoe[-1] = fact  # the result tells of the faces
        else:
            playing.about_shoe.append(fact)

    def _end_shoe(self, fact: ShoeEnded) -> None:
        for playing in self.rounds.values():
            if playing.shoe == fact.shoe:
                playing.about_shoe = [earlier for earlier in playing.about_shoe if earlier.seq != fact.replaces]
                if playing.state == "open":
                    playing.state = "not_dealt"


def _amended_key(fact: AnyFact) -> Key:
    match fact:
        case RoundAmended():
            return fact.of_shoe, fact.of_round
        case PersonActed(act=AmendRound() as act) | ActProposed(act=AmendRound() as act):
            return act.shoe, act.round
    return fact.shoe, fact.round


def _put_right(playing: RecalledRound, fact: WagersCorrected | RoundAmended, acted: PersonActed | None) -> None:
    if isinstance(fact, RoundAmended):
        _amend(playing, fact, acted)
        return
    playing.wagers = [wager for wager in playing.wagers if wager.seat not in fact.seats] + list(fact.after)
    playing.corrected.append(
        CorrectedWagers(
            time=fact.time,
            cause=fact.cause,
            before=fact.before,
            after=fact.after,
            difference=fact.difference,
            person=None if acted is None else acted.person,
        )
    )


def _amend(playing: RecalledRound, fact: RoundAmended, acted: PersonActed | None) -> None:
    playing.amended.append(
        Amendment(
            time=fact.time,
            shoe=fact.of_shoe,
            round=fact.of_round,
            outcome=fact.outcome,
            settlement=fact.settlement,
            difference=fact.difference,
            commission=fact.commission,
            commission_back=fact.commission_back,
            was_collected=fact.of_shoe == fact.shoe,
            person=None if acted is None else acted.person,
            approved_by=None if acted is None else acted.approved_by,
            reason="" if acted is None else acted.reason,
        )
    )


def _attempt(playing: RecalledRound) -> Attempt:
    """The current attempt; facts after the settlement still belong to it."""
    if not playing.attempts or playing.attempts[-1].ended is not None:
        playing.attempts.append(Attempt())
    return playing.attempts[-1]


def _return(playing: RecalledRound, fact: WagersReturned | RoundVoided) -> None:
    if fact.returned:
        cause, reason = (fact.cause, "") if isinstance(fact, WagersReturned) else (None, fact.reason)
        playing.returned.append(
            Returned(time=fact.time, cause=cause, reason=reason, wagers=fact.returned, total=fact.total)
        )


def _act(time: int, act: AnyAct, person: str, why: str) -> RecalledAct:
    recalled = RecalledAct(time=time, act=rule_of(act).name, person=person, reason=why)
    match act:
        case DealCard():
            recalled.card = act.card
        case IdentifyCard() | CorrectCard() | EnterCard():
            recalled.card_number, recalled.card = act.number, act.card
        case DiscardCard():
            recalled.card_number = act.number
        case ClearAlert():
            recalled.alert = act.alert
        case RevealCards():
            recalled.hand = act.hand
        case SetWager():
            recalled.seat, recalled.wager, recalled.stake = act.seat, act.wager, act.stake
        case MoveWager():
            recalled.seat, recalled.wager, recalled.to_seat = act.seat, act.wager, act.to_seat
        case _:
            pass  # the others have no fields, or what came of them is listed itself
    return recalled


def _add_reasons(cards: Sequence[RecalledCard]) -> None:
    """Add to each card the reason for which it was drawn, as far as the faces before it are shown."""
    deal = Deal()
    followed = True
    for before, card in enumerate(cards):
        if followed:
            card.why = deal.why if deal.next_side is card.hand else NotDue()
        elif before < 4:
            # The first four are dealt in a fixed order, whatever they are.
            card.why = reason(HandTotals((before + 1) // 2, before // 2, 0, 0, None))
        else:
            card.why = NotShown()
        followed = followed and _feed(deal, card)


def _feed(deal: Deal, card: RecalledCard) -> bool:
    if card.card is None:
        return False
    try:
        deal.feed(card.card, card.hand)
    except DealError:
        return False
    return True
