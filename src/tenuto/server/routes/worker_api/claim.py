"""The most frequent route of workers that connect by HTTP: one request reports completions and claims tasks. Postgres
writes the JSON of the response."""

import asyncio
import json
import logging

from starlette.responses import Response

from tenuto.db import attempts, remote_workers
from tenuto.db.connection.errors import RowRejected
from tenuto.model.remote_workers import ExchangeRow
from tenuto.model.text import one_line
from tenuto.sdk.values.wire_format import output_text
from tenuto.server.auth.task_tokens import add_tokens
from tenuto.server.http.route_table import WORKER, RouteTable
from tenuto.server.limits.body_memory import FREE_VALUES
from tenuto.server.requests.worker import WorkerRequest
from tenuto.server.schemas.worker_claims import ClaimRequest, CompletedReport, publications
from tenuto.server.schemas.worker_sessions import ClaimResponse
from tenuto.server.wakeups import Subscription

log = logging.getLogger("tenuto.server")
ROUTES = RouteTable("worker API")


@ROUTES.add("POST", "/internal/claim", permission=WORKER, response=ClaimResponse, bulk=True)
async def claim_tasks(request: WorkerRequest, body: ClaimRequest) -> Response:
    """Report completions and claim tasks. If there is no task, the response waits up to `wait` seconds for the first
    one. A batch with an invalid report (too large, not JSON) is rejected as a whole. A request whose body has many
    values does not wait."""
    if not (body.wait and body.limit) or request.http.count_values() > FREE_VALUES:
        return await _response(request, body, await _exchange(request, body, body.reports), heartbeat_now=False)
    wakes = request.http.server.wakeups
    seats = request.http.server.worker_waiters
    # checked before anything is done, because the worker sends the same request again
    seats.check(request.principal.org_id)
    with seats.take(request.principal.org_id), wakes.watch() as watch:
        found = await _exchange(request, body, body.reports)
        rejected = found.rejected_reports
        watch.queues = None if found.queues is None else frozenset(found.queues)
        if not (found.claimed or found.session_ended):
            found = await _wait(request, body, watch) or found
    return await _response(request, body, found, heartbeat_now=watch.cancelled, rejected=rejected)


async def _wait(request: WorkerRequest, body: ClaimRequest, watch: Subscription) -> ExchangeRow | None:
    """Waits for tasks without holding a connection, for workers in other languages; Tenuto's worker waits in `wait.py`.
    Stops when there are tasks, an attempt was cancelled, the session has ended, the time is over or the client
    disconnects. Returns the result of the last exchange, or None if there was no wake-up."""
    clock = asyncio.get_running_loop().time
    deadline, found = clock() + body.wait, None
    gone = asyncio.create_task(request.http.until_disconnected())
    try:
        while not watch.cancelled and (left := deadline - clock()) > 0:
            news = asyncio.create_task(watch.news())
            await asyncio.wait({news, gone}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            if gone.done() or not news.done():
                break
            found = await _exchange(request, body, [])
            if found.claimed or found.session_ended:
                break
    finally:
        gone.cancel()
    return found


async def _exchange(request: WorkerRequest, body: ClaimRequest, reports: list[CompletedReport]) -> ExchangeRow:
    try:
        return await request.call(
            remote_workers.exchange_tasks,
            session_id=body.session_id,
            token=body.token,
            task_ids=[report.task_id for report in reports],
            attempts=[report.attempt for report in reports],
            outputs=[output_text(report.output) for report in reports],
            claim_no=body.claim_no,
            limit=body.limit,
            types=body.types,
            group=body.resource_group,
            published=_published(reports),
        )
    except RowRejected:
        if body.limit:
            await _postpone_unclaimable(request, body)
        raise


def _published(reports: list[CompletedReport]) -> list[str | None] | None:
    """Returns the publications of each report as JSON text. Returns None if no report has any, as in almost every
    request."""
    if all(report.published is None for report in reports):
        return None
    return [None if report.published is None else json.dumps(publications(report.published)) for report in reports]


async def _postpone_unclaimable(request: WorkerRequest, body: ClaimRequest) -> None:
    """Postpones the tasks whose claim raises an error, so that the worker's next claim succeeds."""
    queues = request.principal.queues
    async with request.session(body.session_id, body.token) as conn:
        routes = await attempts.resolve_routes(
            conn, session_id=body.session_id, queues=None if "*" in queues else list(queues), types=body.types
        )
        tasks = await remote_workers.postpone_unclaimable(
            conn,
            session_id=body.session_id,
            token=body.token,
            routes=[route.route_id for route in routes],
            limit=body.limit,
        )
    for task in tasks:
        log.error(
            "task %s cannot be claimed (%s); it is tried again in a minute: org=%s run=%s",
            task.task_id, one_line(task.error), task.org_id, task.run_id,
        )  # fmt: skip


async def _response(
    request: WorkerRequest, body: ClaimRequest, found: ExchangeRow, *, heartbeat_now: bool, rejected: str | None = None
) -> Response:
    tasks = found.tasks
    if body.tokens and found.claimed:
        claimed = json.loads(tasks)
        org_id = request.principal.org_id
        await add_tokens(request.pool, request.settings, claimed, org_id=org_id, session_id=body.session_id)
        tasks = json.dumps(claimed)
    flags = f'"session_ended": {json.dumps(found.session_ended)}, "heartbeat_now": {json.dumps(heartbeat_now)}'
    text = f'{{"tasks": {tasks}, "rejected_reports": {rejected or found.rejected_reports}, {flags}}}'
    return Response(text, media_type="application/json")
