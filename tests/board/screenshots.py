"""Pictures of all pages, taken from a real run: emulated shoes, daemons, Mosquitto, board, console, Chromium.

python -m tests.board.screenshots            # the pictures of the documents, into docs/pictures
python -m tests.board.screenshots FOLDER     # every state in every size, large, to be looked at
"""

import asyncio
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from shoe_controller.config.passwords import hash_password
from simulator.scenario import planned
from tests.board.room import BOARD, LANDSCAPE, PORTRAIT, BoardPage, Room, Seen, free_port
from tests.board.test_evening import Evening
from tests.console.pictures import take_console
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE
from tests.daemon.programs import Program
from tests.follow.samples import encode, roads_message
from tests.pit.served import PASSWORDS
from tests.table_files import write

PICTURES = Path(__file__).parent.parent.parent / "docs" / "pictures"

HEADLINE = "Welcome to the Annapurna Room"
SIZES = {"": LANDSCAPE, "-upright": PORTRAIT}
DRESSES = {"": "", "-light": "?look=light", "-hant": "?lang=zh-hant&look=light", "-hans": "?lang=zh-hans"}
LONG, MANY = 90, 200


class Album(NamedTuple):
    """Where pictures go, and how many are wanted."""

    folder: Path
    everything: bool

    async def take(
        self, room: Room, name: str, *, wanted: Callable[[Seen], object], main: str = "", path: str = BOARD
    ) -> None:
        """Take the board in this state in each dress and size; `main` is its name among the documents' pictures."""
        for dress, query in DRESSES.items():
            for upright, size in SIZES.items():
                documented = main and (dress, upright) in (("", ""), ("-hant", "-upright"))
                if not self.everything and not documented:
                    continue
                page = await room.page(path + query, size, scale=1.0 if self.everything else 0.5)
                await page.until(wanted, what=name)
                file = f"{name}{dress}{upright}" if self.everything else f"{main}{upright}"
                await self._shoot(page, file)

    async def take_pit(self, room: Room, name: str, query: str, *, wanted: str, attached: bool = False) -> None:
        page = await room.page(f"/pit{query}", (1440, 720), scale=1.0 if self.everything else 0.67)
        await page.page.locator(wanted).wait_for(state="attached" if attached else "visible")
        await self._shoot(page, name)

    async def _shoot(self, page: BoardPage, name: str) -> None:
        await asyncio.sleep(0.5)  # a card that was just laid is still moving
        await page.page.screenshot(path=self.folder / f"{name}.png")
        await page.page.context.close()


@asynccontextmanager
async def sitting(folder: Path, **options: object) -> AsyncIterator[Evening]:
    """A table of which the cards are drawn one by one."""
    procedure = {"bets_close": "dealer"} | options.pop("procedure", {})  # type: ignore[operator]  # a dict
    async with Room(folder, seed=11, shoes=None, procedure=procedure, **options) as room:  # type: ignore[arg-type]  # of a chain
        room.chain.data["table"] |= {"headline": HEADLINE}
        room.chain.write_file()
        await room.chain.stop_daemon()
        await room.chain.start_daemon()
        async with room.chain.emulated_shoe() as shoe:
            display = await room.chain.display()
            made = Evening(room, shoe, display, await room.chain.terminal(display))
            await made.betting()
            yield made


