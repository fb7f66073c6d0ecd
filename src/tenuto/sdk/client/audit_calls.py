"""The call of a client that lists the audit log."""

from abc import ABC, abstractmethod
from datetime import datetime
from uuid import UUID

from tenuto.model.audit import AuditEntry
from tenuto.model.filters import AuditListFilter
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.client.transport import PAGE, Transport


class AuditCalls:
    """Lists the audit log."""

    transport: Transport

    async def audit(
        self,
        *,
        entity: str | None = None,
        entity_id: str | None = None,
        action: str | None = None,
        actor: str | None = None,
        ip: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        before: UUID | None = None,
        limit: int = PAGE,
    ) -> list[AuditEntry]:
        """Return a page of the audit log, newest first. `before`: the id of the last entry of the previous page.
        `actor`: a database login, or the id of a key or user. `ip`: the address of the client. `since`: only entries
        written at this time or later. `until`: only entries written before this time."""
        filter = AuditListFilter(entity, entity_id, action, actor, ip, since, until)
        return await self.transport.list_audit(filter, before=before, limit=limit)


class SyncAuditCalls(ABC):
    """Lists the audit log, for synchronous code."""

    wait_for: Wait

    @property
    @abstractmethod
    def client(self) -> AuditCalls:
        """The asynchronous client that makes the call."""

    def audit(
        self,
        *,
        entity: str | None = None,
        entity_id: str | None = None,
        action: str | None = None,
        actor: str | None = None,
        ip: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        before: UUID | None = None,
        limit: int = PAGE,
    ) -> list[AuditEntry]:
        """Return a page of the audit log, newest first. `before`: the id of the last entry of the previous page.
        `actor`: a database login, or the id of a key or user. `ip`: the address of the client. `since`: only entries
        written at this time or later. `until`: only entries written before this time."""
        return self.wait_for(
            self.client.audit(
                entity=entity,
                entity_id=entity_id,
                action=action,
                actor=actor,
                ip=ip,
                since=since,
                until=until,
                before=before,
                limit=limit,
            )
        )
