"""Messages of a table, as the controller would publish them, for tests of those who follow it."""

from typing import Any

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.house import CommissionTaken, OverLimit, Rounding, RoundingMode
from shoe_controller.baccarat.outcome import HandOutcome
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.roads import RoadResult, RoadWinner, roads
from shoe_controller.baccarat.sides import Side
from shoe_controller.baccarat.wagers import Names
from shoe_controller.follow.table import Request
from shoe_controller.messages.alerts import AlertKind, AlertMessage, Clearer, Severity
from shoe_controller.messages.facts import (
    BettingOpened,
    CardPlace,
    Fact,
    Standing,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.messages.prompts import TakeWagers
from shoe_controller.messages.refusals import AnyRefusal
from shoe_controller.messages.requests import Answer, ReplayDone, ReplayRequest, refused
from shoe_controller.messages.retained import (
    Counts,
    DealtRound,
    InfoMessage,
    LastOutcome,
    RoadsMessage,
    RoundsMessage,
    StateMessage,
    StatusMessage,
)
from shoe_controller.messages.rules import OfferedWager, PostedLimit, Price, PublishedRules
from shoe_controller.messages.topics import round_id

SITE, TABLE = "north", "t1"

JOURNAL = "4f2a"
"""The id of the journal, where a test does not name another."""

encode = msgspec.json.encode

PLAYER_CARDS = (Card("5S"), Card("3S"))
BANKER_CARDS = (Card("KC"), Card("5H"))


def status(session: int = 1, *, online: bool = True, **more: Any) -> StatusMessage:  # noqa: ANN401 - fields of StatusMessage
    usual: dict[str, Any] = {"version": "1.0", "journal": JOURNAL, "shoe_link": online, "authenticated": online}
    return StatusMessage(online=online, session=session, **(usual | more))


def state(seq: int, **more: Any) -> StateMessage:  # noqa: ANN401 - fields of StateMessage
    usual: dict[str, Any] = {
        "journal": JOURNAL,
        "round_id": "",
        "phase": Phase.BETTING,
        "stopped": False,
        "betting_open": True,
        "prompt": TakeWagers(),
        "shoe": 1,
        "round": 1,
        "decks": 8,
        "free": False,
        "link_up": True,
        "cards_out": 0,
        "burned": 0,
        "to_burn": None,
        "last_round": None,
        "cards": (),
        "extra_cards": 0,
        "standing": None,
        "wagers": (),
        "alerts": (),
        "proposal": None,
        "acts": (),
        "last_outcome": None,
        "last_void": None,
    }
    return StateMessage(seq=seq, **(usual | more))


def names(text: str) -> Names:
    return Names(en=text, zh_hant=f"{text} hant", zh_hans=f"{text} hans")


RULES = PublishedRules(
    rules_hash="",
    currency="NPR",
    decimals=2,
    base_game="commission",
    commission="5%",
    commission_taken=CommissionTaken.AT_ONCE,
    decks=8,
    seats=("1", "2"),
    offered=(
        OfferedWager(
            id="base.player",
            names=names("Player"),
            prices=(Price(when="winner player", pays="1:1"), Price(when="winner tie", pays="push")),
            min=100,
            max=1000,
            needs_base=False,
        ),
        OfferedWager(
            id="lucky_6.lucky_6",
            names=names("Lucky 6"),
            prices=(
                Price(when="winner banker, banker_total 6, banker_cards 3", pays="20:1"),
                Price(when="winner banker, banker_total 6, banker_cards 2", pays="12:1"),
            ),
            min=50,
            max=500,
            needs_base=False,
        ),
    ),
    option_rules=(),
    round_limit=PostedLimit(amount=5000, wagers=("lucky_6.lucky_6",), policy=OverLimit.PROPORTIONAL),
    rounding=Rounding(RoundingMode.DOWN, 1),
    bets_close=BetsClose.FIRST_CARD,
    reveal=Reveal.AT_DRAW,
)


def info(**more: Any) -> InfoMessage:  # noqa: ANN401 - fields of InfoMessage
    usual: dict[str, Any] = {
        "journal": JOURNAL,
        "seq": 1,
        "version": "1.0",
        "site": SITE,
        "table": TABLE,
        "title": "Table One",
        "headline": "Welcome",
        "rules": RULES,
        "rules_pending": False,
    }
    return InfoMessage(**(usual | more))


def roads_message(seq: int, winners: str = "", shoe: int = 1, journal: str = JOURNAL) -> RoadsMessage:
    """`winners` as letters: "BPPT"."""
    results = [RoadResult(winner=RoadWinner(letter)) for letter in winners]
    return RoadsMessage(
        journal=journal,
        seq=seq,
        shoe=shoe,
        counts=Counts(
            rounds=len(results),
            banker=winners.count("B"),
            player=winners.count("P"),
            tie=winners.count("T"),
            banker_pair=0,
            player_pair=0,
            natural=0,
        ),
        roads=roads(results),
    )


def last_outcome(round_number: int = 1, won: dict[str, str] | None = None) -> LastOutcome:
    return LastOutcome(
        round=round_number,
        player=HandOutcome(PLAYER_CARDS, 8, natural=True),
        banker=HandOutcome(BANKER_CARDS, 5, natural=False),
        winner=Winner.PLAYER,
        won=won or {},
    )


def rounds_message(seq: int, *minutes: int | None, journal: str = JOURNAL) -> RoundsMessage:
    """Rounds that got their results at these times."""
    return RoundsMessage(
        journal=journal,
        seq=seq,
        shoe=1,
        missing=0,
        rounds=tuple(
            DealtRound(
                round=number,
                round_id=round_id(journal, 1, number),
                player=HandOutcome(PLAYER_CARDS, 8, natural=True),
                banker=HandOutcome(BANKER_CARDS, 5, natural=False),
                winner=Winner.PLAYER,
                free=False,
                seq=number,
                time=None if minute is None else minute * 60_000,
            )
            for number, minute in enumerate(minutes, 1)
        ),
    )


def standing(
    why: AnyReason, next_hand: Side | None = None, player: int | None = 5, banker: int | None = None
) -> Standing:
    return Standing(player_total=player, banker_total=banker, next_hand=next_hand, complete=next_hand is None, why=why)


def place(number: int, hand: Side, card: str | None) -> CardPlace:
    return CardPlace(number=number, hand=hand, card=None if card is None else Card(card))


def alert(number: int, severity: Severity = Severity.STOPS, **more: Any) -> AlertMessage:  # noqa: ANN401 - fields of AlertMessage
    usual: dict[str, Any] = {
        "kind": AlertKind.MISREAD,
        "detail": None,
        "cleared_by": Clearer.NOBODY,
        "ended_by": (),
        "ends_itself": False,
    }
    return AlertMessage(number=number, severity=severity, **(usual | more))


def other(seq: int) -> Fact:
    """An event, whichever."""
    return BettingOpened(seq=seq, time=0, shoe=1, round=1)


def published(fact: Fact, journal: str = JOURNAL) -> bytes:
    """An event as it is published: in its envelope."""
    begin = encode({"journal": journal, "round_id": round_id(journal, fact.shoe, fact.round)})
    return begin[:-1] + b"," + encode(fact)[1:]


def replayed(*facts: Fact, journal: str = JOURNAL) -> bytes:
    """Events as they are sent again on request."""
    each = (b'{"topic":"event/' + fact.TOPIC.encode() + b'",' + published(fact, journal)[1:] for fact in facts)
    return b'{"events":[' + b",".join(each) + b"]}"


def answered(request: Request, newest: int, last: int | None = None) -> bytes:
    """The answer that comes after the events."""
    asked = msgspec.json.decode(request.payload, type=ReplayRequest)
    last = newest if last is None else last
    done = ReplayDone(sent=last - asked.after, last=last, oldest=1, newest=newest)
    return encode(Answer(status="ok", request_id=asked.request_id, replay=done))


def refused_replay(request: Request, refusal: AnyRefusal) -> bytes:
    asked = msgspec.json.decode(request.payload, type=ReplayRequest)
    return encode(refused(refusal, asked.request_id))


def after(request: Request | None) -> int | None:
    """After which event the request asks for more."""
    return None if request is None else msgspec.json.decode(request.payload, type=ReplayRequest).after
