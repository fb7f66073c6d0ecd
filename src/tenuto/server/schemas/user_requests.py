"""What requests say about people, roles, orgs and the keys of workers."""

from typing import Annotated, Any, Literal

from pydantic import Field

from tenuto.server.schemas.base import Moment, Name, RequestModel

PlatformRole = Literal["reader", "writer", "admin"]


class NewUser(RequestModel):
    """A person whom an issuer vouches for; one who is known already is brought up to date."""

    issuer: Name
    subject: Name
    email: Annotated[str, Field(min_length=1, max_length=320)] | None = None
    name: Name | None = None
    platform_role: PlatformRole | None = None


class EditUser(RequestModel):
    """What to change of a person; what is not said stays."""

    platform_role: PlatformRole | None = None
    disabled: bool | None = None


class NewRole(RequestModel):
    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,62}$")]
    description: Annotated[str, Field(min_length=1, max_length=1024)] | None = None


class EditOrg(RequestModel):
    """What to change of the org; what is not said stays."""

    name: Name | None = None
    settings: dict[str, Any] | None = None


class NewWorkerKey(RequestModel):
    """A new worker key for these queues, `*` is all of them; one without `expires_at` is good until it is revoked."""

    name: Name
    queues: Annotated[list[Name], Field(min_length=1, max_length=64)] = Field(default_factory=lambda: ["*"])
    expires_at: Moment | None = None
