"""The sections of a table's file besides `[house]`: defaults, what settings come to, every mistake with its place."""

import typing
from pathlib import Path

import msgspec
import pytest

from firmware_protocol.lines.controller import REPEAT_WITHIN
from firmware_protocol.lines.pattern import LinePattern
from firmware_protocol.pace import CARD_TAKES
from shoe_controller.config.mqtt import MqttSettings
from shoe_controller.config.pins import hash_pin
from shoe_controller.config.procedure import ProcedureEntry
from shoe_controller.config.secret_files import Secret
from shoe_controller.config.shoe import LinesSettings, ShoeSettings, port_of
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table import JournalSettings, LogSettings, TableSettings
from shoe_controller.config.table_file import Config, for_running
from shoe_controller.messages.acts import Role
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, Reveal, ShownCard
from shoe_controller.table.procedure import FinishedRound, GateLocks, OverDrawn, Procedure
from shoe_controller.transports.serial_port import ANGEL_EYE_BAUD, LINES_BAUD, NATIVE_BAUD, SerialPort
from shoe_controller.transports.socket_port import SocketPort
from shoe_controller.transports.usb_device import UsbDevice
from simulator.reader_ids import cards_file
from tests.table_files import Data, load, problems_of, small_house

KEY = "5ec4e7" * 10 + "5ec4"
ANNA_PIN = hash_pin("2580", bytes(16))
BELA_PIN = hash_pin("2580", bytes(15) + b"\1")

TABLE = {"site": "north", "name": "t-1"}
NATIVE = {"port": "/dev/ttyACM0", "key_file": "shoe.key"}
ANGEL_EYE = {"wire": "angel_eye", "port": "/dev/ttyUSB0"}
LINES = {"wire": "lines", "port": "/dev/ttyUSB0", "cards_files": ["red.jsonl"]}
BROKER = {"host": "broker"}
ANNA = {"id": "anna", "name": "Anna", "role": "dealer", "pin": ANNA_PIN}
BELA = {"id": "b.k-1_x", "name": "Béla", "role": "supervisor", "pin": BELA_PIN}


def with_sections(**sections: object) -> Data:
    return small_house() | sections


# --- Good settings. --------------------------------------------------------------------------------------------------


def test_a_file_with_a_house_alone_has_defaults_and_lacks_the_rest(tmp_path: Path) -> None:
    config = load(tmp_path, small_house())
    assert config.file == tmp_path / "table.toml"
    assert config.procedure == Procedure()
    assert (config.table, config.shoe, config.mqtt, config.journal, config.people) == (None, None, None, None, ())
    assert config.log == LogSettings("info", "auto")


def test_every_setting_of_the_procedure(tmp_path: Path) -> None:
    settings = {
        "bets_close": "dealer",
        "reveal": "at_result",
        "burn": False,
        "last_rounds": 0,
        "over_drawn": "use",
        "shown_card": "free_hand",
        "discarded_card": "next_card",
        "finished_round": "two_supervisors",
        "gate_locks": "when_stopped",
        "confirm_after": 2.5,
        "draw_within": "never",
        "card_sets": ["red", "blue 2"],
        "wrong_pins": 20,
        "locked_out_for": 1,
        "approve_within": 0.5,
        "dealer_signs_in": True,
        "new_dealer_burns": True,
        "remainder": "counted",
    }
    assert load(tmp_path, with_sections(procedure=settings)).procedure == Procedure(
        bets_close=BetsClose.DEALER,
        reveal=Reveal.AT_RESULT,
        burn=False,
        last_rounds=0,
        over_drawn=OverDrawn.USE,
        shown_card=ShownCard.FREE_HAND,
        discarded_card=DiscardedCard.NEXT_CARD,
        finished_round=FinishedRound.TWO_SUPERVISORS,
        gate_locks=GateLocks.WHEN_STOPPED,
        confirm_after=2.5,
        draw_within=None,
        card_sets=("red", "blue 2"),
        wrong_pins=20,
        locked_out_for=1.0,
        approve_within=0.5,
        dealer_signs_in=True,
        new_dealer_burns=True,
        remainder=Remainder.COUNTED,
    )
    assert set(settings) == {field.name for field in msgspec.structs.fields(Procedure)}


