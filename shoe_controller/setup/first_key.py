"""The first key of a table's journal, made by `init` before there is a journal: its public half is to be taken away."""

import os
from pathlib import Path

import msgspec

from shoe_controller.config.table import JournalSettings, TableSettings
from shoe_controller.journal.key_folder import PREPARED, PRIVATE, PUBLIC, make_folder, new_key, public_text, put


def make_first_key(table: TableSettings, journal: JournalSettings, now_ms: int) -> Path | None:
    """Make it, for the owner of the journal's folder; returns the file of the public half.

    Nothing if there is a journal or a key already, or no folder for it yet: then the table makes it when it starts.
    """
    home = journal.keys.parent
    if journal.file.exists() or any(journal.keys.glob(f"*{PRIVATE}")) or not home.is_dir():
        return None
    make_folder(journal.keys)
    name = f"{table.site}/{table.name}"
    key = new_key(name, "", 1, os.urandom)
    public = journal.keys / f"{Path(PREPARED).stem}{PUBLIC}"
    put(public, public_text(name, key, now_ms).encode())
    put(journal.keys / PREPARED, msgspec.json.encode(key))
    if os.geteuid() == 0:
        owner = home.stat()
        for path in (journal.keys, public, journal.keys / PREPARED):
            os.chown(path, owner.st_uid, owner.st_gid)
    return public
