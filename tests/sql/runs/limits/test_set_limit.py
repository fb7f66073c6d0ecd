"""Sizes of limits that people set: they last over declarations, deploys and starts, until they are reset."""

from typing import Any

import psycopg
import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.events import a_reader, commit, readers, route
from tests.support.database.jobs import deployed
from tests.support.database.limits import a_key, a_queue, admitted, start_limited
from tests.support.database.loops import an_org, value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def set_size(db: Db, size: int, key: str = "db", scope: str = "key") -> None:
    call(db, "set_limit", org_id=DEFAULT_ORG, scope=scope, key=key, size=size)
    call(db, "follow_arrivals")


def reset(db: Db, key: str = "db", scope: str = "key") -> None:
    call(db, "reset_limit", org_id=DEFAULT_ORG, scope=scope, key=key)
    call(db, "follow_arrivals")


def start_more(db: Db, tasks: int, limit: dict[str, Any]) -> None:
    start_limited(db, tasks, limit)
    call(db, "follow_arrivals")


def shown(db: Db, key: str = "db", scope: str = "key") -> tuple[int, bool]:
    (row,) = call(db, "get_limit", org_id=DEFAULT_ORG, scope=scope, key=key)
    assert row in call(db, "list_limits", org_id=DEFAULT_ORG)
    return row["size"], row["overridden"]


def declare(db: Db, size: int) -> None:
    types = {"app.work": {"limits": [a_key("db", size)]}}
    call(db, "declare_types", **a_worker(db).fence, types=types)


def test_a_larger_size_admits_waiting_tasks_at_once_and_a_start_does_not_change_it(db: Db):
    start_more(db, 4, a_key("db", 1))
    assert (admitted(db, "db"), shown(db)) == (1, (1, False))

    set_size(db, 3)

    assert (admitted(db, "db"), shown(db)) == (3, (3, True))
    start_more(db, 1, a_key("db", 10))
    assert (admitted(db, "db"), shown(db)) == (3, (3, True))


def test_a_size_that_is_set_wins_over_declarations_until_it_is_reset(db: Db):
    declare(db, 2)
    start_more(db, 5, a_key("db", 2))
    set_size(db, 4)
    declare(db, 1)
    assert shown(db) == (4, True)

    reset(db)

    assert shown(db) == (1, False)


def test_after_a_reset_the_next_start_sets_the_size_of_a_limit_that_nobody_declares(db: Db):
    start_more(db, 1, a_key("db", 2))
    set_size(db, 4)
    reset(db)
    assert shown(db) == (4, False)

    start_more(db, 1, a_key("db", 2))

    assert shown(db) == (2, False)


def test_a_size_can_be_set_before_the_first_task(db: Db):
    set_size(db, 2, "default", "queue")
    set_size(db, 3, "default", "queue")

    start_more(db, 5, a_queue("default", 1))

    assert (admitted(db, "default"), shown(db, "default", "queue")) == (3, (3, True))


def test_the_limit_of_a_job_lasts_over_deploys(db: Db):
    def a_job(size: int) -> dict[str, Any]:
        return readers(a_reader(scaling={"max_concurrency": size}))

    deployed(db, a_job(1))
    key = f"job:{value(db, 'select job_key from tenuto.jobs where name = %s', 'daily')}"
    worker = a_worker(db)
    commit(worker, "mon", "tue", "wed")
    route(db)
    call(db, "follow_arrivals")
    assert admitted(db, key) == 1
    set_size(db, 2, key)
    assert admitted(db, key) == 2

    deployed(db, a_job(3), expected=1)
    commit(worker, "thu")
    route(db)
    call(db, "follow_arrivals")

    assert (admitted(db, key), shown(db, key)) == (2, (2, True))
    reset(db, key)
    commit(worker, "fri")
    route(db)
    call(db, "follow_arrivals")
    assert (admitted(db, key), shown(db, key)) == (3, (3, False))


def test_a_job_without_a_limit_gets_one(db: Db):
    deployed(db, readers(a_reader()))
    key = f"job:{value(db, 'select job_key from tenuto.jobs where name = %s', 'daily')}"
    set_size(db, 1, key)

    commit(a_worker(db), "mon", "tue")
    route(db)
    call(db, "follow_arrivals")

    assert admitted(db, key) == 1


def test_nobody_waits_for_an_open_transaction_that_sets_a_size(db: Db, database: str):
    start_more(db, 3, a_key("db", 1))
    db.execute("set lock_timeout = '50ms'")
    with psycopg.connect(database) as client:
        call(client, "set_limit", org_id=DEFAULT_ORG, scope="key", key="db", size=2)
        start_more(db, 1, a_key("db", 1))
        declare(db, 1)
        assert (admitted(db, "db"), shown(db)) == (1, (1, False))

    call(db, "follow_arrivals")
    assert (admitted(db, "db"), shown(db)) == (2, (2, True))


@pytest.mark.parametrize(
    ("scope", "key", "size", "problem"),
    [
        ("rate", "db", 1, "a rate cannot be set"),
        ("speed", "db", 1, "is not key, queue or rate"),
        ("key", "", 1, "not a text of 1 to 1024 bytes"),
        ("key", "db", 0, "not a whole number"),
        ("key", "db", 1_000_001, "not a whole number"),
    ],
)
def test_a_wrong_size_or_limit_is_refused(db: Db, scope: str, key: str, size: int, problem: str):
    with pytest.raises(InvalidInput, match=problem):
        call(db, "set_limit", org_id=DEFAULT_ORG, scope=scope, key=key, size=size)


def test_only_a_size_of_the_own_org_can_be_reset(db: Db):
    call(db, "set_limit", org_id=an_org(db, "acme"), scope="key", key="db", size=1)

    with pytest.raises(NotFound, match="has no override"):
        reset(db)
    start_more(db, 2, a_key("db", 2))
    assert (admitted(db, "db"), shown(db)) == (2, (2, False))
