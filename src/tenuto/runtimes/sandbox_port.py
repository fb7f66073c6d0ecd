"""A sandbox's way to the kernel: the verbs of its own attempt, about things that it was told of."""

import json
import re
from typing import Any, Protocol

from tenuto.model.errors import Forbidden, InvalidInput
from tenuto.sdk.port import Json, Port

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
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Told(Protocol):
    """An attempt, as far as it says what its code was given."""

    input: str | None
    slots: str | None
    metadata: str | None


class SandboxPort:
    """Ids are no secrets: only what the attempt was given, or was answered, may be asked for by id. Children are of
    types that run in a sandbox too, so that no code gets at trusted tasks through them."""

    def __init__(self, port: Port, attempt: Told, *, may_start: frozenset[str]) -> None:
        self._port, self._may_start = port, may_start
        self._known: set[str] = set()
        for text in (attempt.input, attempt.slots, attempt.metadata):
            self._known.update(_ID.findall(text or ""))

    async def ask(self, verb: str, **arguments: Json) -> Json:
        self._check(verb, arguments)
        answer = await self._port.ask(verb, **arguments)
        if verb != "get_object":  # bytes say nothing of ids
            self._known.update(_ID.findall(json.dumps(answer)))
        return answer

    def tell(self, verb: str, **arguments: Json) -> None:
        self._port.tell(verb, **arguments)

    def _check(self, verb: str, arguments: dict[str, Any]) -> None:
        takes = VERBS.get(verb)
        if takes is None:
            raise InvalidInput(f"a sandbox cannot ask {verb[:40]!r}", f"it can ask {', '.join(sorted(VERBS))}")
        if more := arguments.keys() - takes:
            raise InvalidInput(f"{verb} takes no {sorted(more)[0][:40]!r} from a sandbox")
        asked = {"get_object": [arguments.get("id")], "poll_tasks": arguments.get("task_ids")}.get(verb, [])
        if not isinstance(asked, list) or not all(isinstance(one, str) and one in self._known for one in asked):
            raise Forbidden("a sandbox can only ask for what its attempt was told of", "pass it as an argument")
        if verb == "start_children":
            self._check_children(arguments.get("kinds"))

    def _check_children(self, kinds: Any) -> None:
        for kind in kinds if isinstance(kinds, list) else [None]:
            name = kind.get("type") if isinstance(kind, dict) else None
            if name not in self._may_start:
                raise Forbidden(
                    f"a sandbox cannot start {str(name)[:80]!r} as a child", "only tasks that run in a sandbox too"
                )
