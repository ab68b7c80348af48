"""Runs tshark with the dissector, and reads what it shows of each packet."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest

from tests.firmware_protocol.wireshark.renew import DISSECTOR

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not here; make test-firmware has it"
)

NOBODY: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

_CODE = re.compile(r" \((0x)?[0-9a-f]+\)$")


class Shown(NamedTuple):
    """One frame of the line, as Wireshark shows it."""

    line: str
    fields: dict[str, str]
    """The words of each field, by key."""
    experts: dict[str, str]
    """What is wrong with it, by kind."""


def tshark(file: Path, *options: str) -> str:
    """What it writes about a file; nothing in one may break the dissector."""
    with tempfile.TemporaryDirectory() as folder:
        # As root, Wireshark 4.4 ignores scripts without a word: it is started as somebody who sees this folder alone.
        place = Path(folder)
        place.chmod(0o755)
        for given in (DISSECTOR, file):
            shutil.copyfile(given, place / given.name)
            (place / given.name).chmod(0o644)
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [shutil.which("tshark") or "tshark", "-X", f"lua_script:{DISSECTOR.name}", "-r", file.name, *options],
            cwd=place,
            env={**os.environ, "HOME": folder, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=60,
            **NOBODY,
        )
    assert done.returncode == 0, done.stderr
    assert "lua error" not in (done.stdout + done.stderr).lower()
    return done.stdout


def dissected(file: Path, *options: str) -> list[list[Shown]]:
    """The frames of each packet."""
    packets = ET.fromstring(tshark(file, "-T", "pdml", "-J", "shoe", *options)).findall("packet")  # noqa: S314 - its own
    return [[_shown(proto) for proto in packet.findall("proto[@name='shoe']")] for packet in packets]


def _shown(proto: ET.Element) -> Shown:
    fields, experts = {}, {}
    for field in proto.iter("field"):
        name, words = field.get("name", ""), field.get("showname", "")
        if name == "_ws.expert":
            message, kind = field.find("field[@name='_ws.expert.message']"), field.find("field")
            assert message is not None
            assert kind is not None
            experts[kind.get("name", "").removeprefix("shoe.")] = message.get("show", "")
        elif name.startswith("shoe.") and field.get("size") is not None and "Expert Info" not in words:
            fields[name.removeprefix("shoe.")] = _in_words(words)
    return Shown(proto.get("showname", ""), {key: fields[key] for key in fields if key not in experts}, experts)


def _in_words(shown: str) -> str:
    """What stands after the name: the words of a code, or the value."""
    _, _, words = shown.partition(": ")
    _, taken_as, meaning = words.partition(": taken as ")
    return meaning if taken_as else _CODE.sub("", words)
