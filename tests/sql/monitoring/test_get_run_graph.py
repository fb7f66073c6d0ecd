"""A run as a graph and as a timeline of attempts."""

import psycopg
import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start_graph, start_one


def test_the_graph_has_every_task_with_its_state_and_what_it_depends_on(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 3, [(0, 2), (1, 2)])
    worker = a_worker(db)
    first = worker.claim_one()
    worker.start_children(first, 1)

    nodes = {node["task_id"]: node for node in call(db, "get_run_graph", org_id=DEFAULT_ORG, run_id=run_id)}

    assert set(nodes[tasks[2]]["depends_on"]) == {tasks[0], tasks[1]}
    assert [nodes[task]["status"] for task in tasks] == ["running", "queued", "pending"]
    assert [node["parent_id"] for id, node in nodes.items() if id not in tasks] == [tasks[0]]
    assert len(call(db, "get_run_graph", org_id=DEFAULT_ORG, run_id=run_id, limit=2)) == 2


def test_nodes_have_the_status_and_attempt_of_their_tasks_in_every_state(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 9, [(0, 8)])
    worker = a_worker(db)
    claims = worker.claim(7)
    worker.fail(claims[0], final=True)
    worker.fail(claims[1])
    worker.snooze(claims[2])
    worker.wait(claims[3], **{"for": "signal", "name": "go"})
    worker.complete(claims[4])
    worker.lose(claims[5])

    nodes = call(db, "get_run_graph", org_id=DEFAULT_ORG, run_id=run_id)

    same = ("id", "status", "attempt", "started_at", "completed_at")
    listed = call(db, "list_tasks", org_id=DEFAULT_ORG, run_id=run_id)
    graph = {tuple(node["task_id" if key == "id" else key] for key in same) for node in nodes}
    assert graph == {tuple(task[key] for key in same) for task in listed}
    states = {node["status"] for node in nodes}
    assert states == {"failed", "retrying", "queued", "waiting", "completed", "running", "cancelled"}


def test_the_attempts_of_all_tasks_come_in_the_order_in_which_they_began(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 2, [(0, 1)])
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    worker.claim_one()

    attempts = call(db, "list_run_attempts", org_id=DEFAULT_ORG, run_id=run_id)

    assert [(row["task_id"], row["outcome"]) for row in attempts] == [(tasks[0], "completed"), (tasks[1], "running")]
    assert attempts[0]["ended_at"] is not None
    assert attempts[1]["ended_at"] is None


@pytest.mark.parametrize("function", ["get_run_graph", "list_run_attempts"])
def test_a_run_of_another_org_is_not_found_and_the_size_is_bounded(db: psycopg.Connection, function: str) -> None:
    run_id = start_one(db)

    with pytest.raises(NotFound):
        call(db, function, org_id=an_org(db, "other"), run_id=run_id)
    with pytest.raises(InvalidInput):
        call(db, function, org_id=DEFAULT_ORG, run_id=run_id, limit=100_000)
