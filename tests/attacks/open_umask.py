"""A table that is set up and started under umask 000: nothing that it makes is for everybody."""

import asyncio
import os
import stat
from pathlib import Path

from tests.attacks.attack import Attack
from tests.daemon.harness import Chain
from tests.daemon.programs import Program
from tests.deploy.new_house import init

FOR_EVERYBODY = stat.S_IRWXO
CHANGED_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def _modes(folder: Path) -> dict[str, int]:
    found = (folder, *folder.rglob("*"))
    return {str(each): stat.S_IMODE(each.lstat().st_mode) for each in found if not each.is_symlink()}


async def _table(folder: Path) -> int:
    async with Chain(folder, with_broker=False) as chain:
        made = folder / "made" / "deep"
        chain.data["journal"] |= {"file": str(made / "table.journal")}
        begin = Program("shoe-controller", "journal", "begin", str(chain.write_file()), log=folder / "begin.log")
        await begin.start()
        assert await begin.ended() == 0, begin.output
        await chain.start_daemon()
        assert await chain.stop_daemon() == 0
        modes = _modes(folder / "made")
    assert str(made / "table.journal") in modes
    assert not {name: oct(mode) for name, mode in modes.items() if mode & (FOR_EVERYBODY | stat.S_IWGRP)}
    files = {name: mode for name, mode in modes.items() if name.endswith((".journal", "-wal", ".lock", ".key"))}
    assert not {name: oct(mode) for name, mode in files.items() if mode & stat.S_IRWXG}, "for its owner alone"
    return len(modes)


def _set_up(folder: Path) -> int:
    done = init(folder / "house")
    assert done.exit_code == 0, done.err
    modes = _modes(folder / "house")
    assert not {name: oct(mode) for name, mode in modes.items() if mode & CHANGED_BY_OTHERS}
    return len(modes)


def _run(folder: Path, tries: int) -> str:
    before = os.umask(0)
    try:
        made = asyncio.run(_table(folder))
        if tries > 1:
            made += _set_up(folder)
    finally:
        os.umask(before)
    return f"{made} files and folders, none of which others can change; the journal's are closed to them"


ATTACKS = (Attack("umask 000", _run, tries=2, sample=1),)
