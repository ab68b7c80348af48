"""The one file of a table: the example, wrong keys and types at every level, other files, and nonsense of all kinds.

Problems with the settings of `[house]` themselves are in `test_house.py`, with those of all other sections
in `test_sections.py`.
"""

import copy
import datetime as dt
import re
import tomllib
import typing
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoe_controller.baccarat.house import CommissionTaken, OverLimit, Rounding, RoundingMode, StakeLimits
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table import JournalSettings, LogSettings, TableSettings
from shoe_controller.config.table_file import ConfigFile, for_running, load_config
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.messages.acts import Role
from shoe_controller.table.procedure import Procedure
from tests.table_files import EXAMPLE, Data, example, load, problems_of, small_house

# --- The example. ----------------------------------------------------------------------------------------------------


def test_the_example_loads_and_means_what_it_says() -> None:
    config = load_config(EXAMPLE)
    house, catalogue = config.house, config.catalogue
    assert catalogue is built_in_catalogue()
    assert house.decks == 8
    assert house.seats == ("1", "2", "3", "5", "6", "7", "8", "9")
    assert house.schedule.base_game == "nepal"
    assert house.schedule.table_names["five_dragons.any_dragon"] == "B"
    assert len(house.offered) == 3 + 2 + 1 + 9 + 9 + 10 + 7
    assert set(house.limits) == set(house.offered)
    assert house.limits["base.banker"] == StakeLimits(2500, 1_000_000)
    assert house.limits["base.tie"] == StakeLimits(500, 100_000)
    assert house.limits["lucky_6.lucky_6"] == StakeLimits(500, 50_000)
    assert house.needs_base == set(catalogue.expand(("five_dragons",)))
    assert house.rounding == Rounding(RoundingMode.DOWN, 1)
    assert house.round_limit is not None
    assert house.round_limit.amount == 5_000_000
    assert house.round_limit.policy is OverLimit.PROPORTIONAL
    assert house.round_limit.wagers == {wager for wager in house.offered if not wager.startswith("base.")}
    assert house.commission_taken is CommissionTaken.AT_ONCE
    assert house.option_rules == ()
    assert config.procedure == Procedure()
    assert config.table == TableSettings("kathmandu", "baccarat-3", "Baccarat 3", "NPR", 2, "Welcome")
    assert config.shoe is not None
    assert (config.shoe.wire, config.shoe.key_file) == ("native", EXAMPLE.parent / "shoe.key")
    assert config.mqtt is not None
    assert (config.mqtt.host, config.mqtt.port, config.mqtt.tls) == ("broker.example", 8883, True)
    assert config.journal == _with_keys_beside(
        Path("/var/lib/shoe-controller/baccarat-3.journal"),
        Path("/var/lib/shoe-controller-anchor/kathmandu-baccarat-3.anchor"),
    )
    assert [(person.id, person.role) for person in config.people] == [
        ("anita", Role.DEALER),
        ("b.thapa", Role.SUPERVISOR),
    ]
    assert config.log == LogSettings("info", "auto")


def test_what_the_example_shows_for_keys_with_a_default_is_the_default(tmp_path: Path) -> None:
    """Only where it says so: the procedure, the log, and where the journal is."""
    data = example()
    for section in ("procedure", "log", "journal"):
        del data[section]
    config, shown = load(tmp_path, data), load_config(EXAMPLE)
    assert (config.procedure, config.log, config.journal) == (shown.procedure, shown.log, shown.journal)


NAMED_BY_THE_HOUSE = ("/house/limits", "/house/pay_tables", "/mqtt/seat_users")
"""Tables whose keys are wagers, groups and users."""


def known_keys(shape: object, place: str) -> Iterator[str]:
    """Every key that the reader knows; `*` where the key is a name."""
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        hints = typing.get_type_hints(shape)
        for field in msgspec.structs.fields(shape):
            yield f"{place}/{field.encode_name}"
            yield from known_keys(hints[field.name], f"{place}/{field.encode_name}")
    elif typing.get_origin(shape) is dict:
        yield f"{place}/*"
        yield from known_keys(typing.get_args(shape)[1], f"{place}/*")
    else:
        for part in typing.get_args(shape):
            yield from known_keys(part, place)


