"""A sample of what `make fuzz` does, with inputs by chance instead of by coverage."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz import angel_eye, c_shoe, lines, mqtt_packets, native, requests
from tests.fuzz.__main__ import LONGEST_SEED, SHARES, by_inputs

TARGETS = {
    "angel_eye": angel_eye,
    "lines": lines,
    "mqtt_packets": mqtt_packets,
    "native": native,
    "requests": requests,
    "c_shoe": c_shoe,
}


@pytest.mark.parametrize("target", TARGETS)
def test_random_inputs_hold(target: str) -> None:
    one_input: Callable[[bytes], None] = TARGETS[target].one_input
    chance = random.Random(target)  # noqa: S311 - no secret
    for _ in range(300):
        data = chance.randbytes(chance.randint(1, LONGEST_SEED))
        try:
            one_input(data)
        except Exception as error:
            error.add_note(f"the input was {data.hex()}")
            raise


def test_a_campaign_leaves_no_target_out() -> None:
    jobs = by_inputs(100_000_000, SHARES)
    runs = dict.fromkeys(TARGETS, 0)
    for job in jobs:
        runs[job.target] += int(job.limit.removeprefix("-runs="))
    assert sum(runs.values()) == 100_000_000
    assert min(runs.values()) >= 1_000_000
    assert {job.target for job in jobs[: len(TARGETS)]} == set(TARGETS)


def test_afl_has_seeds_of_its_own_whatever_goes_from_the_corpus_meanwhile(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "stays").write_bytes(b"\x01")
    (corpus / "gone").symlink_to(corpus / "nothing")
    seeds = c_shoe.own_seeds(corpus, tmp_path / "seeds")
    (corpus / "stays").unlink()
    assert {each.name: each.read_bytes() for each in seeds.iterdir()} == {"stays": b"\x01"}
    assert str(seeds) in c_shoe.guided_command(seeds, tmp_path / "out", "-runs=1")