async def rounds(album: Album, folder: Path) -> None:
    """A shoe from its first card on: bets, cards, results of each kind, trouble, a void, and nobody there."""
    async with sitting(_new(folder, "rounds")) as at:
        await album.take(at.room, "01-new-shoe", wanted=lambda seen: seen.live)
        for _ in range(41):
            await at.a_round()
        await album.take(at.room, "02-betting", wanted=lambda seen: seen.live and seen.band_next)
        for winner in ("banker", "player", "tie"):
            while (await _last(at)) != winner:
                await at.a_round()
            main = "board" if winner == "banker" else ""
            await album.take(
                at.room,
                f"03-result-{winner}",
                wanted=lambda seen, winner=winner: seen.band_kind == f"result winner-{winner}",  # type: ignore[misc]  # bound
                main=main,
            )
        if not album.everything:
            return
        await at.begin()
        await at.draw(4)
        await album.take(at.room, "02-dealing", wanted=lambda seen: len(seen.player + seen.banker) >= 4)
        at.shoe.let_dealer(deal=True)
        await at.betting()
        at.shoe.inject(planned("misread", at_card=at.shoe.emulation.shoe.cards_out + 3))
        await at.begin()
        await at.draw(2)
        at.shoe.draw()
        await album.take(at.room, "04-trouble", wanted=lambda seen: seen.band_kind == "trouble")
        await at.terminal.supervisor("void_round", reason="misread")
        await album.take(at.room, "05-void", wanted=lambda seen: seen.band_kind == "void")
        await at.room.chain.kill_daemon()
        await album.take(at.room, "06-not-live", wanted=lambda seen: not seen.live)


async def long_shoe(album: Album, folder: Path) -> None:
    """A board of ninety rounds, and a pit of two hundred tables: made up, because real ones would take hours."""
    async with sitting(_new(folder, "long")) as at:
        await at.a_round()
        await at.display.until(lambda: at.display.roads is not None and at.display.roads.counts.rounds == 1)
        retained = {below: at.display.retained[at.room.topic(below)] for below in ("status", "info", "state")}
        assert at.display.status is not None
        journal = at.display.status.journal
        for number in range(LONG, LONG + MANY):
            winners = _winners(number, LONG if number == LONG else number % 70)
            roads = encode(roads_message(1, winners, journal=journal))
            info = retained["info"].replace(b"Baccarat 3", f"Baccarat {number}".encode())
            for below, payload in (*retained.items(), ("info", info), ("roads", roads)):
                at.display.publish(at.room.topic(below, f"t{number}"), payload, retain=True)
        await album.take(
            at.room, "08-long-shoe", wanted=lambda seen: sum(seen.counts.values()) >= LONG, path=f"/table/t{LONG}"
        )
        await album.take_pit(at.room, "pit-many", "", wanted=f'[data-table="t{LONG + MANY - 1}"]', attached=True)


