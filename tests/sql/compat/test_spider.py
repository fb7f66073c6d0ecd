"""The tables of Spider as views: a job with data flow, as a client of Spider reads it."""

import json
from typing import Any
from uuid import UUID

import pytest

from tests.support.clock import Clock
from tests.support.database.compat import refused, rows
from tests.support.database.loops import settle
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph, start_one, status

S = "tenuto_compat_spider"


def read(db: Db, view: str, where: str = "true", *params: object) -> list[dict[str, Any]]:
    return rows(db, f"select * from {S}.{view} where {where}", *params)


def a_job(db: Db) -> tuple[UUID, list[UUID]]:
    """Two tasks with a value and a data object, and a third one that takes the outputs of both."""
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"bytes")
    details = [
        {"task": 0, "slots": [{"type": "int", "value": 1}], "outputs": ["int"]},
        {"task": 1, "slots": [{"type": "blob", "object": str(thing)}], "outputs": ["int"]},
        {"task": 2, "slots": [{"type": "int", "task": 0}, {"type": "int", "task": 1}], "outputs": ["int"]},
    ]
    return start_graph(
        db, 3, [(0, 2), (1, 2)], details=details, kinds=[{"type": "calc.add", "language": "cpp", "max_attempts": 1}]
    )


def test_a_job_runs_as_its_tasks_show(db: Db, clock: Clock) -> None:
    job_id, (first, second, last) = a_job(db)
    (job,) = read(db, "jobs")
    (group,) = read(db, "resource_groups", "id = %s", job["resource_group_id"])
    assert (job["id"], job["state"], job["max_num_retries"], job["num_retries"]) == (job_id, "RUNNING", 0, 0)
    assert group["external_id"] == "default"

    worker = a_worker(db, languages=["cpp"])
    one, two = worker.claim(2)
    worker.complete(one, outputs=[3])
    states = {task["id"]: task for task in read(db, "tasks")}
    assert [states[task]["state"] for task in (first, second, last)] == ["SUCCEEDED", "RUNNING", "PENDING"]
    assert (states[last]["num_parents"], states[last]["num_succeeded_parents"]) == (2, 1)
    assert (states[first]["func_name"], states[first]["language"], states[first]["num_retries"]) == (
        "calc.add",
        "CPP",
        0,
    )
    worker.complete(two, outputs=[7])
    worker.complete(worker.claim_one(), outputs=[10])
    settle(db)

    assert [row["state"] for row in read(db, "jobs")] == ["SUCCEEDED"]
    (instance,) = read(db, "task_instances", "task_id = %s", last)
    assert read(db, "tasks", "id = %s", last)[0]["instance_id"] == instance["id"]
    assert instance["start_time"] == clock.now


def test_inputs_outputs_and_dependencies_have_positions(db: Db) -> None:
    job_id, (first, second, last) = a_job(db)
    worker = a_worker(db, languages=["cpp"])
    one, two = worker.claim(2)
    worker.complete(one, outputs=[3])
    worker.complete(two, outputs=[7])

    edges = {(row["parent"], row["child"], row["position"]) for row in read(db, "task_dependencies")}
    assert edges == {(first, last, 0), (second, last, 1)}
    assert {row["parent"] for row in read(db, "complete_task_dependencies")} == {first, second}
    ordered = f"select task_id from {S}.input_tasks where job_id = %s order by position"
    assert [row["task_id"] for row in rows(db, ordered, job_id)] == [first, second]
    assert [(row["task_id"], row["position"]) for row in read(db, "output_tasks")] == [(last, 0)]

    (plain,) = read(db, "task_inputs", "task_id = %s", first)
    (value,) = read(db, "value", "id = %s", plain["value_id"])
    assert (plain["type"], bytes(value["type"]), json.loads(bytes(value["payload"]))) == ("VALUE", b"int", 1)
    (thing,) = read(db, "task_inputs", "task_id = %s", second)
    (data,) = read(db, "data", "id = %s", thing["data_id"])
    assert (thing["type"], thing["value_id"], bytes(data["payload"])) == ("DATA", None, b"bytes")
    (output,) = read(db, "task_outputs", "task_id = %s", second)
    (value,) = read(db, "value", "id = %s", output["value_id"])
    assert (value["job_id"], bytes(value["payload"])) == (job_id, b"7")
    taken = sorted(
        (row["position"], row["value_id"] is not None) for row in read(db, "task_inputs", "task_id = %s", last)
    )
    assert taken == [(0, True), (1, True)]


def test_every_attempt_is_an_instance_with_an_id_of_its_own(db: Db) -> None:
    (task_id,) = start(db, 5, kind={"backoff_seconds": 0, "max_attempts": 2})
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    call(db, "promote_due")
    assert read(db, "tasks", "id = %s", task_id)[0]["state"] == "READY"
    running = worker.claim_one()

    before = {row["id"] for row in read(db, "task_instances", "task_id = %s", task_id)}
    worker.complete(running, outputs=[None])

    after = {row["id"] for row in read(db, "task_instances", "task_id = %s", task_id)}
    assert (len(before), after) == (2, before)
    (task,) = read(db, "tasks", "id = %s", task_id)
    assert task["instance_id"] in after
    assert (task["max_num_retries"], task["num_retries"]) == (1, 1)


def test_workers_schedulers_and_references_are_shown(db: Db) -> None:
    a_worker(db, "one")
    a_worker(db, "two")
    db.execute("select tenuto.beat_dispatcher(gen_random_uuid(), 'node-1', 7000)")
    run_id = start_one(db)
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    call(db, "place_object", org_id=DEFAULT_ORG, object_id=thing, addresses=["node-1"])
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=thing, holder="run", holder_id=run_id)

    assert len({row["id"] for row in read(db, "workers")}) == 2
    assert [(row["address"], row["port"]) for row in read(db, "schedulers")] == [("node-1", 7000)]
    assert read(db, "data_locality") == [{"id": thing, "address": "node-1"}]
    assert read(db, "job_to_data_ref") == [{"id": thing, "job_id": run_id}]
    assert read(db, "resource_group_to_data_ref") == []


def test_setting_the_state_to_cancelled_cancels(db: Db) -> None:
    job_id, tasks = a_job(db)
    single = start_one(db)

    db.execute("update tenuto_compat_spider.tasks set state = 'CANCELLED' where id = %s", [single])
    db.execute("update tenuto_compat_spider.jobs set state = 'CANCELLED' where id = %s", [job_id])
    settle(db)

    assert [status(db, task) for task in (single, *tasks)] == ["cancelled"] * 4
    assert {row["state"] for row in read(db, "jobs")} == {"CANCELLED"}


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("update tenuto_compat_spider.jobs set state = 'SUCCEEDED'", "can only set the state to CANCELLED"),
        ("insert into tenuto_compat_spider.jobs (id) values (null)", "tenuto.start_run"),
        ("delete from tenuto_compat_spider.tasks", "tenuto.start_run"),
        ("insert into tenuto_compat_spider.data (payload) values ('x')", "tenuto.put_object"),
        ("insert into tenuto_compat_spider.resource_groups (external_id) values ('x')", "tenuto.set_resource_group"),
    ],
)
def test_other_writes_are_refused_with_the_function_to_use(db: Db, statement: str, hint: str) -> None:
    a_job(db)

    with refused("TN003", hint):
        db.execute(statement.encode())
