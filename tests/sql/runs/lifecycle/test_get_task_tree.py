"""A task and everything its attempts started."""

from uuid import UUID, uuid4

import psycopg

from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start_one


def tree(db: psycopg.Connection, task_id: UUID, org_id: UUID = DEFAULT_ORG) -> list[tuple[UUID, int, str]]:
    rows = call(db, "get_task_tree", org_id=org_id, task_id=task_id)
    return [(row["id"], row["depth"], row["status"]) for row in rows]


def test_a_tree_lists_parents_before_their_children(db: psycopg.Connection) -> None:
    root = start_one(db)
    worker = a_worker(db)
    parent = worker.claim_one()
    first, second = worker.start_children(parent, "a", "b")
    child = worker.claim_one()
    (grandchild,) = worker.start_children(child, "c")
    worker.complete(child)

    expected = [(root, 0, "running"), (first, 1, "completed"), (grandchild, 2, "queued"), (second, 1, "queued")]
    assert tree(db, root) == expected
    assert tree(db, first) == [(first, 0, "completed"), (grandchild, 1, "queued")]


def test_a_task_without_children_is_its_own_tree(db: psycopg.Connection) -> None:
    task_id = start_one(db)

    assert tree(db, task_id) == [(task_id, 0, "queued")]


def test_there_is_no_tree_of_what_is_not_there_or_of_another_org(db: psycopg.Connection) -> None:
    task_id = start_one(db)

    assert tree(db, uuid4()) == []
    assert tree(db, task_id, an_org(db, "other")) == []
