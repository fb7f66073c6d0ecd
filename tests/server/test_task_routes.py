"""/v1/task: what the code of an attempt asks with its token, and only for itself."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb
from starlette.testclient import TestClient

from tests.support.database.tasks import DEFAULT_ORG, call, history, start, start_graph, start_one, status, task
from tests.support.http.worker_requests import HttpWorker


class Code:
    """The code of one attempt: a token, and nothing else."""

    def __init__(self, api: TestClient, claimed: dict[str, Any]) -> None:
        self.api, self.claimed, self.task_id = api, claimed, UUID(claimed["task_id"])
        self.headers = {"Authorization": f"Bearer {claimed['token']}"}

    def ask(self, method: str, path: str = "", **more: Any) -> Any:
        return self.api.request(method, f"/v1/task{path}", headers=self.headers, **more)


@pytest.fixture
def code(worker: HttpWorker, db: psycopg.Connection) -> Code:
    start(db, {"x": 1})
    return Code(worker.api, worker.claim_one(tokens=True))


def test_the_code_reads_its_own_task(code: Code) -> None:
    shown = code.ask("GET").json()

    assert (shown["task_id"], shown["attempt"], shown["input"]) == (code.claimed["task_id"], 1, {"x": 1})
    assert (shown["cancelled"], "session_id" in shown) == (False, False)


def test_a_completion_is_accepted_once_and_answered_again(code: Code, db: psycopg.Connection) -> None:
    first = code.ask("POST", "/complete", json={"output": {"ok": 1}})
    again = code.ask("POST", "/complete", json={"output": {"ok": 2}})

    assert (first.json(), again.json()) == ({"result": "accepted"}, {"result": "already_accepted"})
    assert task(db, code.task_id)["output"] == {"ok": 1}
    assert code.ask("GET").json()["code"] == "stale_lease"


@pytest.mark.parametrize(
    ("path", "body", "outcome"),
    [
        ("/fail", {"error": {"message": "boom"}, "retry_in_seconds": -1}, "failed"),
        ("/snooze", {"seconds": 5}, "snoozed"),
        ("/wait", {"wait": {"for": "signal", "name": "go"}}, "waiting"),
    ],
)
def test_every_other_end_is_accepted_once_too(
    code: Code, db: psycopg.Connection, path: str, body: dict[str, Any], outcome: str
) -> None:
    assert code.ask("POST", path, json=body).json() == {"result": "accepted"}
    assert code.ask("POST", path, json=body).json() == {"result": "already_accepted"}
    assert history(db, code.task_id) == [(1, outcome)]


def test_an_attempt_that_was_taken_back_may_do_nothing_more(
    code: Code, worker: HttpWorker, db: psycopg.Connection
) -> None:
    worker.ask("heartbeat", settled_claim_no=1, held=[])

    asked = [
        code.ask("GET"),
        code.ask("POST", "/complete", json={}),
        code.ask("POST", "/fail", json={"error": 1}),
        code.ask("POST", "/progress", json={"progress": 1.0}),
        code.ask("PUT", "/data", json={"values": {"k": 1}}),
        code.ask("POST", "/logs", json={"lines": [{"line_no": 1, "message": "m"}]}),
        code.ask("POST", "/children", json={"kinds": [{"type": "a.b"}], "inputs": [1]}),
        code.ask("GET", "/steps"),
        code.ask("GET", "/state"),
    ]

    assert {(one.status_code, one.json()["code"]) for one in asked} == {(409, "stale_lease")}
    assert status(db, code.task_id) == "queued"


def test_a_body_that_names_another_attempt_is_refused(code: Code, db: psycopg.Connection) -> None:
    own = {"task_id": code.claimed["task_id"], "attempt": 1}
    for named in ({**own, "task_id": str(uuid4())}, {**own, "attempt": 2}):
        refused = code.ask("POST", "/complete", json=named)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")

    assert status(db, code.task_id) == "running"
    assert code.ask("POST", "/complete", json=own).json() == {"result": "accepted"}


def test_the_code_hears_that_it_should_stop(code: Code, db: psycopg.Connection) -> None:
    assert code.ask("POST", "/heartbeat").json() == {"cancelled": False}
    assert code.ask("POST", "/progress", json={"progress": 0.5, "message": "half"}).json() == {"cancelled": False}
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=code.task_id)

    assert code.ask("POST", "/heartbeat", json={}).json() == {"cancelled": True}
    assert (task(db, code.task_id)["progress"], code.ask("GET").json()["cancelled"]) == (0.5, True)
    refused = code.ask("POST", "/children", json={"kinds": [{"type": "a.b"}], "inputs": [1]})
    assert refused.json()["code"] == "cancelled"


def test_steps_are_recorded_once_and_read_back(code: Code) -> None:
    step = {"step_no": 1, "name": "charge", "kind": "step", "value": {"id": 7}}

    assert code.ask("POST", "/steps", json=step).json() == {"value": {"id": 7}}
    assert code.ask("POST", "/steps", json={**step, "value": {"id": 8}}).json() == {"value": {"id": 7}}
    (found,) = code.ask("GET", "/steps").json()["items"]
    assert found.pop("age_seconds") >= 0
    assert found == {**step, "error": None, "tries": 1, "retry_in_seconds": None}


def test_failures_of_steps_are_recorded_for_good_or_until_the_next_try(code: Code) -> None:
    failed = {"step_no": 1, "name": "charge", "error": {"type": "BankDown", "message": "no"}}

    assert code.ask("POST", "/steps/fail", json={**failed, "tries": 1, "retry_seconds": 60}).status_code == 204
    (found,) = code.ask("GET", "/steps").json()["items"]
    assert (found["error"], found["tries"], 0 < found["retry_in_seconds"] <= 60) == (failed["error"], 1, True)

    assert code.ask("POST", "/steps/fail", json={**failed, "tries": 2}).status_code == 204
    (found,) = code.ask("GET", "/steps").json()["items"]
    assert (found["value"], found["tries"], found["retry_in_seconds"]) == (None, 2, None)
    assert code.ask("POST", "/steps/fail", json={**failed, "tries": 0}).status_code == 422


def test_a_signal_to_the_run_is_taken(code: Code, db: psycopg.Connection) -> None:
    asked = {"step_no": 1, "name": "go"}
    assert code.ask("POST", "/signals", json=asked).json() == {"found": False, "value": None}
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=code.task_id, name="go", value={"v": 1})

    assert code.ask("POST", "/signals", json=asked).json() == {"found": True, "value": {"v": 1}}


def test_children_are_started_and_polled_but_no_other_runs_tasks(
    code: Code, worker: HttpWorker, db: psycopg.Connection
) -> None:
    started = code.ask(
        "POST", "/children", json={"kinds": [{"type": "a.b"}], "inputs": [1, 2], "step_no": 1, "step_name": "c"}
    )
    children = started.json()["task_ids"]
    stranger = start_one(db)
    done = [{"task_id": one["task_id"], "attempt": 1, "output": 5} for one in worker.claim()["tasks"]]
    worker.claim(0, reports=done)

    ended = code.ask("POST", "/children/poll", json={"task_ids": [*children, str(stranger)]}).json()["items"]

    assert status(db, stranger) == "completed"
    assert sorted(one["id"] for one in ended) == sorted(children)
    assert {(one["status"], one["output"]) for one in ended} == {("completed", 5)}


@pytest.mark.parametrize(
    "said",
    [
        {"inputs": [{"$pickle": "gASV"}]},
        {"inputs": [[{"x": {"$pickle": "gASV"}}]]},
        {"inputs": [None], "details": [{"task": 0, "slots": [{"value": {"$pickle": "gASV"}}]}]},
    ],
)
def test_no_child_is_given_a_pickle(code: Code, db: psycopg.Connection, said: dict[str, Any]) -> None:
    refused = code.ask("POST", "/children", json={"kinds": [{"type": "app.trusting"}], **said})

    assert (refused.status_code, "$pickle" in refused.json()["detail"]) == (422, True)
    assert db.execute("select count(*) from tenuto.tasks").fetchone() == (1,)
    assert code.ask("POST", "/children", json={"kinds": [{"type": "a.b"}], "inputs": [["$pickle"]]}).status_code == 200


def test_no_task_gives_a_pickle(code: Code) -> None:
    refused = code.ask("POST", "/complete", json={"output": {"$pickle": "gASV"}})

    assert (refused.status_code, "$pickle" in refused.json()["detail"]) == (422, True)
    assert code.ask("POST", "/complete", json={"output": "$pickle"}).status_code == 200


def test_run_data_is_put_and_read_with_filters(code: Code) -> None:
    assert code.ask("PUT", "/data", json={"values": {"a.x": 1, "b.y": 2}, "tags": ["t"]}).status_code == 204

    assert [one["key"] for one in code.ask("GET", "/data").json()["items"]] == ["a.x", "b.y"]
    found = code.ask("GET", "/data", params={"prefix": "a.", "tags": "t"}).json()["items"]
    assert [(one["key"], one["value"], one["tags"]) for one in found] == [("a.x", 1, ["t"])]
    assert code.ask("GET", "/data", params={"keys": ["b.y", "no"]}).json()["items"][0]["key"] == "b.y"


def test_the_state_of_the_type_changes_only_from_the_version_that_was_read(code: Code) -> None:
    new = code.ask("PUT", "/state", json={"key": "cursor", "value": 1, "version": 0})
    late = code.ask("PUT", "/state", json={"key": "cursor", "value": 2, "version": 0})

    assert (new.json(), late.json()["code"]) == ({"version": 1}, "conflict")
    (found,) = code.ask("GET", "/state", params={"key": "cursor"}).json()["items"]
    assert (found["value"], found["version"]) == (1, 1)


def test_the_code_writes_its_log(code: Code, db: psycopg.Connection) -> None:
    lines = [{"line_no": 1, "message": "one"}, {"line_no": 2, "message": "two", "level": "error"}]

    assert code.ask("POST", "/logs", json={"lines": lines}).status_code == 204

    found = call(db, "read_logs", org_id=DEFAULT_ORG, task_id=code.task_id)
    assert [(one["attempt"], one["level"], one["message"]) for one in found] == [
        (1, "info", "one"),
        (1, "error", "two"),
    ]


def test_inputs_too_large_for_a_claim_are_read_in_parts(worker: HttpWorker, db: psycopg.Connection) -> None:
    slots = [{"task": 0}] * 40
    start_graph(db, 2, details=[{"task": 1, "slots": slots}])
    worker.claim_one()
    call(db, "complete_tasks", **worker.session, **_fences(db), outputs=[Jsonb("x" * 900_000)])

    code = Code(worker.api, worker.claim_one(tokens=True))
    assert code.claimed["slots"] == {"$fetch": 40}
    assert code.ask("GET").json()["slots"] == {"$fetch": 40}
    items = code.ask("GET", "/inputs").json()["items"]
    more = code.ask("GET", "/inputs", params={"first": 38}).json()["items"]

    assert [(item["part"], item["value"]) for item in items[:2]] == [("input", 1), ("metadata", None)]
    assert {len(item["value"]) for item in items[2:]} == {900_000}
    assert [(item["part"], item["slot_no"]) for item in more] == [("slot", 38), ("slot", 39)]


def _fences(db: psycopg.Connection) -> dict[str, Any]:
    """Of all that run."""
    rows = db.execute("select id, attempt from tenuto.running_tasks").fetchall()
    return {"task_ids": [row[0] for row in rows], "attempts": [row[1] for row in rows]}
