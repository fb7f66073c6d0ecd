"""More resource groups and priorities than one claim looks at: shares stay fair, and nothing waits unseen."""

from collections import Counter

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call, start

GROUPS = """
insert into tenuto.resource_groups (id, org_id, external_id, weight, created_at)
select gen_random_uuid(), %s, 'g' || n, 1, now() from generate_series(1, %s) n
"""
LANES = """
insert into tenuto.ready_lanes (route_id, group_no, priority, org_id)
select distinct t.route_id, g.no, 0, t.org_id
from tenuto.tasks t cross join tenuto.resource_groups g where g.external_id like 'g%%'
on conflict do nothing
"""
# Each group gets so many copies of the one task that is ready in the default group, whose number is 1.
COPIES = """
with task as (
  select gen_random_uuid() as new_id, g.no, t.*
  from tenuto.tasks t
  join tenuto.ready_tasks q on q.id = t.id and q.group_no = 1
  cross join tenuto.resource_groups g
  cross join generate_series(1, %s)
  where g.external_id like %s
), made as (
  insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
    max_attempts, run_attempt, optional, has_slots)
  select new_id, org_id, new_id, created_at, route_id, no, priority, 0, 2, 3, 1, false, false
  from task
), runs as (
  insert into tenuto.runs (id, org_id, group_no, single_task, created_at)
  select new_id, org_id, no, true, created_at from task
)
insert into tenuto.ready_tasks (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
select nextval('tenuto.ready_seq') << 20, created_at, new_id, org_id, new_id, route_id, no, priority, 0, 1 from task
"""


def with_groups(db: Db, count: int, *, tasks: int = 0, last: dict[str, int] | None = None) -> Worker:
    """So many resource groups with lanes, empty or with tasks; `last` are settings of one more, numbered far away."""
    db.execute(GROUPS, [DEFAULT_ORG, count])
    if last is not None:
        db.execute("select setval(pg_get_serial_sequence('tenuto.resource_groups', 'no'), 200000)")
        call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="g-last", **last)
    start(db, 0)
    if tasks:
        db.execute(COPIES, [tasks, "g%"])
        db.execute(COPIES, [400, "g-last"])
    worker = a_worker(db, lease="1 day")
    worker.complete(*worker.claim(1, group="default"))
    db.execute(LANES)
    db.execute("select setseed(0.5)")
    return worker


def claimed(worker: Worker, limit: int, times: int) -> Counter[int]:
    """How many tasks each group gave."""
    routes, seen = worker.routes(), Counter[int]()
    for _ in range(times):
        seen.update(claim.group_no for claim in worker.claim(limit, routes=routes))
    return seen


def test_groups_with_sparse_numbers_are_all_served(db: Db) -> None:
    worker = with_groups(db, 100, tasks=30, last={})

    seen = claimed(worker, 10, 120)

    assert len(seen) >= 100
    assert max(seen.values()) <= 3 * 1200 / 100


@pytest.mark.parametrize(("limit", "times"), [(1, 300), (30, 20)])
def test_a_heavy_group_gets_its_share_among_many(db: Db, limit: int, times: int) -> None:
    worker = with_groups(db, 200, tasks=5, last={"weight": 100})
    (heavy,) = db.execute("select no from tenuto.resource_groups where weight = 100").fetchone() or (0,)

    seen = claimed(worker, limit, times)

    assert seen[heavy] / seen.total() == pytest.approx(100 / 300, abs=0.1)


def test_the_one_ready_task_is_found_by_the_first_claim(db: Db) -> None:
    worker = with_groups(db, 400)

    for group in ("g7", "g399"):
        (task_id,) = start(db, 1, group=group)
        assert [claim.task_id for claim in worker.claim(10)] == [task_id]


def test_a_claim_of_many_finds_one_task_in_each_of_many_groups(db: Db) -> None:
    worker = with_groups(db, 300, tasks=1)

    assert len(worker.claim(1000)) == 300


def test_a_worker_of_one_group_is_served_among_many(db: Db) -> None:
    worker = with_groups(db, 200, tasks=2)

    assert len(worker.claim(10, group="g123")) == 2
    assert worker.claim(10, group="g123") == []


def test_priorities_stay_strict_however_many_there_are(db: Db) -> None:
    details = [{"task": no, "priority": no * 3} for no in range(150)]
    ids = start(db, *range(150), details=Jsonb(details))
    worker = a_worker(db)
    routes = worker.routes()

    one_by_one = [worker.claim(1, routes=routes)[0].task_id for _ in range(100)]
    rest = {claim.task_id for claim in worker.claim(100, routes=routes)}

    assert one_by_one == ids[:49:-1]
    assert rest == set(ids[:50])
