"""The emulated shoe of one table, as a program: how it is started, and the keys of its console that are used here."""

from pathlib import Path

from shoe_controller.demo.folder import TableFiles
from shoe_controller.demo.programs import ConsoleProgram, python
from shoe_controller.demo.settings import DemoSettings

DEALER_KEY = " "
"""Takes the shoe out of the virtual dealer's hands, or gives it back to him."""


class ShoeProgram(ConsoleProgram):
    def __init__(self, files: TableFiles, settings: DemoSettings, number: int, log: Path) -> None:
        super().__init__(
            f"the emulated shoe of {files.name}",
            *python("simulator.cli"),
            *_arguments(files, settings, number),
            log=log,
        )
        self._dealing = True

    async def start(self) -> None:
        """The dealer waits, so that no card leaves before the controller can receive it."""
        await super().start()
        await self.has_drawn()
        self.let_dealer(deal=False)

    def let_dealer(self, *, deal: bool) -> None:
        if deal is not self._dealing:
            self._dealing = deal
            self.press(DEALER_KEY)


def _arguments(files: TableFiles, settings: DemoSettings, number: int) -> list[str]:
    arguments = ["run", "--port", f"pty:{files.port}", "--wire", settings.wire, "--disclose", "at_draw"]
    arguments += [
        "--seed",
        str(settings.seed + number - 1),
        "--decks",
        str(settings.decks),
        "--speed",
        f"{settings.speed:g}",
    ]
    arguments += ["--truth", str(files.truth)]
    if files.cards is not None:
        arguments += ["--cards-file", str(files.cards)]
    if files.key is not None:
        arguments += ["--key", str(files.key)]
    return arguments
