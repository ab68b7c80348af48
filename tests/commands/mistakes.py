"""Mistakes that people make in a first hour: what is printed for each, and what it says to do, done.

A row's mistake is made in a folder where everything is right, and the command is given: `printed` must come of it. Then
what that text says is done, and the same command must be content. `@` stands for the folder.
"""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.daemon.house_file import person, write_secret
from tests.table_files import CERTIFICATE, PRIVATE_KEY, Data, as_toml, small_house, write

KEY = "5ec4e7" * 10 + "5ec4"
ANITA, RANA = person("anita", "dealer", "2640"), person("rana", "supervisor", "480612")

YES, NO = True, False

GONE = object()
"""In place of a value: the key is not there."""

TEXT = """\
[house]
base_game = "commission"
decks = 8
layout = "nepal_super_baccarat"
offer = ["base"]
seats = ["1", "2", "3"]

[house.limits]
all = { min = 100, max = 10000 }
"""
"""The least that `config check` takes, for slips of the pen; a person counts its lines from 1."""


class Folder:
    """A folder with the good file of a table, and everything that it names."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stdin = b""
        self.command: tuple[str, ...] = ("config", "check", "--running", "@/table.toml")
        self.data: Data = small_house(offer=["base"]) | {
            "table": {"site": "north", "name": "t1"},
            "shoe": {"port": "/dev/ttyACM0", "key_file": "shoe.key"},
            "mqtt": {
                "host": "broker",
                "username": "table-t1",
                "password_file": "mqtt.password",
                "ca_file": "ca.pem",
                "cert_file": "t1.pem",
                "key_file": "t1.key",
            },
            "people": [copy.deepcopy(ANITA), copy.deepcopy(RANA)],
        }
        write_secret(path / "shoe.key", KEY)
        write_secret(path / "mqtt.password", "Kathmandu 5!")
        write_secret(path / "t1.key", PRIVATE_KEY)
        (path / "t1.pem").write_text(CERTIFICATE, encoding="utf-8")
        (path / "ca.pem").write_text(CERTIFICATE, encoding="utf-8")
        write(path, self.data)

    def put(self, place: str, value: object) -> None:
        """Change a setting of the file; its keys are separated by slashes."""
        *above, last = place.split("/")
        where: Any = self.data
        for key in above:
            where = where[int(key)] if isinstance(where, list) else where.setdefault(key, {})
        if value is GONE:
            where.pop(last)
        else:
            where[last] = copy.deepcopy(value)
        write(self.path, self.data)


Step = Callable[[Folder], object]


class Mistake(NamedTuple):
    what: str
    made: Step
    printed: str
    followed: Step
    advised: str
    """The part of what is printed that says what is done then."""


def _setting(place: str, wrong: object, printed: str, right: object, *, advised: str | None = None) -> Mistake:
    """A wrong setting, put right by the value that the text says, or by leaving the key out."""
    shown = "missing" if wrong is GONE else f"= {as_toml(wrong)}"
    if advised is None:
        advised = "eave" if right is GONE else as_toml(right)
    return Mistake(
        f"{place} {shown}",
        lambda folder: folder.put(place, wrong),
        printed,
        lambda folder: folder.put(place, right),
        advised,
    )


def _steps(*steps: Step) -> Step:
    def in_turn(folder: Folder) -> None:
        for step in steps:
            step(folder)

    return in_turn


def _put(place: str, value: object) -> Step:
    return lambda folder: folder.put(place, value)


def _slip(what: str, before: str, after: str, printed: str, advised: str) -> Mistake:
    """A slip of the pen: a file that is not TOML any more."""

    def written(text: str) -> Step:
        return _steps(
            lambda folder: setattr(folder, "command", ("config", "check", "@/table.toml")),
            lambda folder: (folder.path / "table.toml").write_text(TEXT.replace(before, text, 1), encoding="utf-8"),
        )

    assert before in TEXT
    return Mistake(what, written(after), printed, written(before), advised)


def _file(
    what: str, made: Callable[[Path], object], printed: str, followed: Callable[[Path], object], advised: str
) -> Mistake:
    """Something is wrong with the file whose name comes first."""
    name = what.partition(" ")[0]
    return Mistake(
        what,
        lambda folder: made(folder.path / name),
        printed,
        lambda folder: followed(folder.path / name),
        advised,
    )


def _secret(text: str) -> Callable[[Path], object]:
    return lambda file: write_secret(file, text)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _file_again(file: Path) -> Path:
    file.rmdir()
    return file


def _asked(command: str, stdin: bytes = b"") -> Step:
    def asked(folder: Folder) -> None:
        folder.command, folder.stdin = tuple(command.split()), stdin

    return asked


def _command(
    wrong: str, printed: str, right: str, advised: str, *, stdin: bytes = b"", then: bytes | None = None
) -> Mistake:
    """A command that cannot be meant so."""
    return Mistake(wrong, _asked(wrong, stdin), printed, _asked(right, stdin if then is None else then), advised)


def mistakes() -> Iterator[Mistake]:
    yield from SLIPS
    yield from HOUSE
    yield from SECTIONS
    yield from PEOPLE
    yield from FILES
    yield from COMMANDS


SLIPS = (
    _slip(
        "an array that is not closed",
        '"3"]\n',
        '"3"\n',
        "is not valid TOML: the [ in line 6 is never closed: write ] behind its last value",
        "] behind its last value",
    ),
    _slip(
        "an array with a comma at its end that is not closed",
        '["base"]\n',
        '["base",\n',
        "is not valid TOML: the [ in line 5 is never closed",
        "write ] behind",
    ),
    _slip(
        "braces that are not closed",
        "10000 }\n",
        "10000\n",
        "(at line 9, column 31): close it with }",
        "close it with }",
    ),
    _slip("a text that is not closed", 'commission"', "commission", "(at line 2, column 24): close the text", "quote"),
    _slip(
        "a text without quotes",
        '"commission"',
        "commission",
        "(at line 2, column 13): write a text in quotes",
        "quotes",
    ),
    _slip("a key twice", "decks = 8", "decks = 8\ndecks = 6", "a key is there twice", "leave one of them out"),
    _slip("a section twice", "decks = 8", "decks = 8\n[house]", "a section is there twice", "below one heading"),
    _slip(
        "thousands with a comma",
        "{ min = 100, max = 10000 }",
        "{ min = 1,000, max = 10000 }",
        "(at line 9, column",
        "comma",
    ),
    _slip(
        "a comment behind //",
        "decks = 8",
        "decks = 8 // eight",
        "(at line 3, column 11): write one value",
        "# before a comment",
    ),
    _slip(
        "a port of Windows",
        "decks = 8",
        'decks = 8\n[shoe]\nport = "C:\\dev\\ttyUSB0"',
        "Unescaped '\\' in a string (at line 5, column 13)",
        "write every \\ in a text twice",
    ),
    _slip(
        "a heading in one bracket, and the next in two",
        "decks = 8",
        'decks = 8\n[people]\nid = "anita"\n[[people]]\nid = "rana"',
        "(at line 6, column 9): write [[people]], in two brackets",
        "above each of them",
    ),
    _slip("a key without =", "decks = 8", "decks 8", "(at line 3, column 7): write key = value", "key = value"),
    _slip(
        "two values", "decks = 8", "decks = 8 6", "(at line 3, column 11): write one value behind the =", "one value"
    ),
    _slip(
        "a heading that is not closed",
        "[house.limits]",
        "[house.limits",
        "(at line 8, column 14): close the heading",
        "brackets",
    ),
    _slip(
        "true in capitals",
        "decks = 8",
        "decks = 8\n[procedure]\nburn = True",
        "(at line 5, column 8)",
        "true and false in small letters",
    ),
)

_ALL = "house/limits/all"

HOUSE = (
    Mistake(
        "a heading in one bracket",
        lambda folder: folder.put("people", ANITA),
        "people: expected a list, got a table of keys; write [[people]], in two brackets, above each of them",
        lambda folder: folder.put("people", [ANITA]),
        "[[people]]",
    ),
    _setting(
        "house/seats",
        ["1", "2", "1"],
        "house.seats: seat '1' is listed more than once",
        ["1", "2"],
        advised="leave one out",
    ),
    _setting("house/seats", "1", """house.seats: expected a list, got '1'; write ["1"], in brackets""", ["1"]),
    _setting(
        "house/seats", [1, 2], "house.seats[1]: expected a text in quotes, got 1", ["1", "2"], advised='write "1", in'
    ),
    _setting("house/seats", GONE, "house.seats: is missing: write seats = ", ["1", "2", "3"]),
    _setting(
        _ALL,
        {"min": 500, "max": 100},
        "house.limits.all: min 500 is above max 100",
        {"min": 100, "max": 500},
        advised="min = 100, max = 500",
    ),
    _setting(
        _ALL,
        {"min": 0, "max": 100},
        "house.limits.all: min is 0: write 1 or more",
        {"min": 2, "max": 100},
        advised="1 or more",
    ),
    _setting(
        _ALL,
        {"min": 5.00, "max": 1000},
        "house.limits.all.min: expected a whole number, got 5.0; an amount is in whole minor units",
        {"min": 500, "max": 1000},
        advised="500 for 5.00",
    ),
    _setting(
        _ALL,
        {"min": "5.00", "max": 1000},
        "house.limits.all.min: expected a whole number, got '5.00'; an amount",
        {"min": 500, "max": 1000},
        advised="500 for 5.00",
    ),
    _setting(
        _ALL,
        {"min": "500", "max": 1000},
        "house.limits.all.min: expected a whole number, got '500'; write 500",
        {"min": 500, "max": 1000},
        advised="write 500, without quotes",
    ),
    _setting(
        _ALL,
        {"min": 500},
        "house.limits.all.max: is missing: write max = a whole number",
        {"min": 500, "max": 1000},
        advised="a whole number",
    ),
    _setting(
        _ALL,
        500,
        "house.limits.all: expected a table of keys, got 500; write { min = ",
        {"min": 100, "max": 100_000},
        advised="{ min = 100, max = 100000 }",
    ),
    _setting(
        "house/limits",
        {"base.tie": {"min": 5, "max": 50}},
        "house.limits: offered without limits: base.player, base.banker",
        {"base.tie": {"min": 5, "max": 50}, "all": {"min": 5, "max": 50}},
        advised="give some for them, their group or 'all'",
    ),
    _setting(
        "house/limits",
        GONE,
        "house.limits: is missing: write limits = ",
        {"all": {"min": 100, "max": 100_000}},
        advised="{ all = { min = 100, max = 100000 } }",
    ),
    _setting(
        "house/commission",
        {"rate": 5},
        "house.commission.rate: expected a text in quotes, got 5; write a percentage",
        GONE,
        advised='rate = "5%"',
    )._replace(followed=_steps(_put("house/base_game", "commission"), _put("house/commission", {"rate": "5%"}))),
    _setting(
        "house/commission", {"rate": "5%"}, "house.commission.rate: the base game 'nepal' takes no commission", GONE
    ),
    Mistake(
        "a rate without its sign",
        _steps(_put("house/base_game", "commission"), _put("house/commission", {"rate": "5"})),
        "house.commission.rate: must be a percentage like '5%', not '5'",
        _put("house/commission", {"rate": "5%"}),
        'write rate = "5%"',
    ),
    Mistake(
        "a rate as a share",
        _steps(_put("house/base_game", "commission"), _put("house/commission", {"rate": "0.05"})),
        "house.commission.rate: must be a percentage like '5%', not '0.05'",
        _put("house/commission", {"rate": "5%"}),
        'write rate = "5%", or "0.05%" if that is meant',
    ),
    _setting("house/seats", 1, """house.seats: expected a list, got 1; write ["1"], in brackets""", ["1"]),
    _setting(
        _ALL,
        {"min": 100, "max": 10**20},
        "house.limits.all.max: is not valid TOML: a whole number has more than 64 bits",
        {"min": 100, "max": 1000},
        advised="write a smaller one",
    ),
    _setting(
        "house/limits",
        {"all": {"min": 5, "max": 50}, "base": {"tie": {"min": 5, "max": 20}}},
        "house.limits.base: a name with a dot is in quotes",
        {"all": {"min": 5, "max": 50}, "base.tie": {"min": 5, "max": 20}},
        advised='write "base.tie"',
    ),
    _setting(
        "house/allow_player_edge", YES, "house.allow_player_edge: expected a list, got true", GONE, advised="list"
    ),
    _setting(
        "house/counted_limit",
        "0.5",
        "house.counted_limit: expected a number, got '0.5'; write 0.5, without quotes",
        0.5,
    ),
    _setting("house/decks", 9, "house.decks: must be from 1 to 8, not 9", 8),
    _setting("house/decks", "8", "house.decks: expected a whole number, got '8'; write 8, without quotes", 8),
    _setting("house/decks", 8.0, "house.decks: expected a whole number, got 8.0; write 8, without a decimal point", 8),
    _setting("house/deck", 8, "house.deck: unknown key; did you mean 'decks'?", GONE, advised="did you mean"),
    _setting(
        "house/base_game",
        "comission",
        "house.base_game: there is no base game 'comission'",
        "commission",
        advised="did you mean 'commission'?",
    ),
    _setting("house/base_game", GONE, "house.base_game: is missing: write base_game", "commission"),
    _setting(
        "house/layout",
        "nepal_super_bacarat",
        "house.layout: there is no layout",
        "nepal_super_baccarat",
        advised="did you mean 'nepal_super_baccarat'?",
    ),
    _setting(
        "house/offer",
        ["base", "pair"],
        "house.offer: there is no group or wager 'pair'",
        ["base", "pairs"],
        advised="did you mean 'pairs'?",
    ),
    _setting("house/offer", [], "house.offer: offer at least one wager", GONE, advised="leave the key out"),
    _setting(
        "house/needs_base",
        ["pairs"],
        "house.needs_base: pairs is not offered at this table",
        GONE,
        advised="leave it out here",
    ),
    _setting(
        "house/rounding", {"unit": 0}, "house.rounding.unit: must be at least 1", {"unit": 1}, advised="1 minor unit"
    ),
    _setting(
        "house/round_limit",
        {"amount": "5,000"},
        "house.round_limit.amount: expected a whole number, got '5,000'",
        {"amount": 5000, "groups": ["pairs"]},
        advised="neither point nor comma",
    )._replace(followed=_steps(_put("house/offer", ["base", "pairs"]), _put("house/round_limit", {"amount": 5000}))),
    _setting(
        "house/catalogue",
        ["own.toml"],
        "@/own.toml: cannot be read: No such file or directory; correct its path",
        GONE,
        advised="correct its path",
    ),
    _setting("house/pay_tables", {"base.tie": "L8-1"}, "house.pay_tables: ", GONE, advised="base.tie"),
)

SECTIONS = (
    _setting(
        "table/site", "north house", "table.site: must be 1 to 40 letters", "north-house", advised="digits, - or _"
    ),
    _setting("table/name", GONE, "table.name: is missing: write a name of letters", "baccarat-3"),
    _setting("table/decimals", 5, "table.decimals: must be 0 to 4, not 5", 4),
    _setting("table/title", 5, "table.title: expected a text in quotes, got 5", "5"),
    _setting("table/title", " ", "table.title: must not be empty", GONE),
    _setting(
        "shoe/port",
        GONE,
        "shoe.port: is missing: write where the shoe is plugged in",
        "/dev/serial/by-id/usb-Shoe_0001-if00",
    ),
    _setting(
        "shoe/port",
        "COM3",
        "shoe.port: 'COM3' is not the address of a shoe",
        "/dev/serial/by-id/usb-Shoe_0001-if00",
        advised="write a full path such as /dev/serial/by-id/usb-",
    ),
    _setting(
        "shoe/wire",
        "angel-eye",
        "shoe.wire: expected one of 'native', 'angel_eye', 'lines'",
        "angel_eye",
        advised="did you mean 'angel_eye'?",
    )._replace(followed=_steps(_put("shoe/wire", "angel_eye"), _put("shoe/key_file", GONE))),
    _setting(
        "shoe/wire",
        "angel_eye",
        "shoe.key_file: the Angel Eye wire has no keys: leave this key out",
        GONE,
        advised="leave this key out",
    )._replace(followed=_put("shoe/key_file", GONE)),
    _setting(
        "shoe/key_file",
        GONE,
        "shoe.key_file: is missing: write key_file",
        "shoe.key",
        advised="`shoe-controller keys shoe shoe.key` makes",
    ),
    _setting(
        "shoe/key_file",
        KEY,
        "shoe.key_file: this is a key, not a file",
        "shoe.key",
        advised="put it into its own file, and write that file's name here",
    ),
    _setting("shoe/insecure", YES, "shoe.insecure: either a key_file or insecure = true", GONE),
    _setting(
        "shoe/insecure",
        "false",
        "shoe.insecure: expected true or false, got 'false'",
        NO,
        advised="write false, without quotes",
    ),
    _setting(
        "shoe/baud", "115200", "shoe.baud: expected a whole number, got '115200'; write 115200, without quotes", 115200
    ),
    _setting("shoe/baud", 49, "shoe.port: 49 is not a baud rate", GONE, advised="baud rate"),
    _setting(
        "shoe/port",
        "socket://10.0.0.7:4001",
        "shoe.baud: only a serial port has a baud rate: leave this key out",
        GONE,
        advised="leave this key out",
    )._replace(
        made=_steps(_put("shoe/port", "socket://10.0.0.7:4001"), _put("shoe/baud", 9600)),
        followed=_put("shoe/baud", GONE),
    ),
    _setting("shoe/commands", YES, "shoe.commands: only the Angel Eye wire has host commands", GONE),
    _setting("mqtt/port", "8883", "mqtt.port: expected a whole number, got '8883'; write 8883, without quotes", 8883),
    _setting("mqtt/port", 70000, "mqtt.port: must be from 1 to 65535, not 70000", 65535),
    _setting("mqtt/host", GONE, "mqtt.host: is missing: write the name or address of the broker", "127.0.0.1"),
    Mistake(
        "a broker as other programs write it",
        _put("mqtt/host", "mqtt://broker:1883"),
        "mqtt.host: must be a host name or an IP address and nothing else, not 'mqtt://broker:1883'",
        _steps(_put("mqtt/host", "broker"), _put("mqtt/port", 1883)),
        'write host = "broker" and port = 1883',
    ),
    _setting(
        "mqtt/password",
        "geheim",
        "mqtt.password: unknown key; did you mean 'password_file'?",
        GONE,
        advised="password_file",
    ),
    _setting(
        "mqtt/username",
        GONE,
        "mqtt.password_file: a password needs a username beside it: add it",
        "table-t1",
        advised="add it",
    ),
    _setting(
        "mqtt/ca_file",
        GONE,
        "mqtt.ca_file: is missing: TLS needs an authority to trust",
        "ca.pem",
        advised="name the file with the certificate that signed the broker's",
    ),
    _setting(
        "mqtt/key_file",
        GONE,
        "mqtt.cert_file: a certificate and its key belong together: key_file is missing",
        "t1.key",
        advised="Add it",
    ),
    _setting("mqtt/keep_alive", 300, "mqtt.keep_alive: must be from 1 to 60, not 300", 60),
    _setting(
        "mqtt/seat_users",
        {"me": "9"},
        "mqtt.seat_users.me: there is no seat '9' in house.seats",
        {"me": "1"},
        advised="name another",
    ),
    _setting("board/port", "8080", "board.port: expected a whole number, got '8080'; write 8080, without quotes", 8080),
    _setting(
        "board/look", "white", "board.look: expected one of 'dark', 'light', got 'white'", "light", advised="'light'"
    ),
    _setting(
        "console/host",
        "0.0.0.0",  # noqa: S104 - a setting, and refused
        "console.host: without a certificate (cert_file, key_file) only this machine is served",
        "127.0.0.1",
        advised="127.0.0.1",
    ),
    _setting("console/idle_timeout", 5, "console.idle_timeout: must be from 30 to 43200, not 5", 30),
    _setting(
        "log/level",
        "warn",
        "log.level: expected one of 'debug', 'info', 'warning', 'error', got 'warn'",
        "warning",
        advised="did you mean 'warning'?",
    ),
    _setting(
        "procedure/reveal", "at_darw", "procedure.reveal: expected one of", "at_draw", advised="did you mean 'at_draw'?"
    ),
    _setting(
        "procedure/draw_within", "60", """procedure.draw_within: must be a number of seconds or "never", not '60'""", 60
    ),
    _setting(
        "procedure/new_dealer_burns",
        YES,
        "procedure.new_dealer_burns: needs dealer_signs_in = true",
        GONE,
        advised="dealer_signs_in = true",
    )._replace(followed=_put("procedure/dealer_signs_in", YES)),
    _setting("procedure/burn", "yes", "procedure.burn: expected true or false, got 'yes'", YES, advised="true"),
    _setting(
        "journal/file",
        "",
        "journal.file: must be the path of a file, on one line",
        "t1.journal",
        advised="the path of a file",
    ),
    *(
        _setting(
            "journal",
            {"file": "t1.journal", "anchor": anchor},
            "journal.anchor: this is the journal's own file",
            {"file": "t1.journal", "anchor": "t1.anchor"},
            advised="name another one",
        )
        for anchor in ("t1.journal", "./t1.journal-wal")
    ),
    _setting("tabel", {"site": "n"}, "tabel: unknown key; did you mean 'table'?", GONE, advised="table"),
)

_HASH = RANA["pin"]

PEOPLE = (
    _setting(
        "people/0/pin",
        GONE,
        "people[1].pin: is missing: write pin = ",
        ANITA["pin"],
        advised="the hash that `shoe-controller keys pin` prints",
    ),
    _setting(
        "people/0/pin",
        "2640",
        "people[1].pin: this is a PIN in plain text",
        ANITA["pin"],
        advised="write the hash that `shoe-controller keys pin` prints",
    ),
    _setting(
        "people/0/pin",
        2640,
        "people[1].pin: this is a PIN in plain text",
        ANITA["pin"],
        advised="write the hash that `shoe-controller keys pin` prints",
    ),
    _setting(
        "people/0/pin",
        _HASH[:-9],
        "people[1].pin: this",
        ANITA["pin"],
        advised="write what `shoe-controller keys pin` prints",
    ),
    _setting(
        "people/0/pin",
        _HASH,
        "people[2].pin: this is the PIN of people[1] too",
        ANITA["pin"],
        advised="each person needs their own",
    ),
    _setting(
        "people/0/role",
        "deeler",
        "people[1].role: there is no role 'deeler'",
        "dealer",
        advised="did you mean 'dealer'?",
    ),
    _setting(
        "people/1/id",
        "Anita",
        "people[2].id: 'Anita' is the id of people[1] already",
        "rana",
        advised="each person needs their own",
    ),
    _setting("people/1/name", GONE, "people[2].name: is missing: write the whole name", "Anita Rai"),
)

FILES = (
    _file(
        "shoe.key is missing",
        Path.unlink,
        "shoe.key_file: @/shoe.key cannot be read: No such file or directory",
        _secret(KEY),
        "or `shoe-controller keys shoe @/shoe.key` makes one",
    ),
    _file(
        "shoe.key is open to others",
        lambda file: file.chmod(0o644),
        "shoe.key_file: @/shoe.key is open to others (mode 0644)",
        lambda file: file.chmod(0o640),
        "`chmod g-wx,o-rwx @/shoe.key`",
    ),
    _file(
        "shoe.key holds half a key",
        _secret(KEY[:32]),
        "shoe.key_file: @/shoe.key contains no key",
        _secret(KEY),
        "a key is 64 hexadecimal digits and nothing else",
    ),
    _file(
        "shoe.key holds zeros",
        _secret("0" * 64),
        "shoe.key_file: @/shoe.key contains only zeros",
        _secret(KEY),
        "`shoe-controller keys shoe @/shoe.key` makes one",
    ),
    _file(
        "mqtt.password is missing",
        Path.unlink,
        "mqtt.password_file: @/mqtt.password cannot be read: No such file",
        _secret("x"),
        "write the password of this user of the broker into it, on one line",
    ),
    _file(
        "mqtt.password is empty",
        _secret(""),
        "mqtt.password_file: @/mqtt.password is empty",
        _secret("x"),
        "write the password of this user of the broker into it",
    ),
    _file(
        "mqtt.password has two lines",
        _secret("a\nb\n"),
        "mqtt.password_file: @/mqtt.password contains no password",
        _secret("a"),
        "write it on one line",
    ),
    _file(
        "ca.pem is missing",
        Path.unlink,
        "mqtt.ca_file: @/ca.pem cannot be read: No such file or directory",
        lambda file: file.write_text(CERTIFICATE),
        "copy the certificate of the authority that signed the broker's there",
    ),
    _file(
        "ca.pem is a folder",
        _folder,
        "mqtt.ca_file: @/ca.pem cannot be read: Is a directory",
        lambda file: _file_again(file).write_text(CERTIFICATE),
        "name the file of the certificate",
    ),
    _file(
        "shoe.key is a folder",
        _folder,
        "shoe.key_file: @/shoe.key is not a file",
        lambda file: write_secret(_file_again(file), KEY),
        "name one, or correct the path",
    ),
    _file(
        "ca.pem is the key",
        lambda file: file.write_text(PRIVATE_KEY),
        "mqtt.ca_file: @/ca.pem holds a private key and no certificate",
        lambda file: file.write_text(CERTIFICATE),
        "name the file of the certificate",
    ),
    _file(
        "ca.pem is not PEM",
        lambda file: file.write_bytes(b"\x30\x82\x01\x02"),
        "mqtt.ca_file: @/ca.pem holds a certificate as DER",
        lambda file: file.write_text(CERTIFICATE),
        "`openssl x509 -inform der -in @/ca.pem -out @/ca.pem.pem` makes it PEM",
    ),
    Mistake(
        "certificate and key are exchanged",
        _steps(
            _put("mqtt/cert_file", "t1.key"),
            _put("mqtt/key_file", "t1.pem"),
            lambda folder: (folder.path / "t1.pem").chmod(0o600),
        ),
        "mqtt.cert_file: the certificate and its key are exchanged",
        _steps(_put("mqtt/cert_file", "t1.pem"), _put("mqtt/key_file", "t1.key")),
        'cert_file = "@/t1.pem", key_file = "@/t1.key"',
    ),
    _file(
        "t1.key is the certificate",
        _secret(CERTIFICATE),
        "mqtt.key_file: @/t1.key holds a certificate and no key",
        _secret(PRIVATE_KEY),
        "name the file of the key that the certificate was made for",
    ),
    _file(
        "table.toml can be changed by everybody",
        lambda file: file.chmod(0o666),
        "table.toml: cannot be read: everybody on this machine can change it",
        lambda file: file.chmod(0o644),
        "remove that right with `chmod o-w`",
    ),
    _file(
        "table.toml is not UTF-8",
        lambda file: file.write_bytes(TEXT.encode("utf-16")),
        "table.toml: cannot be read: byte 0 is not utf-8",
        lambda file: file.write_text(TEXT),
        "save it as UTF-8 in your editor",
    )._replace(followed=lambda folder: write(folder.path, folder.data)),
)

_TABLE = "--site north --table t1 --port /dev/ttyACM0 --insecure --no-broker"
_INIT = f"init @/new {_TABLE} --journal @/t.journal --anchor @/t.anchor"
_CHECKED = "config check @/table.toml"
_SETTLED = "settle @/table.toml - 9H 4D KS 2C"

COMMANDS = (
    _command(
        "config check @/tabel.toml",
        "@/tabel.toml: cannot be read: No such file or directory",
        _CHECKED,
        "correct its path",
    ),
    _command(
        "settle @/table.toml @/wager.json 9H 4D KS 2C",
        "@/wager.json cannot be read: No such",
        _SETTLED,
        "correct its path",
        then=b"[]",
    ),
    _command(
        "settle @/table.toml @ 9H 4D KS 2C",
        "@ cannot be read: Is a directory",
        _SETTLED,
        "name a file in it",
        then=b"[]",
    ),
    _command("hand 9H 4D KS", "The next card is missing: Banker’s second card", "hand 9H 4D KS 2C", "second card"),
    _command("config check @", "@: cannot be read: ", _CHECKED, "name a file in it"),
    _command("config chek @/table.toml", "invalid choice: 'chek'", _CHECKED, "choose from"),
    _command(
        "keys shoe @/shoe.key",
        "@/shoe.key exists already and was left alone",
        "keys shoe @/other.key",
        "name another file",
    ),
    _command(
        "keys shoe @/a.key --output @/b.key",
        "one key goes into one file",
        "keys shoe @/a.key",
        "name @/a.key or @/b.key",
    ),
    _command(
        "keys pin", "this PIN needs 6 to 12 digits", "keys pin", "6 to 12 digits", stdin=b"2640\n", then=b"480612\n"
    ),
    _command(
        "keys pin",
        "the digits of this PIN follow each other",
        "keys pin",
        "choose another",
        stdin=b"123456\n",
        then=b"480612\n",
    ),
    _command(
        "doctor @/table.toml --list --skip shoes",
        "there is no check 'shoes'; the checks are configuration",
        "doctor @/table.toml --list --skip shoe",
        "shoe, line",
    ),
    _command(
        f"{_INIT} --dealer anita=Anita --supervisor rana=Rana",
        "the PIN of Rana (--supervisor rana): standard input has ended",
        f"{_INIT} --dealer anita=Anita --supervisor rana=Rana",
        "give one PIN on each line, dealers first",
        stdin=b"264079\n",
        then=b"264079\n480612\n",
    ),
    _command(
        f"{_INIT} --dealer anita=Anita --supervisor rana=Rana",
        "Rana and Anita have the same PIN",
        f"{_INIT} --dealer anita=Anita --supervisor rana=Rana",
        "let one of them choose another",
        stdin=b"480612\n480612\n",
        then=b"264079\n480612\n",
    ),
    _command(
        f"{_INIT} --supervisor rana=Rana",
        "the PIN of Rana (--supervisor rana): this PIN needs 6 to 12 digits",
        f"{_INIT} --supervisor rana=Rana",
        "6 to 12 digits",
        stdin=b"4806\n",
        then=b"480612\n",
    ),
    _command(
        f"{_INIT} --dealer anita",
        "--dealer takes ID=NAME",
        f"{_INIT} --dealer anita='AnitaRai'",
        "such as anita='Anita Rai'",
        stdin=b"264079\n",
    ),
    _command(
        f"{_INIT} --min 500 --max 100",
        "house.limits.all: min 500 is above max 100",
        f"{_INIT} --min 100 --max 500",
        "min = 100, max = 500",
    ),
    _command(
        f"{_INIT} --file table",
        "--file must be a file name such as table.toml",
        f"{_INIT} --file table.toml",
        "table.toml",
    ),
    _command("init @/new --table t1", "--site is missing: the house, as part of every topic", _INIT, "--site"),
    _command(
        f"{_INIT} --layout nepal",
        "house.layout: there is no layout 'nepal'",
        f"{_INIT} --layout nepal_super_baccarat",
        "nepal_super_baccarat",
    ),
)
