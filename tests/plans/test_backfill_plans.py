"""A piece of a backfill reads as many rows as it has partitions, wherever it is among a million of them."""

import psycopg

from tests.plans.plans import explained
from tests.support.database.backfills import backfill, get
from tests.support.database.events import RAW, readers
from tests.support.database.jobs import deployed
from tests.support.database.tasks import call

ONES = {**RAW, "outputs": [{"dataset": "raw", "partition": {"kind": "range", "column": "id", "size": 1}}]}
COMMITTED = """
with version as (select d.org_id, d.current_version_id, d.job_key from tenuto.datasets d where d.name = 'raw'),
partitions as (
  insert into tenuto.current_partitions (org_id, dataset_version_id, partition_key, partition_version_id, task_id)
  select v.org_id, v.current_version_id, n || '-' || n + 1, tenuto._uuid7(), tenuto._uuid7()
  from version v, generate_series(900000, 909999) n)
insert into tenuto.job_tasks
  (task_id, org_id, job_key, dag_version_id, config_hash, partition_key, input_versions, rebuild)
select tenuto._uuid7(), v.org_id, v.job_key, tenuto._uuid7(), j.config_hash, n || '-' || n + 1, '[]', false
from version v join tenuto.jobs j on j.job_key = v.job_key, generate_series(900000, 909999) n
"""


def test_a_piece_in_the_middle_of_a_million_partitions_reads_its_own(db: psycopg.Connection) -> None:
    deployed(db, readers(source=ONES))
    db.execute(COMMITTED)
    id = backfill(db, "raw", first="0-1", last="999999-1000000", concurrency=100)
    db.execute("update tenuto.backfills set planned = 909000")

    with explained(db) as plans:
        assert call(db, "advance_backfills") == 1

    assert get(db, id)["total"] == 1_000_000
    assert (get(db, id)["planned"], get(db, id)["skipped"], get(db, id)["started"]) == (910_000, 1000, 0)
    assert plans.scans_of_all("current_partitions", "job_tasks") == []
    assert plans.read("current_partitions") <= 1000
    assert plans.read("job_tasks") <= 1000
    db.execute("update tenuto.backfills set due_at = tenuto.now()")
    call(db, "advance_backfills")
    assert (get(db, id)["planned"], get(db, id)["started"]) == (910_100, 100)
    keys = db.execute("select min(partition_key), max(partition_key) from tenuto.repair_tasks").fetchall()
    assert keys == [("910000-910001", "910099-910100")]
