"""Coming in with a browser: by OIDC with an issuer that runs beside the test, or once by a link."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx2
import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.model.keys import token_hash
from tenuto.server.app import create_app
from tenuto.server.settings import Oidc, ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.audit import entries_of_requests
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.oidc_issuer import AUDIENCE, CLIENT, SECRET, IssuerServer, an_issuer

HERE = "https://tenuto.test"
START = {"type": "shop.send", "input": {}}


@pytest.fixture
def issuer(db: psycopg.Connection) -> Iterator[IssuerServer]:
    with an_issuer() as found:
        found.add_key("k1")
        who = {"issuer": found.url, "subject": "ann", "platform_role": "writer"}
        call(db, "put_user", org_id=DEFAULT_ORG, **who)
        yield found


@pytest.fixture
def browser(settings: ServerSettings, issuer: IssuerServer) -> Iterator[TestClient]:
    oidc = Oidc(issuer.url, AUDIENCE, CLIENT, SECRET)
    app = create_app(replace(settings, oidc=oidc, public_url=HERE))
    with TestClient(app, HERE, raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


@pytest.fixture
def logged_in(browser: TestClient) -> TestClient:
    assert browser.get(come_back(browser)).status_code == 303
    return browser


def come_back(browser: TestClient, next: str = "/v1/runs") -> str:
    """Log in at the issuer; where it sends the browser back to."""
    begun = browser.get("/auth/login", params={"next": next})
    assert begun.status_code == 303
    return httpx2.get(begun.headers["location"], timeout=30).headers["location"]


def csrf(browser: TestClient) -> dict[str, str]:
    return {"X-CSRF-Token": browser.get("/auth/me").json()["csrf_token"]}


def test_a_person_logs_in_at_the_issuer_and_comes_back_with_a_cookie(
    browser: TestClient, issuer: IssuerServer, db: psycopg.Connection
) -> None:
    issuer.claims = {"email": "ann@example.com", "name": "Ann"}
    back = browser.get(come_back(browser))

    assert (back.status_code, back.headers["location"]) == (303, "/v1/runs")
    cookie = next(one for one in back.headers.get_list("set-cookie") if one.startswith("__Host-tenuto="))
    for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/", "Max-Age=43200"):
        assert part in cookie
    assert "Domain" not in cookie
    me = browser.get("/auth/me").json()
    assert (me["kind"], me["platform_role"], me["org_id"]) == ("user", "writer", str(DEFAULT_ORG))
    (ann,) = call(db, "list_users", org_id=DEFAULT_ORG)
    assert (ann["email"], ann["name"], str(ann["id"])) == ("ann@example.com", "Ann", me["id"])
    (entry,) = entries_of_requests(db)
    assert (entry["action"], entry["actor_id"], entry["changes"]) == ("login", me["id"], {"way": {"new": "oidc"}})
    assert browser.cookies["__Host-tenuto"] not in str(db.execute("select * from tenuto.login_sessions").fetchall())


def test_what_is_asked_of_the_issuer_binds_the_answer_to_this_browser(browser: TestClient) -> None:
    asked = [parse_qs(urlsplit(browser.get("/auth/login").headers["location"]).query) for _ in range(2)]

    for one in asked:
        assert (one["response_type"], one["code_challenge_method"], one["client_id"]) == (["code"], ["S256"], [CLIENT])
        assert one["redirect_uri"] == [f"{HERE}/auth/callback"]
    for part in ("state", "nonce", "code_challenge"):
        assert asked[0][part] != asked[1][part]


@pytest.mark.parametrize(
    "elsewhere", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "", "/a\nb"]
)
def test_a_login_leads_nobody_elsewhere(browser: TestClient, elsewhere: str) -> None:
    assert browser.get(come_back(browser, elsewhere)).headers["location"] == "/ui/"


def test_an_answer_of_another_login_or_browser_lets_nobody_in(
    browser: TestClient, settings: ServerSettings, issuer: IssuerServer
) -> None:
    first = come_back(browser)
    come_back(browser)
    assert browser.get(first).status_code == 409, "the state is of the login before"

    mine = come_back(browser)
    with TestClient(browser.app, HERE, follow_redirects=False) as other:
        assert other.get(mine).status_code == 409, "that browser began nothing"

    browser.cookies.set("__Host-tenuto-begun", "e30=.00", domain="tenuto.test")
    assert browser.get(f"/auth/callback?code=x&state={'s' * 43}").status_code == 409
    assert "__Host-tenuto" not in browser.cookies


@pytest.mark.parametrize(
    "claims", [{"nonce": "another"}, {"nonce": None}, {"aud": AUDIENCE}, {"exp": 1}, {"aud": [CLIENT, "else"]}]
)
def test_a_token_that_is_not_of_this_login_lets_nobody_in(
    browser: TestClient, issuer: IssuerServer, claims: dict[str, object]
) -> None:
    issuer.claims = claims

    refused = browser.get(come_back(browser))

    assert (refused.status_code, "__Host-tenuto" in browser.cookies) == (401, False)


def test_a_code_works_once_and_an_issuer_that_refuses_is_named(browser: TestClient) -> None:
    back = come_back(browser)
    begun = browser.cookies["__Host-tenuto-begun"]
    assert browser.get(back).status_code == 303
    browser.cookies.clear()
    browser.cookies.set("__Host-tenuto-begun", begun, domain="tenuto.test")
    assert browser.get(back).status_code == 401

    state = parse_qs(urlsplit(browser.get("/auth/login").headers["location"]).query)["state"][0]
    refused = browser.get("/auth/callback", params={"error": "access_denied", "state": state})
    assert (refused.status_code, "access_denied" in refused.json()["detail"]) == (401, True)


def test_who_is_unknown_or_disabled_is_not_let_in(
    browser: TestClient, issuer: IssuerServer, db: psycopg.Connection
) -> None:
    issuer.subject = "bob"
    assert browser.get(come_back(browser)).status_code == 403
    issuer.subject = "ann"
    assert browser.get(come_back(browser)).status_code == 303
    (ann,) = call(db, "list_users", org_id=DEFAULT_ORG)
    call(db, "disable_user", org_id=DEFAULT_ORG, user_id=ann["id"])

    assert browser.get("/v1/runs").status_code == 401, "thrown out"
    assert browser.get(come_back(browser)).status_code == 403


def test_a_change_needs_the_page_itself_and_reading_does_not(logged_in: TestClient) -> None:
    good = csrf(logged_in)
    assert logged_in.get("/v1/runs").status_code == 200
    wrong = {
        "no token": {},
        "another token": {"X-CSRF-Token": "x"},
        "the cookie itself": {"X-CSRF-Token": logged_in.cookies["__Host-tenuto"]},
        "another origin": {**good, "Origin": "https://evil.example"},
        "no origin to speak of": {**good, "Origin": "null"},
        "the same host without TLS": {**good, "Origin": "http://tenuto.test"},
        "another site": {**good, "Sec-Fetch-Site": "cross-site"},
        "a sister site": {**good, "Sec-Fetch-Site": "same-site"},
    }
    for what, headers in wrong.items():
        refused = logged_in.post("/v1/runs", json=START, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), what

    fine = {**good, "Origin": HERE, "Sec-Fetch-Site": "same-origin"}
    assert logged_in.post("/v1/runs", json=START, headers=fine).status_code == 201
    assert logged_in.post("/v1/runs", json=START, headers=good).status_code == 201


def test_a_key_needs_no_page_and_a_cookie_does_not_help_it(logged_in: TestClient, make_headers: MakeKey) -> None:
    assert logged_in.post("/v1/runs", json=START, headers=make_headers("runs:write")).status_code == 201
    assert logged_in.post("/v1/runs", json=START, headers=make_headers("runs:read")).status_code == 403
    assert logged_in.get("/auth/me", headers=make_headers("runs:read")).json()["csrf_token"] is None


def test_a_login_is_over_after_logging_out_after_its_time_and_after_the_next_one(
    logged_in: TestClient, db: psycopg.Connection
) -> None:
    first = logged_in.cookies["__Host-tenuto"]
    logged_in.get(come_back(logged_in))
    assert logged_in.cookies["__Host-tenuto"] != first
    assert count_logins(db) == 1, "the one before is closed"

    assert logged_in.post("/auth/logout").status_code == 403
    out = logged_in.post("/auth/logout", headers=csrf(logged_in))
    assert (out.status_code, count_logins(db)) == (204, 0)
    assert logged_in.get("/v1/runs").status_code == 401
    assert logged_in.post("/auth/logout").status_code == 204

    logged_in.get(come_back(logged_in))
    db.execute("update tenuto.login_sessions set expires_at = now() - interval '1 second'")
    over = logged_in.get("/v1/runs")
    assert (over.status_code, over.json()["hint"]) == (401, "log in again")


def test_a_link_lets_in_once(api: TestClient, settings: ServerSettings, db: psycopg.Connection) -> None:
    user = call(db, "put_user", org_id=DEFAULT_ORG, issuer="here", subject="admin", platform_role="admin")
    call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=user, hash=token_hash("secret-link"))

    with TestClient(api.app, HERE, follow_redirects=False) as browser:
        assert browser.get("/auth/link", params={"token": "secret-lin"}).status_code == 401
        assert browser.get("/auth/link", params={"token": "secret-link"}).status_code == 303
        assert browser.get("/v1/audit").json()["items"][0]["changes"] == {"way": {"new": "link"}}
        again = browser.get("/auth/link", params={"token": "secret-link"})
        assert (again.status_code, "was already used" in again.json()["detail"]) == (401, True)


def test_where_no_client_is_set_up_login_says_how(api: TestClient) -> None:
    refused = api.get("/auth/login")

    assert (refused.status_code, "--oidc-client-id" in refused.json()["hint"]) == (409, True)


def test_me_is_whoever_asks(api: TestClient, make_headers: Callable[..., dict[str, str]]) -> None:
    assert api.get("/auth/me").status_code == 401
    me = api.get("/auth/me", headers=make_headers("objects:read")).json()
    assert (me["kind"], me["name"], me["permissions"]) == ("api_key", "ci", ["objects:read"])


def count_logins(db: psycopg.Connection) -> int:
    return len(db.execute("select from tenuto.login_sessions").fetchall())
