"""People whom several orgs know: with a token they name one in a header, with a browser when they log in."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import httpx2
import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.server.app import create_app
from tenuto.server.settings import Oidc, ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.oidc_issuer import AUDIENCE, CLIENT, SECRET, IssuerServer

HERE = "https://tenuto.test"


@pytest.fixture
def other(db: psycopg.Connection, issuer: IssuerServer) -> UUID:
    """Another org; Ann is a reader of the default one and an admin there."""
    org = an_org(db, "other")
    who = {"issuer": issuer.url, "subject": "ann"}
    call(db, "put_user", org_id=DEFAULT_ORG, **who)
    call(db, "put_user", org_id=org, **who, platform_role="admin")
    return org


@pytest.fixture
def browser(settings: ServerSettings, issuer: IssuerServer) -> Iterator[TestClient]:
    app = create_app(replace(settings, oidc=Oidc(issuer.url, AUDIENCE, CLIENT, SECRET), public_url=HERE))
    with TestClient(app, HERE, raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


def test_a_token_is_good_for_the_org_that_the_header_names(
    browser: TestClient, issuer: IssuerServer, other: UUID
) -> None:
    token = {"Authorization": f"Bearer {issuer.token('k1', 'ann')}"}

    unsaid = browser.get("/auth/me", headers=token)
    assert (unsaid.status_code, "X-Tenuto-Org" in unsaid.json()["hint"]) == (422, True)
    for slug, org, role in (("default", DEFAULT_ORG, "reader"), ("other", other, "admin")):
        me = browser.get("/auth/me", headers={**token, "X-Tenuto-Org": slug}).json()
        assert (me["org_id"], me["platform_role"]) == (str(org), role)
    assert browser.get("/auth/me", headers={**token, "X-Tenuto-Org": "third"}).status_code == 403


@pytest.mark.usefixtures("other")
def test_a_header_that_names_an_org_gives_a_key_nothing(browser: TestClient, make_headers: MakeKey) -> None:
    me = browser.get("/auth/me", headers={**make_headers("runs:read"), "X-Tenuto-Org": "other"}).json()

    assert me["org_id"] == str(DEFAULT_ORG)


def test_a_login_is_for_the_org_it_was_begun_for(browser: TestClient, other: UUID) -> None:
    begun = browser.get("/auth/login", params={"org": "other"})
    back = browser.get(httpx2.get(begun.headers["location"], timeout=30).headers["location"])

    assert back.status_code == 303
    me = browser.get("/auth/me").json()
    assert (me["org_id"], me["platform_role"]) == (str(other), "admin")
