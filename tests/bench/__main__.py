"""Runs every benchmark of this folder, or those named: `python -m tests.bench [NAME …]`."""

import importlib
import sys
from pathlib import Path

for name in sys.argv[1:] or sorted(file.stem for file in Path(__file__).parent.glob("[a-z]*.py")):
    print(f"== {name}", flush=True)  # noqa: T201 - a benchmark reports to the terminal
    importlib.import_module(f"tests.bench.{name}").main()
