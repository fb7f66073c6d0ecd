"""`tenuto dags`: lists and deletes DAGs."""

from typing import Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.dags import DagName
from tenuto.cli.dag_changes import with_dags
from tenuto.cli.list_options import AfterName, Limit
from tenuto.cli.output import AsJson, counted, show, show_list

app = typer.Typer(help="DAGs: list, delete.", no_args_is_help=True)

COLUMNS = ("name", "version", "newest_version", "newest_status", "updated_at")


@app.callback()
def dags() -> None:
    """DAGs: list, delete."""


@app.command("list")
def list_(
    after: AfterName = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the DAGs by name, each with its current and its newest version."""
    items = with_dags(lambda dags: dags.list_dags(after=after, limit=limit), org=org)
    show_list("dags", items, COLUMNS, as_json=as_json)


@app.command()
def delete(
    name: DagName,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Delete the DAG even while a version is computed or a task has not ended, and cancel these."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Delete a DAG with its datasets. A dispatcher deletes the data. The command fails while a job of another DAG reads
    one of the datasets. The history of the DAG's deploys is kept."""
    deleted = with_dags(lambda dags: dags.delete_dag(name, force=force, dry_run=dry_run), org=org)
    datasets = f"{counted(len(deleted.datasets), 'dataset')} ({', '.join(deleted.datasets[:20]) or 'none'})"
    what = f"{name} with {counted(deleted.versions, 'version')}, {datasets}"
    show(deleted, f"{'would delete' if dry_run else 'deleted'} {what}", as_json=as_json)
