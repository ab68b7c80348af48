"""The first hour as docs/install.md says it: from the package to the first settled round, and a second table.

    python -m tests.deploy.first_hour PACKAGE

Follows the page word for word on a clean machine, as root, with what every Python has; `first_hour_trial.sh` starts it
in a container. Each line that it prints is a step of the person: a command that is typed, or an answer.
"""

# ruff: noqa: T201 - reports to the terminal

import re
import shutil
import subprocess
import sys
import time
import urllib.request

from tests.deploy.conversation import Conversation
from tests.deploy.written_down import INSTALL, commands_below

FIRST, SECOND = "From the package to the first settled round", "A second table"
PIN_OF = {"Anita Rai": "264079", "B. Rana": "480612", "S. Shah": "773501"}

KEY_IS_HERE = "journal-key"
"""What the doctor must find, beside the shoe that is not there: the public key is still on the machine."""
OF_A_CONTAINER = {"clock", "disk-space", "disk-speed", "disk-kind"}
"""What it may find where there is no machine of its own."""
A_PERSON = 600.0
"""Seconds that the way to the first round may take, with the time that a person needs."""
TO_TYPE, TO_ANSWER = 30.0, 10.0
"""Seconds that a person needs for a command, and for an answer, reading included."""


def answers() -> list[tuple[str, str]]:
    """What is asked, and what to type."""
    text = INSTALL.read_text(encoding="utf-8").split(f"# {FIRST}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", text, re.MULTILINE)[1:]
    typed, pin = [], ""
    for question, answer in rows:
        if question.endswith("'s PIN"):
            pin = PIN_OF[question.removesuffix("'s PIN")]
        literal = re.findall(r"`(.+?)`", answer)
        said = literal[-1] if literal else "" if answer.startswith("Enter") else pin
        typed.append((question, said))
    return typed


class Person:
    """Types what the page says, and counts it."""

    def __init__(self) -> None:
        self.commands = 0
        self.answers = 0
        self.began = time.monotonic()

    def types(self, words: list[str], instead: dict[str, str] | None = None) -> str:
        """A command with `sudo`, which root needs not; what it has printed."""
        self.commands += 1
        print(f"trial:   types    {' '.join(words)}", flush=True)
        assert words[0] == "sudo", words
        doing = [(instead or {}).get(word, word) for word in words[1:]]
        if doing[0] == "apt":
            doing[1:1] = ["--yes", "--quiet"]
        done = subprocess.run(doing, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        doctor = "doctor" in doing
        assert done.returncode == 0 or (doctor and done.returncode == 1), done.stdout + done.stderr
        return done.stdout

    def says(self, talk: Conversation, question: str, answer: str) -> None:
        self.answers += 1
        talk.answer(question, answer)
        print(f"trial:   answers  {question}: {answer or 'Enter'}", flush=True)

    def took(self, way: str) -> float:
        machine = time.monotonic() - self.began
        whole = machine + self.commands * TO_TYPE + self.answers * TO_ANSWER
        print(
            f"trial:   {way}: {self.commands} commands and {self.answers} answers; the machine took {machine:.0f} s, "
            f"and a person needs {whole / 60:.1f} minutes",
            flush=True,
        )
        return whole


def problems(found: str) -> set[str]:
    return set(re.findall(r"^PROBLEM +(\S+)", found, re.MULTILINE))


def page(port: int) -> bool:
    try:
        return b"<html" in urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2).read()
    except OSError:
        return False


def wait_for(port: int) -> None:
    until = time.monotonic() + 60
    while not page(port):
        assert time.monotonic() < until, f"no page at port {port}"
        time.sleep(0.2)


def to_the_first_round(package: str) -> None:
    person = Person()
    install, init, then = (commands_below(FIRST, number) for number in (1, 2, 3))
    for words in install:
        person.types(words, {word: package for word in words if word.endswith(".deb")})
    (asks,) = init
    person.commands += 1
    print(f"trial:   types    {' '.join(asks)}", flush=True)
    program = shutil.which(asks[1])
    assert program is not None
    talk = Conversation(*asks[2:], program=(program,), patience=120)
    for question, answer in answers():
        person.says(talk, question, answer)
    talk.expect("Settled: 100 on base.player: ")
    talk.expect("That round was dealt, stored and settled.")
    assert person.took("to the first settled round") < A_PERSON
    found = [person.types(words) for words in then][-1]
    for port in (8080, 8081):
        wait_for(port)
    missing = {"shoe", KEY_IS_HERE}
    assert problems(found) - OF_A_CONTAINER == missing, found
    person.says(talk, "Let the doctor look?", "")
    assert talk.end() == 0, talk.said
    assert problems(talk.said.replace("\r", "")) - OF_A_CONTAINER == missing, talk.said
    person.took("to a table that is served, with boards and console")


def to_a_second_table() -> None:
    person = Person()
    found = [person.types(words) for words in commands_below(SECOND)][-1]
    wait_for(8082)
    wait_for(8081)
    assert problems(found) - OF_A_CONTAINER == {"port", KEY_IS_HERE}, found
    assert "the table runs" in found, found
    assert person.took("to a second table beside the first") < A_PERSON


if __name__ == "__main__":
    to_the_first_round(sys.argv[1])
    to_a_second_table()
