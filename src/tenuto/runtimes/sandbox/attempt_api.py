"""The calls that a sandbox may make: some of the calls of its own attempt, and only for objects and tasks that belong
to the attempt."""

from collections.abc import Iterator, Mapping
from typing import Any, cast
from uuid import UUID

from tenuto.model.attempt_calls import ATTEMPT_CALLS
from tenuto.model.errors import Forbidden, InvalidInput
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.sandbox.child_tasks import ChildType, checked
from tenuto.sdk.context.attempt_api import ContextApi, Json
from tenuto.sdk.values.wire_format import load

# Any other call or argument is rejected. The most important case is the fence of another attempt.
ALLOWED = {call.name: call for call in ATTEMPT_CALLS.values() if call.sandbox}


class SandboxAttemptApi:
    """Checks the calls of a sandbox. Knowing an id does not grant access: ids are not secrets.

    An attempt can read the data objects that it has stored or that were passed to it (`{"$object": id}`, the JSON form
    of a DataObject). It can poll the children that it has started. Values that it sends must not refer to any other
    object: a step, run data, a child or a result could otherwise give it access to that object.
    """

    def __init__(self, api: ContextApi, attempt: Attempt, *, may_start: Mapping[str, ChildType]) -> None:
        self._api, self._may_start, self.org = api, may_start, api.org
        self._children: set[str] = set()
        self._objects: set[str] = set()
        for text in (attempt.input, attempt.slots, attempt.metadata):
            self._objects.update(objects_in(load(text)) if text else ())

    async def call(self, verb: str, **arguments: Json) -> Json:
        self._check(verb, arguments)
        if verb == "start_children":
            arguments = checked(arguments, self._may_start)
        reply = await self._api.call(verb, **arguments)
        self._note_access(verb, reply)
        return reply

    def send(self, verb: str, **arguments: Json) -> None:
        self._api.send(verb, **arguments)

    def check_objects(self, value: Json) -> None:
        """Raise Forbidden if a value refers to a data object to which this attempt has no access."""
        for id in objects_in(value):
            if id not in self._objects:
                raise Forbidden(
                    f"a sandbox cannot use data object {id}, which was not passed to it", "pass it a DataObject"
                )

    def _check(self, verb: str, arguments: dict[str, Any]) -> None:
        call = ALLOWED.get(verb)
        if call is None:
            raise InvalidInput(f"a sandbox cannot call {verb[:40]!r}", f"it can call {', '.join(sorted(ALLOWED))}")
        if more := arguments.keys() - {*call.arguments}:
            raise InvalidInput(f"{verb} does not accept {sorted(more)[0][:40]!r} from a sandbox")
        if verb == "record_step" and arguments.get("kind") == "child":
            raise InvalidInput("a sandbox cannot record a step of kind 'child'", "start_children records it")
        if verb == "get_object" and _as_id(arguments.get("id")) not in self._objects:
            raise Forbidden(
                "a sandbox can only read data objects that were passed to it or that it created", "pass it a DataObject"
            )
        if verb == "poll_tasks":
            ids = arguments.get("task_ids")
            if (
                not isinstance(ids, list)
                or not {_as_id(task_id) for task_id in cast("list[Any]", ids)} <= self._children
            ):
                raise Forbidden(
                    "a sandbox can only poll children that it has started", "gather handles that ctx.start returned"
                )
        self.check_objects(arguments)

    def _note_access(self, verb: str, reply: Json) -> None:
        if verb == "start_children":
            self._children.update(reply)
        elif verb == "put_object":
            self._objects.add(reply)
        elif ALLOWED[verb].gives_objects:  # stored by trusted code, or by sandboxes that had access to the objects
            self._objects.update(objects_in(reply))
        if verb == "get_steps":  # only start_children records steps of kind child
            self._children.update(id for step in reply if step["kind"] == "child" for id in step["value"])


def objects_in(value: Json) -> Iterator[str]:
    """Yield the ids of the data objects to which a JSON value refers."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(cast("list[Any]", item))
        elif isinstance(item, dict):
            held = cast("dict[str, Any]", item)
            if (id := _as_id(held.get("$object"))) is not None:
                yield id
            stack.extend(held.values())


def _as_id(value: Any) -> str | None:
    """Return the id in canonical form; None if the value is no id."""
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None
