"""Alert rules and alerts: set, list, silence and delete rules; list and acknowledge alerts."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import alerts
from tenuto.model.alerts import Alert, AlertRule
from tenuto.model.statuses import AlertKind, AlertStatus
from tenuto.server.http.pagination import Filter, NameFilter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import WHOLE, Name, Page, RequestModel

ROUTES = RouteTable("alerts")

RuleName = Annotated[str, Field(min_length=1, max_length=128)]


class AlertFilter(Filter):
    """Selects alerts, newest first. `status`: only alerts in this status. `before`: the last id of the previous
    page."""

    status: AlertStatus | None = None
    before: UUID | None = None


class PutAlertRuleRequest(RequestModel):
    """`kind` is the condition of the rule. `target` is the job, dataset, queue or pool that it watches; without a
    target it watches all of them. `destination` is where its alerts are delivered. The kinds: `job_failures`: the job
    `target` (DAG/JOB) failed `threshold` times within `seconds`. `dataset_age`: the dataset `target`, which is
    required, has had no commit for `seconds`. `dead_effects`: the outbox has at least `threshold` dead effects.
    `no_worker`: tasks of the queue `target` have waited for `seconds`, and no live worker can claim them.
    `pool_trouble`: the provider of the pool `target` fails, or a scaling decision within the last `seconds` has an
    anomaly. `job_alerts`: the job `target`, whose operator is `alert_evaluate`, reports an alert."""

    kind: AlertKind
    target: Name | None = None
    threshold: Annotated[int, Field(ge=1, le=1000), WHOLE] = 1
    seconds: Annotated[int, Field(ge=1, le=31_536_000), WHOLE] = 3600
    destination: Name | None = None


class SilenceRequest(RequestModel):
    """For how many seconds the alerts of a rule are not delivered; 0 ends the silence."""

    seconds: Annotated[int, Field(ge=0, le=31_536_000), WHOLE]


@ROUTES.add("GET", "/v1/alerts", permission="alerts:read", response=Page[Alert])
async def list_alerts(request: ApiRequest, query: AlertFilter) -> object:
    """List alerts, newest first."""
    return page(await request.call_with(query, alerts.list_alerts), query, "id")


@ROUTES.add("POST", "/v1/alerts/{alert_id}/acknowledge", permission="alerts:write", response=None, status=204)
async def acknowledge_alert(request: ApiRequest, alert_id: UUID) -> Response:
    """Acknowledge an alert: record that the caller handles it. 409 if the alert is resolved."""
    actor = str(request.principal.id)
    return await request.audited_call(
        "alert", str(alert_id), "acknowledge", alerts.acknowledge_alert, id=alert_id, actor=actor
    )


@ROUTES.add("GET", "/v1/alert-rules", permission="alerts:read", response=Page[AlertRule])
async def list_alert_rules(request: ApiRequest, query: NameFilter) -> object:
    """List alert rules by name."""
    return page(await request.call_with(query, alerts.list_alert_rules), query, "name")


@ROUTES.add("PUT", "/v1/alert-rules/{name}", permission="alerts:write", response=None, status=204)
async def put_alert_rule(request: ApiRequest, name: RuleName, body: PutAlertRuleRequest) -> Response:
    """Create an alert rule, or replace it."""

    async def work(change: Transaction) -> None:
        await alerts.put_alert_rule(
            change.conn,
            org_id=change.org_id,
            name=name,
            kind=body.kind,
            target=body.target,
            threshold=body.threshold,
            seconds=body.seconds,
            destination=body.destination,
            actor=str(request.principal.id),
        )
        new = {"kind": body.kind, "target": body.target}
        changes = {field: {"new": value} for field, value in new.items() if value is not None}
        await change.audit("alert_rule", name, "set", changes)

    return await request.change(work, status=204)


@ROUTES.add("POST", "/v1/alert-rules/{name}/silence", permission="alerts:write", response=None, status=204)
async def silence_alert_rule(request: ApiRequest, name: RuleName, body: SilenceRequest) -> Response:
    """Silence an alert rule: its alerts are listed but not delivered."""

    async def work(change: Transaction) -> None:
        await alerts.silence_alert_rule(change.conn, org_id=change.org_id, name=name, seconds=body.seconds)
        await change.audit("alert_rule", name, "silence", {"seconds": {"new": body.seconds}})

    return await request.change(work, status=204)


@ROUTES.add("DELETE", "/v1/alert-rules/{name}", permission="alerts:write", response=None, status=204)
async def delete_alert_rule(request: ApiRequest, name: RuleName) -> Response:
    """Delete an alert rule and resolve its alerts."""
    return await request.audited_call("alert_rule", name, "delete", alerts.delete_alert_rule, name=name)
