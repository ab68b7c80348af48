"""`python -m tests.deploy`: everything that a machine must let happen to it, on clean machines.

| trial               | what is tried, and where                                                                      |
|---------------------|-----------------------------------------------------------------------------------------------|
| `bookworm` `trixie` | `trial.sh`: the package through a table's whole life, in a container with systemd; upgraded    |
|                     | from a package of an earlier commit                                                           |
| `first-hour-…`      | `first_hour_trial.sh`: what docs/install.md says, word for word, from the package to the first |
|                     | settled round and to a second table, on `bookworm` and on `trixie`                            |
| `checkout`          | `checkout_trial.sh`: `deploy/install.sh`, and a second time over the first                     |
| `wheels-bookworm`   | `wheels_trial.sh`: the wheels of a release on clean machines without any network: pipx and uvx |
| `wheels-trixie`     | start the demonstration and the emulated shoe                                                  |
| `release`           | a release is built twice, here and in another folder by other habits: the same bytes           |
| `arm64`             | `arm64_trial.sh`: the package on an emulated machine like a Raspberry Pi, with its own kernel, |
|                     | so with udev, a shoe that is plugged in, and the whole sandbox of the service                 |
| `kiosk`             | `kiosk_trial.sh`: Debian's Chromium under the sandbox of the kiosk's unit, in a container      |

Needs root, and what `.ci/system-packages deploy` installs. Roots are made once and kept in .cache/deploy.

    python -m tests.deploy                          # all of them
    python -m tests.deploy bookworm arm64           # some
    EARLIER=COMMIT python -m tests.deploy trixie    # upgraded from that commit
"""

import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial

from tests.deploy.arm64 import try_arm64
from tests.deploy.checkout import try_checkout
from tests.deploy.container import CACHE, Say, clean_root, put_scripts, run_inside
from tests.deploy.kiosk import try_kiosk
from tests.deploy.packages import NoEarlierCommitError, earlier_commit, earlier_package, package
from tests.deploy.release import try_release
from tests.deploy.wheels import try_wheels

FOLLOWING = (
    *(f"tests/deploy/{name}.py" for name in ("first_hour", "conversation", "written_down")),
    "docs/install.md",
)
"""What follows the page, and the page."""


def try_package(release: str, say: Say) -> bool:
    commit = earlier_commit(named=os.environ.get("EARLIER") or None)
    say(f"building the package of commit {commit[:10]}, and that of the files as they are")
    packages = {"earlier.deb": earlier_package(commit, release, CACHE), "later.deb": package(release, CACHE)}
    with clean_root(release, say) as root:
        for name, file in packages.items():
            shutil.copy(file, root / "root" / name)
        put_scripts(root / "root", "trial.sh")
        return run_inside(root, "trial.sh /root/earlier.deb /root/later.deb", say)


def try_first_hour(release: str, say: Say) -> bool:
    say("building the package of the files as they are")
    built = package(release, CACHE)
    with clean_root(release, say) as root:
        shutil.copy(built, root / "root" / "shoe-controller.deb")
        put_scripts(root / "root", "first_hour_trial.sh", *FOLLOWING)
        return run_inside(root, "first_hour_trial.sh /root/shoe-controller.deb", say)


TRIALS: dict[str, Callable[[Say], bool]] = {
    "bookworm": partial(try_package, "bookworm"),
    "trixie": partial(try_package, "trixie"),
    "first-hour-bookworm": partial(try_first_hour, "bookworm"),
    "first-hour-trixie": partial(try_first_hour, "trixie"),
    "checkout": try_checkout,
    "wheels-bookworm": partial(try_wheels, "bookworm"),
    "wheels-trixie": partial(try_wheels, "trixie"),
    "release": try_release,
    "arm64": try_arm64,
    "kiosk": try_kiosk,
}


def main() -> int:
    started = time.monotonic()

    def say_of(name: str, text: str) -> None:
        print(f"[{time.monotonic() - started:6.1f} s] {name}: {text}", flush=True)  # noqa: T201 - this is a command

    chosen = sys.argv[1:] or list(TRIALS)
    unknown = [name for name in chosen if name not in TRIALS]
    if unknown:
        say_of(unknown[0], f"there is no such trial: {', '.join(TRIALS)}")
        return 2
    if os.geteuid() != 0:
        say_of("all", "containers need root: sudo make test-deploy")
        return 1
    passed = []
    for name in chosen:
        try:
            passed.append(TRIALS[name](partial(say_of, name)))
        except NoEarlierCommitError as error:
            say_of(name, str(error))
            passed.append(False)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
