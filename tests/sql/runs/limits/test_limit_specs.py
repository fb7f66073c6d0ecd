"""Limits that no task could be held to are refused when the task is started."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.database.loops import count
from tests.support.database.tasks import a_worker, start, start_graph

GOOD = {"scope": "key", "key": "db", "size": 1}
BAD: dict[str, Any] = {
    "not a list": GOOD,
    "an empty list": [],
    "a text": "db",
    "a number": 3,
    "not an object": ["db"],
    "an unknown key": [{**GOOD, "sise": 1}],
    "no scope": [{"key": "db", "size": 1}],
    "an unknown scope": [{**GOOD, "scope": "worker"}],
    "no key": [{"scope": "key", "size": 1}],
    "an empty key": [{**GOOD, "key": ""}],
    "a key that is too long": [{**GOOD, "key": "x" * 1025}],
    "a key that is a number": [{**GOOD, "key": 5}],
    "no size": [{"scope": "key", "key": "db"}],
    "a size of zero": [{**GOOD, "size": 0}],
    "a negative size": [{**GOOD, "size": -1}],
    "a size that is too large": [{**GOOD, "size": 1_000_001}],
    "half a slot": [{**GOOD, "size": 1.5}],
    "a size with a point, which no integer column reads": [{**GOOD, "size": 3.0}],
    "a size in words": [{**GOOD, "size": "1"}],
    "no size at all": [{**GOOD, "size": None}],
    "the same limit twice": [GOOD, {**GOOD, "size": 2}],
    "more limits than a task may have": [{**GOOD, "key": f"db{no}"} for no in range(33)],
}


def nothing_was_written(db: psycopg.Connection) -> bool:
    return not any(count(db, table) for table in ("tasks", "runs", "limits", "waiting_tasks", "ready_tasks"))


@pytest.mark.parametrize("limits", BAD.values(), ids=BAD)
def test_bad_limits_are_refused_and_nothing_is_written(db: psycopg.Connection, limits: object) -> None:
    details = [{"task": 1, "limits": limits}]

    with pytest.raises(InvalidInput, match="limit"):
        start(db, 1, 2, details=Jsonb(details))
    with pytest.raises(InvalidInput, match="limit"):
        start_graph(db, 2, [(0, 1)], details=details)

    assert nothing_was_written(db)


def test_a_size_with_a_point_is_refused_beside_the_same_size_without(db: psycopg.Connection) -> None:
    details = [{"task": 0, "limits": [GOOD]}, {"task": 1, "limits": [{**GOOD, "size": 1.0}]}]

    with pytest.raises(InvalidInput, match="is not a whole number"):
        start(db, 1, 2, details=Jsonb(details))

    assert nothing_was_written(db)


def test_bad_limits_of_children_are_refused(db: psycopg.Connection) -> None:
    start(db)
    worker = a_worker(db)
    held = worker.claim_one()

    with pytest.raises(InvalidInput, match="limit"):
        worker.start_children(held, 1, details=Jsonb([{"task": 0, "limits": [{"key": "db"}]}]))

    assert count(db, "tasks") == 1
    assert worker.complete(held) == ["accepted"]


def test_no_limits_are_no_limits(db: psycopg.Connection) -> None:
    start(db, 1, details=Jsonb([{"task": 0, "limits": None}]))

    assert len(a_worker(db).claim()) == 1
