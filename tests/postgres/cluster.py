"""A PostgreSQL cluster of the tests' own, in a temporary folder, reached by a socket alone, and never run as root."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

OWNER = "house"
"""The superuser of the cluster."""

QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")
"""For tests that kill nothing below the server: the page cache outlives every process."""

_STARTS_WITHIN = 30.0


def programs() -> Path:
    """The folder of the newest installed release."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise FileNotFoundError("PostgreSQL is not installed: run .ci/system-packages")
    return Path(on_path).resolve().parent


class Cluster:
    """Its server can be stopped in every way, and started again."""

    def __init__(self, folder: Path, settings: Sequence[str] = QUICK) -> None:
        self.sockets = folder / "sockets"
        self._data = folder / "data"
        self._log = folder / "server.log"
        self._settings = settings
        self._user = "nobody" if os.geteuid() == 0 else None
        for path in (self.sockets, self._data):
            path.mkdir(mode=0o700)
            if self._user is not None:
                os.chown(path, pwd.getpwnam(self._user).pw_uid, -1)
        self.server: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(self._data), "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")

    def address(self, database: str = "postgres", user: str = OWNER) -> str:
        return f"postgresql://{user}@/{database}?host={self.sockets}"

    def start(self) -> None:
        words = [
            str(programs() / "postgres"),
            "-D",
            str(self._data),
            "-k",
            str(self.sockets),
            "-c",
            "listen_addresses=",
        ]
        words += [word for setting in self._settings for word in ("-c", setting)]
        with self._log.open("ab") as log:
            self.server = subprocess.Popen(words, stdout=log, stderr=log, user=self._user, cwd="/")
        end = time.monotonic() + _STARTS_WITHIN
        ready = [str(programs() / "pg_isready"), "-q", "-h", str(self.sockets), "-U", OWNER]
        while subprocess.run(ready, check=False).returncode != 0:
            if self.server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL does not start: {self._log.read_text(encoding='utf-8')[-2000:]}")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends sessions in order, SIGQUIT is `pg_ctl stop -m immediate`, SIGKILL a crash of the postmaster."""
        if self.server is not None:
            self.server.send_signal(how)
            self.server.wait()
            self.server = None

    def sql(self, statement: str, database: str = "postgres") -> str:
        words = [
            str(programs() / "psql"),
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            self.address(database),
        ]
        return subprocess.run([*words, "-c", statement], check=True, capture_output=True, text=True).stdout.strip()

    def _run(self, program: str, *words: str) -> None:
        subprocess.run([str(programs() / program), *words], check=True, capture_output=True, user=self._user, cwd="/")


@contextmanager
def running_cluster(settings: Sequence[str] = QUICK) -> Iterator[Cluster]:
    # The path of a socket may have 107 bytes, which the folders of pytest exceed.
    with tempfile.TemporaryDirectory(prefix="house-pg-") as folder:
        Path(folder).chmod(0o755)
        cluster = Cluster(Path(folder), settings)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop(signal.SIGQUIT)
