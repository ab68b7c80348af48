"""What docs/archive.md says is typed makes a database that the archive stores in and a person reads."""

import re
from pathlib import Path

import pytest

from shoe_controller.archive.migrate import prepare
from shoe_controller.archive.store import Store
from shoe_controller.config.table_file import load_archive
from shoe_controller.postgres.connection import DatabaseError, connect
from tests.documents.snippets import snippets_of
from tests.postgres.cluster import Cluster
from tests.table_files import example

STATEMENTS = [piece.text for piece in snippets_of("docs/archive.md") if piece.language == "sql"]


@pytest.mark.asyncio
async def test_its_statements_make_what_the_archive_and_a_reader_need(shared_cluster: Cluster) -> None:
    setup, reader = STATEMENTS
    there = shared_cluster.sql("SELECT rolname FROM pg_roles").splitlines()
    for statement in setup.splitlines():
        role = re.match(r"CREATE ROLE \"?([\w-]+)", statement)
        if role is None or role[1] not in there:  # as other tests have made it
            shared_cluster.sql(statement)
    async with connect(shared_cluster.address("house", "shoe-archive")) as connection:
        await prepare(connection)
        await Store(connection).journal("north", "t1", "4f2a")
    shared_cluster.sql(reader)
    async with connect(shared_cluster.address("house", "manager")) as connection:
        assert len(await connection.fetch("SELECT * FROM archive.journal")) == 1
        with pytest.raises(DatabaseError, match="permission denied"):
            await connection.execute("DELETE FROM archive.journal")


def test_the_example_names_the_same_database(tmp_path: Path) -> None:
    section = example()["archive"]
    file = tmp_path / "archive.toml"
    text = f'[mqtt]\nhost = "127.0.0.1"\n[archive]\nsite = "north"\ndatabase = "{section["database"]}"\n'
    file.write_text(text, encoding="utf-8")
    assert load_archive(file).settings.database == "postgresql://shoe-archive@/house?host=/run/postgresql"
