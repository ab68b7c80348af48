"""The trial of `deploy/install.sh`: from the files of an earlier commit, then over it from the files as they are.

The container has no network, so the libraries that pip would fetch lie in a folder beside the files.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.deploy.container import Say, clean_root, put_scripts, run_inside
from tests.deploy.packages import copy_files, earlier_commit, unpack_commit

RELEASE, PYTHON = "bookworm", "3.11"
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")


def try_checkout(say: Say) -> bool:
    commit = earlier_commit(named=os.environ.get("EARLIER") or None)
    # python3-venv is what the script asks for, and Debian does not have by itself.
    with clean_root(RELEASE, say, "python3-venv") as root:
        home = root / "root"
        unpack_commit(commit, home / "earlier")
        copy_files(home / "later")
        say(f"fetching libraries for commit {commit[:10]} and for the files as they are")
        _fetch_libraries(home / "libraries", home / "earlier", home / "later")
        put_scripts(home, "checkout_trial.sh")
        return run_inside(root, "checkout_trial.sh", say)


def _fetch_libraries(target: Path, *sources: Path) -> None:
    wanted: set[str] = set()
    for source in sources:
        project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))
        wanted |= {*project["build-system"]["requires"], *project["project"]["dependencies"]}
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--dest", str(target)]
    bound = ["--only-binary", ":all:", "--python-version", PYTHON, "--implementation", "cp", *platforms]
    subprocess.run([*pip, *bound, *sorted(wanted)], check=True)
