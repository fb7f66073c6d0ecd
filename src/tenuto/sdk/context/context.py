"""The context of a running task, `ctx`."""

import asyncio
import json
import logging
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload
from uuid import UUID

from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.model.text import clean, redact
from tenuto.sdk.client.start_request import split_options, task_detail
from tenuto.sdk.context.attempt_api import ContextApi, emit_when_allowed
from tenuto.sdk.context.children import Child, ChildFailed, ChildStep, Starting
from tenuto.sdk.context.control import Snooze, Suspend
from tenuto.sdk.context.current_attempt import RunningAttempt
from tenuto.sdk.context.job_calls import JobCalls
from tenuto.sdk.context.operator_state import OperatorState
from tenuto.sdk.context.run_data import RunData
from tenuto.sdk.option_types import ChildOptions, shows_options
from tenuto.sdk.options import START_OPTIONS
from tenuto.sdk.task import Task
from tenuto.sdk.values.data_objects import DataObject, is_spilled

if TYPE_CHECKING:
    from tenuto.sdk.context.secrets import Secrets

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

MAX_MESSAGE_CHARS = 1024  # the maximum for a progress message, as in the database, and for the failure of a child
TaskEnd = dict[str, Any]  # an item that `poll_tasks` returns: id, status, output and error
OF_FIRST = START_OPTIONS - ChildOptions.__annotations__.keys()  # options of runs: a child has no run of its own


