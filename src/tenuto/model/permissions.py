"""Permissions: `<thing>:<read|write>`, `<thing>:*` and `*`; what each platform role has."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from tenuto.model.errors import InvalidInput

EVERYTHING = "*"
READ_ONLY = ("audit", "lineage", "status")
WRITTEN_BY_WRITERS = ("runs", "tasks", "data", "queues", "schedules", "objects", "bundles")
WRITTEN_BY_ADMINS = (
    "workers", "pools", "outbox", "dags", "jobs", "events", "backfills", "datasets", "query",
    "keys", "users", "roles", "orgs", "groups",
)  # fmt: skip
THINGS = (*READ_ONLY, *WRITTEN_BY_WRITERS, *WRITTEN_BY_ADMINS)
READ_BY_ADMINS = ("keys", "users", "audit")

_READER = frozenset(f"{thing}:read" for thing in THINGS if thing not in READ_BY_ADMINS)
PLATFORM_ROLES: dict[str, frozenset[str]] = {
    "reader": _READER,
    "writer": _READER | {f"{thing}:write" for thing in WRITTEN_BY_WRITERS},
    "admin": frozenset({EVERYTHING}),
}
KNOWN = frozenset(
    {EVERYTHING}
    | {f"{thing}:{deed}" for thing in THINGS for deed in ("read", "*")}
    | {f"{thing}:write" for thing in THINGS if thing not in READ_ONLY}
)


def allows(granted: Collection[str], needed: str) -> bool:
    """Whether somebody with these permissions may do what needs that one."""
    return needed in granted or EVERYTHING in granted or f"{needed.partition(':')[0]}:*" in granted


def beyond(granted: Collection[str], asked: Iterable[str]) -> list[str]:
    """Those of the permissions asked for that are more than somebody has, who cannot give them to a key then."""
    return [one for one in asked if not all(allows(granted, part) for part in _parts(one))]


def check_permissions(permissions: Iterable[str]) -> None:
    """Refuse a permission that no route asks for."""
    for one in permissions:
        if one not in KNOWN:
            near = get_close_matches(one, KNOWN, n=1, cutoff=0.8)
            hint = f"did you mean {near[0]}?" if near else "write runs:read, runs:write, runs:* or *"
            raise InvalidInput(f"{one!r} is not a permission", hint)


def _parts(permission: str) -> list[str]:
    """What a permission lets one do, one deed at a time."""
    if permission == EVERYTHING:
        return [EVERYTHING]
    thing, _, deed = permission.partition(":")
    if deed != "*":
        return [permission]
    return [f"{thing}:read"] if thing in READ_ONLY else [f"{thing}:read", f"{thing}:write"]
