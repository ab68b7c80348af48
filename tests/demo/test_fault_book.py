"""What the report says of an irregularity: who put it right, or that nobody did."""

from shoe_controller.demo.fault_book import FaultBook
from shoe_controller.messages.acts import Adjust, OpenDispute, Role
from shoe_controller.messages.facts import AnyFact, PersonActed


def acted(seq: int, act: OpenDispute | Adjust, approved_by: str | None = None) -> AnyFact:
    return PersonActed(
        seq=seq,
        time=0,
        shoe=1,
        round=1,
        act=act,
        person="rana",
        role=Role.SUPERVISOR,
        reason="",
        approved_by=approved_by,
    )


FACTS: list[AnyFact] = [acted(1, OpenDispute()), acted(3, OpenDispute()), acted(4, Adjust(seat="1", amount=5), "bimal")]


def test_it_names_who_did_what_since_it_happened() -> None:
    book = FaultBook()
    book.happened("dispute", last_seq=2)
    (story,) = book.stories(FACTS)
    assert story.people == ("rana open_dispute", "rana and bimal adjust")


def test_it_was_put_right_only_if_everything_that_shows_it_is_there() -> None:
    book = FaultBook()
    book.happened("dispute", last_seq=2)
    assert not book.stories(FACTS)[0].caught
    assert not book.last_was_caught(FACTS)


def test_what_people_gave_up_was_not_put_right() -> None:
    book = FaultBook()
    book.happened("bytes_lost", last_seq=0)
    book.happened("bytes_lost", last_seq=3)
    book.abandoned()
    assert [story.caught for story in book.stories(FACTS)] == [True, False]
