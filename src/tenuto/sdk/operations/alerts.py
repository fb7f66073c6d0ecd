"""Alerts: the interface of clients and commands, and its implementations over SQL and over HTTP."""

from typing import Protocol
from urllib.parse import quote
from uuid import UUID

from tenuto.db import alerts
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.alerts import Alert, AlertRule
from tenuto.model.statuses import AlertKind
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import read
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump


class AlertOperations(Protocol):
    """Operations on the alert rules and alerts of one org."""

    async def put_alert_rule(
        self,
        name: str,
        kind: AlertKind,
        *,
        target: str | None = None,
        threshold: int = 1,
        seconds: int = 3600,
        destination: str | None = None,
    ) -> None: ...

    async def delete_alert_rule(self, name: str) -> None: ...

    async def silence_alert_rule(self, name: str, seconds: int) -> None: ...

    async def list_alert_rules(self, *, after: str | None = None, limit: int = PAGE) -> list[AlertRule]: ...

    async def acknowledge_alert(self, id: UUID) -> None: ...

    async def list_alerts(
        self, *, status: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Alert]: ...


class HttpAlerts:
    """Sends the operations on alerts to a server."""

    def __init__(self, http: Http) -> None:
        self.http = http

    async def put_alert_rule(
        self,
        name: str,
        kind: AlertKind,
        *,
        target: str | None = None,
        threshold: int = 1,
        seconds: int = 3600,
        destination: str | None = None,
    ) -> None:
        body = {"kind": kind, "target": target, "threshold": threshold, "seconds": seconds, "destination": destination}
        await self.http.request("PUT", _rule(name), dump(body))

    async def delete_alert_rule(self, name: str) -> None:
        await self.http.request("DELETE", _rule(name))

    async def silence_alert_rule(self, name: str, seconds: int) -> None:
        await self.http.request("POST", f"{_rule(name)}/silence", dump({"seconds": seconds}))

    async def list_alert_rules(self, *, after: str | None = None, limit: int = PAGE) -> list[AlertRule]:
        params: dict[str, object] = {"limit": limit} if after is None else {"limit": limit, "after": after}
        return read(list[AlertRule], (await self.http.request("GET", "/v1/alert-rules", params=params))["items"])

    async def acknowledge_alert(self, id: UUID) -> None:
        await self.http.request("POST", f"/v1/alerts/{id}/acknowledge")

    async def list_alerts(
        self, *, status: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Alert]:
        page = {"status": status, "before": before, "limit": limit}
        params = {name: value for name, value in page.items() if value is not None}
        return read(list[Alert], (await self.http.request("GET", "/v1/alerts", params=params))["items"])


class SqlAlerts:
    """The alert rules and alerts of one org on the database. `actor` is recorded in rules and acknowledgements."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, *, actor: str) -> None:
        self._pool, self._org_id, self._actor = pool, org_id, actor

    async def put_alert_rule(
        self,
        name: str,
        kind: AlertKind,
        *,
        target: str | None = None,
        threshold: int = 1,
        seconds: int = 3600,
        destination: str | None = None,
    ) -> None:
        await self._pool.call(
            alerts.put_alert_rule,
            org_id=self._org_id,
            name=name,
            kind=kind,
            target=target,
            threshold=threshold,
            seconds=seconds,
            destination=destination,
            actor=self._actor,
        )

    async def delete_alert_rule(self, name: str) -> None:
        await self._pool.call(alerts.delete_alert_rule, org_id=self._org_id, name=name)

    async def silence_alert_rule(self, name: str, seconds: int) -> None:
        await self._pool.call(alerts.silence_alert_rule, org_id=self._org_id, name=name, seconds=seconds)

    async def list_alert_rules(self, *, after: str | None = None, limit: int = PAGE) -> list[AlertRule]:
        return await self._pool.call(alerts.list_alert_rules, org_id=self._org_id, after=after, limit=limit)

    async def acknowledge_alert(self, id: UUID) -> None:
        await self._pool.call(alerts.acknowledge_alert, org_id=self._org_id, id=id, actor=self._actor)

    async def list_alerts(
        self, *, status: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Alert]:
        return await self._pool.call(alerts.list_alerts, org_id=self._org_id, status=status, before=before, limit=limit)


def _rule(name: str) -> str:
    return f"/v1/alert-rules/{quote(name, safe='')}"
