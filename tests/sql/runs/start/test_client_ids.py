"""Runs whose ids clients make: a repeated id returns the first run, and nothing about ids of other orgs is revealed."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync, json_array
from tenuto.model.errors import Conflict, InvalidInput
from tests.support.database.loops import an_org, count, run, value
from tests.support.database.orgs import acting_for
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, drain, status


def a_task(db: Db, id: UUID, org_id: UUID = DEFAULT_ORG) -> dict[str, Any]:
    kinds, inputs = Jsonb([{"type": "app.work"}]), json_array([1])
    (row,) = call_sync(db, "start_run", org_id=org_id, run=Jsonb({"id": str(id)}), kinds=kinds, inputs=inputs)
    return row


def a_graph(db: Db, id: UUID, org_id: UUID = DEFAULT_ORG) -> dict[str, Any]:
    kinds, inputs = Jsonb([{"type": "app.work"}]), json_array([1, 2])
    (row,) = call_sync(db, "start_run", org_id=org_id, run=Jsonb({"id": str(id)}), kinds=kinds, inputs=inputs)
    return row


def an_open_run(db: Db, id: UUID, org_id: UUID = DEFAULT_ORG) -> dict[str, Any]:
    (row,) = call_sync(db, "open_run", org_id=org_id, run=Jsonb({"id": str(id)}))
    return row


Start = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("start", [a_task, a_graph, an_open_run])
def test_a_repeated_id_returns_the_first_run(db: psycopg.Connection, start: Start) -> None:
    id = uuid4()
    assert start(db, id) == {"run_id": id, "created": True}
    tasks = count(db, "tasks")
    assert start(db, id) == {"run_id": id, "created": False}
    assert (count(db, "tasks"), count(db, "runs"), count(db, "ready_tasks")) == (tasks, 1, tasks)


@pytest.mark.parametrize("start", [a_task, a_graph, an_open_run])
def test_the_id_of_another_org_is_not_revealed(db: psycopg.Connection, start: Start) -> None:
    other, id = an_org(db, "other"), uuid4()
    start(db, id, other)

    with pytest.raises(Conflict, match=f"the id {id} cannot be used"):
        start(db, id)
    assert run(db, id)["org_id"] == other
    assert count(db, "runs") == 1


@pytest.mark.parametrize("same_org", [True, False])
@pytest.mark.parametrize("start", [a_task, a_graph, an_open_run])
def test_the_id_of_a_task_of_another_run_is_refused_without_saying_whose(
    db: psycopg.Connection, start: Start, same_org: bool
) -> None:
    owner = DEFAULT_ORG if same_org else an_org(db, "other")
    a_graph(db, uuid4(), owner)
    task = value(db, "select id from tenuto.tasks limit 1")

    def as_server() -> None:
        with acting_for(db, DEFAULT_ORG):
            db.execute("set local role tenuto_api")
            start(db, task)

    with pytest.raises(Conflict, match=f"^the id {task} cannot be used; make another UUID$"):
        as_server()

    assert (count(db, "runs"), count(db, "tasks")) == (1, 2)


def test_one_task_with_an_id_is_a_single_task_run(db: psycopg.Connection) -> None:
    id = uuid4()
    a_task(db, id)
    drain(db, a_worker(db))

    assert status(db, id) == "completed"
    assert (run(db, id)["single_task"], run(db, id)["type"]) == (True, "app.work")


def test_an_id_that_is_no_uuid_is_refused(db: psycopg.Connection) -> None:
    with pytest.raises(InvalidInput, match="uuid"):
        call_sync(db, "open_run", org_id=DEFAULT_ORG, run=Jsonb({"id": "x"}))


@pytest.mark.parametrize("others", [0, 2])
def test_ids_of_bulk_starts_and_of_tasks_that_are_taken_are_refused_alike(db: psycopg.Connection, others: int) -> None:
    """They are inserted without a check, which would cost as much as the insert."""
    taken, other = uuid4(), an_org(db, "other")
    kinds = Jsonb([{"type": "app.work"}])
    ids = [taken, *(uuid4() for _ in range(others))]
    many = {"kinds": kinds, "inputs": json_array([1] * len(ids))}
    call_sync(db, "start_many", org_id=other, kinds=kinds, inputs=json_array([1]), ids=[taken])
    refused = f"^the id {taken} cannot be used; make another UUID$"

    for org_id in (DEFAULT_ORG, other):
        with pytest.raises(Conflict, match=refused):
            call_sync(db, "start_many", org_id=org_id, ids=ids, **many)
    inputs = json_array([1] * (len(ids) + 1))
    with pytest.raises(Conflict, match=refused):
        call_sync(db, "start_run", org_id=DEFAULT_ORG, run=Jsonb({}), kinds=kinds, inputs=inputs, ids=[*ids, uuid4()])
    with pytest.raises(Conflict, match=refused):
        call_sync(db, "start_many", org_id=DEFAULT_ORG, kinds=kinds, inputs=json_array([1, 2]), ids=[taken] * 2)

    assert (count(db, "runs"), count(db, "tasks")) == (1, 1)