@pytest.mark.parametrize(
    ("key", "choices"),
    [
        ("bets_close", BetsClose),
        ("reveal", Reveal),
        ("over_drawn", OverDrawn),
        ("shown_card", ShownCard),
        ("discarded_card", DiscardedCard),
        ("gate_locks", GateLocks),
    ],
)
def test_the_file_knows_every_choice_of_the_procedure(
    tmp_path: Path, key: str, choices: type[BetsClose | Reveal | OverDrawn | ShownCard | DiscardedCard | GateLocks]
) -> None:
    assert typing.get_args(typing.get_type_hints(ProcedureEntry)[key]) == tuple(choice.value for choice in choices)
    for choice in choices:
        procedure = load(tmp_path, with_sections(procedure={key: choice.value})).procedure
        assert getattr(procedure, key) is choice


def test_a_table_is_called_by_its_name_unless_it_has_a_title(tmp_path: Path) -> None:
    assert load(tmp_path, with_sections(table=TABLE)).table == TableSettings("north", "t-1", "t-1", "", 2, "")
    titled = TABLE | {"title": "百家樂 1", "currency": "NT$", "decimals": 0, "headline": "Good luck!"}
    assert load(tmp_path, with_sections(table=titled)).table == TableSettings(
        "north", "t-1", "百家樂 1", "NT$", 0, "Good luck!"
    )


def test_where_the_journal_is(tmp_path: Path) -> None:
    by_name = load(tmp_path, with_sections(table=TABLE)).journal
    anchor = Path("/var/lib/shoe-controller-anchor/north-t-1.anchor")
    assert by_name == _with_keys_beside(Path("/var/lib/shoe-controller/t-1.journal"), anchor)
    beside = load(tmp_path, with_sections(table=TABLE, journal={"file": "my.journal"})).journal
    assert beside == _with_keys_beside(tmp_path / "my.journal", anchor), "the anchor does not follow the journal"
    placed = {"file": "my.journal", "anchor": "/media/usb/t.anchor", "seal_key_file": "seal.key"}
    assert load(tmp_path, with_sections(table=TABLE, journal=placed)).journal == _with_keys_beside(
        tmp_path / "my.journal", Path("/media/usb/t.anchor"), tmp_path / "seal.key"
    )
    absolute = load(tmp_path, with_sections(journal={"file": "/srv/x.journal"})).journal
    assert absolute == _with_keys_beside(Path("/srv/x.journal"))


@pytest.mark.parametrize(
    ("settings", "kind", "name"),
    [
        (NATIVE, SerialPort, "/dev/ttyACM0"),
        (NATIVE | {"port": "socket://10.0.0.7:4001"}, SocketPort, "socket://10.0.0.7:4001"),
        (NATIVE | {"port": "usb:1209:00Fe"}, UsbDevice, "USB 1209:00fe"),
        (ANGEL_EYE | {"port": "usb:1209:0001:EMU:7 b"}, UsbDevice, "USB 1209:0001 serial number EMU:7 b"),
    ],
)
def test_the_port_of_a_shoe(tmp_path: Path, settings: Data, kind: type, name: str) -> None:
    shoe = load(tmp_path, with_sections(shoe=settings)).shoe
    assert shoe is not None
    port = port_of(shoe)
    assert (type(port), port.name) == (kind, name)


@pytest.mark.parametrize(
    ("settings", "baud"),
    [
        (NATIVE, NATIVE_BAUD),
        (ANGEL_EYE, ANGEL_EYE_BAUD),
        (LINES, LINES_BAUD),
        (NATIVE | {"baud": 57_600}, 57_600),
        (ANGEL_EYE | {"baud": 9_600}, 9_600),
    ],
)
def test_the_baud_rate_is_the_wires_own_unless_given(tmp_path: Path, settings: Data, baud: int) -> None:
    shoe = load(tmp_path, with_sections(shoe=settings)).shoe
    assert shoe is not None
    assert vars(port_of(shoe))["_baud"] == baud


