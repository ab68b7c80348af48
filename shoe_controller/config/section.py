"""Checks shared by several sections of a table's file; each problem names its place.

`strict_reading.py` checks types; here is what a type cannot express: ranges, names, paths, required keys.
"""

from pathlib import Path

from shoe_controller.config.strict_reading import Problem


class Section:
    """Adds problems to the file's list; missing values are not checked."""

    def __init__(self, place: str, problems: list[Problem]) -> None:
        self.place = place
        self._problems = problems

    def problem(self, key: str, message: str) -> None:
        self._problems.append(Problem(f"{self.place}.{key}", message))

    def require(self, key: str, value: object, to_write: str) -> None:
        """`to_write`: what to write for it, as a line of the file."""
        # A value of the wrong type has been reported by the reader and left out: do not report it as missing too.
        place = f"{self.place}.{key}"
        if value is None and not any(problem.place == place for problem in self._problems):
            self.problem(key, f"is missing: write {to_write}")

    def whole_number(self, key: str, value: int | None, least: int, most: int) -> None:
        if value is not None and not least <= value <= most:
            self.problem(key, f"must be from {least} to {most}, not {value}")

    def one_line(self, key: str, text: str | None, longest: int, *, may_be_empty: bool = True) -> None:
        if text is None:
            return
        if not text.isprintable():
            self.problem(key, "must be one line of text without control characters")
        elif len(text) > longest:
            self.problem(key, f"must have at most {longest} characters, not {len(text)}")
        elif not may_be_empty and not text.strip():
            self.problem(key, "must not be empty: write something, or leave the key out")

    def path(self, key: str, text: str | None, folder: Path) -> Path | None:
        """Return the path, resolved relative to the folder of the table's file."""
        if text is None:
            return None
        if not text.strip() or not text.isprintable():
            # Not shown: it may be the secret itself, pasted in place of its file's name.
            self.problem(key, "must be the path of a file, on one line")
        return folder / text
