"""Permissions (`<thing>:<read|write>`, `runs:delete`, `<thing>:*` and `*`) and those of each platform role."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from tenuto.model.errors import InvalidInput

EVERYTHING = "*"
READ_ONLY = ("audit", "lineage", "status")
WRITTEN_BY_WRITERS = ("runs", "tasks", "data", "queues", "schedules", "objects", "bundles", "dags", "jobs")
WRITTEN_BY_ADMINS = (
    "workers", "pools", "outbox", "events", "backfills", "alerts", "datasets", "query",
    "keys", "users", "roles", "orgs", "groups",
)  # fmt: skip
THINGS = (*READ_ONLY, *WRITTEN_BY_WRITERS, *WRITTEN_BY_ADMINS)
DELETED_BY_ADMINS = ("runs",)  # with their tasks
READ_BY_ADMINS = ("keys", "users", "audit")

_READER = frozenset(f"{thing}:read" for thing in THINGS if thing not in READ_BY_ADMINS)
PLATFORM_ROLES: dict[str, frozenset[str]] = {
    "reader": _READER,
    "writer": _READER | {f"{thing}:write" for thing in WRITTEN_BY_WRITERS},
    "admin": frozenset({EVERYTHING}),
}
KNOWN = frozenset(
    {EVERYTHING}
    | {f"{thing}:{access}" for thing in THINGS for access in ("read", "*")}
    | {f"{thing}:write" for thing in THINGS if thing not in READ_ONLY}
    | {f"{thing}:delete" for thing in DELETED_BY_ADMINS}
)


def allows(granted: Collection[str], needed: str) -> bool:
    """Returns whether the granted permissions include the needed one."""
    return needed in granted or EVERYTHING in granted or f"{needed.partition(':')[0]}:*" in granted


def beyond(granted: Collection[str], requested: Iterable[str]) -> list[str]:
    """Returns those of the requested permissions that the granted ones do not include. A caller cannot give these to a
    key."""
    return [permission for permission in requested if not all(allows(granted, part) for part in _parts(permission))]


def check_permissions(permissions: Iterable[str]) -> None:
    """Raise InvalidInput for a permission that no route requires."""
    for permission in permissions:
        if permission not in KNOWN:
            near = get_close_matches(permission, KNOWN, n=1, cutoff=0.8)
            hint = f"did you mean {near[0]}?" if near else "write runs:read, runs:write, runs:* or *"
            raise InvalidInput(f"{permission!r} is not a permission", hint)


def _parts(permission: str) -> list[str]:
    """Splits a permission with a wildcard into those that it stands for."""
    if permission == EVERYTHING:
        return [EVERYTHING]
    thing, _, access = permission.partition(":")
    if access != "*":
        return [permission]
    return [part for part in (f"{thing}:read", f"{thing}:write", f"{thing}:delete") if part in KNOWN]
