"""The tasks of one claim come by priority, then by age, whatever order their rows have on disk."""

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.limits import a_key
from tests.support.database.remote_workers import a_remote_worker
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one

COUNT = 60
Claims = Callable[[Db, int], list[UUID]]


def by_claim_tasks(db: Db, limit: int) -> list[UUID]:
    return [claim.task_id for claim in a_worker(db).claim(limit)]


def by_complete_and_claim(db: Db, limit: int) -> list[UUID]:
    worker = a_worker(db)
    rows = call(
        db,
        "complete_and_claim",
        **worker.fence,
        task_ids="{}",
        attempts="{}",
        outputs="{}",
        claim_no=1,
        routes=worker.routes(),
        limit=limit,
    )
    return [row["task_id"] for row in rows]


def over_http(db: Db, limit: int) -> list[UUID]:
    return [UUID(claimed["task_id"]) for claimed in a_remote_worker(db, str(uuid4())).exchange(limit=limit)["tasks"]]


@pytest.fixture(params=[by_claim_tasks, by_complete_and_claim, over_http], ids=lambda claims: claims.__name__)
def claims(request: pytest.FixtureRequest) -> Claims:
    return request.param


def a_priority(no: int) -> int:
    """Ten priorities, of which the highest is started in the middle."""
    return no * 7 % 10


def start_all(db: Db, *, types: int = 1, group: str | None = None) -> list[UUID]:
    """Start 60 tasks of ten priorities, one after the other, and return them in the order in which they must run."""
    tasks = [
        start_one(db, kind={"type": f"app.type{no % types}", "priority": a_priority(no)}, group=group)
        for no in range(COUNT)
    ]
    return [tasks[no] for no in sorted(range(COUNT), key=lambda no: (-a_priority(no), no))]


@pytest.mark.parametrize("types", [1, 3])
def test_one_claim_returns_tasks_by_priority_then_by_age(db: Db, claims: Claims, types: int) -> None:
    expected = start_all(db, types=types)

    assert claims(db, COUNT) == expected


def test_a_claim_of_fewer_tasks_returns_the_first_of_them(db: Db, claims: Claims) -> None:
    expected = start_all(db)

    assert claims(db, 7) == expected[:7]


def test_tasks_that_were_started_while_their_queue_was_paused_come_in_order(db: Db, claims: Claims) -> None:
    start_one(db)
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="default")
    expected = start_all(db)
    assert claims(db, COUNT) == []
    call(db, "resume_queue", org_id=DEFAULT_ORG, queue="default")

    assert [task_id for task_id in claims(db, COUNT + 1) if task_id in expected] == expected


def test_tasks_of_a_limit_come_in_order(db: Db, claims: Claims) -> None:
    tasks = [
        start_one(db, kind={"priority": a_priority(no)}, details=Jsonb([{"task": 0, "limits": [a_key("k", 25)]}]))
        for no in range(COUNT)
    ]
    expected = [tasks[no] for no in sorted(range(COUNT), key=lambda no: (-a_priority(no), no))]

    assert claims(db, COUNT) == expected[:25]


def test_each_resource_group_gets_its_share_of_a_claim_in_order(db: Db, claims: Claims) -> None:
    for group in ("eu", "us"):
        call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id=group)
    expected = {group: start_all(db, types=2, group=group) for group in ("eu", "us")}

    claimed = claims(db, COUNT)

    for tasks in expected.values():
        assert [task_id for task_id in claimed if task_id in tasks] == tasks[: COUNT // 2]


def test_the_tasks_of_very_many_lanes_come_in_order(db: Db, claims: Claims) -> None:
    for group in range(80):
        call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id=f"group {group}")
        start(db, 1, 2, group=f"group {group}", kind={"priority": -1})
    expected = start_all(db, types=2, group="group 7")

    claimed = claims(db, 3 * COUNT)

    ours = [task_id for task_id in claimed if task_id in expected]
    assert ours
    assert ours == expected[: len(ours)]


def test_tasks_that_were_given_back_keep_their_place(db: Db, claims: Claims) -> None:
    expected = start_all(db)
    first = a_worker(db, "first")
    given_back = first.claim(COUNT)
    first.interrupt(*reversed(given_back[::2]))
    first.interrupt(*given_back[1::2])

    assert claims(db, COUNT) == expected
