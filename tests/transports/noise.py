"""Bytes that nothing on the way can guess, the same in every run."""

import random

BURST = 64 * 1024


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - tests want the same chance every time, not a secret


def noise(size: int, seed: int = 1) -> bytes:
    """Every byte value at least once, then any."""
    return bytes(range(256)) + seeded(seed).randbytes(size - 256)
