"""The one private name of paho-mqtt that the product uses: a release without it is noticed here, and not at a table."""

import socket
from importlib.metadata import version

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from shoe_controller.mqtt.client import _PahoClient

PRIVATE = "_create_socket"
ADVICE = (
    f"paho-mqtt {version('paho-mqtt')} no longer opens its connection with Client.{PRIVATE}, which "
    "shoe_controller/mqtt/client.py replaces: find what does, or keep the bound in pyproject.toml below this release."
)


def test_nothing_else_of_its_inside_is_replaced() -> None:
    ours = {name for name in vars(_PahoClient) if not name.startswith("__")}
    assert ours & set(dir(Client)) == {PRIVATE}, ADVICE


def test_paho_opens_its_connection_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened, other_end = socket.socketpair()
    with opened, other_end:
        monkeypatch.setattr(Client, PRIVATE, lambda _: opened, raising=False)
        client = Client(CallbackAPIVersion.VERSION2)
        # Port 9 of this machine answers nothing: without the name, paho would try to connect to it.
        try:
            client.connect("127.0.0.1", 9)
        except OSError as error:
            pytest.fail(f"{ADVICE} ({error})")
        assert client.socket() is opened, ADVICE
        other_end.settimeout(5.0)
        assert other_end.recv(1) == b"\x10", "CONNECT comes first"
