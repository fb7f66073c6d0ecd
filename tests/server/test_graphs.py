"""Graphs over HTTP: tasks that name each other, checked before anything starts."""

from typing import Any

import psycopg
import pytest
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.tasks import a_worker, call

REPORT = {
    "name": "report",
    "tasks": {
        "total": {
            "type": "r.merge",
            "input": {"parts": {"$output": "parts"}, "first": {"$output": "pair", "index": 1}},
        },
        "parts": {"type": "r.extract", "map": ["eu", ["us"], {"region": "asia"}], "priority": 3},
        "pair": {"type": "r.pair", "output_count": 2, "name": None},
        "audit": {"type": "r.audit", "after": ["parts"], "optional": True},
        "publish": {
            "type": "r.publish",
            "input": [{"$output": "total"}],
            "after": [{"task": "audit", "on": "continue"}],
        },
        "alarm": {"type": "r.alarm", "handler": "failed", "max_attempts": 1},
    },
    "outputs": [{"$output": "publish"}, {"$output": "parts"}],
}


def start(api: TestClient, graph: object, **more: object):
    return api.post("/v1/runs", json={"graph": graph, **more})


def work(db: psycopg.Connection) -> list[tuple[str, Any, Any]]:
    """Everything runs; each task gives [its type, its number]; answers type, input and slots in order."""
    worker, seen = a_worker(db), []
    while claims := worker.claim(10):
        for claim in claims:
            (one,) = call(db, "get_task", org_id=worker.org_id, task_id=claim.task_id)
            seen.append((one["name"], claim.input, claim.slots))
            worker.complete(claim, outputs=[[one["type"], len(seen)]])
        call(db, "fold_runs")
        call(db, "settle_runs")
    return seen


def test_outputs_flow_by_name_through_maps_and_places(admin: TestClient, db: psycopg.Connection) -> None:
    run_id = start(admin, REPORT, metadata={"team": "bi"}).json()["id"]
    seen = {name: (input, slots) for name, input, slots in work(db)}

    run = admin.get(f"/v1/runs/{run_id}", params={"wait": 20}).json()

    assert (run["name"], run["metadata"], run["status"]) == ("report", {"team": "bi"}, "completed")
    assert [seen[f"parts[{no}]"][0] for no in range(3)] == [["eu"], ["us"], {"region": "asia"}]
    assert seen["total"][0] == {"parts": [{"$slot": 0}, {"$slot": 1}, {"$slot": 2}], "first": {"$slot": 3}}
    assert [one[0] for one in seen["total"][1][:3]] == ["r.extract"] * 3
    assert isinstance(seen["total"][1][3], int)
    assert [one[0] for one in run["output"]] == ["r.publish"] + ["r.extract"] * 3
    statuses = {one["name"]: one["status"] for one in admin.get("/v1/tasks", params={"run_id": run_id}).json()["items"]}
    assert (statuses["alarm"], statuses[None]) == ("skipped", "completed")


def test_a_list_of_tasks_and_graphs_is_one_transaction_and_one_entry(admin: TestClient) -> None:
    small = {"graph": {"tasks": {"a": {"type": "s.a"}, "b": {"type": "s.b", "after": ["a"]}}}}

    items = admin.post("/v1/runs/bulk", json=[small, {"type": "s.c"}, small]).json()["items"]
    refused = admin.post(
        "/v1/runs/bulk", json=[{"type": "s.c"}, {"graph": {"tasks": {"a": {"type": "s.a", "after": ["x"]}}}}]
    )

    assert [admin.get(f"/v1/runs/{one['id']}").json()["total_tasks"] for one in items] == [2, 1, 2]
    assert refused.status_code == 422
    assert len(admin.get("/v1/runs").json()["items"]) == 3
    (entry,) = admin.get("/v1/audit", params={"entity": "run"}).json()["items"]
    assert (entry["changes"]["runs"], entry["changes"]["type"]) == ({"new": 3}, {"new": "s.a, s.b, s.c"})


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ({}, "write 1 or more"),
        ({"a": {"type": "t.a", "after": ["b"]}}, "there is no task 'b' in the graph; its tasks are a"),
        ({"a": {"type": "t.a", "input": [{"$output": "b"}]}}, "a: input[0]: there is no task 'b'"),
        ({"a": {"type": "t.a", "after": ["b"]}, "b": {"type": "t.b", "after": ["a"]}}, "in a circle"),
        ({"a": {"type": "t.a", "input": [{"$output": "a"}]}}, "in a circle"),
        (
            {"a": {"type": "t.a"}, "b": {"type": "t.b", "input": [{"$output": "a", "index": 1}]}},
            "no output 1 of 'a'",
        ),
        ({"a": {"type": "t.a"}, "b": {"type": "t.b", "input": [{"$output": "a", "x": 1}]}}, "is not an output"),
        ({"a": {"type": "t.a"}, "b": {"type": "t.b", "after": [{"task": "a", "on": "maybe"}]}}, "'continue'"),
        (
            {"a": {"type": "t.a"}, "b": {"type": "t.b", "handler": "failed", "after": ["a"]}},
            "handlers for the same outcome",
        ),
        ({"a": {"type": "t.a", "map": [1], "input": [2]}}, "can be merged only if all are objects"),
        ({"a": {"type": "t.a", "map": []}}, "write 1 or more"),
        ({"a": {"type": "t.a", "timeout": "soon"}}, "timeout"),
        ({"a": {"type": "t.a", "dedupe_key": "x"}}, "dedupe_key"),
    ],
)
def test_a_graph_that_cannot_be_is_refused_with_what_and_where(admin: TestClient, tasks: object, said: str) -> None:
    refused = start(admin, {"tasks": tasks})

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_input"), refused.text
    assert said in refused.json()["detail"] + "; " + refused.json().get("hint", "")
    assert admin.get("/v1/runs").json()["items"] == []


