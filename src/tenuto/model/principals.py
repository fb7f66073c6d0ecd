"""Principals: the authenticated caller of a request and its permissions. Each kind of principal can call only its own
routes."""

from dataclasses import dataclass
from uuid import UUID

from tenuto.model.permissions import PLATFORM_ROLES, expand
from tenuto.model.statuses import PlatformRole


@dataclass(frozen=True)
class ApiKeyPrincipal:
    """A program that authenticates with an API key of an org. `granted` may contain wildcards; in `permissions` they
    are expanded."""

    org_id: UUID
    id: UUID
    name: str
    granted: frozenset[str]
    permissions: frozenset[str]

    kind = "api_key"


@dataclass(frozen=True)
class UserPrincipal:
    """A user of an org. The platform role decides the permissions. `roles`: the org's roles that the user has."""

    org_id: UUID
    id: UUID
    platform_role: PlatformRole
    roles: tuple[str, ...]

    kind = "user"

    @property
    def granted(self) -> frozenset[str]:
        return PLATFORM_ROLES[self.platform_role]

    @property
    def permissions(self) -> frozenset[str]:
        return expand(self.granted)


@dataclass(frozen=True)
class WorkerKeyPrincipal:
    """A worker process of an org. `queues`: the queues from which it may claim; `*` means all queues."""

    org_id: UUID
    id: UUID
    name: str
    queues: tuple[str, ...]


@dataclass(frozen=True)
class TaskPrincipal:
    """The code of one running attempt, identified by its task token. `reads`: the dataset versions that an attempt of a
    job may read. `writes`: the folders of the dataset versions that it may write. Both are None if the token does not
    list them."""

    org_id: UUID
    task_id: UUID
    attempt: int
    session_id: int
    run_id: UUID
    reads: frozenset[str] | None = None
    writes: frozenset[str] | None = None
