"""`tenuto up` answers HTTP and lets its owner in; `tenuto server` lets in whom an issuer vouches for."""

import re
import socket
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.http.oidc_issuer import AUDIENCE, an_issuer
from tests.support.processes.command_line import Running, running, tenuto
from tests.support.waiting import wait_until

PEPPER = "cGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVy"


def link_of(up: Running) -> str:
    return re.findall(r"http://\S+/auth/link\?token=\S+", up.said())[0]


def test_up_prints_a_link_that_lets_an_admin_in_once(db: psycopg.Connection, database: str) -> None:
    where = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER}
    with running("up", "--port", "0", ready="Ctrl-C to stop everything", **where) as up:
        link = httpx2.URL(link_of(up))
        assert re.search(r"server: http://[\d.:]+, dashboard at /ui/, API reference at /docs\n", up.said())
        came = httpx2.get(link, timeout=30)
        assert came.status_code == 303
        cookie = came.headers["set-cookie"].partition(";")[0]
        me = httpx2.get(link.join("/auth/me"), headers={"Cookie": cookie}, timeout=30).json()
        assert (me["platform_role"], me["org_id"]) == ("admin", str(DEFAULT_ORG))
        assert httpx2.get(link, timeout=30).status_code == 401
        assert up.stop() == 0

    done = [entry["action"] for entry in call(db, "list_audit", org_id=DEFAULT_ORG)]
    assert done == ["login", "link", "put"]


def test_up_takes_a_port_that_is_free_or_the_one_that_is_named(database: str) -> None:
    where = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = tenuto("up", "--port", port, **where)
    assert (refused.returncode, f"cannot listen on 127.0.0.1 port {port}" in refused.stderr) == (2, True)

    with (
        running("up", ready="Ctrl-C to stop everything", **where) as first,
        running("up", ready="Ctrl-C to stop everything", **where) as second,
    ):
        assert httpx2.URL(link_of(first)).port != httpx2.URL(link_of(second)).port


def test_up_on_a_database_without_a_pepper_runs_without_a_server_and_says_so(database: str) -> None:
    with running("up", ready="Ctrl-C to stop everything", TENUTO_DATABASE_URL=database) as up:
        assert "server: none, because TENUTO_PEPPER is not set" in up.said()


def test_a_link_can_be_made_for_anybody(db: psycopg.Connection, database: str) -> None:
    ann = call(db, "put_user", org_id=DEFAULT_ORG, issuer="https://id.example", subject="ann")

    made = tenuto("users", "link", str(ann), "--url", "https://tenuto.example/", TENUTO_DATABASE_URL=database)

    assert re.fullmatch(r"https://tenuto\.example/auth/link\?token=[\w-]{43}\n", made.stdout)
    assert db.execute("select user_id from tenuto.login_tokens").fetchall() == [(ann,)]


def test_a_server_lets_in_whom_its_issuer_vouches_for(db: psycopg.Connection, database: str, tmp_path: Path) -> None:
    with an_issuer() as issuer:
        issuer.add_key("k1", curve=True)
        call(db, "put_user", org_id=DEFAULT_ORG, issuer=issuer.url, subject="ann", platform_role="reader")
        where = {"TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER, "TENUTO_OIDC_ISSUER": issuer.url}
        asked = ("server", "--port", "0", "--oidc-audience", AUDIENCE)
        with running(*asked, ready="listening at", **where) as server:
            wait_until(lambda: "http://" in server.said())
            url = re.findall(r"http://[\d.:]+", server.said())[0]
            headers = {"Authorization": f"Bearer {issuer.token('k1')}"}
            assert httpx2.get(f"{url}/v1/runs", headers=headers, timeout=30).status_code == 200
            assert httpx2.post(f"{url}/v1/runs", json={"type": "a.b"}, headers=headers, timeout=30).status_code == 403


@pytest.mark.parametrize(
    ("flags", "cure"),
    [
        (("--oidc-audience", "tenuto"), "write --oidc-issuer https://…"),
        (("--oidc-issuer", "http://id.example.com", "--oidc-audience", "x"), "is not an https address"),
        (("--oidc-issuer", "https://id.example.com"), "--oidc-audience"),
        (("--oidc-issuer", "https://id.example.com", "--oidc-client-id", "x"), "--public-url"),
        (("--public-url", "tenuto.example.org/app"), "write https://tenuto.example.org"),
    ],
)
def test_half_of_what_an_issuer_needs_is_wrong_use(flags: tuple[str, ...], cure: str) -> None:
    refused = tenuto("server", *flags)

    assert (refused.returncode, cure in refused.stderr) == (2, True), refused.stderr
