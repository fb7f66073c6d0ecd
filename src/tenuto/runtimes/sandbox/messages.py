"""Validates the messages of a sandbox, which is assumed to be hostile: only known messages in the known form are
accepted."""

import json
import math
import time
from typing import Any
from uuid import UUID

from tenuto.model.text import clean
from tenuto.runtimes.outcomes import Completed, Failed, Interrupted, Outcome, Snoozed, Waiting, to_json
from tenuto.sdk.values.wire_format import MAX_DEPTH, RESERVED, NotSerializable, dump, load

LEVELS = ("debug", "info", "warning", "error", "critical")
MAX_TEXT_CHARS = 100_000
MAX_SECONDS = 315_360_000.0  # the maximum that the database accepts
OF_WAIT = {"for", "tasks", "name", "seconds", "timeout_seconds"}


class InvalidMessage(Exception):
    """The sandbox sent a message that the regular client code never sends; the sandbox is ended."""


def check(line: bytes) -> dict[str, Any]:
    """Parse and validate one message."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidMessage(f"a message is not JSON: {type(error).__name__}") from error
    match message:
        case {"ask": int(no), "verb": str(verb), "arguments": dict(arguments)} if len(message) == 3:
            return {"ask": no, "verb": verb, "arguments": _stored(arguments)}
        case {"tell": "progress", "arguments": dict(fields)} if len(message) == 2:
            return {
                "tell": "progress",
                "arguments": _progress(**fields) if fields.keys() <= {"progress", "message"} else {},
            }
        case {"log": [level, str(text), _, _]} if len(message) == 1:
            return {"log": [level if level in LEVELS else "info", clean(text[:MAX_TEXT_CHARS]), None, time.time()]}
        case {"outcome": {"kind": str(), **fields}} if len(message) == 1:
            return {"outcome": to_json(_outcome(message["outcome"].pop("kind"), fields))}
    raise InvalidMessage(f"unknown message {str(message)[:100]!r}")


def _progress(progress: Any = None, message: Any = None) -> dict[str, Any]:
    if progress is not None and not 0 <= _number(progress, 1.0) <= 1:
        raise InvalidMessage("progress is not from 0 to 1")
    return {"progress": progress, "message": None if message is None else clean(str(message)[:1024])}


def _outcome(kind: str, fields: dict[str, Any]) -> Outcome:
    match kind, fields:
        case "Completed", {"output": None}:
            return Completed(None)
        case "Completed", {"output": str(output)}:
            return Completed(_output(output))
        case "Failed", {"error": dict(error), "retry": retry}:
            kept = {
                key: clean(str(error[key])[:MAX_TEXT_CHARS]) for key in ("type", "message", "traceback") if key in error
            }
            return Failed({"type": "Error", "message": "", **kept}, None if retry is None else _retry(retry))
        case "Snoozed", {"seconds": seconds}:
            return Snoozed(_number(seconds, MAX_SECONDS))
        case "Waiting", {"wait": dict(wait)}:
            return Waiting(_wait(wait))
        case "Interrupted", {}:
            return Interrupted()
    raise InvalidMessage(f"an attempt cannot end as {kind[:40]!r} with {sorted(fields)}")


def _retry(value: Any) -> float:
    return -1.0 if value == -1 else _number(value, MAX_SECONDS)


def _number(value: Any, most: float) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not 0 <= value <= most
    ):
        raise InvalidMessage(f"{str(value)[:40]} is not a number from 0 to {most:g}")
    return float(value)


def _wait(wait: dict[str, Any]) -> dict[str, Any]:
    if not wait.keys() <= OF_WAIT:
        raise InvalidMessage("a task cannot wait for that")
    for key in ("seconds", "timeout_seconds"):
        if key in wait:
            wait[key] = _number(wait[key], MAX_SECONDS)
    if "tasks" in wait:
        try:
            wait["tasks"] = [str(UUID(task_id)) for task_id in wait["tasks"]]
        except (ValueError, TypeError, AttributeError) as error:
            raise InvalidMessage("it waits for children that do not exist") from error
    return _stored(wait)


def _output(text: str) -> str:
    """Return a result re-encoded by us: the original text might not be safe in a batch with other results."""
    try:
        value = load(text)
    except (ValueError, RecursionError) as error:
        raise InvalidMessage("its result is not JSON") from error
    return dump(_stored(value))


def _stored(value: Any) -> Any:
    """Return the value if Postgres can store it and it contains no reserved keys."""
    stack: list[tuple[Any, int]] = [(value, 1)]
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
