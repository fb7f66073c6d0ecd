"""The API as programs see it: a real database, a key for every need."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import API, key_hash, make_key
from tenuto.server.app import create_app
from tenuto.server.settings import RateLimit, ServerSettings
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.worker_requests import PEPPERS, HttpWorker, open_worker, worker_headers

ENOUGH = RateLimit(1e6, 1e6)  # tests are strangers all at one address
MakeKey = Callable[..., dict[str, str]]


@pytest.fixture
def settings(database: str, tmp_path: Path) -> ServerSettings:
    said = {"env": "test", "connections": 2, "objects": tmp_path / "objects", "stranger_limit": ENOUGH}
    return ServerSettings(database, "tenuto_api", PEPPERS, **said)


@pytest.fixture
def api(settings: ServerSettings) -> Iterator[TestClient]:
    """A client without a credential."""
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
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
def worker(api: TestClient, db: psycopg.Connection) -> HttpWorker:
    """A worker of the default org that may claim everything."""
    return open_worker(api, worker_headers(db))
