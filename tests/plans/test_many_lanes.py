"""Beside thousands of lanes and running tasks a call reads what it needs: counted by rows and indexes, not by time."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.plans.conftest import WITHOUT_TRIGGERS
from tests.plans.plans import explained
from tests.support.database.tasks import DEFAULT_ORG, Worker, a_worker, call, start

MANY = 2000
LANES = """
with groups as (
  insert into tenuto.resource_groups (id, org_id, external_id, weight, created_at)
  select gen_random_uuid(), %(org)s, 'many' || n, 1, now() from generate_series(1, %(many)s) n
  returning no
)
insert into tenuto.ready_lanes (route_id, group_no, priority, org_id)
select r.id, g.no, 0, r.org_id from groups g cross join tenuto.routes r
"""
RUNNING = """
insert into tenuto.running_tasks (queued_at, started_at, session_id, id, org_id, run_id, claim_no, route_id, group_no,
  priority, attempt, flags)
select now(), now(), 0, gen_random_uuid(), %s, gen_random_uuid(), 1, 1, 1, 0, 1, 1 from generate_series(1, %s)
"""
# Without parameters, so that it is known to be a transaction of its own: others leave arrivals without a look.
START_TWO = """
select from tenuto.start_many((select id from tenuto.orgs limit 1),
  (select jsonb_build_array(jsonb_build_object('type', type, 'queue', queue)) from tenuto.routes limit 1),
  array['1', '2']::jsonb[], p_group => 'many8')
"""


@pytest.fixture
def db(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database, autocommit=True, options=WITHOUT_TRIGGERS) as conn:
        yield conn


def with_lanes(db: psycopg.Connection) -> Worker:
    """A worker whose one route has many empty lanes; statistics know nothing of them."""
    start(db, 1)
    worker = a_worker(db, lease="1 day")
    worker.complete(*worker.claim(1))
    db.execute("analyze tenuto.ready_lanes, tenuto.arrivals, tenuto.ready_tasks")
    db.execute(LANES, {"org": DEFAULT_ORG, "many": MANY})
    return worker


def test_new_lanes_are_looked_up_one_by_one_when_arrivals_are_followed(db: psycopg.Connection) -> None:
    with_lanes(db)
    db.execute("delete from tenuto.ready_lanes where group_no > 1 and group_no % 2 = 0")
    db.execute(
        "insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)"
        " select org_id, 1, 1, no, 0 from tenuto.resource_groups where external_id like 'many%' and no % 2 = 0"
    )

    with explained(db) as plans:
        call(db, "follow_arrivals")

    assert {node.index for node in plans.on("ready_lanes") if node.index} == {"ready_lanes_pkey"}
    assert plans.scans_of_all("ready_lanes") == []


def test_a_start_looks_its_lane_up_by_its_key(db: psycopg.Connection) -> None:
    with_lanes(db)

    with explained(db) as plans:
        db.execute(START_TWO)

    assert {node.index for node in plans.on("ready_lanes") if node.index} == {"ready_lanes_pkey"}
    assert plans.scans_of_all("ready_lanes") == []


def test_a_claim_draws_no_lane_that_is_known_to_be_empty(db: psycopg.Connection) -> None:
    worker = with_lanes(db)
    routes = worker.routes()
    call(db, "move_floors", from_bottom=True)
    start(db, 1, group="many7")
    worker.claim(1, routes=routes)
    (task_id,) = start(db, 1, group="many7")

    with explained(db) as plans:
        assert [claim.task_id for claim in worker.claim(1, routes=routes)] == [task_id]

    assert plans.read("ready_lanes") <= 64 + 30, [n for n in plans.on("ready_lanes") if n.read > 5]


def test_a_quota_is_counted_among_the_tasks_of_its_group(db: psycopg.Connection) -> None:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id="small", quota=10)
    db.execute("analyze tenuto.running_tasks")
    db.execute(RUNNING, [DEFAULT_ORG, MANY])
    start(db, *range(20), group="small")
    worker = a_worker(db, lease="1 day")
    assert len(worker.claim(3)) == 3

    with explained(db) as plans:
        assert len(worker.claim(20)) == 7

    assert plans.read("running_tasks") <= 30  # its own, and what the test itself looks up
