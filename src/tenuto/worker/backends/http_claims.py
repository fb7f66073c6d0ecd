"""The claim channel over HTTP: one persistent connection, one batch per request.

Uses `http.client` and hand-built JSON, because a general HTTP client takes longer per request than the server takes for
the tasks of the request.
"""

import json
import select
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from http.client import HTTPException
from typing import Any

from tenuto.db.connection.errors import Away, Unreachable
from tenuto.db.connection.traffic import traffic
from tenuto.model.errors import NotFound, SessionEnded, message_of
from tenuto.model.tasks import Row, Unclaimable
from tenuto.worker.backends.http_connection import ServerAddress, batches

text_of = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

ENDED: Row = ("session_ended", *[None] * 9)


class HttpClaimChannel:
    """The claim channel of one thread. `types`: the type of each route. This list is shared with the code that adds new
    types."""

    def __init__(self, site: ServerAddress, types: list[str], group: str | None) -> None:
        self._site, self._types = site, types
        self._group = f',"resource_group":{text_of(group)}' if group else ""
        self._headers = {**site.headers, "Content-Type": "application/json"}
        if site.proxy and site.address.scheme == "http":
            self._headers |= site.login_at_proxy
        self._conn = site.connect()
        self._session = self._served = ""
        self._numbers: dict[str, int] = {}

    def serve(self, session_id: int, token: str, routes: list[int]) -> None:
        self._session = f'{{"session_id":{session_id},"token":"{token}"'
        self._numbers = {self._types[route]: route for route in routes}
        self._served = text_of([*self._numbers])

    def exchange(
        self, ids: list[str], attempts: list[int], outputs: list[str | None] | None, *, claim_no: int, limit: int
    ) -> list[Row]:
        """Complete and claim tasks in one request. Outputs are JSON text and are sent unchanged."""
        ends = zip(ids, attempts, outputs or [None] * len(ids), strict=True)
        reports = ",".join(
            f'{{"task_id":"{task_id}","attempt":{attempt},"output":{output or "null"}}}'
            for task_id, attempt, output in ends
        )
        fields = f'"claim_no":{claim_no},"limit":{limit},"types":{self._served}{self._group},"reports":[{reports}]'
        try:
            response = self._ask("/internal/claim", f"{self._session},{fields}}}")
        except (SessionEnded, NotFound) as problem:
            if self._group and isinstance(problem, NotFound) and self._has_session():
                raise  # the resource group was deleted
            return [ENDED]  # the session is no longer ours: its reports are obsolete
        rows = [
            (entry["result"], entry["task_id"], entry["attempt"], *[None] * 7) for entry in response["rejected_reports"]
        ]
        numbers = self._numbers
        rows += [
            (
                None,
                entry["task_id"],
                entry["attempt"],
                entry["run_id"],
                numbers[entry["type"]],
                None if entry["input"] is None else text_of(entry["input"]),
                None if entry["slots"] is None else text_of(entry["slots"]),
                entry["timeout_seconds"],
                None if entry["metadata"] is None else text_of(entry["metadata"]),
                None if entry["idempotency_key"] == entry["task_id"] else entry["idempotency_key"],
            )
            for entry in response["tasks"]
        ]
        return [*rows, ENDED] if response["session_ended"] else rows

    def _has_session(self) -> bool:
        try:
            self._ask("/internal/claim", f'{self._session},"claim_no":1,"limit":0,"types":[],"reports":[]}}')
        except (SessionEnded, NotFound):
            return False
        return True

    def complete(self, task_id: str, attempt: int, output: str | None) -> str:
        rows = self.exchange([task_id], [attempt], [output], claim_no=1, limit=0)
        return rows[0][0] if rows else "accepted"

    def postpone_unclaimable(self, limit: int) -> list[Unclaimable]:  # noqa: ARG002 - of the interface
        """Returns no tasks: the server has already postponed those that cannot be claimed."""
        return []

    def fold_and_wake_runs(self, run_ids: Collection[str]) -> None:
        for some in batches([*run_ids]):
            self._ask("/internal/nudge", text_of({"run_ids": some}))

    def _ask(self, path: str, body: str) -> Any:
        conn = self._conn
        if conn.sock is not None and select.select([conn.sock], [], [], 0)[0]:
            conn.close()  # the server closed the idle connection
        if self._site.availability.problem is not None:
            self._site.availability.wait()
        try:
            if conn.sock is None:
                self._connect()
            conn.request("POST", self._site.target(path), body.encode(), self._headers)
            answer = conn.getresponse()
            content = answer.read()
        except (OSError, HTTPException) as problem:
            conn.close()
            raise Unreachable(f"{self._site.url} is unreachable: {message_of(problem)}") from problem
        self._site.check_away(answer.status, content)
        if answer.status >= 300:
            raise self._site.refusal(answer.status, content)
        return self._site.read(content)

    def _connect(self) -> None:
        try:
            self._conn.connect()
        except OSError as problem:
            reason = f"{self._site.url} is unreachable: {message_of(problem)}"
            self._site.availability.failed(reason)
            raise Away(reason) from problem

    def listen(self, heard: Callable[[str], None]) -> None:
        """Returns None: a request cannot receive wake-ups."""

    def traffic(self) -> tuple[int, int] | None:
        line = self._conn.sock
        return None if line is None else traffic(line.fileno())

    def cut(self) -> None:
        if (line := self._conn.sock) is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._conn.close()
