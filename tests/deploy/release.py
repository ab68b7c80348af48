"""The trial of `make release`: built twice from one commit, in folders and under habits that differ, it is the same.

The commit is the last one; what is not committed is not in it.
"""

import subprocess
import tempfile
from pathlib import Path

from tests.deploy.container import Say
from tests.deploy.wheels import build_release
from tests.hardware.guest_image import PROJECT


def try_release(say: Say) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        sums = []
        for name, umask in (("one", 0o022), ("a longer name", 0o077)):
            clone, output = Path(folder, name), Path(folder, f"{name}.dist")
            git = ["git", "clone", "--quiet", str(PROJECT), str(clone)]
            subprocess.run(git, check=True, umask=umask)
            say(f"building with umask {umask:03o}")
            build_release(clone, output, umask=umask)
            (made,) = output.iterdir()
            sums.append((made / "SHA256SUMS").read_text(encoding="utf-8"))
            check = ["sha256sum", "--quiet", "--check", "SHA256SUMS"]
            subprocess.run(check, check=True, cwd=made)
    different = set(sums[0].splitlines()) ^ set(sums[1].splitlines())
    if different:
        say("FAILED. These differ:\n" + "\n".join(sorted(different)))
    else:
        say(f"passed: {len(sums[0].splitlines())} files are the same, byte for byte")
    return not different
