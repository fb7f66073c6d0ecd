"""The calls of a worker as HTTP requests: one function per wrapper of db/ that a worker calls."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

from tenuto.db.bundles import BundleFile
from tenuto.model.errors import NotFound, SessionEnded
from tenuto.model.tasks import HeartbeatResult, ProgressAnswer, ReportResult, Route
from tenuto.model.workers import Session
from tenuto.worker.backends.http_connection import HttpClient, batches
from tenuto.worker.settings import WorkerSettings

Fences = list[dict[str, Any]]


class HttpSession:
    """State shared by the requests of one worker."""

    def __init__(self, web: HttpClient, settings: WorkerSettings) -> None:
        self.web, self.settings = web, settings
        self.types: list[str] = []  # the index of a type is its route number here; the server resolves the real routes
        self.queues: list[str] | None = None  # queues that the key may serve; None: all
        self.let_in = False

    async def ask(self, path: str, session_id: int, token: UUID, **body: Any) -> Any:
        """Send a request for a session. Raises SessionEnded if it no longer belongs to the key."""
        try:
            return await self.web.ask("POST", path, {"session_id": session_id, "token": str(token), **body})
        except NotFound as problem:
            raise SessionEnded(problem.message, problem.hint) from problem

    async def report(self, session_id: int, token: UUID, kind: str, ends: Fences) -> list[ReportResult]:
        response = await self.ask("/internal/report", session_id, token, **{kind: ends})
        return [_answer(**answer) for answer in response["results"]]


def _answer(
    task_id: str,
    attempt: int,
    answer: str,
    max_attempts: int | None = None,
    retry_in_seconds: float | None = None,
    **_: Any,  # fields of a newer server
) -> ReportResult:
    return ReportResult(UUID(task_id), attempt, answer, max_attempts, retry_in_seconds)


def fences(task_ids: list[UUID], attempts: list[int], **each: list[Any]) -> Fences:
    """Return one entry per attempt, with its values."""
    details = [dict(zip(each, values, strict=True)) for values in zip(*each.values(), strict=True)] or [{}] * len(
        task_ids
    )
    held = zip(task_ids, attempts, details, strict=True)
    return [{"task_id": str(task_id), "attempt": attempt, **more} for task_id, attempt, more in held]


async def _register_worker(
    asking: HttpSession,
    *,
    org_id: UUID,  # noqa: ARG001 - the org of the key
    worker_id: str,
    labels: list[str],
    address: str,
    metadata: dict[str, Any],
    lease: timedelta,
) -> Session:
    settings = asking.settings
    fields = {
        "name": worker_id,
        "queues": settings.queues,
        "types": metadata["types"],
        "labels": labels,
        "address": address,
        "resource_group": settings.resource_group,
        "pool": settings.pool,
        "lease_seconds": lease.total_seconds(),
        "metadata": {name: metadata[name] for name in ("concurrency", "target")},
    }
    given = {name: value for name, value in fields.items() if value is not None}
    opened = await asking.web.ask("POST", "/internal/sessions", given, let_in=asking.let_in)
    asking.let_in, asking.queues = True, opened["queues"]
    return Session(opened["session_id"], UUID(opened["token"]))


async def _resolve_routes(
    asking: HttpSession,
    *,
    session_id: int,  # noqa: ARG001
    queues: list[str] | None,  # noqa: ARG001
    types: list[str],
) -> list[Route]:
    """Return local route numbers without a request: the server resolves types at each claim."""
    asking.types += [type for type in types if type not in asking.types]
    return [Route(asking.types.index(type), "", type, "python", []) for type in types]


async def _declare_types(
    asking: HttpSession, *, session_id: int, token: UUID, types: dict[str, dict[str, Any]]
) -> None:
    with suppress(NotFound):  # the server is older than this worker; a missing session is noticed elsewhere
        body = {"session_id": session_id, "token": str(token), "types": types}
        await asking.web.ask("POST", "/internal/types", body)


async def _claim_tasks(
    asking: HttpSession,
    *,
    session_id: int,
    token: UUID,
    claim_no: int,
    routes: list[int],
    limit: int,
    group: str | None,
) -> list[Any]:
    """Only checks that the resource group exists; claimers use HttpClaimChannel."""
    body = {"session_id": session_id, "token": str(token), "claim_no": claim_no + 1, "limit": limit}
    types = [asking.types[route] for route in routes]
    await asking.web.ask(
        "POST", "/internal/claim", {**body, "types": types, **({"resource_group": group} if group else {})}
    )
    return []


async def _heartbeat(
    asking: HttpSession,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    settled: int,
    metrics: dict[str, Any] | None = None,
) -> HeartbeatResult:
    body = {"settled_claim_no": settled, "held": fences(task_ids, attempts), "metrics": metrics or {}}
    response = await asking.ask("/internal/heartbeat", session_id, token, **body)
    lost, cancelled = ([UUID(one) for one in response[name]] for name in ("lost", "cancelled"))
    return HeartbeatResult(lost, cancelled, 0, response["draining"])


async def _close_session(asking: HttpSession, *, session_id: int, token: UUID) -> None:
    await asking.web.ask("DELETE", "/internal/sessions", {"session_id": session_id, "token": str(token)})


async def _fold_and_wake_runs(asking: HttpSession, *, run_ids: list[UUID]) -> None:
    for some in batches([str(run_id) for run_id in run_ids]):
        await asking.web.ask("POST", "/internal/nudge", {"run_ids": some})


async def _complete_tasks(
    asking: HttpSession, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], outputs: list[Any]
) -> list[ReportResult]:
    return await asking.report(session_id, token, "completed", fences(task_ids, attempts, output=outputs))


async def _fail_tasks(
    asking: HttpSession,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    errors: list[Any],
    retries: list[float | None],
) -> list[ReportResult]:
    ends = fences(task_ids, attempts, error=errors, retry_in_seconds=retries)
    return await asking.report(session_id, token, "failed", ends)


async def _lose_tasks(
    asking: HttpSession, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], errors: list[Any]
) -> list[ReportResult]:
    return await asking.report(session_id, token, "lost", fences(task_ids, attempts, error=errors))


async def _snooze_tasks(
    asking: HttpSession,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    seconds: list[float],
) -> list[ReportResult]:
    return await asking.report(session_id, token, "snoozed", fences(task_ids, attempts, seconds=seconds))


async def _wait_tasks(
    asking: HttpSession, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], waits: list[Any]
) -> list[ReportResult]:
    return await asking.report(session_id, token, "waiting", fences(task_ids, attempts, wait=waits))


async def _interrupt_tasks(
    asking: HttpSession, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int]
) -> list[ReportResult]:
    return await asking.report(session_id, token, "interrupted", fences(task_ids, attempts))


async def _begin_tasks(
    asking: HttpSession, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int]
) -> None:
    await asking.report(session_id, token, "begun", fences(task_ids, attempts))


async def _report_progress(
    asking: HttpSession,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    progress: list[float | None],
    messages: list[str | None],
) -> list[ProgressAnswer]:
    answers: list[Any] = []
    for batch in batches(fences(task_ids, attempts, progress=progress, message=messages)):
        answers += (await asking.ask("/internal/report", session_id, token, progress=batch))["rejected_progress"]
    return [ProgressAnswer(UUID(answer["task_id"]), answer["answer"]) for answer in answers]


async def _write_logs(asking: HttpSession, *, session_id: int, token: UUID, lines: list[dict[str, Any]]) -> int:
    await asking.ask("/internal/report", session_id, token, logs=lines)
    return len(lines)


async def _list_bundle_types(asking: HttpSession, *, org_id: UUID) -> list[str]:  # noqa: ARG001 - the org of the key
    return asking.web.site.read(await asking.web.send("GET", "/internal/bundles"))["types"]


async def _find_bundle(
    asking: HttpSession,
    *,
    org_id: UUID,  # noqa: ARG001 - the key decides the org
    type: str,
    sha256: str | None,
) -> BundleFile:
    params = {"type": type, **({"sha256": sha256} if sha256 else {})}
    return BundleFile(**asking.web.site.read(await asking.web.send("GET", "/internal/bundles/entry", params=params)))


async def _get_bundle_part(asking: HttpSession, *, org_id: UUID, sha256: str, no: int) -> bytes | None:  # noqa: ARG001
    try:
        return await asking.web.send("GET", f"/internal/bundles/{sha256}/{no}")
    except NotFound:
        return None


CALLS: dict[str, Callable[..., Awaitable[Any]]] = {
    carry.__name__.removeprefix("_"): carry
    for carry in (
        _register_worker, _resolve_routes, _declare_types, _claim_tasks, _heartbeat, _close_session,
        _fold_and_wake_runs, _complete_tasks, _fail_tasks, _lose_tasks, _snooze_tasks, _wait_tasks, _interrupt_tasks,
        _begin_tasks,
        _report_progress, _write_logs, _list_bundle_types, _find_bundle, _get_bundle_part,
    )
}  # fmt: skip
