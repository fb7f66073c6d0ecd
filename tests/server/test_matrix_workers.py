"""Every route for worker keys and task tokens: the same matrix.json, the columns worker, live, dead and other task."""

from typing import Any
from uuid import uuid4

import psycopg

from tenuto.server.settings import ServerSettings
from tests.server.test_matrix import MATRIX, filled, routes
from tests.support.database.loops import an_org
from tests.support.database.outbox import a_destination
from tests.support.database.tasks import start
from tests.support.http.worker_requests import HttpWorker, open_worker, worker_headers

# A body that each route of tasks accepts, so that what refuses is the fence and not the form.
BODIES: dict[str, dict[str, Any]] = {
    "POST /v1/task/logs": {"lines": [{"line_no": 1, "message": "m"}]},
    "POST /v1/task/heartbeat": {},
    "POST /v1/task/progress": {"progress": 0.5},
    "POST /v1/task/complete": {"output": 1},
    "POST /v1/task/fail": {"error": "boom"},
    "POST /v1/task/snooze": {"seconds": 1},
    "POST /v1/task/wait": {"wait": {"for": "time", "seconds": 1}},
    "POST /v1/task/steps": {"step_no": 1, "name": "s", "kind": "step", "value": 1},
    "POST /v1/task/steps/fail": {"step_no": 1, "name": "s", "error": {"message": "no"}, "tries": 1},
    "POST /v1/task/signals": {"step_no": 1, "name": "s"},
    "POST /v1/task/children": {"kinds": [{"type": "a.b"}], "inputs": [1]},
    "POST /v1/task/children/poll": {"task_ids": []},
    "POST /v1/task/effects": {"kind": "deliver", "payload": {"destination": "crm", "body": 1}},
    "POST /v1/task/events": {"output": "raw"},
    "PUT /v1/task/data": {"values": {"k": 1}},
    "POST /v1/task/credentials": {},
    "POST /v1/task/query": {"sql": "select * from orders"},
    "POST /v1/task/query/export": {"sql": "select * from orders", "format": "csv"},
    "POST /v1/task/rows": {"output": 0, "location": "x/", "page": 0, "rows": []},
    "PUT /v1/task/state": {"key": "k", "value": 1, "version": 0},
}
# What must be in the address.
QUERIES = {"/v1/task/files": "?key=x", "/v1/task/inputs/locations": "?input=0", "/v1/task/rows": "?input=0&location=x/"}
# Tasks without a job have neither files nor inputs of a job.
OF_JOBS = {
    "GET /v1/task/files": 409,
    "PUT /v1/task/files": 409,
    "POST /v1/task/credentials": 409,
    "POST /v1/task/events": 409,
    "GET /v1/task/inputs/locations": 404,
    "GET /v1/task/rows": 404,
    "POST /v1/task/query": 404,
    "POST /v1/task/query/export": 404,
    "POST /v1/task/rows": 404,
}


def ask(worker: HttpWorker, route: str, headers: dict[str, str], **more: Any) -> int:
    method, path = route.split(" ")
    body = {**BODIES.get(route, {}), **more}
    sent: dict[str, Any] = {"json": body} if route in BODIES else {}
    address = f"{filled(path, uuid4())}{QUERIES.get(path, '')}"
    return worker.api.request(method, address, headers=headers, **sent).status_code


def token_of(task: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {task['token']}"}


def all_routes(settings: ServerSettings) -> list[str]:
    return [f"{method} {path}" for method, path in routes(settings)]


def test_a_worker_key_opens_what_is_for_workers_and_nothing_else(settings: ServerSettings, worker: HttpWorker) -> None:
    answers = {route: ask(worker, route, worker.headers) for route in all_routes(settings)}

    let_in = {route for route, status in answers.items() if status not in (401, 403)}
    assert let_in == {route for route, least in MATRIX.items() if least in ("public", "worker")}
    assert {status for route, status in answers.items() if route not in let_in} == {401}
    assert max(answers.values()) < 500


def test_a_live_token_opens_what_is_for_tasks_and_nothing_else(
    settings: ServerSettings, worker: HttpWorker, db: psycopg.Connection
) -> None:
    every = all_routes(settings)
    a_destination(db)
    start(db, *every)
    tokens = [token_of(task) for task in worker.claim(len(every), tokens=True)["tasks"]]

    answers = {route: ask(worker, route, token) for route, token in zip(every, tokens, strict=True)}

    let_in = {route for route, status in answers.items() if status not in (401, 403)}
    assert let_in == {route for route, least in MATRIX.items() if least in ("public", "task")}
    done = {route: status for route, status in answers.items() if MATRIX[route] == "task" and status >= 300}
    assert done == {"GET /v1/task/objects/{object_id}": 404, **OF_JOBS}
    assert {status for route, status in answers.items() if route not in let_in} == {401}


def test_a_dead_token_opens_nothing_at_all(
    settings: ServerSettings, worker: HttpWorker, db: psycopg.Connection
) -> None:
    start(db, 1)
    dead = token_of(worker.claim_one(tokens=True))
    worker.ask("heartbeat", settled_claim_no=worker.claim_no, held=[])

    answers = {route: ask(worker, route, dead) for route in all_routes(settings) if MATRIX[route] != "public"}

    assert {status for route, status in answers.items() if MATRIX[route] == "task"} == {409}
    assert {status for route, status in answers.items() if MATRIX[route] != "task"} == {401}


def test_a_token_of_another_task_or_org_does_nothing_to_this_one(
    settings: ServerSettings, worker: HttpWorker, db: psycopg.Connection
) -> None:
    other_org = an_org(db, "other")
    start(db, 1, 2)
    start(db, 3, org_id=other_org)
    mine, other = worker.claim(2, tokens=True)["tasks"]
    theirs = open_worker(worker.api, worker_headers(db, org_id=other_org)).claim_one(tokens=True)

    answers = {
        (route, who["task_id"]): ask(worker, route, token_of(who), task_id=mine["task_id"], attempt=mine["attempt"])
        for route in all_routes(settings)
        for who in (other, theirs)
        if route in BODIES
    }

    assert set(answers.values()) == {403}
    assert worker.api.get("/v1/task", headers=token_of(mine)).json()["cancelled"] is False


def test_every_route_of_tasks_that_takes_a_body_has_one_here(settings: ServerSettings) -> None:
    taking = {route for route in all_routes(settings) if MATRIX[route] == "task" and not route.startswith("GET ")}

    assert set(BODIES) == taking - {"POST /v1/task/objects", "PUT /v1/task/files"}
