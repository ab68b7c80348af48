"""PINs: hashed, checked, and refused where anybody would guess them."""

import base64
import hashlib
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoe_controller.config.pins import (
    BadPinError,
    check_pin,
    check_strength,
    hash_pin,
    least_digits,
    parse_pin_hash,
)
from shoe_controller.config.scrypt_hash import BadHashError, ScryptHash
from shoe_controller.messages.acts import Role

SALT = bytes(range(16))
HASHED = hash_pin("2580", SALT)


def made_with(
    *, ln: int = 14, r: int = 8, p: int = 1, salt: bytes = SALT, digest: bytes = bytes(32), digits: str = ""
) -> str:
    return f"scrypt$ln={ln},r={r},p={p}{digits}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def test_a_hash_says_how_it_was_made_and_anybody_can_make_it_again() -> None:
    digest = hashlib.scrypt(b"2580", salt=SALT, n=2**16, r=8, p=1, dklen=32, maxmem=2**27)
    assert made_with(ln=16, digest=digest, digits=",d=4") == HASHED
    assert parse_pin_hash(HASHED) == ScryptHash(16, 8, 1, 4, SALT, digest)


def test_a_hash_of_an_earlier_version_stays_valid() -> None:
    """It took 16 MiB, and did not note how many digits the PIN has."""
    digest = hashlib.scrypt(b"2580", salt=SALT, n=2**14, r=8, p=1, dklen=32, maxmem=2**25)
    assert parse_pin_hash(made_with(digest=digest)).digits is None
    assert check_pin("2580", made_with(digest=digest))
    assert not check_pin("2581", made_with(digest=digest))


def test_the_hash_of_nothing_costs_as_much_as_the_one_that_it_stands_for() -> None:
    for like in (parse_pin_hash(HASHED), parse_pin_hash(made_with(ln=12, r=4, p=2))):
        nothing = like.of_nothing_like_it()
        assert nothing[:3] == like[:3]
        assert not nothing.fits("2580")
        assert not nothing.fits("")


def test_a_pin_fits_its_hash_and_no_other_does() -> None:
    assert check_pin("2580", HASHED)
    for wrong in ("2581", "25800", "02580", "0000"):
        assert not check_pin(wrong, HASHED)
    assert hash_pin("2580", SALT[::-1]) != HASHED
    assert check_pin("2580", hash_pin("2580", SALT[::-1]))


@pytest.mark.parametrize("pin", ["", "258", "1" * 13, "25 80", "2580\n", "２５８０", "abcd", "\ud800", "x" * 100_000])  # noqa: RUF001 - other digits are meant
def test_what_cannot_be_a_pin_is_a_wrong_one_and_cannot_be_hashed(pin: str) -> None:
    assert not check_pin(pin, HASHED)
    with pytest.raises(BadPinError, match="4 to 12 digits"):
        hash_pin(pin, SALT)
    with pytest.raises(BadPinError, match="4 to 12 digits"):
        check_strength(pin)


def test_a_supervisors_new_pin_has_six_digits_and_a_dealers_four() -> None:
    check_strength("2580", least_digits(Role.DEALER))
    check_strength("258013", least_digits(Role.SUPERVISOR))
    with pytest.raises(BadPinError, match="6 to 12 digits"):
        check_strength("25801", least_digits(Role.SUPERVISOR))


def test_a_hash_made_with_other_bounds_is_checked_with_those() -> None:
    digest = hashlib.scrypt(b"2580", salt=SALT * 4, n=2**12, r=4, p=2, dklen=32)
    hashed = made_with(ln=12, r=4, p=2, salt=SALT * 4, digest=digest)
    assert check_pin("2580", hashed)
    assert not check_pin("2581", hashed)


def test_the_costliest_hash_that_is_permitted_can_be_checked() -> None:
    """64 MiB: the memory limit must leave room for it."""
    assert not check_pin("2580", made_with(ln=16, r=8))
    assert not check_pin("2580", made_with(ln=12, r=1, p=4))


