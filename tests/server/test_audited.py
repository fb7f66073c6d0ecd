"""Every route by which a person or key changes something leaves an entry in the audit log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
from starlette.testclient import TestClient

from tests.dag.documents import with_job
from tests.support.database.functions import serve_functions
from tests.support.database.loops import cancel_run, settle
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start_graph
from tests.support.database.users import a_user
from tests.support.http.worker_requests import open_worker, worker_headers
from tests.support.processes.bundles import a_bundle, hash_of

MATRIX: dict[str, str] = json.loads((Path(__file__).parent / "matrix.json").read_text())["routes"]
UNWRITTEN = {
    "POST /v1/runs/wait": "it only looks",
    "POST /v1/dags/{name}/plan": "it only looks",
    "POST /v1/dags/{name}/graph": "it only looks",
    "POST /v1/backfills/preview": "it only looks",
    "POST /v1/query": "it changes nothing; test_queries.py checks its entry",
    "POST /v1/query/export": "it changes nothing",
    "POST /v1/webhooks/{org_id}/{webhook_path}": "it needs a signature; test_webhooks.py checks the entry",
    "POST /auth/logout": "one ends one's own visit; its beginning is written down",
}
OF_WORKERS = {"PUT /internal/schedules"}  # the rest of what they do is kept as attempts and sessions
Deed = tuple[str, str, dict[str, Any]]


def must_be_written() -> set[str]:
    changing = {route for route in MATRIX if route.split()[0] not in ("GET", "HEAD")}
    by_others = {route for route in changing if MATRIX[route] in ("worker", "task")}
    return changing - by_others - set(UNWRITTEN) | OF_WORKERS


def deeds(api: TestClient, db: Db) -> Iterator[Deed]:
    """A request by each route that does something, and how it is sent."""
    yield from of_runs(api, db)
    yield from of_keys(api)
    yield from of_people(db)
    yield from of_things(api, db)
    yield from of_dags(db)


def of_runs(api: TestClient, db: Db) -> Iterator[Deed]:
    def a_run() -> str:
        return api.post("/v1/runs", json={"type": "shop.send"}).json()["id"]

    yield "POST /v1/runs", "/v1/runs", {"json": {"type": "shop.send"}}
    yield "POST /v1/runs/bulk", "/v1/runs/bulk", {"json": [{"type": "shop.send"}]}
    yield "PATCH /v1/runs/{run_id}", f"/v1/runs/{a_run()}", {"json": {"status": "cancelled"}}
    run = a_run()
    yield "POST /v1/runs/{run_id}/signals", f"/v1/runs/{run}/signals", {"json": {"name": "go"}}
    yield "PUT /v1/runs/{run_id}/data", f"/v1/runs/{run}/data", {"json": {"values": {"k": 1}}}
    (value,) = call(db, "get_run_data", org_id=DEFAULT_ORG, run_id=run)
    yield "PATCH /v1/data/{data_id}/tags", f"/v1/data/{value['id']}/tags", {"json": {"add": ["x"]}}
    yield "DELETE /v1/runs/{run_id}/data", f"/v1/runs/{run}/data?key=k", {}
    yield "POST /v1/runs/{run_id}/cancel", f"/v1/runs/{run}/cancel", {}
    opened = api.post("/v1/runs", json={"open": True}).json()["id"]
    yield "POST /v1/runs/{run_id}/tasks", f"/v1/runs/{opened}/tasks", {"json": {"type": "shop.send"}}
    yield "POST /v1/runs/{run_id}/close", f"/v1/runs/{opened}/close", {}
    held = api.post("/v1/runs", json={"type": "shop.held", "hold": True}).json()["id"]
    yield "POST /v1/runs/{run_id}/release", f"/v1/runs/{held}/release", {}
    yield "POST /v1/runs/{run_id}/retry", f"/v1/runs/{run}/retry", {}
    again = {"json": {"force": True}}
    yield "POST /v1/tasks/{task_id}/retry", f"/v1/tasks/{run}/retry", again
    api.post("/v1/runs", json={"type": "shop.one"})
    yield "POST /v1/runs/cancel", "/v1/runs/cancel", {"json": {"type": "shop.one"}}
    yield "POST /v1/runs/retry", "/v1/runs/retry", {"json": {"type": "shop.one", "status": "cancelled"}}
    yield "POST /v1/runs/delete", "/v1/runs/delete", {"json": {"type": "shop.one"}}
    gone = a_run()
    api.post(f"/v1/runs/{gone}/cancel")
    yield "DELETE /v1/runs/{run_id}", f"/v1/runs/{gone}", {}
    yield "PATCH /v1/tasks/{task_id}", f"/v1/tasks/{a_run()}", {"json": {"metadata": {"a": 1}}}
    yield "DELETE /v1/tasks/{task_id}", f"/v1/tasks/{a_final_task(db)}", {}
    yield "POST /v1/tasks/{task_id}/cancel", f"/v1/tasks/{a_run()}/cancel", {}


def a_final_task(db: Db) -> UUID:
    run_id, (task_id, _) = start_graph(db, 2)
    cancel_run(db, run_id)
    settle(db)
    return task_id


def of_keys(api: TestClient) -> Iterator[Deed]:
    for path, more in (("/v1/keys", {"permissions": ["runs:read"]}), ("/v1/worker-keys", {})):
        yield f"POST {path}", path, {"json": {"name": "ci", **more}}
        id = api.get(path).json()["items"][0]["id"]
        if path == "/v1/keys":
            yield "PATCH /v1/keys/{id}", f"/v1/keys/{id}", {"json": {"name": "build"}}
        yield f"POST {path}/{{id}}/rotate", f"{path}/{id}/rotate", {"json": {}}
        yield f"DELETE {path}/{{id}}", f"{path}/{id}", {}


def of_people(db: Db) -> Iterator[Deed]:
    ann = a_user(db)
    yield "POST /v1/users", "/v1/users", {"json": {"issuer": "here", "subject": "bob"}}
    yield "PATCH /v1/users/{user_id}", f"/v1/users/{ann}", {"json": {"platform_role": "writer"}}
    yield "POST /v1/roles", "/v1/roles", {"json": {"name": "finance"}}
    yield "PUT /v1/roles/{name}/members/{user_id}", f"/v1/roles/finance/members/{ann}", {}
    yield "DELETE /v1/roles/{name}/members/{user_id}", f"/v1/roles/finance/members/{ann}", {}
    yield "DELETE /v1/roles/{name}", "/v1/roles/finance", {}
    yield "PATCH /v1/orgs/{slug}", "/v1/orgs/default", {"json": {"name": "Ours"}}


def of_things(api: TestClient, db: Db) -> Iterator[Deed]:
    bundle, object_id = a_bundle(), uuid4()
    zipped = {"content": bundle, "headers": {"Content-Type": "application/zip"}}
    yield "POST /v1/bundles", "/v1/bundles", zipped
    yield "DELETE /v1/bundles/{sha256}", f"/v1/bundles/{hash_of(bundle)}", {}
    yield "POST /v1/objects", "/v1/objects", {"content": b"x"}
    yield "PUT /v1/objects/{object_id}", f"/v1/objects/{object_id}", {"content": b"x"}
    holder = {"json": {"group": "default"}}
    yield "POST /v1/objects/{object_id}/reference", f"/v1/objects/{object_id}/reference", holder
    yield "POST /v1/objects/{object_id}/release", f"/v1/objects/{object_id}/release", holder
    yield "DELETE /v1/objects/{object_id}", f"/v1/objects/{object_id}", {}
    daily = {"type": "shop.send", "cron": "0 9 * * *"}
    yield "PUT /v1/schedules/{name}", "/v1/schedules/daily", {"json": daily}
    yield "POST /v1/schedules/{name}/pause", "/v1/schedules/daily/pause", {}
    yield "POST /v1/schedules/{name}/resume", "/v1/schedules/daily/resume", {}
    yield "POST /v1/schedules/{name}/run", "/v1/schedules/daily/run", {}
    yield "PATCH /v1/schedules/{name}", "/v1/schedules/daily", {"json": {"cron": "0 8 * * *"}}
    yield "DELETE /v1/schedules/{name}", "/v1/schedules/daily", {}
    yield "PUT /v1/destinations/{name}", "/v1/destinations/crm", {"json": {"url": "https://crm.example/"}}
    delivery = {"kind": "deliver", "payload": {"destination": "crm", "body": 1}}
    yield "POST /v1/outbox", "/v1/outbox", {"json": delivery}
    yield "POST /v1/destinations/{name}/rotate", "/v1/destinations/crm/rotate", {}
    yield "DELETE /v1/destinations/{name}", "/v1/destinations/crm", {}
    yield "POST /v1/outbox/replay", "/v1/outbox/replay", {"json": {"all": True}}
    yield "POST /v1/queues/{name}/pause", "/v1/queues/mail/pause?new=true", {}
    yield "POST /v1/queues/{name}/resume", "/v1/queues/mail/resume", {}
    yield "POST /v1/queues/{name}/purge", "/v1/queues/mail/purge", {}
    yield "PUT /v1/limits/{scope}/{key}", "/v1/limits/key/eu", {"json": {"size": 2}}
    yield "DELETE /v1/limits/{scope}/{key}", "/v1/limits/key/eu", {}
    yield "PUT /v1/pools/{name}", "/v1/pools/gpu", {"json": {"max_workers": 2}}
    yield "POST /v1/pools/{name}/machines", "/v1/pools/gpu/machines", {"json": {"count": 1}}
    yield "DELETE /v1/pools/{name}", "/v1/pools/gpu", {}
    yield "PUT /v1/groups/{name}", "/v1/groups/reports", {"json": {"weight": 2}}
    yield "DELETE /v1/groups/{name}", "/v1/groups/reports", {}
    fleet = worker_headers(db)
    open_worker(api, fleet, "far")
    yield "POST /v1/workers/{name}/drain", "/v1/workers/far/drain", {}
    yield "POST /v1/workers/{name}/terminate", "/v1/workers/far/terminate", {}
    fleet = worker_headers(db)
    schedule = {"name": "a.report", "kind": {"type": "a.report"}, "cron": "0 9 * * *"}
    yield (
        "PUT /internal/schedules",
        "/internal/schedules",
        {"json": {"types": [], "schedules": [schedule]}, "headers": fleet},
    )


def of_dags(db: Db) -> Iterator[Deed]:
    serve_functions(db)
    call(db, "create_role", org_id=DEFAULT_ORG, name="finance")
    for no in (1, 2):
        yaml = json.dumps(with_job("daily", config={"sql": f"select {no}"}))
        yield "POST /v1/dags/{name}/versions", "/v1/dags/orders/versions", {"json": {"yaml": yaml}}
        yield "POST /v1/dags/{name}/cutover", "/v1/dags/orders/cutover", {}
    yield "POST /v1/dags/{name}/rollback", "/v1/dags/orders/rollback", {}
    yield (
        "POST /v1/jobs/{dag}/{name}/trigger",
        "/v1/jobs/orders/daily/trigger",
        {"json": {"partitions": ["2026-11-01"]}},
    )
    yield "POST /v1/jobs/{dag}/{name}/pause", "/v1/jobs/orders/daily/pause", {}
    yield "POST /v1/jobs/{dag}/{name}/resume", "/v1/jobs/orders/daily/resume", {}
    hook = {"kind": "webhook", "webhook_path": "/new"}
    yaml = json.dumps(with_job("extract", source=hook))
    yield "POST /v1/dags/{name}/versions", "/v1/dags/orders/versions", {"json": {"yaml": yaml}}
    yield "POST /v1/dags/{name}/cutover", "/v1/dags/orders/cutover", {}
    yield "POST /v1/jobs/{dag}/{name}/webhook/rotate", "/v1/jobs/orders/extract/webhook/rotate", {}
    days = {"json": {"dataset": "orders_daily", "partitions": ["2026-11-01"]}}
    yield "POST /v1/backfills", "/v1/backfills", days
    wrong = {"json": {"first": "2026-11-01", "last": "2026-11-02", "reason": "a wrong rate"}}
    yield "POST /v1/datasets/{name}/invalidate", "/v1/datasets/orders_daily/invalidate", wrong
    id = call(db, "list_backfills", org_id=DEFAULT_ORG)[0]["id"]
    for verb in ("pause", "resume", "cancel"):
        yield f"POST /v1/backfills/{{backfill_id}}/{verb}", f"/v1/backfills/{id}/{verb}", {}
    yield "PUT /v1/alert-rules/{name}", "/v1/alert-rules/dead", {"json": {"kind": "dead_effects"}}
    yield "POST /v1/alert-rules/{name}/silence", "/v1/alert-rules/dead/silence", {"json": {"seconds": 60}}
    db.execute(
        "insert into tenuto.alerts (id, org_id, rule, key, status, summary, details, first_at, last_at)"
        " select id, id, 'dead', 'k', 'firing', 's', '{}', now(), now() from tenuto.orgs where id = %s",
        [DEFAULT_ORG],
    )
    yield "POST /v1/alerts/{alert_id}/acknowledge", f"/v1/alerts/{DEFAULT_ORG}/acknowledge", {}
    yield "DELETE /v1/alert-rules/{name}", "/v1/alert-rules/dead", {}
    finance = {"json": {"role": "finance"}}
    yield "POST /v1/datasets/{name}/grant", "/v1/datasets/orders_daily/grant", finance
    yield "POST /v1/datasets/{name}/revoke", "/v1/datasets/orders_daily/revoke", finance
    yield "POST /v1/datasets/{name}/purge", "/v1/datasets/orders_daily/purge", {"json": {"keep": 0}}
    for name in ("left_over", "kept"):
        job = {**with_job("extract", source={"kind": "manual"})["jobs"][0], "outputs": [{"dataset": name}]}
        yaml = json.dumps({"name": "extra", "jobs": [job]})
        yield "POST /v1/dags/{name}/versions", "/v1/dags/extra/versions", {"json": {"yaml": yaml}}
        yield "POST /v1/dags/{name}/cutover", "/v1/dags/extra/cutover", {}
    yield "DELETE /v1/datasets/{name}", "/v1/datasets/left_over", {}
    yield "DELETE /v1/dags/{name}", "/v1/dags/orders?force=true", {}


def test_every_change_by_a_person_or_key_is_written_down(admin: TestClient, db: psycopg.Connection) -> None:
    def entries() -> int:
        written = "select (select count(*) from tenuto.audit_log) + (select count(*) from tenuto.audit_arrivals)"
        return db.execute(written).fetchall()[0][0]

    done, unwritten = set(), []
    for route, path, sent in deeds(admin, db):
        before = entries()
        answer = admin.request(route.split()[0], path, **sent)
        assert answer.is_success, (route, answer.text)
        done.add(route)
        if entries() != before + 1:
            unwritten.append(route)

    assert unwritten == []
    assert done == must_be_written()
