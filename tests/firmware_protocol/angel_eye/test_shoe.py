"""The shoe's end: numbers, copies, spacing, and both ways of disclosing cards."""

import pytest

from firmware_protocol.angel_eye.messages import NotOnThisWireError
from firmware_protocol.angel_eye.shoe import AngelEyeShoe, Disclosing, ShoeManner
from firmware_protocol.angel_eye.telegrams import Telegram, TelegramReader
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    Hand,
    IndicatedWinner,
    LidChanged,
    ResultIndicated,
    Standby,
    Started,
)
from firmware_protocol.link import LinkUsageError, ShoeLink


def opened(manner: ShoeManner) -> AngelEyeShoe:
    shoe = AngelEyeShoe(manner)
    shoe.connected(0)
    return shoe


def telegrams(raw: bytes) -> list[tuple[int, bytes]]:
    items = TelegramReader().read(raw)
    assert all(isinstance(item, Telegram) for item in items)
    return [(item.number, item.data) for item in items if isinstance(item, Telegram)]


def run_until_silent(shoe: AngelEyeShoe) -> list[tuple[float, bytes]]:
    """Everything the shoe still has to send, with the moment it went out."""
    sent = []
    now = 0.0
    while True:
        raw = shoe.to_send()
        if raw:
            sent.append((round(now, 6), raw))
        due = shoe.next_deadline()
        if due is None:
            return sent
        now = due
        shoe.tick(now)


def test_it_is_a_shoe_link() -> None:
    shoe: ShoeLink = AngelEyeShoe()
    assert shoe.next_deadline() is None
    assert shoe.to_send() == b""


def test_it_starts_with_s_and_numbers_go_round_from_1() -> None:
    shoe = opened(ShoeManner(copies=1, spacing=0))
    assert telegrams(shoe.to_send()) == [(0, b"S")]
    numbers = [shoe.report(Standby(), 0) for _ in range(20)]
    assert numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9] * 2 + [1, 2]
    assert telegrams(shoe.to_send()) == [(number, b"P") for number in numbers]


def test_each_telegram_goes_three_times_before_the_next() -> None:
    shoe = opened(ShoeManner(copies=3, spacing=0.25))
    shoe.report(Standby(), 0)
    sent = run_until_silent(shoe)
    assert [at for at, _ in sent] == [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]
    assert [telegrams(raw) for _, raw in sent] == [[(0, b"S")]] * 3 + [[(1, b"P")]] * 3


def test_without_spacing_all_copies_are_glued_together() -> None:
    shoe = opened(ShoeManner(copies=3, spacing=0))
    shoe.report(Standby(), 0)
    assert telegrams(shoe.to_send()) == [(0, b"S")] * 3 + [(1, b"P")] * 3
    assert shoe.next_deadline() is None


def test_a_restart_drops_what_was_not_sent_and_begins_with_0() -> None:
    shoe = opened(ShoeManner(copies=2, spacing=1))
    shoe.report(Standby(), 0)
    assert shoe.report(Started(), 0.5) == 0
    assert shoe.report(Standby(), 0.5) == 1
    sent = [telegrams(raw) for _, raw in run_until_silent(shoe)]
    assert sent == [[(0, b"S")]] * 3 + [[(1, b"P")]] * 2


def test_what_is_sent_while_unplugged_is_lost_and_still_numbered() -> None:
    shoe = opened(ShoeManner(copies=1, spacing=0))
    shoe.to_send()
    shoe.report(Standby(), 0)
    assert shoe.disconnected(0) == []
    assert shoe.to_send() == b""
    shoe.report(Standby(), 1)
    shoe.connected(2)
    shoe.report(Standby(), 3)
    assert telegrams(shoe.to_send()) == [(3, b"P")]


CARDS = {
    (Hand.PLAYER, 1): Card.TWO_OF_SPADES,
    (Hand.BANKER, 1): Card.KING_OF_HEARTS,
    (Hand.PLAYER, 2): Card.SEVEN_OF_CLUBS,
    (Hand.BANKER, 2): Card.EIGHT_OF_DIAMONDS,
}


