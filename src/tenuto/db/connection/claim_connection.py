"""The hot path: starting, claiming and completing in batches, one sync connection per lane.

Arrays travel as text literals and uuid and jsonb come back as text: adapting them one by one costs more than the
server needs for the task (bench/results).
"""

import os
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.types.string import TextLoader

from tenuto.db.connection.availability import availability_of
from tenuto.db.connection.call import kernel_errors
from tenuto.db.connection.errors import Away, Unreachable
from tenuto.db.connection.pgbouncer import adapt_sync
from tenuto.db.connection.pool import VANISHED
from tenuto.db.connection.traffic import traffic

Row = tuple[Any, ...]
NAME = b"claim"
CLAIM = b"select * from tenuto.complete_and_claim($1, $2, $3, $4, $5, $6, $7, $8, null, $9)"


class ClaimedRow(NamedTuple):
    """A claimed task as the server sends it: uuids and JSON as text."""

    answer: str | None
    task_id: str
    attempt: int
    run_id: str
    route_id: int
    input: str | None
    slots: str | None
    timeout_seconds: float | None
    metadata: str | None


@dataclass
class ClaimConnection:
    """One connection of a worker process: it reports what is done and claims what comes next."""

    conn: psycopg.Connection
    session_id: int
    token: str
    routes: str
    group: str | None = None  # only of this resource group
    pooled: bool = False
    _prepared: bool = field(default=False, init=False)
    _heard: Callable[[str], None] = field(default=lambda _: None, init=False)

    def __post_init__(self) -> None:
        self._rows = Transformer(self.conn)

    def serve(self, session_id: int, token: str, routes: list[int]) -> None:
        """For this session, of these routes, from now on."""
        self.session_id, self.token, self.routes = session_id, token, "{" + ",".join(map(str, routes)) + "}"

    def exchange(
        self, ids: list[str], attempts: list[int], outputs: list[str | None] | None, *, claim_no: int, limit: int
    ) -> list[Row]:
        """Complete these, claim up to `limit` more; rows are as `Claimed`, refused reports have an answer."""
        return self._claim(
            str(self.session_id),
            self.token,
            "{" + ",".join(ids) + "}",
            "{" + ",".join(map(str, attempts)) + "}",
            array_literal(outputs) if outputs else None,
            str(claim_no),
            self.routes,
            str(limit),
            self.group,
        )

    def _claim(self, *values: str | None) -> list[Row]:
        """Straight to libpq: a cursor takes longer to ask for one task than the server to find it."""
        pgconn = self.conn.pgconn
        sent: list[Any] = [None if value is None else value.encode() for value in values]
        with unreachable_on_error(), kernel_errors():
            if self.pooled:
                result = pgconn.exec_params(CLAIM, sent)
            else:
                if not self._prepared:
                    self._checked(pgconn.prepare(NAME, CLAIM))
                    self._prepared = True
                result = pgconn.exec_prepared(NAME, sent)
            self._take_notes()
            self._checked(result)
        self._rows.set_pgresult(result)
        return self._rows.load_rows(0, result.ntuples, tuple)

    def _checked(self, result: PGresult) -> None:
        if self.conn.pgconn.status != ConnStatus.OK:
            raise psycopg.OperationalError(self.conn.pgconn.get_error_message())
        if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
            raise error_from_result(result)

    def complete(self, task_id: str, attempt: int, output: str | None) -> str:
        """Report one on its own; answers as complete_tasks does."""
        with unreachable_on_error(), kernel_errors():
            row = self.conn.execute(
                "select answer from tenuto.complete_tasks("
                "%s, %s, array[%s]::uuid[], array[%s]::int[], array[%s]::jsonb[])",
                (self.session_id, self.token, task_id, attempt, output),
            ).fetchone()
        return row[0] if row else "stale_lease"

    def listen(self, heard: Callable[[str], None]) -> "ClaimConnection | None":
        """Hear wake-ups on this connection, each as its queue, whenever it is read. None: a pooler stands between."""
        if self.pooled:
            return None
        with unreachable_on_error():
            self.conn.add_notify_handler(lambda note: heard(note.payload))
            self._heard = heard
            self.conn.execute("listen tenuto_ready")
        return self

    def fileno(self) -> int:
        return self.conn.fileno()

    def hear(self) -> None:
        """Take in the wake-ups that came while nothing was asked."""
        with unreachable_on_error():
            self.conn.pgconn.consume_input()
            self._take_notes()

    def _take_notes(self) -> None:
        while note := self.conn.pgconn.notifies():
            self._heard(note.extra.decode())

    def cut(self) -> None:
        """From another thread: whoever waits on this connection gets an error instead of an answer."""
        with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(self.conn.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    def traffic(self) -> tuple[int, int] | None:
        """From another thread: bytes sent and received so far."""
        try:
            return traffic(self.conn.fileno())
        except psycopg.Error:  # it was closed
            return None

    def nudge(self, run_ids: Collection[str]) -> None:
        """Add up these runs and wake whoever serves what became ready in them."""
        with unreachable_on_error(), kernel_errors():
            self.conn.execute("select tenuto.fold_and_wake_runs(%s)", ("{" + ",".join(run_ids) + "}",))

    def close(self) -> None:
        self.conn.close()


def start_many(
    conn: psycopg.Connection,
    org_id: str,
    kind: str,
    inputs: list[str],
    ids: list[str],
    *,
    dedupe_keys: list[str] | None = None,
) -> int:
    """Start a run for each input (JSON text); answers how many were new. The caller wakes workers after its commit."""
    row = conn.execute(
        "select count(*) filter (where created) from tenuto.start_many("
        "p_org_id => %s, p_kinds => %s, p_inputs => %s, p_ids => %s, p_dedupe_keys => %s, p_wake => false)",
        (
            org_id,
            kind,
            array_literal(inputs),
            "{" + ",".join(ids) + "}",
            array_literal(dedupe_keys) if dedupe_keys else None,
        ),
    ).fetchone()
    return row[0] if row else 0


def start_run(conn: psycopg.Connection, org_id: str, kind: str, inputs: list[str], ids: list[str]) -> str:
    """Start one run with a task for each input (JSON text); answers the run."""
    row = conn.execute(
        "select run_id from tenuto.start_run("
        "p_org_id => %s, p_run => '{}', p_kinds => %s, p_inputs => %s, p_ids => %s, p_wake => false)",
        (org_id, kind, array_literal(inputs), "{" + ",".join(ids) + "}"),
    ).fetchone()
    assert row is not None  # noqa: S101 - the function answers one row or raises
    return row[0]


def open_lane(url: str, session_id: int, token: str, routes: list[int], *, role: str | None = None) -> ClaimConnection:
    """Connect a lane; `role` is taken on at log-in where the login itself is not it."""
    with unreachable_on_error():
        conn = _connect(url, f"-c role={role}" if role else None)
        pooled = adapt_sync(conn)
    for name in ("uuid", "jsonb"):
        conn.adapters.register_loader(name, TextLoader)
    return ClaimConnection(conn, session_id, token, "{" + ",".join(map(str, routes)) + "}", pooled=pooled)


def _connect(url: str, options: str | None) -> psycopg.Connection:
    availability = availability_of(url)
    availability.wait()
    try:
        conn = psycopg.connect(
            url, autocommit=True, connect_timeout=10, application_name="tenuto", options=options, **VANISHED
        )
    except psycopg.OperationalError as error:
        if availability.refused(error):
            raise Away(str(error).strip()) from error
        raise
    availability.succeeded()
    return conn


@contextmanager
def unreachable_on_error() -> Iterator[None]:
    """Turn a connection that broke, or a server that is going down, into `Unreachable`."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise Unreachable(str(error).strip() or "the connection broke") from error


def array_literal(values: Sequence[str | None]) -> str:
    """A Postgres array literal of texts."""
    return "{" + ",".join("NULL" if value is None else _quoted(value) for value in values) + "}"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
