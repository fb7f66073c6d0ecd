"""Request and response bodies about API keys and worker keys. A key is returned only when it is created; its
hash is never returned."""

from typing import Annotated
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from tenuto.server.schemas.base import Moment, Name, RequestModel, ResponseModel


class CreateKeyRequest(RequestModel):
    """A new API key. Without `expires_at` it is valid until it is revoked."""

    name: Name
    permissions: Annotated[list[str], Field(min_length=1, max_length=64)]
    expires_at: Moment | None = None


class UpdateKeyRequest(RequestModel):
    """The changes of an API key; at least one is required. With `expires_at` null, the key is valid until it is
    revoked."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    name: Name | None = None
    active: bool | None = None
    expires_at: Moment | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> "UpdateKeyRequest":
        if not self.model_fields_set:
            raise ValueError("is empty; write name, active or expires_at")
        return self


class RotateKeyRequest(RequestModel):
    """How long the old key stays valid after the new one is created."""

    overlap_seconds: Annotated[float, Field(ge=0, le=7_776_000)] = 86_400


class CreateWorkerKeyRequest(RequestModel):
    """A new worker key for these queues; `*` means all queues. Without `expires_at` it is valid until it is revoked."""

    name: Name
    queues: Annotated[list[Name], Field(min_length=1, max_length=64)] = Field(default_factory=lambda: ["*"])
    expires_at: Moment | None = None


class CreatedKeyResponse(ResponseModel):
    """A new API key or worker key. `key` is shown only in this response."""

    id: UUID
    key: str
