"""Calls of direct clients, as the audit log lists them."""

from typing import Any
from uuid import UUID

from tests.support.database.tasks import DEFAULT_ORG, Db, call


def direct_entries(db: Db, org_id: UUID = DEFAULT_ORG, **filters: object) -> list[dict[str, Any]]:
    """The entries of database logins, oldest first, sealed or not."""
    found = call(db, "list_audit", org_id=org_id, limit=200, **filters)
    return [entry for entry in reversed(found) if entry["actor_kind"] == "login"]


def entries_of_requests(db: Db, org_id: UUID = DEFAULT_ORG, **filters: object) -> list[dict[str, Any]]:
    """The entries that a server wrote, newest first; not those of what arranged the test."""
    return [entry for entry in call(db, "list_audit", org_id=org_id, **filters) if entry["actor_kind"] != "login"]


def forget_entries(db: Db) -> None:
    """Forgets what arranging a test left."""
    db.execute("delete from tenuto.audit_arrivals")


def deeds(db: Db, org_id: UUID = DEFAULT_ORG) -> list[tuple[str, str, str]]:
    """(entity, id, action) of each, oldest first."""
    return [(entry["entity"], entry["entity_id"], entry["action"]) for entry in direct_entries(db, org_id)]
