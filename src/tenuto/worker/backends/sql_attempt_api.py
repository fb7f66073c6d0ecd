"""The calls of running attempts, executed as SQL."""

from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from tenuto.db import attempts, maintenance, remote_workers, run_data
from tenuto.db.connection.call import call as call_function
from tenuto.db.connection.call import json_array, json_or_default, json_value
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.attempt_calls import AttemptCall, SqlForm
from tenuto.runtimes.base import Attempt
from tenuto.sdk.context.attempt_api import Json
from tenuto.sdk.values.stored_objects import Objects
from tenuto.worker.backends.attempt_api import AttemptApis, WorkerAttemptApi
from tenuto.worker.process.session import WorkerSession


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

    def __init__(self, apis: SqlAttemptApis, attempt: Attempt) -> None:
        super().__init__(apis, attempt)
        self.objects, self.org_id, self.pool = apis.objects, apis.org_id, apis.pool
        self.task_id = UUID(attempt.task_id)

    async def carry(self, call: AttemptCall, arguments: dict[str, Json]) -> Json:
        if call.sql is None:
            return await FUNCTIONS[call.name](self, **arguments)
        params = {**self._scope(call.sql), **_params(call.sql, arguments)}
        async with self.pool.connection() as conn:
            rows = await call_function(conn, call.name, dict, **params)
        return _result(call.sql, rows)

    def _scope(self, form: SqlForm) -> dict[str, Any]:
        match form.scope:
            case "attempt":
                return self.fence
            case "run":
                return {"org_id": self.org_id, "run_id": UUID(self.attempt.run_id)}

    @property
    def fence(self) -> dict[str, Any]:
        session = self.session
        return {
            "session_id": session.session_id,
            "token": session.token,
            "task_id": self.task_id,
            "attempt": self.attempt.no,
        }


def _params(form: SqlForm, arguments: dict[str, Json]) -> dict[str, Any]:
    params = dict(arguments)
    for name, value in arguments.items():
        if name in form.json:
            params[name] = json_value(value)
        elif name in form.optional_json:
            params[name] = json_or_default(value)
        elif name in form.json_arrays:
            params[name] = json_array(value)
        elif name in form.ids:
            params[name] = [UUID(id) for id in value]
    return params


def _result(form: SqlForm, rows: list[dict[str, Any]]) -> Json:
    match form.returns:
        case "nothing":
            return None
        case "value":
            return _as_json(next(iter(rows[0].values())))
        case "row":
            return _as_json(rows[0])
        case "rows":
            return [
                _as_json({name: value for name, value in row.items() if not form.columns or name in form.columns})
                for row in rows
            ]


def _as_json(value: Any) -> Json:
    """Return ids as text, at the top of a value; everything below is JSON already."""
    if isinstance(value, dict):
        return {name: str(item) if isinstance(item, UUID) else item for name, item in value.items()}
    if isinstance(value, list):
        return [str(item) if isinstance(item, UUID) else item for item in value]
    return value


async def _get_steps(api: SqlAttemptApi) -> Json:
    async with api.pool.connection() as conn:
        now = await maintenance.now(conn)
        steps = await run_data.get_steps(conn, org_id=api.org_id, task_id=api.task_id)
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


async def _get_failures(api: SqlAttemptApi) -> Json:
    held = await api.pool.call(remote_workers.get_held_task, org_id=api.org_id, task_id=api.task_id)
    return held.failures


async def _get_inputs(api: SqlAttemptApi, *, first: int) -> Json:
    return await api.pool.call(attempts.get_inputs, **api.fence, first=first)


async def _put_object(api: SqlAttemptApi, *, data: str, type: str, metadata: Json = None) -> Json:
    stored = await api.objects.put(b64decode(data), type=type, metadata=metadata, holder=api.fence)
    return str(stored.id)


async def _get_object(api: SqlAttemptApi, *, id: str) -> Json:
    return b64encode(await api.objects.get(UUID(id))).decode()


# Calls that need bytes or several queries; all others are described by their row of the table.
FUNCTIONS: dict[str, Callable[..., Awaitable[Json]]] = {
    "put_object": _put_object,
    "get_object": _get_object,
    "get_failures": _get_failures,
    "get_inputs": _get_inputs,
    "get_steps": _get_steps,
}
