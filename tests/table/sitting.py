"""A table on the bench: inputs are given in a line or two each, time goes on by itself, and every fact is kept.

    sitting = Sitting(reveal=Reveal.BY_DEALER)
    sitting.open_shoe(burn="AS")          # new shoe, first card, its burns
    sitting.bet("1", "base.player", 50)
    sitting.deal("9H 4D KS 2C")           # whole cards in the order of the draw
    sitting.result(IndicatedWinner.PLAYER)
    assert sitting.last(RoundResult).outcome.winner ...

After every input the state is checked: it encodes and decodes to itself, the old state was left alone, and what the
facts tell adds up (`state_checks.py`). When a test is over, its last sittings are replayed (`conftest.py`).
"""

from collections import deque
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyStoredEvent,
    Button,
    ButtonPressed,
    CardDrawn,
    Hand,
    IndicatedWinner,
    ResultIndicated,
)
from shoe_controller.baccarat.sides import Side
from shoe_controller.clock.moment import Moment
from shoe_controller.config.house import HouseEntry
from shoe_controller.config.strict_reading import Problem, read
from shoe_controller.daemon.past_rounds import amended_seq, order_of_rounds, past_from
from shoe_controller.house.rules import read_rules
from shoe_controller.house.texts import built_in_texts, house_text_of
from shoe_controller.messages.acts import AnyAct, OpenShoe, Role, SignIn
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import AnyFact, Fact, RoundAmended
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.requests import Stake
from shoe_controller.table.inputs import (
    AnyInput,
    ControllerStarted,
    JournalBegun,
    LinkBack,
    NewShoe,
    NewShoeLine,
    PersonActs,
    PinVerdict,
    RolledBack,
    SeatBets,
    ShoeReport,
    Snapshot,
    TimerRanOut,
)
from shoe_controller.table.judging import possible_hands
from shoe_controller.table.opening import needs_supervisor
from shoe_controller.table.procedure import Procedure
from shoe_controller.table.state import REVISION, RulesSource, TableState
from shoe_controller.table.table import Handled, Table
from shoe_controller.table.view import view_of
from tests.table.state_checks import StateChecks

F = TypeVar("F", bound=Fact)

RECENT: "deque[Sitting]" = deque(maxlen=8)
"""The last sittings of the test that runs."""

OTHER_LINE = NewShoeLine(wire="native", port="/dev/ttyUSB1")
"""What the table's file says of the shoe that takes the place of another."""

BEGINS = NewShoe | Snapshot | RolledBack | JournalBegun
"""Inputs from which a replay can begin."""

_HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}


def house_text(**settings: Any) -> str:  # noqa: ANN401 - settings are what a file may hold
    small = {
        "base_game": "nepal",
        "decks": 8,
        "layout": "nepal_super_baccarat",
        "seats": ["1", "2", "3"],
        "limits": {"all": {"min": 1, "max": 1000}},
    }
    problems: list[Problem] = []
    entry = read(small | settings, HouseEntry, problems)
    assert entry is not None, problems
    return house_text_of(entry)


def rules(house: dict[str, Any] | None = None, **procedure: Any) -> RulesSource:  # noqa: ANN401 - as above
    return RulesSource(house=house_text(**(house or {})), catalogue=built_in_texts(), procedure=Procedure(**procedure))


