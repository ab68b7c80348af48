"""How large the file becomes: a table that deals around the clock, as `docs/witness.md` has it."""

from shoe_controller.config.witness import WitnessEntry
from shoe_controller.journal.checkpoints import RECORDS_BETWEEN
from shoe_controller.witness.judgement import Judgement
from shoe_controller.witness.lines import HeadSeen, LineChain
from tests.witness.samples import TABLE, checkpoint, digest, status

ROUNDS_A_DAY = 24 * 60
RECORDS_A_ROUND = 50
ROUNDS_A_SHOE = 75
MOST_A_YEAR = 10_500_000
"""Bytes, for one table."""


def test_a_year_of_a_table_that_never_closes() -> None:
    judgement, chain, size = Judgement(TABLE, WitnessEntry().heads_every), LineChain(), 0
    now, index, signed, heads = 1_790_000_000_000, 1, 0, 0
    for played in range(ROUNDS_A_DAY):
        now += 60_000
        number = 5_000_000 + played * RECORDS_A_ROUND
        lines = [*judgement.status(status(1, number, journal="4f2a9c1e77b3d508"), retained=False, now=now)]
        if number - signed >= RECORDS_BETWEEN or played % ROUNDS_A_SHOE == 0:
            made = checkpoint(
                index, journal="4f2a9c1e77b3d508", number=number + 1, hash=digest(number + 1), time=now - 40
            )
            index, signed = index + 1, number
            lines += judgement.checkpoint(made, now)
        for line in lines:
            written = chain.write(line, now)
            judgement.remember(written.line)
            size += len(written.text)
            if isinstance(line, HeadSeen):
                heads += 1 + len(line.earlier)
    assert heads > ROUNDS_A_DAY - 60, "every head is in the file, or waits"
    assert 365 * size < MOST_A_YEAR, f"{365 * size / 1e6:.1f} MB a year, {index} checkpoints a day"
