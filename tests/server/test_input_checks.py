"""Inputs of starts over HTTP are checked against the schema that a worker declared."""

from typing import Any

import psycopg
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey
from tests.support.database.tasks import call
from tests.support.http.worker_requests import HttpWorker, open_worker, worker_headers

SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "times": {"type": "integer"}},
    "required": ["to"],
    "additionalProperties": False,
    "x-positional": ["to", "times"],
}


def declare(worker: HttpWorker, schema: Any, type: str = "shop.send") -> Any:
    return worker.ask("types", types={type: {}}, schemas={type: schema} if schema else None)


def start(api: TestClient, input: Any, path: str = "/v1/runs", **more: Any) -> Any:
    return api.post(path, json={"type": "shop.send", "input": input, **more})


def test_a_wrong_input_is_refused_before_anything_is_stored(admin: TestClient, worker: HttpWorker) -> None:
    assert admin.post("/v1/runs", json={"type": "shop.other", "input": {"too": 1}}).status_code == 201
    assert declare(worker, SCHEMA).json() == {"schema_problems": {}}

    for input, says in (
        ({"too": 1}, "shop.send: there is no argument 'too'; did you mean to?"),
        ({}, "shop.send: the argument 'to' is missing"),
        ([1], "shop.send: to: is 1, not a text"),
        (7, "shop.send: to: is 7, not a text"),
    ):
        refused = start(admin, input)
        assert (refused.status_code, refused.json()["detail"]) == (422, says)
        assert refused.json()["hint"] == "its arguments are to, times (optional)"
    assert start(admin, ["a", 2]).status_code == 201
    assert start(admin, {"to": "a"}, dedupe_key="k").status_code == 201
    assert len(admin.get("/v1/runs").json()["items"]) == 3
    assert admin.get("/v1/types/shop.send").json()["input_schema"] == SCHEMA


def test_bulk_starts_and_graphs_are_checked_too(admin: TestClient, worker: HttpWorker) -> None:
    declare(worker, SCHEMA)
    right, wrong = {"type": "shop.send", "input": ["a"]}, {"type": "shop.send", "input": [3]}
    free = {"type": "shop.other", "input": [3]}

    bulk = admin.post("/v1/runs/bulk", json=[free, right, wrong])
    assert (bulk.status_code, bulk.json()["detail"]) == (422, "the start at index 2: shop.send: to: is 3, not a text")
    assert admin.post("/v1/runs/bulk", json=[free, right]).status_code == 201
    graph = {"a": free, "b": {"type": "shop.send", "input": {"to": {"$output": "a"}, "times": "x"}}}
    refused = admin.post("/v1/runs", json={"graph": {"tasks": graph}})
    assert (refused.status_code, refused.json()["detail"]) == (422, "shop.send: times: is a text, not a whole number")
    graph["b"]["input"] = {"to": {"$output": "a"}}  # type: ignore[index]
    assert admin.post("/v1/runs", json={"graph": {"tasks": graph}}).status_code == 201


def test_tasks_that_are_added_to_a_run_are_checked_too(admin: TestClient, worker: HttpWorker) -> None:
    declare(worker, SCHEMA)
    path = f"/v1/runs/{admin.post('/v1/runs', json={'open': True}).json()['id']}/tasks"

    for body in ({"type": "shop.send", "input": [3]}, {"graph": {"tasks": {"a": {"type": "shop.send", "input": [3]}}}}):
        refused = admin.post(path, json=body)
        assert (refused.status_code, refused.json()["detail"]) == (422, "shop.send: to: is 3, not a text")
    assert start(admin, ["a"], path).status_code == 201
    assert len(admin.get(path).json()["items"]) == 1


