"""The files of the broker: its configuration, its users with their passwords, and the access list. Pure."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from shoe_controller.setup.access_list import EVERY_TABLE, BrokerUser
from shoe_controller.setup.passwords import password_line
from shoe_controller.setup.template import as_toml

BROKER_FOLDER = Path("/etc/mosquitto/shoe-controller")
"""Where `init` writes what an installed broker reads."""

CONFIGURATION, PASSWORDS, ACCESS = "shoe-controller.conf", "passwords", "access"
AUTHORITY, CERTIFICATE, KEY = "ca.pem", "broker.pem", "broker.key"


def mosquitto_conf(folder: Path) -> str:
    """A file for Mosquitto's conf.d. What Debian's own mosquitto.conf sets is not set again: twice is an error."""
    return f"""\
# Mosquitto for shoe-controller's tables. Goes into /etc/mosquitto/conf.d/, and reads the other files from
# {folder}. After a change of passwords or access list: systemctl reload mosquitto.

# One port, with TLS: requests carry PINs. Nothing listens without TLS, not even on this machine.
listener 8883
cafile {folder / AUTHORITY}
certfile {folder / CERTIFICATE}
keyfile {folder / KEY}
tls_version tlsv1.2

# Some dozens of tables, each with its boards, consoles and terminals. More connections are closed at once; the limit
# is below the 1,024 files that systemd lets Mosquitto open, so that it can still save. Connections that have not signed
# in count too, until Mosquitto closes them after 90 seconds: let only the machines of the house reach this port.
max_connections 500

# Every client has a user name, and the rights of the access list.
allow_anonymous false
password_file {folder / PASSWORDS}
acl_file {folder / ACCESS}

# Small messages are sent at once; with Nagle's algorithm a burst of six took 45 ms instead of 1.5 ms.
set_tcp_nodelay true

# Saved once a minute, and when Mosquitto is stopped in order. A save writes the whole database and holds up every
# message meanwhile, so it must not follow every change. A broker that is killed loses at most the last minute of what
# it alone has: what waits for displays that keep a session, which they get with a replay, and the last retained
# messages of tables that are away. Every table that is there publishes its own again when it connects.
autosave_on_changes false
autosave_interval 60

# A client that does not read costs this many messages or bytes at most, whichever comes first, and the 20 that are on
# their way to it. Then the broker drops messages for it; a display notices that by the numbers of the events, and
# requests a replay.
max_queued_messages 10000
max_queued_bytes 33554432

# A session that its client asked the broker to keep is gone a day after the client was last there, whatever the client
# asked for. A session from before a restart of the broker stays until its client is back: Mosquitto 2.0.11 forgets its
# end.
persistent_client_expiration 1d

# Tables and displays accept packets of 64 KiB. A larger message is refused and reaches nobody; a client that sends a
# packet above the second limit is disconnected.
message_size_limit 65536
max_packet_size 131072
"""


def users_toml(users: Iterable[tuple[BrokerUser, str]]) -> str:
    """`broker-users.toml`: the users, and the password file of each."""
    lines = ["# The users at the broker, for `shoe-controller doctor` and for setting up terminals."]
    for user, password_file in users:
        lines += ["", "[[users]]", f"name = {as_toml(user.name)}", f"role = {as_toml(user.role.value)}"]
        if user.table != EVERY_TABLE:
            lines.append(f"table = {as_toml(user.table)}")
        lines.append(f"password_file = {as_toml(password_file)}")
    return "\n".join(lines) + "\n"


def password_file(existing: str, passwords: Mapping[str, str], salts: Mapping[str, bytes]) -> str:
    """Return Mosquitto's password file with these users added; existing lines stay as they are."""
    lines = existing.splitlines()
    known = {line.partition(":")[0] for line in lines}
    new = [password_line(user, password, salts[user]) for user, password in passwords.items() if user not in known]
    return "".join(f"{line}\n" for line in [*lines, *new])
