"""Workers begin the tasks of a claim by priority, then by age."""

import pytest
from psycopg.types.json import Jsonb

from tests.support.database.attempts import wait_for
from tests.support.database.limits import a_key
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.processes.workers import Fleet
from tests.support.waiting import wait_until

COUNT = 60
PRIORITIES = [no * 7 % 10 for no in range(COUNT)]
IN_ORDER = [str(no) for no in sorted(range(COUNT), key=lambda no: (-PRIORITIES[no], no))]


# A worker of one slot claims one task, and then all others ahead. With a slot for each task, it claims all at once.
@pytest.mark.parametrize(("concurrency", "limit"), [(1, None), (1, 5), (COUNT, None)])
def test_tasks_begin_by_priority_then_by_age(db: Db, workers: Fleet, concurrency: int, limit: int | None) -> None:
    workers.start("plain", "--concurrency", str(concurrency))
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="default")
    limits = [a_key("shop", limit)] if limit else None
    call(
        db,
        "start_many",
        org_id=DEFAULT_ORG,
        kinds=Jsonb([{"type": "plain.note", "priority": priority} for priority in range(10)]),
        inputs=[Jsonb([str(no)]) for no in range(COUNT)],
        task_kinds=PRIORITIES,
        details=Jsonb([{"task": no, "limits": limits} for no in range(COUNT)]) if limits else None,
    )
    wait_until(lambda: not count(db, "arrivals"))  # all lanes are open

    call(db, "resume_queue", org_id=DEFAULT_ORG, queue="default")
    wait_for(db, completed=COUNT)

    assert workers.effects() == IN_ORDER
