"""Claims share out by the weights of resource groups, whatever their size, and leave nobody waiting."""

from collections import Counter
from uuid import UUID

import psycopg
import pytest

from tenuto.model.errors import NotFound
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call, start


def a_group(db: Db, name: str, **settings: int) -> str:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id=name, **settings)
    return name


def fill(db: Db, group: str, count: int, *, priority: int = 0) -> list[UUID]:
    return start(db, *range(count), group=group, kind={"priority": priority})


def claimed_by_group(db: Db) -> dict[str, int]:
    rows = db.execute(
        "select g.external_id, count(*) from tenuto.running_tasks r"
        " join tenuto.resource_groups g on g.no = r.group_no group by 1"
    ).fetchall()
    return dict(rows)


def claim_all(worker: Worker, *, limit: int, times: int) -> Counter[int]:
    """How many tasks each group gave, in so many claims one after the other."""
    routes = worker.routes()
    seen: Counter[int] = Counter()
    for _ in range(times):
        claims = worker.claim(limit, routes=routes)
        seen.update(claim.group_no for claim in claims)
    return seen


@pytest.mark.parametrize(("limit", "times"), [(500, 10), (7, 200), (1, 1000)])
def test_groups_with_work_share_by_weight_within_five_percent(db: psycopg.Connection, limit: int, times: int) -> None:
    total = limit * times
    for group, weight in (("heavy", 3), ("light", 1)):
        fill(db, a_group(db, group, weight=weight), total)
    db.execute("select setseed(0.5)")

    claim_all(a_worker(db), limit=limit, times=times)

    given = claimed_by_group(db)
    assert sum(given.values()) == total
    assert given["heavy"] == pytest.approx(0.75 * total, rel=0.05)


def test_a_group_that_arrives_is_served_in_the_next_batch(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "old"), 300)
    worker = a_worker(db)
    worker.claim(100)

    fill(db, a_group(db, "new"), 100)
    worker.claim(100)

    assert claimed_by_group(db) == {"old": 150, "new": 50}


def test_a_group_with_little_work_gives_its_share_to_the_others_in_the_same_claim(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "busy"), 200)
    fill(db, a_group(db, "idle", weight=9), 3)

    assert len(a_worker(db).claim(100)) == 100

    assert claimed_by_group(db) == {"busy": 97, "idle": 3}


def test_a_group_whose_lane_is_empty_takes_nothing_from_the_others(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "busy"), 200)
    fill(db, a_group(db, "gone", weight=9), 10)
    worker = a_worker(db)
    worker.claim(50)
    assert claimed_by_group(db) == {"gone": 10, "busy": 40}

    assert [len(worker.claim(1)) for _ in range(20)] == [1] * 20


def test_a_group_at_its_quota_leaves_its_share_to_the_others(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "small", quota=2), 10)
    fill(db, a_group(db, "large"), 100)
    worker = a_worker(db)

    worker.claim(50)
    assert claimed_by_group(db) == {"small": 2, "large": 48}
    worker.claim(50)

    assert claimed_by_group(db) == {"small": 2, "large": 98}


def test_a_group_at_its_quota_does_not_send_the_worker_of_another_group_away(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "small", quota=1, weight=100), 10)
    fill(db, a_group(db, "large"), 100)
    worker = a_worker(db)
    worker.claim(10)

    assert [len(worker.claim(1)) for _ in range(20)] == [1] * 20


def test_a_group_at_its_quota_goes_on_when_one_of_its_tasks_ends(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "small", quota=2), 10)
    worker = a_worker(db)
    first, _ = worker.claim(50)
    assert worker.claim(50) == []

    worker.complete(first)

    assert len(worker.claim(50)) == 1


def test_a_group_with_a_quota_of_none_at_all_never_runs(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "stopped", quota=0), 5)

    assert a_worker(db).claim(50) == []


def test_with_more_groups_than_one_claim_looks_at_all_of_them_are_served(db: psycopg.Connection) -> None:
    for no in range(150):
        fill(db, a_group(db, f"group {no}"), 20)

    seen = claim_all(a_worker(db), limit=64, times=20)

    assert len(seen) == 150


def test_many_groups_and_claims_of_one_serve_all_of_them(db: psycopg.Connection) -> None:
    for no in range(70):
        fill(db, a_group(db, f"group {no}"), 40)
    db.execute("select setseed(0.5)")

    seen = claim_all(a_worker(db), limit=1, times=700)

    assert len(seen) == 70


def test_inside_a_group_the_larger_priority_is_first_and_then_the_older_task(db: psycopg.Connection) -> None:
    low = fill(db, "default", 2)
    high = fill(db, "default", 2, priority=5)
    worker = a_worker(db)

    assert [worker.claim_one().task_id for _ in range(4)] == [*high, *low]


def test_a_group_with_many_priorities_does_not_hide_the_others(db: psycopg.Connection) -> None:
    a_group(db, "many")
    a_group(db, "one")
    for priority in range(70):
        fill(db, "many", 1, priority=priority)
    fill(db, "one", 1)

    a_worker(db).claim(20)

    assert claimed_by_group(db) == {"many": 19, "one": 1}


def test_a_worker_of_one_group_claims_nothing_of_the_others(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "theirs", weight=100), 10)
    mine = fill(db, a_group(db, "mine"), 10)
    worker = a_worker(db)

    claims = worker.claim(20, group="mine")

    assert {claim.task_id for claim in claims} == set(mine)
    assert worker.claim(20, group="mine") == []


def test_the_quota_holds_for_a_worker_of_that_group_too(db: psycopg.Connection) -> None:
    fill(db, a_group(db, "mine", quota=3), 10)
    assert len(a_worker(db).claim(20, group="mine")) == 3


def test_a_worker_of_an_unknown_group_is_told_so(db: psycopg.Connection) -> None:
    with pytest.raises(NotFound, match="no resource group 'nobody'"):
        a_worker(db).claim(1, group="nobody")