def test_how_a_reader_writes_its_lines(tmp_path: Path) -> None:
    settings = LINES | {
        "prefix": "$",
        "suffix": "*",
        "checksum": "crc16",
        "unread": "NOREAD",
        "ignore": ["# "],
        "repeat_within": 1.5,
        "card_takes": 0.25,
    }
    shoe = load(tmp_path, with_sections(shoe=settings)).shoe
    assert shoe is not None
    pattern = LinePattern(prefix="$", suffix="*", checksum="crc16", unread="NOREAD", ignore=("# ",))
    assert shoe.lines == LinesSettings((tmp_path / "red.jsonl",), pattern, 1.5)
    assert shoe.card_takes == 0.25
    assert not shoe.insecure
    plain = load(tmp_path, with_sections(shoe=LINES)).shoe
    assert plain is not None
    assert plain.lines == LinesSettings((tmp_path / "red.jsonl",), LinePattern(), REPEAT_WITHIN)
    assert plain.card_takes == CARD_TAKES


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"wire": "lines", "port": "/dev/ttyUSB0"}, "shoe.cards_files: is missing"),
        (LINES | {"cards_files": []}, "shoe.cards_files: must name at least one file"),
        (LINES | {"key_file": "shoe.key"}, 'the wire "lines" has no keys'),
        (LINES | {"commands": True}, "only the Angel Eye wire has host commands"),
        (LINES | {"repeat_within": 0}, "shoe.repeat_within: must be seconds"),
        (LINES | {"ignore": [""]}, "shoe.ignore[1]: must not be empty"),
        (LINES | {"prefix": " $"}, "shoe.prefix: spaces"),
        (LINES | {"suffix": "* "}, "shoe.prefix: spaces"),
        (LINES | {"unread": "a\nb"}, "shoe.unread: must be one line"),
        (LINES | {"checksum": "crc32"}, "shoe.checksum"),
        (ANGEL_EYE | {"card_takes": 1.5}, "shoe.card_takes: must be seconds, 0 (judge nothing) to 1, not 1.5"),
        (LINES | {"card_takes": -1}, "shoe.card_takes: must be seconds"),
        (NATIVE | {"card_takes": 0.2}, "shoe.card_takes: a shoe of the native wire says how old each card is"),
        (NATIVE | {"prefix": "$"}, 'shoe.prefix: only the wire "lines" has it'),
    ],
)
def test_mistakes_about_a_reader(tmp_path: Path, settings: Data, said: str) -> None:
    assert any(said in problem for problem in problems_of(tmp_path, with_sections(shoe=settings)))


def test_the_cards_of_a_reader_are_whole_decks_of_the_house(tmp_path: Path) -> None:
    running = with_sections(shoe=LINES, table=TABLE)
    file = tmp_path / "red.jsonl"

    def problem() -> str:
        with pytest.raises(BadFileError) as caught:
            for_running(load(tmp_path, running))
        return str(caught.value)

    assert "`shoe-controller cards learn" in problem()
    file.write_bytes(cards_file(2, "pieces"))
    assert "is of 2 decks, and house.decks is 8" in problem()
    whole = cards_file(8, "pieces")
    file.write_bytes(whole[: whole.index(b"\n", 9000) + 1])
    assert "is the first without an id" in problem()
    file.write_bytes(whole)
    file.chmod(0o666)
    assert "everybody on this machine can change it" in problem()
    file.chmod(0o640)
    cards = for_running(load(tmp_path, running)).shoe_cards
    assert cards is not None
    assert cards.get("E09H08") is not None


def test_keys_and_commands_of_a_shoe(tmp_path: Path) -> None:
    def shoe(**settings: object) -> ShoeSettings:
        made = load(tmp_path, with_sections(shoe=settings)).shoe
        assert made is not None
        return made

    keyed = shoe(**NATIVE)
    assert (keyed.wire, keyed.key_file, keyed.insecure, keyed.commands) == (
        "native",
        tmp_path / "shoe.key",
        False,
        False,
    )
    open_to_all = shoe(port="/dev/x", insecure=True)
    assert (open_to_all.key_file, open_to_all.insecure) == (None, True)
    angel_eye = shoe(**ANGEL_EYE, commands=True)
    assert (angel_eye.key_file, angel_eye.insecure, angel_eye.commands) == (None, False, True)
    assert not angel_eye.stx_in_bcc
    assert shoe(**ANGEL_EYE, commands=True, stx_in_bcc=True).stx_in_bcc


@pytest.mark.parametrize(
    ("settings", "port", "tls"),
    [({}, 1883, False), ({"ca_file": "ca.pem"}, 8883, True), ({"port": 1}, 1, False), ({"host": "::1"}, 1883, False)],
)
def test_the_port_of_a_broker(tmp_path: Path, settings: Data, port: int, *, tls: bool) -> None:
    mqtt = load(tmp_path, with_sections(mqtt=BROKER | settings)).mqtt
    assert mqtt is not None
    assert (mqtt.port, mqtt.tls, mqtt.keep_alive) == (port, tls, 5)


