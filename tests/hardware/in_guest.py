"""What runs inside the guest: all checks, one after the other, then the verdict that `__main__.py` waits for."""

import asyncio
import sys
import time
import traceback
from collections.abc import Awaitable, Callable

from tests.hardware import emulator_checks, line_checks

LONGEST_CHECK = 120.0

CHECKS: tuple[Callable[[], Awaitable[None]], ...] = (
    line_checks.a_serial_shoe_is_a_tty,
    line_checks.a_tty_keeps_its_name,
    line_checks.closing_a_tty_is_seen_by_the_shoe,
    line_checks.a_vendor_shoe_is_read_through_libusb,
    line_checks.closing_a_vendor_shoe_is_seen_by_it,
    emulator_checks.a_whole_shoe_arrives_over_a_tty,
    emulator_checks.a_whole_shoe_arrives_through_libusb,
)


def say(text: str) -> None:
    print(f"guest: {text}", flush=True)  # noqa: T201 - the guest's console is all it has


def main() -> int:
    failed = 0
    for check in CHECKS:
        name = check.__name__.replace("_", " ")
        started = time.monotonic()
        try:
            asyncio.run(_bounded(check))
        except Exception:  # noqa: BLE001 - shown, counted, and the next check runs
            failed += 1
            traceback.print_exc()
            say(f"FAILED: {name}")
        else:
            say(f"{name}: {time.monotonic() - started:.1f} s")
    say("all checks passed" if not failed else f"{failed} of {len(CHECKS)} checks failed")
    return 1 if failed else 0


async def _bounded(check: Callable[[], Awaitable[None]]) -> None:
    async with asyncio.timeout(LONGEST_CHECK):
        await check()


if __name__ == "__main__":
    sys.exit(main())
