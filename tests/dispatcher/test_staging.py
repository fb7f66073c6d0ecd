"""What attempts wrote and never committed is deleted a day later, and nothing else is."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.dispatcher.staging import collect_staging
from tenuto.storage.base import StorageProblem, StorageUnavailable, Store
from tenuto.storage.folder import FolderStore
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.loops import value
from tests.support.database.tables import LEDGER, location_of, stage, tables
from tests.support.database.tasks import Claim, Db, a_worker

DAY = "2026-11-17"
TWO_DAYS = 2 * 24 * 3600


@dataclass
class Collector:
    pool: ConnectionPool
    store: Store | None


def collect(url: str, store: Store | None, turns: int = 1) -> None:
    async def story() -> None:
        async with open_pool(url, role="tenuto_dispatcher") as pool:
            for _ in range(turns):
                await collect_staging(Collector(pool, store), 100)

    asyncio.run(story())


class Folder(FolderStore):
    """A folder in which some prefixes cannot be deleted."""

    stuck = ""
    away = False

    def list(self, prefix: str, **options: object) -> list:  # type: ignore[override]
        if self.away:
            raise StorageUnavailable("no response")
        return super().list(prefix, **options)  # type: ignore[arg-type]

    def delete_prefix(self, prefix: str) -> int:
        if self.stuck and self.stuck in prefix:
            raise StorageProblem("read-only")
        return super().delete_prefix(prefix)

    def write(self, location: str, *, old: bool = True) -> None:
        for name in ("part-00000.parquet", "_done"):
            self.put(f"datasets/{location}{name}", b"data")
            if old:
                at = time.time() - TWO_DAYS
                os.utime(self.path(f"datasets/{location}{name}"), (at, at))

    def locations(self) -> set[str]:
        return {item.key.removeprefix("datasets/").rpartition("/")[0] + "/" for item in self.list("datasets/")}


def due(db: Db) -> None:
    """As if a day had passed since the last search."""
    db.execute("update tenuto.dataset_versions set staging_checked_at = tenuto.now() - interval '25 hours'")


def attempts(db: Db, *names: str) -> dict[str, Claim]:
    worker = a_worker(db)
    trigger(db, "extract", *names)
    claims = {claim.input["job"]["partition"]: claim for claim in worker.claim(len(names))}
    publish(worker, claims["committed"], "committed")
    worker.fail(*(claims[name] for name in names if name.startswith("failed")), final=True)
    return claims


def test_only_old_files_of_attempts_that_ended_without_a_commit_are_deleted(db: Db, database: str, tmp_path: Path):
    store = Folder(tmp_path)
    deployed(db)
    claims = attempts(db, "committed", "running", "failed", "failed new", "failed stuck")
    places = {name: location_of(claim, name) for name, claim in claims.items()}
    for name, location in places.items():
        store.write(location, old=name != "failed new")
    root = places["failed"].partition("/failed/")[0]
    others = [f"{root}/loose/file/", f"{root}/{claims['failed'].task_id}-1/", "elsewhere/x/"]
    for other in others:
        store.write(other)
    everything = {*places.values(), *others}

    collect(database, store)
    assert store.locations() == everything  # it was searched when it was made
    due(db)
    store.stuck = "stuck"
    collect(database, store)
    kept = everything - {places["failed"]}
    assert store.locations() == kept

    store.stuck = ""
    collect(database, store)
    assert store.locations() == kept  # once a day
    due(db)
    collect(database, store)
    assert store.locations() == kept - {places["failed stuck"]}


def test_a_store_that_is_away_costs_one_version_its_turn(db: Db, database: str, tmp_path: Path):
    store = Folder(tmp_path)
    deployed(db)
    claims = attempts(db, "committed", "failed")
    location = location_of(claims["failed"], "failed")
    store.write(location)
    due(db)
    db.execute("update tenuto.dataset_versions set staging_checked_at = 'epoch' where storage_location <> %s",
               [location.partition("failed/")[0]])  # fmt: skip
    store.away = True
    with pytest.raises(StorageUnavailable):
        collect(database, store)
    store.away = False

    collect(database, store)

    assert store.locations() == set()


def test_rows_of_attempts_without_a_commit_are_deleted_in_pieces(db: Db, database: str):
    deployed(db, LEDGER)
    worker = a_worker(db)
    trigger(db, "collect", "committed", "running", "failed", "broken", dag="ledger")
    claims = {claim.input["job"]["partition"]: claim for claim in worker.claim(4)}
    for name, claim in claims.items():
        for page in range(30 if name == "failed" else 1):
            stage(worker, claim, [["1", name]], name, page)
    publish(worker, claims["committed"], "committed")
    worker.fail(claims["failed"], claims["broken"], final=True)

    def sets() -> dict[str, int]:
        return dict(db.execute("select split_part(location, '/', 3), pages from tenuto.row_sets").fetchall())

    collect(database, None)
    assert sets() == {"committed": 1, "running": 1, "failed": 30, "broken": 1}
    db.execute("update tenuto.row_sets set created_at = created_at - interval '25 hours'")
    # The row set of a table that is gone does not keep the others.
    version = "select id from tenuto.dataset_versions where storage_location not like %s"
    root = location_of(claims["broken"]).split("/")[1]
    db.execute(
        f"update tenuto.row_sets set dataset_version_id = ({version}), created_at = 'epoch'"
        " where location like '%%/broken/%%'".encode(),
        [f"%{root}%"],
    )
    (other,) = [name for name in tables(db) if name != f"v_{root.replace('-', '')}"]
    db.execute(f"drop table tenuto_data.{other}".encode())

    collect(database, None)
    assert sets() == {"committed": 1, "running": 1, "failed": 10, "broken": 1}
    collect(database, None, turns=2)

    assert sets() == {"committed": 1, "running": 1, "broken": 1}
    assert value(db, "select location from tenuto.row_sets where committed") == location_of(
        claims["committed"], "committed"
    )
    notes = db.execute(f"select note from tenuto_data.v_{root.replace('-', '')} order by 1".encode()).fetchall()
    assert notes == [("broken",), ("committed",), ("running",)]