def test_the_files_of_a_broker_are_beside_the_configuration(tmp_path: Path) -> None:
    files = {key: f"tls/{key}" for key in ("password_file", "ca_file", "cert_file", "key_file")}
    mqtt = load(tmp_path, with_sections(mqtt=BROKER | files | {"username": "t1", "keep_alive": 60})).mqtt
    assert mqtt is not None
    assert {key: getattr(mqtt, key) for key in files} == {key: tmp_path / name for key, name in files.items()}
    assert (mqtt.username, mqtt.keep_alive) == ("t1", 60)


def test_users_of_one_seat(tmp_path: Path) -> None:
    assert broker_of(load(tmp_path, with_sections(mqtt=BROKER))).seat_users == {}
    users = {"seat-1": "1", "seat-one": "1"}
    assert broker_of(load(tmp_path, with_sections(mqtt=BROKER | {"seat_users": users}))).seat_users == users


def test_names_that_no_request_could_hold(tmp_path: Path) -> None:
    data = with_sections()
    longest = "s" * 40
    assert load(tmp_path, data | {"house": data["house"] | {"seats": [longest]}}).house.seats == (longest,)
    too_long = data | {"house": data["house"] | {"seats": [f"{longest}s"]}}
    assert problems_of(tmp_path, too_long) == [f"house.seats: '{longest}s' must have at most 40 characters"]


def broker_of(config: Config) -> MqttSettings:
    assert config.mqtt is not None
    return config.mqtt


def test_people(tmp_path: Path) -> None:
    anna, bela = load(tmp_path, with_sections(people=[ANNA, BELA])).people
    assert (anna.id, anna.name, anna.role, anna.pin) == ("anna", "Anna", Role.DEALER, Secret(ANNA_PIN))
    assert (bela.id, bela.name, bela.role, bela.pin) == ("b.k-1_x", "Béla", Role.SUPERVISOR, Secret(BELA_PIN))


def test_the_hash_of_a_pin_is_shown_nowhere(tmp_path: Path) -> None:
    config = load(tmp_path, with_sections(people=[ANNA]))
    assert ANNA_PIN[-44:] not in f"{config} {config!r} {config.people[0]} {config.people[0].pin}"


@pytest.mark.parametrize("level", ["debug", "info", "warning", "error"])
@pytest.mark.parametrize("form", ["auto", "json", "text"])
def test_the_log(tmp_path: Path, level: str, form: str) -> None:
    assert load(tmp_path, with_sections(log={"level": level, "format": form})).log == (level, form)


# --- Mistakes, one by one. -------------------------------------------------------------------------------------------

SECONDS = "must be seconds, more than 0 and at most 86400, not "


