"""`tenuto events`: lists events of datasets, and what each did to the jobs that read it."""

from typing import Annotated

import typer

from tenuto.cli.audited import Org
from tenuto.cli.dag_changes import with_dags
from tenuto.cli.list_options import Before, Limit, OfDataset
from tenuto.cli.output import AsJson, show_list
from tenuto.cli.session import read_id, read_optional_id

app = typer.Typer(help="Events of datasets: list, show.", no_args_is_help=True)

COLUMNS = ("id", "dataset", "dag", "job", "version", "partition", "data", "task_id", "created_at")
REACTIONS = ("dag", "job", "version", "partition", "reaction", "task_id", "reason")


@app.command("list")
def list_(
    dataset: OfDataset = None,
    before: Before = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List commits of datasets and emitted events, newest first."""
    last = read_optional_id(before, "event")
    items = with_dags(lambda dags: dags.list_events(dataset=dataset, before=last, limit=limit), org=org)
    show_list("events", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="Id of the event.", show_default=False)],
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Show what an event did to the jobs that read its dataset."""
    id = read_id(event, "event")
    items = with_dags(lambda dags: dags.list_event_reactions(id, limit=limit), org=org)
    show_list("reactions", items, REACTIONS, as_json=as_json)
