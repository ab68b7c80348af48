"""The doctor on a table's file, its rules, its people and its secrets."""

from pathlib import Path

import pytest

from tests.daemon.house_file import people, person, write_secret
from tests.doctor.clinic import NOBODY, clinic_file, good, not_looked, patient_with, problems

pytestmark = pytest.mark.asyncio


async def test_a_good_file_is_good(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path))
    assert "every key in it is known" in await good(patient, "configuration")
    assert "3 supervisors: rana, shah, thapa" in await good(patient, "people")
    assert "none favours the player" in await good(patient, "pay-tables")
    assert "2 files can be read" in await good(patient, "secrets")


async def test_configuration_fails_with_every_problem_of_the_file(tmp_path: Path) -> None:
    data = clinic_file(tmp_path)
    data["table"]["nmae"] = "x"
    data["shoe"]["port"] = "COM3"
    told = await problems(patient_with(tmp_path, data), "configuration")
    assert "table.nmae" in told
    assert "shoe.port: 'COM3' is not the address of a shoe" in told


async def test_configuration_fails_without_the_sections_that_a_table_needs(tmp_path: Path) -> None:
    data = clinic_file(tmp_path)
    del data["shoe"], data["table"]
    assert "no [table] and no [shoe] section" in await problems(patient_with(tmp_path, data), "configuration")


async def test_configuration_fails_where_there_is_no_file(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path))
    patient.file = tmp_path / "other.toml"
    assert "other.toml" in await problems(patient, "configuration")
    assert "see above" in await not_looked(patient, "pay-tables")


async def test_pay_tables_fails_when_a_wager_favours_the_player(tmp_path: Path) -> None:
    data = clinic_file(tmp_path)
    data["house"]["commission"] = {"rate": "0%"}
    told = await problems(patient_with(tmp_path, data), "pay-tables")
    assert "banker" in told
    assert "player" in told


async def test_people_fails_where_a_supervisors_pin_may_be_short(tmp_path: Path) -> None:
    data = clinic_file(tmp_path)
    short, earlier = person("rana", "supervisor", "4806"), person("shah", "supervisor", "773501")
    earlier["pin"] = earlier["pin"].replace(",d=6", "")
    data["people"] = [short, earlier, person("thapa", "supervisor", "905183"), person("anita", "dealer", "2640")]
    told = await problems(patient_with(tmp_path, data), "people")
    assert "the PIN of rana, shah may have fewer than 6 digits" in told


async def test_people_fails_without_two_supervisors(tmp_path: Path) -> None:
    data = clinic_file(tmp_path)
    everybody = people()
    data["people"] = everybody[:1]
    assert "[[people]] has no supervisor" in await problems(patient_with(tmp_path, data), "people")
    data["people"] = everybody[:2]
    assert "only one supervisor" in await problems(patient_with(tmp_path, data), "people")
    data["people"] = [person("rana", "supervisor", "480612"), person("shah", "supervisor", "773501")]
    await good(patient_with(tmp_path, data), "people")


async def test_people_fails_where_dealers_must_sign_in_and_none_can(tmp_path: Path) -> None:
    data = clinic_file(tmp_path, broker_port=1)
    data["procedure"] = {"dealer_signs_in": True}
    assert "; 1 dealer who signs in: anita" in await good(patient_with(tmp_path, data), "people")
    data["people"] = people()[1:]
    assert "[[people]] has no dealer" in await problems(patient_with(tmp_path, data), "people")
    data.pop("mqtt")
    assert "no dealer could sign in" in await problems(patient_with(tmp_path, data), "people")


async def test_secrets_fails_when_a_file_is_missing_or_open_to_others(tmp_path: Path) -> None:
    data = clinic_file(tmp_path)
    key = tmp_path / "shoe.key"
    key.chmod(0o644)
    assert "is open to others (mode 0644)" in await problems(patient_with(tmp_path, data), "secrets")
    key.unlink()
    assert "shoe.key cannot be read: No such file" in await problems(patient_with(tmp_path, data), "secrets")
    write_secret(key, "00ff")
    assert "contains no key" in await problems(patient_with(tmp_path, data), "secrets")


async def test_secrets_fails_when_the_service_may_not_read_what_root_may(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path), user=NOBODY)
    told = await problems(patient, "secrets")
    assert "user nobody may not read" in told
    assert "shoe.key" in told


async def test_secrets_fails_when_anybody_may_read_the_hashes_of_pins(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path))
    patient.file.chmod(0o644)
    assert "hashes of PINs" in await problems(patient, "secrets")