@pytest.mark.parametrize(
    ("section", "settings", "problem"),
    [
        ("procedure", {"last_rounds": -1}, "procedure.last_rounds: must be from 0 to 20, not -1"),
        ("procedure", {"last_rounds": 21}, "procedure.last_rounds: must be from 0 to 20, not 21"),
        ("procedure", {"wrong_pins": 0}, "procedure.wrong_pins: must be from 1 to 20, not 0"),
        ("procedure", {"wrong_pins": 21}, "procedure.wrong_pins: must be from 1 to 20, not 21"),
        ("procedure", {"draw_within": 0}, f"procedure.draw_within: {SECONDS}0"),
        ("procedure", {"draw_within": float("nan")}, f"procedure.draw_within: {SECONDS}nan"),
        ("procedure", {"confirm_after": -0.5}, f"procedure.confirm_after: {SECONDS}-0.5"),
        ("procedure", {"confirm_after": "soon"}, 'procedure.confirm_after: must be a number of seconds or "never"'),
        ("procedure", {"locked_out_for": float("inf")}, f"procedure.locked_out_for: {SECONDS}inf"),
        ("procedure", {"locked_out_for": "never"}, "procedure.locked_out_for: expected a number"),
        ("procedure", {"new_dealer_burns": True}, "procedure.new_dealer_burns: needs dealer_signs_in = true"),
        ("procedure", {"approve_within": 86_401}, f"procedure.approve_within: {SECONDS}86401"),
        ("procedure", {"card_sets": ["a", " "]}, "procedure.card_sets[2]: must be 1 to 32 printable ASCII"),
        ("procedure", {"card_sets": ["é"]}, "procedure.card_sets[1]: must be 1 to 32 printable ASCII"),
        ("procedure", {"card_sets": ["x" * 33]}, "procedure.card_sets[1]: must be 1 to 32 printable ASCII"),
        ("procedure", {"card_sets": ["a", "b", "a"]}, "procedure.card_sets[3]: 'a' is listed more than once"),
        ("procedure", {"reveal": "at_darw"}, "procedure.reveal: expected one of 'at_draw', 'by_dealer', 'at_result'"),
        ("procedure", {"burn": 1}, "procedure.burn: expected true or false, got 1"),
        ("table", {"name": "t"}, "table.site: is missing"),
        ("table", {"site": "s"}, "table.name: is missing"),
        ("table", TABLE | {"site": ""}, "table.site: must be 1 to 40 letters"),
        ("table", TABLE | {"site": "a/b"}, "table.site: must be 1 to 40 letters"),
        ("table", TABLE | {"name": "x" * 41}, "table.name: must be 1 to 40 letters"),
        ("table", TABLE | {"name": "+"}, "table.name: must be 1 to 40 letters"),
        ("table", TABLE | {"name": "é"}, "table.name: must be 1 to 40 letters"),
        ("table", TABLE | {"name": "t1\n"}, "table.name: must be 1 to 40 letters"),
        ("table", TABLE | {"name": "tables"}, "table.name: must not be 'tables', which topics use for something else"),
        ("table", TABLE | {"name": "status"}, "table.name: must not be 'status'"),
        ("table", TABLE | {"name": 3}, "table.name: expected a text in quotes, got 3"),
        ("table", TABLE | {"title": " "}, "table.title: must not be empty"),
        ("table", TABLE | {"title": "x" * 81}, "table.title: must have at most 80 characters, not 81"),
        ("table", TABLE | {"headline": "a\nb"}, "table.headline: must be one line of text"),
        ("table", TABLE | {"currency": "x" * 21}, "table.currency: must have at most 20 characters"),
        ("table", TABLE | {"decimals": 5}, "table.decimals: must be 0 to 4, not 5"),
        ("table", TABLE | {"decimals": -1}, "table.decimals: must be 0 to 4, not -1"),
        ("shoe", {"key_file": "k"}, "shoe.port: is missing"),
        ("shoe", {"port": "/dev/x"}, "shoe.key_file: is missing"),
        ("shoe", {"port": "/dev/x", "insecure": False}, "shoe.key_file: is missing"),
        ("shoe", NATIVE | {"insecure": True}, "shoe.insecure: either a key_file or insecure = true, not both"),
        (
            "shoe",
            NATIVE | {"wire": "angeleye"},
            "shoe.wire: expected one of 'native', 'angel_eye', 'lines', got",
        ),
        ("shoe", NATIVE | {"commands": True}, "shoe.commands: only the Angel Eye wire has host commands"),
        ("shoe", ANGEL_EYE | {"stx_in_bcc": True}, "shoe.stx_in_bcc: this is about commands to an Angel Eye shoe"),
        ("shoe", ANGEL_EYE | {"key_file": "k"}, "shoe.key_file: the Angel Eye wire has no keys"),
        ("shoe", ANGEL_EYE | {"insecure": True}, "shoe.insecure: the Angel Eye wire has no keys"),
        ("shoe", NATIVE | {"port": "ttyACM0"}, "shoe.port: 'ttyACM0' is not the address of a shoe: write a full path"),
        ("shoe", NATIVE | {"port": ""}, "shoe.port: '' is not the address of a shoe"),
        ("shoe", NATIVE | {"port": "/dev/\0"}, "shoe.port: '/dev/\\x00' is not the address of a shoe"),
        ("shoe", NATIVE | {"port": "socket://host"}, "shoe.port: 'socket://host' is not the address of a shoe"),
        ("shoe", NATIVE | {"port": "usb:1209"}, "shoe.port: 'usb:1209' is not the address of a USB shoe"),
        ("shoe", NATIVE | {"port": "usb:1209:12345"}, "shoe.port: 'usb:1209:12345' is not the address of a USB shoe"),
        ("shoe", NATIVE | {"port": "usb:1209:0001:"}, "shoe.port: 'usb:1209:0001:' is not the address of a USB shoe"),
        ("shoe", NATIVE | {"port": "usb:1209:0001: "}, "shoe.port: The USB serial number is empty"),
        ("shoe", NATIVE | {"baud": 49}, "shoe.port: 49 is not a baud rate"),
        ("shoe", NATIVE | {"baud": 9600, "port": "socket://h:1"}, "shoe.baud: only a serial port has a baud rate"),
        ("shoe", NATIVE | {"baud": 9600, "port": "usb:1209:0001"}, "shoe.baud: only a serial port has a baud rate"),
        ("shoe", NATIVE | {"key_file": " "}, "shoe.key_file: must be the path of a file"),
        ("mqtt", {}, "mqtt.host: is missing"),
        ("mqtt", {"host": 7}, "mqtt.host: expected a text in quotes, got 7"),
        ("mqtt", {"host": ""}, "mqtt.host: must be a host name or an IP address"),
        ("mqtt", {"host": "mqtt://broker"}, "mqtt.host: must be a host name or an IP address"),
        ("mqtt", {"host": "broker:1883"}, "mqtt.host: must be a host name or an IP address"),
        ("mqtt", {"host": "a b"}, "mqtt.host: must be a host name or an IP address"),
        ("mqtt", BROKER | {"port": 0}, "mqtt.port: must be from 1 to 65535, not 0"),
        ("mqtt", BROKER | {"port": 65536}, "mqtt.port: must be from 1 to 65535, not 65536"),
        ("mqtt", BROKER | {"keep_alive": 0}, "mqtt.keep_alive: must be from 1 to 60, not 0"),
        ("mqtt", BROKER | {"username": ""}, "mqtt.username: must not be empty"),
        ("mqtt", BROKER | {"password_file": "p"}, "mqtt.password_file: a password needs a username beside it"),
        ("mqtt", BROKER | {"cert_file": "c", "ca_file": "a"}, "mqtt.cert_file: a certificate and its key belong"),
        ("mqtt", BROKER | {"key_file": "k", "ca_file": "a"}, "mqtt.key_file: a certificate and its key belong"),
        ("mqtt", BROKER | {"key_file": "k", "cert_file": "c"}, "mqtt.ca_file: is missing: TLS needs an authority"),
        ("mqtt", BROKER | {"ca_file": ""}, "mqtt.ca_file: must be the path of a file"),
        ("mqtt", BROKER | {"seat_users": {"a/b": "1"}}, 'mqtt.seat_users."a/b": must be a user of 1 to 80 characters'),
        ("mqtt", BROKER | {"seat_users": {"u" * 81: "1"}}, f"mqtt.seat_users.{'u' * 81}: must be a user of 1 to 80"),
        ("mqtt", BROKER | {"seat_users": {"me": "77"}}, "mqtt.seat_users.me: there is no seat '77' in house.seats"),
        ("mqtt", BROKER | {"seat_users": ["me"]}, "mqtt.seat_users: expected a table of keys, got a list"),
        ("journal", {"file": ""}, "journal.file: must be the path of a file"),
        ("journal", {"file": "a\nb"}, "journal.file: must be the path of a file"),
        ("log", {"level": "inf"}, "log.level: expected one of 'debug', 'info', 'warning', 'error', got 'inf'"),
        ("log", {"format": "xml"}, "log.format: expected one of 'auto', 'json', 'text', got 'xml'"),
        ("people", [{}], "people[1].id: is missing"),
        ("people", [ANNA, {"id": "b"}], "people[2].pin: is missing"),
        ("people", [ANNA | {"id": "a b"}], "people[1].id: must be 1 to 40 letters (a-z, A-Z), digits, -, _ or ."),
        ("people", [ANNA | {"id": ""}], "people[1].id: must be 1 to 40 letters"),
        ("people", [ANNA | {"name": " "}], "people[1].name: must not be empty"),
        ("people", [ANNA | {"role": "deeler"}], "people[1].role: there is no role 'deeler'; did you mean 'dealer'?"),
        ("people", [ANNA | {"role": ""}], "people[1].role: there is no role ''; there is dealer, supervisor"),
        ("people", [ANNA, BELA | {"id": "anna"}], "people[2].id: 'anna' is the id of people[1] already"),
        ("people", [ANNA, BELA | {"id": "ANNA"}], "people[2].id: 'ANNA' is the id of people[1] already"),
        ("people", [ANNA, BELA | {"pin": ANNA_PIN}], "people[2].pin: this is the PIN of people[1] too"),
        ("people", [ANNA | {"pin": []}], "people[1].pin: write the hash that `shoe-controller keys pin` prints"),
        ("people", [ANNA | {"pin": "x"}], "people[1].pin: this is not the hash of a PIN"),
        ("people", [ANNA | {"pin": ANNA_PIN[:-4]}], "people[1].pin: this hash of a PIN is damaged"),
        ("people", [7], "people[1]: expected a table of keys, got 7"),
    ],
)
def test_a_mistake_has_its_place_and_is_told_once(tmp_path: Path, section: str, settings: object, problem: str) -> None:
    found = [line for line in problems_of(tmp_path, with_sections(**{section: settings})) if line.startswith(problem)]
    assert len(found) == 1


