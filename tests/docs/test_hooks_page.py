"""The page about hooks can be followed, and its Sentry recipe sends what Sentry's server would get."""

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.docs.pages import Reader
from tests.support.processes.terminal import ROOT, Terminal
from tests.support.waiting import wait_until

PAGE = ROOT / "docs" / "howto" / "hooks.md"


class SentryServer:
    """A server on loopback that keeps the events it is sent."""

    def __init__(self) -> None:
        events = self.events = list[dict[str, Any]]()

        class Ingest(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
                events.extend(json.loads(line) for line in body.splitlines() if b'"exception"' in line)
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Ingest)
        self.dsn = f"http://key@127.0.0.1:{self._server.server_port}/1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def sentry() -> Iterator[SentryServer]:
    server = SentryServer()
    yield server
    server.close()


def test_the_page_can_be_followed_and_sentry_gets_the_failure(
    database: str, tmp_path: Path, sentry: SentryServer
) -> None:
    terminal = Terminal(
        tmp_path,
        TENUTO_DATABASE_URL=database,
        TENUTO_HOME=str(tmp_path / "home"),
        SHOP_DATABASE_URL=database,
        SENTRY_DSN=sentry.dsn,
    )
    Reader(terminal).follow(PAGE)

    wait_until(lambda: bool(sentry.events))
    (event,) = [event for event in sentry.events if event.get("tags", {}).get("task")]
    assert event["tags"]["task"] == "shop.charge"
    (error,) = event["exception"]["values"]
    assert (error["type"], error["value"]) == ("ConnectionError", "the bank refuses order 7")
    assert error["stacktrace"]["frames"][-1]["function"] == "charge"
