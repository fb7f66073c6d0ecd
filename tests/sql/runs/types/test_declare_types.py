"""What workers say of their types: starts that name only the type are as if the app had been at hand."""

from typing import Any
from uuid import uuid4

import pytest
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import json_array
from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

KIND = {"queue": "mail", "priority": 7, "max_attempts": 9, "timeout_seconds": 30, "backoff_seconds": 5}


def declare(db: Db, types: dict[str, Any], *, name: str = "w") -> None:
    call(db, "declare_types", **a_worker(db, name).fence, types=types)


def start(db: Db, kind: dict[str, Any], input: object = None, **more: Any) -> dict[str, Any]:
    asked = {"kinds": Jsonb([kind]), "inputs": json_array([input]), **more}
    (row,) = call(db, "start_many", org_id=DEFAULT_ORG, **asked)
    return task(db, row["run_id"])


def task(db: Db, task_id: object) -> dict[str, Any]:
    cursor = db.cursor(row_factory=dict_row)
    found = cursor.execute(
        "select t.*, r.queue from tenuto.tasks t join tenuto.routes r on r.id = t.route_id where t.id = %s", [task_id]
    )
    row = found.fetchone()
    assert row is not None
    return row


def keys(row: dict[str, Any]) -> list[str]:
    return [limit["key"] for limit in row["limits"] or ()]


def test_a_start_that_inherits_has_the_options_that_a_worker_declared(db: Db) -> None:
    declare(db, {"shop.send": {"kind": KIND}})

    plain, inherited = start(db, {"type": "shop.send"}), start(db, {"type": "shop.send", "inherit": True})

    told = ("queue", "priority", "max_attempts", "timeout_seconds", "backoff_seconds")
    assert [plain[name] for name in told] == ["default", 0, 3, None, 2]
    assert [inherited[name] for name in told] == ["mail", 7, 9, 30, 5]


def test_what_a_start_says_comes_first_even_where_it_says_the_default(db: Db) -> None:
    declare(db, {"shop.send": {"kind": KIND}})

    row = start(db, {"type": "shop.send", "inherit": True, "priority": 0, "queue": "default"})

    assert (row["priority"], row["queue"], row["max_attempts"]) == (0, "default", 9)


def test_the_newest_word_counts_and_a_type_that_nobody_declared_is_as_the_kernel_has_it(db: Db) -> None:
    declare(db, {"shop.send": {"kind": KIND}})
    declare(db, {"shop.send": {"kind": {"max_attempts": 2}}}, name="newer")

    assert start(db, {"type": "shop.send", "inherit": True})["max_attempts"] == 2
    assert start(db, {"type": "shop.other", "inherit": True})["max_attempts"] == 3


def test_limits_of_a_type_hold_its_tasks_by_the_value_of_their_parameter(db: Db) -> None:
    each = {"scope": "key", "key": "shop.send:to=", "size": 2, "parameter": "to", "position": 1, "default": "nobody"}
    declare(db, {"shop.send": {"limits": [{"scope": "queue", "key": "mail", "size": 3}, each]}})
    inherit = {"type": "shop.send", "inherit": True}

    assert keys(start(db, inherit, {"to": "ada"})) == ["shop.send:to=ada"]
    assert keys(start(db, inherit, ["hi", 7])) == ["shop.send:to=7"]
    assert keys(start(db, inherit, {})) == ["shop.send:to=nobody"]
    assert keys(start(db, {**inherit, "queue": "mail"}, {"to": "ada"})) == ["mail", "shop.send:to=ada"]
    own = [{"task": 0, "limits": [{"scope": "key", "key": "mine", "size": 1}]}]
    assert keys(start(db, inherit, {"to": "ada"}, details=Jsonb(own))) == ["mine"]
    (sized,) = start(db, inherit, {"to": "x" * 300})["limits"]
    assert (sized["size"], sized["key"][:20]) == (2, "shop.send:to=sha256:")


def test_graphs_and_children_inherit_too(db: Db) -> None:
    worker = a_worker(db)
    each = {"scope": "key", "key": "shop.send:to=", "size": 2, "parameter": "to", "position": 0}
    types = {"shop.send": {"kind": {"max_attempts": 9}, "limits": [each]}}
    call(db, "declare_types", **worker.fence, types=types)
    kinds = Jsonb([{"type": "app.parent"}, {"type": "shop.send", "inherit": True}])

    asked = {"run": {}, "kinds": kinds, "inputs": json_array([None, ["ada"]]), "task_kinds": [0, 1]}
    (run,) = call(db, "start_run", org_id=DEFAULT_ORG, **asked, details=Jsonb([{"task": 1, "name": "second"}]))
    parent = worker.claim_one()
    (child,) = worker.start_children(parent, ["bob"], kinds=Jsonb([{"type": "shop.send", "inherit": True}]))

    sent = db.execute("select id from tenuto.tasks where run_id = %s and name = 'second'", [run["run_id"]]).fetchone()
    assert sent is not None
    assert (keys(task(db, sent[0])), task(db, sent[0])["max_attempts"]) == (["shop.send:to=ada"], 9)
    assert (keys(task(db, child)), task(db, child)["max_attempts"]) == (["shop.send:to=bob"], 9)


def test_a_limit_by_what_another_task_gives_is_refused(db: Db) -> None:
    each = {"scope": "key", "key": "shop.send:to=", "size": 2, "parameter": "to", "position": 0}
    declare(db, {"shop.send": {"limits": [each]}})

    with pytest.raises(InvalidInput, match="per value of to, which is the output of another task"):
        start(db, {"type": "shop.send", "inherit": True}, [{"$slot": 0}])


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": {"max_attempts": 0}},
        {"kind": {"colour": "red"}},
        {"kinds": {}},
        {"limits": [{"scope": "key", "key": "a", "size": 0}]},
        {"limits": {}},
        {"limits": [{"scope": "key", "key": "a", "size": 1, "parameter": 7}]},
    ],
)
def test_what_no_task_could_be_is_refused_when_it_is_declared(db: Db, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        declare(db, {"shop.send": wrong})


def test_a_session_that_is_not_there_declares_nothing(db: Db) -> None:
    with pytest.raises(NotFound):
        call(db, "declare_types", session_id=4711, token=uuid4(), types={"shop.send": {}})


def test_a_session_of_some_queues_leads_no_type_to_them_that_others_declared(db: Db) -> None:
    declare(db, {"shop.pay": {"kind": {"queue": "pay"}}})
    limited = a_worker(db, "limited")
    db.execute("update tenuto.sessions set queues = '{mail}' where id = %s", [limited.session_id])

    said = {"shop.pay": {"kind": {"queue": "mail"}}, "shop.send": {"kind": {"queue": "mail"}}, "shop.far": {}}
    call(db, "declare_types", **limited.fence, types=said)

    queues = [start(db, {"type": type, "inherit": True})["queue"] for type in ("shop.pay", "shop.send", "shop.far")]
    assert queues == ["pay", "mail", "default"]
    with pytest.raises(NotFound, match=r"ever served shop\.far"):
        call(db, "check_known", org_id=DEFAULT_ORG, types=["shop.far", "shop.send"])
