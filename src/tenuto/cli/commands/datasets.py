"""`tenuto datasets`: lists, shows, purges and deletes datasets, and sets which roles can read them."""

from enum import StrEnum
from typing import Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.roles import RoleName
from tenuto.cli.dag_changes import with_dags
from tenuto.cli.list_options import AfterName, Before, Limit
from tenuto.cli.output import AsJson, counted, fields, say, show, show_list
from tenuto.cli.session import read_optional_id
from tenuto.model.lineage import DEPTH, MAX_DEPTH, Direction

app = typer.Typer(
    help="Datasets: list, show, versions, partitions, lineage, cursors, purge, delete, grant, revoke.",
    no_args_is_help=True,
)


class Format(StrEnum):
    """How lineage is shown."""

    text = "text"
    json = "json"
    dot = "dot"


COLUMNS = ("name", "dag", "job", "output", "version_id", "read_roles", "updated_at")
VERSIONS = ("id", "is_current", "dag_versions", "config_hash", "storage_location", "created_at", "purged_at")
PARTITIONS = ("partition", "rows", "bytes", "task_id", "location", "committed_at")
CURSORS = ("dag", "job", "cursor", "behind", "task_id", "updated_at")
PURGED = ("id", "dag_versions", "storage_location", "created_at")

DatasetName = Annotated[str, typer.Argument(metavar="DATASET", help="Name of the dataset.", show_default=False)]


@app.command("list")
def list_(
    after: AfterName = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the datasets by name, each with its producer, its current version and the roles that can read it."""
    items = with_dags(lambda dags: dags.list_datasets(after=after, limit=limit), org=org)
    show_list("datasets", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(name: DatasetName, org: Org = None, as_json: AsJson = False) -> None:
    """Show one dataset."""
    row = with_dags(lambda dags: dags.get_dataset(name), org=org)
    readers = ", ".join(row.read_roles) or "only admins"
    show(row, fields(row, read_roles=readers), as_json=as_json)


@app.command()
def versions(
    name: DatasetName, before: Before = None, limit: Limit = 50, org: Org = None, as_json: AsJson = False
) -> None:
    """List the versions of a dataset, newest first, each with the versions of its DAG that contain it."""
    before_id = read_optional_id(before, "dataset version")
    items = with_dags(lambda dags: dags.list_dataset_versions(name, before=before_id, limit=limit), org=org)
    show_list("versions", items, VERSIONS, as_json=as_json)


@app.command()
def partitions(
    name: DatasetName,
    version: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id of the version to show. Default: the current one.", show_default=False),
    ] = None,
    after: Annotated[
        str | None, typer.Option(help="Continue after this key, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the committed partitions of a dataset by key, each with the task that published it."""
    version_id = read_optional_id(version, "dataset version")
    items = with_dags(lambda dags: dags.list_partitions(name, version_id=version_id, after=after, limit=limit), org=org)
    show_list("partitions", items, PARTITIONS, as_json=as_json)


@app.command()
def lineage(
    name: Annotated[
        str, typer.Argument(metavar="DATASET[.COLUMN]", help="The dataset, or one of its columns.", show_default=False)
    ],
    up: Annotated[bool, typer.Option("--up", help="Show only what it was computed from.")] = False,
    down: Annotated[bool, typer.Option("--down", help="Show only what was computed from it.")] = False,
    depth: Annotated[int, typer.Option(min=1, max=MAX_DEPTH, help="How many steps to follow.")] = DEPTH,
    version: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id of the version to show. Default: the current one.", show_default=False),
    ] = None,
    format: Annotated[Format, typer.Option(help="text: a tree; json; dot: a graph for Graphviz.")] = Format.text,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Show what a dataset or a column was computed from, and what was computed from it."""
    from tenuto.cli.lineage_text import dot, graph_json, tree  # imported late: it needs pydantic

    dataset, _, column = name.partition(".")
    version_id = read_optional_id(version, "dataset version")
    direction: Direction = "both" if up == down else "up" if up else "down"
    graph = with_dags(
        lambda dags: dags.get_lineage(
            dataset, column=column or None, version_id=version_id, direction=direction, depth=depth
        ),
        org=org,
    )
    text = dot(graph) if format is Format.dot else tree(graph, name)
    show(graph_json(graph), text, as_json=as_json or format is Format.json)


@app.command()
def cursors(
    name: DatasetName,
    after: Annotated[
        str | None, typer.Option(metavar="ID", help="Continue after this job key, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the jobs that have read a dataset, each with how far it has read and how many events came after that."""
    job_key = read_optional_id(after, "job")
    items = with_dags(lambda dags: dags.list_cursors(name, after=job_key, limit=limit), org=org)
    show_list("cursors", items, CURSORS, as_json=as_json)


@app.command()
def purge(
    name: DatasetName,
    keep: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1000,
            help="Number of versions to keep. Default: retention.keep_versions of the job output.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be purged.")] = False,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Purge old versions of a dataset. A version is kept if it is current, can become current without a rollback, or
    is used by a task that has not ended. A dispatcher deletes the data."""
    items = with_dags(lambda dags: dags.purge_dataset(name, keep=keep, dry_run=dry_run), org=org)
    show_list("versions", items, PURGED, as_json=as_json)
    if items and not as_json:
        say(f"{counted(len(items), 'version')} {'would be purged' if dry_run else 'purged'}")


@app.command()
def delete(
    name: DatasetName,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Delete a dataset that no current version of a DAG publishes or reads and no open task uses; a dispatcher deletes
    its data."""
    count = with_dags(lambda dags: dags.delete_dataset(name, dry_run=dry_run), org=org)
    text = f"{'would delete' if dry_run else 'deleted'} {name} with {counted(count, 'version')}"
    show({"dataset": name, "versions": count}, text, as_json=as_json)


@app.command()
def grant(name: DatasetName, role: RoleName, org: Org = None, as_json: AsJson = False) -> None:
    """Let a role of the org read a dataset. Does nothing if the role can read it already."""
    with_dags(lambda dags: dags.grant_dataset(name, role), org=org)
    show({"dataset": name, "role": role, "granted": True}, f"role {role} can read {name}", as_json=as_json)


@app.command()
def revoke(name: DatasetName, role: RoleName, org: Org = None, as_json: AsJson = False) -> None:
    """Revoke the right of a role to read a dataset. If no role is left, only admins can read it."""
    with_dags(lambda dags: dags.revoke_dataset(name, role), org=org)
    show({"dataset": name, "role": role, "granted": False}, f"role {role} cannot read {name}", as_json=as_json)
