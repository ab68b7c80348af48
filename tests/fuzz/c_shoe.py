"""Any bytes and any frames into the shoe in C, with losses of power between: see `c_shoe.c`.

`make fuzz` runs it under afl++ and the sanitizers; `one_input` runs it in this process, without them.
"""

import ctypes
import hashlib
import os
import re
import shutil
from functools import cache
from pathlib import Path

from tests.firmware_protocol.native.c_build import BLAKE2S, compiled

NAME = "c_shoe"
LONGEST_INPUT = 256
_SOURCES = (Path(__file__).with_suffix(".c"), BLAKE2S)
_IN_A_CONTAINER = {
    "AFL_SKIP_CPUFREQ": "1",
    "AFL_NO_AFFINITY": "1",
    "AFL_NO_UI": "1",
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
}
_RUNS, _SECONDS = re.compile(r"-runs=(\d+)"), re.compile(r"-max_total_time=(\d+)")


@cache
def _library() -> ctypes.CDLL:
    traps = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")
    return ctypes.CDLL(str(compiled("c_fuzz", _SOURCES, ("-O1", "-g", "-fPIC", "-shared", *traps))))


def one_input(data: bytes) -> None:
    _library().LLVMFuzzerTestOneInput(data, ctypes.c_size_t(len(data)))


def program() -> Path:
    """Under afl++; given files, it runs them once."""
    os.environ.update({"AFL_USE_ASAN": "1", "AFL_USE_UBSAN": "1", "AFL_QUIET": "1"})
    return compiled("c_fuzz_afl", _SOURCES, ("-O1", "-g", "-fsanitize=fuzzer"), compiler="afl-clang-fast")


def command(corpus: Path, out: Path, limit: str) -> list[str]:
    """`limit` is the option of libFuzzer that means the same."""
    runs, seconds = _RUNS.match(limit), _SECONDS.match(limit)
    ends = ["-E", runs[1]] if runs else ["-V", seconds[1] if seconds else "60"]
    where = ["-i", str(corpus), "-o", str(out), "-m", "none", "-G", str(LONGEST_INPUT)]
    return ["afl-fuzz", *where, *ends, "--", str(program())]


def environment() -> dict[str, str]:
    return os.environ | _IN_A_CONTAINER


def account(corpus: Path, out: Path) -> tuple[int, str]:
    """How many inputs there were, and the first that broke something; what was learned goes into the corpus."""
    for learned in out.glob("default/queue/*+cov"):
        shutil.copy(learned, corpus / hashlib.sha256(learned.read_bytes()).hexdigest()[:16])
    stats = out / "default" / "fuzzer_stats"
    text = stats.read_text(encoding="ascii") if stats.exists() else ""
    done = re.search(r"^execs_done\s*: (\d+)", text, re.MULTILINE)
    broken = sorted(out.glob("default/crashes/id*")) + sorted(out.glob("default/hangs/id*"))
    return (int(done[1]) if done else 0), str(broken[0]) if broken else ""
