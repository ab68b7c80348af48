"""The table of all checks, in order: later ones build on the findings of earlier ones."""

from collections.abc import AsyncIterator, Collection, Iterable
from pathlib import Path

from shoe_controller.config.file_kind import FileKind, kind_of
from shoe_controller.doctor import broker, configuration, journal, machine, pages, port, roles, shoe
from shoe_controller.doctor.findings import Check, Finding, Patient

CHECKS = (
    Check(
        "configuration",
        "the table's file: every key known, nothing missing, nothing contradictory",
        "Do what it says there; docs/table.example.toml explains every key.",
        configuration.look_at_configuration,
    ),
    Check(
        "pay-tables",
        "the house's rules: limits, pay tables, and that no wager favours the player by accident",
        "Correct the [house] section; docs/house.md explains the guard.",
        configuration.look_at_pay_tables,
    ),
    Check(
        "people",
        "that there is a supervisor to clear an alert, and a second one to take a result back",
        "Add a supervisor with `shoe-controller config person add`.",
        configuration.look_at_people,
    ),
    Check(
        "secrets",
        "keys, passwords and certificates: present, readable by the service, closed to others",
        "Do what it says there.",
        configuration.look_at_secrets,
    ),
    Check(
        "broker",
        "that the broker answers and accepts the table",
        "Start the broker, and compare host, port, user and password with its configuration.",
        broker.look_at_broker,
    ),
    Check(
        "broker-tls",
        "the broker's certificate: trusted, issued for its host, and its expiry",
        "Compare ca_file, host and port in [mqtt] with the broker's configuration.",
        broker.look_at_certificate,
    ),
    Check(
        "table",
        "the table's own status: that one controller serves it, that it stores and publishes, that no alert stops it",
        "Look at its log: journalctl -u shoe-controller.",
        broker.look_at_table,
    ),
    Check(
        "broker-roles",
        "the access list, tested: every user at every topic",
        "Use the access list that `shoe-controller init` writes, and make the broker read it again (SIGHUP).",
        roles.look_at_roles,
    ),
    Check(
        "open-ports",
        "that no broker without TLS can be reached from the network",
        "Bind the plain listener to 127.0.0.1, or close the port with a firewall (docs/install.md).",
        machine.look_at_open_ports,
    ),
    Check("port", "that the shoe's port is there", "Plug the shoe in and switch it on.", port.look_at_port),
    Check(
        "port-permission",
        "that the service's user may open the port",
        "Install the udev rule, which gives shoes to the service's group.",
        port.look_at_permission,
    ),
    Check(
        "port-free",
        "that no other program holds the port, and which one does",
        "Stop the other program.",
        port.look_at_holders,
    ),
    Check(
        "shoe",
        "that a shoe answers",
        "Check the cable, the shoe's power, and wire and baud in the [shoe] section.",
        shoe.look_at_shoe,
    ),
    Check(
        "line",
        "how many frames of the shoe are damaged on the way",
        "Use a shorter or shielded cable, away from motors and mains; check ground, and baud in the [shoe] section.",
        shoe.look_at_line,
    ),
    Check(
        "shoe-key",
        "that the shoe holds the same key as the configuration",
        "Put the same key into the shoe and into the file that key_file names.",
        shoe.look_at_key,
    ),
    Check(
        "firmware",
        "the shoe's firmware and protocol version",
        "Update the older side.",
        shoe.look_at_firmware,
    ),
    Check(
        "journal",
        "that the journal is this table's, intact and writable",
        "Copy the file, and leave it as it is: if it is damaged, the controller sets it aside when it starts.",
        journal.look_at_journal,
    ),
    Check(
        "journal-key",
        "the keys that sign the journal: closed to others, and the public one kept elsewhere",
        "Move the file *.public out of the folder of keys to a place that this machine cannot write to.",
        journal.look_at_keys,
    ),
    Check(
        "anchor",
        "that the journal is not an older copy, and that its anchor can be written",
        "Let the service's user write to the anchor's folder, or set another place in the [journal] section.",
        journal.look_at_anchor,
    ),
    Check(
        "disk-space",
        "the disk space left for the journal",
        "Prune old shoes with `shoe-controller journal prune`, or use a larger disk.",
        journal.look_at_space,
    ),
    Check(
        "disk-speed",
        "how long it takes to store a card on the disk",
        "Use another disk: an SSD at USB 3, or an industrial SD card; a worn card is slow.",
        journal.look_at_speed,
    ),
    Check(
        "disk-kind",
        "that the journal's file system survives a power cut",
        "Put the journal on a persistent disk, and set its path in the [journal] section.",
        journal.look_at_file_system,
    ),
    Check(
        "clock",
        "that the machine's clock is right",
        "Let it reach a time server: sudo timedatectl set-ntp true; without a network, give it a clock with a battery.",
        machine.look_at_clock,
    ),
    Check(
        "power",
        "under-voltage and throttling of a Raspberry Pi",
        "Use the Raspberry Pi's own power supply and a short cable, and let air reach it.",
        machine.look_at_power,
    ),
    Check(
        "service",
        "that the service starts with the machine, and does not restart again and again",
        "Look at its log: journalctl -u shoe-controller.",
        machine.look_at_service,
    ),
)


OF_PAGES = (
    Check(
        "configuration",
        "a file that is no table's: every key known, nothing missing, secret files usable",
        "Do what it says there; docs/table.example.toml explains every key.",
        pages.look_at_configuration,
    ),
    Check(
        "secrets",
        "that the service can read its files, and others no secret",
        "Do what it says there.",
        pages.look_at_files,
    ),
    Check(
        "broker",
        "that the broker answers and accepts this user",
        "Start the broker, and compare host, port, user and password with its configuration.",
        pages.look_at_broker,
    ),
    Check(
        "broker-tls",
        "the broker's certificate: trusted, issued for its host, and its expiry",
        "Compare ca_file, host and port in [mqtt] with the broker's configuration.",
        pages.look_at_certificate,
    ),
    Check(
        "tables",
        "that the tables which are followed are there, and that this user may read them",
        "Correct the site and the tables in the file, or start the tables.",
        pages.look_at_tables,
    ),
)
"""For the files of boards, consoles, witnesses, the pit's process and archives."""


OF_PIT = (
    *OF_PAGES,
    Check(
        "people",
        "that somebody may sign in at the pit's page",
        "Add a person with `shoe-controller config person add`.",
        pages.look_at_people,
    ),
)
"""For the file of the pit's process."""

OF_ARCHIVE = (
    *OF_PAGES,
    Check(
        "database",
        "that PostgreSQL answers, accepts this user, and has what the archive needs",
        "Start PostgreSQL, and compare `database` in [archive] with docs/archive.md.",
        pages.look_at_database,
    ),
)
"""For the file of an archive."""

_CHECKS = {FileKind.TABLE: CHECKS, FileKind.PIT: OF_PIT, FileKind.ARCHIVE: OF_ARCHIVE}


def checks_for(file: Path) -> tuple[Check, ...]:
    return _CHECKS.get(kind_of(file), OF_PAGES)


async def examine(
    patient: Patient, checks: Iterable[Check] = CHECKS, *, leaving_out: Collection[str] = ()
) -> AsyncIterator[tuple[Check, list[Finding]]]:
    """Yield every check with its findings, one after the other."""
    for check in checks:
        if check.name not in leaving_out:
            yield check, await check.look(patient)
