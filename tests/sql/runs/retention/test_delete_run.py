"""A final run goes with everything that belongs to it, and nothing else."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, NotFound
from tests.support.database.loops import an_org, cancel_run, count, fenced, run, settle
from tests.support.database.orgs import note_an_input
from tests.support.database.references import count_references, ids_of
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start_graph, start_one


def a_run_with_everything(db: psycopg.Connection, key: str) -> UUID:
    """Data, steps, logs, signals, children, slots, objects, limits, a dedupe key: all that a run can have."""
    worker = a_worker(db, key)
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    limits = [{"scope": "key", "key": key, "size": 1}]
    details: list[dict[str, Any]] = [
        {"task": 0, "outputs": ["int"], "limits": limits},
        {"task": 1, "slots": [{"type": "int", "task": 0, "output": 0}, {"object": str(thing)}]},
    ]
    about = {"name": "all", "dedupe_key": key, "outputs": [{"task": 1}]}
    run_id, _ = start_graph(db, 2, details=details, run=about)
    call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values={"k": 1})
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=thing, holder="run", holder_id=run_id)
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=run_id, name="go")
    held = worker.claim_one()
    call(db, "take_signal", **fenced(worker, held, step_no=1, name="go"))
    line = {"task_id": str(held.task_id), "attempt": 1, "line_no": 1, "message": "hello"}
    call(db, "write_logs", **worker.fence, lines=Jsonb([line]))
    (child,) = worker.start_children(held, 1)
    note_an_input(db, DEFAULT_ORG, held.task_id)
    worker.wait(held, **{"for": "children", "tasks": [str(child)]})
    drain(db, worker)
    settle(db)
    assert run(db, run_id)["status"] == "completed"
    return run_id


def test_everything_of_it_is_gone_in_every_table(db: psycopg.Connection) -> None:
    run_id = a_run_with_everything(db, "first")
    ids = ids_of(db, run_id)
    before = count_references(db, ids)
    assert {"runs", "tasks", "task_attempts", "task_dependencies", "task_slots", "run_slots", "task_logs",
            "task_steps", "task_inputs", "signals", "run_data", "data_references", "dedupe_keys",
            "task_parents"} <= set(before)  # fmt: skip

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)

    assert count_references(db, ids) == {}
    assert run(db, run_id) == {}


def test_other_runs_are_untouched(db: psycopg.Connection) -> None:
    first = a_run_with_everything(db, "first")
    second = a_run_with_everything(db, "second")
    ids = ids_of(db, second)
    before = count_references(db, ids)

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=first)

    assert count_references(db, ids) == before
    assert run(db, second)["status"] == "completed"


def test_the_dedupe_key_is_free_again(db: psycopg.Connection) -> None:
    first = start_one(db, dedupe_keys=["k"])
    drain(db, a_worker(db))
    assert start_one(db, dedupe_keys=["k"]) == first

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=first)

    assert start_one(db, dedupe_keys=["k"]) != first


def test_the_objects_it_held_can_be_collected(db: psycopg.Connection) -> None:
    run_id = a_run_with_everything(db, "first")
    assert call(db, "collect_objects", keep="-1 second") == []

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)

    assert len(call(db, "collect_objects", keep="-1 second")) == 1


@pytest.mark.parametrize("size", [1, 2])
def test_a_cancelled_run_can_be_deleted_and_leaves_no_request(db: psycopg.Connection, size: int) -> None:
    run_id, tasks = start_graph(db, size)
    cancel_run(db, run_id)
    settle(db)

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)

    assert count_references(db, [run_id, *tasks]) == {}


def test_only_a_final_run_can_be_deleted(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db)
    for state in ("pending", "running"):
        assert run(db, run_id)["status"] == state
        with pytest.raises(Conflict, match=f"is {state}, not final"):
            call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
        worker.claim_one()

    assert count(db, "tasks") == 2


def test_a_run_that_is_gone_or_another_orgs_is_not_found(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    drain(db, a_worker(db))
    with pytest.raises(NotFound):
        call(db, "delete_run", org_id=an_org(db, "other"), run_id=run_id)
    with pytest.raises(NotFound):
        call(db, "delete_run", org_id=DEFAULT_ORG, run_id=uuid4())

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
    with pytest.raises(NotFound):
        call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
