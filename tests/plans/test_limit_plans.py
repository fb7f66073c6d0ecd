"""Limits by key, on a connection that made its plans while there were no limits: as on every new installation."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.plans.plans import explained
from tests.support.database.limits import a_key
from tests.support.database.tasks import a_worker, call, start

KEYS = 500


def start_by_key(db: psycopg.Connection, keys: int) -> None:
    """Start three tasks for each key, two of which may run at once."""
    details = [{"task": number, "limits": [a_key(f"k{number % keys}", 2)]} for number in range(3 * keys)]
    start(db, *range(3 * keys), details=Jsonb(details))


@pytest.mark.own_database("it changes statistics")
def test_a_completion_looks_up_the_limits_and_slots_of_its_own_tasks(db: psycopg.Connection) -> None:
    db.execute("vacuum analyze")
    worker = a_worker(db)
    start_by_key(db, 1)
    worker.complete(*worker.claim(3))
    start_by_key(db, KEYS)
    call(db, "follow_arrivals", limit=4 * KEYS)
    claims = worker.claim(60)

    with explained(db) as starting:
        start_by_key(db, 20)
    with explained(db) as following:
        call(db, "follow_arrivals", limit=100)
    with explained(db) as completing:
        worker.complete(*claims)

    assert len(claims) == 60
    for plans in (starting, following, completing):
        assert 20 <= plans.read("limits") <= 10 * 60
        assert plans.read("limit_slots") <= 10 * 60
        assert "limit_belongs_to_its_org" not in {node.index for node in plans.on("limits")}


NEW_KEYS = 1000
LIMITS = """
insert into tenuto.limits (id, org_id, scope, key, size)
select i, o.id, 'key', 'old' || i, 5
from tenuto.orgs o cross join generate_series(1, 100000) i
"""


@pytest.mark.own_database("it changes statistics")
@pytest.mark.parametrize("statistics", ["true", "empty"])
def test_new_limits_cost_the_same_each(db: psycopg.Connection, statistics: str) -> None:
    db.execute("vacuum analyze")
    db.execute(LIMITS)
    if statistics == "true":
        db.execute("vacuum analyze")
    details = [{"task": number, "limits": [a_key(f"k{number}", 1)]} for number in range(NEW_KEYS)]
    worker = a_worker(db)

    with explained(db) as starting:
        start(db, *range(NEW_KEYS), details=Jsonb(details))
    with explained(db) as following:
        call(db, "follow_arrivals", limit=2 * NEW_KEYS)
    claims = worker.claim(NEW_KEYS)
    with explained(db) as again:  # the limits exist already
        start(db, *range(NEW_KEYS), details=Jsonb(details))
    with explained(db) as completing:
        worker.complete(*claims)

    assert len(claims) == len(worker.claim(NEW_KEYS)) == NEW_KEYS
    for plans in (starting, following, again, completing):
        assert plans.array_searches(rows=NEW_KEYS // 2) == []
        assert plans.read("limits") <= 10 * NEW_KEYS
        assert sum(node.read for node in plans.nodes) <= 200 * NEW_KEYS
    resized = [node for node in following.on("limits") if node.kind == "ModifyTable"]
    assert len(resized) <= 3, "creates the limits, and lowers and moves no floor of a new one more than once"
