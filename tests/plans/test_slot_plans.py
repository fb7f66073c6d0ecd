"""Inputs of tasks, on a connection that made its plans while there were no tasks: as on every new installation."""

import psycopg
import pytest

from tests.plans.plans import explained
from tests.support.database.tasks import DEFAULT_ORG, Claim, a_worker, call, start_graph

TASKS = 2000


def start_with_inputs(db: psycopg.Connection, tasks: int) -> None:
    details = [{"task": no, "slots": [{"value": no}]} for no in range(tasks)]
    start_graph(db, tasks, details=details)


def inputs_of(db: psycopg.Connection, claim: Claim) -> list[int]:
    (task,) = call(db, "get_held_task", org_id=DEFAULT_ORG, task_id=claim.task_id)
    return task["slots"]


@pytest.mark.own_database("it changes statistics")
@pytest.mark.parametrize("first", ["get_held_task", "claim_tasks"])
def test_the_inputs_of_a_task_are_looked_up_by_its_id(db: psycopg.Connection, first: str) -> None:
    db.execute("vacuum analyze")
    worker = a_worker(db)
    start_with_inputs(db, 1)
    with psycopg.connect(db.info.dsn, password=db.info.password, autocommit=True) as other:
        (held,) = worker.claim(1) if first == "claim_tasks" else a_worker(other, "other").claim(1)
    for _ in range(10):  # after five calls, Postgres may keep the plan
        assert inputs_of(db, held) == [0]
    start_with_inputs(db, TASKS)
    worker.complete(*worker.claim(TASKS // 2))

    with explained(db) as claiming:
        claims = worker.claim(20)
    with explained(db) as getting:
        inputs = inputs_of(db, claims[0])

    assert len(claims) == 20
    assert inputs == claims[0].slots
    assert claiming.read("task_slots") == 20
    assert getting.read("task_slots") == 1
