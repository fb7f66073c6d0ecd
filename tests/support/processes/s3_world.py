"""A dispatcher and a worker with datasets in a bucket, and what readers see of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pyarrow.parquet as pq
import pytest

from tenuto.storage import open_store
from tenuto.storage.base import Store
from tests.support.database.tasks import Db
from tests.support.processes.command_line import running
from tests.support.processes.s3_server import BUCKET, S3Server
from tests.support.processes.workers import Fleet, a_fleet

CURRENT = """
select coalesce(array_agg(p.location order by c.partition_key), '{}')
from tenuto.current_partitions c
join tenuto.partition_versions p on p.id = c.partition_version_id
join tenuto.datasets d on d.current_version_id = c.dataset_version_id
where d.name = %s and (%s::text is null or c.partition_key = %s)
"""
VERSIONS = """
select v.storage_location
from tenuto.dataset_versions v
join tenuto.datasets d on d.id = v.dataset_id
where d.name = %s
order by v.id
"""


@dataclass
class S3World:
    """`db` is a connection of a superuser."""

    db: Db
    database: str
    fleet: Fleet
    url: str

    @cached_property
    def store(self) -> Store:
        return open_store(self.url, retry_seconds=5)

    def locations(self, dataset: str, partition: str | None = None) -> list[str]:
        """Where the committed data of the current version is."""
        ((found,),) = self.db.execute(CURRENT, [dataset, partition, partition]).fetchall()
        return found

    def objects(self, dataset: str) -> list[str]:
        """All objects of all versions of a dataset."""
        return [key for (location,) in self.db.execute(VERSIONS, [dataset]) for key in self.keys(location)]

    def keys(self, location: str) -> list[str]:
        """The objects in a folder of a dataset."""
        return [item.key for item in self.store.list_all(f"datasets/{location}", max_objects=10_000)]

    def rows(self, dataset: str, partition: str | None = None) -> list[dict[str, Any]]:
        """What a reader sees: the files of the committed locations in the bucket."""
        found: list[dict[str, Any]] = []
        for key in [key for location in self.locations(dataset, partition) for key in self.keys(location)]:
            if key.endswith(".parquet"):
                copy = self.fleet.folder / "copy"
                copy.write_bytes(self.store.get(key))
                found += pq.read_table(copy).to_pylist()
        return found


@contextmanager
def s3_world(database: str, s3: S3Server, folder: Path, endpoint: str | None = None) -> Iterator[S3World]:
    """Runs until the end of the block. `endpoint`: where the worker looks for the bucket, if not at its server."""
    with pytest.MonkeyPatch.context() as patch, psycopg.connect(database, autocommit=True) as db:
        for name, value in s3.environment.items():
            patch.setenv(name, value)
        url = f"s3://{BUCKET}/test-{uuid4().hex}"
        with (
            running("dispatcher", ready="running", TENUTO_DATABASE_URL=database, TENUTO_STORAGE=url),
            a_fleet(database, folder) as fleet,
        ):
            fleet.storage = url
            fleet.variables = {"AWS_ENDPOINT_URL": endpoint} if endpoint else {}
            fleet.start("jobs")
            yield S3World(db, database, fleet, url)
