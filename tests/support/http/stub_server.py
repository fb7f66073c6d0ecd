"""A stub in place of a server: returns a fixed response to every request, and counts connections."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "StubServer"  # pyright: ignore[reportIncompatibleVariableOverride]

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        self.server.headers.append(dict(self.headers.items()))
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        if not self.server.released.wait(30):
            return
        status, content = self.server.answer
        self.send_response(status)
        self.send_header("content-length", str(len(content) + self.server.withheld))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = self.server.hangs_up or self.server.withheld > 0

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class StubServer(ThreadingHTTPServer):
    """`answer` to everything, once `released`; `hangs_up` ends each connection after an answer without saying so."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer: tuple[int, bytes] = (200, b"{}")
        self.hangs_up = False
        self.withheld = 0  # bytes that each answer announces and does not send
        self.connections = self.closed = 0
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.released = threading.Event()
        self.released.set()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.closed += 1


@contextmanager
def a_stub_server(certificate: Path | None = None) -> Iterator[StubServer]:
    """With the file of a certificate and its key it speaks TLS."""
    with StubServer() as site:
        if certificate is not None:
            tls = SSLContext(PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            site.socket = tls.wrap_socket(site.socket, server_side=True)
            site.url = f"https://localhost:{site.server_port}"
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            site.released.set()
            site.shutdown()
            thread.join()
