"""Versions of a DAG on a real S3 server: computed, deployed, cut over and rolled back as on a folder."""

import pyarrow.parquet as pq

from tenuto.storage import open_store
from tests.journeys.test_builds import DAYS, EDITED, with_live_data
from tests.support.database.builds import status
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import value
from tests.support.database.tasks import Db
from tests.support.processes.command_line import running
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until


def rows(db: Db, fleet: Fleet, dataset: str, partition: str) -> list[dict[str, object]]:
    """What a reader of a partition sees: the files of its committed location in the bucket."""
    location = value(
        db,
        "select p.location from tenuto.current_partitions c "
        "join tenuto.partition_versions p on p.id = c.partition_version_id "
        "join tenuto.datasets d on d.current_version_id = c.dataset_version_id "
        "where d.name = %s and c.partition_key = %s",
        dataset,
        partition,
    )
    store = open_store(str(fleet.storage), retry_seconds=5)
    found: list[dict[str, object]] = []
    for entry in store.list(f"datasets/{location}"):
        if entry.key.endswith(".parquet"):
            copy = fleet.folder / "copy"
            copy.write_bytes(store.get(entry.key))
            found += pq.read_table(copy).to_pylist()
    return found


def test_a_dag_is_computed_cut_over_and_rolled_back_on_s3(db: Db, database: str, fleet: Fleet, s3_url: str) -> None:
    fleet.storage = s3_url
    with running("dispatcher", ready="running", TENUTO_DATABASE_URL=database, TENUTO_STORAGE=s3_url):
        fleet.start("jobs")
        with_live_data(db, fleet)
        assert rows(db, fleet, "per_day", "2") == [{"day": "2", "n": 3}]
        for day in DAYS:
            fleet.open_gate(f"tally {day}")
        assert deploy(db, EDITED)["status"] == "building"
        wait_until(lambda: status(db, 2) == "ready", timeout=60)
        assert rows(db, fleet, "per_week", "2") == [{"n": 30}]

        cutover(db, 1, 2, name="sales")
        assert rows(db, fleet, "per_week", "2") == [{"n": 300}]
        rollback(db, 2, name="sales")

        assert rows(db, fleet, "per_week", "2") == [{"n": 30}]
        assert list(fleet.folder.rglob("*.parquet")) == []
        assert_invariants(db)