# The calls for steps, sleeps and signals are in durable_calls.py, those for jobs in job_calls.py.
class Context(JobCalls):
    """The calls that a running task can make. An async function whose first parameter is called `ctx` gets a Context. A
    synchronous function gets a SyncContext, which has the same methods, but without `await`."""

    def __init__(self, attempt: RunningAttempt, api: ContextApi) -> None:
        super().__init__(attempt, api)
        self._published: Counter[str] = Counter()
        self._prepared: set[Starting[Any]] = set()  # children that are not started yet
        self.task_id = attempt.task_id
        """The id of the task, the same on every attempt."""
        self.run_id = attempt.run_id
        """The id of the run that the task belongs to."""
        self.attempt = attempt.number
        """The number of the attempt: 1 plus the number of earlier attempts that failed or were lost."""
        self.idempotency_key = attempt.idempotency_key
        """The same text on every attempt of the task and in retries of its run: pass it to payment providers."""
        self.metadata: dict[str, Any] = json.loads(attempt.metadata) if attempt.metadata else {}
        """The `metadata` of the start. For a scheduled task, it also contains `schedule` and `fire_time`."""
        self.log = logging.getLogger("tenuto.task")
        """A logger whose lines are stored with the task: `tenuto tasks logs TASK` shows them."""
        self.data = RunData(api, self.replay.record_failures)
        """Key-value pairs that the tasks of the run share."""
        self.state = OperatorState(api, self.replay.record_failures)
        """Key-value pairs that the tasks of this type keep from run to run."""
        self.org = api.org
        """The slug of the org that the task belongs to."""

    @cached_property
    def secrets(self) -> "Secrets":
        """The secrets that the job of the task lists, by name: `ctx.secrets["crm-token"]`."""
        from tenuto.sdk.context.secrets import NO_SECRETS

        return NO_SECRETS

    @property
    def task_name(self) -> str:
        """The full name of the task, such as `shop.send`."""
        return self._attempt.task.name

    @property
    def cancelled(self) -> bool:
        """Whether the task should stop: it was cancelled, its timeout passed or the worker is shutting down."""
        return self._attempt.cancelled

    def heartbeat(self) -> None:
        """Report that the task is alive. The attempt fails if no report comes within `heartbeat_timeout`."""
        self.api.send("progress")

    def progress(self, fraction: float, message: str | None = None) -> None:
        """Report progress as a fraction from 0 to 1, with an optional message."""
        if not 0 <= fraction <= 1:
            raise ValueError(f"progress is {fraction}, not a number from 0 to 1")
        text = None if message is None else clean(redact(str(message)))[:MAX_MESSAGE_CHARS]
        self.api.send("progress", progress=float(fraction), message=text)

    def snooze(self, delay: Duration) -> None:
        """End this attempt and run the task again from the start after a delay. This attempt does not count."""
        raise Snooze(seconds(delay))

    @shows_options(ChildOptions)
    def start(self, task: Task[P, R], *args: P.args, **kwargs: P.kwargs) -> Starting[R]:
        """Start a child task and return its result: `await ctx.start(resize, "a.jpg")`. To start several at once, pass
        them to `ctx.gather`. To start a child without waiting for it, write `child = await ctx.start(…).started()`."""
        chosen, rest = split_options(task, kwargs)
        for key in OF_FIRST & chosen.start_options.keys():
            raise InvalidInput(
                f"{task.name}: {key} is an option of a run, and a child belongs to the run of its parent",
                "leave it out",
            )
        detail = task_detail(chosen, chosen.limits_of(args, rest))
        starting: Starting[R] = Starting(self, chosen, chosen.signature.encode(args, rest), detail)
        self._prepared.add(starting)
        return starting

    def map(self, task: Task[..., R], inputs: Sequence[Any]) -> list[Starting[R]]:
        """Prepare one child task per input; a tuple contains the positional arguments: `await
        ctx.gather(*ctx.map(resize, images))`."""
        return [self.start(task, *(item if isinstance(item, tuple) else (item,))) for item in inputs]

    async def start_all(self, starting: Sequence[Starting[Any]]) -> list[Child[Any]]:
        """Start several child tasks as one recorded step."""
        self._prepared.difference_update(starting)
        step_name = ", ".join(dict.fromkeys(child.task.name for child in starting))[:200]
        no, record = await self.replay.next(step_name, "child")
        if record:
            ids: list[str] = record.value
        else:
            kinds = [json.dumps({**child.task.kind, "optional": True}) for child in starting]
            known = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
            ids = await self.api.call(
                "start_children",
                kinds=[json.loads(kind) for kind in known],
                inputs=[json.loads(child.input) for child in starting],
                task_kinds=[known[kind] for kind in kinds],
                details=[{"task": no, **child.detail} for no, child in enumerate(starting) if child.detail],
                step_no=no,
                step_name=step_name,
            )
        if len(ids) != len(starting):
            self.replay.block(no, f"{len(ids)} children {step_name!r}", f"{len(starting)} children {step_name!r}")
        step = ChildStep(no, step_name, handled=record is not None and record.error is not None)
        return [Child(task_id, child.task, self, step) for task_id, child in zip(ids, starting, strict=True)]

    @overload
    async def gather(self, one: Awaitable[A], two: Awaitable[B], /) -> tuple[A, B]: ...
    @overload
    async def gather(self, one: Awaitable[A], two: Awaitable[B], three: Awaitable[C], /) -> tuple[A, B, C]: ...
    @overload
    async def gather(
        self, one: Awaitable[A], two: Awaitable[B], three: Awaitable[C], four: Awaitable[D], /
    ) -> tuple[A, B, C, D]: ...
    @overload
    async def gather(self, *work: Awaitable[R]) -> list[R]: ...
    @overload
    async def gather(self, *work: Awaitable[R], return_exceptions: bool) -> list[R | Exception]: ...
    async def gather(self, *work: Awaitable[object], return_exceptions: bool = False) -> object:
        """Run steps and wait for child tasks, all at the same time, and return their results in order. The waiting task
        occupies no worker slot. If a step failed, raises its failure after all steps have ended. Otherwise raises the
        failure of the first child that failed."""
        new = [item for item in work if isinstance(item, Starting)]
        started = iter(await self.start_all(new) if new else [])
        items = [next(started) if isinstance(item, Starting) else item for item in work]
        children = {no: item for no, item in enumerate(items) if isinstance(item, Child)}
        own = {no: asyncio.ensure_future(item) for no, item in enumerate(items) if no not in children}
        results: list[object] = [None] * len(items)
        for no, result in zip(own, await asyncio.gather(*own.values(), return_exceptions=True), strict=True):
            results[no] = result
        self.replay.check()
        errors = [result for result in results if isinstance(result, BaseException)]
        waits = [error for error in errors if isinstance(error, Suspend | Snooze)]
        failures = [error for error in errors if not isinstance(error, Suspend | Snooze)]
        if failures and not return_exceptions:
            raise max(failures, key=self.age_of_failure)  # the oldest; of equally old failures the first
        ended = await self._poll([child.task_id for child in children.values()])
        if waits:
            await self.replay.record_failures()  # with `return_exceptions`, the code handles them
            raise waits[0]
        for no, child in children.items():
            results[no] = result = await self._result(child, ended[child.task_id])
            if isinstance(result, ChildFailed):
                self._note_failure(child.step, result)
                if not return_exceptions:
                    raise result
        return results

    def _note_failure(self, step: ChildStep, failure: ChildFailed) -> None:
        """Note that children of a step failed. If the code continues, the failure is recorded, and a retry of the run
        does not run the children again, because the code has already handled their failure."""
        if not step.handled:
            error: JsonObject = {"type": "ChildFailed", "message": clean(str(failure))[:MAX_MESSAGE_CHARS]}
            self.replay.failed(step.no, step.name, error, branch=asyncio.current_task(), children=True)

    async def _poll(self, task_ids: list[str]) -> dict[str, TaskEnd]:
        """Return how these children ended. If a child has not ended yet, raise Suspend, which ends the attempt until
        the child has ended."""
        if not task_ids:
            return {}
        await self.replay.record_failures()
        answers = await self.api.call("poll_tasks", task_ids=task_ids)
        ended = {answer["id"]: answer for answer in answers}
        if open_children := [task_id for task_id in task_ids if task_id not in ended]:
            raise Suspend({"for": "children", "tasks": open_children})
        return ended

    async def _result(self, child: Child[Any], ended: TaskEnd) -> object:
        if ended["status"] != "completed":
            return ChildFailed(child.task.name, child.task_id, ended["status"], ended["error"])
        output = ended["output"]
        if is_spilled(output):
            output = json.loads(await self.get(DataObject(UUID(output["$object"]))))
        return child.task.decode_result(output)

    async def put(self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None) -> DataObject:
        """Store bytes as a data object. It is kept for as long as this task is stored, or a task to which it was
        passed."""
        text = b64encode(data).decode()
        await self.replay.record_failures()
        return DataObject(UUID(await self.api.call("put_object", data=text, type=type, metadata=metadata)))

    async def get(self, object: DataObject) -> bytes:
        """Return the bytes of a data object."""
        return b64decode(await self.api.call("get_object", id=str(object.id)))

    async def publish(self, kind: str, payload: Mapping[str, Json], *, key: str | None = None) -> int:
        """Publish a side effect that a dispatcher carries out, and return its id: `await ctx.publish("deliver",
        {"destination": "crm", "body": {"order": 7}})`. It is stored at once, even if the attempt fails later. A later
        attempt that publishes the same payload again publishes nothing new. If the payloads differ between attempts,
        pass the same `key`."""
        await self.replay.record_failures()
        return (await self.api.call("publish_task_effect", kind=kind, payload=dict(payload),
                                   key=key or self._effect_key(kind, payload)))["id"]  # fmt: skip

    async def emit(self, output: int | str = 0, data: JsonObject | None = None, *, partition: str | None = None) -> str:
        """Emit an event of an output and return the event's id. `output`: the dataset, the name or the position of the
        output. Jobs that read the output react, with `data` in `ctx.job.event`. Later attempts do not emit the event
        again. Waits while `max_inflight` is reached."""
        await self.replay.record_failures()
        key = self._effect_key("emit", {"output": output, "data": data, "partition": partition})
        return await emit_when_allowed(self.api, str(output), data, partition, key)

    def _effect_key(self, kind: str, payload: Mapping[str, Json]) -> str:
        """Return a key that is the same for this effect in every attempt. If one attempt publishes equal effects, their
        keys end with different numbers."""
        text = json.dumps([kind, payload], sort_keys=True, default=str)
        digest = sha256(text.encode()).hexdigest()
        self._published[digest] += 1
        return f"{self.idempotency_key}:{digest}:{self._published[digest]}"

    async def flush(self) -> None:
        """Finish pending steps, and save unsaved run data and operator state. Called before the attempt completes."""
        await self.settle()
        self.replay.check()
        self.warn_of_forgotten()
        await self.data.flush()
        await self.state.flush()

    def warn_of_forgotten(self) -> None:
        """Log the children that the function prepared and did not start. Called when it has returned."""
        if names := sorted({child.task.name for child in self._prepared}):
            hint = "write await ctx.start(…), or await ctx.start(…).started() to continue at once"
            self.log.warning("children were prepared and never started: %s; %s", ", ".join(names), hint)
