"""Operators of sources: http_poll over a real server, webhook, trigger_cron; and range_aggregator."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import pytest

from tenuto.model.json import JsonObject
from tenuto.operators.app import operator_app
from tenuto.sdk.context.control import Fail
from tenuto.sdk.public_http import AddressRefused, Fetch, FetchFailed, fetch
from tenuto.testing import UnitContext, UnitSyncContext
from tests.operators.jobs import Workbench, an_output

Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Site:
    """A server on loopback: what each path returns, and what was asked."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def a_handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, dict(self.headers.items())))
            status, headers, content = site.answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in {"content-length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    return Handler


@pytest.fixture(scope="module")
def server() -> Iterator[Site]:
    site = Site()
    with ThreadingHTTPServer(("127.0.0.1", 0), a_handler(site)) as http:
        site.port = http.server_port
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield site
        http.shutdown()
        thread.join()


@pytest.fixture
def site(server: Site) -> Site:
    server.answers.clear()
    server.asked.clear()
    return server


@pytest.fixture
def bench(tmp_path: Path, site: Site) -> Workbench:
    return Workbench(tmp_path, allowed_hosts=[f"127.0.0.1:{site.port}"])


def poll(bench: Workbench, site: Site, path: str, partition: str | None = None, **config: object) -> list[JsonObject]:
    options: JsonObject = {"url": f"{site.url}{path}", **config}  # type: ignore[dict-item]
    (published,) = bench.run("http_poll", options, an_output(), partition=partition)
    return bench.read(published).to_pylist()


def test_rows_of_a_response_are_published(bench: Workbench, site: Site) -> None:
    site.answers["/json"] = (200, {}, b'[{"n": 1}, {"n": 2}]')
    site.answers["/deep?day=a%2Fb"] = (200, {}, b'{"data": {"items": [{"n": 3}]}}')
    site.answers["/object"] = (200, {}, b'\xef\xbb\xbf{"n": 4}')
    site.answers["/lines"] = (200, {}, b'{"n": 5}\n\n{"n": 6}\n')
    site.answers["/csv"] = (200, {}, b"n,name\n7,seven\n")

    assert poll(bench, site, "/json") == [{"n": 1}, {"n": 2}]
    assert poll(bench, site, "/deep?day={partition}", partition="a/b", rows="data.items") == [{"n": 3}]
    assert poll(bench, site, "/object", headers={"Accept": "application/json"}) == [{"n": 4}]
    assert poll(bench, site, "/lines", format="jsonl") == [{"n": 5}, {"n": 6}]
    assert poll(bench, site, "/csv", format="csv") == [{"n": 7, "name": "seven"}]
    assert site.asked[2][1]["Accept"] == "application/json"
    assert site.asked[0][1]["Host"] == f"127.0.0.1:{site.port}"


def test_a_response_without_rows_fails_for_good(bench: Workbench, site: Site) -> None:
    site.answers["/text"] = (200, {}, b"hello")
    site.answers["/other"] = (200, {}, b'{"items": 1}')

    with pytest.raises(Fail, match="the response is not json"):
        poll(bench, site, "/text")
    with pytest.raises(Fail, match=r"has no data.items: data is missing"):
        poll(bench, site, "/other", rows="data.items")
    with pytest.raises(Fail, match="status 404"):
        poll(bench, site, "/gone")
    with pytest.raises(Fail, match="the task has no partition"):
        poll(bench, site, "/x?day={partition}")


def test_a_server_that_is_busy_or_away_is_tried_again(bench: Workbench, site: Site) -> None:
    site.answers["/busy"] = (429, {}, b"")
    site.answers["/broken"] = (500, {}, b"")

    for path in ("/busy", "/broken"):
        with pytest.raises(FetchFailed, match="responded with status"):
            poll(bench, site, path)
    bench.allowed_hosts.append("127.0.0.1:1")
    with pytest.raises(FetchFailed, match="ConnectError"):
        bench.run("http_poll", {"url": "http://127.0.0.1:1/"}, an_output())


def test_a_secret_is_sent_to_its_host_only(bench: Workbench, site: Site) -> None:
    site.answers["/a"] = (302, {"location": f"http://localhost:{site.port}/b"}, b"")
    site.answers["/b"] = (200, {}, b'[{"n": 1}]')
    bench.allowed_hosts.append("localhost")
    task = operator_app(bench.storage, bench.allowed_hosts).tasks["tenuto.http_poll"]
    context = UnitContext(task=task, secrets={"token": "s3cret"})
    config: JsonObject = {"url": f"{site.url}/a", "bearer_secret": "token"}

    task.function(UnitSyncContext(context), bench.description("http_poll", config, [an_output()], None))

    assert [headers.get("Authorization") for _, headers in site.asked] == ["Bearer s3cret", None]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/json",
        "http://localhost:{port}/json",
        "http://2130706433:{port}/json",
        "http://[::ffff:127.0.0.1]:{port}/json",
        "http://169.254.169.254/latest/meta-data",
        "http://10.1.2.3/",
        "http://0.0.0.0:{port}/json",
    ],
)
def test_private_addresses_are_refused(url: str, tmp_path: Path, site: Site) -> None:
    site.answers["/json"] = (200, {}, b"[]")

    with pytest.raises(Fail, match="private address; to allow it, add the host to TENUTO_ALLOWED_HOSTS"):
        Workbench(tmp_path).run("http_poll", {"url": url.format(port=site.port)}, an_output())
    assert site.asked == []


