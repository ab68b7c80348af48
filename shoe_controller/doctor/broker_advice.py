"""What to do about each way in which a connection to the broker fails: every cause has an advice of its own."""

import socket
import ssl

from shoe_controller.config.mqtt import TLS_PORT, MqttSettings
from shoe_controller.mqtt.broker import BrokerError, NotWelcomeError
from shoe_controller.setup.broker_files import BROKER_FOLDER, PASSWORDS

_EXPIRED, _NOT_YET_VALID = 10, 9
_OTHER_HOST, _OTHER_ADDRESS = 62, 64
"""OpenSSL's numbers of what is wrong with a certificate."""

RENEW = "Make a new certificate with `shoe-controller init --renew-certificate`, and restart the broker."


def to_do_about(error: BrokerError, mqtt: MqttSettings) -> str:
    """Advice for this error; empty where its own sentence says everything."""
    cause = error.__cause__
    if isinstance(error, NotWelcomeError):
        return _about_refused_user(mqtt)
    if isinstance(cause, ssl.SSLError):
        return to_do_about_tls(cause, mqtt)
    if isinstance(cause, socket.gaierror):
        return (
            f"Correct host in [mqtt]: `getent hosts {mqtt.host}` must show an address. "
            'Where the broker is on this machine, write host = "127.0.0.1".'
        )
    if isinstance(cause, ConnectionRefusedError):
        return (
            f"Start the broker at {mqtt.host} (sudo systemctl start mosquitto). If it runs, write its port in [mqtt]: "
            f"`sudo ss -ltnp` there shows at which it listens, and {mqtt.port} is not one of them."
        )
    if isinstance(cause, TimeoutError | OSError) and not isinstance(cause, ConnectionResetError):
        return (
            f"Nothing came back from {mqtt.host}: switch that machine on, and let its firewall pass port {mqtt.port}. "
            f"`ping {mqtt.host}` shows whether there is a way to it."
        )
    return _about_other_protocol(mqtt)


def to_do_about_tls(error: ssl.SSLError, mqtt: MqttSettings) -> str:
    if not isinstance(error, ssl.SSLCertVerificationError):
        if "ALERT" in (error.reason or ""):
            return "Name this table's certificate and its key as cert_file and key_file in [mqtt], as the broker wants."
        return _about_other_protocol(mqtt)
    if error.verify_code == _EXPIRED:
        return RENEW
    if error.verify_code == _NOT_YET_VALID:
        return "Set this machine's clock: the certificate begins to be valid later than the time that it shows."
    if error.verify_code in (_OTHER_HOST, _OTHER_ADDRESS):
        return (
            f"Write in [mqtt] the host for which the certificate was made, in place of {mqtt.host}: "
            f"`openssl s_client -connect {mqtt.host}:{mqtt.port} </dev/null | openssl x509 -noout -ext subjectAltName` "
            "shows it."
        )
    return (
        f"Copy the certificate of the broker's own authority over {mqtt.ca_file}: on the broker's machine it is the "
        "file that cafile names in Mosquitto's configuration, and where `init` wrote that, broker/ca.pem."
    )


def _about_refused_user(mqtt: MqttSettings) -> str:
    if mqtt.username is None or mqtt.password_file is None:
        return "Name the table's user as username in [mqtt], and the file with the password as password_file."
    return (
        f"Give {mqtt.username} one password on both sides: on the broker's machine `sudo mosquitto_passwd "
        f"{BROKER_FOLDER / PASSWORDS} {mqtt.username}`, or with another file, if `sudo grep -r ^password_file "
        "/etc/mosquitto` there shows another; then `sudo systemctl reload mosquitto`, and write the same password "
        f"into {mqtt.password_file}, on one line."
    )


def _about_other_protocol(mqtt: MqttSettings) -> str:
    if mqtt.tls:
        return (
            f"Write the port of the broker's TLS listener in [mqtt], which is usually {TLS_PORT}: what answers at "
            f"{mqtt.port} speaks no TLS."
        )
    return (
        "Name the broker's authority as ca_file in [mqtt], if the broker wants TLS at this port, or correct the port."
    )
