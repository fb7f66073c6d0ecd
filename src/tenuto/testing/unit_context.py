"""A `ctx` for unit tests of task functions, without a database."""

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any
from uuid import UUID

from tenuto.model.durations import Duration, seconds
from tenuto.model.ids import uuid7
from tenuto.model.json import JsonObject
from tenuto.sdk.context.context import Context
from tenuto.sdk.context.durable_calls import BegunStep
from tenuto.sdk.context.replay import Branch
from tenuto.sdk.context.secrets import Secrets
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.steps import Step
from tenuto.sdk.task import AnyTask
from tenuto.sdk.values.codecs import codec_of
from tenuto.sdk.values.wire_format import MISSING


@dataclass
class UnitAttempt:
    """The attempt of a unit test."""

    task: AnyTask | None
    number: int
    metadata: str | None
    cancelled: bool
    task_id: str
    run_id: str
    no: int = 1
    may_replay: bool = False
    published: list[JsonObject] | None = None

    @property
    def idempotency_key(self) -> str:
        return self.task_id


class UnitApi:
    """Handles the calls of an attempt, with the values that the test passed."""

    def __init__(
        self,
        children: Mapping[AnyTask, object],
        data: Mapping[str, object],
        state: Mapping[str, object],
        org: str,
    ) -> None:
        self._results = {task.name: (task, result) for task, result in children.items()}
        self._started: dict[str, str] = {}
        self._objects: dict[str, str] = {}
        self.data, self.state, self.org = dict(data), dict(state), org
        self.data_metadata: dict[str, Any] = {}
        self.steps: list[str] = []
        self.progress: list[float] = []
        self.published: list[tuple[str, object]] = []

    async def call(self, verb: str, **arguments: Any) -> Any:
        match verb:
            case "record_step":
                self.steps.append(arguments["name"])
            case "fail_step":
                pass  # the function handled the failure of a child
            case "start_children":
                return self._start([arguments["kinds"][kind]["type"] for kind in arguments["task_kinds"]])
            case "poll_tasks":
                return [self._end(task_id) for task_id in arguments["task_ids"]]
            case "put_object":
                self._objects[object_id := uuid7()] = arguments["data"]
                return object_id
            case "get_object":
                return self._objects[str(UUID(arguments["id"]))]
            case "put_task_data":
                self.data.update(arguments["values"])
                self.data_metadata.update(dict.fromkeys(arguments["values"], arguments.get("metadata")))
            case "get_task_state":
                keys = self.state.keys() if arguments["key"] is None else self.state.keys() & {arguments["key"]}
                return [{"key": key, "value": self.state[key], "version": 1} for key in sorted(keys)]
            case "put_task_state":
                self.state[arguments["key"]] = arguments["value"]
                return 1
            case "publish_task_effect":
                self.published.append((arguments["kind"], arguments["payload"]))
                return {"id": len(self.published), "created": True}
            case "get_run_data":
                return self._find(arguments)
            case _:
                raise AssertionError(f"a unit test has no database for the call {verb}; use tenuto.testing.isolated")
        return None

    def send(self, verb: str, **arguments: Any) -> None:
        if verb == "progress" and "progress" in arguments:
            self.progress.append(arguments["progress"])

    def _start(self, names: list[str]) -> list[str]:
        for name in names:
            if name not in self._results:
                raise AssertionError(f"the function starts {name}; pass its result: children={{{name}: …}}")
        ids = [uuid7() for _ in names]
        self._started.update(zip(ids, names, strict=True))
        return ids

    def _end(self, task_id: str) -> dict[str, object]:
        task, result = self._results[self._started[task_id]]
        if isinstance(result, Exception):
            error = {"type": type(result).__name__, "message": str(result)}
            return {"id": task_id, "status": "failed", "output": None, "error": error}
        output = json.loads(task.result.encode(result) or "null")
        return {"id": task_id, "status": "completed", "output": output, "error": None}

    def _find(self, query: dict[str, Any]) -> list[dict[str, object]]:
        if query.get("tags") or query.get("history"):
            raise AssertionError("a unit test has no tags and no history of run data; use tenuto.testing.isolated")
        keys, glob, prefix = query.get("keys"), query.get("glob") or "*", query.get("prefix") or ""
        return [
            {"key": key, "value": value, "metadata": self.data_metadata.get(key)}
            for key, value in self.data.items()
            if (keys is None or key in keys) and fnmatchcase(key, glob) and key.startswith(prefix)
        ]


class UnitContext(Context):
    """A `ctx` for unit tests of async task functions: `await charge(UnitContext(attempt=2), 7)`. Steps run, sleeps
    return at once, and signals and results of children are those that the test passes. `steps`, `sleeps`, `reported`,
    `stored`, `kept` and `published` hold what the function did."""

    def __init__(
        self,
        *,
        task: AnyTask | None = None,
        attempt: int = 1,
        signals: Mapping[str, object] | None = None,
        children: Mapping[AnyTask, object] | None = None,
        data: Mapping[str, object] | None = None,
        state: Mapping[str, object] | None = None,
        org: str = "default",
        metadata: Mapping[str, object] | None = None,
        secrets: Mapping[str, str] | None = None,
        cancelled: bool = False,
    ) -> None:
        api = UnitApi(children or {}, data or {}, state or {}, org)
        text = None if metadata is None else json.dumps(dict(metadata))
        self.unit_attempt = UnitAttempt(task, attempt, text, cancelled, uuid7(), uuid7())
        self.unit_api = api
        super().__init__(self.unit_attempt, api)
        if secrets is not None:
            self.secrets = Secrets(secrets)
        self._signals = dict(signals or {})
        self.steps = api.steps
        """The names of the steps that completed."""
        self.sleeps: list[float] = []
        """The seconds of each sleep."""
        self.reported = api.progress
        """The fractions that the function reported as its progress."""
        self.stored = api.data
        """The run data."""
        self.kept = api.state
        """The operator state."""
        self.published = api.published
        """The kind and payload of each side effect."""

    async def fail_step(
        self, begun: BegunStep, step: Step[..., object], error: BaseException, *, branch: Branch
    ) -> None:
        """Record nothing: the error of a step is raised in the function, because a unit test does not wait for a
        retry."""

    async def sleep(self, delay: Duration) -> None:
        """Record the sleep and return at once."""
        self.sleeps.append(seconds(delay))

    async def wait(self, name: str, type: object = MISSING, *, timeout: Duration | None = None) -> Any:
        """Return the value that the test passed for the signal. If it passed none, raise TimeoutError if there is a
        timeout, otherwise AssertionError."""
        if name in self._signals:
            codec_of(type)  # raises if signals cannot have this type
            return self._signals[name]
        if timeout is not None:
            raise TimeoutError(f"signal {name!r} was not sent within {timeout}")
        raise AssertionError(f"the function waits for the signal {name!r}; pass its value: signals={{{name!r}: …}}")


class UnitSyncContext(SyncContext):
    """A `ctx` for unit tests of plain task functions: `charge(UnitSyncContext(context), 7)`, where `context` is a
    UnitContext with the values that the test passes."""

    def __init__(self, context: UnitContext | None = None) -> None:
        self.unit = context or UnitContext()
        super().__init__(self.unit.unit_attempt, self.unit.unit_api, loop=_loop(), context=self.unit)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return an event loop that runs in a thread until the process ends."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="tenuto unit tests", daemon=True).start()
    return loop