def shown_keys(data: object, place: str) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            here = f"{place}/{'*' if place in NAMED_BY_THE_HOUSE else key}"
            yield here
            yield from shown_keys(value, here)
    elif isinstance(data, list):
        for value in data:
            yield from shown_keys(value, place)


def test_the_example_shows_every_key_that_there_is_and_no_other() -> None:
    """Keys that are commented out count: `# key = value`, `# [section]` and `# [[section]]`."""
    uncommented = re.sub(r"(?m)^# (?=\w+ = |\[)", "", EXAMPLE.read_text(encoding="utf-8"))
    data = tomllib.loads(uncommented)
    shown = set(shown_keys(data, ""))
    known = set(known_keys(ConfigFile, ""))
    assert shown - known == set()
    assert known - shown == set()


# --- Wrong keys and types. -------------------------------------------------------------------------------------------

GONE = object()


def change(data: Data, path: str, value: object) -> None:
    *above, key = path.split("/")
    for part in above:
        data = data[part]
    if value is GONE:
        del data[key]
    else:
        data[key] = value


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("hause", {}, "hause: unknown key; did you mean 'house'?"),
        ("house", GONE, "house: is missing"),
        ("house", 5, "house: expected a table of keys, got 5"),
        ("house/deck", 8, "house.deck: unknown key; did you mean 'decks'?"),
        ("house/seats", GONE, "house.seats: is missing"),
        ("house/decks", "8", "house.decks: expected a whole number, got '8'"),
        ("house/decks", True, "house.decks: expected a whole number, got true"),
        ("house/seats", [1], "house.seats[1]: expected a text in quotes, got 1"),
        ("house/layout", 8, "house.layout: expected a text in quotes or a list, got 8"),
        (
            "house/rounding/mode",
            "dwn",
            "house.rounding.mode: expected one of 'down', 'nearest', 'up', got 'dwn'; did you",
        ),
        ("house/rounding/units", 1, "house.rounding.units: unknown key; did you mean 'unit'?"),
        ("house/commission/rat", "5%", "house.commission.rat: unknown key; did you mean 'rate'?"),
        ("house/commission/taken", "later", "house.commission.taken: expected one of 'at_once', 'marked'"),
        ("house/round_limit/amount", GONE, "house.round_limit.amount: is missing"),
        ("house/round_limit/group", [], "house.round_limit.group: unknown key; did you mean 'groups'?"),
        ("house/limits/base/mx", 5, "house.limits.base.mx: unknown key; did you mean 'max'?"),
        ("house/limits/base", 5, "house.limits.base: expected a table of keys, got 5"),
        ("house/limits/base.tie/max", "5", 'house.limits."base.tie".max: expected a whole number'),
        ("house/option_rules", [{"at_most": "3"}], "house.option_rules[1].at_most: expected a whole number"),
        ("house/option_rules", [{"at_mst": 3}], "house.option_rules[1].at_mst: unknown key; did you mean 'at_most'?"),
        ("procedures", {}, "procedures: unknown key; did you mean 'procedure'?"),
        ("shoe/keyfile", "x", "shoe.keyfile: unknown key; did you mean 'key_file'?"),
        ("mqtt/password", "x", "mqtt.password: unknown key; did you mean 'password_file'?"),
        ("people", {}, "people: expected a list, got a table of keys"),
        ("house/pay_tables/lucky_8", 1, "house.pay_tables.lucky_8: expected a text in quotes, got 1"),
    ],
)
def test_a_wrong_key_or_type_has_its_place_at_every_level(
    tmp_path: Path, path: str, value: object, expected: str
) -> None:
    data = example()
    change(data, path, value)
    assert any(problem.startswith(expected) for problem in problems_of(tmp_path, data))


def test_wrong_keys_and_types_are_all_reported_at_once(tmp_path: Path) -> None:
    data = example()
    for path, value in {
        "hause": 1,
        "house/deck": 6,
        "house/decks": "8",
        "house/seats": GONE,
        "house/limits/base/mx": 1,
        "house/rounding/mode": "dwn",
        "house/round_limit/amount": 0.5,
    }.items():
        change(data, path, value)
    assert sorted(problem.partition(": ")[0] for problem in problems_of(tmp_path, data)) == [
        "hause",
        "house.deck",
        "house.decks",
        "house.limits.base.mx",
        "house.round_limit.amount",
        "house.rounding.mode",
        "house.seats",
    ]


