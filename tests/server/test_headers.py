"""Headers that were made to hurt: what a request says of itself on the side is kept short, or not believed."""

from collections.abc import Iterator

import httpx2
import psycopg
import pytest

from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.http.app_server import serving


@pytest.fixture
def http(settings: ServerSettings, make_headers: MakeKey) -> Iterator[httpx2.Client]:
    with serving(settings) as url, httpx2.Client(base_url=url, headers=make_headers("*"), timeout=30) as client:
        yield client


ASIDE: list[dict[str, str | bytes]] = [
    {"User-Agent": "a" * 50_000},
    {"User-Agent": "\x1b[2J\x07 <script>"},
    {"User-Agent": b"\xff\xfe\x80"},
    {"X-Forwarded-For": "nonsense"},
    {"X-Forwarded-For": "1.2.3.4.5, ::ffff:999"},
    {"X-Forwarded-For": "10.0.0.1" + ", 10.0.0.1" * 3000},
    {"X-Forwarded-Proto": "javascript"},
    {"X-Forwarded-Host": "evil.example"},
    {"Host": "evil.example"},
    {"Forwarded": "for=_hidden;by=1"},
    {"Accept": "text/html"},
    {"Accept-Encoding": "gzip;q=nonsense, *;q=-1"},
    {"Cookie": "__Host-tenuto=" + "a" * 30_000},
    {"Cookie": '__Host-tenuto="; drop table; __Host-tenuto-begun=\\'},
    {"Origin": "null"},
    {"If-None-Match": '"' + "a" * 10_000},
    {"Range": "bytes=0-1,5-,-9999999999999999999999"},
    {"Content-Type": "application/json; charset=utf-16"},
    {"Last-Event-ID": "\x01 or 1=1"},
    {"X-CSRF-Token": b"\xe9"},
]
REPEATED = [b"a" * 300, b"a" * 50_000, b"", b"\xff\xfe", b"\x1b[2J"]


def test_what_a_request_says_on_the_side_does_not_keep_it_from_its_work(
    http: httpx2.Client, db: psycopg.Connection
) -> None:
    for aside in ASIDE:
        said = {name.encode(): value if isinstance(value, bytes) else value.encode() for name, value in aside.items()}
        started = http.post("/v1/runs", json={"type": "a.b"}, headers=said)
        assert started.status_code == 201, (aside, started.text)

    rows = db.execute("select user_agent, ip::text from tenuto.audit_log").fetchall()
    assert len(rows) == len(ASIDE)
    assert max(len(value or "") for row in rows for value in row) <= 1024


def test_an_idempotency_key_that_is_none_is_refused_or_as_good_as_any(
    http: httpx2.Client, db: psycopg.Connection
) -> None:
    for key in REPEATED:
        said = {b"Idempotency-Key": key}
        answers = [http.post("/v1/runs", json={"type": "a.b"}, headers=said).status_code for _ in range(2)]
        assert answers in ([201, 201], [422, 422]), key

    assert db.execute("select count(*) <= %s from tenuto.runs", [2 * len(REPEATED)]).fetchone() == (True,)
