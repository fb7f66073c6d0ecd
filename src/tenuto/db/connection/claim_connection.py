"""The calls that matter most for throughput. They claim and complete tasks in batches. Each claimer has one sync
connection.

Arrays are sent as text literals, and uuid and jsonb are received as text. Converting these values one by one would take
longer than the database needs for the task (bench/results).
"""

import os
import socket
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, LiteralString

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.types.string import TextLoader

from tenuto.db.connection.availability import availability_of
from tenuto.db.connection.call import rejected, translated, translated_errors
from tenuto.db.connection.connect import adapt_sync, with_keepalives
from tenuto.db.connection.errors import Away, Unreachable
from tenuto.db.connection.raw_statements import array_literal
from tenuto.db.connection.traffic import traffic
from tenuto.model.tasks import Row, Unclaimable

NAME = b"claim"
CLAIM = b"select * from tenuto.complete_and_claim($1, $2, $3, $4, $5, $6, $7, $8, null, $9)"


@dataclass
class ClaimConnection:
    """A connection of a worker process that reports completed tasks and claims the next ones."""

    conn: psycopg.Connection
    session_id: int
    token: str
    routes: str
    group: str | None = None  # claim only from this resource group
    pooled: bool = False
    begins: bool = False  # as in `Connected`
    _prepared: bool = field(default=False, init=False)
    _heard: Callable[[str], None] = field(default=lambda _: None, init=False)

    def __post_init__(self) -> None:
        self._rows = Transformer(self.conn)

    def serve(self, session_id: int, token: str, routes: list[int]) -> None:
        """Use this session and these routes from now on."""
        self.session_id, self.token, self.routes = session_id, token, "{" + ",".join(map(str, routes)) + "}"

    def exchange(
        self, ids: list[str], attempts: list[int], outputs: list[str | None] | None, *, claim_no: int, limit: int
    ) -> list[Row]:
        """Complete these tasks and claim up to `limit` more. Rows have the columns of `ClaimedRow`. A row with a
        `result` is a rejected report, and `result` is the reason."""
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
        """Calls libpq directly, because psycopg's cursor takes longer to send the claim of one task than the database
        takes to find the task."""
        pgconn = self.conn.pgconn
        sent: list[Any] = [None if value is None else value.encode() for value in values]
        try:
            if self.begins:
                with self.conn.transaction():
                    result = pgconn.exec_params(CLAIM, sent)
                    self._check_result(result)
            elif self.pooled:
                result = pgconn.exec_params(CLAIM, sent)
            else:
                if not self._prepared:
                    self._check_result(pgconn.prepare(NAME, CLAIM))
                    self._prepared = True
                result = pgconn.exec_prepared(NAME, sent)
            self._take_notes()
            self._check_result(result)
        except psycopg.Error as error:
            raise translated(error) or _convert_error(error) from error
        self._rows.set_pgresult(result)
        return self._rows.load_rows(0, result.ntuples, tuple)

    def _check_result(self, result: PGresult) -> None:
        if self.conn.pgconn.status != ConnStatus.OK:
            raise psycopg.OperationalError(self.conn.pgconn.get_error_message())
        if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
            raise error_from_result(result)

    def _fetch(self, statement: LiteralString, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with unreachable_on_error(), translated_errors(), self.conn.transaction() if self.begins else nullcontext():
            return self.conn.execute(statement, values).fetchall()

    def complete(self, task_id: str, attempt: int, output: str | None) -> str:
        """Report one completed task in a call of its own. Returns the result of complete_tasks, or "stale_lease" if it
        returned no row."""
        rows = self._fetch(
            "select result from tenuto.complete_tasks(%s, %s, array[%s]::uuid[], array[%s]::int[], array[%s]::jsonb[])",
            (self.session_id, self.token, task_id, attempt, output),
        )
        return rows[0][0] if rows else "stale_lease"

    def postpone_unclaimable(self, limit: int) -> list[Unclaimable]:
        """Postpone the tasks whose claim raises an error. Returns them with their errors."""
        rows = self._fetch(
            "select task_id, org_id, run_id, error from tenuto.postpone_unclaimable(%s, %s, %s, %s)",
            (self.session_id, self.token, self.routes, limit),
        )
        return [Unclaimable(*row) for row in rows]

    def listen(self, heard: Callable[[str], None]) -> "ClaimConnection | None":
        """From now on, call `heard` with the queue of each wake-up that arrives on this connection. Returns this
        connection, or None if it goes through a pooler, because it then receives no wake-ups."""
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
        """Process the wake-ups that arrived between calls."""
        with unreachable_on_error():
            self.conn.pgconn.consume_input()
            self._take_notes()

    def _take_notes(self) -> None:
        while note := self.conn.pgconn.notifies():
            self._heard(note.extra.decode())

    def cut(self) -> None:
        """Aborts the connection, so that the thread that waits for a response gets an error. Called from other
        threads."""
        with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(self.conn.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    def traffic(self) -> tuple[int, int] | None:
        """Return how many bytes were sent and received so far; None if the connection is closed or the operating system
        does not report it. Called from other threads."""
        try:
            return traffic(self.conn.fileno())
        except psycopg.Error:  # the connection was closed
            return None

    def fold_and_wake_runs(self, run_ids: Collection[str]) -> None:
        """Update the counts of these runs, and wake the workers of the queues that have ready tasks."""
        self._fetch("select tenuto.fold_and_wake_runs(%s)", ("{" + ",".join(run_ids) + "}",))

    def close(self) -> None:
        self.conn.close()


def open_claim_connection(
    url: str, session_id: int, token: str, routes: list[int], *, role: str | None = None
) -> ClaimConnection:
    """Open the connection of a claimer. `role`: the role to which the connection switches, if the login is not this
    role itself."""
    with unreachable_on_error():
        conn = _connect(url, f"-c role={role}" if role else None)
        connected = adapt_sync(conn)
    for name in ("uuid", "jsonb"):
        conn.adapters.register_loader(name, TextLoader)
    named = "{" + ",".join(map(str, routes)) + "}"
    return ClaimConnection(conn, session_id, token, named, pooled=connected.pooled, begins=connected.begins)


def _connect(url: str, options: str | None) -> psycopg.Connection:
    availability = availability_of(url)
    availability.wait()
    try:
        conn = psycopg.connect(
            with_keepalives(url),
            autocommit=True,
            connect_timeout=10,
            application_name="tenuto",
            options=options,
        )
    except psycopg.OperationalError as error:
        if availability.refused(error):
            raise Away(str(error).strip()) from error
        raise
    availability.succeeded()
    return conn


@contextmanager
def unreachable_on_error() -> Generator[None]:
    """Converts errors of the driver inside the block as `_convert_error` does."""
    try:
        yield
    except psycopg.Error as error:
        raise _convert_error(error) from error


def _convert_error(error: psycopg.Error) -> Exception:
    """Return Unreachable for an operational error, such as a broken connection or a server that is shutting down.
    Return RowRejected for an error that a single row causes, and any other error unchanged."""
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return Unreachable(str(error).strip() or "the connection broke")
    return rejected(error) or error
