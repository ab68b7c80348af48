"""What a command of a document finds where it is run: a house made by `init`, and files to work on."""

import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socket import socket

from simulator.reader_ids import cards_file
from tests.daemon.house_file import write_secret
from tests.deploy.new_house import PINS, init, let_emulator_deal
from tests.documents.snippets import ROOT, snippets_of

NATIVE_KEY = bytes(range(0x64, 0x84))
"""Of the recorded native shoes."""

WAGERS = [{"seat": "1", "wager": "base.player", "stake": 500}]

FILES = ("table.toml", "board.toml", "console.toml", "witness.toml", "pit.toml", "archive.toml")

PORTS = ("port = 8080\n", "port = 8081\n", "port = 8090\n")
"""Of pages, as they stand in these files."""

TYPED = "".join(f"{pin}\n" for pin in PINS.values())
"""What is typed where a command asks: the PINs of the people."""


def new_house(folder: Path) -> Path:
    """A house as `init` makes it, with whatever else the documents take for granted beside it."""
    answer = init(folder)
    assert answer.exit_code == 0, answer.err
    let_emulator_deal(folder)
    for name in FILES:
        file = folder / name
        file.write_text("".join(with_free_ports(file.read_text(encoding="utf-8"))), encoding="utf-8")
    for name in ("witness", "pit"):
        file = folder / f"{name}.toml"
        text = file.read_text(encoding="utf-8").replace("# file = ", f'file = "north.{name}"  # ')
        file.write_text(text, encoding="utf-8")
    with (folder / "table.toml").open("a", encoding="utf-8") as table:
        table.write(f"\n[board]\nport = {free_port()}\n\n[console]\nport = {free_port()}\n")
    (folder / "wagers.json").write_text(json.dumps(WAGERS), encoding="utf-8")
    own_wagers = next(s.text for s in snippets_of("docs/catalogue.md") if "[document.our_house]" in s.text)
    (folder / "our_wagers.toml").write_text(own_wagers, encoding="utf-8")
    with gzip.open(ROOT / "tests" / "recordings" / "native_01.jsonl.gz", "rt", encoding="utf-8") as recording:
        (folder / "line.jsonl").write_text(recording.read(), encoding="utf-8")
    with gzip.open(ROOT / "tests" / "recordings" / "angel_eye_01.jsonl.gz", "rt", encoding="utf-8") as recording:
        beginning = [next(recording) for _ in range(40)]
    (folder / "traffic.jsonl").write_text("".join(beginning), encoding="utf-8")
    said = [chunk["hex"] for chunk in map(json.loads, beginning) if chunk["dir"] == "shoe"]
    (folder / "red.jsonl").write_bytes(cards_file(8, "pieces"))
    (folder / "capture.bin").write_bytes(bytes.fromhex("".join(said)))
    return folder


def put_native_recording(folder: Path) -> None:
    """The line of a native shoe, and its key."""
    with gzip.open(ROOT / "tests" / "recordings" / "native_01.jsonl.gz", "rt", encoding="utf-8") as recording:
        (folder / "line.jsonl").write_text("".join(next(recording) for _ in range(40)), encoding="utf-8")
    (folder / "shoe.key").unlink()
    write_secret(folder / "shoe.key", NATIVE_KEY.hex())


def with_free_ports(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        yield f"port = {free_port()}\n" if line in PORTS else line


def free_port() -> int:
    with closing(socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def copy_of(house: Path, folder: Path) -> Path:
    """A house of its own for one reader: whatever is done there, others do not see it."""
    shutil.copytree(house, folder, symlinks=True, ignore=shutil.ignore_patterns("*.journal*", "*.anchor*", "mosquitto"))
    for name in FILES:
        file = folder / name
        write_secret(file, file.read_text(encoding="utf-8").replace(f"{house}/", f"{folder}/"))
    return folder
