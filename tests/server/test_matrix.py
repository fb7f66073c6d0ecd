"""Who gets what from every route: the expected answers are in matrix.json, reviewed by hand; a missing route fails."""

import json
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from tenuto.model.permissions import PLATFORM_ROLES
from tenuto.server.app import create_app
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.kernel import call

MATRIX: dict[str, str] = json.loads((Path(__file__).parent / "matrix.json").read_text())["routes"]
LETS_IN = {
    "public": {"anonymous", "reader", "writer", "admin", "stranger", "revoked"},
    "anybody": {"reader", "writer", "admin", "stranger"},
    "reader": {"reader", "writer", "admin", "stranger"},
    "writer": {"writer", "admin", "stranger"},
    "admin": {"admin", "stranger"},
    "worker": set(),
    "task": set(),
}


def routes(settings: ServerSettings) -> list[tuple[str, str]]:
    found = create_app(settings).routes
    return [(method, one.path) for one in found if isinstance(one, APIRoute) for method in sorted(one.methods or ())]


@pytest.fixture
def credentials(make_headers: MakeKey, db: psycopg.Connection) -> dict[str, dict[str, str]]:
    """A header for each who; the stranger is the admin of another org."""
    roles = {role: make_headers(*sorted(PLATFORM_ROLES[role])) for role in ("reader", "writer", "admin")}
    stranger = make_headers("*", org_id=call(db, "create_org", slug="other"))
    revoked = make_headers("*", name="revoked")
    db.execute("update tenuto.api_keys set revoked_at = now() where name = 'revoked'")
    return {"anonymous": {}, **roles, "stranger": stranger, "revoked": revoked}


def test_every_route_is_in_the_matrix_and_no_other(settings: ServerSettings) -> None:
    assert sorted(f"{method} {path}" for method, path in routes(settings)) == sorted(MATRIX)


def test_every_route_lets_in_whom_the_matrix_says_and_nobody_else(
    settings: ServerSettings, api: TestClient, credentials: dict[str, dict[str, str]]
) -> None:
    wrong = []
    for method, path in routes(settings):
        for who, headers in credentials.items():
            status = api.request(method, filled(path, uuid4()), headers=headers).status_code
            least = MATRIX[f"{method} {path}"]
            refusal = 401 if who in ("anonymous", "revoked") or least in ("worker", "task") else 403
            let_in = who in LETS_IN[least]
            if status >= 500 or (status in (401, 403)) == let_in or (not let_in and status != refusal):
                wrong.append((method, path, who, status))

    assert wrong == []


def filled(path: str, id: UUID) -> str:
    return "/".join(str(id) if part.startswith("{") else part for part in path.split("/"))
