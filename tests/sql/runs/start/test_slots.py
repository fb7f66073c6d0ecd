"""Ordered, typed inputs and outputs: of tasks and of runs."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.starts import rows_written, start_run
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, call, run_status, start_graph


def output(db: Db, run_id: UUID) -> Any:
    run_status(db, run_id)
    row = db.execute("select output from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row
    return row[0]


def complete_all(worker: Worker, results: dict[UUID, Any]) -> dict[UUID, Claim]:
    """Run everything; `results` says what each task answers. Answers the claims."""
    claims: dict[UUID, Claim] = {}
    while batch := worker.claim(50):
        claims |= {claim.task_id: claim for claim in batch}
        worker.complete(*batch, outputs=[results.get(claim.task_id) for claim in batch])
    return claims


def test_values_and_outputs_flow_into_the_slots_by_position(db: Db, worker: Worker) -> None:
    details = [
        {"task": 0, "outputs": ["int", "text"]},
        {
            "task": 1,
            "slots": [
                {"type": "text", "task": 0, "output": 1},
                {"type": "int", "value": 7},
                {"type": "int", "task": 0, "output": 0},
                {"task": 0},
                {"value": None},
                {},
            ],
        },
    ]
    _, (first, second) = start_graph(db, 2, details=details)

    claims = complete_all(worker, {first: [5, "five"]})

    assert claims[first].slots is None
    assert claims[second].slots == ["five", 7, 5, [5, "five"], None, None]


def test_data_that_flows_is_a_dependency(db: Db, worker: Worker) -> None:
    _, (first, second) = start_graph(db, 2, details=[{"task": 1, "slots": [{"task": 0}]}])

    assert [claim.task_id for claim in worker.claim(5)] == [first]
    assert db.execute("select child_id, runs_on from tenuto.task_dependencies").fetchall() == [(second, "completed")]


def test_an_edge_that_is_given_says_how_data_flows_through_it(db: Db, worker: Worker) -> None:
    _, (_, second) = start_graph(db, 2, [(0, 1, "continue")], details=[{"task": 1, "slots": [{"task": 0}]}])
    worker.fail(worker.claim_one(), final=True)

    claim = worker.claim_one()

    assert (claim.task_id, claim.slots) == (second, [None])


def test_data_objects_are_handed_over_by_name_and_kept_for_the_task(db: Db, worker: Worker) -> None:
    data = call(db, "put_object", org_id=DEFAULT_ORG, type="file", uri="s3://x")
    start_run(db, details=[{"task": 0, "slots": [{"type": "file", "object": str(data)}]}])

    assert worker.claim_one().slots == [{"$object": str(data)}]
    assert rows_written(db)["data_references"] == 1


@pytest.mark.parametrize(
    ("slot", "named"),
    [
        ({"type": "text", "task": 0, "output": 0}, "takes text, but output 0"),
        ({"type": "int", "task": 0, "output": 1}, "not declared"),
        ({"type": "int", "task": 2, "output": 0}, "edge from task 2"),
        ({"type": "int", "task": 1, "output": 0}, "edge from task 1"),
        ({"type": "int", "task": -1}, "edge from task -1"),
        ({"type": "int", "task": 0, "output": -1}, "position_is_not_negative|not declared"),
        ({"type": "int", "output": 0}, "task 1: slots"),
        ({"value": 1, "task": 0}, "task 1: slots"),
        ({"value": 1, "object": "00000000-0000-7000-8000-000000000009"}, "task 1: slots"),
        ({"vlaue": 1}, "task 1: slots"),
        ({"task": "first"}, "first"),
        ({"object": "nothing"}, "nothing"),
        (3, "task 1: slots"),
        (None, "task 1: slots"),
    ],
    ids=str,
)
def test_a_slot_that_does_not_fit_is_named_and_nothing_is_written(db: Db, slot: Any, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        start_run(db, 3, details=[{"task": 0, "outputs": ["int"]}, {"task": 1, "slots": [slot]}])

    assert rows_written(db) == {}


@pytest.mark.parametrize("details", [{"slots": {}}, {"slots": "x"}, {"outputs": "int"}, {"outputs": [None]}], ids=str)
def test_slots_and_outputs_of_a_wrong_shape_are_refused(db: Db, details: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        start_run(db, 2, details=[{"task": 0, **details}])

    assert rows_written(db) == {}


def test_an_object_that_is_not_there_or_another_orgs_is_not_found(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    theirs = call(db, "put_object", org_id=other, type="file", uri="s3://x")

    for wrong in (uuid4(), theirs):
        with pytest.raises(NotFound, match=str(wrong)):
            start_run(db, details=[{"task": 0, "slots": [{"object": str(wrong)}]}])

    assert rows_written(db) == {}


def test_any_fits_every_type(db: Db, worker: Worker) -> None:
    details = [{"task": 0, "outputs": ["any"]}, {"task": 1, "slots": [{"type": "int", "task": 0, "output": 0}]}]

    start_graph(db, 2, details=details)

    assert len(complete_all(worker, {})) == 2


def test_the_single_tasks_output_is_the_runs(db: Db, worker: Worker) -> None:
    run_id, _ = start_run(db)

    complete_all(worker, {run_id: {"sum": 3}})

    assert output(db, run_id) == {"sum": 3}


def test_without_declared_outputs_the_sinks_are_the_output_in_order(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 4, [(0, 1), (0, 2), (0, 3)])

    complete_all(worker, {task_id: number for number, task_id in enumerate(tasks)})

    assert output(db, run_id) == [1, 2, 3]


def test_one_sink_is_the_output_itself(db: Db, worker: Worker) -> None:
    run_id, tasks = start_graph(db, 3, [(0, 2), (1, 2)])

    complete_all(worker, {tasks[2]: ["both"]})

    assert output(db, run_id) == ["both"]


def test_declared_outputs_are_the_output_by_position(db: Db, worker: Worker) -> None:
    outputs = [{"task": 1, "output": 1, "type": "text"}, {"task": 0}, {"task": 1, "output": 0}]
    details = [{"task": 1, "outputs": ["int", "text"]}]
    run_id, tasks = start_graph(db, 3, run={"name": "g", "outputs": outputs}, details=details)

    complete_all(worker, {tasks[0]: "zero", tasks[1]: [1, "one"], tasks[2]: "not declared"})

    assert output(db, run_id) == ["one", "zero", 1]


def test_what_did_not_complete_leaves_its_place_in_the_outputs_empty(db: Db, worker: Worker) -> None:
    run_id, _ = start_graph(db, 2, run={"outputs": [{"task": 0}, {"task": 1}]})
    one, two = sorted(worker.claim(2), key=lambda claim: claim.input)
    worker.fail(one, final=True)
    worker.complete(two, outputs=["two"])

    assert output(db, run_id) == [None, "two"]
