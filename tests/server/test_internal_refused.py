"""/internal refuses: other orgs' sessions, other keys, wrong states, what is late, what cannot be."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import WORKER, key_hash, make_key
from tests.server.conftest import MakeKey
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, call, history, start, start_one, status
from tests.support.http.worker_requests import PEPPERS, HttpWorker, fence, open_worker, worker_headers
from tests.support.waiting import wait_until

LISTENING = """
select count(*) from pg_stat_activity
where datname = current_database() and application_name = 'tenuto listener' and query like '%notify%'
"""
LATER = ("claim", "heartbeat", "report")
BODIES: dict[str, Any] = {
    "claim": {"claim_no": 1, "limit": 1},
    "heartbeat": {"settled_claim_no": 0, "held": []},
    "report": {},
}


@pytest.mark.parametrize("path", LATER)
def test_another_orgs_and_another_keys_session_is_not_there(worker: HttpWorker, db: Db, path: str) -> None:
    strangers = [worker_headers(db, org_id=an_org(db, "other")), worker_headers(db, "mail"), worker_headers(db)]

    answers = [worker.ask(path, headers=headers, **BODIES[path]) for headers in strangers]

    assert {(one.status_code, one.json()["code"]) for one in answers} == {(404, "not_found")}
    assert worker.ask(path, **BODIES[path]).status_code == 200


def test_another_keys_session_cannot_be_closed(worker: HttpWorker, db: Db) -> None:
    assert worker.ask("sessions", method="DELETE", headers=worker_headers(db)).status_code == 404
    assert worker.ask("heartbeat", settled_claim_no=0, held=[]).status_code == 200


@pytest.mark.parametrize("path", LATER)
def test_a_wrong_token_opens_no_session(worker: HttpWorker, path: str) -> None:
    assert worker.ask(path, **{**BODIES[path], "token": str(uuid4())}).status_code == 404


def test_a_worker_ends_nothing_that_another_holds(worker: HttpWorker, db: Db) -> None:
    task_id = start_one(db)
    theirs = open_worker(worker.api, worker_headers(db), "other").claim_one()

    claimed = worker.claim(0, reports=[fence(theirs)])
    reported = worker.ask("report", failed=[fence(theirs, error=1)]).json()

    assert claimed["rejected_reports"] == [fence(theirs, result="stale_lease")]
    assert reported["results"] == [fence(theirs, result="stale_lease", max_attempts=None, retry_in_seconds=None)]
    assert status(db, task_id) == "running"


def test_logs_of_another_orgs_task_are_left_out(worker: HttpWorker, db: Db) -> None:
    other = an_org(db, "other")
    task_id = start_one(db, org_id=other)
    said = {"task_id": str(task_id), "attempt": 1, "line_no": 1, "message": "boo"}

    assert worker.ask("report", logs=[said]).status_code == 200

    assert call(db, "read_logs", org_id=other, task_id=task_id) == []


def test_a_worker_writes_no_logs_of_what_another_keys_worker_holds_or_held(worker: HttpWorker, db: Db) -> None:
    start(db, 1, 2)
    held, ended = worker.claim(2)["tasks"]
    worker.ask("report", completed=[fence(ended)])
    other = open_worker(worker.api, worker_headers(db, "mail"), "other", queues=["mail"])

    for one, said in ((other, "forged"), (worker, "true")):
        lines = [fence(task, line_no=1, message=said) for task in (held, ended)]
        assert one.ask("report", logs=lines).status_code == 200

    assert db.execute("select message from tenuto.task_logs").fetchall() == [("true",), ("true",)]


def test_a_worker_hears_nothing_of_queues_that_its_key_is_not_for(api: TestClient, db: Db) -> None:
    headers = worker_headers(db, "mail")

    def wait(cursor: str | None, *queues: str) -> dict[str, Any]:
        body = {"wait": 0, "queues": queues, "cursor": cursor}
        return api.post("/internal/wait", headers=headers, json=body).json()

    wait_until(lambda: not wait(wait(None, "mail")["cursor"], "mail")["work_available"])
    wait_until(lambda: db.execute(LISTENING).fetchone() == (1,))
    cursor = wait(None, "mail")["cursor"]
    start_one(db, kind={"queue": "pay"})
    start_one(db, kind={"queue": "mail"})
    wait_until(lambda: wait(cursor, "mail")["work_available"])

    assert not wait(cursor, "pay")["work_available"]
    assert wait(cursor, "pay", "mail")["work_available"]


def test_an_ended_session_reports_what_is_still_its_own_and_claims_nothing(worker: HttpWorker, db: Db) -> None:
    first, _ = start(db, 1, 2)
    held = worker.claim_one()
    worker.ask("sessions", method="DELETE")

    answer = worker.claim(1, reports=[fence(held, output=1)])

    assert (answer["session_ended"], answer["tasks"], answer["rejected_reports"]) == (True, [], [])
    assert status(db, first) == "completed"
    beat = worker.ask("heartbeat", settled_claim_no=1, held=[])
    assert (beat.status_code, beat.json()["code"]) == (409, "session_ended")


def test_a_report_after_the_task_was_taken_back_is_stale_and_changes_nothing(worker: HttpWorker, db: Db) -> None:
    task_id = start_one(db)
    held = worker.claim_one()
    worker.ask("heartbeat", settled_claim_no=1, held=[])

    answer = worker.claim(0, reports=[fence(held, output=1)])

    assert answer["rejected_reports"] == [fence(held, result="stale_lease")]
    assert (status(db, task_id), history(db, task_id)) == ("queued", [(1, "forgotten")])


def test_every_end_repeated_gets_its_stored_answer(worker: HttpWorker, db: Db) -> None:
    start(db, 1, 2)
    done, failed = worker.claim()["tasks"]
    ends: dict[str, Any] = {"completed": [fence(done, output=1)], "failed": [fence(failed, error="boom")]}
    worker.ask("report", **ends)

    again = worker.ask("report", **ends).json()["results"]

    assert [one["result"] for one in again] == ["already_accepted"] * 2
    assert worker.claim(0, reports=[fence(done, output=2)])["rejected_reports"] == [
        fence(done, result="already_accepted")
    ]
    assert len(history(db, UUID(done["task_id"]))) == 1


def test_a_batch_with_an_output_that_is_too_large_is_refused_as_a_whole(worker: HttpWorker, db: Db) -> None:
    first, second = start(db, 1, 2)
    small, large = worker.claim()["tasks"]

    refused = worker.ask("claim", claim_no=2, limit=0, reports=[fence(small), fence(large, output="x" * 1_100_000)])

    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert [status(db, first), status(db, second)] == ["running", "running"]


@pytest.mark.parametrize("output", [{"$pickle": "gASV"}, [{"x": {"$pickle": "gASV"}}]])
def test_no_output_is_a_pickle_that_another_task_would_read(worker: HttpWorker, db: Db, output: Any) -> None:
    start_one(db)
    (held,) = worker.claim()["tasks"]

    claimed = worker.ask("claim", claim_no=2, limit=0, reports=[fence(held, output=output)])
    reported = worker.ask("report", completed=[fence(held, output=output)])

    for refused in (claimed, reported):
        assert (refused.status_code, "$pickle" in refused.json()["detail"]) == (422, True)
    assert status(db, held["task_id"]) == "running"


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("claim", {"limit": 100_000}),
        ("claim", {"limit": -1}),
        ("claim", {"claim_no": 0}),
        ("claim", {"wait": 21}),
        ("claim", {"routes": [1]}),
        ("claim", {"reports": [{"task_id": "x", "attempt": 1}]}),
        ("claim", {"reports": [{"task_id": str(uuid4()), "attempt": "1"}]}),
        ("claim", {"reports": [{"task_id": str(uuid4()), "attempt": 1, "output": "\x00"}]}),
        ("claim", {"resource_group": "nobody's"}),
        ("heartbeat", {"held": [{"task_id": str(uuid4())}]}),
        ("heartbeat", {"settled_claim_no": 2**63}),
        ("report", {"snoozed": [{"task_id": str(uuid4()), "attempt": 1, "seconds": -1}]}),
        ("report", {"waiting": [{"task_id": str(uuid4()), "attempt": 1, "wait": {"for": "ever"}}]}),
        ("report", {"session_id": "1"}),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(worker: HttpWorker, path: str, wrong: dict[str, Any]) -> None:
    refused = worker.ask(path, **{**BODIES[path], **wrong})

    assert refused.status_code in (404, 422), refused.text
    assert refused.json()["detail"]


def test_a_revoked_key_is_out_at_once(worker: HttpWorker, db: Db) -> None:
    (key,) = call(db, "list_worker_keys", org_id=DEFAULT_ORG)
    call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=key["id"])

    refused = worker.ask("heartbeat", settled_claim_no=0, held=[])

    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")


def test_an_expired_key_lets_nobody_in(api: TestClient, db: Db) -> None:
    headers = worker_headers(db)
    db.execute(
        "update tenuto.worker_keys set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'"
    )

    assert api.post("/internal/sessions", headers=headers, json={"name": "far"}).status_code == 401


def test_while_keys_overlap_both_work_and_the_new_one_takes_the_name_over(worker: HttpWorker, db: Db) -> None:
    (old,) = call(db, "list_worker_keys", org_id=DEFAULT_ORG)
    key = make_key(WORKER, "test")
    made = {"key_id": key.key_id, "hash": key_hash(PEPPERS, key.text), "created_by": "ann", "overlap": "1 hour"}
    call(db, "rotate_worker_key", org_id=DEFAULT_ORG, id=old["id"], **made)

    assert worker.ask("heartbeat", settled_claim_no=0, held=[]).status_code == 200
    new = open_worker(worker.api, {"Authorization": f"Bearer {key.text}"})

    assert worker.ask("heartbeat", settled_claim_no=0, held=[]).json()["code"] == "session_ended"
    assert new.ask("heartbeat", settled_claim_no=0, held=[]).status_code == 200


def test_principals_never_stand_in_for_each_other(
    worker: HttpWorker, db: psycopg.Connection, make_headers: MakeKey
) -> None:
    start_one(db)
    token = {"Authorization": f"Bearer {worker.claim_one(tokens=True)['token']}"}
    api_key = make_headers("*")
    ask = worker.api.request

    wrong = [
        ask("POST", "/internal/sessions", headers=api_key, json={"name": "x"}),
        ask("POST", "/internal/sessions", headers=token, json={"name": "x"}),
        ask("GET", "/v1/runs", headers=worker.headers),
        ask("GET", "/v1/runs", headers=token),
        ask("GET", "/v1/task", headers=worker.headers),
        ask("GET", "/v1/task", headers=api_key),
    ]

    assert {(one.status_code, one.json()["code"]) for one in wrong} == {(401, "unauthorized")}


def test_a_key_that_asks_too_often_is_told_when_to_ask_again(worker: HttpWorker, db: Db) -> None:
    db.execute("update tenuto.rate_buckets set full_at = now() + interval '1 hour' where bucket like 'key:%'")

    refused = worker.ask("heartbeat", settled_claim_no=0, held=[])

    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert int(refused.headers["Retry-After"]) >= 1
