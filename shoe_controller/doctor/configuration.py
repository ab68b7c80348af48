"""Checks of the table's file, its pay tables, its people, and the files that it names."""

from collections.abc import Iterator
from pathlib import Path

from shoe_controller.config.mqtt import MqttSettings
from shoe_controller.config.people import Person
from shoe_controller.config.pins import SUPERVISOR_DIGITS, parse_pin_hash
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import Config, for_running, load_config
from shoe_controller.doctor.findings import Finding, Patient, Verdict, good, not_looked, problem
from shoe_controller.doctor.rights import make_readable, quoted
from shoe_controller.doctor.users import READ, WRITE, may
from shoe_controller.messages.acts import Role

NO_CONFIGURATION = "the configuration cannot be used, see above"


async def look_at_configuration(patient: Patient) -> list[Finding]:
    try:
        patient.config = load_config(patient.file, guarded=False)
    except BadFileError as error:
        return problems_of(error)
    missing = [name for name, part in (("table", patient.config.table), ("shoe", patient.config.shoe)) if part is None]
    if missing:
        return problem(f"{patient.file} has no [{'] and no ['.join(missing)}] section, so a table cannot run with it")
    return good(f"{patient.file} can be read, and every key in it is known")


async def look_at_pay_tables(patient: Patient) -> list[Finding]:
    if patient.config is None:
        return not_looked(NO_CONFIGURATION)
    try:
        house = load_config(patient.file).house
    except BadFileError as error:
        return problems_of(error)
    return good(
        f"{len(house.offered)} wagers of base game {house.schedule.base_game} with {house.decks} decks; "
        "none favours the player or pays less than printed unless the house allowed it, and every winner is paid"
    )


async def look_at_secrets(patient: Patient) -> list[Finding]:
    if patient.config is None:
        return not_looked(NO_CONFIGURATION)
    try:
        patient.running = for_running(patient.config)
    except BadFileError as error:
        return problems_of(error)
    return judge_files(patient, list(_files_of(patient.config)), has_people=bool(patient.config.people))


def judge_files(patient: Patient, files: list[Path], *, has_people: bool) -> list[Finding]:
    """Whether the service may read these files, and nobody else what is secret in them."""
    user = patient.user
    shut = [file for file in files if not may(user, file, READ)]
    if shut:
        return problem(f"the service's user {user.name} may not read {_listed(shut)}", make_readable(user, shut))
    changeable = [file for file in files if user.uid != 0 and file.stat().st_uid != user.uid and may(user, file, WRITE)]
    if changeable:
        return problem(
            f"the service's user {user.name} may change {_listed(changeable)}",
            f"sudo chmod g-w,o-w {quoted(changeable)}",
        )
    # PINs can be brute-forced from their hashes, so the file with the people is a secret too.
    if has_people and patient.file.stat().st_mode & 0o007:
        what = f"{patient.file} contains the hashes of PINs, and anyone may read it"
        return problem(what, f"sudo chmod o-rwx {quoted([patient.file])}")
    return good(f"{len(files)} files can be read by the service, and the secret ones by no one else")


async def look_at_people(patient: Patient) -> list[Finding]:
    if patient.config is None:
        return not_looked(NO_CONFIGURATION)
    supervisors = [person.id for person in patient.config.people if person.role is Role.SUPERVISOR]
    if not supervisors:
        return problem(
            "[[people]] has no supervisor: no alert could be cleared, and no card identified",
            _add("a supervisor", Role.SUPERVISOR, patient.file),
        )
    if len(supervisors) == 1:
        what = "there is only one supervisor, and taking a result back needs two"
        return problem(what, _add("another one", Role.SUPERVISOR, patient.file))
    short = [who.id for who in patient.config.people if who.role is Role.SUPERVISOR and _may_be_short(who)]
    if short:
        return problem(
            f"the PIN of {', '.join(short)} may have fewer than {SUPERVISOR_DIGITS} digits",
            f"let each of them choose one of {SUPERVISOR_DIGITS} digits or more, with `shoe-controller keys pin`, and "
            "write the hash that it prints in their [[people]] section; the old hash is valid until then",
        )
    if patient.config.procedure.dealer_signs_in:
        return _look_at_dealers(patient.config, f"{len(supervisors)} supervisors: {', '.join(supervisors)}")
    return good(f"{len(supervisors)} supervisors: {', '.join(supervisors)}")


def _look_at_dealers(config: Config, supervisors: str) -> list[Finding]:
    if config.mqtt is None:
        return problem(
            "[procedure] dealer_signs_in is true and there is no [mqtt] section: no dealer could sign in",
            "set dealer_signs_in = false, or add the broker and a console",
        )
    dealers = [person.id for person in config.people if person.role is Role.DEALER]
    if not dealers:
        return problem(
            "dealers must sign in here, and [[people]] has no dealer: only a supervisor could deal",
            _add("a dealer", Role.DEALER, config.file),
        )
    sign_in = "dealer who signs in" if len(dealers) == 1 else "dealers who sign in"
    return good(f"{supervisors}; {len(dealers)} {sign_in}: {', '.join(dealers)}")


def _add(whom: str, role: Role, file: Path) -> str:
    return (
        f"Add {whom}, with that person's own id and name: "
        f"`sudo shoe-controller config person add {quoted([file])} --{role.value} maya='Maya Gurung'`"
    )


def _may_be_short(person: Person) -> bool:
    """A hash of an earlier version does not say how many digits its PIN has."""
    digits = parse_pin_hash(person.pin.reveal()).digits
    return digits is None or digits < SUPERVISOR_DIGITS


def problems_of(error: BadFileError) -> list[Finding]:
    return [Finding(verdict=Verdict.PROBLEM, what=f"{error.file}: {each}") for each in error.problems]


def _files_of(config: Config) -> Iterator[Path]:
    yield config.file
    if config.shoe is not None and config.shoe.key_file is not None:
        yield config.shoe.key_file
    if config.mqtt is not None:
        yield from files_of_mqtt(config.mqtt)


def files_of_mqtt(mqtt: MqttSettings) -> Iterator[Path]:
    yield from (each for each in (mqtt.password_file, mqtt.ca_file, mqtt.cert_file, mqtt.key_file) if each)


def _listed(files: list[Path]) -> str:
    return ", ".join(str(file) for file in files)
