"""Alerts: one coroutine per public function of sql/monitoring/alerts/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_value, call_void
from tenuto.model.alerts import Alert, AlertRule
from tenuto.model.events import RoutedEffect


async def put_alert_rule(
    conn: Conn,
    *,
    org_id: UUID,
    name: str,
    kind: str,
    target: str | None = None,
    threshold: int | None = None,
    seconds: int | None = None,
    destination: str | None = None,
    actor: str | None = None,
) -> bool:
    return await call_value(
        conn,
        "put_alert_rule",
        org_id=org_id,
        name=name,
        kind=kind,
        target=target,
        threshold=threshold,
        seconds=seconds,
        destination=destination,
        actor=actor,
    )


async def delete_alert_rule(conn: Conn, *, org_id: UUID, name: str) -> None:
    await call_void(conn, "delete_alert_rule", org_id=org_id, name=name)


async def silence_alert_rule(conn: Conn, *, org_id: UUID, name: str, seconds: int) -> None:
    await call_void(conn, "silence_alert_rule", org_id=org_id, name=name, seconds=seconds)


async def list_alert_rules(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None
) -> list[AlertRule]:
    return await call(conn, "list_alert_rules", AlertRule, org_id=org_id, after=after, limit=limit)


async def acknowledge_alert(conn: Conn, *, org_id: UUID, id: UUID, actor: str) -> None:
    await call_void(conn, "acknowledge_alert", org_id=org_id, id=id, actor=actor)


async def list_alerts(
    conn: Conn, *, org_id: UUID, status: str | None = None, before: UUID | None = None, limit: int | None = None
) -> list[Alert]:
    return await call(conn, "list_alerts", Alert, org_id=org_id, status=status, before=before, limit=limit)


async def evaluate_alerts(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "evaluate_alerts", limit=limit, keys=keys)


async def raise_alerts(conn: Conn, *, owner: str, ids: list[int]) -> list[RoutedEffect]:
    return await call(conn, "raise_alerts", RoutedEffect, owner=owner, ids=ids)
