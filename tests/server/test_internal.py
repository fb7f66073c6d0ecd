"""/internal: what remote workers ask, for their org and queues and nobody else's."""

from uuid import UUID

import psycopg
from starlette.testclient import TestClient

from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, call, history, start, start_graph, start_one, status, task
from tests.support.http.worker_requests import HttpWorker, fence, open_worker, worker_headers


def test_a_worker_claims_completes_and_says_goodbye(worker: HttpWorker, db: psycopg.Connection) -> None:
    first, second = start(db, {"x": 1}, {"x": 2})

    (claimed,) = worker.claim(1)["tasks"]
    assert (claimed["task_id"], claimed["attempt"], claimed["input"]) == (str(first), 1, {"x": 1})
    answer = worker.claim(1, reports=[fence(claimed, output={"ok": True})])

    assert (answer["rejected_reports"], answer["session_ended"]) == ([], False)
    assert [one["task_id"] for one in answer["tasks"]] == [str(second)]
    assert task(db, first)["output"] == {"ok": True}
    assert worker.ask("sessions", method="DELETE").status_code == 204
    assert worker.ask("sessions", method="DELETE").status_code == 204


def test_a_session_says_from_which_queues_it_claims(api: TestClient, db: psycopg.Connection) -> None:
    headers = worker_headers(db, "mail", "gpu")

    both = api.post("/internal/sessions", headers=headers, json={"name": "a"}).json()
    one = api.post("/internal/sessions", headers=headers, json={"name": "b", "queues": ["gpu"]}).json()
    other = api.post("/internal/sessions", headers=headers, json={"name": "c", "queues": ["billing"]})

    assert (both["queues"], one["queues"]) == (["mail", "gpu"], ["gpu"])
    assert (other.status_code, other.json()["code"]) == (403, "forbidden")


def test_a_worker_gets_only_tasks_of_its_queues_and_types(api: TestClient, db: psycopg.Connection) -> None:
    (mine,) = start(db, kind={"queue": "mail", "type": "a.send"})
    start(db, kind={"queue": "mail", "type": "a.other"})
    start(db, kind={"queue": "gpu", "type": "a.send"})
    worker = open_worker(api, worker_headers(db, "mail"))

    answer = worker.claim(types=["a.send"])

    assert [one["task_id"] for one in answer["tasks"]] == [str(mine)]


def test_a_worker_gets_tasks_in_the_languages_it_speaks_and_with_the_labels_it_has(
    api: TestClient, db: psycopg.Connection
) -> None:
    (mine,) = start(db, kind={"language": "node"})
    (labelled,) = start(db, kind={"language": "node", "labels": ["gpu"]})
    start(db, kind={"language": "rust"})
    headers = worker_headers(db)

    plain = open_worker(api, headers, "plain", languages=["node"]).claim()["tasks"]
    able = open_worker(api, headers, "able", languages=["node"], labels=["gpu", "big"]).claim()["tasks"]

    assert [one["task_id"] for one in plain] == [str(mine)]
    assert [one["task_id"] for one in able] == [str(labelled)]


def test_what_a_worker_serves_is_shown_to_people(api: TestClient, db: psycopg.Connection) -> None:
    more = {"types": ["a.send"], "labels": ["gpu"], "lease_seconds": 30, "pool": "p", "metadata": {"host": "h"}}
    open_worker(api, worker_headers(db, "mail"), "far", **more)

    (row,) = call(db, "list_workers", org_id=DEFAULT_ORG)
    assert (row["id"], row["instance_type"], row["labels"]) == ("far", "remote", ["gpu"])
    assert row["metadata"] == {"queues": ["mail"], "types": ["a.send"], "pool": "p", "host": "h"}


def test_a_beat_renews_the_lease_and_tells_what_is_lost_or_to_stop(worker: HttpWorker, db: psycopg.Connection) -> None:
    start(db, 1, 2, 3)
    kept, cancelled, forgotten = worker.claim()["tasks"]
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=UUID(cancelled["task_id"]))
    unknown = {"task_id": str(start_one(db)), "attempt": 1}

    assert worker.ask("heartbeat", held=[fence(kept)]).status_code == 200
    assert status(db, UUID(forgotten["task_id"])) == "running"
    beat = worker.ask("heartbeat", settled_claim_no=1, held=[fence(kept), fence(cancelled), unknown])

    assert beat.json() == {"lost": [unknown["task_id"]], "cancelled": [cancelled["task_id"]], "draining": False}
    assert status(db, UUID(kept["task_id"])) == "running"
    assert status(db, UUID(forgotten["task_id"])) == "queued"
    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="far")
    assert worker.ask("heartbeat", settled_claim_no=1, held=[fence(kept)]).json()["draining"] is True


