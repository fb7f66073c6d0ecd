"""Ordered, typed inputs and outputs: values, objects and other tasks' outputs."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.kernel import Claim, a_worker, start_graph
from tests.support.loops import by_input, count, run, settle


def test_values_come_in_their_order(db: psycopg.Connection) -> None:
    values: list[Any] = [3, "two", None, {"a": [1]}, False]
    start_graph(db, 1, details=[{"task": 0, "slots": [{"type": "any", "value": value} for value in values]}])

    assert a_worker(db).claim_one().slots == values


def test_a_task_without_slots_has_none(db: psycopg.Connection) -> None:
    start_graph(db, 1)

    assert a_worker(db).claim_one().slots is None


def test_outputs_flow_by_position(db: psycopg.Connection) -> None:
    details = [
        {"task": 0, "outputs": ["int", "text"]},
        {"task": 1, "outputs": ["int"]},
        {
            "task": 2,
            "slots": [
                {"type": "text", "task": 0, "output": 1},
                {"type": "int", "value": 9},
                {"type": "int", "task": 1, "output": 0},
                {"type": "int", "task": 0, "output": 0},
                {"task": 0},
            ],
        },
    ]
    start_graph(db, 3, details=details)
    worker = a_worker(db)
    claims = by_input(worker.claim(5))
    worker.complete(claims[0], claims[1], outputs=[[1, "one"], [2]])

    assert worker.claim_one().slots == ["one", 9, 2, 1, [1, "one"]]


def test_a_task_waits_for_whatever_flows_into_it(db: psycopg.Connection) -> None:
    details = [{"task": i, "outputs": ["int"]} for i in range(2)]
    slots = [{"type": "int", "task": i, "output": 0} for i in range(2)]
    start_graph(db, 3, details=[*details, {"task": 2, "slots": slots}])
    worker = a_worker(db)
    claims: list[Claim] = worker.claim(5)
    assert len(claims) == 2
    worker.complete(claims[0], outputs=[[1]])
    assert worker.claim() == []

    worker.complete(claims[1], outputs=[[2]])

    assert sorted(worker.claim_one().slots) == [1, 2]


def test_an_edge_that_is_also_named_keeps_its_own_meaning(db: psycopg.Connection) -> None:
    details = [{"task": 0, "outputs": ["int"]}, {"task": 1, "slots": [{"type": "int", "task": 0, "output": 0}]}]
    start_graph(db, 2, [(0, 1, "continue")], details=details)
    worker = a_worker(db)
    worker.fail(worker.claim_one(), final=True)

    assert worker.claim_one().slots == [None]


def test_an_output_that_was_not_delivered_is_null(db: psycopg.Connection) -> None:
    details = [{"task": 0, "outputs": ["int", "int"]}, {"task": 1, "slots": [{"task": 0, "output": 1}]}]
    start_graph(db, 2, details=details)
    worker = a_worker(db)
    worker.complete(worker.claim_one(), outputs=[[1]])

    assert worker.claim_one().slots == [None]


@pytest.mark.parametrize(
    ("taken", "given"), [("int", "int"), ("any", "int"), ("int", "any")], ids=["same", "takes any", "gives any"]
)
def test_types_that_agree_are_accepted(db: psycopg.Connection, taken: str, given: str) -> None:
    details = [{"task": 0, "outputs": [given]}, {"task": 1, "slots": [{"type": taken, "task": 0, "output": 0}]}]

    start_graph(db, 2, details=details)

    assert count(db, "tasks") == 2


@pytest.mark.parametrize(
    ("slot", "message"),
    [
        ({"type": "text", "task": 0, "output": 0}, "takes text, but output 0 of task .* is int"),
        ({"type": "int", "task": 0, "output": 1}, "not declared"),
        ({"type": "int", "task": 1, "output": 0}, "edge from task 1 to task 1"),
        ({"type": "int", "task": 2, "output": 0}, "edge from task 2 to task 1"),
        ({"type": "int", "task": -1, "output": 0}, "edge from task -1"),
    ],
    ids=["another type", "no such output", "itself", "a later task", "no such task"],
)
def test_flows_that_cannot_be_are_refused_and_nothing_is_written(
    db: psycopg.Connection, slot: dict[str, Any], message: str
) -> None:
    details = [{"task": 0, "outputs": ["int"]}, {"task": 1, "outputs": ["int"], "slots": [slot]}]

    with pytest.raises(InvalidInput, match=message):
        start_graph(db, 3, details=details)

    assert (count(db, "tasks"), count(db, "task_slots"), count(db, "runs")) == (0, 0, 0)


def test_children_have_slots_too(db: psycopg.Connection) -> None:
    start_graph(db, 1)
    worker = a_worker(db)
    parent = worker.claim_one()
    details = [{"task": 0, "outputs": ["int"]}, {"task": 1, "slots": [{"type": "int", "task": 0, "output": 0}]}]
    worker.start_children(parent, "a", "b", details=Jsonb(details))
    worker.complete(worker.claim_one(), outputs=[[5]])

    assert worker.claim_one().slots == [5]


def test_a_run_gives_its_declared_outputs_by_position(db: psycopg.Connection) -> None:
    outputs = [{"type": "int", "task": 0, "output": 1}, {"type": "any", "task": 0}]
    run_id, _ = start_graph(
        db, 1, details=[{"task": 0, "outputs": ["int", "int"]}], run={"name": "r", "outputs": outputs}
    )
    worker = a_worker(db)
    worker.complete(worker.claim_one(), outputs=[[1, 2]])
    settle(db)

    assert run(db, run_id)["output"] == [2, [1, 2]]
