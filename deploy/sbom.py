"""The package's bill of materials, in CycloneDX 1.5: every library that is inside, with version, licence and hash."""
# ruff: noqa: INP001 - part of a stand-alone program, not of a package

import json
from collections.abc import Iterable
from typing import Any

LONGEST_LICENCE = 100
"""Characters; what is longer is a licence's text, not its name."""


def bill_of_materials(version: str, installed: list[dict[str, Any]]) -> str:
    """`installed` is what pip's installation report lists; the same bytes in any order.

    A library of which there are several files, for several machines, is one component with all their hashes.
    """
    components = _merged(_component(each) for each in installed if each["metadata"]["name"] != "shoe-controller")
    references = [component["bom-ref"] for component in components]
    product = f"pkg:pypi/shoe-controller@{version}"
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "shoe-controller", "version": version, "bom-ref": product}
        },
        "components": sorted(components, key=lambda component: str(component["bom-ref"])),
        "dependencies": [{"ref": product, "dependsOn": sorted(references)}],
    }
    return json.dumps(bill, indent=2, ensure_ascii=False) + "\n"


def _merged(components: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    by_reference: dict[str, dict[str, Any]] = {}
    for component in components:
        hashes = by_reference.setdefault(component["bom-ref"], component)["hashes"]
        hashes += [each for each in component["hashes"] if each not in hashes]
        hashes.sort(key=lambda each: str(each["content"]))
    return list(by_reference.values())


def _component(each: dict[str, Any]) -> dict[str, Any]:
    metadata = each["metadata"]
    name = metadata["name"].lower().replace("_", "-")
    reference = f"pkg:pypi/{name}@{metadata['version']}"
    component = {
        "type": "library",
        "name": name,
        "version": metadata["version"],
        "bom-ref": reference,
        "purl": reference,
        "hashes": [{"alg": "SHA-256", "content": each["download_info"]["archive_info"]["hashes"]["sha256"]}],
    }
    licence = metadata.get("license_expression") or metadata.get("license") or _classified(metadata)
    if licence and len(licence) <= LONGEST_LICENCE and "\n" not in licence:
        component["licenses"] = [{"license": {"name": licence}}]
    return component


def _classified(metadata: dict[str, Any]) -> str:
    found = [each for each in metadata.get("classifier", ()) if each.startswith("License ::")]
    return found[0].rpartition(" :: ")[2] if found else ""