def test_every_kind_of_end_is_reported_in_one_request(worker: HttpWorker, db: psycopg.Connection) -> None:
    start(db, *range(7), kind={"backoff_seconds": 0})
    done, failed, lost, snoozed, waiting, blocked, interrupted = worker.claim()["tasks"]

    response = worker.ask(
        "report",
        completed=[fence(done, output=1)],
        failed=[fence(failed, error={"message": "boom"}, retry_in_seconds=-1)],
        lost=[fence(lost, error={"message": "exit 9"})],
        snoozed=[fence(snoozed, seconds=60)],
        waiting=[fence(waiting, wait={"for": "signal", "name": "go"})],
        blocked=[fence(blocked, mismatch={"step_no": 1, "expected": "step 'charge'", "found": "sleep"})],
        interrupted=[fence(interrupted)],
    )

    ends = [done, failed, lost, snoozed, waiting, blocked, interrupted]
    never = {"max_attempts": None, "retry_in_seconds": None}
    answers = [fence(end, result="accepted", **never) for end in ends]
    answers[1]["max_attempts"] = answers[2]["max_attempts"] = 3
    answers[2]["retry_in_seconds"] = response.json()["results"][2]["retry_in_seconds"]  # a moment
    assert response.json() == {"results": answers, "rejected_progress": []}
    found = [history(db, UUID(end["task_id"]))[-1][1] for end in ends]
    assert found == ["completed", "failed", "lost", "snoozed", "waiting", "blocked", "interrupted"]


def test_progress_and_logs_are_written(worker: HttpWorker, db: psycopg.Connection) -> None:
    start(db, 1, 2)
    one, cancelled = worker.claim()["tasks"]
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=UUID(cancelled["task_id"]))

    response = worker.ask(
        "report",
        progress=[fence(one, progress=0.5, message="half"), fence(cancelled, progress=0.1)],
        logs=[fence(one, line_no=1, message="hello", level="warning", fields={"k": 1})],
    )

    assert response.json()["rejected_progress"] == [{"task_id": cancelled["task_id"], "result": "cancelled"}]
    shown = task(db, UUID(one["task_id"]))
    assert (shown["progress"], shown["message"]) == (0.5, "half")
    (line,) = call(db, "read_logs", org_id=DEFAULT_ORG, task_id=UUID(one["task_id"]))
    assert (line["level"], line["message"], line["fields"]) == ("warning", "hello", {"k": 1})


def test_a_nudge_adds_up_runs_of_several_tasks(worker: HttpWorker, db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    worker.claim(0, reports=[fence(one) for one in worker.claim()["tasks"]])

    nudged = worker.api.post("/internal/nudge", headers=worker.headers, json={"run_ids": [str(run_id)]})

    assert nudged.status_code == 204
    assert db.execute("select status from tenuto.runs where id = %s", [run_id]).fetchone() == ("completed",)


def test_a_nudge_reaches_no_other_orgs_run(worker: HttpWorker, db: psycopg.Connection) -> None:
    other = an_org(db, "other")
    run_id, _ = start_graph(db, 2, org_id=other)
    theirs = open_worker(worker.api, worker_headers(db, org_id=other))
    theirs.claim(0, reports=[fence(one) for one in theirs.claim()["tasks"]])

    worker.api.post("/internal/nudge", headers=worker.headers, json={"run_ids": [str(run_id)]})

    assert db.execute("select status from tenuto.runs where id = %s", [run_id]).fetchone() == ("pending",)


def test_a_held_task_is_shown_while_it_is_held(worker: HttpWorker, db: psycopg.Connection) -> None:
    task_id = start_one(db)
    path = f"/internal/task/{task_id}"
    assert worker.api.get(path, headers=worker.headers).status_code == 404
    worker.claim()

    shown = worker.api.get(path, headers=worker.headers).json()

    assert (shown["task_id"], shown["attempt"], shown["type"]) == (str(task_id), 1, "app.work")
    assert worker.api.get(path, headers=worker_headers(db)).status_code == 404


def test_a_worker_declares_what_its_types_are_like(api: TestClient, db: psycopg.Connection) -> None:
    mail = open_worker(api, worker_headers(db, "mail"))

    wrong = mail.ask("types", types={"shop.send": {"kind": {"queue": "mail", "max_attempts": 0}}})
    told = mail.ask("types", types={"shop.send": {"kind": {"queue": "mail"}}, "shop.far": {"kind": {"queue": "far"}}})

    assert (wrong.status_code, told.status_code) == (422, 200)
    assert task(db, start_one(db, kind={"type": "shop.send", "inherit": True}))["queue"] == "mail"
    assert task(db, start_one(db, kind={"type": "shop.far", "inherit": True}))["queue"] == "default"


def test_the_time_of_an_attempt_counts_from_when_it_says_to_begin(worker: HttpWorker, db: psycopg.Connection) -> None:
    one = start_one(db, kind={"timeout_seconds": 30})
    (claimed,) = worker.claim(1)["tasks"]
    db.execute("update tenuto.running_tasks set deadline_at = now() - interval '1 hour'")

    assert worker.ask("report", begun=[fence(claimed)]).json()["results"] == []

    assert call(db, "expire_deadlines") == 0
    assert status(db, one) == "running"