# --- Files. ----------------------------------------------------------------------------------------------------------

OWN_WAGER = """
[[wager]]
id = "pairs.own"
name = { en = "Own", zh_hant = "自", zh_hans = "自" }
document = "nepal_super_baccarat"
"""
ROWS = 'rows = [{ when = { winner = "tie" }, pays = "8:1" }]\n'


def test_catalogue_files_are_found_beside_the_configuration(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "own.toml").write_text(OWN_WAGER + ROWS, encoding="utf-8")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    for name in ("house/own.toml", str(tmp_path / "house" / "own.toml")):
        config = load(tmp_path, small_house(catalogue=[name], offer=["base", "pairs"]))
        assert "pairs.own" in config.house.offered
        assert "pairs.own" in config.catalogue.wagers


def test_a_mistake_in_a_catalogue_file_is_reported_with_that_file(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN_WAGER + ROWS.replace("8:1", "8"), encoding="utf-8")
    with pytest.raises(BadFileError, match=r"wager pairs\.own, row 1: pays must be a ratio") as caught:
        load(tmp_path, small_house(catalogue=["own.toml"]))
    assert caught.value.file == str(tmp_path / "own.toml")


def test_a_catalogue_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"nowhere\.toml: cannot be read"):
        load(tmp_path, small_house(catalogue=["nowhere.toml"]))


def test_a_catalogue_path_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="cannot be read"):
        load(tmp_path, small_house(catalogue=["own\0.toml"]))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, r"cannot be read: .*No such file"),
        (b"\xff\xfe", "cannot be read: .*utf-8"),
        (b"house", "is not valid TOML"),
        (b"[house]\ndecks = 8\ndecks = 8", "is not valid TOML"),
        (b"\0", "is not valid TOML"),
        (b"x = " + b"[" * 5000, "is not valid TOML"),
        (b"x = " + b"9" * 5000, "is not valid TOML"),
        (b"", "house: is missing"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "table.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadFileError, match=reason) as caught:
        load_config(file)
    assert str(caught.value).startswith(f"{file}: ")


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="cannot be read"):
        load_config(tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    """Some editors put one at the start of every file they save."""
    file = tmp_path / "table.toml"
    file.write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert load_config(file).house.decks == 8


# --- Nonsense. -------------------------------------------------------------------------------------------------------

WORDS = (
    "",
    "base",
    "base.tie",
    "lucky_8",
    "L8-1",
    "A",
    "down",
    "marked",
    "5%",
    "commission",
    "all",
    "1",
    "nowhere.toml",
    "never",
    "native",
    "angel_eye",
    "usb:1209:0001",
    "::1",
)
anything = st.recursive(
    st.booleans() | st.integers(-1, 9) | st.integers() | st.floats(0, 9) | st.sampled_from(WORDS)
    | st.just(dt.date(1979, 5, 27)),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(("min", "max", "base", "at_most", "options")), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


def places(value: object) -> Iterator[tuple[Any, Any]]:
    """Every table and list in a value, with every key or number in it."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@settings(derandomize=True, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 999), st.sampled_from(("drop", "retype", "misspell")), anything), max_size=3))
def test_a_spoilt_example_is_read_or_refused_and_nothing_else(
    tmp_path: Path, spoilings: list[tuple[int, str, object]]
) -> None:
    data = example()
    data["house"]["option_rules"] = [{"at_most": 1, "options": [["base.player", "base.banker"], ["base.tie"]]}]
    for number, how, value in spoilings:
        choices = list(places(data))
        if not choices:
            break
        container, key = choices[number % len(choices)]
        if how == "retype":
            container[key] = copy.deepcopy(value)
        elif how == "misspell" and isinstance(container, dict):
            container[key[:1] + key] = container.pop(key)
        else:
            del container[key]
    try:
        config = load(tmp_path, data)
    except BadFileError:
        return
    assert set(config.house.limits) == set(config.house.offered)
    with suppress(BadFileError):
        for_running(config)


def _with_keys_beside(journal: Path, *others: Path) -> JournalSettings:
    return JournalSettings(journal, journal.with_name(f"{journal.name}.keys"), *others)
