"""`tenuto alerts`: rules about the health of an org's work, and the alerts that they raised."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar
from uuid import UUID

import typer

from tenuto.cli.audited import ROLE, Org
from tenuto.cli.database import read_settings
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import AfterName, Before, Limit
from tenuto.cli.output import AsJson, show, show_list
from tenuto.cli.session import read_optional_id, with_database, with_server
from tenuto.model.os_user import os_user
from tenuto.model.statuses import AlertKind

if TYPE_CHECKING:
    from tenuto.sdk.operations.alerts import AlertOperations

app = typer.Typer(help="Alerts: list, ack, silence, rules, set, delete.", no_args_is_help=True)

COLUMNS = ("id", "rule", "status", "summary", "first_at", "last_at", "acknowledged_by")
RULES = ("name", "kind", "target", "threshold", "seconds", "destination", "silenced_until")
T = TypeVar("T")

RuleName = Annotated[str, typer.Argument(metavar="RULE", help="Name of the rule.", show_default=False)]


def with_alerts(work: "Callable[[AlertOperations], Awaitable[T]]", *, org: str | None) -> T:
    """Run `work` with the alerts of the org."""
    from tenuto.sdk.operations.alerts import HttpAlerts, SqlAlerts

    if read_settings().server is None:
        return with_database(
            lambda context: work(SqlAlerts(context.pool, context.org_id, actor=os_user())), role=ROLE, org=org
        )
    return with_server(lambda http: work(HttpAlerts(http)), org=org)


@app.command("list")
def list_(
    status: Annotated[str | None, typer.Option(help="Only alerts with this status.")] = None,
    before: Before = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List alerts, newest first: firing, acknowledged and resolved ones."""
    before_id = read_optional_id(before, "alert")
    items = with_alerts(lambda alerts: alerts.list_alerts(status=status, before=before_id, limit=limit), org=org)
    show_list("alerts", items, COLUMNS, as_json=as_json)


@app.command()
def ack(
    alert: Annotated[str, typer.Argument(help="Id of the alert.", show_default=False)],
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Acknowledge an alert: record that you handle it."""
    try:
        id = UUID(alert)
    except ValueError:
        raise UsageError(f"{alert!r:.60} is not the id of an alert") from None
    with_alerts(lambda alerts: alerts.acknowledge_alert(id), org=org)
    show({"id": id, "acknowledged": True}, f"acknowledged alert {id}", as_json=as_json)


@app.command()
def silence(
    rule: RuleName,
    seconds: Annotated[
        int, typer.Option(min=0, max=31_536_000, help="How long, in seconds; 0 ends the silence.")
    ] = 3600,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Silence a rule: its alerts are listed but not delivered."""
    with_alerts(lambda alerts: alerts.silence_alert_rule(rule, seconds), org=org)
    show({"rule": rule, "seconds": seconds}, f"silenced {rule} for {seconds} s", as_json=as_json)


@app.command()
def rules(
    after: AfterName = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List alert rules by name."""
    items = with_alerts(lambda alerts: alerts.list_alert_rules(after=after, limit=limit), org=org)
    show_list("rules", items, RULES, as_json=as_json)


@app.command("set")
def set_(
    rule: RuleName,
    kind: Annotated[AlertKind, typer.Argument(help="The condition: one of the kinds above.", show_default=False)],
    target: Annotated[
        str | None,
        typer.Option(help="A job (DAG/JOB), dataset, queue or pool. Default: all; dataset_age needs a dataset."),
    ] = None,
    threshold: Annotated[
        int, typer.Option(min=1, max=1000, help="How many failures or dead effects raise an alert.")
    ] = 1,
    seconds: Annotated[
        int,
        typer.Option(
            min=1,
            max=31_536_000,
            help="Period in seconds. Failures and pool decisions in this period count; a dataset without a commit or "
            "tasks without a worker for this period raise the alert.",
        ),
    ] = 3600,
    destination: Annotated[str | None, typer.Option(help="Name of the destination that gets its alerts.")] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Create an alert rule, or replace it.

    Kinds: job_failures, dataset_age, dead_effects, no_worker, pool_trouble, job_alerts.
    """
    with_alerts(
        lambda alerts: alerts.put_alert_rule(
            rule, kind, target=target, threshold=threshold, seconds=seconds, destination=destination
        ),
        org=org,
    )
    show({"rule": rule, "kind": kind}, f"set alert rule {rule}", as_json=as_json)


@app.command()
def delete(rule: RuleName, org: Org = None, as_json: AsJson = False) -> None:
    """Delete an alert rule and resolve its alerts."""
    with_alerts(lambda alerts: alerts.delete_alert_rule(rule), org=org)
    show({"rule": rule, "deleted": True}, f"deleted alert rule {rule}", as_json=as_json)
