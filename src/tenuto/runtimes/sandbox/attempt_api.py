"""A sandbox's way to the kernel: the verbs of its own attempt, about things that the system made for it or gave it."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast
from uuid import UUID

from tenuto.model.errors import Forbidden, InvalidInput
from tenuto.runtimes.sandbox.child_tasks import ChildType, checked
from tenuto.sdk.context.attempt_api import AttemptApi, Json
from tenuto.sdk.values.wire_format import load

# What each verb takes; any other argument is refused, above all another attempt's fence.
VERBS = {
    "get_steps": set[str](),
    "record_step": {"step_no", "name", "kind", "value"},
    "take_signal": {"step_no", "name"},
    "start_children": {"kinds", "inputs", "task_kinds", "details", "step_no", "step_name"},
    "poll_tasks": {"task_ids"},
    "put_task_data": {"values", "tags"},
    "get_run_data": {"keys", "prefix", "glob", "tags", "all_tags", "history"},
    "put_object": {"data", "type", "metadata"},
    "get_object": {"id"},
}
# Their replies name data objects that others put there: values of trusted code, or of sandboxes that knew the objects.
GIVE_OBJECTS = {"get_steps", "take_signal", "get_run_data", "poll_tasks"}


class Given(Protocol):
    """An attempt, as far as it says what its code was given."""

    input: str | None
    slots: str | None
    metadata: str | None


class SandboxAttemptApi:
    """Ids are no secrets, so knowing one is no right. An attempt can read the data objects that it was given as such
    (`{"$object": id}`, which is how a DataObject travels) or has put, and poll the children that it has started. It can
    name no other object in anything that it sends, so that neither a step, nor run data, nor a child, nor a result
    returns an id to it as a data object that it was given."""

    def __init__(self, port: AttemptApi, attempt: Given, *, may_start: Mapping[str, ChildType]) -> None:
        self._port, self._may_start = port, may_start
        self._children: set[str] = set()
        self._objects: set[str] = set()
        for text in (attempt.input, attempt.slots, attempt.metadata):
            self._objects.update(objects_in(load(text)) if text else ())

    async def ask(self, verb: str, **arguments: Json) -> Json:
        self._check(verb, arguments)
        if verb == "start_children":
            arguments = checked(arguments, self._may_start)
        reply = await self._port.ask(verb, **arguments)
        self._learn(verb, reply)
        return reply

    def tell(self, verb: str, **arguments: Json) -> None:
        self._port.tell(verb, **arguments)

    def check_objects(self, value: Json) -> None:
        """Refuse a value that names a data object which this attempt does not know."""
        for id in objects_in(value):
            if id not in self._objects:
                raise Forbidden(
                    f"a sandbox cannot name data object {id}, which it was not given", "pass it a DataObject"
                )

    def _check(self, verb: str, arguments: dict[str, Any]) -> None:
        takes = VERBS.get(verb)
        if takes is None:
            raise InvalidInput(f"a sandbox cannot ask {verb[:40]!r}", f"it can ask {', '.join(sorted(VERBS))}")
        if more := arguments.keys() - takes:
            raise InvalidInput(f"{verb} takes no {sorted(more)[0][:40]!r} from a sandbox")
        if verb == "record_step" and arguments.get("kind") == "child":
            raise InvalidInput("a sandbox cannot record a step of kind 'child'", "start_children records it")
        if verb == "get_object" and _as_id(arguments.get("id")) not in self._objects:
            raise Forbidden("a sandbox can only read data objects that it was given or has put", "pass it a DataObject")
        if verb == "poll_tasks":
            asked = arguments.get("task_ids")
            if not isinstance(asked, list) or not {_as_id(one) for one in cast("list[Any]", asked)} <= self._children:
                raise Forbidden(
                    "a sandbox can only poll children that it has started", "gather what ctx.start returned"
                )
        self.check_objects(arguments)

    def _learn(self, verb: str, reply: Json) -> None:
        if verb == "start_children":
            self._children.update(reply)
        elif verb == "put_object":
            self._objects.add(reply)
        elif verb in GIVE_OBJECTS:
            self._objects.update(objects_in(reply))
        if verb == "get_steps":  # of kind child are those alone that start_children has recorded
            self._children.update(id for step in reply if step["kind"] == "child" for id in step["value"])


def objects_in(value: Json) -> Iterator[str]:
    """The ids of the data objects that a JSON value names."""
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, list):
            stack.extend(cast("list[Any]", found))
        elif isinstance(found, dict):
            held = cast("dict[str, Any]", found)
            if (id := _as_id(held.get("$object"))) is not None:
                yield id
            stack.extend(held.values())


def _as_id(value: Any) -> str | None:
    """The id as the system writes it, however it is written here."""
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None
