"""Checks the files of a TLS connection, or of pages over TLS: readable, and each holding what its key says.

Whether a key belongs to its certificate, and who signed it, only the connection shows.
"""

from pathlib import Path

from shoe_controller.config.plain_files import read_plain
from shoe_controller.config.secret_files import Secret, SecretFileError, read_secret
from shoe_controller.config.strict_reading import Problem

_CERTIFICATE, _PRIVATE_KEY = b"-----BEGIN CERTIFICATE-----", b"PRIVATE KEY-----"
_DER = b"\x30\x82"
"""How a certificate begins that is not PEM."""


def check_tls_files(
    place: str, ca_file: Path | None, cert_file: Path | None, key_file: Path | None, problems: list[Problem]
) -> None:
    """Add what is wrong with the files that this section names as `ca_file`, `cert_file` and `key_file`."""
    key = _private(place, key_file, problems)
    certificate = _public(place, "cert_file", cert_file, problems)
    authority = _public(place, "ca_file", ca_file, problems)
    if key is not None and certificate is not None and _PRIVATE_KEY in certificate and _CERTIFICATE in key.reveal():
        if _CERTIFICATE not in certificate and _PRIVATE_KEY not in key.reveal():
            message = f'the certificate and its key are exchanged: cert_file = "{key_file}", key_file = "{cert_file}"'
            problems.append(Problem(f"{place}.cert_file", message))
        return
    for name, file, content in (("cert_file", cert_file, certificate), ("ca_file", ca_file, authority)):
        if content is not None and _CERTIFICATE not in content:
            problems.append(Problem(f"{place}.{name}", f"{file} {_instead(file, content)}"))
    if key is not None and _PRIVATE_KEY not in key.reveal():
        what = "a certificate and no key" if _CERTIFICATE in key.reveal() else "no private key as PEM"
        message = f"{key_file} holds {what}: name the file of the key that the certificate was made for"
        problems.append(Problem(f"{place}.key_file", message))


def _instead(file: Path | None, content: bytes) -> str:
    if _PRIVATE_KEY in content:
        return "holds a private key and no certificate: name the file of the certificate"
    if content.startswith(_DER):
        return f"holds a certificate as DER: `openssl x509 -inform der -in {file} -out {file}.pem` makes it PEM"
    return "holds no certificate: it must have the lines from BEGIN CERTIFICATE to END CERTIFICATE"


def _private(place: str, file: Path | None, problems: list[Problem]) -> Secret[bytes] | None:
    if file is None:
        return None
    try:
        return read_secret(file, "copy the key of the certificate there")
    except SecretFileError as error:
        problems.append(Problem(f"{place}.key_file", str(error)))
        return None


def _public(place: str, name: str, file: Path | None, problems: list[Problem]) -> bytes | None:
    if file is None:
        return None
    try:
        return read_plain(file)
    except FileNotFoundError as error:
        whose = "of the authority that signed the broker's" if name == "ca_file" else "that belongs to the key"
        message = f"{file} cannot be read: {error.strerror}; correct the path, or copy the certificate {whose} there"
    except PermissionError as error:
        message = f"{file} cannot be read: {error.strerror}; let the service's user read it: sudo chmod 644 {file}"
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}; name the file of the certificate"
    problems.append(Problem(f"{place}.{name}", message))
    return None
