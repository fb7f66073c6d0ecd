"""A deploy of a DAG whose sources were deleted and deployed again many times, in an org with many deleted datasets."""

import psycopg
import pytest

from tests.plans.plans import explained
from tests.sql.reactions.test_delete_dag import delete
from tests.sql.reactions.test_deleted_sources import PRODUCER, REPORTS, WITHOUT, again
from tests.support.database.dags import deploy
from tests.support.database.jobs import deployed
from tests.support.database.tasks import DEFAULT_ORG

CYCLES = 12
DELETED = """
insert into tenuto.datasets (id, org_id, name, dag_id, created_at, updated_at, deleted_at)
select tenuto._uuid7(), d.org_id, 'd' || i, d.dag_id, tenuto.now(), tenuto.now(), tenuto.now()
from tenuto.datasets d
cross join generate_series(1, 5000) i
where d.name = 'raw' and d.deleted_at is null
"""
LOST = """
select l.config_hash
from tenuto.dags d
cross join lateral tenuto._lost_sources(d.org_id, d.id) l
where d.org_id = %s and d.name = 'reports'
"""


@pytest.mark.own_database("it changes statistics")
@pytest.mark.parametrize("analyzed", [False, True])
def test_a_deploy_reads_each_version_of_its_dag_once_and_no_deleted_datasets(
    db: psycopg.Connection, database: str, analyzed: bool
) -> None:
    for cycle in range(CYCLES):
        deployed(db, PRODUCER)
        deployed(db, again(REPORTS, f"with {cycle}"), expected=2 * cycle)
        deployed(db, again(WITHOUT, f"without {cycle}"), expected=2 * cycle + 1)
        delete(db, force=True)
    deployed(db, PRODUCER)
    db.execute(DELETED)
    if analyzed:
        db.execute("analyze")

    with explained(db) as once:
        lost = db.execute(LOST, [DEFAULT_ORG]).fetchall()
    # The other connection has plans, also of foreign keys, from when there were few datasets: until the next analyze it
    # would read all of them.
    with psycopg.connect(database, autocommit=True) as new, explained(new) as plans:
        assert deploy(new, again(REPORTS, "last"))["created"]

    assert len(lost) == 2 * CYCLES  # two jobs, with another hash in each cycle
    assert once.read("datasets") <= 4 * CYCLES
    assert plans.read("job_inputs") < 2 * once.read("job_inputs")
    assert plans.read("datasets") < 200
