"""Every mistake of the table says what to do about it, and doing that puts it right."""

import copy
from pathlib import Path

import pytest

from tests.commands.mistakes import Folder, Mistake, mistakes
from tests.commands.running import Answer, run

Capsys = pytest.CaptureFixture[str]

ALL = list(mistakes())


def asked(capsys: Capsys, folder: Folder) -> Answer:
    command = [word.replace("@", str(folder.path)) for word in folder.command]
    return run(capsys, *command, stdin=copy.copy(folder.stdin))


@pytest.mark.parametrize("mistake", ALL, ids=[mistake.what for mistake in ALL])
def test_a_mistake_says_what_to_do_and_that_helps(capsys: Capsys, tmp_path: Path, mistake: Mistake) -> None:
    folder = Folder(tmp_path)
    mistake.made(folder)
    answer = asked(capsys, folder)
    assert answer.exit_code == 2
    printed = mistake.printed.replace("@", str(tmp_path))
    line = next((line for line in answer.err.splitlines() if printed in line), None)
    assert line is not None, answer.err
    assert mistake.advised.replace("@", str(tmp_path)) in line
    mistake.followed(folder)
    after = asked(capsys, folder)
    assert after.exit_code == 0, after.err
