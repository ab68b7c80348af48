"""The contents of a support bundle, with every secret removed."""

import asyncio
import io
import json
import platform
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path

from shoe_controller.config.plain_files import read_plain
from shoe_controller.config.strict_reading import BadFileError, parse_toml
from shoe_controller.doctor.checks import examine
from shoe_controller.doctor.findings import Patient, Thresholds
from shoe_controller.doctor.users import service_user
from shoe_controller.setup.users_file import USERS_FILE

LEFT_OUT = "(left out)"
LOG_LINES = 5000
PATIENCE = 20
LEAST_SECRET = 4
"""Characters; a shorter secret would match everywhere."""

_STRING = r'"""(?:\\.|[^\\])*?"""(?:"{0,2})|"(?:\\.|[^"\\\n])*"|' + r"""'''.*?'''(?:'{0,2})|'[^'\n]*'"""
"""A string of TOML or JSON, closed; quotes at the end of a long one belong to it."""

_NAMED_SECRET = re.compile(
    r"""((?<![A-Za-z0-9])(?:pin|password|passwd|passphrase|secret|token)s?\b\\?["']?\s*[=:]\s*)"""
    rf"""({_STRING}|\\"[^\n]*?\\"|\[[^\]]*\]|[^\s,}}\]]+)""",
    re.IGNORECASE | re.DOTALL,
)
"""A secret by its name, where it does not belong. Names of files are kept: `password_file` is none of these."""
_IN_ADDRESS = re.compile(r"(://[^\s/:@]*:)[^\s/@]+(?=@)")
_HASH = re.compile(r"scrypt\$[^\s\"']*")
_PASSWORD_HASH = re.compile(r"\$[67]\$[^\s\"']*")
_LONG_HEX = re.compile(r"\b[0-9a-fA-F]{64}\b")
_PEM_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_SECRET_FILE = re.compile(r"""\b(?:password|key)_file["']?\s*=\s*["']+([^"'\n]+)["']""")

_TEXT_OR_COMMENT = re.compile(rf"{_STRING}|[#][^\n]*", re.DOTALL)

COMMANDS = {
    "log.txt": (
        "journalctl",
        "--unit=shoe-*",
        "--unit=mosquitto",
        f"--lines={LOG_LINES}",
        "--no-pager",
        "--output=short-iso",
    ),
    "services.txt": ("systemctl", "status", "--no-pager", "--lines=0", "shoe-*", "mosquitto"),
    "usb.txt": ("lsusb",),
    "disks.txt": ("df", "-h"),
    "clock.txt": ("timedatectl",),
    "kernel.txt": ("dmesg", "--level=err,warn", "--ctime"),
}


def pack(archive: tarfile.TarFile, config: Path, folder: str, now: int) -> list[str]:
    """Add everything to the archive; return the names of its files."""
    secrets = list(secrets_of(config))
    names = []
    for name, text in _gathered(config):
        content = without_secrets(text, secrets).encode()
        entry = tarfile.TarInfo(f"{folder}/{name}")
        entry.size, entry.mtime, entry.mode = len(content), now, 0o600
        archive.addfile(entry, io.BytesIO(content))
        names.append(name)
    return names


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Remove every known secret from a text, and everything that looks like one."""
    for secret in secrets:
        for written in (secret, json.dumps(secret, ensure_ascii=False)[1:-1]):
            text = re.sub(re.escape(written), LEFT_OUT, text, flags=re.IGNORECASE)
    text = _PEM_KEY.sub(LEFT_OUT, text)
    for pattern in (_NAMED_SECRET, _IN_ADDRESS):
        text = pattern.sub(rf"\g<1>{LEFT_OUT}", text)
    for pattern in (_HASH, _PASSWORD_HASH, _LONG_HEX):
        text = pattern.sub(LEFT_OUT, text)
    return text


def without_comments(text: str) -> str:
    """A TOML file without its comments, in which people keep what is nobody else's business."""
    kept = _TEXT_OR_COMMENT.sub(lambda found: "" if found[0].startswith("#") else found[0], text)
    try:
        parse_toml("", text)
    except BadFileError:
        # Where a quote is missing, nobody can tell a comment from a text.
        return re.sub("#[^\n]*", "", kept)
    return kept


def secrets_of(config: Path) -> Iterator[str]:
    """Yield the content of every secret file of the table, its pages and its users, as far as we may read it."""
    folder = config.parent
    files = {*folder.glob("*.password"), *folder.glob("*.key"), *folder.glob("users/*.password")}
    for _, text in _configurations(config):
        # By their look, because a file that is packed may be one that cannot be used.
        files |= {folder / name for name in _SECRET_FILE.findall(text)}
    for file in sorted(files):
        with suppress(OSError, UnicodeDecodeError):
            content = read_plain(file).decode().strip()
            if len(content) >= LEAST_SECRET:
                yield content


def _configurations(config: Path) -> Iterator[tuple[str, str]]:
    names = (config.name, "board.toml", "console.toml", USERS_FILE)
    for file in map(config.with_name, names):
        with suppress(OSError, UnicodeDecodeError):
            yield file.name, read_plain(file).decode()


def _gathered(config: Path) -> Iterator[tuple[str, str]]:
    yield "versions.txt", "\n".join(_versions()) + "\n"
    yield "doctor.json", asyncio.run(_doctor(config))
    for name, text in _configurations(config):
        yield name, without_comments(text)
    yield "ports.txt", "".join(f"{path} -> {path.resolve()}\n" for path in _ports())
    for name, command in COMMANDS.items():
        yield name, _output(command)


def _versions() -> Iterator[str]:
    yield f"{platform.platform()} {platform.machine()}, Python {platform.python_version()}"
    with suppress(OSError):
        yield Path("/etc/os-release").read_text(encoding="utf-8", errors="replace")
    with suppress(OSError):
        yield Path("/proc/device-tree/model").read_text(encoding="utf-8", errors="replace").strip("\0\n")
    yield from sorted({f"{each.name} {each.version}" for each in distributions()})


async def _doctor(config: Path) -> str:
    patient = Patient(file=config, user=service_user(), limits=Thresholds(listen_seconds=3.0))
    found = [
        {"check": check.name, "verdict": finding.verdict.value, "what": finding.what, "to_do": finding.to_do}
        async for check, findings in examine(patient)
        for finding in findings
    ]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _ports() -> list[Path]:
    return sorted(path for folder in ("shoe", "serial/by-id") for path in Path("/dev", folder).glob("*"))


def _output(command: tuple[str, ...]) -> str:
    found = shutil.which(command[0])
    if found is None:
        return f"{command[0]} is not on this machine.\n"
    try:
        done = subprocess.run([found, *command[1:]], capture_output=True, timeout=PATIENCE, check=False)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired:
        return f"{command[0]} did not finish.\n"
    return (done.stdout + done.stderr).decode(errors="replace")
