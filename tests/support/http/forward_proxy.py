"""A plain HTTP proxy: forwards requests with an absolute URL, and opens tunnels for CONNECT."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from select import select
from socket import create_connection
from urllib.parse import urlsplit

PASSED_ON = ("authorization", "content-type", "accept-encoding")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "HttpProxy"  # pyright: ignore[reportIncompatibleVariableOverride]

    def _pass_on(self) -> None:
        there = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        line = HTTPConnection(there.hostname or "", there.port or 80, timeout=60)
        headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
        target = there.path + (f"?{there.query}" if there.query else "")
        line.request(self.command, target, body, headers)
        answer = line.getresponse()
        content = answer.read()
        line.close()
        self.server.seen.append(f"{self.command} {there.path}")
        self.send_response(answer.status)
        self.send_header("content-type", answer.getheader("content-type", ""))
        if answer.status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_CONNECT(self) -> None:
        """A tunnel, as for https: what goes through it is not seen."""
        host, _, port = self.path.partition(":")
        self.server.seen.append(f"CONNECT {self.path}")
        with create_connection((host, int(port))) as there:
            self.send_response(200)
            self.end_headers()
            sides = {self.connection: there, there: self.connection}
            while True:
                for side in select([*sides], [], [], 30)[0]:
                    data = side.recv(65_536)
                    if not data:
                        self.close_connection = True
                        return
                    sides[side].sendall(data)

    do_GET = do_POST = do_PUT = do_DELETE = _pass_on

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class HttpProxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


@contextmanager
def an_http_proxy() -> Iterator[HttpProxy]:
    with HttpProxy() as proxy:
        thread = threading.Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
