"""The child tasks of a sandbox: they run in sandboxes too, with the options of their declaration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tenuto.model.errors import Forbidden, InvalidInput
from tenuto.model.json import Json
from tenuto.runtimes.sandbox.spec import LIMITS

# Options that decide where and when a task runs, with their defaults. Only trusted code can set them.
DEFAULTS: dict[str, Any] = {"queue": "default", "priority": 0, "labels": [], "language": "python"}
OF_KIND = {"type", "optional", "inherit", "max_attempts", "max_losses", "backoff_seconds", "timeout_seconds",
           "heartbeat_timeout_seconds", *DEFAULTS}  # fmt: skip
OF_DETAIL = {"task", "name", "delay_seconds", "available_at", "metadata", "queue_job_id", "limits", "priority"}


@dataclass(frozen=True)
class ChildType:
    """The declaration of a task type by its worker."""

    kind: Mapping[str, Any] = field(default_factory=dict[str, Any])
    limits: tuple[Mapping[str, Any], ...] = ()
    queues: frozenset[str] = frozenset()  # queues in which it may be started, besides its own

    def option(self, name: str) -> Any:
        return self.kind.get(name, DEFAULTS.get(name))


def checked(arguments: dict[str, Any], may_start: Mapping[str, ChildType]) -> dict[str, Any]:
    """Return the validated arguments of `start_children`, without limits: the database applies the limits that the type
    of a child declares. Raises InvalidInput if they set a field that a sandbox cannot set, and Forbidden if they have a
    type that it cannot start."""
    kinds: list[dict[str, Any]] = arguments.get("kinds") or []
    details: list[dict[str, Any]] = arguments.get("details") or []
    if not kinds or not _are_objects(kinds) or not _are_objects(details):
        raise InvalidInput("kinds and details of children are not lists of JSON objects")
    for detail in details:
        _check_detail(detail, _type_of(detail, arguments, may_start))
    return {
        **arguments,
        "kinds": [_check_kind(kind, may_start) for kind in kinds],
        "details": [{key: value for key, value in detail_.items() if key != "limits"} for detail_ in details] or None,
    }


def _check_kind(kind: dict[str, Any], may_start: Mapping[str, ChildType]) -> dict[str, Any]:
    name = kind.get("type")
    declared = may_start.get(name) if isinstance(name, str) else None
    if declared is None:
        raise Forbidden(
            f"a sandbox cannot start {str(name)[:80]!r} as a child", "start only tasks that run in a sandbox too"
        )
    _check_fields(kind, OF_KIND)
    for key in DEFAULTS:
        if key in kind and kind[key] != declared.option(key) and not (key == "queue" and kind[key] in declared.queues):
            _refuse(key, kind[key], f"{name} was declared with {declared.option(key)!r}")
    longest = declared.kind.get("timeout_seconds") or LIMITS.wall
    timeout = kind.get("timeout_seconds")
    if isinstance(timeout, int | float) and timeout > longest:
        _refuse("timeout_seconds", timeout, f"{name} allows at most {longest:.15g}")
    return {
        **kind,
        "queue": kind.get("queue", declared.option("queue")),
        "priority": declared.option("priority"),
        "inherit": bool(declared.limits),
    }


def _type_of(detail: dict[str, Any], arguments: dict[str, Any], may_start: Mapping[str, ChildType]) -> ChildType:
    try:
        place = arguments["task_kinds"][detail["task"]] if arguments.get("task_kinds") else 0
        return may_start[arguments["kinds"][place]["type"]]
    except (KeyError, IndexError, TypeError):
        return ChildType()  # the check of the kinds reports the error


def _check_detail(detail: dict[str, Any], declared: ChildType) -> None:
    _check_fields(detail, OF_DETAIL)
    if detail.get("priority") not in (None, declared.option("priority")):
        _refuse("priority", detail["priority"], f"it was declared with {declared.option('priority')!r}")
    limits: Json = detail.get("limits") or []
    for limit in limits if isinstance(limits, list) else [limits]:
        if not any(_is_declared(limit, known) for known in declared.limits):
            _refuse("limits", limit, "the limits of the declaration apply")


def _is_declared(limit: Json, declared: Mapping[str, Any]) -> bool:
    """Whether the limit matches the declared limit. If the limit is per value of a parameter, the declared key is only
    a prefix of its key."""
    if not isinstance(limit, dict) or any(limit.get(key) != declared.get(key) for key in ("scope", "size", "seconds")):
        return False
    key = str(limit.get("key"))
    return key.startswith(declared["key"]) if "parameter" in declared else key == declared["key"]


def _check_fields(given: dict[str, Any], allowed: set[str]) -> None:
    for key in given.keys() - allowed:
        _refuse(key[:40], given[key], "leave it out")


def _refuse(name: str, value: object, hint: str) -> None:
    raise InvalidInput(f"a sandbox cannot set {name} of a child: {str(value)[:80]}", hint)


def _are_objects(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
