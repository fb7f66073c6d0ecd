"""What the API tells those who watch it."""

import asyncio
from datetime import datetime

import pytest
from prometheus_client import generate_latest
from starlette.testclient import TestClient

from tenuto.db.connection.call import Conn
from tenuto.db.maintenance import now
from tenuto.model.metrics import HTTP_REGISTRY, REGISTRY, TASKS_ENDED
from tenuto.server.app import create_app
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey


def test_metrics_are_for_who_may_read_the_status_and_say_nothing_of_any_org(
    api: TestClient, make_headers: MakeKey
) -> None:
    TASKS_ENDED.labels(
        "acme.secret_queue", "acme.secret_task", "completed"
    ).inc()  # as in a process that also runs tasks

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
    settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    async def look(conn: Conn) -> datetime:
        looks.append(1)
        return await now(conn)

    async def story() -> None:
        app = create_app(settings)
        async with app.lifespan():
            for rounds in (1, 2):
                await asyncio.gather(*(app.state.readiness.wait() for _ in range(20)))
                assert len(looks) == rounds

    monkeypatch.setattr("tenuto.server.routes.health.maintenance.now", look)
    asyncio.run(story())
