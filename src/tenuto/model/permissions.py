"""The permissions (`<thing>:<read|write>`, `runs:delete`, `<thing>:*` and `*`), and which of them each platform role
has."""

from collections.abc import Iterable
from functools import lru_cache

from tenuto.model.errors import InvalidInput
from tenuto.model.similar_names import most_similar

EVERYTHING = "*"
READ_ONLY = ("audit", "lineage", "status")
WRITTEN_BY_WRITERS = ("runs", "tasks", "data", "queues", "schedules", "objects", "bundles", "dags", "jobs")
WRITTEN_BY_ADMINS = (
    "workers", "pools", "outbox", "events", "backfills", "alerts", "datasets", "query",
    "keys", "users", "roles", "orgs", "groups",
)  # fmt: skip
THINGS = (*READ_ONLY, *WRITTEN_BY_WRITERS, *WRITTEN_BY_ADMINS)
DELETED_BY_ADMINS = ("runs",)  # runs are deleted with their tasks
READ_BY_ADMINS = ("keys", "users", "audit")

_READER = frozenset(f"{thing}:read" for thing in THINGS if thing not in READ_BY_ADMINS)
PLATFORM_ROLES: dict[str, frozenset[str]] = {
    "reader": _READER,
    "writer": _READER | {f"{thing}:write" for thing in WRITTEN_BY_WRITERS},
    "admin": frozenset({EVERYTHING}),
}
WITHOUT_WILDCARD = frozenset(
    {f"{thing}:read" for thing in THINGS}
    | {f"{thing}:write" for thing in THINGS if thing not in READ_ONLY}
    | {f"{thing}:delete" for thing in DELETED_BY_ADMINS}
)
KNOWN = WITHOUT_WILDCARD | {EVERYTHING} | {f"{thing}:*" for thing in THINGS}


@lru_cache(1000)
def expand(granted: frozenset[str]) -> frozenset[str]:
    """Returns every permission that the granted ones include. `runs:*` includes all permissions for runs, `*` all
    permissions."""
    if EVERYTHING in granted:
        return WITHOUT_WILDCARD
    things = {permission.removesuffix(":*") for permission in granted if permission.endswith(":*")}
    return frozenset(
        permission for permission in WITHOUT_WILDCARD if permission in granted or permission.partition(":")[0] in things
    )


def check_permissions(permissions: Iterable[str]) -> None:
    """Raises InvalidInput for a permission that does not exist."""
    for permission in permissions:
        if permission not in KNOWN:
            near = most_similar(permission, KNOWN, cutoff=0.8)
            hint = f"did you mean {near}?" if near else "write runs:read, runs:write, runs:* or *"
            raise InvalidInput(f"{permission!r:.100} is not a permission", hint)
