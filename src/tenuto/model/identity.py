"""Users, roles and keys as SQL returns them: never with the text of an API key or worker key. Only an imported key has
a hash (bcrypt, for its first use), and only the signing key has its private key (encrypted)."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from tenuto.model.audit import Changes, diff
from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import PlatformRole


@dataclass(frozen=True)
class ResourceGroup:
    """A share of an org's capacity. `quota` is how many of its tasks can run at a time."""

    id: UUID
    external_id: str
    weight: int
    quota: int | None
    created_at: datetime


@dataclass(frozen=True)
class User:
    """A user of an org, as shown to its admins."""

    id: UUID
    issuer: str
    subject: str
    email: str | None
    name: str | None
    platform_role: PlatformRole
    roles: list[str]
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True)
class FoundUser:
    """The user that a verified token identifies."""

    org_id: UUID
    user_id: UUID
    platform_role: PlatformRole
    roles: list[str]


@dataclass(frozen=True)
class AdmittedUser:
    """The user that a token or cookie identifies, and whether the rate limit allows the request (`allowed`). If not,
    it will be allowed after `retry_after` seconds."""

    org_id: UUID
    user_id: UUID
    platform_role: PlatformRole
    roles: list[str]
    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class FoundLogin:
    """The user that a login cookie identifies, and when the login expires."""

    org_id: UUID
    user_id: UUID
    platform_role: PlatformRole
    roles: list[str]
    expires_at: datetime


@dataclass(frozen=True)
class UnknownUser:
    """The user that a one-time link logged in."""

    org_id: UUID
    user_id: UUID


@dataclass(frozen=True)
class OrgRole:
    """A role defined by the org, and how many users have it."""

    id: UUID
    name: str
    description: str | None
    members: int
    created_at: datetime
    display_name: str = ""


@dataclass(frozen=True)
class Member:
    """A user who has a role, and since when."""

    user_id: UUID
    email: str | None
    name: str | None
    since: datetime


@dataclass(frozen=True)
class FoundApiKey:
    """The org and the permissions of an API key."""

    org_id: UUID
    id: UUID
    name: str
    permissions: list[str]


@dataclass(frozen=True)
class AdmittedApiKey:
    """The org and the permissions of an API key, and whether the rate limit allows the request (`allowed`). If not,
    it will be allowed after `retry_after` seconds."""

    org_id: UUID
    id: UUID
    name: str
    permissions: list[str]
    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class FoundWorkerKey:
    """The org of a worker key, and the queues from which its workers may claim tasks."""

    org_id: UUID
    id: UUID
    name: str
    queues: list[str]


@dataclass(frozen=True)
class AdmittedWorkerKey:
    """The org of a worker key, the queues from which its workers may claim tasks, and whether the rate limit allows the
    request (`allowed`). If not, it will be allowed after `retry_after` seconds."""

    org_id: UUID
    id: UUID
    name: str
    queues: list[str]
    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class ImportedKey:
    """An API key that was imported from another system and was not used here yet. Its first use is checked with its
    bcrypt hash."""

    org_id: UUID
    id: UUID
    bcrypt: str


@dataclass(frozen=True)
class ApiKeyInfo:
    """An API key as shown to users, without its secret."""

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
    disabled_at: datetime | None


def changed_fields(old: ApiKeyInfo, new: ApiKeyInfo) -> Changes:
    """Return the changed fields of a key, for the audit log."""
    return diff(*({name: _plain(value) for name, value in vars(key).items()} for key in (old, new)))


def _plain(value: Json | datetime | UUID) -> Json:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, UUID) else value


@dataclass(frozen=True)
class WorkerKeyInfo:
    """A worker key as shown to users, without its secret."""

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
    """The current signing key; `private_key` is encrypted."""

    id: str
    public_key: JsonObject
    private_key: bytes
    created_at: datetime


@dataclass(frozen=True)
class PublicSigningKey:
    """A public key that verifies signatures until it is retired."""

    id: str
    public_key: JsonObject
    created_at: datetime
    retired_at: datetime | None


@dataclass(frozen=True)
class Tokens:
    """Whether the rate limit had enough tokens (`allowed`). If not, it will have enough after `retry_after` seconds."""

    allowed: bool
    retry_after: float


@dataclass(frozen=True)
class BegunRequest:
    """Whether the request is new. If not, `status` and `response` are those of the first request with this idempotency
    key."""

    is_new: bool
    status: int | None
    response: Json


@dataclass(frozen=True)
class PrunedIdentity:
    """How many stored responses, full token buckets, logins and one-time links were deleted."""

    requests: int
    buckets: int
    logins: int
    tokens: int
