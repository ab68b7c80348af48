"""What runs inside the guest: all checks, one after the other, then the verdict that `__main__.py` waits for.

With a word, only those whose name contains it.
"""

import asyncio
import sys
import time
import traceback
from collections.abc import Awaitable, Callable

from tests.deploy import udev_checks
from tests.hardware import emulator_checks, init_checks, line_checks, table_checks

LONGEST_CHECK = 600.0

CHECKS: tuple[Callable[[], Awaitable[None]], ...] = (
    line_checks.a_serial_shoe_is_a_tty,
    line_checks.a_tty_keeps_its_name,
    line_checks.closing_a_tty_is_seen_by_the_shoe,
    line_checks.a_vendor_shoe_is_read_through_libusb,
    line_checks.closing_a_vendor_shoe_is_seen_by_it,
    emulator_checks.a_whole_shoe_arrives_over_a_tty,
    emulator_checks.a_whole_shoe_arrives_through_libusb,
    udev_checks.the_rule_names_a_serial_shoe,
    udev_checks.the_rule_permits_a_vendor_shoe,
    init_checks.every_kind_of_shoe_is_told_apart,
    init_checks.init_asks_about_the_shoe_that_is_plugged_in,
    table_checks.the_table_takes_up_a_serial_shoe_by_its_name,
    table_checks.the_table_takes_up_a_vendor_shoe,
)


def say(text: str) -> None:
    print(f"guest: {text}", flush=True)  # noqa: T201 - the guest's console is all it has


def main(word: str = "") -> int:
    failed = 0
    chosen = [check for check in CHECKS if word in check.__name__]
    for check in chosen:
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
    passed = chosen and not failed
    say("all checks passed" if passed else f"{failed} of {len(chosen)} checks failed")
    return 0 if passed else 1


async def _bounded(check: Callable[[], Awaitable[None]]) -> None:
    async with asyncio.timeout(LONGEST_CHECK):
        await check()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
