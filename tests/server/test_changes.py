"""The stream of changes, heard by a real client of a real server: cut off and resumed, nothing is lost."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.tasks import a_worker, call, drain, start
from tests.support.http.loopback import Loopback, loopback
from tests.support.processes.remote_workers import a_remote_fleet
from tests.support.waiting import wait_until

STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
def http(settings: ServerSettings) -> Iterator[Loopback]:
    with loopback(settings) as http:
        yield http


class Listener:
    """One connection: what it heard, and the id of the last event."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.last = ""
        self.comments = 0

    def next(self) -> tuple[str, dict[str, Any]]:
        """The next event: its name and what it says."""
        name, data = "", ""
        for line in self._lines:
            word, _, rest = line.partition(": ")
            match word:
                case "id":
                    self.last = rest
                case "event":
                    name = rest
                case "data":
                    data = rest
                case "":
                    self.comments += line.startswith(":")
                    if name:
                        return name, json.loads(data)
        return "over", {}

    def changes(self, count: int) -> list[tuple[str, str, str]]:
        found = [self.next() for _ in range(count)]
        assert {name for name, _ in found} <= {"change"}, found
        return [(said["kind"], said["id"], said["status"]) for _, said in found]


@contextmanager
def listening(url: str, headers: dict[str, str], after: str | None = None) -> Iterator[Listener]:
    resume = {"Last-Event-ID": after} if after else {}
    with (
        httpx2.Client(timeout=30) as client,
        client.stream("GET", f"{url}/v1/changes", headers={**headers, **STREAM, **resume}) as answer,
    ):
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        listener = Listener(answer.iter_lines())
        assert listener.next()[0] == "ready"
        yield listener


def test_what_happens_is_heard_in_order(http: Loopback, make_headers: MakeKey, db: psycopg.Connection) -> None:
    with listening(http.url, make_headers("runs:read")) as heard:
        (run,) = start(db)
        worker = a_worker(db)
        drain(db, worker)

        assert heard.changes(4) == [
            ("run", str(run), "pending"),
            ("worker", "w", "active"),
            ("task", str(run), "completed"),
            ("run", str(run), "completed"),
        ]


def test_who_was_cut_off_goes_on_and_misses_nothing(
    http: Loopback, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    headers, expected, heard = make_headers("runs:read"), [], []
    last = None
    for _ in range(4):
        with listening(http.url, headers, last) as listener:
            expected += [str(id) for id in start(db, 1, 2, 3)]
            heard += [id for _, id, _ in listener.changes(2)]
            last = listener.last
        expected += [str(id) for id in start(db, 4)]  # while nobody listens
    with listening(http.url, headers, last) as listener:
        while len(set(heard)) < len(expected):
            heard += [id for _, id, _ in listener.changes(1)]

    assert sorted(set(heard)) == sorted(expected)


def test_what_commits_late_is_heard_whoever_listened_meanwhile(
    http: Loopback, make_headers: MakeKey, db: psycopg.Connection, database: str
) -> None:
    start(db)  # the first of its type makes others wait
    headers = make_headers("runs:read")
    with psycopg.connect(database) as late:
        with listening(http.url, headers) as first:
            (held,) = start(late)
            (quick,) = start(db)
            last = first.last
        with listening(http.url, headers, last) as second:
            late.commit()
            heard = []
            while str(quick) not in heard:
                heard += [id for _, id, _ in second.changes(1)]

    assert heard[-2:] == [str(held), str(quick)]


def test_a_revoked_key_hears_no_more(http: Loopback, make_headers: MakeKey, db: psycopg.Connection) -> None:
    with listening(http.url, make_headers("runs:read", name="gone")) as heard:
        db.execute("update tenuto.api_keys set revoked_at = now() where name = 'gone'")

        name, said = heard.next()
        assert (name, said["code"]) == ("end", "unauthorized")
        assert heard.next()[0] == "over"


def test_another_org_hears_nothing_of_it(http: Loopback, make_headers: MakeKey, db: psycopg.Connection) -> None:
    other = call(db, "create_org", slug="other")
    with listening(http.url, make_headers("runs:read", org_id=other)) as heard:
        start(db)
        (own,) = start(db, org_id=other)

        assert heard.changes(1) == [("run", str(own), "pending")]


def test_who_wants_no_stream_gets_pages(http: Loopback, make_headers: MakeKey, db: psycopg.Connection) -> None:
    headers = make_headers("runs:read")

    def ask(after: str | None = None) -> dict[str, Any]:
        params = {"after": after} if after else {}
        return httpx2.get(f"{http.url}/v1/changes", headers=headers, params=params, timeout=30).json()

    place = ask()["next"]
    (run,) = start(db)
    wait_until(lambda: ask(place)["items"])

    assert [one["id"] for one in ask(place)["items"]] == [str(run)]
    assert ask(ask(place)["next"])["items"] == []


@pytest.mark.parametrize("place", ["nonsense", "1.2", "1.99999999999.x", "-5.0.x", "1.0.a b", "1.0.%00"])
def test_a_place_that_cannot_be_is_refused(http: Loopback, make_headers: MakeKey, place: str) -> None:
    headers = {**make_headers("runs:read"), **STREAM, "Last-Event-ID": place}

    assert httpx2.get(f"{http.url}/v1/changes", headers=headers, timeout=30).status_code == 422


def test_a_server_that_stops_ends_the_streams(database: str, make_headers: MakeKey, tmp_path: Path) -> None:
    with a_remote_fleet(database, tmp_path, "") as fleet:
        assert fleet.server is not None
        with listening(fleet.url, make_headers("runs:read")) as heard:
            fleet.server.send_signal(signal.SIGTERM)

            assert heard.next()[0] == "over"
        assert fleet.server.wait(60) == 0
