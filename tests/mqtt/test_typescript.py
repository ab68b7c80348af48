"""The TypeScript types compile, and a display that uses them does; one that forgets an event does not."""

import shutil
import subprocess
from pathlib import Path

from shoe_controller.mqtt.documents.asyncapi import HERE

DISPLAY = Path(__file__).parent / "display.ts"


def compiled(program: Path) -> subprocess.CompletedProcess[str]:
    tsc = shutil.which("tsc")
    assert tsc is not None, "install node-typescript"
    options = ["--noEmit", "--strict", "--target", "es2020", "--moduleResolution", "node"]
    return subprocess.run([tsc, *options, str(program)], capture_output=True, text=True, check=False)


def test_a_display_compiles() -> None:
    result = compiled(DISPLAY)
    assert (result.returncode, result.stdout) == (0, "")


def test_a_display_that_forgets_an_event_does_not(tmp_path: Path) -> None:
    text = DISPLAY.read_text(encoding="utf-8").replace('    case "free_hand":\n', "")
    program = tmp_path / "display.ts"
    program.write_text(
        text.replace("../../shoe_controller/messages/messages", str(HERE / "messages")), encoding="utf-8"
    )
    result = compiled(program)
    assert result.returncode != 0
    assert "FreeHandAnnounced" in result.stdout
