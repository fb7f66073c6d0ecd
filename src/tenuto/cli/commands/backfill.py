"""`tenuto backfill`: computes partitions of a dataset again, and shows the progress."""

import asyncio
import re
import sys
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.datasets import DatasetName
from tenuto.cli.dag_changes import with_repairs
from tenuto.cli.exit_codes import FAILED, UsageError
from tenuto.cli.list_options import Before, Limit, OfDataset
from tenuto.cli.output import AsJson, counted, fields, say, show, show_list
from tenuto.cli.session import read_optional_id
from tenuto.model.backfills import ENDED, Backfill, BackfillScope
from tenuto.model.statuses import Downstream, Reprocess

if TYPE_CHECKING:
    from tenuto.sdk.operations.repairs import RepairOperations

app = typer.Typer(help="Backfills: start, list, show, watch, pause, resume, cancel.", no_args_is_help=True)

COLUMNS = (
    "id", "dataset", "status", "total", "completed", "failed", "downstream_failed", "skipped", "created_at", "reason",
)  # fmt: skip
TASKS = ("task_id", "job", "partition", "failed", "error")
POLL_SECONDS = 0.5
BAR_WIDTH = 40
TIMES_WITH_COLON = re.compile(r"\d{4}-\d\d[^:.]*:\d{4}-\d\d[^:.]*")  # FIRST:LAST, as other systems write a range

BackfillId = Annotated[str, typer.Argument(metavar="BACKFILL", help="Id of the backfill.", show_default=False)]
PartitionRange = Annotated[
    str | None,
    typer.Option(
        "--range", metavar="FIRST..LAST", help="Partitions from FIRST to LAST, both included.", show_default=False
    ),
]
Partitions = Annotated[list[str] | None, typer.Option(help="One partition; can be repeated.", show_default=False)]


