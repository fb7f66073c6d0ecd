"""Orgs, people, roles and keys, as the kernel shows them: never a hash, never a key."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class Org:
    """A tenant."""

    id: UUID
    slug: str
    name: str
    settings: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True)
class ResourceGroup:
    """A share of an org's capacity; `quota` is the most tasks it may have running."""

    id: UUID
    external_id: str
    weight: int
    quota: int | None
    created_at: datetime


@dataclass(frozen=True)
class User:
    """A user of an org as its admins see them."""

    id: UUID
    issuer: str
    subject: str
    email: str | None
    name: str | None
    platform_role: str
    roles: list[str]
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True)
class FoundUser:
    """Who a checked token speaks of."""

    org_id: UUID
    user_id: UUID
    platform_role: str
    roles: list[str]


@dataclass(frozen=True)
class AdmittedUser:
    """Who a token or cookie speaks of, and whether they may ask now or in how many seconds."""

    org_id: UUID
    user_id: UUID
    platform_role: str
    roles: list[str]
    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class FoundLogin:
    """Whose cookie it is, and until when it is good."""

    org_id: UUID
    user_id: UUID
    platform_role: str
    roles: list[str]
    expires_at: datetime


@dataclass(frozen=True)
class UnknownUser:
    """Whom a one-time link let in."""

    org_id: UUID
    user_id: UUID


@dataclass(frozen=True)
class OrgRole:
    """A role of an org's own, and how many people have it."""

    id: UUID
    name: str
    description: str | None
    members: int
    created_at: datetime


@dataclass(frozen=True)
class Member:
    """A person who has a role, and since when."""

    user_id: UUID
    email: str | None
    name: str | None
    since: datetime


@dataclass(frozen=True)
class FoundApiKey:
    """Whose API key it is, and what it may do."""

    org_id: UUID
    id: UUID
    name: str
    permissions: list[str]


@dataclass(frozen=True)
class AdmittedApiKey:
    """Whose API key it is, what it may do, and whether it may ask now or in how many seconds."""

    org_id: UUID
    id: UUID
    name: str
    permissions: list[str]
    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class FoundWorkerKey:
    """Whose worker key it is, and from which queues it may claim."""

    org_id: UUID
    id: UUID
    name: str
    queues: list[str]


@dataclass(frozen=True)
class AdmittedWorkerKey:
    """Whose worker key it is, from which queues it may claim, and whether it may ask now or in how many seconds."""

    org_id: UUID
    id: UUID
    name: str
    queues: list[str]
    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class ImportedKey:
    """A key of another system that was never used here; its bcrypt hash says whether it is the one."""

    org_id: UUID
    id: UUID
    bcrypt: str


@dataclass(frozen=True)
class ApiKeyInfo:
    """What may be seen of an API key."""

    id: UUID
    key_id: str | None
    prefix: str | None
    name: str
    permissions: list[str]
    pepper_version: int
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    replaced_by: UUID | None


@dataclass(frozen=True)
class WorkerKeyInfo:
    """What may be seen of a worker key."""

    id: UUID
    key_id: str
    name: str
    queues: list[str]
    pepper_version: int
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    replaced_by: UUID | None


@dataclass(frozen=True)
class StoredSigningKey:
    """The key that signs now; `private_key` is encrypted."""

    id: str
    public_key: dict[str, Any]
    private_key: bytes
    created_at: datetime


@dataclass(frozen=True)
class PublicSigningKey:
    """A key that proves what was signed, unless it was retired."""

    id: str
    public_key: dict[str, Any]
    created_at: datetime
    retired_at: datetime | None


@dataclass(frozen=True)
class Tokens:
    """Whether the tokens were there, and if not, in how many seconds they will be."""

    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class BegunRequest:
    """A request that is new, or the answer of the first one with its idempotency key."""

    is_new: bool
    status: int | None
    answer: Any


@dataclass(frozen=True)
class PrunedIdentity:
    """Answers, full buckets, logins and links that are gone."""

    requests: int
    buckets: int
    logins: int
    tokens: int