def fetched(site: Site, path: str, **bounds: object) -> bytes:
    target = BytesIO()
    fetch(Fetch(f"{site.url}{path}", **bounds), target, [f"127.0.0.1:{site.port}"])  # type: ignore[arg-type]
    return target.getvalue()


def test_a_redirect_is_checked_like_a_url(site: Site) -> None:
    elsewhere = {
        "/host": f"http://localhost:{site.port}/",
        "/port": "http://127.0.0.1:1/",
        "/scheme": "file:///etc/passwd",
        "/user": "http://a:b@127.0.0.1/",
    }
    for path, location in elsewhere.items():
        site.answers[path] = (302, {"location": location}, b"")
        with pytest.raises(AddressRefused):
            fetched(site, path)
    site.answers["/loop"] = (302, {"location": "/loop"}, b"")
    with pytest.raises(FetchFailed, match="more than 5 times"):
        fetched(site, "/loop")
    site.answers["/relative"] = (301, {"location": "end"}, b"")
    site.answers["/end"] = (200, {}, b"done")
    assert fetched(site, "/relative") == b"done"


def test_headers_are_sent_to_the_host_of_the_url_only(site: Site) -> None:
    site.answers["/here"] = (302, {"location": "/there"}, b"")
    site.answers["/there"] = (302, {"location": f"http://localhost:{site.port}/end"}, b"")
    site.answers["/end"] = (200, {}, b"done")
    request = Fetch(f"{site.url}/here", {"X-Key": "k"}, {"Authorization": "Bearer s"})

    fetch(request, BytesIO(), [f"127.0.0.1:{site.port}", f"localhost:{site.port}"])

    sent = {path: [headers.get("X-Key"), headers.get("Authorization")] for path, headers in site.asked}
    assert sent == {"/here": ["k", "Bearer s"], "/there": ["k", "Bearer s"], "/end": [None, None]}


def test_a_response_is_bounded_in_size_and_time(site: Site) -> None:
    site.answers["/large"] = (200, {}, b"x" * 1001)

    with pytest.raises(FetchFailed, match="larger than 1,000 bytes"):
        fetched(site, "/large", max_bytes=1000)
    with pytest.raises(FetchFailed, match="did not arrive in time"):
        fetched(site, "/large", seconds=0)


def test_the_rows_of_a_webhook_are_published(bench: Workbench) -> None:
    rows: list[JsonObject] = [{"n": 1}, {"n": 2}]

    def read() -> list[JsonObject]:
        return bench.read(bench.run("webhook", {}, an_output())[0]).to_pylist()

    bench.source = {"kind": "webhook", "body": rows}  # type: ignore[dict-item]
    assert read() == rows
    bench.source = {"kind": "webhook", "body": rows[0]}
    assert read() == rows[:1]
    bench.source = {"kind": "webhook", "body": 5}
    with pytest.raises(Fail, match="row 0 of the data is int"):
        read()
    bench.source = None
    with pytest.raises(Fail, match="not started by a webhook"):
        read()


def test_a_time_is_published_for_each_output_with_a_dataset(bench: Workbench) -> None:
    bench.source = {"kind": "cron", "fire_time": "2026-11-17T03:00:00Z"}

    (published,) = bench.run("trigger_cron", {}, an_output(None), an_output(), partition="2026-11-17")

    (row,) = bench.read(published).to_pylist()
    assert (row["fire_time"].isoformat(), row["partition"]) == ("2026-11-17T03:00:00+00:00", "2026-11-17")
    bench.source = None
    (by_hand,) = bench.run("trigger_cron", {}, an_output())
    assert bench.read(by_hand).num_rows == 1


def test_rows_of_a_range_are_joined(bench: Workbench) -> None:
    bench.add_input("blocks", [{"n": 1}, {"n": 999}], [{"n": 1000}, {"n": 2}])

    (first,) = bench.run("range_aggregator", {"column": "n"}, an_output(), partition="0-1000")
    (second,) = bench.run("range_aggregator", {"column": "n"}, an_output(), partition="-1000-0")

    assert bench.read(first).to_pylist() == [{"n": 1}, {"n": 2}, {"n": 999}]
    assert bench.read(second).num_rows == 0
    for wrong in (None, "monday", "5-5"):
        with pytest.raises(Fail, match="is not a range such as 0-1000"):
            bench.run("range_aggregator", {"column": "n"}, an_output(), partition=wrong)
