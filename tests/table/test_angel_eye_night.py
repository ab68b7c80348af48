"""A recorded Angel Eye night is followed: no round that people would call dealt is lost, and each thing takes one act.

The bytes go through the link into the table, on virtual time. A supervisor comes at once, or late: by then the dealer
has gone on at a shoe that nobody can stop. `tests/recordings/README.md` lists what happens in the night.
"""

import gzip
from collections import deque

import msgspec
import pytest

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.link import Delivery, EventGap, LinkDown, LinkReport, LinkUp
from shoe_controller.messages.acts import (
    AnyAct,
    BurnExtraCard,
    ClearAlert,
    EnterCard,
    OpenShoe,
    Role,
    UseExtraCard,
    VoidAndReplay,
)
from shoe_controller.messages.alerts import Severity
from shoe_controller.messages.facts import AlertRaised, PersonActed, RoundResult, RoundSettled
from shoe_controller.messages.procedure import Reveal
from shoe_controller.table.alerts import rule_of
from shoe_controller.table.inputs import AnyInput, EventsMissed, LinkBack, LinkLost, ShoeReport
from simulator.recording import Chunk, read_recording
from tests.simulator.angel_eye_night import FOLDER, NAME, NeedsPerson, Night, night
from tests.table.sitting import QuickSitting

AFTER_OPENING = 12.0
"""Seconds from the opening of the wagers until seat 1 wagers."""
AFTER_THE_END = 300.0


class Evening:
    """The link, the table and its people."""

    def __init__(self, told: Night, supervisor_after: float, reveal: Reveal) -> None:
        self.table = QuickSitting(reveal=reveal)
        self.table.give(LinkLost(reason="no shoe yet"))
        self.link = AngelEyeController()
        self.acts: list[str] = []
        self._began = self.table.mono_ns
        self._needs = deque(told.needs)
        self._after = supervisor_after
        self._stands_since: dict[int, float] = {}
        self._betting: tuple[int, float] | None = None
        self.table.act(OpenShoe())

    # --- the line ----------------------------------------------------------------------------------------------

    def plugged_in(self, now: float) -> None:
        self.link.connected(now)
        self._take(self.link.tick(now), now)

    def pulled_out(self, now: float) -> None:
        self._take(self.link.disconnected(now), now)

    def received(self, chunk: Chunk) -> None:
        self._take(self.link.receive(chunk.data, chunk.t), chunk.t)

    def _take(self, found: "list[Delivery | LinkReport] | list[LinkReport]", now: float) -> None:
        for item in found:
            match item:
                case Delivery():
                    self.give(ShoeReport(event=item.event, sequence=item.sequence), now)
                    self.link.committed(item, now)
                case EventGap():
                    self.give(EventsMissed(reason=item.reason, joined=item.joined), now)
                case LinkUp():
                    self.give(LinkBack(keeps_events=False, authenticated=False), now)
                case LinkDown():
                    self.give(LinkLost(reason=item.reason), now)

    def give(self, given: AnyInput, now: float) -> None:
        self.table.mono_ns = max(self.table.mono_ns, self._began + int(now * 1e9))
        self.table.give(given)
        self.look(now)

    # --- people ------------------------------------------------------------------------------------------------

    def look(self, now: float) -> None:
        """Note since when alerts stand and wagers are open."""
        standing = [alert for alert in self.table.state.lasting.alerts if rule_of(alert).severity is Severity.STOPS]
        self._stands_since = {alert.number: self._stands_since.get(alert.number, now) for alert in standing}
        state = self.table.state
        is_open = state.phase == "betting" and not standing and state.round is not None and not state.round.wagers
        if not is_open:
            self._betting = None
        elif self._betting is None or self._betting[0] != state.round_number:
            self._betting = (state.round_number, now)

    def next_moment(self) -> float | None:
        moments = [self._betting[1] + AFTER_OPENING] if self._betting else []
        if self._stands_since:
            moments.append(
                max(min(self._stands_since.values()) + self._after, self._needs[0].t if self._needs else 0.0)
            )
        return min(moments, default=None)

    def act_at(self, now: float) -> None:
        self.table.mono_ns = max(self.table.mono_ns, self._began + int(now * 1e9))
        if self._betting and self._betting[1] + AFTER_OPENING <= now:
            self.table.bet("1", "base.player", 50)
        else:
            self._decide()
        self.look(now)

    def _decide(self) -> None:
        """The supervisor decides on what stands, by what the people at the table have seen."""
        alert = next(a for a in self.table.state.lasting.alerts if a.number == min(self._stands_since))
        assert self._needs, f"{alert.kind} stands, and nothing has happened that needs a person"
        need = self._needs.popleft()
        assert alert.kind == need.alert, f"{alert.kind} stands, and this needs a person: {need}"
        handled = self.table.act(_act_of(need, alert.number))
        assert handled.refusal is None, (need, handled.refusal)
        self.acts.append(need.act)


