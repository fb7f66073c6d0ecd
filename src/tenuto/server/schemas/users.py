"""Request bodies about users, roles and orgs."""

from typing import Annotated

from pydantic import Field

from tenuto.model.json import JsonObject
from tenuto.model.statuses import PlatformRole
from tenuto.server.schemas.base import Name, RequestModel


class CreateUserRequest(RequestModel):
    """A user of an OIDC issuer. An existing user is updated."""

    issuer: Name
    subject: Name
    email: Annotated[str, Field(min_length=1, max_length=320)] | None = None
    name: Name | None = None
    platform_role: PlatformRole | None = None


class EditUserRequest(RequestModel):
    """Changes of a user; omitted fields keep their values."""

    platform_role: PlatformRole | None = None
    disabled: bool | None = None


class CreateRoleRequest(RequestModel):
    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,62}$")]
    description: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    display_name: Annotated[str, Field(min_length=1, max_length=256)] | None = None


class EditOrgRequest(RequestModel):
    """Changes of the org; omitted fields keep their values."""

    name: Name | None = None
    settings: JsonObject | None = None
