"""Secrets stay where they belong: in no log, no answer and no row, whatever is asked with them, rightly or wrongly."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bcrypt
import httpx2
import psycopg

from tenuto.model.keys import API, WORKER, key_hash, make_key, read_peppers, token_hash
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.http.oidc_issuer import AUDIENCE, CLIENT, SECRET, IssuerServer, an_issuer
from tests.support.processes.command_line import Running, running

PEPPER = "Y2FuYXJ5LXBlcHBlci1jYW5hcnktcGVwcGVyLWNhbmFyeS0x"
FOREIGN = "fm_live_canarycanarycanarycanarycanary"
LINK = "canary-link-canary-link-canary-link-canary"


@dataclass
class Watch:
    """Everything that was answered, and the secrets that may be in none of it."""

    url: str
    secrets: dict[str, str]
    answered: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, key: str | None = None, **more: Any) -> httpx2.Response:
        headers = {**more.pop("headers", {}), **({"Authorization": f"Bearer {key}"} if key else {})}
        answer = httpx2.request(method, self.url + path, headers=headers, timeout=30, **more)
        shown = [value for name, value in answer.headers.items() if name not in ("set-cookie", "location")]
        self.answered.append("\n".join([*shown, answer.text]))
        return answer


@contextmanager
def a_server(database: str, issuer: IssuerServer) -> Iterator[tuple[Running, str]]:
    said = {
        "TENUTO_DATABASE_URL": database, "TENUTO_PEPPER": PEPPER, "TENUTO_OIDC_ISSUER": issuer.url,
        "TENUTO_OIDC_AUDIENCE": AUDIENCE, "TENUTO_OIDC_CLIENT_ID": CLIENT, "TENUTO_OIDC_CLIENT_SECRET": SECRET,
        "TENUTO_PUBLIC_URL": "https://tenuto.test",
    }  # fmt: skip
    with running("server", "--port", "0", ready="listening at", **said) as server:
        yield server, re.findall(r"http://[\d.:]+", server.said())[0]


def keys_of(db: Db) -> dict[str, str]:
    """A key of every kind that the database knows."""
    peppers, made = read_peppers(PEPPER), {"created_by": "ann", "org_id": DEFAULT_ORG}
    api, gone, worker = make_key(API, "live"), make_key(API, "live"), make_key(WORKER, "live")
    for key in (api, gone):
        hashed = {"key_id": key.key_id, "hash": key_hash(peppers, key.text)}
        id = call(db, "create_api_key", name="canary", permissions=["*"], **hashed, **made)
    call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=id)
    hashed = {"key_id": worker.key_id, "hash": key_hash(peppers, worker.text)}
    call(db, "create_worker_key", name="canary", queues=["*"], **hashed, **made)
    old = bcrypt.hashpw(FOREIGN.encode(), bcrypt.gensalt(4)).decode()
    call(db, "import_api_key", prefix=FOREIGN[:8], bcrypt=old, name="old", permissions=["runs:read"], **made)
    return {"api": api.text, "revoked": gone.text, "worker": worker.text, "foreign": FOREIGN}


def log_in(watch: Watch) -> str:
    """The cookie of somebody who came back from the issuer."""
    begun = watch.ask("GET", "/auth/login")
    back = httpx2.get(begun.headers["location"], timeout=30).headers["location"].removeprefix("https://tenuto.test")
    mine = begun.headers["set-cookie"].partition(";")[0]
    watch.secrets["begun"] = mine.partition("=")[2]
    came = watch.ask("GET", back, headers={"Cookie": mine})
    cookies = "\n".join(came.headers.get_list("set-cookie"))
    return re.findall(r"__Host-tenuto=([^;]+)", cookies)[0]


def use(watch: Watch) -> None:
    """Every secret where it belongs, and where it does not."""
    known = dict(watch.secrets)
    watch.secrets["cookie"] = cookie = log_in(watch)
    watch.secrets["mistyped"] = known["api"][:-1] + ("0" if known["api"][-1] != "0" else "1")
    start = {"type": "shop.send", "input": {}, "metadata": {"password": "hunter2"}}
    for name in ("api", "revoked", "foreign", "mistyped", "worker", "token"):
        key = watch.secrets[name]
        for method, path in (("GET", "/v1/runs"), ("POST", "/v1/runs"), ("GET", "/v1/keys"), ("GET", "/auth/me")):
            watch.ask(method, path, key, json=start if method == "POST" else None)
        watch.ask("GET", f"/v1/runs?api_key={key}", known["api"])
        watch.ask("POST", "/v1/runs", known["api"], json={"type": "a.b", "key": key})
        watch.ask("GET", f"/v1/tasks/{key}", known["api"])
    watch.ask("POST", "/internal/sessions", known["worker"], json={"name": "far"})
    for _ in range(2):
        watch.ask("GET", f"/auth/link?token={LINK}")
    for headers in ({}, {"X-CSRF-Token": cookie}):
        watch.ask("POST", "/v1/runs", json=start, headers={"Cookie": f"__Host-tenuto={cookie}", **headers})
    watch.ask("GET", "/v1/audit", known["api"])
    watch.ask("GET", "/metrics", known["api"])


def rows(db: Db) -> str:
    """Every row of every table, as text."""
    tables = db.execute(
        "select c.oid::regclass::text from pg_class c where c.relnamespace = 'tenuto'::regnamespace and c.relkind = 'r'"
    ).fetchall()
    return "\n".join(str(db.execute(f"select t::text from {name} t".encode()).fetchall()) for (name,) in tables)


def test_no_secret_is_in_a_log_an_answer_or_a_row(db: psycopg.Connection, database: str) -> None:
    with an_issuer() as issuer:
        issuer.add_key("k1")
        user = call(db, "put_user", org_id=DEFAULT_ORG, issuer=issuer.url, subject="ann", platform_role="admin")
        call(db, "make_login_token", org_id=DEFAULT_ORG, user_id=user, hash=token_hash(LINK))
        secrets = {**keys_of(db), "pepper": PEPPER, "client secret": SECRET, "link": LINK}
        with a_server(database, issuer) as (server, url):
            watch = Watch(url, {**secrets, "token": issuer.token("k1")})
            use(watch)
            places = {"the log": server.said(), "an answer": "\n".join(watch.answered), "a row": rows(db)}

    assert any(" 200" in text or '"items"' in text for text in watch.answered), "something was let in"
    found = [
        (name, place) for place, text in places.items() for name, secret in watch.secrets.items() if secret in text
    ]
    assert found == []
    assert "canary" in places["a row"], "the names of keys are there, so rows were read"
