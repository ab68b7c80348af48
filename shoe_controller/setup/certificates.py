"""A house's own small certificate authority, made with the openssl command. The only file that runs it.

Keys never leave the folder they are made in, except the broker's own, and are never shown.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

AUTHORITY_DAYS = 7300
BROKER_DAYS = 1825
PATIENCE = 60

_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256")
_SETTINGS = """\
[req]
distinguished_name = name
prompt = no
x509_extensions = authority
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[broker]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = {hosts}
authorityKeyIdentifier = keyid
"""


class CertificateError(Exception):
    """No certificate could be made; the message says why."""


class Made(NamedTuple):
    certificate: bytes
    key: bytes


def make_authority(name: str) -> Made:
    with _folder(name, ()) as folder:
        _openssl(folder, "req", "-x509", *_NEW_KEY, *_files("ca"), "-days", str(AUTHORITY_DAYS))
        return _made(folder, "ca")


def make_broker_certificate(authority: Made, hosts: Iterable[str], key: bytes | None = None) -> Made:
    """Make a certificate for these names and addresses, the first of which is its common name.

    It is for the broker's `key`, or for a new one.
    """
    hosts = tuple(dict.fromkeys(hosts))
    with _folder(hosts[0], hosts) as folder:
        for file, content in (("ca.pem", authority.certificate), ("ca.key", authority.key)):
            (folder / file).write_bytes(content)
        if key is None:
            _openssl(folder, "req", "-new", *_NEW_KEY, "-keyout", "broker.key", "-out", "broker.csr")
        else:
            (folder / "broker.key").write_bytes(key)
            _openssl(folder, "req", "-new", "-sha256", "-key", "broker.key", "-out", "broker.csr")
        signed = (
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-extfile",
            "settings",
            "-extensions",
            "broker",
        )
        dates = ("-days", str(BROKER_DAYS), "-sha256", "-out", "broker.pem")
        _openssl(folder, "x509", "-req", "-in", "broker.csr", *signed, *dates, settings=False)
        return _made(folder, "broker")


class _folder:  # noqa: N801 - used as a function
    """A private temporary folder, removed with the keys in it when the work is done."""

    def __init__(self, name: str, hosts: tuple[str, ...]) -> None:
        self._name = name
        self._hosts = hosts

    def __enter__(self) -> Path:
        self._temporary = tempfile.TemporaryDirectory(prefix="shoe-authority-")
        folder = Path(self._temporary.name)
        hosts = ", ".join(f"{'IP' if _is_address(host) else 'DNS'}:{host}" for host in self._hosts) or "DNS:nobody"
        (folder / "settings").write_text(_SETTINGS.format(name=self._name, hosts=hosts), encoding="utf-8")
        return folder

    def __exit__(self, *_: object) -> None:
        self._temporary.cleanup()


def _files(name: str) -> tuple[str, ...]:
    return ("-keyout", f"{name}.key", "-out", f"{name}.pem")


def _made(folder: Path, name: str) -> Made:
    return Made((folder / f"{name}.pem").read_bytes(), (folder / f"{name}.key").read_bytes())


def _openssl(folder: Path, *arguments: str, settings: bool = True) -> None:
    command = shutil.which("openssl")
    if command is None:
        raise CertificateError("the command openssl is missing: sudo apt install openssl")
    words = [command, *arguments, *(("-config", "settings") if settings else ())]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired as error:
        raise CertificateError(f"openssl did not finish within {PATIENCE} s") from error
    if done.returncode:
        raise CertificateError(f"openssl {arguments[0]} failed: {done.stderr.strip().splitlines()[-1]}")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
