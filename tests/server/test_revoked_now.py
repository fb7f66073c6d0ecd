"""A key that is revoked is out at its next request, also where it was granted requests ahead."""

import psycopg
from starlette.testclient import TestClient

from tests.server.conftest import MakeKey


def revoke(db: psycopg.Connection) -> None:
    db.execute("update tenuto.api_keys set revoked_at = now()")


def test_it_is_nobody(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    mine = make_headers("runs:read")
    assert {api.get("/auth/me", headers=mine).status_code for _ in range(10)} == {200}

    revoke(db)

    assert {api.get("/auth/me", headers=mine).status_code for _ in range(3)} == {401}


def test_it_sees_no_changes(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    mine = make_headers("runs:read")
    assert {api.get("/v1/changes", headers=mine).status_code for _ in range(10)} == {200}

    revoke(db)

    assert {api.get("/v1/changes", headers=mine).status_code for _ in range(3)} == {401}


def test_it_sees_no_metrics(api: TestClient, make_headers: MakeKey, db: psycopg.Connection) -> None:
    mine = make_headers("status:read")
    assert {api.get("/metrics", headers=mine).status_code for _ in range(10)} == {200}

    revoke(db)

    assert {api.get("/metrics", headers=mine).status_code for _ in range(3)} == {401}
