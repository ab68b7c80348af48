"""The files of the broker: its configuration, its users with their passwords, and the access list. Pure."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from shoe_controller.setup.access_list import EVERY_TABLE, BrokerUser
from shoe_controller.setup.passwords import password_line
from shoe_controller.setup.template import as_toml

CONFIGURATION, PASSWORDS, ACCESS = "shoe-controller.conf", "passwords", "access"
AUTHORITY, CERTIFICATE, KEY = "ca.pem", "broker.pem", "broker.key"


def mosquitto_conf(folder: Path) -> str:
    """A file for Mosquitto's conf.d. What Debian's own mosquitto.conf sets is not set again: twice is an error."""
    return f"""\
# Mosquitto as shoe-controller's tables want it. Goes into /etc/mosquitto/conf.d/, and reads the other files from
# {folder}. After a change of passwords or access list: systemctl reload mosquitto.

# One port, with TLS: requests carry PINs. Nothing listens without TLS, not even on this machine.
listener 8883
cafile {folder / AUTHORITY}
certfile {folder / CERTIFICATE}
keyfile {folder / KEY}
tls_version tlsv1.2

# Everybody has a name, and may do what the access list says.
allow_anonymous false
password_file {folder / PASSWORDS}
acl_file {folder / ACCESS}

# Small messages go out at once; gathered, a burst of six took 45 ms instead of 1.5.
set_tcp_nodelay true

# What lies at the broker is on the disk within a second, so that a power cut costs little. Displays find out about the
# rest by the numbers of the events, and ask the table again.
autosave_on_changes true
autosave_interval 1

# A table that is flooded with requests comes to all of these in its own time; a display that hangs asks for the rest.
max_queued_messages 10000
max_packet_size 262144
"""


def users_toml(users: Iterable[tuple[BrokerUser, str]]) -> str:
    """`broker-users.toml`: the users, and where the password of each is."""
    lines = ["# The users at the broker, for `shoe-controller doctor` and for whoever sets up terminals."]
    for user, password_file in users:
        lines += ["", "[[users]]", f"name = {as_toml(user.name)}", f"role = {as_toml(user.role.value)}"]
        if user.table != EVERY_TABLE:
            lines.append(f"table = {as_toml(user.table)}")
        lines.append(f"password_file = {as_toml(password_file)}")
    return "\n".join(lines) + "\n"


def password_file(existing: str, passwords: Mapping[str, str], salts: Mapping[str, bytes]) -> str:
    """Mosquitto's password file with these users in it; what is there of others, and of them, stays as it is."""
    lines = existing.splitlines()
    known = {line.partition(":")[0] for line in lines}
    new = [password_line(user, password, salts[user]) for user, password in passwords.items() if user not in known]
    return "".join(f"{line}\n" for line in [*lines, *new])
