"""Any bytes and any frames into the shoe in C, with losses of power between: see `c_shoe.c`.

`make fuzz` runs it under afl++ and both sanitizers, and between these under libFuzzer without them: that stays in one
process, while afl++ asks the kernel three times for each input, which takes four times as long as the input. What is
found without sanitizers is run under them at the end. `one_input` runs an input in this process.
"""

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.firmware_protocol.native.c_build import BLAKE2S, compiled

NAME = "c_shoe"
LONGEST_INPUT = 256
_SOURCES = (Path(__file__).with_suffix(".c"), BLAKE2S)
_FUZZER = ("-g", "-fsanitize=fuzzer")
_SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_IN_A_CONTAINER = {
    "AFL_QUIET": "1",
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


@cache
def program(*, sanitized: bool) -> Path:
    """Given files, it runs each once."""
    if sanitized:
        return compiled("c_fuzz_afl", _SOURCES, ("-O1", *_FUZZER, *_SANITIZED), compiler="afl-clang-fast")
    return compiled("c_fuzz_plain", _SOURCES, ("-O3", *_FUZZER, "-fno-sanitize-coverage=trace-cmp"), compiler="clang")


def own_seeds(corpus: Path, folder: Path) -> Path:
    """A copy of the corpus: libFuzzer removes files that it shortens, and afl++ gives up where one is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for each in corpus.iterdir():
        with suppress(FileNotFoundError):
            shutil.copy(each, folder)
    return folder


def guided_command(corpus: Path, out: Path, limit: str) -> list[str]:
    """Under afl++ and the sanitizers. `limit` is the option of libFuzzer that means the same."""
    runs, seconds = _RUNS.match(limit), _SECONDS.match(limit)
    ends = ["-E", runs[1]] if runs else ["-V", seconds[1] if seconds else "60"]
    where = ["-i", str(corpus), "-o", str(out), "-m", "none", "-G", str(LONGEST_INPUT)]
    return ["afl-fuzz", *where, *ends, "--", str(program(sanitized=True))]


def quick_command(corpus: Path, limit: str) -> list[str]:
    """Without sanitizers; it also takes the options of libFuzzer that other targets get."""
    return [str(program(sanitized=False)), limit, f"-max_len={LONGEST_INPUT}", str(corpus)]


def environment() -> dict[str, str]:
    return os.environ | _IN_A_CONTAINER


def account(corpus: Path, out: Path) -> tuple[int, str]:
    """How many inputs afl++ ran, and the first that broke something; what was learned goes into the corpus."""
    for learned in out.glob("default/queue/*+cov"):
        shutil.copy(learned, corpus / hashlib.sha256(learned.read_bytes()).hexdigest()[:16])
    stats = out / "default" / "fuzzer_stats"
    text = stats.read_text(encoding="ascii") if stats.exists() else ""
    done = re.search(r"^execs_done\s*: (\d+)", text, re.MULTILINE)
    broken = sorted(out.glob("default/crashes/id*")) + sorted(out.glob("default/hangs/id*"))
    return (int(done[1]) if done else 0), str(broken[0]) if broken else ""


def broken_under_sanitizers(inputs: Sequence[Path]) -> str:
    """The first of these files that breaks something there."""
    if not inputs or _holds(*inputs):
        return ""
    return next((str(each) for each in inputs if not _holds(each)), str(inputs[0]))


def _holds(*inputs: Path) -> bool:
    return subprocess.run([str(program(sanitized=True)), *inputs], capture_output=True, check=False).returncode == 0
