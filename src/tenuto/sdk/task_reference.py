"""References to tasks whose code this process does not have. Such tasks are started by the name of their type, with the
options that their workers declared."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.sdk.limits import entry
from tenuto.sdk.option_types import StartOptions, shows_options
from tenuto.sdk.options import OF_KIND, TaskOptions, check_start
from tenuto.sdk.task import AnyTask, Task

if TYPE_CHECKING:
    from tenuto.sdk.app import App


class TaskReference(Task[..., Any]):
    """A task of which only the type is known, not the code. If an option is omitted, the value that its workers
    declared applies."""

    def __init__(
        self,
        type: str,
        declared: TaskOptions | None = None,
        *,
        start_options: StartOptions | None = None,
        kept: frozenset[str] = frozenset(),  # options that were passed explicitly, even if equal to the default
        inherits: bool = True,
    ) -> None:
        super().__init__(type, _missing_function, declared or TaskOptions(), start_options=start_options)
        self._kept, self._inherits = kept, inherits

    @shows_options(StartOptions)
    def options(self, **options: Unpack[StartOptions]) -> "TaskReference":
        return self.with_options(options)

    def with_options(self, options: Mapping[str, object]) -> "TaskReference":
        checked = check_start(self.name, options)
        return TaskReference(
            self.name,
            self.declared.updated(checked),
            start_options={**self.start_options, **checked},
            kept=self._kept | (checked.keys() & OF_KIND),
            inherits=self._inherits,
        )

    @cached_property
    def kind(self) -> JsonObject:
        if not self._inherits:
            return self.declared.kind(self.name)
        return {**self.declared.kind(self.name, kept=self._kept), "inherit": True}

    def decode_result(self, value: Json) -> Any:
        return as_json(value)


def as_json(value: Json) -> Any:
    """Return a result as plain JSON: only the code of its task knows its type."""
    return value


def named_task(app: "App | None", name: str) -> AnyTask:
    """Return a task by its name: a task of the app, or a reference to a task of which only workers have the code."""
    of, _, function = name.partition(".")
    if app is not None and (name in app.tasks or not function or (of == app.name and app.tasks)):
        return app.find(name)
    if not of or not function:
        raise InvalidInput(f"{name!r} is not the name of a task", 'write its app and function, such as "shop.charge"')
    return TaskReference(name)


def _missing_function(*args: object, **kwargs: object) -> None:
    """Takes the place of a function that only workers have."""


def declare(tasks: Mapping[str, AnyTask]) -> dict[str, dict[str, Any]]:
    """Return the declarations of a worker's tasks, in the form that `declare_types` accepts."""
    return {name: _declaration(task) for name, task in tasks.items()}


def _declaration(task: AnyTask) -> dict[str, Any]:
    kind = {key: value for key, value in task.kind.items() if key != "type"}
    queued = task.queue_limits.items()
    limits: list[dict[str, Any]] = [{"scope": "queue", "key": queue, "size": size} for queue, size in queued]
    for limit in (*task.declared.limit, *task.declared.rate):
        whole = entry(replace(limit, key=None), task.name, {})
        if limit.key is not None:
            whole |= {"key": f"{whole['key']}:{limit.key}=", **_of_parameter(task, limit.key)}
        limits.append(whole)
    return {"kind": kind, **({"limits": limits} if limits else {})}


def _of_parameter(task: AnyTask, name: str) -> dict[str, Any]:
    """Return the position of a limit's parameter among the arguments, and its default value."""
    signature = task.signature
    location: dict[str, Any] = {"parameter": name}
    if name in signature.positional:
        location["position"] = signature.positional.index(name)
    default = signature.parameters[name].default
    if default is not signature.parameters[name].empty and not task.pickled:
        location["default"] = signature.encode_one(name, default, name)
    return location
