"""Secrets that the API gives out are shown once, and are nowhere else: not in the loudest log, a row, a statement."""

import json
import logging
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from tenuto.server.auth.authenticate import ANY_PRINCIPAL
from tenuto.server.http.route_table import RouteTable
from tenuto.server.routes import TABLES
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.tasks import Db
from tests.support.http.app_server import serving

PASSWORD = "hunter2-canary-hunter2"


def breaking() -> RouteTable:
    """A route with a mistake in it, which knows what was sent."""
    table = RouteTable("broken")

    @table.add("POST", "/v1/broken", permission=ANY_PRINCIPAL)
    async def break_down(body: dict[str, Any]) -> None:
        """Fails with the body at hand."""
        raise RuntimeError(f"{len(body)} fields were too many")

    return table


class Asker:
    """A client that logs nothing itself, and keeps every answer."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self.answers: list[str] = []

    def __call__(self, method: str, path: str, key: str, body: Any = None, **headers: str) -> Any:
        connection = HTTPConnection(self._host, self._port, timeout=30)
        sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        self.answers.append(f"{answer.status} {answer.getheaders()} {text}")
        connection.close()
        return json.loads(text) if text.startswith("{") else None


@pytest.fixture
def ask(settings: ServerSettings, caplog: pytest.LogCaptureFixture) -> Iterator[Asker]:
    caplog.set_level(logging.DEBUG)
    with serving(settings, tables=[*TABLES, breaking()]) as url:
        yield Asker(url)


def use_everything(ask: Asker, admin: str) -> dict[str, str]:
    """Every secret that is given out is used as it should be, wrongly, and where something breaks."""
    made = ask("POST", "/v1/keys", admin, {"name": "a", "permissions": ["*"]})
    turned = ask("POST", f"/v1/keys/{made['id']}/rotate", made["key"], {"overlap_seconds": 60})
    fleet = ask("POST", "/v1/worker-keys", admin, {"name": "fleet", "queues": ["*"]})
    start = {"type": "a.b", "input": {"password": PASSWORD}, "metadata": {"password": PASSWORD}}
    ask("POST", "/v1/runs", turned["key"], start)
    session = ask("POST", "/internal/sessions", fleet["key"], {"name": "far"})
    who = {"session_id": session["session_id"], "token": session["token"]}
    claim = {**who, "claim_no": 1, "limit": 1, "tokens": True}
    (task,) = ask("POST", "/internal/claim", fleet["key"], claim)["tasks"]
    secrets = {"key": made["key"], "rotated": turned["key"], "fleet": fleet["key"], "token": task["token"]}
    for secret in [*secrets.values(), secrets["token"][:-4] + "AAAA", secrets["key"][:-1] + "_"]:
        for path in ("/v1/task", "/v1/runs", "/internal/task/" + task["task_id"], "/auth/me"):
            ask("GET", path, secret)
        ask("POST", "/v1/broken", secret, {"password": PASSWORD, "key": secret})
        ask("POST", "/v1/runs", admin, {"type": "a.b", "priority": secret, "password": secret})
        ask("POST", "/v1/runs", admin, {"type": "a.b", "timeout": 5}, **{"Content-Encoding": secret[:20]})
        ask("GET", f"/v1/runs?limit={secret}&token={secret}", admin)
    ask("POST", "/v1/task/complete", task["token"], {"output": 1})
    ask("POST", "/v1/task/complete", task["token"], {"output": 2})
    ask("DELETE", f"/v1/keys/{made['id']}", admin)
    ask("GET", "/v1/runs", made["key"])
    for path in ("/v1/keys", "/v1/worker-keys", "/v1/audit", "/v1/workers", "/metrics", "/internal/jwks"):
        ask("GET", path, admin)
    return secrets


def rows(db: Db) -> dict[str, str]:
    """Every row of every table, as text."""
    tables = db.execute(
        "select c.oid::regclass::text from pg_class c where c.relnamespace = 'tenuto'::regnamespace and c.relkind = 'r'"
    ).fetchall()
    return {name: str(db.execute(f"select t::text from {name} t".encode()).fetchall()) for (name,) in tables}


def test_what_the_api_gives_out_is_shown_once_and_kept_nowhere(
    ask: Asker, db: psycopg.Connection, make_headers: MakeKey, caplog: pytest.LogCaptureFixture
) -> None:
    admin = make_headers("*")["Authorization"].removeprefix("Bearer ")

    secrets = {**use_everything(ask, admin), "admin": admin}

    statements = str(db.execute("select query from pg_stat_activity").fetchall())
    log = said(caplog)
    places = {"the log": log, "a statement": statements, **rows(db)}
    hidden = {f"{name} {form}": text for name, secret in secrets.items() for form, text in forms(secret).items()}
    assert [(name, place) for place, text in places.items() for name, secret in hidden.items() if secret in text] == []
    shown = {name: sum(secret in answer for answer in ask.answers) for name, secret in secrets.items()}
    assert shown == {"key": 1, "rotated": 1, "fleet": 1, "token": 1, "admin": 0}
    assert "RuntimeError: 2 fields were too many" in log, "the log is the server's, and says what broke"
    assert [place for place, text in places.items() if PASSWORD in text and place in ("the log", "a statement")] == []
    assert [place for place in places if place.startswith("tenuto.audit") and PASSWORD in places[place]] == []
    assert [answer for answer in ask.answers if PASSWORD in answer and not answer.startswith("200")] == []


def said(caplog: pytest.LogCaptureFixture) -> str:
    """All that was logged, but for the addresses that were asked for: servers do not log them, pytest makes them."""
    written = logging.Formatter("%(name)s %(levelname)s %(message)s")
    return "\n".join(written.format(one) for one in caplog.records if one.name != "uvicorn.access")


def forms(secret: str) -> dict[str, str]:
    """As it is, as bytea shows it, and the part of it that is the secret alone."""
    return {"whole": secret, "hex": secret.encode().hex(), "end": secret[-30:]}


def test_what_a_server_is_told_can_be_printed(settings: ServerSettings) -> None:
    told = repr(settings)

    assert settings.database_url not in told
    assert "pppp" not in told
