"""The calls of running attempts, executed as SQL."""

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from tenuto.db import attempts, maintenance, steps
from tenuto.db.connection.call import call as call_function
from tenuto.db.connection.call import json_array, json_or_default, json_value
from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.attempt_calls import ATTEMPT_CALLS, AttemptCall, SqlForm
from tenuto.model.json import Json as JsonValue
from tenuto.model.queries import MAX_TASK_RESULT_BYTES
from tenuto.runtimes.base import Attempt
from tenuto.sdk.context.attempt_api import Json
from tenuto.sdk.values.data_objects import AttemptFence
from tenuto.sdk.values.stored_objects import Objects
from tenuto.storage.base import Store
from tenuto.worker.backends.attempt_api import AttemptApis, WorkerAttemptApi
from tenuto.worker.process.session import WorkerSession

Column = JsonValue | UUID
MAX_CONCURRENT_QUERIES = 2  # at the same time: each runs in a process of up to 2 GB


class SqlAttemptApis(AttemptApis):
    """Creates the API of each attempt that needs one."""

    def __init__(
        self,
        pool: ConnectionPool,
        session: WorkerSession,
        org_id: UUID,
        store: Store,
        *,
        weak_queries: bool = False,
    ) -> None:
        super().__init__(session)
        self.pool, self.org_id, self.files, self.weak_queries = pool, org_id, store, weak_queries
        self.objects = Objects(pool, org_id, store)
        self.queries = asyncio.Semaphore(MAX_CONCURRENT_QUERIES)

    def open(self, attempt: Attempt) -> "SqlAttemptApi":
        return SqlAttemptApi(self, attempt)

    def objects_of(self, attempt: Attempt) -> Objects:  # noqa: ARG002 - the same for all attempts
        return self.objects


class SqlAttemptApi(WorkerAttemptApi):
    """The API of one attempt. The database checks the lease of the attempt in every call that writes."""

    def __init__(self, apis: SqlAttemptApis, attempt: Attempt) -> None:
        super().__init__(apis, attempt)
        self.apis, self.objects, self.org_id, self.pool = apis, apis.objects, apis.org_id, apis.pool
        self.task_id = UUID(attempt.task_id)

    async def call(self, verb: str, **arguments: Json) -> Json:
        call = ATTEMPT_CALLS[verb]
        try:
            return await self._call(call, arguments)
        except Unreachable as problem:
            return await self.retry(problem, self._call, call, arguments)

    async def _call(self, call: AttemptCall, arguments: dict[str, Json]) -> Json:
        if call.sql is None:
            return await FUNCTIONS[call.name](self, **arguments)
        params = {**self._scope(call.sql), **_params(call.sql, arguments)}
        async with self.pool.connection() as conn:
            rows = await call_function(conn, call.name, dict[str, Any], **params)
        return _result(call.sql, rows)

    def _scope(self, form: SqlForm) -> Mapping[str, Any]:
        match form.scope:
            case "attempt":
                return self.fence
            case "run":
                return {"org_id": self.org_id, "run_id": UUID(self.attempt.run_id)}

    @property
    def fence(self) -> AttemptFence:
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


def _as_json(value: Column | dict[str, Column] | list[Column]) -> Json:
    """Return the value with ids at its top level as text; everything below is JSON already."""
    if isinstance(value, dict):
        return {name: _text_of_id(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_text_of_id(item) for item in value]
    return _text_of_id(value)


def _text_of_id(value: Column) -> JsonValue:
    return str(value) if isinstance(value, UUID) else value


async def _get_steps(api: SqlAttemptApi) -> Json:
    async with api.pool.connection() as conn:
        now = await maintenance.now(conn)
        recorded = await steps.get_steps(conn, org_id=api.org_id, task_id=api.task_id)
    return [step.seen_at(now) for step in recorded]


async def _get_failures(api: SqlAttemptApi) -> Json:
    counted = await api.pool.call(attempts.get_failures, org_id=api.org_id, task_id=api.task_id)
    return {"failures": counted.failures, "losses": counted.losses}


async def _get_inputs(api: SqlAttemptApi, *, first: int) -> Json:
    fence = api.fence
    return await api.pool.call(
        attempts.get_inputs,
        session_id=fence["session_id"],
        token=fence["token"],
        task_id=fence["task_id"],
        attempt=fence["attempt"],
        first=first,
    )


async def _put_object(api: SqlAttemptApi, *, data: str, type: str, metadata: Json = None) -> Json:
    stored = await api.objects.put(b64decode(data), type=type, metadata=metadata, holder=api.fence)
    return str(stored.id)


async def _get_object(api: SqlAttemptApi, *, id: str) -> Json:
    return b64encode(await api.objects.get(UUID(id))).decode()


async def _query_inputs(api: SqlAttemptApi, *, sql: str, max_rows: int) -> Json:
    """Run the query in a process of this machine, as a server does."""
    from tenuto.query.job_inputs import HeldAttempt, JobCatalog  # imported here: few tasks query
    from tenuto.query.local import run_here
    from tenuto.query.service import QueryInput

    @asynccontextmanager
    async def connect() -> AsyncGenerator[HeldAttempt]:
        async with api.pool.connection() as conn:
            yield HeldAttempt(conn, api.fence)

    query, catalog = QueryInput(sql, max_rows=max_rows), JobCatalog(api.org_id, connect)
    async with api.apis.queries:
        _, content = await run_here(
            query,
            catalog,
            api.org_id,
            api.apis.files,
            weak=api.apis.weak_queries,
            max_bytes=MAX_TASK_RESULT_BYTES,
        )
    return json.loads(content)


# Calls that need bytes or several queries. All other calls are described by their entry in ATTEMPT_CALLS.
FUNCTIONS: dict[str, Callable[..., Awaitable[Json]]] = {
    "put_object": _put_object,
    "get_object": _get_object,
    "get_failures": _get_failures,
    "get_inputs": _get_inputs,
    "get_steps": _get_steps,
    "query_inputs": _query_inputs,
}
