"""The way to a broker: certificates, and a sentence for everything that can go wrong before it answers."""

import socket
import ssl

from shoe_controller.mqtt.broker import (
    BadCertificateError,
    BrokerAddress,
    BrokerError,
    BrokerUnreachableError,
    TlsFiles,
)


def tls_context(files: TlsFiles) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=files.ca_file)
    except OSError as error:
        raise BadCertificateError(
            f"the certificates in {files.ca_file} cannot be read ({detail(error)}). "
            "It must hold those of the authority that signed the broker's, as PEM."
        ) from error
    if files.cert_file is not None:
        try:
            # An empty password, or OpenSSL would ask the terminal for the password of an encrypted key, and wait.
            context.load_cert_chain(files.cert_file, files.key_file, password="")
        except OSError as error:
            raise BadCertificateError(
                f"our certificate {files.cert_file} and its key {files.key_file or 'in the same file'} cannot be used "
                f"({detail(error)}). Both must be readable PEM, belong together, and the key have no password."
            ) from error
    return context


def detail(error: OSError | ValueError) -> str:
    known = error.reason if isinstance(error, ssl.SSLError) else getattr(error, "strerror", None)
    return known or str(error) or type(error).__name__


def explained(error: OSError | ValueError, address: BrokerAddress) -> BrokerError:
    """What went wrong on the way to the broker, as a sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return BadCertificateError(
            f"the certificate of the broker at {address} is not accepted: {error.verify_message}. "
            "Check that our CA file is of the authority that signed it, and that it is made out to this host."
        )
    if isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or ""):
        return BadCertificateError(
            f"the broker at {address} does not accept our certificate ({detail(error)}). "
            "Check our certificate file, and the broker's cafile."
        )
    if isinstance(error, ssl.SSLError | ConnectionResetError):
        return BrokerUnreachableError(
            f"the broker at {address} closed the connection before accepting it ({detail(error)}). "
            "Check its port, and whether it wants TLS."
        )
    if isinstance(error, socket.gaierror | ValueError):
        return BrokerUnreachableError(
            f"the broker's host {address.host} is not known ({detail(error)}). "
            "Correct it in the configuration, or check the network."
        )
    return BrokerUnreachableError(
        f"no broker answers at {address} ({detail(error)}). "
        "Check that the broker runs, its host and port, and the network."
    )
