"""Which commit a trial upgrades from: found in small repositories of the tests' own."""

import subprocess
from pathlib import Path

import pytest

from tests.deploy.packages import BUILDER, NoEarlierCommitError, earlier_commit


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", "-C", str(self.folder), *settings, *words],  # noqa: S607 - the git of whoever runs this
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, **files: str) -> str:
        """Write these files, whose names have two underscores for a slash; the name of the commit."""
        for name, text in files.items():
            file = self.folder / name.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "x")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "house")
    made.commit(shoe_controller__a="0")
    return made


def with_builder(repository: Repository, program: str) -> str:
    (repository.folder / BUILDER).parent.mkdir(exist_ok=True)
    (repository.folder / BUILDER).write_text("", encoding="utf-8")
    return repository.commit(shoe_controller__a=program)


def test_the_newest_commit_that_packs_another_program(repository: Repository) -> None:
    with_builder(repository, "1")
    second = with_builder(repository, "2")
    third = with_builder(repository, "3")
    repository.commit(docs__a="documents are not the program")
    assert earlier_commit(repository.folder) == second
    # What is changed and not committed is what will be packed.
    (repository.folder / "shoe_controller" / "a").write_text("4", encoding="utf-8")
    assert earlier_commit(repository.folder) == repository.git("rev-parse", "HEAD")
    assert earlier_commit(repository.folder, third[:10]) == third


def test_a_commit_from_before_there_were_packages_is_none(repository: Repository) -> None:
    before = repository.git("rev-parse", "HEAD")
    with_builder(repository, "1")
    with pytest.raises(NoEarlierCommitError, match="name one with EARLIER=COMMIT"):
        earlier_commit(repository.folder)
    with pytest.raises(NoEarlierCommitError, match="gives no package"):
        earlier_commit(repository.folder, before)


def test_a_shallow_clone_says_what_to_do(repository: Repository, tmp_path: Path) -> None:
    first = with_builder(repository, "1")
    with_builder(repository, "2")
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", "--depth=1", repository.folder.as_uri(), str(clone))
    with pytest.raises(NoEarlierCommitError, match="git fetch --unshallow"):
        earlier_commit(clone)
    with pytest.raises(NoEarlierCommitError, match=r"no such commit.*git fetch --unshallow"):
        earlier_commit(clone, first)


def test_a_copy_without_a_repository_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoEarlierCommitError, match="no git checkout"):
        earlier_commit(tmp_path)
