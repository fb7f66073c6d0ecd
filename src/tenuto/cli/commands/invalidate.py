"""`tenuto invalidate` and `tenuto invalidations`: let the jobs that read a dataset compute their data again."""

import json
from typing import Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.backfill import PartitionRange, Partitions, read_range
from tenuto.cli.commands.datasets import DatasetName
from tenuto.cli.dag_changes import with_repairs
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Before, Limit, OfDataset
from tenuto.cli.output import AsJson, counted, fields, show, show_list
from tenuto.cli.session import read_optional_id
from tenuto.model.invalidations import InvalidationScope
from tenuto.model.json import Json, JsonObject

app = typer.Typer(help="Invalidations of datasets: list, show.", no_args_is_help=True)

COLUMNS = ("id", "dataset", "status", "total", "invalidated", "created_at", "reason")


def invalidate(
    dataset: DatasetName,
    reason: Annotated[str, typer.Option(help="Reason, stored with the invalidation and passed to the tasks.")],
    range_: PartitionRange = None,
    partition: Partitions = None,
    row_filter: Annotated[
        str | None,
        typer.Option(
            "--filter",
            metavar="JSON",
            help="JSON object that tells the tasks which rows changed; Tenuto passes it on and does not apply it.",
            show_default=False,
        ),
    ] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Make every job that reads a dataset compute its own output again for some partitions. If the
    output of such a job changes, the jobs that read it react as usual."""
    first, last = read_range(range_)
    scope = InvalidationScope(dataset, reason, first, last, partition or None, _read_filter(row_filter))
    row = with_repairs(lambda repairs: repairs.invalidate_dataset(scope), org=org)
    jobs = ", ".join(str(consumer.job) for consumer in row.consumers) or "none"
    of = counted(row.total, "partition")
    show(row, f"started invalidation {row.id} of {of}; jobs that read them: {jobs}", as_json=as_json)


@app.command("list")
def list_(
    dataset: OfDataset = None,
    before: Before = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List invalidations, newest first."""
    before_id = read_optional_id(before, "invalidation")
    items = with_repairs(
        lambda repairs: repairs.list_invalidations(dataset=dataset, before=before_id, limit=limit), org=org
    )
    show_list("invalidations", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(
    invalidation: Annotated[str, typer.Argument(help="Id of the invalidation.", show_default=False)],
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Show one invalidation, with the jobs that read the data and the progress of each."""
    try:
        id = UUID(invalidation)
    except ValueError:
        raise UsageError(f"{invalidation!r:.60} is not the id of an invalidation") from None
    row = with_repairs(lambda repairs: repairs.get_invalidation(id), org=org)
    jobs = "; ".join(
        f"{job.job}: {job.completed} completed, {job.failed} failed{', done' if job.done_at else ''}"
        for job in row.consumers
    )
    show(row, fields(row, consumers=jobs), as_json=as_json)


def _read_filter(text: str | None) -> JsonObject | None:
    if text is None:
        return None
    try:
        value: Json = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise UsageError(f'--filter is {text!r:.60}; write a JSON object, such as {{"id": {{"gte": 7}}}}')
    return value
