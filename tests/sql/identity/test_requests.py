"""A request that is sent twice is done once; what is over is forgotten."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import an_org, count
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.users import a_user, hash_of

NEW = {"is_new": True, "status": None, "response": None}


def begin(db: Db, request: str = "POST /v1/runs {}", **more: object) -> dict[str, Any]:
    (row,) = call(
        db,
        "begin_request",
        **{"org_id": DEFAULT_ORG, "actor": "key:1", "key": "k", "request_hash": hash_of(request), **more},
    )
    return row


def finish(db: Db, response: object, status: int = 201) -> None:
    call(db, "finish_request", org_id=DEFAULT_ORG, actor="key:1", key="k", status=status, response=Jsonb(response))


@pytest.mark.parametrize("response", [{"id": 1}, [1, None], "text", None])
def test_the_second_request_gets_the_response_of_the_first(db: Db, response: object) -> None:
    assert begin(db) == NEW
    finish(db, response)

    assert begin(db) == {"is_new": False, "status": 201, "response": response}


def test_a_request_that_failed_leaves_its_key_to_the_next(db: Db) -> None:
    with db.transaction(force_rollback=True):
        begin(db)

    assert begin(db) == NEW


def test_the_same_key_for_another_request_is_an_error(db: Db) -> None:
    begin(db)
    finish(db, {})

    with pytest.raises(InvalidInput, match="another request"):
        begin(db, "POST /v1/runs {other}")


def test_keys_of_other_actors_and_orgs_are_others(db: Db) -> None:
    begin(db)
    finish(db, {})

    assert begin(db, actor="key:2") == NEW
    assert begin(db, org_id=an_org(db, "acme")) == NEW


def test_a_key_is_good_for_a_day(db: Db, clock: Clock) -> None:
    begin(db)
    finish(db, "first")
    clock.advance(hours=23, minutes=59)
    assert begin(db)["response"] == "first"

    clock.advance(minutes=1)
    assert begin(db, "POST /v1/other") == NEW
    finish(db, "second")

    assert begin(db, "POST /v1/other")["response"] == "second"


def test_a_response_is_stored_once_and_only_to_a_request_that_began(db: Db) -> None:
    with pytest.raises(Conflict, match="in progress"):
        finish(db, {})
    begin(db)
    finish(db, "first")
    with pytest.raises(Conflict, match="in progress"):
        finish(db, "second")

    assert begin(db)["response"] == "first"


def test_a_request_that_stored_no_response_is_reported(db: Db) -> None:
    begin(db)

    with pytest.raises(Conflict, match="stored no response"):
        begin(db)


@pytest.mark.parametrize("key", ["", "k" * 257])
def test_a_key_that_is_none_is_refused(db: Db, key: str) -> None:
    with pytest.raises(InvalidInput, match="idempotency key"):
        begin(db, key=key)


def test_what_is_over_is_pruned_and_what_is_not_stays(db: Db, clock: Clock) -> None:
    user = a_user(db)

    def one_of_each(name: str) -> None:
        begin(db, key=name)
        call(db, "open_login", org_id=DEFAULT_ORG, user_id=user, hash=hash_of(name), lasts="1 day")
        call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=user, hash=hash_of(name))
        call(db, "take_tokens", org_id=DEFAULT_ORG, buckets=[name], rates=[1.0], bursts=[1.0])

    one_of_each("old")
    clock.advance(days=1)
    one_of_each("new")

    (gone,) = call(db, "prune_identity")

    assert gone == {"requests": 1, "buckets": 1, "logins": 1, "tokens": 1}
    tables = ("idempotency_keys", "rate_buckets", "login_sessions", "login_tokens")
    assert [count(db, table) for table in tables] == [1, 1, 1, 1]


def test_pruning_is_done_in_bounded_batches(db: Db, clock: Clock) -> None:
    for no in range(5):
        begin(db, key=str(no))
    clock.advance(days=2)

    assert [call(db, "prune_identity", limit=3)[0]["requests"] for _ in range(3)] == [3, 2, 0]