def test_mistakes_in_all_sections_are_reported_at_once(tmp_path: Path) -> None:
    data = with_sections(
        procedure={"last_rounds": 99, "draw_within": 0},
        table={"name": "a b"},
        shoe={"port": "nowhere", "wire": "nativ"},
        mqtt={"port": 0},
        journal={"file": ""},
        log={"level": 3},
        people=[{"id": "x y", "role": "boss", "pin": 1234}, {"id": 5}],
    )
    data["house"]["decks"] = 9
    data["tabel"] = {}
    assert sorted(problem.partition(": ")[0] for problem in problems_of(tmp_path, data)) == [
        "house.decks",
        "journal.file",
        "log.level",
        "mqtt.host",
        "mqtt.port",
        "people[1].id",
        "people[1].name",
        "people[1].pin",
        "people[1].role",
        "people[2].id",
        "people[2].name",
        "people[2].pin",
        "people[2].role",
        "procedure.draw_within",
        "procedure.last_rounds",
        "shoe.key_file",
        "shoe.port",
        "shoe.wire",
        "tabel",
        "table.name",
        "table.site",
    ]


def test_mistakes_are_also_told_where_the_house_is_missing(tmp_path: Path) -> None:
    assert problems_of(tmp_path, {"journal": {"file": ""}}) == [
        "journal.file: must be the path of a file, on one line",
        "house: is missing: add a [house] section with the rules of the game; docs/table.example.toml shows one",
    ]


