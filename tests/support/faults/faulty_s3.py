"""An HTTP proxy before an S3 server that breaks some requests: it refuses them, is too busy, resets the connection, or
sends half of an object."""

import http.client
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import unquote, urlsplit

Fault = Literal["denied", "busy", "reset", "half"]
ERRORS = {"denied": (403, "AccessDenied"), "busy": (503, "SlowDown")}
BODY = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>{0}</Code><Message>{0} of the test</Message></Error>"
UNSENT = ("connection", "keep-alive", "transfer-encoding")


@dataclass
class Rule:
    """What happens to the next `times` requests with this method and these parts in their URL."""

    method: str
    parts: tuple[str, ...]
    fault: Fault
    times: int
    met: int = 0


@dataclass
class FaultyS3:
    """`url`: where clients find it. Requests that no rule is for reach the server unchanged."""

    upstream: str
    url: str = ""
    rules: list[Rule] = field(default_factory=list[Rule])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def break_requests(self, method: str, *parts: str, fault: Fault, times: int) -> Rule:
        rule = Rule(method, parts, fault, times)
        self.rules.append(rule)
        return rule

    def fault_of(self, method: str, url: str) -> Fault | None:
        with self._lock:
            for rule in self.rules:
                fits = rule.method == method and all(part in unquote(url) for part in rule.parts)
                if fits and rule.met < rule.times:
                    rule.met += 1
                    return rule.fault
        return None


@contextmanager
def faulty_s3(upstream: str) -> Iterator[FaultyS3]:
    """It serves until the end of the block."""
    proxy = FaultyS3(upstream)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_request(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            fault = proxy.fault_of(self.command, self.path)
            if fault == "reset":
                self._reset()
            elif fault in ERRORS:
                status, code = ERRORS[fault]
                self._respond(status, [("Content-Type", "application/xml")], BODY.format(code).encode())
            else:
                self._forward(content, half=fault == "half")

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_request

        def _forward(self, content: bytes, *, half: bool) -> None:
            server = http.client.HTTPConnection(urlsplit(proxy.upstream).netloc, timeout=30)
            server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():  # the signature covers the host that the client named
                server.putheader(name, value)
            server.endheaders(content)
            response = server.getresponse()
            headers = [(name, value) for name, value in response.getheaders() if name.lower() not in UNSENT]
            body = response.read()
            if half:
                self._respond(response.status, headers, body[: len(body) // 2], size=len(body))
                self._reset()
            else:
                self._respond(response.status, headers, body)
            server.close()

        def _respond(self, status: int, headers: list[tuple[str, str]], body: bytes, size: int | None = None) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() != "content-length" or self.command == "HEAD":
                    self.send_header(name, value)
            if self.command != "HEAD":
                self.send_header("Content-Length", str(len(body) if size is None else size))
            self.end_headers()
            self.wfile.write(body)

        def _reset(self) -> None:
            self.wfile.flush()
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: tests look at what clients say."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        proxy.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()
