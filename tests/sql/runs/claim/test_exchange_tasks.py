"""exchange_tasks: complete_and_claim for one who speaks HTTP, within the org and the queues of the key."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import NotFound, Unauthorized
from tests.support.database.loops import an_org
from tests.support.database.remote_workers import a_remote_worker
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one, status, task
from tests.support.database.users import a_key_id, a_worker_key
from tests.support.postgres.server import connect_as


def test_what_is_claimed_is_told_in_full(db: Db) -> None:
    details = Jsonb([{"task": 0, "metadata": {"x": 1}}])
    (task_id,) = start(db, {"to": "a@b.c"}, kind={"type": "shop.send", "timeout_seconds": 30}, details=details)
    worker = a_remote_worker(db)

    answer = worker.exchange()

    assert answer["tasks"] == [
        {
            "task_id": str(task_id),
            "attempt": 1,
            "run_id": str(task_id),
            "type": "shop.send",
            "input": {"to": "a@b.c"},
            "slots": None,
            "timeout_seconds": 30,
            "metadata": {"x": 1},
            "idempotency_key": str(task_id),
        }
    ]
    assert (answer["claimed"], answer["rejected_reports"], answer["session_ended"]) == (1, [], False)


def test_the_idempotency_key_of_a_copy_is_the_id_of_the_first_original(db: Db) -> None:
    first = start_one(db, kind={"max_attempts": 1})
    worker, run_id = a_worker(db), first
    for _ in range(2):
        worker.fail(worker.claim_one())
        run_id = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)

    (copy,) = a_remote_worker(db).exchange()["tasks"]

    assert (copy["task_id"], copy["idempotency_key"]) == (str(run_id), str(first))
    held = call(db, "get_held_task", org_id=DEFAULT_ORG, task_id=run_id)
    assert held[0]["idempotency_key"] == first


def test_a_report_is_accepted_and_the_next_task_claimed_in_one_call(db: Db) -> None:
    first, second = start(db, 1, 2)
    worker = a_remote_worker(db)
    worker.exchange(limit=1)

    answer = worker.exchange([(str(first), 1, '{"sent": true}')])

    assert [one["task_id"] for one in answer["tasks"]] == [str(second)]
    assert task(db, first)["output"] == {"sent": True}


def test_a_report_twice_is_accepted_once_and_a_late_one_not_at_all(db: Db) -> None:
    first, second = start(db, 1, 2)
    worker = a_remote_worker(db)
    worker.exchange()
    worker.exchange([(str(first), 1, None)])
    call(db, "close_session", session_id=worker.session_id, token=worker.token)
    call(db, "expire_attempts")

    answer = worker.exchange([(str(first), 1, None), (str(second), 1, None)])

    told = {one["task_id"]: one["result"] for one in answer["rejected_reports"]}
    assert told == {str(first): "already_accepted", str(second): "stale_lease"}
    assert (answer["session_ended"], answer["tasks"]) == (True, [])


def test_only_the_queues_of_the_session_are_claimed_from(db: Db) -> None:
    (mine,) = start(db, kind={"queue": "mail"})
    (other,) = start(db, kind={"queue": "gpu"})
    worker = a_remote_worker(db, queues=["mail"])

    answer = worker.exchange()

    assert [one["task_id"] for one in answer["tasks"]] == [str(mine)]
    assert (status(db, other), answer["queues"]) == ("queued", ["mail"])


def test_only_the_types_asked_for_are_claimed(db: Db) -> None:
    (mine,) = start(db, kind={"type": "a.one"})
    start(db, kind={"type": "a.two"})
    worker = a_remote_worker(db)

    assert [one["task_id"] for one in worker.exchange(types=["a.one"])["tasks"]] == [str(mine)]


def test_another_org_or_key_or_token_has_no_such_session(db: Db) -> None:
    worker = a_remote_worker(db)
    other_org = an_org(db, "other")
    same_org = a_worker_key(db, a_key_id())

    wrongs: list[dict[str, Any]] = [
        {"org_id": other_org, "worker_key_id": a_worker_key(db, a_key_id(), org_id=other_org)},
        {"worker_key_id": same_org},
        {"token": "00000000-0000-4000-8000-000000000000"},
    ]
    for wrong in wrongs:
        with pytest.raises(NotFound, match="no session"):
            worker.exchange(**wrong)


def test_a_direct_workers_session_is_not_reached_with_a_key(db: Db) -> None:
    key = a_worker_key(db, a_key_id())
    (direct,) = call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="near")

    with pytest.raises(NotFound):
        call(
            db,
            "check_session",
            org_id=DEFAULT_ORG,
            worker_key_id=key,
            session_id=direct["session_id"],
            token=direct["token"],
        )


def test_a_key_that_was_revoked_meanwhile_claims_nothing(db: Db) -> None:
    start_one(db)
    worker = a_remote_worker(db)
    call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=worker.key)

    with pytest.raises(Unauthorized, match="revoked"):
        worker.exchange()


def test_the_servers_role_serves_workers_and_sees_one_org_only(db: Db, database: str) -> None:
    other = an_org(db, "other")
    start(db, 1, org_id=other)
    (mine,) = start(db, 1)
    worker, stranger = a_remote_worker(db), a_remote_worker(db, org_id=other)

    with connect_as(database, "tenuto_api") as api:
        api.execute("select set_config('tenuto.org_id', %s, false)", [str(DEFAULT_ORG)])
        worker.db = stranger.db = api
        claimed = worker.exchange()["tasks"]
        done = worker.exchange([(str(mine), 1, "1")])
        with pytest.raises(NotFound):
            stranger.exchange()

    assert [one["task_id"] for one in claimed] == [str(mine)]
    assert (done["rejected_reports"], status(db, mine)) == ([], "completed")