PICKLE = {"$pickle": "gASVAAAAAAAAAAA="}


@pytest.mark.parametrize(
    "body",
    [
        {"type": "p.t", "input": [PICKLE]},
        {"type": "p.t", "input": {"x": [{"deep": [PICKLE]}]}},
        {"type": "p.t", "input": PICKLE},
        {"type": "p.t", "input": {"$pickle": "x", "y": 1}},
        {"graph": {"tasks": {"a": {"type": "p.t", "input": PICKLE}}}},
        {"graph": {"tasks": {"a": {"type": "p.t", "map": [PICKLE]}}}},
        {"graph": {"tasks": {"a": {"type": "p.t", "map": [{"x": 1}], "input": {"y": PICKLE}}}}},
        {"type": "p.t", "input": [{"$slot": 0}]},
        {"type": "p.t", "input": [{"$output": "a"}]},
        {"type": "p.t", "input": [{"$object": "nonsense"}]},
        {"type": "p.t", "input": [{"$object": "00000000-0000-7000-8000-000000000001", "json": True}]},
    ],
)
def test_what_the_wire_format_reserves_never_reaches_a_worker(
    admin: TestClient, db: psycopg.Connection, body: dict[str, object]
) -> None:
    refused = [admin.post("/v1/runs", json=body), admin.post("/v1/runs/bulk", json=[{"type": "p.t"}, body])]
    refused.append(admin.post("/v1/runs/bulk", json=[body]))

    assert {(one.status_code, one.json()["code"]) for one in refused} == {(422, "invalid_input")}
    assert a_worker(db).claim(10) == []


def test_a_signal_holds_no_pickle_either(admin: TestClient) -> None:
    run_id = admin.post("/v1/runs", json={"type": "p.t"}).json()["id"]

    assert admin.post(f"/v1/runs/{run_id}/signals", json={"name": "go", "value": [PICKLE]}).status_code == 422


def test_a_data_object_is_taken_from_its_own_org_alone(
    admin: TestClient, db: psycopg.Connection, make_headers: MakeKey
) -> None:
    other = call(db, "create_org", slug="other")
    ours = call(db, "put_object", org_id=a_worker(db).org_id, type="bytes", payload=b"x")
    theirs = call(db, "put_object", org_id=other, type="bytes", payload=b"x")

    def send(id: object):
        return admin.post("/v1/runs", json={"type": "p.t", "input": {"photo": {"$object": str(id)}}})

    assert (send(theirs).status_code, send(theirs).json()["code"]) == (404, "not_found")
    assert send(ours).status_code == 201
    (claim,) = a_worker(db, name="second").claim(10)
    assert (claim.input, claim.slots) == ({"photo": {"$slot": 0}}, [{"$object": str(ours)}])


def test_a_strict_start_refuses_types_that_no_worker_serves(admin: TestClient, db: psycopg.Connection) -> None:
    a_worker(db, metadata={"types": ["shop.send"]})

    def send(type: str, **more: object) -> int:
        return admin.post("/v1/runs", json={"type": type, "strict": True, **more}).status_code

    assert [send("shop.send"), send("shop.sned"), send("shop.sned", strict=False), send("shop.sned")] == [
        201,
        404,
        201,
        404,
    ]
    graph = {"tasks": {"a": {"type": "shop.send"}, "b": {"type": "shop.other"}}}
    refused = start(admin, graph, strict=True)
    assert "no worker has ever served shop.other" in refused.json()["detail"]
    assert "start its worker first, or start it anyway" in refused.json()["hint"]
    queues = [admin.post("/v1/runs", json={"type": "shop.send", "strict": True, "queue": q}) for q in ("default", "m")]
    assert [response.status_code for response in queues] == [201, 404]
    assert "no queue 'm'" in queues[1].json()["detail"]


def test_a_strict_start_of_a_mistyped_type_names_the_one_that_was_meant(
    admin: TestClient, db: psycopg.Connection
) -> None:
    call(db, "declare_types", **a_worker(db).fence, types={"shop.send": {}, "shop.refund": {}})

    refused = admin.post("/v1/runs", json={"type": "shop.sned", "strict": True})

    assert refused.status_code == 404
    assert refused.json()["hint"].startswith("did you mean shop.send? If not, start its worker")


def test_limits_and_backoff_are_those_of_the_task(admin: TestClient) -> None:
    limit = {"scope": "key", "key": "shop:customer=7", "size": 2}
    run_id = admin.post("/v1/runs", json={"type": "shop.send", "limits": [limit], "backoff": "1m"}).json()["id"]

    assert admin.get(f"/v1/tasks/{run_id}").json()["limits"] == [limit]
    assert admin.post("/v1/runs", json={"type": "a.b", "limits": [{**limit, "size": 0}]}).status_code == 422
