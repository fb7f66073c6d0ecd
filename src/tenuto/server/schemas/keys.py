"""Request and response bodies about API keys and worker keys. A key is shown once; its hash never is."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.server.schemas.base import Moment, Name, RequestModel, ResponseModel


class CreateKeyRequest(RequestModel):
    """A new API key. Without `expires_at` it is valid until it is revoked."""

    name: Name
    permissions: Annotated[list[str], Field(min_length=1, max_length=64)]
    expires_at: Moment | None = None


class RotateKeyRequest(RequestModel):
    """How long the old key stays valid beside the new one."""

    overlap_seconds: Annotated[float, Field(ge=0, le=7_776_000)] = 86_400


class CreateWorkerKeyRequest(RequestModel):
    """A new worker key for these queues; `*` is every queue. Without `expires_at` it is valid until it is revoked."""

    name: Name
    queues: Annotated[list[Name], Field(min_length=1, max_length=64)] = Field(default_factory=lambda: ["*"])
    expires_at: Moment | None = None


class ApiKeyResponse(ResponseModel):
    """An API key without its secret."""

    id: UUID
    key_id: str | None
    prefix: str | None
    name: str
    permissions: list[str]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    replaced_by: UUID | None


class CreatedKeyResponse(ResponseModel):
    """A new API key; `key` is shown only here."""

    id: UUID
    key: str


class WorkerKeyResponse(ResponseModel):
    """A worker key without its secret; `*` among its queues is every queue."""

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