class Sitting:
    def __init__(self, house: dict[str, Any] | None = None, **procedure: Any) -> None:  # noqa: ANN401 - as above
        self.rules = rules(house, **procedure)
        self.table = Table(read_rules)
        self.facts: list[AnyFact] = []
        self.history: list[tuple[AnyInput, Moment, tuple[AnyFact, ...]]] = []
        self.mono_ns = 1_000_000_000_000
        self.sequence = 0
        self.duty_token = ""
        """Goes with what the dealer does, as a digest; empty before a dealer has signed in."""
        self.checks = StateChecks()
        self.revision = REVISION
        """Of the program that opens the next shoe."""
        RECENT.append(self)
        self.give(Snapshot(state=TableState()))
        self.give(ControllerStarted(boot="first", revision=REVISION))
        self.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench", can_blink=True))

    def begin_new_journal(self, first: RolledBack | JournalBegun) -> Handled:
        """The journal was rolled back: a table that knows nothing gets this from a new one."""
        self.table = Table(read_rules)
        self.facts, self.history, self.checks = [], [], StateChecks()
        return self.give(first)

    # --- inputs ------------------------------------------------------------------------------------------------------

    def moment(self) -> Moment:
        return Moment(wall_ms=1_790_000_000_000 + self.mono_ns // 1_000_000, mono_ns=self.mono_ns, synchronised=True)

    def wait(self, seconds: float) -> None:
        self.mono_ns += int(seconds * 1_000_000_000)

    def give(self, given: AnyInput) -> Handled:
        """Any input; what opens a shoe is wrapped as the shell does it."""
        given = self.with_past(given)
        self.wait(0.1)
        at = self.moment()
        if isinstance(given, PersonActs | ShoeReport) and self.table.opens_shoe(given, at):
            given = msgspec.structs.replace(self.table.new_shoe(self.rules, given), revision=self.revision)
        before = self.table.state
        encoded = msgspec.json.encode(before)
        handled = self.table.handle(given, at)
        assert msgspec.json.encode(before) == encoded, "handle must not change the state"
        self.table.take_over(handled)
        assert msgspec.json.decode(msgspec.json.encode(handled.state), type=TableState) == handled.state
        if handled.changed:
            self.history.append((given, at, handled.facts))
            self.facts += handled.facts
            self.checks.check(before, given, handled)
        return handled

    def with_past(self, given: AnyInput) -> AnyInput:
        """An act about a past round comes with it; here from the facts, as the shell reads it from the journal."""
        if self.table.exchanges_shoe(given) and isinstance(given, PersonActs) and given.line is None:
            return msgspec.structs.replace(given, line=OTHER_LINE)
        meant = self.table.past_round(given)
        if meant is None or not isinstance(given, PersonActs):
            return given
        opened = [(before.rules, facts) for before, _, facts in self.history if isinstance(before, NewShoe)]
        rules = next((rules for rules, facts in opened if facts[-1].shoe == meant.shoe), None)
        is_own = self.state.shoe is not None and meant.shoe == self.state.shoe_number
        seq = amended_seq(meant, self.state)
        amended = next((fact for fact in self.all(RoundAmended) if fact.seq == seq), None)
        past = past_from(self.facts, amended, meant, None if is_own else rules, order_of_rounds(self.state, meant))
        return msgspec.structs.replace(given, past=past)

    def check_replay(self) -> None:
        """From every opening and snapshot on, an empty table comes to the same facts and the same state."""
        begins = [n for n, (given, *_) in enumerate(self.history) if isinstance(given, BEGINS)]
        for begin, end in zip(begins, [*begins[1:], len(self.history)], strict=True):
            table = Table(read_rules)
            for given, at, facts in self.history[begin:end]:
                stored = msgspec.json.decode(msgspec.json.encode(given), type=AnyInput)
                handled = table.handle(stored, at)
                table.take_over(handled)
                assert msgspec.json.encode(handled.facts) == msgspec.json.encode(facts)
        assert table.state == self.state
        assert table.desired_shoe == self.table.desired_shoe
        assert table.next_timer == self.table.next_timer
        assert view_of(table.state, read_rules) == view_of(self.state, read_rules)

    def event(self, event: AnyStoredEvent, *, age_ms: int = 0) -> Handled:
        self.sequence += 1
        return self.give(ShoeReport(event=event, sequence=self.sequence, boot_id=1, age_ms=age_ms))

    def act(
        self,
        act: AnyAct,
        *,
        person: str = "ann",
        role: Role = Role.SUPERVISOR,
        pin: PinVerdict = PinVerdict.RIGHT,
        reason: str = "as seen on the table",
        shoe: int | None = None,
        round: int | None = None,  # noqa: A002 - a round of the game
        request_id: str = "",
        user: str = "console",
        token_digest: str = "",
    ) -> Handled:
        state = self.table.state
        return self.give(
            PersonActs(
                act=act,
                person=person,
                role=role,
                pin=pin,
                reason=reason,
                shoe=state.shoe_number if shoe is None else shoe,
                round=state.round_number if round is None else round,
                request_id=request_id,
                user=user,
                token_digest=token_digest,
            )
        )

    def sign_in(self, person: str = "dan", token: str | None = None) -> Handled:
        """A dealer goes on duty; what `dealer` does then carries the token."""
        token = f"token of {person}" if token is None else token
        handled = self.act(SignIn(), person=person, role=Role.DEALER, reason="", token_digest=token)
        if handled.refusal is None:
            self.duty_token = token
        return handled

    def dealer(self, act: AnyAct, **more: Any) -> Handled:  # noqa: ANN401 - the fields of `act`
        usual: dict[str, Any] = {"person": self.state.lasting.dealer_id or "dan", "pin": PinVerdict.NOT_GIVEN}
        usual["token_digest"] = self.duty_token
        return self.act(act, role=Role.DEALER, reason="", **(usual | more))

    def bet(self, seat: str, wager: str, stake: int, **more: Any) -> Handled:  # noqa: ANN401 - fields of `SeatBets`
        return self.bets(seat, [(wager, stake)], **more)

    def bets(self, seat: str, stakes: Sequence[tuple[str, int]], **more: Any) -> Handled:  # noqa: ANN401 - above
        state = self.table.state
        fields = {"shoe": state.shoe_number, "round": state.round_number} | more
        return self.give(SeatBets(seat=seat, stakes=tuple(Stake(*stake) for stake in stakes), **fields))

    def timer(self) -> Handled:
        """Let the time pass until the table's next deadline, and bring it the timer."""
        timer = self.table.next_timer
        assert timer is not None
        self.mono_ns = max(self.mono_ns, timer[1])
        return self.give(TimerRanOut(timer=timer[0]))

    # --- whole stretches of a shoe ------------------------------------------------------------------------------------

    def open_shoe(self, burn: str | None = "AS") -> None:
        """A new shoe; with a first card, also its burns. Where the house asks for it, a dealer signs in before."""
        if self.rules.procedure.dealer_signs_in and self.state.lasting.dealer is None:
            self.sign_in()
        self.announce()
        if burn is not None and self.rules.procedure.burn:
            self.event(CardDrawn(hand=Hand.BURN, card=Card.parse(burn), first_of_shoe=True))
            while self.state.phase is Phase.BURNING:
                self.event(CardDrawn(hand=Hand.BURN))

    def announce(self) -> Handled:
        """New cards are in: a supervisor says so where a dealer may not."""
        return self.act(OpenShoe()) if needs_supervisor(self.state) else self.dealer(OpenShoe())

    def card(self, text: str | None, hand: Hand | None = None, **more: Any) -> Handled:  # noqa: ANN401 - above
        """A card as a good shoe tells of it; the hand is worked out unless it is given."""
        cards = self.state.round.cards if self.state.round is not None else ()
        possible = possible_hands(cards)
        if hand is None and possible:
            hand = _HANDS[possible[0]]
        side = {value: key for key, value in _HANDS.items()}.get(hand) if hand is not None else None
        position = None if side is None else sum(laid.hand is side for laid in cards) + 1
        card = None if text is None else Card.parse(text)
        return self.event(CardDrawn(**({"hand": hand, "position": position, "card": card} | more)))

    def deal(self, cards: str) -> None:
        for text in cards.split():
            self.card(text)

    def result(self, winner: IndicatedWinner | None, **marks: bool) -> Handled:
        self.event(ButtonPressed(button=Button.RESULT))
        return self.event(ResultIndicated(winner=winner, **marks))

    # --- what came of it ----------------------------------------------------------------------------------------------

    @property
    def state(self) -> TableState:
        return self.table.state

    def at(self, phase: Phase) -> bool:
        return self.state.phase is phase

    @property
    def alerts(self) -> list[AlertKind]:
        """The kinds of the alerts that stand."""
        return [alert.kind for alert in self.state.lasting.alerts]

    def alert_number(self, kind: str) -> int:
        return next(alert.number for alert in self.state.lasting.alerts if alert.kind == kind)

    def all(self, fact: type[F]) -> list[F]:
        return [said for said in self.facts if isinstance(said, fact)]

    def last(self, fact: type[F]) -> F:
        return self.all(fact)[-1]


class QuickSitting(Sitting):
    """A sitting without the checks after every input, for long ones; it is replayed all the same."""

    def give(self, given: AnyInput) -> Handled:
        self.wait(0.1)
        at = self.moment()
        if isinstance(given, PersonActs | ShoeReport) and self.table.opens_shoe(given, at):
            given = self.table.new_shoe(self.rules, given)
        handled = self.table.handle(given, at)
        self.table.take_over(handled)
        if handled.changed:
            self.history.append((given, at, handled.facts))
            self.facts += handled.facts
        return handled