@pytest.mark.parametrize(
    ("hashed", "reason"),
    [
        (made_with(ln=11), "ln=11, which must be from 12 to 16"),
        (made_with(ln=17), "ln=17, which must be from 12 to 16"),
        (made_with(ln=63), "ln=63, which must be"),
        (made_with(r=9), "r=9, which must be from 1 to 8"),
        (made_with(p=5), "p=5, which must be from 1 to 4"),
        (made_with(ln=100), "not the hash of a PIN"),
        (made_with(ln=0), "not the hash of a PIN"),
        (made_with(r=-1), "not the hash of a PIN"),
        (made_with(digits=",d=0"), "not the hash of a PIN"),
        (made_with(digits=",d=06"), "not the hash of a PIN"),
        (made_with(salt=b""), "not the hash of a PIN"),
        (made_with(salt=SALT[:15]), "damaged"),
        (made_with(salt=bytes(65)), "damaged"),
        (made_with(digest=bytes(31)), "damaged"),
        (made_with(digest=bytes(33)), "damaged"),
        (made_with()[:-1], "damaged"),
        (made_with()[:-2] + "B=", "damaged"),  # bits that belong to no byte
        (made_with() + "\n", "not the hash of a PIN"),
        (" " + made_with(), "not the hash of a PIN"),
        (made_with().replace("scrypt", "bcrypt"), "not the hash of a PIN"),
        (made_with().replace("ln=14", "ln=014"), "not the hash of a PIN"),
        (made_with().replace("ln=14", "ln=１４"), "not the hash of a PIN"),  # noqa: RUF001 - other digits are meant
        ("", "not the hash of a PIN"),
        ("2580", "not the hash of a PIN"),
        ("scrypt$" + "9" * 100_000, "not the hash of a PIN"),
    ],
)
def test_a_malformed_or_costly_hash_is_refused_before_any_work(hashed: str, reason: str) -> None:
    with pytest.raises(BadHashError, match=reason) as caught:
        check_pin("2580", hashed)
    assert "keys pin" in str(caught.value)


@settings(max_examples=300)
@given(
    st.text(max_size=20)
    | st.builds(lambda at, c: HASHED[:at] + c + HASHED[at + 1 :], st.integers(0, len(HASHED) - 1), st.characters())
)
def test_any_text_is_a_hash_that_reads_back_the_same_or_is_refused(text: str) -> None:
    try:
        made = parse_pin_hash(text)
    except BadHashError:
        return
    assert made.text() == text


def test_a_hash_is_not_shown() -> None:
    assert repr(parse_pin_hash(HASHED)) == str(parse_pin_hash(HASHED)) == "ScryptHash(hidden)"


@pytest.mark.parametrize("size", [0, 15, 65])
def test_a_salt_of_the_wrong_size_is_our_own_mistake(size: int) -> None:
    with pytest.raises(ValueError, match="a salt has 16 to 64 bytes"):
        hash_pin("2580", bytes(size))


# --- Weak ones. ------------------------------------------------------------------------------------------------------


def is_weak(pin: str) -> bool:
    try:
        check_strength(pin)
    except BadPinError:
        return True
    return False


@pytest.mark.parametrize(
    "pin",
    ["0000", "999999", "1234", "0123", "4321", "7890", "8901", "3210", "123456", "987654", "2468", "8642", "1357"],
)
def test_what_anybody_would_try_first_is_refused(pin: str) -> None:
    assert is_weak(pin)


@pytest.mark.parametrize("pin", ["2580", "1235", "1243", "1122", "00001", "123457", "908172635445"])
def test_other_pins_are_taken(pin: str) -> None:
    check_strength(pin)


def test_of_all_pins_of_four_digits_one_in_a_hundred_is_weak() -> None:
    """A first digit and a step make each of them: ten times ten."""
    assert sum(is_weak("".join(digits)) for digits in product("0123456789", repeat=4)) == 100
