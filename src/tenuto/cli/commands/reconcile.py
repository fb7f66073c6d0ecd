"""`tenuto reconcile`: finds partitions that the inputs of a job have and its output lacks, shows why, and starts
backfills of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.dag_changes import with_dags, with_repairs
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, cell, say, show, table
from tenuto.model.backfills import BackfillScope
from tenuto.model.errors import Conflict
from tenuto.model.reconciliation import MissingPartition

if TYPE_CHECKING:
    from tenuto.sdk.operations.dags import DagOperations
    from tenuto.sdk.operations.repairs import RepairOperations

COLUMNS = ("dataset", "partition", "state", "input", "input_partition", "reason")
PAGE = 100
FIX_PAGE = 200
MAX_PARTITIONS = 1000  # that one backfill can have
REASON = "missing, found by reconcile"


@dataclass(frozen=True)
class Found:
    """The result of a search of one dataset. `next`: where the search continues; None at its end."""

    dataset: str
    missing: list[MissingPartition]
    looked_at: int
    next: str | None
    backfills: list[str]
    started: int = 0


def reconcile(
    dataset: Annotated[
        str | None, typer.Argument(metavar="DATASET", help="Name of the dataset.", show_default=False)
    ] = None,
    dag: Annotated[
        str | None, typer.Option(help="Search all datasets of this DAG instead.", show_default=False)
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Start backfills of the partitions that can be computed.")] = False,
    after: Annotated[
        str | None,
        typer.Option(help="Continue where the previous search ended; it prints this value.", show_default=False),
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Find partitions that exist in the inputs of a job but not in its output, and show the reasons. Without --fix, the
    search of a dataset stops after --limit partitions; with --fix, it finds all."""
    if (dataset is None) == (dag is None) or (dag is not None and after is not None):
        raise UsageError("write the name of a dataset, with --after to continue, or --dag DAG")
    if dataset is not None:
        found = [with_repairs(lambda repairs: _search(repairs, dataset, after, limit, fix=fix), org=org)]
    else:
        found = _search_dag(str(dag), limit, org, fix=fix)
    rows = [
        [one.dataset, *(cell(getattr(item, column)) for column in COLUMNS[1:])] for one in found for item in one.missing
    ]
    show({"datasets": found}, table(COLUMNS, rows) if rows else "no partition is missing", as_json=as_json)
    if as_json:
        return
    for one in found:
        if one.backfills:
            say(f"{one.dataset}: started backfills of {one.started} partitions: {', '.join(one.backfills)}", err=True)
        if one.next is not None:
            say(f"there may be more: tenuto reconcile {one.dataset} --after {one.next!r}", err=True)


def _search_dag(dag: str, limit: int, org: str | None, *, fix: bool) -> list[Found]:
    names = with_dags(lambda dags: _datasets_of(dags, dag), org=org)
    if not names:
        raise UsageError(f"no dataset of a DAG {dag:.100}; `tenuto datasets list` shows them")

    async def search(repairs: "RepairOperations") -> list[Found]:
        found: list[Found] = []
        for name in names:
            try:
                found.append(await _search(repairs, name, None, limit, fix=fix))
            except Conflict:  # its job does not compute partitions from partitions of other datasets
                continue
        return found

    return with_repairs(search, org=org)


async def _datasets_of(dags: "DagOperations", dag: str) -> list[str]:
    names, after = list[str](), None
    while page := await dags.list_datasets(after=after, limit=PAGE):
        names += [item.name for item in page if item.dag == dag]
        after = page[-1].name
    return names


async def _search(repairs: "RepairOperations", dataset: str, after: str | None, limit: int, *, fix: bool) -> Found:
    """Search until `limit` missing partitions are found. With `fix`, search to the end and start backfills. Return the
    first `limit` missing partitions."""
    missing: list[MissingPartition] = []
    fixable: list[MissingPartition] = []
    backfills: list[str] = []
    looked_at = started = 0
    while True:
        page = await repairs.reconcile_dataset(
            dataset, after=after, limit=FIX_PAGE if fix else min(limit - len(missing), FIX_PAGE)
        )
        looked_at, after = looked_at + page.looked_at, page.next
        missing += page.missing[: max(0, limit - len(missing))]
        fixable += [item for item in page.missing if item.is_fixable] if fix else []
        if len(fixable) >= MAX_PARTITIONS or (fixable and after is None):
            backfills += await _start(repairs, dataset, fixable)
            started += len(fixable)
            fixable = []
        if after is None or (not fix and len(missing) >= limit):
            return Found(dataset, missing, looked_at, after, backfills, started)


async def _start(repairs: "RepairOperations", dataset: str, items: Sequence[MissingPartition]) -> list[str]:
    """Start backfills of these partitions, each of up to 1,000, and return their ids."""
    keys = [item.partition for item in items if item.partition is not None]
    parts = [keys[begin : begin + MAX_PARTITIONS] for begin in range(0, len(keys), MAX_PARTITIONS)]
    scopes = [BackfillScope(dataset, partitions=part, reason=REASON) for part in parts or [None]]
    return [str((await repairs.start_backfill(scope)).id) for scope in scopes]
