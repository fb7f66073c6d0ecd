"""A server with the pods of RunPod's REST API: it can refuse, fail, list late, and run out of machines."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "RunPodServer"  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self._respond(*self.server.read(self.path))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._respond(*self.server.create(body))

    def do_DELETE(self) -> None:
        self._respond(*self.server.delete(self.path))

    def _respond(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        if self.headers["authorization"] != "Bearer secret":
            status, body, headers = 401, {"error": "unauthorized"}, None
        elif self.server.failures:
            status, body, headers = self.server.failures.pop(0)
        content = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class RunPodServer(ThreadingHTTPServer):
    """`failures` are the next responses; `unlisted` pods exist but are not listed yet; `sold_out` GPU types."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pods: dict[str, dict[str, Any]] = {}
        self.failures: list[tuple[int, object, dict[str, str] | None]] = []
        self.unlisted: set[str] = set()
        self.sold_out: set[str] = set()
        self.made = 0
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def create(self, body: dict[str, Any]) -> tuple[int, object]:
        if set(body.get("gpuTypeIds", ())) & self.sold_out:
            text = "create pod: There are no longer any instances available with the requested specifications."
            return 500, {"error": text, "status": 500}
        self.made += 1
        pod_id = f"pod{self.made}"
        self.pods[pod_id] = {"id": pod_id, "desiredStatus": "RUNNING", "costPerHr": "0.74", **body}
        return 201, self.pods[pod_id]

    def read(self, path: str) -> tuple[int, object]:
        if path == "/v1/pods":
            return 200, [pod for pod in self.pods.values() if pod["id"] not in self.unlisted]
        pod = self.pods.get(path.rpartition("/")[2])
        return (200, pod) if pod else (404, {"error": "pod not found"})

    def delete(self, path: str) -> tuple[int, object]:
        return (204, None) if self.pods.pop(path.rpartition("/")[2], None) else (404, {"error": "pod not found"})


@contextmanager
def runpod_server() -> Iterator[RunPodServer]:
    server = RunPodServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
