"""Bulk operations of commands: retry, cancel and delete runs by filter, purge a queue. They work in pieces. Each piece
has its own transaction, with its audit entries."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import read_time
from tenuto.cli.output import say, show
from tenuto.cli.session import with_tenuto
from tenuto.model.bulk_runs import BulkPiece, BulkResult, RunSelection

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations

MAX_SHOWN = 20  # ids that a dry run prints

Status = Annotated[str | None, typer.Option(help="Only runs with this status.", show_default=False)]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be changed, and change nothing.")]


@dataclass(frozen=True)
class Verb:
    """How an operation is called in messages and in the audit log."""

    action: str
    past: str


RETRY, CANCEL, DELETE = Verb("retry", "retried"), Verb("cancel", "cancelled"), Verb("delete", "deleted")

Piece = Callable[["Operations", UUID | None], Awaitable[BulkPiece]]


def read_filter(status: str | None, type: str | None, name: str | None, since: str | None) -> RunSelection:
    """Returns the filter that the options of a command describe."""
    return RunSelection(status, type, name, read_time(since, "--since"))


def refuse_filter(chosen: RunSelection, *, dry_run: bool) -> None:
    """Raises UsageError if options that select runs, or --dry-run, are passed together with a run."""
    if chosen != RunSelection() or dry_run:
        raise UsageError("write the id of a RUN, or select runs with --status, --type, --name or --since, but not both")


def retry_runs(chosen: RunSelection, *, reuse: bool, dry_run: bool, as_json: bool) -> None:
    """Retry the runs that a filter selects: only failed runs, if the filter has no status."""

    def piece(tenuto: "Operations", before: UUID | None) -> Awaitable[BulkPiece]:
        return tenuto.retry_runs(chosen, reuse=reuse, before=before, dry_run=dry_run)

    _apply(RETRY, chosen, piece, dry_run=dry_run, as_json=as_json)


def cancel_runs(chosen: RunSelection, *, reason: str | None, dry_run: bool, as_json: bool) -> None:
    """Cancel the runs that have not ended and that a filter selects."""

    def piece(tenuto: "Operations", before: UUID | None) -> Awaitable[BulkPiece]:
        return tenuto.cancel_runs(chosen, reason=reason, before=before, dry_run=dry_run)

    _apply(CANCEL, chosen, piece, dry_run=dry_run, as_json=as_json)


def delete_runs(chosen: RunSelection, *, dry_run: bool, as_json: bool) -> None:
    """Delete the ended runs that a filter selects."""

    def piece(tenuto: "Operations", before: UUID | None) -> Awaitable[BulkPiece]:
        return tenuto.delete_runs(chosen, before=before, dry_run=dry_run)

    _apply(DELETE, chosen, piece, dry_run=dry_run, as_json=as_json)


def purge_queue(queue: str, *, reason: str | None, dry_run: bool, as_json: bool) -> None:
    """Cancel the tasks of a queue that wait to start or to be retried."""

    async def work(tenuto: "Operations") -> list[UUID]:
        tasks: list[UUID] = []
        before = None
        while True:
            piece = await tenuto.purge_queue(queue, reason=reason, before=before, dry_run=dry_run)
            tasks += piece.task_ids
            if piece.next_before is None:
                return tasks
            before = piece.next_before
            if not (as_json or dry_run):
                say(f"cancelled {len(tasks)} tasks so far")

    tasks = with_tenuto(work)
    lines = [*_ids(tasks), f"would cancel {len(tasks)} tasks"] if dry_run else [f"cancelled {len(tasks)} tasks"]
    show({"queue": queue, "tasks": tasks, "dry_run": dry_run}, "\n".join(lines), as_json=as_json)


def _apply(verb: Verb, chosen: RunSelection, piece: Piece, *, dry_run: bool, as_json: bool) -> None:
    """Carry out an operation piece by piece and show what it did."""
    if chosen == RunSelection():
        raise UsageError("write the id of a RUN, or select runs with --status, --type, --name or --since")

    async def work(tenuto: "Operations") -> BulkResult:
        result, before, more = BulkResult(), None, True
        while more:
            done = await piece(tenuto, before)
            result.add(done)
            before, more = done.next_before, done.next_before is not None
            if more and done.run_ids and not (as_json or dry_run):
                say(f"{verb.past} {len(result.run_ids)} runs so far")
        return result

    _show(verb, with_tenuto(work), dry_run=dry_run, as_json=as_json)


def _show(verb: Verb, result: BulkResult, *, dry_run: bool, as_json: bool) -> None:
    facts = {"runs": result.run_ids, "new_runs": result.new_run_ids, "refused": result.refused, "dry_run": dry_run}
    if dry_run:
        lines = [*_ids(result.run_ids), f"would {verb.action} {len(result.run_ids)} runs"]
    else:
        lines = [f"{verb.past} {len(result.run_ids)} runs"]
    lines += [f"not {verb.past}: {item.reason}" for item in result.refused]
    show(facts, "\n".join(lines), as_json=as_json)


def _ids(ids: list[UUID]) -> list[str]:
    """Returns a line for each of the first 20 ids, and a line that says how many more there are."""
    more = len(ids) - MAX_SHOWN
    return [str(id) for id in ids[:MAX_SHOWN]] + ([f"… and {more} more"] if more > 0 else [])
