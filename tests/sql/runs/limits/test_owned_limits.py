"""Worker keys that are bound to queues: they declare, resize and use only limits of these queues."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Forbidden, InvalidInput
from tests.support.database.limits import a_key, a_queue, a_rate, start_limited
from tests.support.database.loops import value
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call, start
from tests.support.database.users import a_key_id, a_worker_key

SIZE = "select size from tenuto.limits where scope = %s and key = %s"
VAULT = {"type": "bank.pay", "queue": "vault"}
CHILD = {"type": "mail.child", "queue": "safe"}


def each(name: str, parameter: str, size: int) -> dict[str, Any]:
    return {**a_key(f"{name}:{parameter}=", size), "parameter": parameter, "position": 0}


@pytest.fixture
def bound(db: Db) -> Worker:
    """A worker whose key is for queue safe only."""
    key = a_worker_key(db, a_key_id(), queues=["safe"])
    return a_worker(db, "bound", worker_key_id=key, queues=["safe"])


@pytest.fixture
def held(db: Db, bound: Worker) -> Claim:
    start(db, kind={"type": "mail.send", "queue": "safe"})
    (claim,) = bound.claim(routes=bound.routes(queues=["safe"]))
    return claim


def declare(db: Db, worker: Worker, *limits: dict[str, Any], type: str = "mail.send", queue: str = "safe") -> None:
    call(db, "declare_types", **worker.fence, types={type: {"kind": {"queue": queue}, "limits": list(limits)}})


def use(db: Db, *limits: dict[str, Any], kind: dict[str, Any] = VAULT) -> None:
    """Start a task under these limits, which creates them."""
    start_limited(db, 1, *limits, kind=kind)
    call(db, "follow_arrivals")


def start_child(worker: Worker, parent: Claim, limit: dict[str, Any]) -> None:
    details = Jsonb([{"task": 0, "limits": [limit]}])
    worker.start_children(parent, None, kinds=Jsonb([CHILD]), details=details)


def size(db: Db, limit: dict[str, Any]) -> int:
    return value(db, SIZE, limit["scope"], limit["key"])


@pytest.mark.parametrize("key", ["s", "stripe", "stripe:", "stripe:x", "stripe:customer=x"])
def test_the_key_of_a_limit_per_value_ends_in_its_parameter(db: Db, key: str) -> None:
    limit = {**a_key(key, 9), "parameter": "x", "position": 0}

    with pytest.raises(InvalidInput, match="does not end in :x="):
        declare(db, a_worker(db), limit)


@pytest.mark.parametrize(
    ("theirs", "declared"),
    [
        (a_key("stripe", 1), a_key("stripe", 9)),
        (a_rate("stripe", 1, 60), a_rate("stripe", 9, 60)),
        (a_key("stripe:customer=7", 1), each("stripe", "customer", 9)),
        (a_key("stripe:customer=7", 1), a_key("stripe:customer=7", 9)),
        (a_queue("vault", 1), a_queue("vault", 9)),
    ],
    ids=["key", "rate", "every value", "one value", "queue"],
)
def test_a_limit_that_tasks_of_another_queue_created_is_not_taken_over(
    db: Db, bound: Worker, theirs: dict[str, Any], declared: dict[str, Any]
) -> None:
    use(db, theirs)

    declare(db, bound, declared)

    assert size(db, theirs) == 1
    use(db, {**theirs, "size": 2})
    assert size(db, theirs) == 2, "the limit is still undeclared: its own starts set its size"


def test_a_limit_with_the_name_of_a_type_of_another_queue_is_not_declared(db: Db, bound: Worker) -> None:
    declare(db, a_worker(db, "owner"), type="bank.pay", queue="vault")

    declare(db, bound, a_key("bank.pay", 9), each("bank.pay", "to", 9))
    declare(db, bound, a_key("bank.pay", 9), type="bank.pay")

    for limit in (a_key("bank.pay", 1), a_key("bank.pay:to=ada", 1)):
        use(db, limit)
        assert size(db, limit) == 1


def test_limits_of_its_own_queues_and_new_names_are_declared(db: Db, bound: Worker) -> None:
    use(db, a_key("shared", 1), a_key("mail.send:to=ada", 1), kind={"type": "mail.send", "queue": "safe"})

    declare(db, bound, a_key("shared", 5), each("mail.send", "to", 6), a_queue("safe", 7), a_rate("new", 8, 60))

    assert size(db, a_key("shared", 0)) == 5
    assert size(db, a_key("mail.send:to=ada", 0)) == 6
    for limit in (a_queue("safe", 1), a_rate("new", 1, 60), a_key("mail.send:to=bob", 1)):
        use(db, limit, kind={"type": "mail.send", "queue": "safe"})
    assert [size(db, limit) for limit in (a_queue("safe", 0), a_rate("new", 0, 60))] == [7, 8]
    assert size(db, a_key("mail.send:to=bob", 0)) == 6


@pytest.mark.parametrize(
    "limit", [a_queue("vault", 1), a_key("stripe", 1), a_rate("api", 1, 60)], ids=["queue", "key", "rate"]
)
def test_a_child_neither_resizes_nor_holds_a_limit_of_another_queue(
    db: Db, bound: Worker, held: Claim, limit: dict[str, Any]
) -> None:
    use(db, {**limit, "size": 10})

    with pytest.raises(Forbidden, match=f"limit {limit['key']} of scope {limit['scope']}, which belongs to another"):
        start_child(bound, held, limit)

    call(db, "follow_arrivals")
    assert size(db, limit) == 10


def test_a_child_cannot_name_the_queue_or_the_type_of_others_before_they_are_used(
    db: Db, bound: Worker, held: Claim
) -> None:
    declare(db, a_worker(db, "owner"), a_key("declared", 3), type="bank.pay", queue="vault")

    for limit in (a_queue("vault", 1), a_key("bank.pay", 1), a_key("bank.pay:to=ada", 1), a_key("declared", 1)):
        with pytest.raises(Forbidden):
            start_child(bound, held, limit)


def test_children_use_limits_of_their_queues_and_new_names(db: Db, bound: Worker, held: Claim) -> None:
    declare(db, bound, each("mail.send", "to", 6))

    for limit in (a_queue("safe", 2), a_key("mail.send:to=ada", 2), a_key("shared", 2), a_key("shared", 3)):
        start_child(bound, held, limit)
        call(db, "follow_arrivals")

    assert [size(db, a_key(key, 0)) for key in ("mail.send:to=ada", "shared")] == [6, 3]