def _winners(seed: int, rounds: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - for a picture, nobody bets on it
    return "".join(chance.choices("BPT", (46, 45, 9), k=rounds))


async def base_games(album: Album, folder: Path) -> None:
    """What is posted in each base game."""
    for game in ("commission", "nepal", "no_commission"):
        async with sitting(_new(folder, game), base_game=game) as at:
            page = await at.room.page(scale=0.67)
            await page.until(lambda seen: seen.live, what="the board to be live")
            await page.page.locator("#prices").screenshot(path=album.folder / f"prices-{game.replace('_', '-')}.png")


async def face_down(album: Album, folder: Path) -> None:
    async with sitting(_new(folder, "hidden"), procedure={"reveal": "at_result"}, secure=False) as at:
        await at.a_round()
        await at.begin()
        await at.draw(4)
        await album.take(at.room, "07-face-down", wanted=lambda seen: seen.player == ["hidden"] * 2 and seen.unverified)


def _new(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


async def _last(at: Evening) -> str:
    await at.display.until(lambda: at.display.state is not None and at.display.state.last_outcome is not None)
    assert at.display.state is not None
    assert at.display.state.last_outcome is not None
    return at.display.state.last_outcome.winner.value


EDGE_SIZES = {"": (1440, 1000), "-wall": (3840, 2160), "-phone": (390, 844)}


async def take_edges(album: Album, room: Room, address: str) -> None:
    """The page of the pit's process, once a wager is the player's at some table."""
    for name, (width, height) in EDGE_SIZES.items():
        if name and not album.everything:
            continue
        page = await room.page("/pit", (width, height), scale=1.0 if album.everything else 0.67)
        await page.page.goto(address)
        await page.page.locator("#person_id").fill("rana")
        await page.page.locator("#password").fill(PASSWORDS["rana"])
        await page.page.locator("#door button").click()
        shown = page.page.locator(".table .edge.players")
        while True:
            await shown.first.wait_for(timeout=400_000)
            await page.page.screenshot(path=album.folder / f"edges{name}.png")
            if await shown.count():
                break  # wagers were still open when the picture was taken
        if album.everything:
            await page.page.locator(".table:has(.edge.players) .open").first.click(timeout=400_000)
            await page.page.locator("dialog[open] td.players").first.wait_for(timeout=400_000)
            await page.page.screenshot(path=album.folder / f"edges-details{name}.png")
        await page.page.context.close()


async def start_pit(room: Room, ending: AsyncExitStack) -> str:
    """The pit's process at the room's broker; the address of its page."""
    place = _new(room.folder, "process")
    hashed = hash_password(PASSWORDS["rana"], bytes(16), log_cost=12)
    rana = {"id": "rana", "name": "B. Rana", "roles": ["pit"], "password": hashed}
    people = write(place, {"people": [rana]}).rename(place / "site_people.toml")
    people.chmod(0o600)
    port = free_port()
    data = {"site": SITE, "port": port, "people_file": people.name, "file": str(place / "pit.alarms")}
    mqtt = {"host": "127.0.0.1", "port": room.chain.broker.port}
    file = write(place, {"mqtt": mqtt, "pit": data, "log": {"level": "info", "format": "json"}})
    program = Program("shoe-controller", "pit", str(file), log=place / "pit.log")
    await program.start()
    ending.push_async_callback(program.kill)
    await room.chain.becomes(lambda: '"ready"' in program.output or not program.is_running, what="the pit's process")
    assert program.is_running, program.output
    return f"http://127.0.0.1:{port}/"


async def pit(album: Album, folder: Path) -> None:
    """Six tables at one broker: one stopped, one not live."""
    async with AsyncExitStack() as ending:
        room = await ending.enter_async_context(Room(_new(folder, "pit"), seed=1, speed="60"))
        edges = await start_pit(room, ending)
        await room.chain.start_emulator()
        chains = []
        for number in range(2, 7):
            chain = await ending.enter_async_context(
                Chain(_new(folder, f"pit{number}"), seed=number, speed="60", with_broker=False)
            )
            chain.data["table"] |= {"name": f"table-{number}", "title": f"Baccarat {number + 2}"}
            chain.data["mqtt"] = {"host": "127.0.0.1", "port": room.chain.broker.port, "keep_alive": 2}
            chain.write_file()
            await chain.start_daemon()
            scenario = '[[fault]]\nfault = "misread"\nat_card = 90\n' if number == 4 else None
            await chain.start_emulator(scenario=scenario)
            chains.append(chain)
        await chains[2].becomes(lambda: chains[2].times_logged("alert_raised"), 60, what="the alert")
        await chains[0].becomes(lambda: chains[0].times_logged("round_result") > 12, 60, what="some rounds")
        await chains[4].kill_daemon()
        stopped = '.table.stop[data-table="table-4"]'
        await album.take_pit(room, "pit", "", wanted=stopped)
        if album.everything:
            await album.take_pit(room, "pit-light", "?lang=zh-hant&look=light", wanted=stopped)
        await take_edges(album, room, edges)


async def console(album: Album, folder: Path) -> None:
    await take_console(album.folder, _new(folder, "console"), everything=album.everything)


async def main(folder: Path | None) -> None:
    album = Album(folder or PICTURES, everything=folder is not None)
    with tempfile.TemporaryDirectory() as scratch:
        parts: list[Callable[[Album, Path], Awaitable[None]]] = [rounds, base_games, pit, console]
        if album.everything:
            parts += [face_down, long_shoe]
        for part in parts:
            await part(album, Path(scratch))
    for picture in sorted(album.folder.glob("*.png")):
        sys.stdout.write(f"{picture.name}: {picture.stat().st_size // 1024} kB\n")


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES).mkdir(parents=True, exist_ok=True)
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
