"""The HTTP backend: for workers that have a worker key for a server but no access to its database."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from tenuto.db.connection.errors import DatabaseProblem, Unreachable
from tenuto.model.backoff import Backoff
from tenuto.model.bundles import BundleFile
from tenuto.model.errors import InvalidInput, NotFound, SessionEnded, TenutoError
from tenuto.model.json import JsonObject
from tenuto.model.tasks import Fences, HeartbeatResult, ProgressResult, ReportResult, Route
from tenuto.model.workers import CANCEL, EVERY_QUEUE, Session, Wakeup
from tenuto.sdk.app import App
from tenuto.worker.backends.http_attempt_api import HttpAttemptApis
from tenuto.worker.backends.http_claims import HttpClaimChannel
from tenuto.worker.backends.http_connection import HttpClient, ServerAddress, batches
from tenuto.worker.backends.schedules import schedules_of
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings

WAIT_SECONDS = 20.0  # duration of one long poll; proxies close connections that are silent for longer
COALESCE_SECONDS = 0.02  # pause between polls: under load, one poll returns many wake-ups
MAX_PAUSE_SECONDS = 5.0
OF_METADATA = ("concurrency", "targets", "code_version", "bundles", "machine")  # fields that the server copies

Json = dict[str, Any]

log = logging.getLogger("tenuto.worker")


class HttpBackend:
    """Sends the calls of a worker to one server, with one worker key. The key determines the org."""

    def __init__(self, web: HttpClient, settings: WorkerSettings) -> None:
        self._web, self._settings = web, settings
        self._types: list[str] = []  # the index of a type is its route number here; the server resolves the real routes
        self._queues: list[str] | None = None  # queues that the key may serve; None: all
        self._accepted_before = False  # the server has accepted this worker before
        self._takes_logs = True  # the server accepts log lines in heartbeats

    def open_channel(self) -> HttpClaimChannel:
        return HttpClaimChannel(self._web.site, self._types, self._settings.resource_group)

    def open_apis(self, session: WorkerSession) -> HttpAttemptApis:
        return HttpAttemptApis(self._web, session)

    async def listen(self) -> AsyncIterator[Wakeup]:
        """Repeat long polls. With the cursor, the server also reports wake-ups that happened between two polls."""
        backoff, cursor = Backoff(MAX_PAUSE_SECONDS), None
        while True:
            await asyncio.sleep(COALESCE_SECONDS)
            try:
                news = await self._wait(cursor)
            except (Unreachable, TenutoError) as problem:  # claims and heartbeats report the problem
                cursor = None
                await asyncio.sleep(backoff.after(problem))
                continue
            backoff.reset()
            cursor = news["cursor"]
            if news["heartbeat_now"]:
                yield Wakeup(CANCEL)
            if news["work_available"]:
                yield Wakeup(EVERY_QUEUE)

    async def _wait(self, cursor: str | None) -> Any:
        fields = {"wait": WAIT_SECONDS, "cursor": cursor, "queues": self._settings.queues}
        body = {name: value for name, value in fields.items() if value}
        return await self._web.request("POST", "/internal/wait", body, timeout=2 * WAIT_SECONDS)

    async def register_worker(self, *, address: str, metadata: Json) -> Session:
        settings = self._settings
        fields = {
            "name": settings.name,
            "queues": settings.queues,
            "types": metadata["types"],
            "labels": settings.labels,
            "address": address,
            "resource_group": settings.resource_group,
            "pool": settings.pool,
            "lease_seconds": settings.lease,
            "metadata": {name: metadata[name] for name in OF_METADATA if name in metadata},
        }
        given = {name: value for name, value in fields.items() if value is not None}
        opened = await self._web.request("POST", "/internal/sessions", given, accepted_before=self._accepted_before)
        self._accepted_before, self._queues = True, opened["queues"]
        return Session(opened["session_id"], UUID(opened["token"]), opened.get("org", ""))

    async def close_session(self, session: Session) -> None:
        await self._web.request("DELETE", "/internal/sessions", _of(session))

    async def heartbeat(
        self, held: Fences, *, settled: int | None, metrics: Json | None = None, logs: list[Json] | None = None
    ) -> HeartbeatResult:
        body: Json = {"held": _entries(held, {}), "metrics": metrics or {}}
        if settled is not None:
            body["settled_claim_no"] = settled
        try:
            carried = {"logs": logs} if logs and self._takes_logs else {}
            response = await self._ask("/internal/heartbeat", held.session, {**body, **carried})
        except InvalidInput:
            if not logs or not self._takes_logs:
                raise
            self._takes_logs = False  # an older server does not know them
            response = await self._ask("/internal/heartbeat", held.session, body)
        lost, cancelled = ([UUID(task_id) for task_id in response[name]] for name in ("lost", "cancelled"))
        return HeartbeatResult(lost, cancelled, 0, response["draining"])

    async def declare_types(
        self, session: Session, types: dict[str, Json], schemas: dict[str, JsonObject]
    ) -> dict[str, str]:
        declared = {**_of(session), "types": types, "schemas": schemas}
        try:
            response = await self._web.request("POST", "/internal/types", declared)
        except NotFound:  # the session has ended, which is noticed elsewhere
            return {}
        return response["schema_problems"]

    async def resolve_routes(
        self,
        session: Session,  # noqa: ARG002 - the server knows it and its queues
        *,
        queues: list[str] | None,  # noqa: ARG002 - of the interface
        types: list[str],
    ) -> list[Route]:
        """Return local route numbers without a request: the server resolves types at each claim."""
        self._types += [type for type in types if type not in self._types]
        return [Route(self._types.index(type), "", type, "python", []) for type in types]

    async def check_resource_group(self, session: Session) -> None:
        group = self._settings.resource_group
        body: Json = {**_of(session), "claim_no": 1, "limit": 1, "types": []}
        if group:
            body["resource_group"] = group
        await self._web.request("POST", "/internal/claim", body)

    async def put_schedules(self, app: App) -> None:
        """Declare the schedules of the tasks whose queue the worker key may serve. If the worker was started without a
        list of queues, log the other queues of the app."""
        served = {
            name for name, task in app.tasks.items() if self._queues is None or task.declared.queue in self._queues
        }
        others = sorted({task.declared.queue for name, task in app.tasks.items() if name not in served})
        if others and self._settings.queues is None:
            log.warning("tasks of the app are in queues that the worker key does not allow: %s", ", ".join(others))
        body = {"types": sorted(served), "schedules": schedules_of(app, served)}
        await self._web.request("PUT", "/internal/schedules", body, accepted_before=False)

    async def complete_tasks(
        self, fences: Fences, outputs: list[Any], published: Sequence[list[JsonObject] | None] | None
    ) -> list[ReportResult]:
        if published is None:
            return await self._report("completed", fences, output=outputs)
        return await self._report("completed", fences, output=outputs, published=list(published))

    async def fail_tasks(self, fences: Fences, errors: list[Json], retries: list[float | None]) -> list[ReportResult]:
        return await self._report("failed", fences, error=errors, retry_in_seconds=retries)

    async def lose_tasks(self, fences: Fences, errors: list[Json]) -> list[ReportResult]:
        return await self._report("lost", fences, error=errors)

    async def snooze_tasks(self, fences: Fences, seconds: list[float]) -> list[ReportResult]:
        return await self._report("snoozed", fences, seconds=seconds)

    async def wait_tasks(self, fences: Fences, waits: list[Json]) -> list[ReportResult]:
        return await self._report("waiting", fences, wait=waits)

    async def block_tasks(
        self, fences: Fences, mismatches: list[Json], versions: list[str | None]
    ) -> list[ReportResult]:
        return await self._report("blocked", fences, mismatch=mismatches, code_version=versions)

    async def interrupt_tasks(self, fences: Fences) -> list[ReportResult]:
        return await self._report("interrupted", fences)

    async def begin_tasks(self, fences: Fences) -> None:
        await self._report("begun", fences)

    async def report_progress(
        self, fences: Fences, progress: list[float | None], messages: list[str | None]
    ) -> list[ProgressResult]:
        rejected: list[Any] = []
        for batch in batches(_entries(fences, {"progress": progress, "message": messages})):
            response = await self._ask("/internal/report", fences.session, {"progress": batch})
            rejected += response["rejected_progress"]
        return [ProgressResult(UUID(report["task_id"]), report["result"]) for report in rejected]

    async def write_logs(self, session: Session, lines: list[Json]) -> None:
        await self._ask("/internal/report", session, {"logs": lines})

    async def fold_and_wake_runs(self, run_ids: list[UUID]) -> None:
        for some in batches([str(run_id) for run_id in run_ids]):
            await self._web.request("POST", "/internal/nudge", {"run_ids": some})

    async def list_bundle_types(self) -> list[str]:
        return self._web.site.read(await self._web.send("GET", "/internal/bundles"))["types"]

    async def find_bundle(self, type: str, sha256: str | None) -> BundleFile:
        params = {"type": type, **({"sha256": sha256} if sha256 else {})}
        found = self._web.site.read(await self._web.send("GET", "/internal/bundles/entry", params=params))
        return BundleFile(found["sha256"], found["name"], found["entry"], found["types"])

    async def get_bundle_part(self, sha256: str, no: int) -> bytes | None:
        try:
            return await self._web.send("GET", f"/internal/bundles/{sha256}/{no}")
        except NotFound:
            return None

    async def wait_for_other_functions(self) -> DatabaseProblem:
        """Never returns: the server checks its functions, and its API is stable."""
        return await asyncio.get_running_loop().create_future()

    async def _ask(self, path: str, session: Session, body: Json) -> Any:
        """Send a request for a session. Raises SessionEnded if the session no longer belongs to the key."""
        try:
            return await self._web.request("POST", path, {**_of(session), **body})
        except NotFound as problem:
            raise SessionEnded(problem.message, problem.hint) from problem

    async def _report(self, outcome: str, fences: Fences, **values: list[Any]) -> list[ReportResult]:
        response = await self._ask("/internal/report", fences.session, {outcome: _entries(fences, values)})
        return [
            ReportResult(
                UUID(report["task_id"]),
                report["attempt"],
                report["result"],
                report.get("max_attempts"),
                report.get("retry_in_seconds"),
            )
            for report in response["results"]
        ]


def _of(session: Session) -> Json:
    return {"session_id": session.session_id, "token": str(session.token)}


def _entries(fences: Fences, values: Mapping[str, Sequence[object]]) -> list[Json]:
    """Return one entry per attempt, with its values: `_entries(fences, {"error": errors})`."""
    entries: list[Json] = [
        {"task_id": str(task_id), "attempt": attempt}
        for task_id, attempt in zip(fences.task_ids, fences.attempts, strict=True)
    ]
    for name, column in values.items():
        for entry, value in zip(entries, column, strict=True):
            entry[name] = value
    return entries


@asynccontextmanager
async def open_remote(settings: WorkerSettings) -> AsyncGenerator[HttpBackend]:
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # httpx logs a line per request
    web = HttpClient(ServerAddress(settings.url, settings.key or "", settings.proxy))
    try:
        yield HttpBackend(web, settings)
    finally:
        await web.close()
