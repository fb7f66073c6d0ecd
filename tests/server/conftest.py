"""The API as programs see it: a real database, a key for every need."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import API, key_hash, make_key
from tenuto.server.app import create_app
from tenuto.server.http.openapi import describe
from tenuto.server.http.routing import HttpRoute
from tenuto.server.settings import RateLimit, ServerSettings
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.api_client import ApiClient
from tests.support.http.kept_pool import KeptPool, a_kept_pool
from tests.support.http.oidc_issuer import IssuerServer, an_issuer
from tests.support.http.worker_requests import PEPPERS, HttpWorker, open_worker, worker_headers

ENOUGH = RateLimit(1e6, 1e6)  # tests are strangers all at one address
MakeKey = Callable[..., dict[str, str]]


_documents: dict[tuple[str, ...], dict[str, Any]] = {}


def described_once(title: str, version: str, routes: Sequence[HttpRoute]) -> dict[str, Any]:
    """Stands for `describe`, which takes a second: applications with the same routes share the document."""
    key = tuple(f"{route.method} {route.path}" for route in routes)
    if key not in _documents:
        _documents[key] = describe(title, version, routes)
    return _documents[key]


@pytest.fixture
def settings(database: str, tmp_path: Path) -> ServerSettings:
    said = {
        "env": "test",
        "connections": 2,
        "storage": (tmp_path / "objects").as_uri(),
        "unauthenticated_limit": ENOUGH,
    }
    return ServerSettings(database, "tenuto_api", PEPPERS, **said)


@pytest.fixture(scope="session")
def kept_pool() -> Iterator[KeptPool]:
    """What the API's connections of all tests of this process are."""
    with a_kept_pool() as kept:
        yield kept


@pytest.fixture
def api(settings: ServerSettings, kept_pool: KeptPool, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client without a credential."""
    monkeypatch.setattr("tenuto.server.app.open_pool", kept_pool.open)
    monkeypatch.setattr("tenuto.server.http.openapi.describe", described_once)
    with ApiClient(create_app(settings), kept_pool.portal) as client:
        yield client


@pytest.fixture
def make_headers(db: psycopg.Connection) -> MakeKey:
    """`make_headers("runs:read")`: the header with a new key that has these permissions."""

    def make(*permissions: str, org_id: UUID = DEFAULT_ORG, **more: object) -> dict[str, str]:
        key = make_key(API, "test")
        made = {"name": "ci", "permissions": list(permissions), "created_by": "ann", **more}
        call(db, "create_api_key", org_id=org_id, key_id=key.key_id, hash=key_hash(PEPPERS, key.text), **made)
        return {"Authorization": f"Bearer {key.text}"}

    return make


@pytest.fixture
def admin(api: TestClient, make_headers: MakeKey) -> TestClient:
    """A client that may do everything in the default org."""
    api.headers.update(make_headers("*"))
    return api


@pytest.fixture
def issuer() -> Iterator[IssuerServer]:
    """An OIDC issuer that signs tokens with its key `k1`."""
    with an_issuer() as issuer:
        issuer.add_key("k1")
        yield issuer


@pytest.fixture
def worker(api: TestClient, db: psycopg.Connection) -> HttpWorker:
    """A worker of the default org that may claim everything."""
    return open_worker(api, worker_headers(db))
