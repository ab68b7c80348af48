"""Messages of a table for tests of the board, as the controller would send them."""

from typing import Any

import msgspec

from firmware_protocol.cards import Card
from shoe_controller.baccarat.drawing import Side
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.house import CommissionTaken, OverLimit, Rounding, RoundingMode
from shoe_controller.baccarat.outcome import HandOutcome, RoundOutcome, WagerOutcome
from shoe_controller.baccarat.roads import Result as RoadResult
from shoe_controller.baccarat.roads import RoadWinner, roads
from shoe_controller.baccarat.wagers import Names, Result
from shoe_controller.mqtt.contract import (
    Answer,
    Counts,
    InfoMessage,
    OfferedWager,
    PostedLimit,
    Price,
    ReplayDone,
    RoadsMessage,
    StateMessage,
    StatusMessage,
)
from shoe_controller.table.facts import (
    BettingOpened,
    CardPlace,
    Fact,
    ResultUndone,
    RoundResult,
    RoundVoided,
    Standing,
)
from shoe_controller.table.procedure import BetsClose, Reveal
from shoe_controller.table.view import AlertView, LastOutcome

SITE, TABLE = "north", "t1"

encode = msgspec.json.encode

PLAYER_CARDS = (Card("5S"), Card("3S"))
BANKER_CARDS = (Card("KC"), Card("5H"))


def status(session: int = 1, *, online: bool = True, **more: Any) -> StatusMessage:  # noqa: ANN401 - fields of StatusMessage
    usual: dict[str, Any] = {"version": "1.0", "shoe_link": online, "authenticated": online}
    return StatusMessage(online=online, session=session, **(usual | more))


def state(seq: int, **more: Any) -> StateMessage:  # noqa: ANN401 - fields of StateMessage
    usual: dict[str, Any] = {
        "phase": "betting",
        "stopped": False,
        "prompt": "",
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
        "possible_acts": (),
        "last_outcome": None,
    }
    return StateMessage(seq=seq, **(usual | more))


def names(text: str) -> Names:
    return Names(en=text, zh_hant=f"{text} hant", zh_hans=f"{text} hans")


def info(**more: Any) -> InfoMessage:  # noqa: ANN401 - fields of InfoMessage
    usual: dict[str, Any] = {
        "seq": 1,
        "version": "1.0",
        "site": SITE,
        "table": TABLE,
        "title": "Table One",
        "headline": "Welcome",
        "currency": "NPR",
        "rules_hash": "",
        "base_game": "commission",
        "commission": "5%",
        "commission_taken": CommissionTaken.AT_ONCE,
        "decks": 8,
        "seats": ("1", "2"),
        "offered": (
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
        "option_rules": (),
        "round_limit": PostedLimit(amount=5000, wagers=("lucky_6.lucky_6",), policy=OverLimit.PROPORTIONAL),
        "rounding": Rounding(RoundingMode.DOWN, 1),
        "bets_close": BetsClose.FIRST_CARD,
        "reveal": Reveal.AT_DRAW,
        "rules_wait": "",
    }
    return InfoMessage(**(usual | more))


def roads_message(seq: int, winners: str = "", shoe: int = 1) -> RoadsMessage:
    """`winners` as letters: "BPPT"."""
    results = [RoadResult(winner=RoadWinner(letter)) for letter in winners]
    return RoadsMessage(
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


def last_outcome(round_number: int = 1) -> LastOutcome:
    return LastOutcome(
        round=round_number,
        player=HandOutcome(PLAYER_CARDS, 8, natural=True),
        banker=HandOutcome(BANKER_CARDS, 5, natural=False),
        winner=Winner.PLAYER,
    )


def standing(why: str, next_hand: Side | None = None, player: int | None = 5, banker: int | None = None) -> Standing:
    return Standing(player_total=player, banker_total=banker, next_hand=next_hand, complete=next_hand is None, why=why)


def place(number: int, hand: Side, card: str | None) -> CardPlace:
    return CardPlace(number=number, hand=hand, card=None if card is None else Card(card))


def alert(number: int, severity: str = "stops", **more: Any) -> AlertView:  # noqa: ANN401 - fields of AlertView
    usual: dict[str, Any] = {
        "kind": "misread",
        "happened": "A card left the shoe and could not be read.",
        "detail": "",
        "to_do": "Call a supervisor.",
        "cleared_by": "nobody",
        "ended_by": (),
    }
    return AlertView(alert=number, severity=severity, **(usual | more))


def result(
    seq: int, round_number: int = 1, *, shoe: int = 1, minute: int = 0, wagers: dict[str, str | None] | None = None
) -> RoundResult:
    """`wagers` by name with what they pay, or `None` for those that lost."""
    outcome = RoundOutcome(
        player=HandOutcome(PLAYER_CARDS, 8, natural=True),
        banker=HandOutcome(BANKER_CARDS, 5, natural=False),
        winner=Winner.PLAYER,
        wagers={
            name: WagerOutcome(Result.LOSE if pays is None else Result.WIN, pays)
            for name, pays in (wagers or {}).items()
        },
    )
    return RoundResult(
        seq=seq,
        time=minute * 60_000,
        shoe=shoe,
        round=round_number,
        outcome=outcome,
        why="",
        confirmed_by="shoe",
        free=False,
    )


def undone(seq: int, replaces: int) -> ResultUndone:
    return ResultUndone(seq=seq, time=0, shoe=1, round=1, replaces=replaces)


def voided(seq: int, round_number: int = 1, *, replay: bool = False, shoe: int = 1) -> RoundVoided:
    return RoundVoided(seq=seq, time=0, shoe=shoe, round=round_number, replay=replay, why="", returned=(), total=0)


def other(seq: int) -> Fact:
    """An event that a board has no use for."""
    return BettingOpened(seq=seq, time=0, shoe=1, round=1)


def replayed(fact: Fact) -> bytes:
    return b'{"topic":"event/' + fact.TOPIC.encode() + b'",' + encode(fact)[1:]


def answered(last: int, newest: int, sent: int = 0) -> bytes:
    return encode(Answer(status="ok", data=ReplayDone(sent=sent, last=last, newest=newest)))
