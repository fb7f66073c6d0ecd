"""Alerts: `await tn.alerts.list(status="firing")`, `await tn.alerts.set_rule("dead", "dead_effects")`."""

from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.model.alerts import Alert, AlertRule
from tenuto.model.statuses import AlertKind
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages, read_uuid

if TYPE_CHECKING:
    from tenuto.sdk.operations.alerts import AlertOperations


class AlertCollection:
    """The alert rules of an org, and the alerts that they raised."""

    def __init__(self, operations: "AlertOperations") -> None:
        self._operations = operations

    async def set_rule(
        self,
        name: str,
        kind: AlertKind,
        *,
        target: str | None = None,
        threshold: int = 1,
        seconds: int = 3600,
        destination: str | None = None,
    ) -> None:
        """Create an alert rule, or replace it. The meaning of `target`, `threshold` and `seconds` depends on `kind`.
        `destination` is where its alerts are delivered."""
        await self._operations.put_alert_rule(
            name, kind, target=target, threshold=threshold, seconds=seconds, destination=destination
        )

    async def delete_rule(self, name: str) -> None:
        """Delete an alert rule and resolve its alerts."""
        await self._operations.delete_alert_rule(name)

    async def silence(self, name: str, seconds: int) -> None:
        """Silence a rule for this many seconds: its alerts are listed but not delivered. 0 ends the silence."""
        await self._operations.silence_alert_rule(name, seconds)

    async def acknowledge(self, id: UUID | str) -> None:
        """Acknowledge an alert: record that the caller handles it."""
        await self._operations.acknowledge_alert(read_uuid(id, "an alert"))

    async def rules(self) -> list[AlertRule]:
        """Return all alert rules, by name."""
        return await all_pages(lambda last: self._operations.list_alert_rules(after=last and last.name))

    async def list(self, *, status: str | None = None) -> list[Alert]:
        """Return the alerts with this status, newest first. Without a status, return all alerts."""
        return await all_pages(lambda last: self._operations.list_alerts(status=status, before=last and last.id))


class SyncAlertCollection:
    """The alert rules of an org, and the alerts that they raised, for synchronous code."""

    def __init__(self, alerts: AlertCollection, wait: Wait) -> None:
        self._alerts, self._wait = alerts, wait

    def set_rule(
        self,
        name: str,
        kind: AlertKind,
        *,
        target: str | None = None,
        threshold: int = 1,
        seconds: int = 3600,
        destination: str | None = None,
    ) -> None:
        """Create an alert rule, or replace it. The meaning of `target`, `threshold` and `seconds` depends on `kind`.
        `destination` is where its alerts are delivered."""
        self._wait(
            self._alerts.set_rule(
                name, kind, target=target, threshold=threshold, seconds=seconds, destination=destination
            )
        )

    def delete_rule(self, name: str) -> None:
        """Delete an alert rule and resolve its alerts."""
        self._wait(self._alerts.delete_rule(name))

    def silence(self, name: str, seconds: int) -> None:
        """Silence a rule for this many seconds: its alerts are listed but not delivered. 0 ends the silence."""
        self._wait(self._alerts.silence(name, seconds))

    def acknowledge(self, id: UUID | str) -> None:
        """Acknowledge an alert: record that the caller handles it."""
        self._wait(self._alerts.acknowledge(id))

    def rules(self) -> list[AlertRule]:
        """Return all alert rules, by name."""
        return self._wait(self._alerts.rules())

    def list(self, *, status: str | None = None) -> list[Alert]:
        """Return the alerts with this status, newest first. Without a status, return all alerts."""
        return self._wait(self._alerts.list(status=status))
