"""The trial of the wheels of a release: without any network, pipx and uvx start what is in them."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.deploy.container import Say, clean_root, put_scripts, run_inside
from tests.hardware.guest_image import PROJECT


def try_wheels(release: str, say: Say) -> bool:
    with clean_root(release, say, "pipx") as root, tempfile.TemporaryDirectory() as folder:
        say("building the wheels of the files as they are")
        build_release(PROJECT, Path(folder), "wheels", "--uncommitted")
        (made,) = Path(folder).iterdir()
        shutil.copytree(made / "wheels", root / "srv" / "wheels")
        say("fetching uv, which Debian does not have")
        _put_uv(root / "usr" / "local" / "bin", Path(folder, "uv"))
        put_scripts(root / "root", "wheels_trial.sh")
        return run_inside(root, "wheels_trial.sh", say)


def build_release(source: Path, output: Path, *words: str, umask: int = 0o022) -> None:
    done = subprocess.run(
        [sys.executable, str(source / "deploy" / "release.py"), "--output", str(output), *words],
        check=False,
        capture_output=True,
        text=True,
        umask=umask,
    )
    if done.returncode:
        raise SystemExit(f"The release could not be built:\n{done.stdout}{done.stderr}")


def _put_uv(target: Path, work: Path) -> None:
    """Put the newest uv there, from its wheel, which consists of two programs."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(work)]
    subprocess.run([*pip, "--only-binary", ":all:", "uv"], check=True)
    for name in ("uv", "uvx"):
        shutil.copy(work / "bin" / name, target)
