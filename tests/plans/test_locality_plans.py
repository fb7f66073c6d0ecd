"""Tasks that become ready beside 100,000 stored tasks, while data objects have addresses."""

from uuid import UUID

import psycopg

from tests.plans.crowd import routes_of
from tests.plans.plans import Plans, explained
from tests.support.database.data_objects import an_object
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, a_worker, start_graph

KINDS = [{"type": "app.hop"}]
STORED = """
insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
  max_attempts, run_attempt, optional, has_slots)
select overlay(n.id::text placing right(gen_random_uuid()::text, 17) from 20)::uuid, %s, gen_random_uuid(), now(), 1, 1,
       0, 0, 2, 3, 1, false, true
from (select tenuto._uuid7() as id offset 0) n
cross join generate_series(1, 100000)
"""
ADDRESSES = """
with object as (
  insert into tenuto.data_objects (id, org_id, type, uri, size, created_at)
  select gen_random_uuid(), %s, 'blob', 's3://b/k', 1, now() from generate_series(1, 20000)
  returning id, org_id
)
insert into tenuto.data_locality (object_id, org_id, address, hard) select id, org_id, 'node-1', false from object
"""


def a_hop(db: psycopg.Connection) -> Plans:
    """The plans of a completion that releases one task, which reads the output of the completed one."""
    details = [{"task": 0, "outputs": ["any"]}, {"task": 1, "slots": [{"type": "any", "task": 0, "output": 0}]}]
    _, (_, second) = start_graph(db, 2, kinds=KINDS, details=details)
    worker = a_worker(db)
    first = worker.claim(1, routes=routes_of(db, "app.hop"))
    with explained(db) as plans:
        worker.complete(*first, outputs=[[1]])
    assert [claim.task_id for claim in worker.claim(1, routes=routes_of(db, "app.hop"))] == [second]
    return plans


def a_fan(db: psycopg.Connection, objects: list[UUID]) -> int:
    """How many rows a completion reads that releases one task for each object."""
    details = [{"task": number, "slots": [{"object": str(id)}]} for number, id in enumerate(objects, 1)]
    edges = [(0, number) for number in range(1, len(objects) + 1)]
    start_graph(db, len(objects) + 1, edges, kinds=KINDS, details=details)
    worker = a_worker(db, address="node-1")
    root = worker.claim(1, routes=routes_of(db, "app.hop"))
    with explained(db) as plans:
        worker.complete(*root)
    assert len(worker.claim(1000, routes=routes_of(db, "app.hop"))) == len(objects)
    return rows_of(plans)


def rows_of(plans: Plans) -> int:
    return sum(node.read for node in plans.nodes)


def test_what_becomes_ready_is_looked_up_by_its_id(crowded: psycopg.Connection) -> None:
    crowded.execute(STORED, [DEFAULT_ORG])
    other = an_org(crowded, "other")
    nothing_placed = rows_of(a_hop(crowded))

    an_object(crowded, at=["node-1"], org_id=other)
    one_of_another_org = rows_of(a_hop(crowded))
    crowded.execute(ADDRESSES, [other])
    many_of_another_org = rows_of(a_hop(crowded))
    an_object(crowded, at=["node-1"])
    one = rows_of(a_hop(crowded))
    crowded.execute(ADDRESSES, [DEFAULT_ORG])
    many = rows_of(a_hop(crowded))

    assert one_of_another_org == many_of_another_org <= nothing_placed + 5
    assert one == many <= nothing_placed + 20

    few = a_fan(crowded, [an_object(crowded, at=["node-1"]) for _ in range(50)])
    eight_times = a_fan(crowded, [an_object(crowded, at=["node-1"]) for _ in range(400)])
    assert eight_times <= 8 * 1.2 * few
