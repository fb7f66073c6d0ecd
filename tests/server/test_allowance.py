"""Busy keys take their tokens by the handful; no request passes that its bucket has not paid for."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.principals import ApiKeyPrincipal
from tenuto.server.app import create_app
from tenuto.server.limits.rate_limits import VALID_SECONDS, PrepaidTokens
from tenuto.server.settings import RateLimit, ServerSettings
from tests.server.conftest import MakeKey

KEY = ApiKeyPrincipal(UUID(int=1), UUID(int=2), "ci", frozenset(["*"]), frozenset())


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def served(allowances: PrepaidTokens) -> int:
    """How many requests the next handful is for."""
    size = allowances.wanted(b"h")
    allowances.put(b"h", KEY, size)
    while allowances.take(b"h"):
        pass
    return size


def test_a_busy_key_takes_more_each_time_up_to_a_twentieth_of_what_it_may() -> None:
    allowances = PrepaidTokens(RateLimit(rate=200, burst=1000), clock=Clock())

    assert [served(allowances) for _ in range(6)] == [1, 2, 4, 8, 10, 10]


def test_a_key_that_asks_now_and_then_takes_one() -> None:
    clock = Clock()
    allowances = PrepaidTokens(RateLimit(rate=200, burst=1000), clock=clock)
    served(allowances)
    clock.now += VALID_SECONDS + 0.01

    assert served(allowances) == 1


def test_what_was_granted_is_good_for_a_second() -> None:
    clock = Clock()
    allowances = PrepaidTokens(RateLimit(rate=200, burst=1000), clock=clock)
    allowances.put(b"h", KEY, 5)
    clock.now += VALID_SECONDS + 0.01

    assert allowances.take(b"h") is None
    assert allowances.take(b"other") is None


def test_a_small_limit_is_asked_every_time() -> None:
    allowances = PrepaidTokens(RateLimit(rate=1, burst=3), clock=Clock())

    assert [served(allowances) for _ in range(4)] == [1, 1, 1, 1]


@pytest.fixture
def narrow(settings: ServerSettings) -> ServerSettings:
    return ServerSettings(**{**vars(settings), "key_limit": RateLimit(0.001, 40), "org_limit": RateLimit(0.001, 1000)})


def test_as_many_requests_pass_as_the_bucket_holds_and_no_more(narrow: ServerSettings, make_headers: MakeKey) -> None:
    headers = make_headers("runs:read")
    with TestClient(create_app(narrow)) as api:
        answers = [api.get("/v1/runs", headers=headers).status_code for _ in range(45)]

    assert answers == [200] * 40 + [429] * 5


def test_a_key_that_is_revoked_is_refused_though_it_was_granted_more(
    admin: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    headers = make_headers("runs:read", "runs:write")
    assert [admin.get("/v1/runs", headers=headers).status_code for _ in range(10)] == [200] * 10

    db.execute("update tenuto.api_keys set revoked_at = now() where permissions @> array['runs:write']")

    assert admin.get("/v1/runs", headers=headers).status_code == 401
    assert admin.post("/v1/runs", headers=headers, json={"type": "a.b"}).status_code == 401
    assert db.execute("select count(*) from tenuto.tasks").fetchone() == (0,)


def test_a_key_that_lost_a_permission_is_refused_though_it_was_granted_more(
    admin: TestClient, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    headers = make_headers("runs:read", "runs:write")
    assert [admin.get("/v1/runs", headers=headers).status_code for _ in range(10)] == [200] * 10

    db.execute("update tenuto.api_keys set permissions = '{runs:read}' where permissions @> array['runs:write']")

    assert admin.post("/v1/runs", headers=headers, json={"type": "a.b"}).status_code == 403
    assert db.execute("select count(*) from tenuto.tasks").fetchone() == (0,)


def test_a_start_is_one_statement_with_its_entry_in_the_audit_log(admin: TestClient, db: psycopg.Connection) -> None:
    started = admin.post("/v1/runs", json={"type": "a.b", "input": [1]}).json()

    found = db.execute("select entity, entity_id, action, actor_kind, changes from tenuto.audit_log").fetchall()
    assert found == [("run", started["id"], "start", "api_key", {"type": {"new": "a.b"}, "runs": {"new": 1}})]


def test_a_start_that_is_refused_leaves_no_entry(admin: TestClient, db: psycopg.Connection) -> None:
    assert admin.post("/v1/runs", json={"type": "a.b", "resource_group": "none"}).status_code == 404

    assert db.execute("select count(*) from tenuto.audit_log").fetchone() == (0,)


@pytest.mark.parametrize("once", [{}, {"Idempotency-Key": "a"}], ids=["in one statement", "in a transaction"])
def test_a_start_that_found_the_run_of_its_dedupe_key_started_nothing_and_leaves_no_entry(
    admin: TestClient, db: psycopg.Connection, once: dict[str, str]
) -> None:
    start = {"type": "a.b", "dedupe_key": "order 7"}
    first = admin.post("/v1/runs", json=start).json()

    again = admin.post("/v1/runs", json=start, headers=once).json()

    assert again == {"id": first["id"], "status": "pending", "created": False}
    assert db.execute("select entity_id from tenuto.audit_log").fetchall() == [(first["id"],)]


def test_many_who_ask_at_once_take_one_handful_and_lose_nothing_of_it() -> None:
    allowances = PrepaidTokens(RateLimit(rate=200, burst=1000), clock=Clock())
    for _ in range(5):
        served(allowances)

    wanted = [allowances.wanted(b"h") for _ in range(4)]
    for size in wanted:
        allowances.put(b"h", KEY, size)

    assert wanted == [10, 1, 1, 1]
    assert [allowances.take(b"h") is not None for _ in range(10)] == [True] * 9 + [False]
    assert served(allowances) == 10


def test_a_handful_that_was_refused_does_not_keep_a_key_from_the_next() -> None:
    allowances = PrepaidTokens(RateLimit(rate=200, burst=1000), clock=Clock())
    for _ in range(5):
        served(allowances)
    assert allowances.wanted(b"h") == 10  # and it never came

    assert [served(allowances) for _ in range(3)] == [1, 2, 4]


def test_many_at_once_are_let_through_as_long_as_the_bucket_has_one_for_each(
    settings: ServerSettings, make_headers: MakeKey
) -> None:
    # A slow rate: a bucket that fills within milliseconds refuses requests that wait for its lock longer than that.
    limits = {"key_limit": RateLimit(1, 60), "org_limit": RateLimit(0.001, 60)}
    ample = ServerSettings(**{**vars(settings), **limits})
    headers = make_headers("runs:read")
    with TestClient(create_app(ample)) as api, ThreadPoolExecutor(40) as many:
        answers = list(many.map(lambda _: api.get("/v1/runs", headers=headers).status_code, range(40)))

    assert answers == [200] * 40


def test_a_handful_fits_into_the_bucket_of_the_org_too(settings: ServerSettings, make_headers: MakeKey) -> None:
    limits = {"key_limit": RateLimit(10_000, 10_000), "org_limit": RateLimit(10_000, 20)}
    headers = make_headers("runs:read")
    with TestClient(create_app(ServerSettings(**{**vars(settings), **limits}))) as api:
        answers = {api.get("/v1/runs", headers=headers).status_code for _ in range(60)}

    assert answers == {200}
