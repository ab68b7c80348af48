"""A Mosquitto with users and an access list, for the table of the tests."""

from pathlib import Path

from shoe_controller.setup.access_list import BrokerRole, BrokerUser, access_list
from shoe_controller.setup.passwords import SALT_BYTES, password_line
from tests.daemon.house_file import SITE, TABLE, write_secret
from tests.table_files import as_toml

OTHER = "table-2"

USERS = (
    BrokerUser("the-table", BrokerRole.TABLE, TABLE),
    BrokerUser("other-table", BrokerRole.TABLE, OTHER),
    BrokerUser("board", BrokerRole.DISPLAY),
    BrokerUser("seats", BrokerRole.WAGERS),
    BrokerUser("dealer", BrokerRole.DEALER, TABLE),
    BrokerUser("boss", BrokerRole.SUPERVISOR),
    BrokerUser("console", BrokerRole.CONSOLE, TABLE),
    BrokerUser("witness", BrokerRole.WITNESS),
    BrokerUser("pit", BrokerRole.PIT),
    BrokerUser("archive", BrokerRole.ARCHIVE),
)

ACCESS = access_list(SITE, USERS)


def password_of(name: str) -> str:
    return f"the password of {name}"


def guarded_settings(folder: Path, access: str = ACCESS) -> str:
    """What Mosquitto's configuration says besides its port."""
    lines = [password_line(user.name, password_of(user.name), bytes(SALT_BYTES)) for user in USERS]
    write_secret(folder / "passwords", "\n".join(lines) + "\n")
    write_secret(folder / "access", access)
    return f"allow_anonymous false\npassword_file {folder}/passwords\nacl_file {folder}/access"


def users_file(folder: Path) -> Path:
    """The file with which the doctor tries every user."""
    entries = [
        {
            "name": user.name,
            "role": user.role.value,
            "table": user.table,
            "password_file": write_secret(folder / f"{user.name}.password", password_of(user.name)).name,
        }
        for user in USERS
    ]
    return write_secret(folder / "broker-users.toml", f"users = {as_toml(entries)}\n")


def as_the_table(folder: Path) -> dict[str, str]:
    """What the [mqtt] section says."""
    file = write_secret(folder / "mqtt.password", password_of("the-table"))
    return {"username": "the-table", "password_file": str(file)}