def _act_of(need: NeedsPerson, alert: int) -> AnyAct:
    match need.act:
        case "use_extra_card":
            return UseExtraCard()
        case "burn_extra_card":
            return BurnExtraCard()
        case "void_and_replay":
            return VoidAndReplay()
        case "enter_card":
            assert need.number is not None
            return EnterCard(number=need.number, card=need.card)
        case _:
            return ClearAlert(alert=alert)


def played(told: Night, chunks: list[Chunk], supervisor_after: float, reveal: Reveal) -> Evening:
    evening = Evening(told, supervisor_after, reveal)
    moments: list[tuple[float, int, Chunk | bool]] = [(0.0, 0, True)]
    moments += [(outage.begin, 1, False) for outage in told.outages]
    moments += [(outage.end, 0, True) for outage in told.outages]
    moments += [(chunk.t, 2, chunk) for chunk in chunks]
    moments.append((chunks[-1].t + AFTER_THE_END, 2, Chunk(chunks[-1].t + AFTER_THE_END, "shoe", "")))
    for at, _, what in sorted(moments, key=lambda moment: moment[:2]):
        while (moment := evening.next_moment()) is not None and moment < at:
            evening.act_at(moment)
        if isinstance(what, Chunk):
            evening.received(what)
        elif what:
            evening.plugged_in(at)
        else:
            evening.pulled_out(at)
    return evening


def recorded() -> tuple[Night, list[Chunk]]:
    told = msgspec.json.decode((FOLDER / f"{NAME}.truth.json").read_bytes(), type=Night)
    return told, list(read_recording(FOLDER / f"{NAME}.jsonl.gz"))


def assert_followed(told: Night, evening: Evening) -> None:
    table = evening.table
    results = [fact.outcome for fact in table.all(RoundResult)]
    dealt = [(round_.player, round_.banker, round_.winner.value) for round_ in told.rounds]
    assert [(each.player.cards, each.banker.cards, each.winner.value) for each in results] == dealt
    assert evening.acts == [need.act for need in told.needs], "one act for each thing that needs a person, and no other"
    people = [fact.act for fact in table.all(PersonActed) if fact.role is Role.SUPERVISOR]
    assert len(people) == len(told.needs) + 1, "and the opening of the shoe"
    stands = [alert.kind for alert in table.state.lasting.alerts]
    assert stands == ["restarted_between_rounds"], "the record says that the count is uncertain"
    assert table.state.shoe is not None
    assert table.state.shoe.uncertain
    raised = [fact.alert for fact in table.all(AlertRaised)]
    stopping = [alert for alert in raised if alert.severity is Severity.STOPS and alert.kind != "shoe_lost"]
    assert len(stopping) <= len(told.needs), "no more alerts than things that need a person"


@pytest.mark.parametrize("supervisor_after", [0.6, 6.0, 45.0])
def test_the_night_is_followed_whenever_the_supervisor_comes(supervisor_after: float) -> None:
    told, chunks = recorded()
    evening = played(told, chunks, supervisor_after, Reveal.AT_RESULT)
    assert_followed(told, evening)
    assert evening.table.all(RoundSettled)


def test_the_seed_gives_the_same_night_again() -> None:
    again = night()
    stale = f"{NAME} is stale: run python -m tests.simulator.angel_eye_night and read the difference"
    assert gzip.decompress((FOLDER / f"{NAME}.jsonl.gz").read_bytes()) == again.traffic, stale
    assert (FOLDER / f"{NAME}.truth.json").read_bytes() == again.night, stale


def test_a_shoe_that_discloses_at_the_draw_has_the_same_night() -> None:
    again = night(Disclosing.AT_DRAW)
    chunks = [msgspec.json.decode(line, type=Chunk) for line in again.traffic.splitlines()]
    told = msgspec.json.decode(again.night, type=Night)
    assert_followed(told, played(told, chunks, 6.0, Reveal.BY_DEALER))
