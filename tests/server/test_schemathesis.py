"""Requests that nobody thought of: made from the description of the API, valid and not, and checked against it."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import psycopg
import pytest
from starlette.responses import Response

from tenuto.server.app import create_app
from tenuto.server.auth.authenticate import ANY_PRINCIPAL
from tenuto.server.http.route_table import RouteTable
from tenuto.server.routes import health
from tenuto.server.schemas.base import RequestModel
from tenuto.server.settings import RateLimit, ServerSettings
from tests.support.http.api_fuzz import Found, fuzz
from tests.support.http.app_server import serving

UNLIMITED = RateLimit(1_000_000, 1_000_000)


@pytest.fixture
def url(settings: ServerSettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    # The server is a thread of this process: its pool throws dice for every connection, and Hypothesis would complain.
    monkeypatch.setattr("psycopg_pool.base.random", lambda: 0.5)
    monkeypatch.setattr("opentelemetry.sdk.trace.id_generator.random", Random(0))  # noqa: S311 - once a test traced
    limits = {"key_limit": UNLIMITED, "org_limit": UNLIMITED, "task_limit": UNLIMITED}
    with serving(replace(settings, **limits)) as url:
        yield url


def operations(settings: ServerSettings) -> set[str]:
    paths = create_app(settings).openapi()["paths"]
    return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}


def check(found: Found, settings: ServerSettings) -> None:
    assert found.errors == [], "\n\n".join(found.errors[:5])
    assert found.failures == [], "\n\n".join(found.failures[:5])
    assert operations(settings) - found.tried == {"GET /openapi.json"}  # which is read first of all


def test_the_api_answers_whatever_is_asked_as_its_description_says(
    db: psycopg.Connection, url: str, settings: ServerSettings
) -> None:
    check(fuzz(db, url, examples=1, seed=4, whole=False), settings)


class Half(RequestModel):
    share: float


def a_careless_table() -> RouteTable:
    """Routes as they must not be."""
    table = RouteTable("careless")

    @table.add("POST", "/v1/halves", permission=ANY_PRINCIPAL)
    async def divide(body: Half) -> dict[str, float]:
        """Nothing is divided by zero."""
        return {"half": 1 / body.share}

    @table.add("GET", "/v1/teapot", permission=ANY_PRINCIPAL)
    async def brew() -> Response:
        """Says what it never said that it would."""
        return Response("short and stout", 418, media_type="text/plain")

    return table


def test_what_a_careless_route_does_is_found(db: psycopg.Connection, settings: ServerSettings) -> None:
    with serving(settings, tables=[health.ROUTES, a_careless_table()]) as url:
        found = fuzz(db, url, examples=20, seed=4, whole=True)

    said = {tuple(failure.split(": ")[:2]) for failure in found.failures}
    assert ("POST /v1/halves", "not_a_server_error") in said
    assert ("GET /v1/teapot", "status_code_conformance") in said
    assert {operation for operation, _ in said} == {"POST /v1/halves", "GET /v1/teapot"}


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2])
def test_the_api_answers_thousands_of_requests_as_its_description_says(
    db: psycopg.Connection, url: str, settings: ServerSettings, seed: int
) -> None:
    # 20 examples per operation: 19,000 requests in 4 to 6 minutes. 100 examples took over 20.
    check(fuzz(db, url, examples=20, seed=seed, whole=True), settings)
