"""Strangers who try credentials: an address may try so many, and nobody who is known is kept out by them."""

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from tenuto.model.keys import API, WORKER, make_key
from tenuto.server.limits.rate_limits import AddressLimiter, TooManyRequests
from tenuto.server.settings import RateLimit, ServerSettings
from tests.server.conftest import MakeKey
from tests.support.http.worker_requests import worker_headers

TRIES = 5


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    return replace(settings, unauthenticated_limit=RateLimit(0.01, TRIES))


def guess(kind: str = API) -> dict[str, str]:
    """A key of the right shape, with the right checksum, that was never made."""
    return {"Authorization": f"Bearer {make_key(kind, 'test').text}"}


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/v1/runs", lambda: guess()),
        ("/v1/runs", lambda: {"Authorization": "Bearer another-systems-key"}),
        ("/v1/runs", lambda: {"Cookie": f"__Host-tenuto={'x' * 43}"}),
        ("/internal/task/00000000-0000-0000-0000-000000000000", lambda: guess(WORKER)),
    ],
)  # fmt: skip
def test_who_tries_keys_is_told_to_wait(api: TestClient, path: str, headers: Callable[[], dict[str, str]]) -> None:
    answers = [api.get(path, headers=headers()) for _ in range(TRIES + 2)]

    assert [one.status_code for one in answers] == [401] * TRIES + [429] * 2
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 102
    assert answers[-1].json()["code"] == "rate_limited"


def test_who_is_known_goes_on_while_somebody_at_their_address_tries_keys(
    api: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    mine, fleet = make_headers("runs:read"), worker_headers(db)
    asked = [("/v1/runs", mine), ("/v1/keys", mine), (f"/internal/task/{uuid4()}", fleet)]
    before = [api.get(path, headers=headers).status_code for path, headers in asked]
    assert before == [200, 403, 404]

    while api.get("/v1/runs", headers=guess()).status_code != 429:
        pass

    assert [api.get(path, headers=headers).status_code for path, headers in asked] == before
    assert api.get("/v1/runs", headers=make_headers("runs:read")).status_code == 429, "who was never here waits too"


def test_good_credentials_cost_nothing_however_many(api: TestClient, make_headers: MakeKey) -> None:
    assert {api.get("/v1/runs", headers=make_headers("runs:read")).status_code for _ in range(2 * TRIES)} == {200}


def test_a_key_that_is_revoked_is_a_stranger_from_then_on(
    api: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    mine = make_headers("runs:read")
    assert api.get("/v1/runs", headers=mine).status_code == 200
    db.execute("update tenuto.api_keys set revoked_at = now()")

    answers = [api.get("/v1/runs", headers=mine).status_code for _ in range(TRIES + 2)]

    assert answers == [401] * (TRIES + 1) + [429]


def test_public_routes_that_ask_the_database_have_the_same_limit_and_health_has_none(api: TestClient) -> None:
    assert [api.get("/internal/jwks").status_code for _ in range(TRIES + 1)] == [200] * TRIES + [429]
    assert api.get("/auth/link?token=x").status_code == 429
    assert {api.get(path).status_code for path in ("/healthz", "/readyz", "/openapi.json")} == {200}
    assert api.get("/v1/runs").status_code == 401, "nothing was tried"


def test_a_network_of_ipv6_is_one_address_and_others_pay_for_themselves() -> None:
    now = 100.0
    brake = AddressLimiter(RateLimit(1, 2), clock=lambda: now)

    def refused(host: str) -> bool:
        try:
            brake.take_token(Request({"type": "http", "client": (host, 1), "headers": []}))
        except TooManyRequests:
            return True
        return False

    assert [refused(host) for host in ("2001:db8::1", "2001:db8::2", "2001:db8::3")] == [False, False, True]
    assert [refused(host) for host in ("2001:db8:0:1::1", "192.0.2.7", "192.0.2.8")] == [False] * 3
    now += 1
    assert [refused("2001:db8::1"), refused("2001:db8::1")] == [False, True]
