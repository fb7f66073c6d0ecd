"""Calls of workers that connect by HTTP, except claims: sessions, heartbeats, reports, types, tokens."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from starlette.responses import Response

from tenuto.db import attempts, keys, remote_workers, run_data, runs, task_types, workers
from tenuto.db.connection.call import Conn
from tenuto.model.attempt_files import token_lists
from tenuto.model.errors import StaleLease
from tenuto.model.principals import TaskPrincipal
from tenuto.model.tasks import ReportResult
from tenuto.sdk.values.wire_format import refuse_pickles
from tenuto.server.auth.task_tokens import issue_token
from tenuto.server.http.request import HttpRequest
from tenuto.server.http.route_table import PUBLIC, WORKER, RouteTable
from tenuto.server.requests.worker import WorkerRequest
from tenuto.server.schemas import worker_claims as requests
from tenuto.server.schemas import worker_sessions as responses
from tenuto.storage import open_store

ROUTES = RouteTable("worker API")
MAX_NOTED_TYPES = 50  # maximum number of audit entries for one declaration


@ROUTES.add("POST", "/internal/sessions", permission=WORKER, response=responses.OpenSessionResponse, status=201)
async def open_session(request: WorkerRequest, body: requests.OpenSessionRequest) -> object:
    """Register a worker and open its session. If a worker with the same name has a session, that session ends."""
    own = None if "*" in request.principal.queues else list(request.principal.queues)
    queues = body.queues or own
    serves = {"queues": queues, "types": body.types, "resource_group": body.resource_group, "pool": body.pool}
    async with request.transaction() as conn:
        session = await workers.register_worker(
            conn,
            org_id=request.principal.org_id,
            worker_id=body.name,
            labels=body.labels,
            languages=body.languages,
            address=body.address,
            instance_type=body.instance_type or "remote",
            metadata={**(body.metadata or {}), **{key: value for key, value in serves.items() if value is not None}},
            lease=timedelta(seconds=body.lease_seconds),
            worker_key_id=request.principal.id,
            queues=queues,
            installation=request.settings.installation,
            store=open_store(request.settings.storage).root,
        )
    return {**vars(session), "lease_seconds": body.lease_seconds, "queues": queues}


@ROUTES.add("DELETE", "/internal/sessions", permission=WORKER, response=None, status=204)
async def close_session(request: WorkerRequest, body: requests.SessionRequest) -> Response:
    """End a session. The tasks of attempts that it still holds are given to other workers. Closing a session twice is
    allowed."""
    async with request.session(body.session_id, body.token) as conn:
        await workers.close_session(conn, session_id=body.session_id, token=body.token)
    return Response(None, 204)


@ROUTES.add("POST", "/internal/types", permission=WORKER, response=responses.DeclaredTypesResponse)
async def declare_types(request: WorkerRequest, body: requests.DeclareTypesRequest) -> object:
    """Declare the options and argument schemas of task types. The options apply to starts that pass only the type.
    Inputs of starts over HTTP are checked against the schemas; the response has the types whose schema was refused, and
    why. The latest declaration wins. A session can declare types only in its own queues."""
    types = {name: one.model_dump(exclude_none=True) for name, one in body.types.items()}
    async with request.session(body.session_id, body.token) as conn:
        declared = await task_types.declare_types(
            conn, session_id=body.session_id, token=body.token, types=types, schemas=body.schemas
        )
        changed = [one.type for one in declared if one.changed]
        for name in changed[:MAX_NOTED_TYPES]:
            changes = {field: {"new": value} for field, value in types[name].items()}
            await request.audit(conn, "type", name, "declare", changes)
    return {"schema_problems": {one.type: one.schema_problem for one in declared if one.schema_problem is not None}}


@ROUTES.add("POST", "/internal/heartbeat", permission=WORKER, response=responses.HeartbeatResponse, bulk=True)
async def heartbeat(request: WorkerRequest, body: requests.HeartbeatRequest) -> object:
    """Renew the lease, and compare the attempts that the worker lists with those that the database records for it."""
    async with request.session(body.session_id, body.token) as conn:
        return await attempts.heartbeat(
            conn,
            session_id=body.session_id,
            token=body.token,
            task_ids=_task_ids(body.held),
            attempts=_attempts(body.held),
            settled=body.settled_claim_no,
            metrics=body.metrics,
            logs=[line.model_dump() for line in body.logs] if body.logs else None,
        )


@ROUTES.add("POST", "/internal/report", permission=WORKER, response=responses.ReportsResponse, bulk=True)
async def report_tasks(request: WorkerRequest, body: requests.ReportRequest) -> object:
    """Report outcomes, progress and log lines of attempts in one transaction."""
    async with request.session(body.session_id, body.token) as conn:
        if body.begun:
            await attempts.begin_tasks(
                conn,
                session_id=body.session_id,
                token=body.token,
                task_ids=_task_ids(body.begun),
                attempts=_attempts(body.begun),
            )
        ended = await _report_ends(conn, body)
        refused: list[Any] = []
        if reports := body.progress:
            refused = await attempts.report_progress(
                conn,
                session_id=body.session_id,
                token=body.token,
                task_ids=_task_ids(reports),
                attempts=_attempts(reports),
                progress=[report.progress for report in reports],
                messages=[report.message for report in reports],
            )
        if body.logs:
            lines = [line.model_dump(mode="json", exclude_none=True) for line in body.logs]
            await run_data.write_logs(conn, session_id=body.session_id, token=body.token, lines=lines)
    return {"results": ended, "rejected_progress": refused}


async def _report_ends(conn: Conn, body: requests.ReportRequest) -> list[ReportResult]:
    return [*await _report_finished(conn, body), *await _report_paused(conn, body)]


async def _report_finished(conn: Conn, body: requests.ReportRequest) -> list[ReportResult]:
    ended: list[ReportResult] = []
    session_id, token = body.session_id, body.token
    if ends := body.completed:
        refuse_pickles("an output", [end.output for end in ends])
        ended += await attempts.complete_tasks(
            conn,
            session_id=session_id,
            token=token,
            task_ids=_task_ids(ends),
            attempts=_attempts(ends),
            outputs=[end.output for end in ends],
            published=requests.published_of(ends),
        )
    if ends := body.failed:
        errors, retries = [end.error for end in ends], [end.retry_in_seconds for end in ends]
        ended += await attempts.fail_tasks(
            conn,
            session_id=session_id,
            token=token,
            task_ids=_task_ids(ends),
            attempts=_attempts(ends),
            errors=errors,
            retries=retries,
        )
    if ends := body.lost:
        ended += await attempts.lose_tasks(
            conn,
            session_id=session_id,
            token=token,
            task_ids=_task_ids(ends),
            attempts=_attempts(ends),
            errors=[end.error for end in ends],
        )
    return ended


async def _report_paused(conn: Conn, body: requests.ReportRequest) -> list[ReportResult]:
    ended: list[ReportResult] = []
    session_id, token = body.session_id, body.token
    if ends := body.snoozed:
        ended += await attempts.snooze_tasks(
            conn,
            session_id=session_id,
            token=token,
            task_ids=_task_ids(ends),
            attempts=_attempts(ends),
            seconds=[end.seconds for end in ends],
        )
    if ends := body.waiting:
        ended += await attempts.wait_tasks(
            conn,
            session_id=session_id,
            token=token,
            task_ids=_task_ids(ends),
            attempts=_attempts(ends),
            waits=[end.wait for end in ends],
        )
    if ends := body.blocked:
        ended += await attempts.block_tasks(
            conn,
            session_id=session_id,
            token=token,
            task_ids=_task_ids(ends),
            attempts=_attempts(ends),
            mismatches=[end.mismatch.model_dump() for end in ends],
            versions=[end.code_version for end in ends],
        )
    if ends := body.interrupted:
        ended += await attempts.interrupt_tasks(
            conn, session_id=session_id, token=token, task_ids=_task_ids(ends), attempts=_attempts(ends)
        )
    return ended


def _task_ids(reports: Sequence[requests.AttemptReference]) -> list[UUID]:
    return [UUID(report.task_id) for report in reports]


def _attempts(reports: Sequence[requests.AttemptReference]) -> list[int]:
    return [report.attempt for report in reports]


@ROUTES.add("POST", "/internal/nudge", permission=WORKER, response=None, status=204)
async def fold_and_wake_runs(request: WorkerRequest, body: requests.NudgeRequest) -> Response:
    """Update the counts of these runs, and wake the workers of the queues that have ready tasks."""
    async with request.transaction() as conn:
        await runs.fold_and_wake_runs(conn, run_ids=body.run_ids)
    return Response(None, 204)


@ROUTES.add("GET", "/internal/task/{task_id}", permission=WORKER, response=responses.HeldTaskResponse)
async def get_held_task(request: WorkerRequest, task_id: UUID) -> object:
    """Get a task that a session of this key holds."""
    return await request.call(remote_workers.get_held_task, task_id=task_id)


@ROUTES.add("POST", "/internal/task/{task_id}/token", permission=WORKER, response=responses.TokenResponse)
async def make_task_token(request: WorkerRequest, task_id: UUID, body: requests.TokenRequest) -> object:
    """Create the task token with which the code of an attempt of this session authenticates itself."""
    who = request.principal
    async with request.session(body.session_id, body.token) as conn:
        await remote_workers.find_fence(
            conn, org_id=who.org_id, task_id=task_id, attempt=body.attempt, session_id=body.session_id
        )
        held = await remote_workers.get_held_task(conn, org_id=who.org_id, task_id=task_id)
    if held.attempt != body.attempt:
        raise StaleLease(f"attempt {body.attempt} of task {task_id} is no longer held")
    lists = token_lists(held.input)
    token = TaskPrincipal(who.org_id, task_id, body.attempt, body.session_id, held.run_id, *lists)
    return await issue_token(request.pool, request.settings, token, held.timeout_seconds)


@ROUTES.add("GET", "/internal/jwks", permission=PUBLIC, refuses=(429,), response=responses.KeySetResponse)
async def get_signing_keys(request: HttpRequest) -> object:
    """Get the public keys that verify task tokens. Signatures of retired keys are not valid."""
    found = await request.server.pool.call(keys.list_signing_keys)
    return {"keys": [one.public_key for one in found if one.retired_at is None]}
