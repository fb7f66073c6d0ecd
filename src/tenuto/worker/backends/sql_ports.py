"""The calls of running attempts, executed as SQL."""

from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any
from uuid import UUID

from tenuto.db import attempts, maintenance, remote_workers, run_data
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool
from tenuto.runtimes.base import Attempt
from tenuto.sdk.context.attempt_api import Json
from tenuto.sdk.values.data_objects import Objects
from tenuto.worker.backends.ports import AttemptApis, WorkerAttemptApi
from tenuto.worker.process.session import WorkerSession

Fence = dict[str, Any]
Verb = Callable[..., Awaitable[Json]]


class SqlAttemptApis(AttemptApis):
    """Creates the API of each attempt that needs one."""

    def __init__(self, pool: ConnectionPool, session: WorkerSession, org_id: UUID, objects: Objects) -> None:
        super().__init__(session)
        self.pool, self.org_id, self.objects = pool, org_id, objects

    def open(self, attempt: Attempt) -> "SqlAttemptApi":
        return SqlAttemptApi(self, attempt)

    def objects_of(self, attempt: Attempt) -> Objects:  # noqa: ARG002 - the same for all attempts
        return self.objects


class SqlAttemptApi(WorkerAttemptApi):
    """The API of one attempt; every call is checked against its lease."""

    def __init__(self, ports: SqlAttemptApis, attempt: Attempt) -> None:
        super().__init__(ports, attempt)
        self.objects, self.org_id, self.run_id = ports.objects, ports.org_id, UUID(attempt.run_id)
        self._pool = ports.pool

    async def carry(self, verb: str, arguments: dict[str, Json]) -> Json:
        answer = ANSWERS[verb]
        if answer in OBJECT_VERBS:
            return await answer(self, **arguments)
        async with self._pool.connection() as conn:
            return await answer(conn, self, **arguments)

    @property
    def fence(self) -> Fence:
        session_id, token = self.session
        return {
            "session_id": session_id,
            "token": token,
            "task_id": UUID(self.attempt.task_id),
            "attempt": self.attempt.no,
        }


async def _get_steps(conn: Conn, port: SqlAttemptApi) -> Json:
    now = await maintenance.now(conn)
    steps = await run_data.get_steps(conn, org_id=port.org_id, task_id=port.fence["task_id"])
    return [
        {
            "step_no": step.step_no,
            "name": step.name,
            "kind": step.kind,
            "value": step.value,
            "age_seconds": (now - step.created_at).total_seconds(),
        }
        for step in steps
    ]


async def _get_failures(conn: Conn, port: SqlAttemptApi) -> Json:
    held = await remote_workers.get_held_task(conn, org_id=port.org_id, task_id=port.fence["task_id"])
    return held.failures


async def _get_inputs(conn: Conn, port: SqlAttemptApi, *, first: int) -> Json:
    return await attempts.get_inputs(conn, **port.fence, first=first)


async def _record_step(conn: Conn, port: SqlAttemptApi, **step: Json) -> Json:
    return await run_data.record_step(conn, **port.fence, **step)


async def _take_signal(conn: Conn, port: SqlAttemptApi, *, step_no: int, name: str) -> Json:
    return asdict(await run_data.take_signal(conn, **port.fence, step_no=step_no, name=name))


async def _start_children(conn: Conn, port: SqlAttemptApi, **start: Json) -> Json:
    ids = await attempts.start_children(conn, **port.fence, **start)
    return [str(task_id) for task_id in ids]


async def _poll_tasks(conn: Conn, port: SqlAttemptApi, *, task_ids: list[str]) -> Json:
    ids = [UUID(task_id) for task_id in task_ids]
    ended = await attempts.poll_tasks(conn, org_id=port.org_id, task_ids=ids, run_id=port.run_id)
    return [{**asdict(row), "id": str(row.id)} for row in ended]


async def _put_task_data(conn: Conn, port: SqlAttemptApi, *, values: Json, tags: list[str] | None = None) -> Json:
    await run_data.put_task_data(conn, **port.fence, values=values, tags=tags)


async def _get_run_data(conn: Conn, port: SqlAttemptApi, **query: Json) -> Json:
    rows = await run_data.get_run_data(conn, org_id=port.org_id, run_id=port.run_id, **query)
    return [{"id": str(row.id), "key": row.key, "value": row.value, "tags": row.tags} for row in rows]


async def _put_object(port: SqlAttemptApi, *, data: str, type: str, metadata: Json = None) -> Json:
    stored = await port.objects.put(b64decode(data), type=type, metadata=metadata, holder=port.fence)
    return str(stored.id)


async def _get_object(port: SqlAttemptApi, *, id: str) -> Json:
    return b64encode(await port.objects.get(UUID(id))).decode()


OBJECT_VERBS = (_put_object, _get_object)
ANSWERS: dict[str, Verb] = {
    "put_object": _put_object,
    "get_object": _get_object,
    "get_failures": _get_failures,
    "get_inputs": _get_inputs,
    "get_steps": _get_steps,
    "record_step": _record_step,
    "take_signal": _take_signal,
    "start_children": _start_children,
    "poll_tasks": _poll_tasks,
    "put_task_data": _put_task_data,
    "get_run_data": _get_run_data,
}
