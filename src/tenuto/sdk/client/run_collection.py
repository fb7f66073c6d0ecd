"""Lists runs, and retries, cancels and deletes the runs that a filter selects: `tn.runs(…)`, `tn.runs.retry(…)`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.model.bulk_runs import BulkPiece, BulkResult, RunSelection
from tenuto.model.counts import Count
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.filters import RunListFilter, TaskListFilter
from tenuto.model.json import Json, JsonObject
from tenuto.model.monitoring import RunSummary
from tenuto.sdk.client.transport import PAGE, Transport
from tenuto.sdk.values.codecs import as_value

if TYPE_CHECKING:
    from tenuto.sdk.client.sync import SyncClient

Since = Duration | datetime
Statuses = str | Sequence[str]


class RunCollection:
    """The runs of an org: `await tn.runs(status="failed")` lists them. Its methods act on all runs that a filter
    selects, in pieces of at most 100 runs. Each piece has its own transaction. If a piece fails, the pieces before it
    are committed already, and a note of the error lists their runs. `status`: one status; for lists and counts also
    several, of which a run must have one. `since`: only runs created within this duration before now, or at this
    datetime or later. `until`: only runs created before this time (a duration before now, or a datetime). `dry_run`:
    return the runs and change nothing."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def __call__(
        self,
        *,
        status: Statuses | None = None,
        name: str | None = None,
        type: str | None = None,
        since: Since | None = None,
        metadata: Mapping[str, Json] | None = None,
        until: Since | None = None,
        most: int = PAGE,
    ) -> list[RunSummary]:
        """Return up to `most` runs, newest first. `metadata`: keys and values that the metadata of each run must
        contain."""
        summaries: list[RunSummary] = []
        chosen = RunListFilter(
            read_statuses(status),
            name,
            type,
            read_time(since, "since"),
            read_time(until, "until"),
            metadata=as_metadata(metadata),
        )
        while len(summaries) < most:
            limit, before = min(PAGE, most - len(summaries)), summaries[-1].id if summaries else None
            page = await self._transport.list_runs(chosen, before=before, limit=limit)
            summaries += page
            if len(page) < limit:
                break
        return summaries

    async def count(
        self,
        *,
        status: Statuses | None = None,
        name: str | None = None,
        type: str | None = None,
        since: Since | None = None,
        until: Since | None = None,
    ) -> Count:
        """Return how many runs match. Up to 10,000 the number is exact, above it is an estimate."""
        return await self._transport.count_runs(
            RunListFilter(read_statuses(status), name, type, read_time(since, "since"), read_time(until, "until"))
        )

    async def retry(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        name: str | None = None,
        since: Since | None = None,
        reuse: bool = True,
        dry_run: bool = False,
    ) -> BulkResult:
        """Retry the runs with this status, by default the failed runs. Runs that were retried before are left out."""
        chosen = RunSelection(status, type, name, read_time(since, "since"))
        return await _all(
            lambda before: self._transport.retry_runs(chosen, reuse=reuse, before=before, dry_run=dry_run)
        )

    async def cancel(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        name: str | None = None,
        since: Since | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> BulkResult:
        """Cancel runs that have not ended."""
        chosen = RunSelection(status, type, name, read_time(since, "since"))
        return await _all(
            lambda before: self._transport.cancel_runs(chosen, reason=reason, before=before, dry_run=dry_run)
        )

    async def delete(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        name: str | None = None,
        since: Since | None = None,
        dry_run: bool = False,
    ) -> BulkResult:
        """Delete ended runs with all their data."""
        chosen = RunSelection(status, type, name, read_time(since, "since"))
        return await _all(lambda before: self._transport.delete_runs(chosen, before=before, dry_run=dry_run))


class SyncRunCollection:
    """The runs of an org, for synchronous code: `tn.runs(status="failed")`, `tn.runs.retry(type="shop.charge")`. See
    RunCollection."""

    def __init__(self, client: "SyncClient") -> None:
        self._runs, self._wait = client.client.runs, client.wait_for

    def __call__(
        self,
        *,
        status: Statuses | None = None,
        name: str | None = None,
        type: str | None = None,
        since: Since | None = None,
        metadata: Mapping[str, Json] | None = None,
        until: Since | None = None,
        most: int = PAGE,
    ) -> list[RunSummary]:
        """Return up to `most` runs, newest first. `metadata`: keys and values that the metadata of each run must
        contain."""
        return self._wait(
            self._runs(status=status, name=name, type=type, since=since, metadata=metadata, until=until, most=most)
        )

    def count(
        self,
        *,
        status: Statuses | None = None,
        name: str | None = None,
        type: str | None = None,
        since: Since | None = None,
        until: Since | None = None,
    ) -> Count:
        """Return how many runs match. Up to 10,000 the number is exact, above it is an estimate."""
        return self._wait(self._runs.count(status=status, name=name, type=type, since=since, until=until))

    def retry(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        name: str | None = None,
        since: Since | None = None,
        reuse: bool = True,
        dry_run: bool = False,
    ) -> BulkResult:
        """Retry the runs with this status, by default the failed runs. Runs that were retried before are left out."""
        return self._wait(
            self._runs.retry(status=status, type=type, name=name, since=since, reuse=reuse, dry_run=dry_run)
        )

    def cancel(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        name: str | None = None,
        since: Since | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> BulkResult:
        """Cancel runs that have not ended."""
        return self._wait(
            self._runs.cancel(status=status, type=type, name=name, since=since, reason=reason, dry_run=dry_run)
        )

    def delete(
        self,
        *,
        status: str | None = None,
        type: str | None = None,
        name: str | None = None,
        since: Since | None = None,
        dry_run: bool = False,
    ) -> BulkResult:
        """Delete ended runs with all their data."""
        return self._wait(self._runs.delete(status=status, type=type, name=name, since=since, dry_run=dry_run))


async def find_run(
    transport: Transport, *, type: str | None, name: str | None, dedupe_key: str | None, external_id: str | None
) -> UUID | None:
    """Return the id of the run with this dedupe key, or of the newest run that has a task with this external id. Return
    None if there is no such run."""
    if (dedupe_key is None) == (external_id is None):
        raise InvalidInput("find takes a dedupe_key or an external_id", "pass one of them")
    if external_id is not None:
        tasks = await transport.list_tasks(TaskListFilter(external_id=external_id), limit=1)
        return tasks[0].run_id if tasks else None
    if type is None and name is None:
        raise InvalidInput(
            f"find(dedupe_key={dedupe_key!r}) without a task", "a dedupe key belongs to a task: pass the task as well"
        )
    runs = await transport.list_runs(RunListFilter(type=type, name=name, dedupe_key=dedupe_key), limit=1)
    return runs[0].id if runs else None


async def purge_queue(transport: Transport, queue: str, *, reason: str | None, dry_run: bool) -> list[UUID]:
    """Cancel the tasks of a queue that wait to start or to be retried, and return their ids. `dry_run`: only return the
    ids."""
    tasks: list[UUID] = []
    before = None
    while True:
        piece = await transport.purge_queue(queue, reason=reason, before=before, dry_run=dry_run)
        tasks += piece.task_ids
        if piece.next_before is None:
            return tasks
        before = piece.next_before


async def _all(do_piece: Callable[[UUID | None], Awaitable[BulkPiece]]) -> BulkResult:
    result, before = BulkResult(), None
    while True:
        try:
            piece = await do_piece(before)
        except Exception as error:
            if result.run_ids:
                error.add_note(_done_before(result))
            raise
        result.add(piece)
        if piece.next_before is None:
            return result
        before = piece.next_before


def _done_before(result: BulkResult) -> str:
    """Return a note for the error of a failed piece. It lists the runs of the pieces before that one, which are
    committed already."""
    retries = result.new_run_ids or [None] * len(result.run_ids)
    done = (f"{run} as {retry}" if retry else str(run) for run, retry in zip(result.run_ids, retries, strict=True))
    return f"done before this error: {len(result.run_ids)} runs ({', '.join(done)})"


def as_metadata(values: Mapping[str, Json] | None) -> JsonObject | None:
    """Return keys and values of metadata as JSON, or raise InvalidInput."""
    if values is None:
        return None
    checked = as_value("the metadata", dict(values))
    if not isinstance(checked, dict) or not checked:
        raise InvalidInput("the metadata has no keys", "pass at least one key with its value")
    return checked


def read_statuses(status: Statuses | None) -> list[str] | None:
    """Return one status, or a sequence of statuses, as a list. None stays None."""
    if status is None or isinstance(status, str):
        return status if status is None else [status]
    if not status:
        raise InvalidInput("status is an empty list", "leave it out for every status")
    return list(status)


def read_time(value: Since | None, what: str) -> datetime | None:
    """Return a datetime unchanged, and a duration as the time that is this long before now. `what` names the option in
    errors."""
    if value is None or isinstance(value, datetime):
        return value
    return datetime.now(UTC) - timedelta(seconds=seconds(value, what))
