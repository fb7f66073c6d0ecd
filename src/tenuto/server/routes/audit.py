"""The audit log: who did what."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query

from tenuto.db import audit
from tenuto.server.answers import Answer, Page
from tenuto.server.desk import AtDesk
from tenuto.server.paging import Filter, page
from tenuto.server.routing import Routes

ROUTES = Routes("audit")


class AuditFilter(Filter):
    """Newest first, before an id."""

    entity: str | None = None
    entity_id: str | None = None
    action: str | None = None
    actor_id: str | None = None
    before: UUID | None = None


class Entry(Answer):
    """Somebody did something to something; `seq` is its place in the org's chain, once it has one."""

    id: UUID
    created_at: datetime
    entity: str
    entity_id: str
    action: str
    changes: dict[str, Any]
    actor_kind: str
    actor_id: str
    ip: str | None
    user_agent: str | None
    request_id: str | None
    seq: int | None


@ROUTES.add("GET", "/v1/audit", permission="audit:read", answer=Page[Entry])
async def list_audit(desk: AtDesk, asked: Annotated[AuditFilter, Query()]) -> Any:
    """What people and keys did in the org, newest first."""
    return page(await desk.ask(audit.list_audit, **asked.model_dump()), asked, "id")
