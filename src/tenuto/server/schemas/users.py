"""What the API answers about people, roles, orgs and the keys of workers."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.server.schemas.runs import ResponseModel


class User(ResponseModel):
    """A user of the org: who vouches for them, what they may do, and the roles of the org's own that they have."""

    id: UUID
    issuer: str
    subject: str
    email: str | None
    name: str | None
    platform_role: str
    roles: list[str]
    created_at: datetime
    disabled_at: datetime | None


class UserId(ResponseModel):
    id: UUID


class Role(ResponseModel):
    """A role of the org's own, and how many people have it."""

    id: UUID
    name: str
    description: str | None
    members: int
    created_at: datetime


class RoleId(ResponseModel):
    id: UUID


class Member(ResponseModel):
    """A person who has a role, and since when."""

    user_id: UUID
    email: str | None
    name: str | None
    since: datetime


class Org(ResponseModel):
    """A tenant."""

    id: UUID
    slug: str
    name: str
    settings: dict[str, Any]
    created_at: datetime


class WorkerKey(ResponseModel):
    """What may be seen of a worker key; `*` among its queues is all of them."""

    id: UUID
    key_id: str
    name: str
    queues: list[str]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    replaced_by: UUID | None