# --- Secrets in the wrong place. -------------------------------------------------------------------------------------


@pytest.mark.parametrize("pin", ["92581", " 92581 ", 92581, 92581.0, -92581])
def test_a_plain_pin_is_refused_with_how_to_hash_it_and_not_shown(tmp_path: Path, pin: object) -> None:
    (problem,) = problems_of(tmp_path, with_sections(people=[ANNA | {"pin": pin}]))
    assert problem.startswith("people[1].pin: this is a PIN in plain text")
    assert "`shoe-controller keys pin`" in problem
    assert "92581" not in problem


@pytest.mark.parametrize("pin", [["92581"], {"x": 92581}, "scrypt$92581", ANNA_PIN + "92581"])
def test_what_is_no_hash_is_not_shown(tmp_path: Path, pin: object) -> None:
    (problem,) = problems_of(tmp_path, with_sections(people=[ANNA | {"pin": pin}]))
    assert problem.startswith("people[1].pin: ")
    assert "92581" not in problem
    assert "shoe-controller keys pin" in problem


def test_a_key_in_the_place_of_its_file_is_refused_and_not_shown(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, with_sections(shoe=NATIVE | {"key_file": KEY}))
    assert problem.startswith("shoe.key_file: this is a key, not a file")
    assert KEY not in problem


def test_a_private_key_in_the_place_of_its_file_is_refused_and_not_shown(tmp_path: Path) -> None:
    files = {"ca_file": "a", "cert_file": "c", "key_file": "-----BEGIN PRIVATE KEY-----\n5ec4e7\n"}
    (problem,) = problems_of(tmp_path, with_sections(mqtt=BROKER | files))
    assert problem == "mqtt.key_file: must be the path of a file, on one line"


def _with_keys_beside(journal: Path, *others: Path) -> JournalSettings:
    return JournalSettings(journal, journal.with_name(f"{journal.name}.keys"), *others)