def deal(shoe: AngelEyeShoe) -> list[bytes]:
    shoe.to_send()
    for (hand, position), card in CARDS.items():
        shoe.report(CardDrawn(hand=hand, position=position, card=card), 0)
    shoe.report(ResultIndicated(winner=IndicatedWinner.PLAYER), 0)
    return [data for _, data in telegrams(shoe.to_send())]


def test_cards_disclosed_at_the_draw() -> None:
    shoe = opened(ShoeManner(disclosing=Disclosing.AT_DRAW, copies=1, spacing=0))
    assert deal(shoe) == [b"D\x81\xb2", b"D\x91\xcd", b"D\x82\xa7", b"D\x92\x98", b"G\x90"]


def test_cards_disclosed_at_the_result() -> None:
    shoe = opened(ShoeManner(disclosing=Disclosing.AT_RESULT, copies=1, spacing=0))
    hidden = [b"D\x81\x80", b"D\x91\x80", b"D\x82\x80", b"D\x92\x80"]
    told = [b"I\x81\xb2", b"I\x91\xcd", b"I\x82\xa7", b"I\x92\x98"]
    assert deal(shoe) == [*hidden, *told, b"G\x90"]
    # The next round tells its own cards and no others.
    assert deal(shoe) == [*hidden, *told, b"G\x90"]


def test_a_face_that_was_told_by_hand_is_not_told_twice() -> None:
    shoe = opened(ShoeManner(copies=1, spacing=0))
    shoe.to_send()
    shoe.report(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.TWO_OF_SPADES), 0)
    shoe.report(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.TWO_OF_SPADES), 0)
    shoe.report(ResultIndicated(winner=None), 0)
    assert [data for _, data in telegrams(shoe.to_send())] == [b"D\x81\x80", b"I\x81\xb2", b"G\xf0"]


@pytest.mark.parametrize("interruption", [[Started()], [CardDrawn(hand=Hand.PLAYER, position=1)]])
def test_faces_of_a_round_that_never_ended_are_not_told_in_the_next(interruption: list[AnyShoeEvent]) -> None:
    shoe = opened(ShoeManner(copies=1, spacing=0))
    for position in (1, 2):
        shoe.report(CardDrawn(hand=Hand.BANKER, position=position, card=Card.TWO_OF_SPADES), 0)
    for event in interruption:
        shoe.report(event, 0)
    shoe.to_send()
    shoe.report(ResultIndicated(winner=IndicatedWinner.TIE), 0)
    assert [data for _, data in telegrams(shoe.to_send())] == [b"G\xa0"]


@pytest.mark.parametrize("disclosing", Disclosing)
def test_the_first_card_of_a_shoe_is_always_shown(disclosing: Disclosing) -> None:
    shoe = opened(ShoeManner(disclosing=disclosing, copies=1, spacing=0))
    shoe.report(CardDrawn(hand=Hand.BURN, first_of_shoe=True, card=Card.TWO_OF_CLUBS), 0)
    shoe.report(CardDrawn(hand=Hand.BURN, burns_left=1), 0)
    shoe.report(CardDrawn(hand=Hand.BURN, burns_left=0), 0)
    assert [data for _, data in telegrams(shoe.to_send())] == [b"S", b"D\xc0\xa2", b"D\xd1\x80", b"D\xd0\x80"]


def test_what_the_wire_cannot_say_changes_nothing() -> None:
    shoe = opened(ShoeManner(copies=1, spacing=0))
    shoe.to_send()
    with pytest.raises(NotOnThisWireError):
        shoe.report(LidChanged(opened=True), 0)
    with pytest.raises(NotOnThisWireError):
        shoe.report(CardDrawn(hand=Hand.PLAYER, position=99, card=Card.TWO_OF_SPADES), 0)
    assert shoe.report(ResultIndicated(winner=None), 0) == 1
    assert telegrams(shoe.to_send()) == [(1, b"G\xf0")]


@pytest.mark.parametrize("manner", [ShoeManner(copies=0), ShoeManner(spacing=-1)])
def test_impossible_manners_are_refused(manner: ShoeManner) -> None:
    with pytest.raises(LinkUsageError):
        AngelEyeShoe(manner)
