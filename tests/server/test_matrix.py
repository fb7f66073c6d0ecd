"""Who gets what from every route: the expected answers are in matrix.json, reviewed by hand; a missing route fails."""

import json
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import token_hash
from tenuto.model.permissions import PLATFORM_ROLES
from tenuto.server.app import create_app
from tenuto.server.settings import Oidc, ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.tasks import DEFAULT_ORG, call, start
from tests.support.http.oidc_issuer import AUDIENCE, IssuerServer
from tests.support.http.worker_requests import fence, open_worker, worker_headers

MATRIX: dict[str, str] = json.loads((Path(__file__).parent / "matrix.json").read_text())["routes"]
ROLES = ("reader", "writer", "admin")
LETS_IN = {
    "anybody": {*ROLES},
    "reader": {*ROLES},
    "writer": {"writer", "admin"},
    "admin": {"admin"},
    "worker": {"worker"},
    "task": {"task"},
}


@dataclass(frozen=True)
class Who:
    """Somebody with a credential: as what they are let in, and what they are told elsewhere."""

    name: str
    acts_as: str
    headers: dict[str, str]
    refusal: int


@pytest.fixture
def settings(settings: ServerSettings, issuer: IssuerServer) -> ServerSettings:
    return replace(settings, oidc=Oidc(issuer.url, AUDIENCE))


@pytest.fixture
def other(db: psycopg.Connection) -> UUID:
    return call(db, "create_org", slug="other")


@pytest.fixture
def programs(make_headers: MakeKey, db: psycopg.Connection, other: UUID) -> list[Who]:
    """API keys; one of another org is let in, and finds nothing there."""
    roles = [Who(f"{role} key", role, make_headers(*sorted(PLATFORM_ROLES[role])), 403) for role in ROLES]
    soon = datetime.now(UTC) + timedelta(hours=1)
    gone = [
        Who("revoked key", "nobody", make_headers("*", name="revoked"), 401),
        Who("expired key", "nobody", make_headers("*", name="expired", expires_at=soon), 401),
    ]
    db.execute("update tenuto.api_keys set revoked_at = now() where name = 'revoked'")
    db.execute("update tenuto.api_keys set expires_at = now() - interval '1 second' where name = 'expired'")
    return [*roles, *gone, Who("key of another org", "admin", make_headers("*", org_id=other), 403)]


@pytest.fixture
def people(db: psycopg.Connection, issuer: IssuerServer, other: UUID) -> list[Who]:
    """People with tokens of the issuer."""

    def person(subject: str, role: str, org_id: UUID = DEFAULT_ORG, **more: object) -> dict[str, str]:
        call(db, "put_user", org_id=org_id, issuer=issuer.url, subject=subject, platform_role=role)
        return {"Authorization": f"Bearer {issuer.token('k1', subject, **more)}"}

    roles = [Who(role, role, person(role, role), 403) for role in ROLES]
    gone = [
        Who("disabled", "nobody", person("gone", "admin"), 403),
        Who("expired", "nobody", person("late", "admin", exp=int(time.time()) - 60), 401),
        Who("unknown", "nobody", {"Authorization": f"Bearer {issuer.token('k1', 'nobody')}"}, 403),
    ]
    db.execute("update tenuto.users set disabled_at = now() where subject = 'gone'")
    return [*roles, *gone, Who("admin of another org", "admin", person("stranger", "admin", other), 403)]


@pytest.fixture
def machines(api: TestClient, db: psycopg.Connection) -> list[Who]:
    """A worker, and the code of attempts: one that runs, one that was completed."""
    headers = worker_headers(db)
    worker = open_worker(api, headers)
    start(db, 1, 2)
    live, dead = worker.claim(2, tokens=True)["tasks"]
    worker.ask("report", completed=[fence(dead, output=1)])
    gone = worker_headers(db, name="revoked")
    db.execute("update tenuto.worker_keys set revoked_at = now() where name = 'revoked'")
    return [
        Who("worker", "worker", headers, 401),
        Who("revoked worker", "nobody", gone, 401),
        Who("live task", "task", {"Authorization": f"Bearer {live['token']}"}, 401),
        Who("dead task", "task", {"Authorization": f"Bearer {dead['token']}"}, 401),
    ]


def routes(settings: ServerSettings) -> list[tuple[str, str]]:
    return [(route.method, route.path) for route in create_app(settings).router.routes]


def test_every_route_is_in_the_matrix_and_no_other(settings: ServerSettings) -> None:
    assert sorted(f"{method} {path}" for method, path in routes(settings)) == sorted(MATRIX)


def test_every_route_lets_in_whom_the_matrix_says_and_nobody_else(
    settings: ServerSettings, api: TestClient, programs: list[Who], people: list[Who], machines: list[Who]
) -> None:
    everybody = [Who("anonymous", "nobody", {}, 401), *programs, *people, *machines]
    wrong = []
    for method, path in routes(settings):
        least = MATRIX[f"{method} {path}"]
        for who in everybody:
            status = api.request(method, filled(path, uuid4()), headers=who.headers).status_code
            if least != "public" and who.acts_as not in LETS_IN[least]:
                expected = 401 if least in ("worker", "task") else who.refusal
                fine = status == expected
            else:
                fine = status not in (401, 403) and status < 500
            if not fine or (who.name == "dead task" and least == "task" and status < 400):
                wrong.append((method, path, who.name, status))

    assert wrong == []


def test_no_route_changes_anything_for_a_cookie_that_another_sites_page_sent_along(
    settings: ServerSettings, api: TestClient, db: psycopg.Connection
) -> None:
    admin = call(db, "put_user", org_id=DEFAULT_ORG, issuer="here", subject="admin", platform_role="admin")
    call(db, "open_login", org_id=DEFAULT_ORG, user_id=admin, hash=token_hash("cookie"))
    cookie = {"Cookie": "__Host-tenuto=cookie"}
    assert api.get("/v1/runs", headers=cookie).status_code == 200

    let_in = {
        (method, path)
        for method, path in routes(settings)
        if method not in ("GET", "HEAD") and MATRIX[f"{method} {path}"] not in ("worker", "task")
        if not path.startswith("/v1/webhooks/")  # a signature opens it, a cookie plays no part
        if api.request(method, filled(path, uuid4()), headers=cookie).status_code != 403
    }

    assert let_in == set()


def filled(path: str, id: UUID) -> str:
    return "/".join(str(id) if part.startswith("{") else part for part in path.split("/"))
