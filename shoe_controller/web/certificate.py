"""The certificate that pages are served with."""

import ssl
from pathlib import Path


class PagesError(Exception):
    """Why pages cannot be served; the message is a sentence."""


class CertificateError(PagesError):
    """The certificate or its key cannot be used."""


def tls_context(cert_file: Path, key_file: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # An empty password, or OpenSSL would ask the terminal for the password of an encrypted key, and wait.
        context.load_cert_chain(cert_file, key_file, password="")
    except OSError as error:
        reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        raise CertificateError(
            f"the certificate {cert_file} and its key {key_file} cannot be used ({reason or error}). "
            "Both must be readable PEM, belong together, and the key have no password."
        ) from error
    return context
