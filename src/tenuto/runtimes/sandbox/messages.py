"""Validates the messages of a sandbox, which is assumed to be hostile: only known messages in the known form are
accepted."""

import json
import math
import time
from typing import Any, TypeVar, cast
from uuid import UUID

from tenuto.model.durations import MAX_SECONDS
from tenuto.model.json import Json, JsonObject
from tenuto.model.text import clean
from tenuto.runtimes.outcomes import Blocked, Completed, Failed, Interrupted, Outcome, Snoozed, Waiting, to_json
from tenuto.sdk.retries import NEVER
from tenuto.sdk.values.wire_format import MAX_DEPTH, RESERVED, NotSerializable, dump, load

LEVELS = ("debug", "info", "warning", "error", "critical")
MAX_TEXT_CHARS = 100_000
MAX_NAME_CHARS = 1000  # of a step with its kind
MAX_INT4 = 2_147_483_647
T = TypeVar("T", bound=Json)
OF_WAIT = {"for", "tasks", "name", "schema", "seconds", "timeout_seconds"}


class InvalidMessage(Exception):
    """The sandbox sent a message that the regular client code never sends; the sandbox is ended."""


def check(line: bytes) -> JsonObject:
    """Parse and validate one message. Raises InvalidMessage if it is not valid."""
    try:
        message: Json = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidMessage(f"a message is not JSON: {type(error).__name__}") from error
    match message:
        case {"call": int(no), "verb": str(verb), "arguments": dict(arguments)} if len(message) == 3:
            return {"call": no, "verb": verb, "arguments": _stored(arguments)}
        case {"send": "progress", "arguments": dict(fields)} if len(message) == 2:
            known = fields.keys() <= {"progress", "message"}
            return {"send": "progress", "arguments": _progress(fields) if known else {}}
        case {"log": [level, str(text), _, _]} if len(message) == 1:
            return {"log": [level if level in LEVELS else "info", clean(text[:MAX_TEXT_CHARS]), None, time.time()]}
        case {"outcome": {"kind": str(kind), **fields}} if len(message) == 1:
            return {"outcome": to_json(_outcome(kind, fields))}
        case _:
            raise InvalidMessage(f"unknown message {str(message)[:100]!r}")


def _progress(fields: JsonObject) -> JsonObject:
    progress, message = fields.get("progress"), fields.get("message")
    if progress is not None:
        _number(progress, 1.0)
    return {"progress": progress, "message": None if message is None else clean(str(message)[:1024])}


def _outcome(kind: str, fields: JsonObject) -> Outcome:
    match kind, fields:
        case "Completed", {"output": None | str() as output}:
            return Completed(None if output is None else _output(output), _published(fields.get("published")))
        case "Failed", {"error": dict(error), "retry": retry}:
            kept = {
                key: clean(str(error[key])[:MAX_TEXT_CHARS]) for key in ("type", "message", "traceback") if key in error
            }
            return Failed({"type": "Error", "message": "", **kept}, None if retry is None else _retry(retry))
        case "Snoozed", {"seconds": seconds}:
            return Snoozed(_number(seconds, MAX_SECONDS))
        case "Waiting", {"wait": dict(wait)}:
            return Waiting(_wait(wait))
        case "Blocked", {"mismatch": {"step_no": int(no), "expected": str(expected), "found": str(found)}}:
            return Blocked(
                {
                    "step_no": _step_no(no),
                    "expected": clean(expected[:MAX_NAME_CHARS]),
                    "found": clean(found[:MAX_NAME_CHARS]),
                }
            )
        case "Interrupted", {}:
            return Interrupted()
        case _:
            raise InvalidMessage(f"an attempt cannot end as {kind[:40]!r} with {sorted(fields)}")


def _published(value: Json) -> list[JsonObject] | None:
    """Return the publications of the attempt. Raises InvalidMessage unless all are JSON objects; the database checks
    their content."""
    if value is None:
        return None
    entries = value if isinstance(value, list) else [value]
    if not all(isinstance(entry, dict) for entry in entries):
        raise InvalidMessage("its publications are not a list of objects")
    return cast("list[JsonObject]", _stored(entries))


def _step_no(value: int) -> int:
    if isinstance(value, bool) or not 0 <= value <= MAX_INT4:
        raise InvalidMessage(f"{str(value)[:40]} is not the number of a step")
    return value


def _retry(value: Json) -> float:
    return NEVER if value == NEVER else _number(value, MAX_SECONDS)


def _number(value: Json, most: float) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not 0 <= value <= most
    ):
        raise InvalidMessage(f"{str(value)[:40]} is not a number from 0 to {most:.15g}")
    return float(value)


def _wait(wait: JsonObject) -> JsonObject:
    if not wait.keys() <= OF_WAIT:
        raise InvalidMessage("the description of its wait has an unknown key")
    for key in ("seconds", "timeout_seconds"):
        if key in wait:
            wait[key] = _number(wait[key], MAX_SECONDS)
    if "tasks" in wait:
        tasks: Any = wait["tasks"]
        try:
            wait["tasks"] = [str(UUID(task_id)) for task_id in tasks]
        except (ValueError, TypeError, AttributeError) as error:
            raise InvalidMessage("it waits for children whose ids are not a list of UUIDs") from error
    return _stored(wait)


def _output(text: str) -> str:
    """Return a result, decoded and encoded again: the original text might not be safe in a batch with other results."""
    try:
        value = load(text)
    except (ValueError, RecursionError) as error:
        raise InvalidMessage("its result is not JSON") from error
    return dump(_stored(value))


def _stored(value: T) -> T:
    """Return the value. Raises InvalidMessage if Postgres cannot store it or if it contains reserved keys."""
    stack: list[tuple[Json, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        if depth > MAX_DEPTH + 2:
            raise InvalidMessage(f"it is nested more than {MAX_DEPTH} levels deep")
        if isinstance(item, dict):
            if item.keys() & {*RESERVED} - {"$object"}:
                raise InvalidMessage("it contains a reserved key")
            stack.extend((child, depth + 1) for child in item.values())
        elif isinstance(item, list):
            stack.extend((child, depth + 1) for child in item)
    try:
        dump(value)
    except NotSerializable as problem:
        raise InvalidMessage(problem.message) from problem
    return value
