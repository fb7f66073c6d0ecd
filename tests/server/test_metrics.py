"""What the API tells those who watch it."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from prometheus_client import generate_latest
from starlette.testclient import TestClient

from tenuto.model.metrics import HTTP_REGISTRY, REGISTRY, TASKS_ENDED
from tests.server.conftest import MakeKey


def test_metrics_are_for_who_may_read_the_status_and_say_nothing_of_any_org(
    api: TestClient, make_headers: MakeKey
) -> None:
    TASKS_ENDED.labels("acme.secret_task", "completed").inc()  # as in a process that also runs tasks

    shown = api.get("/metrics", headers=make_headers("status:read"))

    assert api.get("/metrics").status_code == 401
    assert api.get("/metrics", headers=make_headers("runs:*")).status_code == 403
    assert (
        'tenuto_http_requests_total{method="GET",route="/metrics",status="200"}'
        in api.get("/metrics", headers=make_headers("status:read")).text
    )
    assert "acme" not in shown.text
    assert b"acme.secret_task" in generate_latest(REGISTRY)
    assert generate_latest(HTTP_REGISTRY).decode() in generate_latest(REGISTRY).decode()


def test_no_request_can_make_more_and_more_metrics(api: TestClient) -> None:
    before = len(generate_latest(HTTP_REGISTRY).splitlines())
    for method in ("GET", "BREW", "PROPFIND"):
        for path in ("/nowhere", "/nowhere/else", "/v1/unknown"):
            api.request(method, path)

    assert len(generate_latest(HTTP_REGISTRY).splitlines()) <= before + 2 * 20


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_needs_no_key(api: TestClient, path: str) -> None:
    assert api.get(path).json() == {"status": "ok"}


def test_many_who_ask_at_once_whether_it_is_ready_cost_one_look_at_the_database(
    api: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    goes_on = threading.Event()

    async def look(conn: Any) -> None:
        looks.append(1)
        await asyncio.to_thread(goes_on.wait, 10)

    monkeypatch.setattr("tenuto.server.routes.health.upkeep.now", look)
    with ThreadPoolExecutor(20) as together:
        asked = [together.submit(api.get, "/readyz") for _ in range(20)]
        time.sleep(0.5)  # most of them are there by now, and wait
        assert len(looks) == 1
        goes_on.set()
        assert {one.result().status_code for one in asked} == {200}

    assert api.get("/readyz").status_code == 200
    assert len(looks) > 1