@app.command()
def start(
    dataset: DatasetName,
    range_: PartitionRange = None,
    partition: Partitions = None,
    reprocess: Annotated[
        Reprocess, typer.Option(help="none: only missing partitions; failed: also failed ones; all: every one.")
    ] = "none",
    downstream: Annotated[
        Downstream,
        typer.Option(help="Which jobs react to the data: none; same: jobs that read the same partition; all."),
    ] = "all",
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of its tasks at a time.")] = 100,
    descending: Annotated[bool, typer.Option("--descending", help="Begin with the last partition.")] = False,
    reason: Annotated[str | None, typer.Option(help="Reason, shown with the backfill.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count the partitions to start and to skip.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show the progress until the backfill has ended.")] = False,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Compute partitions of a dataset again: a range or a list. Dispatchers start the tasks."""
    first, last = read_range(range_)
    scope = BackfillScope(
        dataset, first, last, partition or None, reprocess, downstream, concurrency, descending, reason
    )
    if dry_run:
        counts = with_repairs(lambda repairs: repairs.preview_backfill(scope), org=org)
        parts = f"{counts.starts} to start, {counts.waits} open, {counts.skips} to skip"
        text = f"{counted(counts.total, 'partition')}: {parts}"
        show(counts, text, as_json=as_json)
        return
    backfill = with_repairs(lambda repairs: repairs.start_backfill(scope), org=org)
    if watch:
        follow(backfill.id, org=org, as_json=as_json)
    else:
        show(backfill, f"started backfill {backfill.id} of {counted(backfill.total, 'partition')}", as_json=as_json)


@app.command("list")
def list_(
    dataset: OfDataset = None,
    status: Annotated[str | None, typer.Option(help="Only backfills with this status.")] = None,
    before: Before = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List backfills with their progress, newest first."""
    before_id = read_optional_id(before, "backfill")
    items = with_repairs(
        lambda repairs: repairs.list_backfills(dataset=dataset, status=status, before=before_id, limit=limit), org=org
    )
    show_list("backfills", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(backfill: BackfillId, org: Org = None, as_json: AsJson = False) -> None:
    """Show one backfill, and those of its tasks that have not completed."""
    id = read_id(backfill)
    row = with_repairs(lambda repairs: repairs.get_backfill(id), org=org)
    show(row, fields(row), as_json=as_json)
    if not as_json:
        tasks = with_repairs(lambda repairs: repairs.list_backfill_tasks(id, limit=50), org=org)
        if tasks:
            say("")
            show_list("tasks", tasks, TASKS, as_json=False)


@app.command()
def watch(backfill: BackfillId, org: Org = None, as_json: AsJson = False) -> None:
    """Show the progress of a backfill until it has ended: a bar on a terminal, lines elsewhere. Exits with 1 if it
    failed or was cancelled."""
    follow(read_id(backfill), org=org, as_json=as_json)


@app.command()
def pause(backfill: BackfillId, org: Org = None, as_json: AsJson = False) -> None:
    """Pause a backfill: it starts no more tasks until it is resumed."""
    id = read_id(backfill)
    with_repairs(lambda repairs: repairs.pause_backfill(id), org=org)
    show({"id": id, "paused": True}, f"paused backfill {id}", as_json=as_json)


@app.command()
def resume(backfill: BackfillId, org: Org = None, as_json: AsJson = False) -> None:
    """Resume a paused backfill where it stopped."""
    id = read_id(backfill)
    with_repairs(lambda repairs: repairs.resume_backfill(id), org=org)
    show({"id": id, "paused": False}, f"resumed backfill {id}", as_json=as_json)


@app.command()
def cancel(backfill: BackfillId, org: Org = None, as_json: AsJson = False) -> None:
    """Cancel a backfill and those of its tasks that have not ended. Committed data stays."""
    id = read_id(backfill)
    with_repairs(lambda repairs: repairs.cancel_backfill(id), org=org)
    show({"id": id, "cancelled": True}, f"cancelling backfill {id}", as_json=as_json)


def follow(id: UUID, *, org: str | None, as_json: bool) -> None:
    """Show the progress of a backfill until it has ended."""
    row = with_repairs(lambda repairs: _follow(repairs, id, quiet=as_json), org=org)
    if as_json:
        show(row, "", as_json=True)
    if row.status != "completed":
        raise typer.Exit(FAILED)


async def _follow(repairs: "RepairOperations", id: UUID, *, quiet: bool) -> Backfill:
    shown = ""
    is_terminal = sys.stdout.isatty()
    while True:
        row = await repairs.get_backfill(id)
        text = progress(row, bar=is_terminal)
        if not quiet and text != shown:
            typer.echo(f"\r{text}" if is_terminal else text, nl=not is_terminal)
            shown = text
        if row.status in ENDED:
            if not quiet and is_terminal:
                typer.echo("")
            if not quiet and row.error:
                say(row.error, err=True)
            return row
        await asyncio.sleep(POLL_SECONDS)


def progress(row: Backfill, *, bar: bool) -> str:
    """Formats the progress of a backfill, with a bar or without."""
    done = row.skipped + row.completed + row.failed
    filled = BAR_WIDTH if row.total == 0 else BAR_WIDTH * min(done, row.total) // row.total
    drawn = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] " if bar else ""
    text = f"{drawn}{done} of {counted(row.total, 'partition')}: {row.completed} completed, {row.failed} failed"
    text += f", {row.skipped} skipped" if row.skipped else ""
    followed = row.downstream_completed + row.downstream_failed
    text += f"; {followed} tasks downstream" if followed else ""
    return f"{text}; {row.status}"


def read_range(text: str | None) -> tuple[str | None, str | None]:
    """Returns both ends of FIRST..LAST; a single partition is both ends."""
    if text is None:
        return None, None
    first, dots, last = text.partition("..")
    if not first or (dots and not last) or TIMES_WITH_COLON.fullmatch(text):
        raise UsageError(f"--range is {text!r}; write FIRST..LAST, such as 2026-11-01..2026-11-07")
    return first, last or first


def read_id(text: str) -> UUID:
    """Returns the id of a backfill that was passed as an argument."""
    try:
        return UUID(text)
    except ValueError:
        raise UsageError(f"{text!r:.60} is not the id of a backfill") from None
