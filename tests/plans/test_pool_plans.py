"""What dispatchers read about a pool every second does not grow with its machines of two weeks."""

import psycopg

from tests.plans.plans import explained
from tests.support.database.pools import a_pool, pool_facts, registers, scale
from tests.support.database.tasks import Db, start

ENDED = 100_000
# A third of them failed to start. 25 ended within the last five minutes, which the brake counts.
MACHINES = """
insert into tenuto.workers (org_id, id, status, created_at, last_heartbeat, registered_at, error, error_at,
  terminated_at, pool_id, provider_id, machine_ended_at)
select p.org_id, 'old' || n, 'terminated', now() - n * interval '12 seconds',
       case when n %% 3 > 0 then now() end, case when n %% 3 > 0 then now() - n * interval '12 seconds' end,
       case when n %% 3 = 0 then 'no capacity' end, case when n %% 3 = 0 then now() - n * interval '12 seconds' end,
       now() - n * interval '12 seconds', p.id, 'i-' || n, now() - n * interval '12 seconds'
from tenuto.pools p
cross join generate_series(1, %(ended)s) n
"""


def test_the_facts_of_a_pool_are_read_without_its_machines_that_have_ended(db: Db) -> None:
    pool_id = a_pool(db)
    db.execute("set session_replication_role = replica")  # no checks of transitions: they were all made long ago
    db.execute(MACHINES, {"ended": ENDED})
    db.execute("reset session_replication_role")
    start(db, 1)
    scale(db, pool_id)
    registers(db, next(iter(_open(db))))

    with explained(db) as plans:
        facts = pool_facts(db, pool_id)

    assert (len(facts.machines), facts.provider_machines) == (1, 1)
    assert (facts.registered, facts.failed) == (17, 8)  # of 25 within five minutes, and the new one
    assert plans.scans_of_all("workers") == []
    assert plans.read("workers") <= 100


def _open(db: psycopg.Connection) -> list[str]:
    found = db.execute("select id from tenuto.workers where machine_ended_at is null").fetchall()
    return [row[0] for row in found]
