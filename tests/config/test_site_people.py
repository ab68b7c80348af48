"""The people of a site and their passwords: what is accepted, what is refused, and that nothing secret is shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from shoe_controller.config.passwords import (
    BadPasswordError,
    check_password,
    hash_password,
    parse_password_hash,
    password_fits,
)
from shoe_controller.config.pins import hash_pin
from shoe_controller.config.site_people import SiteRole, read_site_people
from shoe_controller.config.strict_reading import BadFileError

PASSWORD = "harbour lantern 58"  # noqa: S105 - of nobody
HASH = hash_password(PASSWORD, bytes(16), log_cost=12)
RANA = f"""
[[people]]
id = "rana"
name = "B. Rana"
roles = ["pit", "auditor"]
password = "{HASH}"
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def made(text: str, mode: int = 0o640) -> Path:
        file = tmp_path / "site_people.toml"
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        return file

    return made


def problems(file: Path) -> str:
    with pytest.raises(BadFileError) as caught:
        read_site_people(file)
    return str(caught.value)


def test_a_person_has_roles_and_a_password(write: Write) -> None:
    (person,) = read_site_people(write(RANA))
    assert (person.id, person.name, person.roles) == ("rana", "B. Rana", frozenset((SiteRole.PIT, SiteRole.AUDITOR)))
    assert password_fits(PASSWORD, person.password.reveal())
    assert not password_fits(PASSWORD + " ", person.password.reveal())
    assert HASH not in repr(person)


def test_a_file_with_a_comment_alone_has_nobody(write: Write) -> None:
    assert read_site_people(write("# Nobody yet.\n")) == ()


@pytest.mark.parametrize("mode", [0o644, 0o664, 0o642, 0o660])
def test_a_file_that_others_can_read_or_change_is_refused(write: Write, mode: int) -> None:
    told = problems(write(RANA, mode))
    assert "is open to others" in told
    assert "chmod g-wx,o-rwx" in told


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    assert "cannot be read: No such file or directory" in problems(tmp_path / "site_people.toml")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('id = "rana"', 'id = "ra na"', "people[1].id: must be 1 to 40 letters"),
        ('id = "rana"', "", "people[1].id: is missing"),
        ('name = "B. Rana"', 'name = " "', "people[1].name: must not be empty"),
        ('["pit", "auditor"]', '["pitt"]', "did you mean 'pit'?"),
        ('["pit", "auditor"]', "[]", "people[1].roles: must not be empty"),
        ('["pit", "auditor"]', '"pit"', 'write ["pit"], in brackets'),
        ("roles =", "role =", "unknown key; did you mean 'roles'?"),
        (HASH, PASSWORD, "this is not the hash of a password"),
        (f'"{HASH}"', "123456789012", "this is not the hash of a password"),
        (HASH, hash_pin("258036", bytes(16), log_cost=12), "this is the hash of a PIN"),
        ('id = "rana"', 'id = "rana"\npin = "1234"', "unknown key"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_never_the_password(
    write: Write, before: str, after: str, told: str
) -> None:
    said = problems(write(RANA.replace(before, after)))
    assert told in said
    assert PASSWORD not in said
    assert "123456789012" not in said


def test_everything_wrong_is_said_at_once_and_two_people_of_one_id_are_refused(write: Write) -> None:
    said = problems(write(RANA + RANA.replace("rana", "RANA").replace('["pit", "auditor"]', '["cook"]')))
    assert "people[2].id: 'RANA' is the id of people[1] already" in said
    assert "people[2].roles" in said


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("short 58", "12 to 200 characters"),
        ("x" * 201, "12 to 200 characters"),
        ("harbour\tlantern", "no control characters"),
        (" harbour lantern", "no blanks at its ends"),
        ("Password1234", "tried first"),
        ("QWERTYUIOPASDF", "tried first"),
        ("098765432109", "tried first"),
        ("zyxwvutsrqpo", "tried first"),
        ("aaaabbbbaaaabbbb", "fewer than 5 different"),
        ("bikash.rana1", "little more than the person's id"),
        ("Bikash.RanaBikash.Rana", "little more than the person's id"),
    ],
)
def test_a_password_that_is_easy_to_guess_is_refused(password: str, why: str) -> None:
    with pytest.raises(BadPasswordError, match=why) as caught:
        check_password(password, "bikash.rana")
    assert password not in str(caught.value)


@pytest.mark.parametrize(
    "password", [PASSWORD, "us5rTP10JlHpHMTanwUX", "跑馬燈下看見三隻白色的貓", "bikash.rana keeps bees"]
)
def test_other_passwords_will_do(password: str) -> None:
    check_password(password, "bikash.rana")
    assert password_fits(password, parse_password_hash(hash_password(password, bytes(16), log_cost=12)))


def test_an_accent_may_come_from_any_keyboard() -> None:
    made = parse_password_hash(hash_password("café harbour lantern", bytes(16), log_cost=12))
    assert password_fits("cafe\N{COMBINING ACUTE ACCENT} harbour lantern", made)
    assert not password_fits("cafe harbour lantern", made)
