"""The size of a limit is the declared one: starts set it only where no worker declared the limit."""

from typing import Any

from tests.support.database.limits import a_key, a_queue, a_rate, admitted, start_limited
from tests.support.database.loops import value
from tests.support.database.tasks import Db, a_worker, call

SIZE = "select size from tenuto.limits where key = %s"


def declare(db: Db, *limits: dict[str, Any], queues: list[str] | None = None, queue: str = "default") -> None:
    worker = a_worker(db, f"of {queues}")
    db.execute("update tenuto.sessions set queues = %s where id = %s", [queues, worker.session_id])
    types = {f"app.{queue}": {"kind": {"queue": queue}, "limits": list(limits)}}
    call(db, "declare_types", **worker.fence, types=types)


def size_after_start(db: Db, limit: dict[str, Any]) -> int:
    start_limited(db, 1, limit)
    call(db, "follow_arrivals")
    return value(db, SIZE, limit["key"])


def test_a_start_does_not_change_the_size_of_a_declared_limit(db: Db) -> None:
    declare(db, a_key("db", 2), a_queue("default", 3), a_rate("api", 5, 1))

    assert size_after_start(db, a_key("db", 100)) == 2
    assert size_after_start(db, a_key("db", 1)) == 2
    assert size_after_start(db, a_queue("default", 100)) == 3
    assert size_after_start(db, a_rate("api", 100, 60)) == 5
    assert value(db, "select seconds from tenuto.limits where key = 'api'") == 1


def test_a_limit_of_each_value_is_declared_by_what_its_keys_begin_with(db: Db) -> None:
    each = {**a_key("app.work:customer=", 2), "parameter": "customer", "position": 0}
    declare(db, each, a_key("app.work:customer=vip", 9))

    assert size_after_start(db, a_key("app.work:customer=7", 100)) == 2
    assert size_after_start(db, a_key("app.work:customer=vip", 100)) == 9
    assert size_after_start(db, a_key("app.work:other=7", 100)) == 100


def test_a_new_declaration_resizes_what_is_there_and_lets_in_those_who_wait(db: Db) -> None:
    start_limited(db, 5, a_key("db", 1))
    call(db, "follow_arrivals")
    assert admitted(db, "db") == 1

    declare(db, a_key("db", 3))
    call(db, "follow_arrivals")
    assert admitted(db, "db") == 3

    declare(db, a_key("db", 2))
    assert value(db, SIZE, "db") == 2


def test_a_limit_that_was_removed_has_its_declared_size_again(db: Db) -> None:
    declare(db, a_key("db", 2))
    db.execute("delete from tenuto.limits")

    assert size_after_start(db, a_key("db", 100)) == 2


def test_a_worker_of_some_queues_resizes_no_limit_of_others(db: Db) -> None:
    declare(db, a_key("db", 2), a_queue("default", 3))

    mine = a_key("mine", 4), a_queue("mail", 5)
    declare(db, a_key("db", 100), a_queue("default", 100), *mine, queues=["mail"], queue="mail")

    sizes = [size_after_start(db, limit) for limit in (a_key("db", 7), a_queue("default", 7))]
    assert sizes == [2, 3]
    assert [size_after_start(db, {**limit, "size": 7}) for limit in mine] == [4, 5]
