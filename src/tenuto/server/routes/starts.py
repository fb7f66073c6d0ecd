"""Starts and opens runs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.responses import Response

from tenuto.db import monitoring, runs, task_types
from tenuto.db.connection import start_statements
from tenuto.db.connection.call import Conn
from tenuto.model.durations import seconds
from tenuto.model.monitoring import RunState
from tenuto.model.statuses import RunStatusName
from tenuto.model.tasks import Started
from tenuto.sdk.client.start_request import RUN_OPTIONS, StartRequest, batch_statement, details_json
from tenuto.sdk.values.wire_format import dump, refuse_reserved
from tenuto.server.http.request import count_values, in_thread_if_large
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.runs import StartedRun, StartedRuns
from tenuto.server.schemas.starts import (
    AnyStart,
    OneStart,
    OpenRunRequest,
    StartGraphRequest,
    Starts,
    StartTaskRequest,
)
from tenuto.server.starts.batcher import BatchKey
from tenuto.server.starts.build import StartBuilder, queues_of, types_of

ROUTES = RouteTable("runs")

# Maxima per statement. Postgres uses about 500 bytes for each small value of an input, and frees them after the
# statement.
MAX_VALUES = 50_000
MAX_CHARACTERS = 2_000_000


@dataclass(frozen=True)
class RequestedStarts:
    """The start requests of one HTTP request, and the types of their tasks. `strict` and `strict_queues` are the types
    and the queues that must be known."""

    starts: list[StartRequest]
    types: set[str]
    strict: list[str]
    strict_queues: list[str]


@ROUTES.add("POST", "/v1/runs", permission="runs:write", response=StartedRun, status=201)
async def start_run(request: ApiRequest, body: AnyStart) -> Response:
    """Start a task or a graph of tasks. A task of a type that no worker serves waits for such a worker; with `strict`,
    the request is refused (404) if no worker has ever served the type and no bundle runs it, or if no task and no
    worker has named the queue before. Inputs are checked against the schema that a worker declared for the type, if
    there is one. With `open`, the run has no tasks yet: tasks can be
    added until the run is closed."""
    return await open_run(request, body) if isinstance(body, OpenRunRequest) else await _start(request, body)


@ROUTES.add("POST", "/v1/runs/bulk", permission="runs:write", response=StartedRuns, status=201, bulk=True)
async def start_runs_in_bulk(request: ApiRequest, body: Starts) -> Response:
    """Start up to 10,000 tasks or graphs: all are started, or none. The body can have up to 64 MB."""
    return await _start(request, body)


async def _start(request: ApiRequest, body: OneStart | Iterable[OneStart]) -> Response:
    """Start one run, or all runs of a list or none. There are three ways. Each checks the caller, starts the runs and
    writes the audit entry in one transaction:

    | the request                                          | SQL                                       | round trips |
    |------------------------------------------------------|-------------------------------------------|-------------|
    | one task without slots, dedupe key and run options   | start_for_requests, with alike starts of  | 1, shared   |
    |                                                      | other requests (`batcher`)                |             |
    | one task with any of these, or one graph             | start_run_for_request                     | 1           |
    | a list; with `strict` or an Idempotency-Key, any     | a transaction with start_many for alike   | 2 and more  |
    |                                                      | tasks and start_run for each other start  |             |

    The first way notifies workers before the run is on disk. The other two do not: another request with the same dedupe
    key may return the run as soon as the run is visible, so the run must be on disk before.
    """
    single = isinstance(body, StartTaskRequest | StartGraphRequest)
    bodies = [body] if isinstance(body, StartTaskRequest | StartGraphRequest) else body
    requested = await in_thread_if_large(await request.http.body(), lambda: _build_all(bodies))
    await request.http.server.input_checks.check(request, requested.starts, requested.types)
    if single and not (requested.strict or request.idempotency_key):
        (start,) = requested.starts
        changes = dump(_changes(requested.types, 1))
        if start.is_plain() and "dedupe_key" not in start.run:
            started = await _start_batched(request, start, changes)
        else:
            started = await _start_alone(request, start, changes)
        old = [] if started.created else await request.call(monitoring.get_run_statuses, run_ids=[started.run_id])
        (run,) = _with_status([started], old)
        return Response(run.model_dump_json(), 201, media_type="application/json")

    async def work(change: Transaction) -> StartedRun | StartedRuns:
        if requested.strict:
            await task_types.check_known(
                change.conn, org_id=change.org_id, types=requested.strict, queues=requested.strict_queues
            )
        results = await _start_all(change.conn, org_id=change.org_id, starts=requested.starts)
        old = [result.run_id for result in results if not result.created]
        found = await monitoring.get_run_statuses(change.conn, org_id=change.org_id, run_ids=old) if old else []
        started = _with_status(results, found)
        if new := [run.id for run in started if run.created]:
            what = new[0] if len(new) == 1 else f"{new[0]} and {len(new) - 1} more"
            await change.audit("run", what, "start", _changes(requested.types, len(new)))
        return started[0] if single else StartedRuns(items=started)

    seconds = request.settings.bulk_seconds if len(requested.starts) > 1 else None
    return await request.change(work, status=201, seconds=seconds)


async def open_run(request: ApiRequest, body: OpenRunRequest) -> Response:
    fields = body.model_dump(mode="json", exclude_unset=True, by_alias=True)
    refuse_reserved("the input of the run", body.input)
    run = {RUN_OPTIONS.get(key, key): value for key, value in fields.items() if key != "open" and value is not None}
    for key in run.keys() & {"deadline_seconds", "expires_seconds"}:
        run[key] = seconds(run[key], key.removesuffix("_seconds"), positive=True)

    async def work(change: Transaction) -> StartedRun:
        started = await runs.open_run(change.conn, org_id=change.org_id, run=run)
        old = [] if started.created else [started.run_id]
        found = await monitoring.get_run_statuses(change.conn, org_id=change.org_id, run_ids=old) if old else []
        if started.created:
            await change.audit("run", started.run_id, "open", {"name": {"new": body.name}} if body.name else None)
        return _with_status([started], found)[0]

    return await request.change(work, status=201)


def _build_all(bodies: Iterable[OneStart]) -> RequestedStarts:
    """Builds a start request from each item of the body as soon as it is read, and keeps nothing else of it in
    memory."""
    builder = StartBuilder()
    starts: list[StartRequest] = []
    types: set[str] = set()
    strict: set[str] = set()
    strict_queues: set[str] = set()
    for body in bodies:
        starts.append(builder.build(body))
        body_types = types_of(body)
        types |= body_types
        if body.strict:
            strict |= body_types
            strict_queues |= queues_of(body)
    return RequestedStarts(starts, types, sorted(strict), sorted(strict_queues))


def _changes(types: set[str], count: int) -> dict[str, dict[str, Any]]:
    """Returns the changes of a start for the audit log."""
    return {"type": {"new": ", ".join(sorted(types)[:20])}, "runs": {"new": count}}


async def _start_batched(request: ApiRequest, start: StartRequest, changes: str) -> Started:
    principal = request.principal
    key = BatchKey(
        actor=request.actor,
        org_id=principal.org_id,
        actor_kind=principal.kind,
        actor_id=str(principal.id),
        kinds=dump(start.kinds),
        group=start.run.get("group"),
        changes=changes,
    )
    run_id = await request.http.server.start_batcher.start(key, start, request.http.origin())
    return Started(run_id, created=True)


async def _start_alone(request: ApiRequest, start: StartRequest, changes: str) -> Started:
    is_plain, seconds = start.is_plain(), request.settings.statement_seconds
    principal, origin = request.principal, request.http.origin()
    async with request.pool.connection(timeout=seconds, org_id=principal.org_id) as conn:
        return await runs.start_run_for_request(
            conn,
            kinds=dump(start.kinds),
            inputs=start.inputs,
            changes=changes,
            run=None if is_plain else dump(start.run),
            task_kinds=start.task_kinds,
            details=details_json([start]) if is_plain else dump(start.details) if start.details else None,
            edges=dump(start.edges) if start.edges else None,
            dedupe_key=start.run.get("dedupe_key") if is_plain else None,
            group=start.run.get("group") if is_plain else None,
            actor_kind=principal.kind,
            actor_id=str(principal.id),
            ip=origin.ip,
            user_agent=origin.user_agent,
            request_id=origin.request_id,
            **request.actor.named(),
        )


def _with_status(started: list[Started], old: list[RunState]) -> list[StartedRun]:
    """Adds the status of each run: new runs are pending; `old` are the statuses of runs that were found by a dedupe
    key."""
    statuses: dict[UUID, RunStatusName] = {run.id: run.status for run in old}
    return [
        StartedRun(id=run.run_id, status=statuses.get(run.run_id, "pending"), created=run.created) for run in started
    ]


async def _start_all(conn: Conn, *, org_id: UUID, starts: Sequence[StartRequest]) -> list[Started]:
    """Starts all runs in as few statements as possible; returns the results in the order of `starts`."""
    results: dict[int, Started] = {}
    for indexes in _statements(starts):
        first = starts[indexes[0]]
        statement = (
            batch_statement([starts[no] for no in indexes], org_id) if first.is_plain() else first.statement(org_id)
        )
        results.update(zip(indexes, await start_statements.execute_start(conn, statement), strict=True))
    return [results[no] for no in range(len(starts))]


def _statements(starts: Sequence[StartRequest]) -> Iterator[list[int]]:
    """Yields the indexes of the starts of each statement. The starts of a statement are alike, and so few that Postgres
    uses little memory."""
    for indexes in _group_alike(starts):
        parts = list(_parts(starts, indexes))
        if len(parts) > 1 and any("dedupe_key" in starts[no].run for no in indexes):
            # A single statement locks its dedupe keys in this order. Several statements must use the same order, or two
            # requests could deadlock.
            indexes.sort(key=lambda no: starts[no].run.get("dedupe_key", ""))
            parts = list(_parts(starts, indexes))
        yield from parts


def _group_alike(starts: Sequence[StartRequest]) -> list[list[int]]:
    """Groups the indexes of starts that one statement can start."""
    groups: dict[object, list[int]] = {}
    for no, start in enumerate(starts):
        alike = (dump(start.kinds), start.run.get("group")) if start.is_plain() else no
        groups.setdefault(alike, []).append(no)
    return list(groups.values())


def _parts(starts: Sequence[StartRequest], indexes: Sequence[int]) -> Iterator[list[int]]:
    part: list[int] = []
    values = characters = 0
    for no in indexes:
        own = sum(map(count_values, starts[no].inputs))
        size = sum(map(len, starts[no].inputs))
        if part and (values + own > MAX_VALUES or characters + size > MAX_CHARACTERS):
            yield part
            part, values, characters = [], 0, 0
        part.append(no)
        values, characters = values + own, characters + size
    yield part