def test_inputs_of_schedules_are_checked_too(admin: TestClient, worker: HttpWorker) -> None:
    declare(worker, SCHEMA)
    nightly = {"type": "shop.send", "cron": "0 3 * * *", "input": {"to": "a"}}

    for input, says in (({"to": 1}, "to: is 1, not a text"), ({}, "the argument 'to' is missing")):
        refused = admin.put("/v1/schedules/nightly", json={**nightly, "input": input})
        assert (refused.status_code, refused.json()["detail"]) == (422, f"shop.send: {says}")
    assert admin.get("/v1/schedules/nightly").status_code == 404
    assert admin.put("/v1/schedules/nightly", json=nightly).status_code == 200
    refused = admin.patch("/v1/schedules/nightly", json={"input": ["a", "b"]})
    assert (refused.status_code, refused.json()["detail"]) == (422, "shop.send: times: is a text, not a whole number")
    assert admin.patch("/v1/schedules/weekly", json={"input": ["a"]}).status_code == 404
    assert admin.patch("/v1/schedules/nightly", json={"input": ["b", 2]}).json()["input"] == ["b", 2]
    assert admin.patch("/v1/schedules/nightly", json={"cron": "0 4 * * *"}).status_code == 200


def test_a_new_declaration_counts_at_once_for_what_it_allows(admin: TestClient, worker: HttpWorker) -> None:
    declare(worker, SCHEMA)
    assert start(admin, {"to": 3}).status_code == 422

    declare(worker, {**SCHEMA, "properties": {"to": {}}})
    assert start(admin, {"to": 3}).status_code == 201
    declare(worker, None)
    assert start(admin, {"other": 3}).status_code == 201


def test_orgs_and_queues_keep_to_their_own_schemas(
    admin: TestClient, worker: HttpWorker, db: psycopg.Connection, make_headers: MakeKey
) -> None:
    declare(worker, SCHEMA)
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))
    assert admin.post("/v1/runs", json={"type": "shop.send", "input": [3]}, headers=stranger).status_code == 201

    mail = open_worker(admin, worker_headers(db, "mail"), "mail")
    declare(mail, {"type": "object", "x-positional": []})
    assert start(admin, [3]).status_code == 422, "a key for other queues does not replace the declaration"


def test_a_refused_schema_stops_neither_its_type_nor_the_others(admin: TestClient, worker: HttpWorker) -> None:
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}
    types = {name: {"kind": {"priority": 7}} for name in ("shop.send", "shop.large", "shop.loop", "shop.none")}
    schemas = {"shop.send": SCHEMA, "shop.large": {"x": "y" * 20_000}, "shop.loop": loop, "shop.none": 5}

    declared = worker.ask("types", types=types, schemas=schemas)

    problems = declared.json()["schema_problems"]
    assert (declared.status_code, sorted(problems)) == (200, ["shop.large", "shop.loop", "shop.none"])
    assert problems["shop.large"] == "it has more than 16 kB; describe less"
    assert start(admin, [3]).status_code == 422
    for name, problem in problems.items():
        shown = admin.get(f"/v1/types/{name}").json()
        assert (shown["input_schema"], shown["schema_problem"], shown["kind"]) == (None, problem, {"priority": 7})
        assert admin.post("/v1/runs", json={"type": name, "input": [3]}).status_code == 201
    assert worker.ask("types", types={"shop.loop": {}}, schemas={"shop.loop": SCHEMA}).json()["schema_problems"] == {}
    assert admin.get("/v1/types/shop.loop").json()["schema_problem"] is None


def test_a_type_that_may_be_one_of_several_is_checked(admin: TestClient, worker: HttpWorker) -> None:
    declare(worker, {"type": "object", "properties": {"x": {"type": ["string", "null"]}}})

    assert [start(admin, {"x": value}).status_code for value in ("s", None, 1)] == [201, 201, 422]


def test_starts_of_types_with_more_schemas_than_a_server_reads_are_refused(
    admin: TestClient, worker: HttpWorker
) -> None:
    types = [f"shop.t{no}" for no in range(80)]
    schema = {"properties": {"x": {"enum": ["y" * 14_000]}}}
    for some in (types[:40], types[40:]):
        worker.ask("types", types={name: {} for name in some}, schemas=dict.fromkeys(some, schema))

    refused = admin.post("/v1/runs/bulk", json=[{"type": name} for name in types])
    assert (refused.status_code, refused.json()["hint"]) == (413, "start tasks of fewer types at once")
    assert admin.post("/v1/runs/bulk", json=[{"type": name} for name in types[:40]]).status_code == 201
