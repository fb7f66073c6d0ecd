"""A dataset with 10,000 partitions: plans count them, and builds take them piece by piece."""

import json

from tenuto.dag.definitions import Dag
from tenuto.dag.diff import diff_dags
from tenuto.dag.plan import estimate_rebuilds
from tests.dag.documents import parsed
from tests.support.database.builds import with_data
from tests.support.database.dags import deploy
from tests.support.database.jobs import SALES, sales
from tests.support.database.loops import value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

MANY = 10_000
ADD = """
with added as (
  insert into tenuto.partition_versions (id, org_id, dataset_version_id, partition_key, task_id, attempt, location,
    rows, bytes, fingerprint, checks, inputs, committed_at)
  select tenuto._uuid7(), v.org_id, v.dataset_version_id, to_char(date '1990-01-01' + n, 'YYYY-MM-DD'), v.task_id,
         v.attempt, v.location, v.rows, v.bytes, v.fingerprint, v.checks, v.inputs, v.committed_at
  from tenuto.partition_versions v
  join tenuto.datasets d on d.current_version_id = v.dataset_version_id and d.name in ('raw', 'per_day')
  cross join generate_series(1, %s) n
  returning *)
insert into tenuto.current_partitions (org_id, dataset_version_id, partition_key, partition_version_id, task_id)
select org_id, dataset_version_id, partition_key, id, task_id from added
"""


def test_ten_thousand_partitions_are_planned_by_their_number_and_built_in_pieces(db: Db):
    with_data(db, a_worker(db), "2026-11-17")
    db.execute(ADD, [MANY - 1])
    edited = sales("select 2")

    (facts,) = call(db, "get_deploy_facts", org_id=DEFAULT_ORG, name="sales", yaml_hash="0" * 64,
                    datasets=["raw", "per_day"])  # fmt: skip
    assert facts["datasets"]["raw"]["partitions"] == MANY
    assert len(json.dumps(facts["datasets"])) < 1000  # a number, not a row per key
    old, new = dag(SALES), dag(edited)
    counts = {name: facts["datasets"][name]["partitions"] for name in facts["datasets"]}
    (rebuild,) = estimate_rebuilds(diff_dags(old, new), old, new, counts)
    assert (rebuild.job, rebuild.tasks) == ("daily", MANY)

    deploy(db, edited)
    started: list[int] = []
    for _ in range(3):
        call(db, "advance_builds")
        started.append(value(db, "select count(*) from tenuto.build_tasks"))
    assert all(0 <= later - earlier <= 200 for earlier, later in zip([0, *started], started, strict=False))
    assert 200 <= started[-1] <= 600


def dag(document: dict[str, object]) -> Dag:
    return parsed(document)
