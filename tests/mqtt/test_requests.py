"""Requests as they come from a broker: each is read strictly, put to a real table, and answered once.

Behind the desk stands a real table with its journal (`counter.py`). Acts themselves are tried in `tests/table`.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.events import IndicatedWinner
from shoe_controller.baccarat.wager_refusals import AboveMaximum
from shoe_controller.messages.acts import ACTS, Role, SignIn, SignOut
from shoe_controller.messages.facts import ActProposed, PersonActed, ShoeOpened, WagersChanged, WrongPin
from shoe_controller.messages.limits import LARGEST_SEQ, LARGEST_STAKE
from shoe_controller.messages.refusals import OtherContents, OtherSeat, WagerNamedTwice
from shoe_controller.messages.requests import (
    LONGEST_USER,
    MOST_CHECKPOINTS,
    Answer,
    PersonId,
    Pin,
    Reason,
    ReplayDone,
    RequestId,
    RequestRole,
    SeatName,
    SeatWagers,
    SentCheckpoints,
    Stakes,
    WagerId,
    acts_of,
)
from shoe_controller.mqtt.requests import LONGEST_CORRELATION, MOST_PIN_CHECKS, MOST_REPLAYS, SLOWED_BY
from shoe_controller.table.pins import GUESSING_TRIES
from tests.mqtt.counter import DEALERS, PINS, REPLY, TOPICS, USER, Counter
from tests.mqtt.renew_examples import DETAILS

pytestmark = pytest.mark.asyncio

TOKEN, OTHER_TOKEN = "a token of the terminal's own making", "another token, which nobody was given"


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    made = Counter(tmp_path)
    made.sitting.open_shoe()
    return made


def stakes(**by_wager: int) -> list[dict[str, Any]]:
    return [{"wager": f"base.{wager}", "stake": stake} for wager, stake in by_wager.items()]


# --- what is done ----------------------------------------------------------------------------------------------------


async def test_wagers_are_placed_changed_and_taken_back(counter: Counter) -> None:
    for number, stake in enumerate((50, 70, 0)):
        answer = await counter.request("wagers/place", request_id=f"r{number}", seat="1", stakes=stakes(player=stake))
        changed = counter.sitting.last(WagersChanged)
        assert (changed.total, changed.user) == (stake, USER)
        assert answer == Answer(
            status="ok",
            request_id=f"r{number}",
            wagers=SeatWagers(seq=changed.seq, shoe=1, round=1, seat="1", wagers=changed.wagers, total=stake),
        )


async def test_a_refused_wager_changes_nothing_and_the_answer_says_why_and_what_stands(counter: Counter) -> None:
    await counter.request("wagers/place", seat="1", stakes=stakes(player=60))
    answer = await counter.request("wagers/place", request_id="r2", seat="1", stakes=stakes(player=50, tie=100_000))
    assert (answer.status, answer.request_id) == ("error", "r2")
    assert answer.refusal == AboveMaximum(seat="1", wager="base.tie", stake=100_000, max=1000)
    assert answer.wagers is not None
    assert (answer.wagers.seat, answer.wagers.total) == ("1", 60)
    assert len(counter.sitting.all(WagersChanged)) == 1


async def test_the_answer_has_no_wagers_where_there_is_no_such_seat_or_no_round(tmp_path: Path) -> None:
    counter = Counter(tmp_path)
    early = await counter.request("wagers/place", seat="1", stakes=stakes(player=50))
    assert (early.code, early.wagers) == ("betting_closed", None)
    counter.sitting.open_shoe()
    nowhere = await counter.request("wagers/place", request_id="r2", seat="77", stakes=stakes(player=50))
    assert (nowhere.code, nowhere.wagers) == ("unknown_seat", None)


async def test_one_wager_named_twice_is_refused(counter: Counter) -> None:
    named = [*stakes(player=50, tie=10), *stakes(player=70)]
    answer = await counter.request("wagers/place", seat="1", stakes=named)
    assert answer.refusal == WagerNamedTwice(wager="base.player")
    assert counter.sitting.all(WagersChanged) == []


async def test_a_user_of_one_seat_bets_for_that_seat_alone(counter: Counter) -> None:
    def place(seat: str, request_id: str) -> Any:  # noqa: ANN401 - an answer to come
        request = msgspec.json.encode(counter.named(request_id=request_id, seat=seat, stakes=stakes(player=50)))
        return counter.bring("wagers/place", request, user="seat-1", response_topic=f"{TOPICS.replies}seat-1/1")

    other = await place("2", "r1")
    assert (other.refusal, other.wagers) == (OtherSeat(seat="1"), None)
    assert (await place("1", "r2")).status == "ok"
    (changed,) = counter.sitting.all(WagersChanged)
    assert (changed.seat, changed.user) == ("1", "seat-1")


async def test_a_dealer_needs_no_pin_and_may_give_a_name(counter: Counter) -> None:
    assert (await counter.request("dealer/call_supervisor", person="dan")).status == "ok"
    assert (await counter.request("dealer/free_hand", request_id="r2")).status == "ok"
    acted = counter.sitting.all(PersonActed)[-2:]
    assert [(fact.person, fact.role, fact.user) for fact in acted] == [
        ("dan", "dealer", USER),
        ("dealer", "dealer", USER),
    ]
    assert counter.looked_at == []


async def test_a_supervisor_acts_with_a_pin(counter: Counter) -> None:
    assert (await counter.supervisor("end_shoe")).status == "ok"
    assert counter.sitting.last(PersonActed).role == Role.SUPERVISOR.value


async def test_the_details_of_an_act_reach_the_table(counter: Counter) -> None:
    counter.sitting.deal("7H")
    counter.sitting.card(None)
    wrong = await counter.supervisor("identify_card", details={"number": 1, "card": "4D"})
    assert wrong.code == "card_is_known"
    right = await counter.supervisor("identify_card", request_id="r2", details={"number": 2, "card": "4D"})
    assert right.status == "ok"


async def test_two_people_over_mqtt(counter: Counter) -> None:
    counter.sitting.deal("7H 4D KS 2C")
    counter.sitting.result(IndicatedWinner.PLAYER)
    assert (await counter.supervisor("undo_last_result")).status == "ok"
    proposal = counter.sitting.last(ActProposed).proposal
    same = await counter.supervisor("approve", request_id="r2", details={"proposal": proposal})
    assert same.code == "same_person"
    other = await counter.supervisor("approve", person="ben", request_id="r3", details={"proposal": proposal})
    assert other.status == "ok"
    acted = counter.sitting.last(PersonActed)
    assert (acted.person, acted.approved_by) == ("ann", "ben")


@pytest.mark.parametrize("role", [RequestRole.DEALER, RequestRole.SUPERVISOR])
async def test_every_act_can_be_asked_for_and_gets_an_answer(counter: Counter, role: RequestRole) -> None:
    for name in acts_of(role):
        fields: dict[str, Any] = {"request_id": name, "person": "ann", "pin": PINS["ann"], "reason": "seen"}
        fields |= {"token": TOKEN} if role is RequestRole.DEALER else {}
        answer = await counter.request(f"{role.value}/{name}", **fields, details=DETAILS.get(name, {}))
        assert answer.code not in {"bad_request", "unknown_request", "pin_missing", "wrong_pin"}, name


# --- dealers who sign in ---------------------------------------------------------------------------------------------


@pytest.fixture
def guarded(tmp_path: Path) -> Counter:
    """A table at which dealers sign in; nobody is on duty."""
    made = Counter(tmp_path, dealer_signs_in=True)
    made.sitting.open_shoe()
    made.sitting.act(SignOut())
    return made


async def sign_in(counter: Counter, token: str, request_id: str = "in", **fields: Any) -> Answer:  # noqa: ANN401 - of the request
    usual = {"person": "dan", "pin": DEALERS["dan"], "token": token, "request_id": request_id}
    return await counter.request("dealer/sign_in", **(usual | fields))


async def test_a_dealer_acts_with_the_token_of_the_sign_in(guarded: Counter) -> None:
    assert (await guarded.request("dealer/call_supervisor", person="dan", request_id="a")).code == "not_signed_in"
    assert (await sign_in(guarded, TOKEN)).status == "ok"
    for number, (token, code) in enumerate([(OTHER_TOKEN, "not_signed_in"), (TOKEN, "ok")]):
        answer = await guarded.request("dealer/call_supervisor", token=token, request_id=f"b{number}")
        assert answer.code == code
    assert guarded.sitting.last(PersonActed).person == "dan", "the request named no person"
    assert (await guarded.request("dealer/sign_out", token=TOKEN, request_id="out")).status == "ok"
    assert (await guarded.request("dealer/call_supervisor", token=TOKEN, request_id="c")).code == "not_signed_in"


async def test_of_a_token_only_a_digest_is_stored(guarded: Counter) -> None:
    await sign_in(guarded, TOKEN)
    await guarded.request("dealer/call_supervisor", token=TOKEN, request_id="a")
    stored = guarded.sitting.write(guarded.journal).read_bytes() + msgspec.json.encode(guarded.sitting.facts)
    assert TOKEN.encode() not in stored
    dealer = guarded.sitting.state.lasting.dealer
    assert dealer is not None
    assert dealer.token_digest.encode() in stored
    assert dealer.token_digest not in msgspec.json.encode(guarded.sitting.facts).decode(), "no event has even that"


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_repeated_sign_in_with_another_pin_or_token_opens_nothing(guarded: Counter, *, restarted: bool) -> None:
    """The repeat gets the first answer, in which there is nothing to be had; with another token it is refused."""
    assert (await sign_in(guarded, TOKEN)).status == "ok"
    if restarted:
        guarded.desk = guarded.new_desk()
    assert (await sign_in(guarded, OTHER_TOKEN, pin="000000")).status == "error"
    assert (await guarded.request("dealer/call_supervisor", token=OTHER_TOKEN, request_id="a")).code == "not_signed_in"
    assert (await guarded.request("dealer/call_supervisor", token=TOKEN, request_id="b")).status == "ok"


@pytest.mark.parametrize("token", ["", "short", "x" * 101, 7])
async def test_a_token_has_a_length(guarded: Counter, token: object) -> None:
    answer = await guarded.request("dealer/sign_in", person="dan", pin=DEALERS["dan"], token=token)
    assert answer.code == "bad_request"


async def test_a_supervisor_needs_no_token_and_one_that_is_sent_means_nothing(guarded: Counter) -> None:
    assert (await guarded.supervisor("sign_in", token=TOKEN)).status == "ok"
    assert guarded.sitting.state.lasting.dealer is None
    assert (await guarded.supervisor("call_supervisor", request_id="r2")).status == "ok"


# --- once only, and for its own round --------------------------------------------------------------------------------


async def test_a_repeat_gets_the_first_answer_and_does_nothing_twice(counter: Counter) -> None:
    request = msgspec.json.encode(counter.named(seat="1", stakes=stakes(player=50)))
    first = await counter.bring("wagers/place", request)
    counter.sitting.deal("7H")
    again = await counter.bring("wagers/place", request)
    assert first is not None
    assert again is not None
    assert first.status == again.status == "ok"
    assert first.wagers is not None
    assert again.wagers is not None
    assert again.wagers.wagers == first.wagers.wagers
    assert again.wagers.seq == counter.sitting.facts[-1].seq, "the wagers are those that stand now"
    assert len(counter.sitting.all(WagersChanged)) == 1


OTHERS: list[dict[str, Any]] = [
    {"round": 2},
    {"shoe": 2},
    {"seat": "2"},
    {"stakes": stakes(player=60)},
    {"stakes": stakes(banker=50)},
    {"stakes": stakes(player=50, tie=10)},
]


@pytest.mark.parametrize("other", OTHERS, ids=str)
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_used_id_with_other_contents_is_refused_and_nothing_is_placed(
    counter: Counter, other: dict[str, Any], *, restarted: bool
) -> None:
    request = {"request_id": "1", "seat": "1", "stakes": stakes(player=50)}
    assert (await counter.request("wagers/place", **request)).status == "ok"
    if restarted:
        counter.desk = counter.new_desk()
    answer = await counter.request("wagers/place", **(request | other))
    assert (answer.refusal, answer.request_id) == (OtherContents(), "1")
    assert answer.wagers is not None, "the terminal must learn what stands"
    assert answer.wagers.total == (0 if "seat" in other else 50)
    assert (await counter.request("wagers/place", **request)).status == "ok", "the repeat itself still is one"
    assert len(counter.sitting.all(WagersChanged)) == 1


@pytest.mark.parametrize("restarted", [False, True])
async def test_no_user_uses_up_the_ids_of_another(counter: Counter, *, restarted: bool) -> None:
    for user, request_id, stake in (("pit b", "1", 50), ("pit", "b 1", 60), ("pit", "b/1", 70)):
        payload = counter.named(request_id=request_id, seat="1", stakes=stakes(player=stake))
        reply = f"{TOPICS.replies}{user}/1"
        answer = await counter.bring("wagers/place", msgspec.json.encode(payload), user=user, response_topic=reply)
        assert answer is not None
        assert answer.status == "ok"
        if restarted:
            counter.desk = counter.new_desk()
    assert [changed.total for changed in counter.sitting.all(WagersChanged)] == [50, 60, 70]


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_act_under_a_used_id_is_refused_whatever_its_pin(counter: Counter, *, restarted: bool) -> None:
    assert (await counter.supervisor("void_round", reason="coffee")).code == "nothing_to_void"
    assert (await counter.supervisor("sign_in", request_id="r2")).status == "ok"
    if restarted:
        counter.desk = counter.new_desk()
    facts = len(counter.sitting.facts)
    assert (await counter.supervisor("end_shoe", request_id="r2")).code == "other_contents"
    assert (await counter.supervisor("sign_in", request_id="r2", person="ben")).code == "other_contents"
    assert (await counter.supervisor("sign_in", request_id="r2", reason="another")).code == "other_contents"
    assert (await counter.supervisor("sign_in", request_id="r2")).status == "ok"
    assert len(counter.sitting.facts) == facts


async def test_a_used_id_does_not_open_the_next_shoe(tmp_path: Path) -> None:
    counter = Counter(tmp_path)
    assert (await counter.request("dealer/open_shoe", request_id="1")).status == "ok"
    assert (await counter.supervisor("end_shoe", request_id="2")).status == "ok"
    counter.desk = counter.new_desk()
    assert (await counter.request("dealer/open_shoe", request_id="1")).code == "other_contents"
    assert len(counter.sitting.all(ShoeOpened)) == 1
    assert (await counter.request("dealer/open_shoe", request_id="3")).status == "ok"


async def test_the_order_of_fields_and_what_is_left_out_make_no_other_request(counter: Counter) -> None:
    stands = counter.named(request_id="1")
    written = [
        {**stands, "reason": "", "details": {}},
        dict(reversed(stands.items())),
    ]
    answers = [await counter.bring("dealer/call_supervisor", msgspec.json.encode(each)) for each in written]
    assert [None if answer is None else answer.code for answer in answers] == ["ok", "ok"]
    assert counter.sitting.alerts == ["supervisor_called"]


async def test_a_repeat_of_what_was_refused_gets_the_first_answer_unless_the_reason_passes(counter: Counter) -> None:
    first = await counter.request("dealer/confirm", request_id="same")
    counter.sitting.deal("7H 4D KS 2C")
    counter.sitting.result(IndicatedWinner.PLAYER)
    again = await counter.request("dealer/confirm", request_id="same", round=1)
    assert first.code == again.code == "not_now"

    counter.pins_open.clear()
    asked = [asyncio.create_task(counter.supervisor("sign_in", request_id=f"r{n}")) for n in range(MOST_PIN_CHECKS)]
    late = asyncio.create_task(counter.supervisor("sign_in", request_id="late"))
    assert (await late).code == "busy"
    counter.pins_open.set()
    await asyncio.gather(*asked)
    assert (await counter.supervisor("sign_in", request_id="late")).status == "ok"


async def test_a_repeated_new_shoe_opens_one_shoe(tmp_path: Path) -> None:
    counter = Counter(tmp_path)
    request = msgspec.json.encode(counter.named())
    answers = [await counter.bring("dealer/open_shoe", request) for _ in range(3)]
    assert answers == [Answer(status="ok", request_id="r1")] * 3
    assert len(counter.sitting.all(ShoeOpened)) == 1


async def test_two_users_and_two_roles_may_choose_the_same_id(counter: Counter) -> None:
    request = msgspec.json.encode(counter.named(seat="1", stakes=stakes(player=50)))
    other = msgspec.json.encode(counter.named(seat="2", stakes=stakes(player=60)))
    await counter.bring("wagers/place", request)
    elsewhere = f"{TOPICS.replies}elsewhere/1"
    await counter.bring("wagers/place", other, user="elsewhere", response_topic=elsewhere)
    assert (await counter.request("dealer/call_supervisor")).status == "ok"
    assert [fact.seat for fact in counter.sitting.all(WagersChanged)] == ["1", "2"]
    assert counter.sitting.alerts == ["supervisor_called"]


@pytest.mark.parametrize(("shoe", "round_"), [(0, 1), (2, 1), (1, 0), (1, 2), (LARGEST_SEQ, LARGEST_SEQ)])
async def test_a_request_for_another_shoe_or_round_is_refused(counter: Counter, shoe: int, round_: int) -> None:
    before = len(counter.sitting.facts)
    for below in ("wagers/place", "dealer/call_supervisor"):
        fields = {"seat": "1", "stakes": stakes(player=50)} if "wagers" in below else {}
        answer = await counter.request(below, shoe=shoe, round=round_, **fields)
        assert answer.code == "other_round"
    assert len(counter.sitting.facts) == before


# --- PINs ------------------------------------------------------------------------------------------------------------


async def test_a_name_that_nobody_has_is_answered_and_counted_like_any_other_and_recorded_under_another(
    tmp_path: Path,
) -> None:
    counter = Counter(tmp_path, wrong_pins=3)
    counter.sitting.open_shoe()
    for number in range(5):
        known = await counter.supervisor("sign_in", pin="000000", request_id=f"k{number}")
        unknown = await counter.supervisor("sign_in", person="mallory", request_id=f"u{number}")
        assert known.code == unknown.code == ("wrong_pin" if number < 3 else "locked_out")
        assert str(known.refusal) == str(unknown.refusal).replace("mallory", "ann")
    assert [(fact.person, fact.failures, fact.user) for fact in counter.sitting.all(WrongPin)] == [
        (person, failures, USER) for failures in (1, 2, 3) for person in ("ann", "unknown-mallory")
    ]
    assert len(counter.looked_at) == 6, "the time of a check is spent alike"


async def test_a_dealer_signs_in_with_a_pin_and_is_no_supervisor(counter: Counter) -> None:
    def sign_in(**fields: Any) -> Any:  # noqa: ANN401 - fields of the request, and its answer
        return counter.request("dealer/sign_in", **fields)

    assert (await sign_in(person="dan", pin=DEALERS["dan"])).status == "ok"
    acted = counter.sitting.last(PersonActed)
    assert (acted.person, acted.role, type(acted.act)) == ("dan", "dealer", SignIn)
    assert (await sign_in(request_id="r2", person="ann", pin=PINS["ann"])).status == "ok"
    assert (await sign_in(request_id="r3", person="dan")).code == "pin_missing"
    assert (await sign_in(request_id="r4", person="dan", pin="000000")).code == "wrong_pin"
    assert (await sign_in(request_id="r5", person="mallory", pin="000000")).code == "wrong_pin"
    assert [fact.person for fact in counter.sitting.all(WrongPin)] == ["dan", "unknown-mallory"]
    answer = await counter.supervisor("sign_in", person="dan", pin=DEALERS["dan"], request_id="r6")
    assert answer.code == "wrong_pin", "a dealer is not taken for a supervisor, whatever the PIN"


async def test_wrong_pins_lock_a_dealer_out_of_signing_in_and_not_out_of_dealing(tmp_path: Path) -> None:
    counter = Counter(tmp_path, wrong_pins=2)
    counter.sitting.open_shoe()
    for number in range(2):
        await counter.request("dealer/sign_in", request_id=f"r{number}", person="dan", pin="000000")
    looked_at = len(counter.looked_at)
    answer = await counter.request("dealer/sign_in", request_id="r9", person="dan", pin=DEALERS["dan"])
    assert answer.code == "locked_out"
    assert len(counter.looked_at) == looked_at
    assert (await counter.request("dealer/call_supervisor", request_id="r10", person="dan")).status == "ok"


async def test_whoever_is_locked_out_is_not_even_looked_at(tmp_path: Path) -> None:
    counter = Counter(tmp_path, wrong_pins=2)
    counter.sitting.open_shoe()
    for number in range(2):
        await counter.supervisor("sign_in", pin="000000", request_id=f"r{number}")
    looked_at = len(counter.looked_at)
    assert (await counter.supervisor("sign_in", request_id="r9")).code == "locked_out"
    assert len(counter.looked_at) == looked_at
    # Also where the pause ends while the request is on its way to the table: what was not checked is not wrong.
    counter.sitting.mono_ns = (counter.sitting.state.lasting.pins[0].locked_until_ns or 0) - 1
    counted = len(counter.sitting.all(WrongPin))
    assert (await counter.supervisor("sign_in", request_id="r10")).code == "locked_out"
    assert len(counter.sitting.all(WrongPin)) == counted
    counter.sitting.wait(1)
    assert (await counter.supervisor("sign_in", request_id="r11")).status == "ok"


async def test_while_pins_are_guessed_each_check_is_slowed_down_and_all_are_answered(counter: Counter) -> None:
    replies = {user: f"{TOPICS.replies}{user}/1" for user in ("north", "south")}
    for number in range(GUESSING_TRIES + 3):
        user = ("north", "south")[number % 2]
        body = counter.named(request_id=f"g{number}", person=f"name-{number}", pin="000000")
        request = msgspec.json.encode(body)
        await counter.bring("supervisor/sign_in", request, user=user, response_topic=replies[user])
        assert counter.slept == SLOWED_BY * max(0, number + 1 - GUESSING_TRIES)
    assert (await counter.supervisor("sign_in")).status == "ok"
    assert (await counter.request("dealer/call_supervisor", request_id="r2")).status == "ok"
    assert counter.slept == SLOWED_BY * 4, "what needs no PIN is as quick as ever"


async def test_a_supervisor_without_a_pin_is_told_so(counter: Counter) -> None:
    assert (await counter.supervisor("sign_in", pin=None)).code == "pin_missing"
    assert counter.looked_at == []


async def test_pins_are_checked_one_at_a_time_and_a_flood_is_turned_away(counter: Counter) -> None:
    counter.pins_open.clear()
    asked = [
        asyncio.create_task(counter.supervisor("sign_in", request_id=f"r{number}"))
        for number in range(MOST_PIN_CHECKS + 5)
    ]
    done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    while len(done) < 5:
        done, _ = await asyncio.wait(asked, timeout=1, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0)
    assert {task.result().code for task in done} == {"busy"}
    assert len(counter.looked_at) == 1
    # Whoever needs no PIN does not wait for those who do.
    assert (await counter.request("dealer/call_supervisor", request_id="d1")).status == "ok"
    counter.pins_open.set()
    answers = [await task for task in asked]
    assert [answer.code for answer in answers].count("ok") == MOST_PIN_CHECKS
    assert len(counter.looked_at) == MOST_PIN_CHECKS


# --- replay ----------------------------------------------------------------------------------------------------------


async def test_events_are_sent_again_from_a_number_on(counter: Counter) -> None:
    newest = counter.sitting.facts[-1].seq
    answer = await counter.request("display/replay", shoe=None, round=None, after=2, limit=2)
    assert answer.code == "bad_request"
    answer = await replay(counter, after=2, limit=2)
    assert answer.replay == ReplayDone(sent=2, last=4, oldest=1, newest=newest)
    assert counter.replayed == [3, 4]
    answer = await replay(counter, after=newest)
    assert answer.replay == ReplayDone(sent=0, last=newest, oldest=1, newest=newest)


async def test_a_witness_gets_checkpoints_and_nothing_else(counter: Counter) -> None:
    request = msgspec.json.encode({"request_id": "w1", "after": 3, "limit": 2})
    answer = await counter.bring("witness/checkpoints", request)
    assert answer is not None
    assert answer.checkpoints == SentCheckpoints(journal="j1", newest=5, checkpoints=())
    for name in ("replay", "place", "confirm", "sign_in", "checkpoints2", ""):
        refused = await counter.bring(f"witness/{name}", request)
        assert refused is not None
        assert refused.code == "unknown_request"
    for role in ("display", "wagers", "dealer", "supervisor"):
        refused = await counter.bring(f"{role}/checkpoints", request)
        assert refused is not None
        assert refused.code == "unknown_request"
    for wrong in ({"after": -2}, {"after": 0, "limit": 0}, {"after": 0, "limit": MOST_CHECKPOINTS + 1}, {"batch": 1}):
        refused = await counter.bring("witness/checkpoints", msgspec.json.encode({"request_id": "w2"} | wrong))
        assert refused is not None
        assert refused.code == "bad_request"
    assert counter.replayed == [3]


async def replay(counter: Counter, **fields: Any) -> Answer:  # noqa: ANN401 - fields of the request
    answer = await counter.bring("display/replay", msgspec.json.encode({"request_id": "p1"} | fields))
    assert answer is not None
    return answer


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"after": -1},
        {"after": 0, "limit": 0},
        {"after": 0, "limit": 100_001},
        {"after": 0, "batch": 0},
        {"after": 0, "batch": 101},
        {"after": 0, "limit": -1},
        {"after": 0, "limit": 10**30},
        {"after": LARGEST_SEQ + 1},
        {"after": 10**40},
        {"after": 1.5},
        {"after": "1"},
        {"after": None},
    ],
)
async def test_a_replay_that_makes_no_sense_is_refused(counter: Counter, fields: dict[str, Any]) -> None:
    assert (await replay(counter, **fields)).code == "bad_request"
    assert counter.replayed == []


async def test_a_replay_needs_a_topic_to_go_to(counter: Counter) -> None:
    answer = await counter.bring("display/replay", b'{"request_id":"p1","after":0}', response_topic=None)
    assert answer is not None
    assert answer.code == "no_response_topic"


async def test_a_flood_of_replays_is_turned_away(counter: Counter) -> None:
    counter.replays_open.clear()
    asked = [asyncio.create_task(replay(counter, request_id=f"p{number}", after=0)) for number in range(300)]
    async with asyncio.timeout(10):
        turned_away = await asyncio.gather(*asked[MOST_REPLAYS:])
    assert {(answer.status, answer.code) for answer in turned_away} == {("error", "busy")}
    assert (await counter.request("dealer/call_supervisor")).status == "ok", "nobody else waits for them"
    newest = counter.sitting.facts[-1].seq
    counter.replays_open.set()
    answers = await asyncio.gather(*asked[:MOST_REPLAYS])
    assert {answer.status for answer in answers} == {"ok"}
    assert counter.replayed == [*range(1, newest + 1)] * MOST_REPLAYS
    assert (await replay(counter, request_id="p0", after=0)).status == "ok", "too many is a reason that passes"


# --- what is not served ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "topic",
    [
        f"{TOPICS.prefix}/event/outcome",
        f"{TOPICS.prefix}/status",
        f"{TOPICS.prefix}/reply",
        f"{TOPICS.prefix}/reply/board",
        f"{TOPICS.prefix}/reply/board/",
        f"{TOPICS.prefix}/reply//x",
        f"{TOPICS.prefix}/reply/+/x",
        f"{TOPICS.prefix}/reply/board/#",
        f"{TOPICS.prefix}/reply/seat-1/1",
        "shoe/v1/north/t2/reply/board/1",
        "",
        "\x00",
    ],
)
async def test_a_forged_response_topic_gets_no_answer_and_nothing_is_done(counter: Counter, topic: str) -> None:
    before = len(counter.sitting.facts)
    for below in ("dealer/call_supervisor", "display/replay"):
        payload = msgspec.json.encode(counter.named())
        assert await counter.bring(below, payload, response_topic=topic) is None
    assert (len(counter.sitting.facts), counter.replayed) == (before, [])


async def test_a_request_without_a_response_topic_is_done_all_the_same(counter: Counter) -> None:
    await counter.bring("dealer/call_supervisor", msgspec.json.encode(counter.named()), response_topic=None)
    assert counter.sitting.alerts == ["supervisor_called"]


async def test_a_retained_request_is_refused(counter: Counter) -> None:
    payload = msgspec.json.encode(counter.named())
    answer = await counter.bring("dealer/call_supervisor", payload, retain=True)
    assert answer is not None
    assert answer.code == "retained"
    assert counter.sitting.alerts == []


@pytest.mark.parametrize(
    "below",
    [
        f"request/dealer/{USER}/end_shoe",
        f"request/dealer/{USER}/exchange_shoe",
        f"request/display/{USER}/call_supervisor",
        f"request/wagers/{USER}/replay",
        f"request/wagers/{USER}/",
        f"request//{USER}/place",
        f"request/boss/{USER}/confirm",
    ],
)
async def test_what_a_role_cannot_ask_for_is_unknown(counter: Counter, below: str) -> None:
    before = len(counter.sitting.facts)
    payload = msgspec.json.encode(counter.named(person="ann", pin=PINS["ann"], reason="x"))
    answer = await counter.bring_to(f"{TOPICS.prefix}/{below}", payload, response_topic=None)
    assert answer is not None
    assert (answer.code, answer.request_id) == ("unknown_request", "r1")
    assert len(counter.sitting.facts) == before


@pytest.mark.parametrize(
    "below",
    [
        "request/wagers//place",
        f"request/dealer/{USER}/confirm/now",
        f"request/dealer/{'u' * (LONGEST_USER + 1)}/confirm",
        "request/dealer/confirm",
        "request/dealer",
        "status",
    ],
)
@pytest.mark.parametrize("reply", [REPLY, f"{TOPICS.replies}{'u' * (LONGEST_USER + 1)}/1", None])
async def test_a_topic_that_names_no_client_gets_no_answer(counter: Counter, below: str, reply: str | None) -> None:
    payload = msgspec.json.encode(counter.named())
    assert await counter.bring_to(f"{TOPICS.prefix}/{below}", payload, response_topic=reply) is None


async def test_long_correlation_data_is_not_sent_back(counter: Counter) -> None:
    """It would go out with every event of a replay."""
    payload = b'{"request_id":"p1","after":0}'
    for size, code in ((LONGEST_CORRELATION, "ok"), (LONGEST_CORRELATION + 1, "bad_request")):
        counter.replayed.clear()
        answer = await counter.bring("display/replay", payload, correlation=b"c" * size)
        assert answer is not None
        assert (answer.code, bool(counter.replayed)) == (code, code == "ok")


def most(of: Any) -> int:  # noqa: ANN401 - an annotated type of the contract
    (limits,) = of.__metadata__
    assert isinstance(limits.max_length, int)
    return limits.max_length


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda request: request.pop("request_id"),
    lambda request: request.pop("shoe"),
    lambda request: request.update(request_id=""),
    lambda request: request.update(request_id="r" * (most(RequestId) + 1)),
    lambda request: request.update(request_id=7),
    lambda request: request.update(shoe="1"),
    lambda request: request.update(shoe=-1),
    lambda request: request.update(round=10**30),
    lambda request: request.update(round=1.5),
    lambda request: request.update(person=""),
    lambda request: request.update(person="p" * (most(PersonId) + 1)),
    lambda request: request.update(pin=""),
    lambda request: request.update(pin="9" * (most(Pin) + 1)),
    lambda request: request.update(reason="x" * (most(Reason) + 1)),
    lambda request: request.update(details=[]),
    lambda request: request.update(details={"act": "end_shoe"}),
    lambda request: request.update(details={"alert": 1}),
    lambda request: request.update(role="supervisor"),
]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_request_that_is_not_as_it_should_be_is_refused(
    counter: Counter, change: Callable[[dict[str, Any]], object]
) -> None:
    request = counter.named()
    change(request)
    answer = await counter.bring("dealer/call_supervisor", msgspec.json.encode(request))
    assert answer is not None
    assert answer.code == "bad_request"
    assert answer.request_id == (request["request_id"] if request.get("request_id") == "r1" else "")
    assert counter.sitting.alerts == []


WAGER_CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda request: request.update(seat=""),
    lambda request: request.update(seat="s" * (most(SeatName) + 1)),
    lambda request: request.update(stakes=[]),
    lambda request: request.update(stakes=[*stakes(player=50)] * (most(Stakes) + 1)),
    lambda request: request["stakes"][0].update(wager=""),
    lambda request: request["stakes"][0].update(wager="w" * (most(WagerId) + 1)),
    lambda request: request["stakes"][0].update(stake=-1),
    lambda request: request["stakes"][0].update(stake=LARGEST_STAKE + 1),
    lambda request: request["stakes"][0].update(stake=50.0),
    lambda request: request["stakes"][0].update(note="for luck"),
    lambda request: request.update(pin="1234"),
]


@pytest.mark.parametrize("change", WAGER_CHANGES)
async def test_wagers_that_are_not_as_they_should_be_are_refused(
    counter: Counter, change: Callable[[dict[str, Any]], object]
) -> None:
    request = counter.named(seat="1", stakes=stakes(player=50))
    change(request)
    answer = await counter.bring("wagers/place", msgspec.json.encode(request))
    assert answer is not None
    assert (answer.code, answer.request_id) == ("bad_request", "r1")
    assert counter.sitting.all(WagersChanged) == []


async def test_limits_of_fields_are_within_them(counter: Counter) -> None:
    longest = {"request_id": "r" * most(RequestId), "reason": "x" * most(Reason), "person": "p" * most(PersonId)}
    assert (await counter.request("dealer/call_supervisor", **longest)).status == "ok"


NONSENSE = [
    b'{"request_id":"\\ud800","shoe":0,"round":0}',
    b"",
    b"null",
    b"[]",
    b"{",
    b"\xff\xfe",
    b"{}" * 2,
    b'{"request_id":' + b"[" * 100_000,
    b"\x00" * 1000,
    b'"' + b"x" * 60_000,
]


@pytest.mark.parametrize("payload", NONSENSE, ids=lambda payload: repr(payload[:12]))
async def test_nonsense_is_answered_and_the_table_goes_on(counter: Counter, payload: bytes) -> None:
    for below in (
        "wagers/place",
        "dealer/confirm",
        "supervisor/sign_in",
        "display/replay",
    ):
        answer = await counter.bring(below, payload)
        assert answer is not None
        assert answer.code == "bad_request"
    assert (await counter.request("dealer/call_supervisor")).status == "ok"


REQUEST_TOPICS = [
    "wagers/place",
    "display/replay",
    *(f"supervisor/{rule.name}" for rule in ACTS.values()),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
FIELDS = (
    "request_id",
    "shoe",
    "round",
    "seat",
    "stakes",
    "person",
    "pin",
    "reason",
    "details",
    "after",
    "limit",
    "batch",
)


@given(
    below=st.sampled_from(REQUEST_TOPICS),
    request=st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), VALUES),
)
@settings(max_examples=150, deadline=None)
async def test_whatever_is_asked_gets_an_answer(
    tmp_path_factory: pytest.TempPathFactory, below: str, request: dict[str, Any]
) -> None:
    counter = Counter(tmp_path_factory.getbasetemp())
    answer = await counter.bring(below, msgspec.json.encode(request))
    assert answer is not None
