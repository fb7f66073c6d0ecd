"""Inputs that are expensive to check: the inputs of one request share a budget, and others are answered meanwhile."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call
from tests.support.http.app_server import serving
from tests.support.http.worker_requests import HttpWorker
from tests.support.waiting import wait_until

# Accepted, and as expensive as an accepted schema can be: each value is compared with 900 types.
COSTLY = {"properties": {"x": {"items": {"anyOf": [*[{"type": "null"}] * 900, {"type": "integer"}]}}}}


def declare(worker: HttpWorker, schema: Any) -> None:
    declared = worker.ask("types", types={"shop.send": {}}, schemas={"shop.send": schema})
    assert declared.json() == {"schema_problems": {}}


def test_the_inputs_of_one_request_share_a_budget(admin: TestClient, worker: HttpWorker) -> None:
    declare(worker, COSTLY)
    one = {"type": "shop.send", "input": {"x": [1] * 20}}

    assert admin.post("/v1/runs", json=one).status_code == 201
    wrong = {"type": "shop.send", "input": {"x": ["a text"]}}
    assert admin.post("/v1/runs/bulk", json=[*[one] * 4, wrong]).status_code == 422
    assert admin.post("/v1/runs/bulk", json=[*[one] * 300, wrong]).status_code == 201  # the worker refuses the last one


def test_ten_thousand_starts_of_a_plain_schema_are_within_the_budget(admin: TestClient, worker: HttpWorker) -> None:
    address = {"type": "object", "properties": {"to": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}
    declare(worker, {"properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], "$defs": {"A": address}})

    starts = [{"type": "shop.send", "input": {"a": {"to": f"t{no}"}}} for no in range(10_000)]

    assert admin.post("/v1/runs/bulk", json=starts).status_code == 201
    starts[9_999]["input"] = {}
    refused = admin.post("/v1/runs/bulk", json=starts)
    assert refused.json()["detail"] == "the start at index 9999: shop.send: the argument 'a' is missing"


def test_definitions_that_multiply_cost_nothing(admin: TestClient, worker: HttpWorker) -> None:
    defs = {f"d{no}": {"allOf": [{"$ref": f"#/$defs/d{no + 1}"}] * 20} for no in range(5)}
    declare(worker, {"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {**defs, "d5": {"type": "integer"}}})

    assert admin.post("/v1/runs/bulk", json=[{"type": "shop.send", "input": {"x": 1}}] * 200).status_code == 201


def test_an_error_has_a_few_kilobytes_whatever_the_schema_is(admin: TestClient, worker: HttpWorker) -> None:
    types = {"l": {"type": ["integer"] * 500}, "b": {"anyOf": [{"$ref": "#/$defs/l"}] * 200}}
    declare(worker, {"properties": {"x": {"anyOf": [{"$ref": "#/$defs/b"}] * 200}}, "$defs": types})

    refused = admin.post("/v1/runs", json={"type": "shop.send", "input": {"x": "s"}})

    assert (refused.status_code, refused.json()["detail"]) == (422, "shop.send: x: is a text, not a whole number")
    for body in ({"type": "shop.send", "input": {"y" * 900_000: 1}}, {"type": "shop.send", "z" * 900_000: 1}):
        assert len(admin.post("/v1/runs", json=body).content) < 8000


@pytest.fixture
def url(settings: ServerSettings) -> Iterator[str]:
    with serving(settings) as url:
        yield url


def test_others_are_answered_while_inputs_are_checked(url: str, db: psycopg.Connection, make_headers: MakeKey) -> None:
    """The checks of the first org take some seconds each. Meanwhile the loop and the threads serve others."""
    headers = {}
    for org in (DEFAULT_ORG, an_org(db, "other")):
        session = a_worker(db, org_id=org).fence
        call(db, "declare_types", **session, types={"shop.send": {}}, schemas={"shop.send": COSTLY})
        headers[org] = make_headers("*", org_id=org)
    mine, other = headers.values()
    ended = threading.Event()

    def post(count: int, headers: dict[str, str]) -> int:
        body = {"type": "shop.send", "input": {"x": [1] * count}}
        return httpx2.post(f"{url}/v1/runs", json=body, headers=headers, timeout=120).status_code

    def attack() -> int:
        try:
            return post(30_000, mine)
        finally:
            ended.set()

    with ThreadPoolExecutor(4) as threads:
        attacks = [threads.submit(attack) for _ in range(2)]
        wait_until(lambda: db.execute("select from tenuto.api_keys where last_used_at is not null").fetchall())
        assert httpx2.get(f"{url}/healthz", timeout=60).status_code == 200
        assert post(20, other) == 201
        assert not ended.is_set(), "the others waited until a check had ended"
        assert [attack.result() for attack in attacks] == [201] * 2
