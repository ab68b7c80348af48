"""The file of ids: what is read of it, what is wrong with it, and how it is learned."""

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.lines.cards_file import (
    ORDER,
    BadCardsFileError,
    CardIds,
    CardRow,
    CardsFile,
    CardsHeader,
    KnownCard,
    card_at,
    encode,
    missing,
    read_cards_file,
    whole,
)
from firmware_protocol.lines.learning import AlreadyKnown, Learned, Learner, ReadAgain
from tests.firmware_protocol.lines.sets import CUT_ID, piece, some_set

HEADER = encode(CardsHeader(decks=2))


def text_of(file: CardsFile) -> bytes:
    return encode(file.header) + b"".join(map(encode, file.rows))


@pytest.mark.parametrize("file", [some_set(), some_set("faces"), some_set(name="red")])
def test_a_file_is_read_as_it_was_written(file: CardsFile) -> None:
    read = read_cards_file(text_of(file), "cards.jsonl")
    assert read == file
    assert whole(read, "cards.jsonl") is read
    assert read.learned == read.to_learn


def test_the_order_is_clubs_diamonds_hearts_spades_and_ace_to_king() -> None:
    codes = " ".join(card.value for card in ORDER)
    assert codes.startswith("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AD ")
    assert codes.endswith(" KH AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")
    assert card_at(0) == CardRow(id="", card="AC", deck=1)
    assert card_at(103) == CardRow(id="", card="KS", deck=2)


def test_an_id_stands_for_a_piece_or_for_a_face() -> None:
    ids = CardIds([some_set(name="red"), some_set("faces")._replace(rows=some_set("faces").rows[:-1])])
    assert ids.get(piece("9H", 2)) == KnownCard(Card("9H"), piece("9H", 2), "red")
    assert ids.get("9H") == KnownCard(Card("9H"), None, None)
    assert ids.get(CUT_ID) == KnownCard(None, CUT_ID, "red")
    assert ids.get("9h") is None
    with pytest.raises(BadCardsFileError, match="in two files"):
        CardIds([some_set(), some_set()])


def test_no_id_of_one_file_is_the_end_of_an_id_of_another() -> None:
    short = CardsFile(CardsHeader(decks=1, set="blue"), (CardRow(id=piece("9H")[2:], card="6C", deck=1),))
    with pytest.raises(
        BadCardsFileError, match=r"the cards files together: the id '09H01' is the end of the id 'E009H01'"
    ):
        CardIds([some_set(name="red"), short])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"{}\n", "line 1: Object missing required field `decks`"),
        (b'{"cards_file": 2, "decks": 1}\n', "later version"),
        (b'{"decks": 0}\n', "decks is 1 to 16"),
        (b'{"decks": 8, "ids": "faces"}\n', "1 where ids name faces"),
        (b'{"decks": 8, "set": "\\u0007"}\n', "printable ASCII"),
        (b'{"decks": 8, "colour": "red"}\n', "unknown field"),
        (HEADER + b"nonsense\n", "line 2"),
        (HEADER + b'{"id": "\xff"}\n', "line 2"),
        (HEADER + b'{"id": " x", "card": "9H", "deck": 1}\n', "line 2: an id is"),
        (HEADER + b'{"id": "x", "card": "1H", "deck": 1}\n', "line 2: '1H' is not a card"),
        (HEADER + b'{"id": "x", "card": "9H", "deck": 3}\n', "line 2: deck 3 does not exist"),
        (HEADER + b'{"id": "x", "card": "cut", "deck": 1}\n', "belongs to no deck"),
        (
            HEADER + b'{"id": "x", "card": "9H", "deck": 1}\n{"id": "x", "card": "4D", "deck": 1}\n',
            "line 3: the id 'x' is that of 9H of deck 1",
        ),
        (
            HEADER + b'{"id": "x", "card": "9H", "deck": 1}\n{"id": "y", "card": "9H", "deck": 1}\n',
            "line 3: 9H of deck 1 is on line 2 already",
        ),
        (
            HEADER + b'{"id": "04A1", "card": "9H", "deck": 1}\n{"id": "A1", "card": "4D", "deck": 1}\n',
            "the id 'A1' is the end of the id '04A1'",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(text: bytes, said: str) -> None:
    with pytest.raises(BadCardsFileError) as caught:
        read_cards_file(text, "cards.jsonl")
    assert said in str(caught.value)
    assert str(caught.value).startswith("cards.jsonl")


def test_a_file_that_was_broken_off_cannot_be_played_with() -> None:
    file = some_set()
    broken_off = file._replace(rows=file.rows[:60])
    assert missing(broken_off)[0] == CardRow(id="", card="9C", deck=2)
    with pytest.raises(BadCardsFileError, match=r"60 of 104 cards, 9C of deck 2 is the first without an id"):
        whole(broken_off, "cards.jsonl")


def test_cards_are_learned_in_order_each_once() -> None:
    learner = Learner(CardsFile(CardsHeader(decks=1), ()), cut_card=True, repeat_within=2.0)
    for number in range(52):
        assert learner.next_card == card_at(number)
        assert learner.left == 53 - number
        learned = learner.read(f"id{number:02d}", number * 10.0)
        assert learned == Learned(CardRow(id=f"id{number:02d}", card=ORDER[number].value, deck=1))
        assert learner.read(f"id{number:02d}", number * 10.0 + 1.5) == ReadAgain()
        if number == 3:
            assert learner.read("id01", 39.0) == AlreadyKnown("id01", CardRow(id="id01", card="2C", deck=1), card_at(4))
            assert learner.read("id03", 39.5) == AlreadyKnown("id03", CardRow(id="id03", card="4C", deck=1), card_at(4))
    assert learner.read("cut", 999.0) == Learned(CardRow(id="cut", card="cut"))
    assert learner.next_card is None


def test_learning_goes_on_with_the_first_card_that_has_no_id() -> None:
    file = some_set(decks=1)
    without = file._replace(rows=tuple(row for row in file.rows if row.card not in ("4D", "9H")))
    learner = Learner(without, cut_card=True, repeat_within=2.0)
    assert learner.next_card == CardRow(id="", card="4D", deck=1)
    assert learner.left == 2
    assert learner.read(piece("KS"), 0.0) == AlreadyKnown(piece("KS"), file.rows[51], card_at(16))
