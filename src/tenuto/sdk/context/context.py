"""The context of a running task, `ctx`."""

import asyncio
import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar, cast
from uuid import UUID

from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput, StaleLease
from tenuto.model.text import clean
from tenuto.sdk.client.start_request import OF_RUN, detail_of, split_options
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.context.children import Child, ChildFailed, Starting
from tenuto.sdk.context.control import Snooze, Suspend
from tenuto.sdk.context.current_attempt import RunningAttempt
from tenuto.sdk.context.replay import Replay
from tenuto.sdk.context.run_data import RunData
from tenuto.sdk.task import Task
from tenuto.sdk.values.data_objects import DataObject, is_spilled

P = ParamSpec("P")
R = TypeVar("R")

TIMED_OUT = {"$timeout": True}
MAX_MESSAGE_CHARS = 1024  # characters of a progress message; the database stores no more
OF_FIRST = {*OF_RUN, "connection"} - {"metadata"}  # options of a run; a child task belongs to the run of its parent


class Context:
    """The calls that a running task can make. A function whose first parameter is called `ctx` gets it; a plain
    function gets a SyncContext, with the same methods but nothing to await."""

    def __init__(
        self, attempt: RunningAttempt, api: AttemptApi, *, loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        self._attempt = attempt
        self.api = api
        self._loop = loop
        self.replay = Replay(api, attempt.no)
        self.task_id = attempt.task_id
        self.run_id = attempt.run_id
        self.attempt = attempt.no
        self.metadata: dict[str, Any] = json.loads(attempt.metadata) if attempt.metadata else {}
        self.log = logging.getLogger("tenuto.task")
        self.data = RunData(api)
        self._steps: set[asyncio.Future[None]] = set()  # steps in progress
        self._settled = False

    @property
    def cancelled(self) -> bool:
        """Whether the task should stop: it was cancelled, its timeout passed or the worker is shutting down."""
        return self._attempt.cancelled

    def heartbeat(self) -> None:
        """Report that the task is alive; the task fails if no report comes within `heartbeat_timeout`."""
        self.api.tell("progress")

    def progress(self, fraction: float, message: str | None = None) -> None:
        """Report progress as a fraction from 0 to 1, with an optional message."""
        if not 0 <= fraction <= 1:
            raise ValueError(f"progress is {fraction}, not a number from 0 to 1")
        text = None if message is None else clean(str(message))[:MAX_MESSAGE_CHARS]
        self.api.tell("progress", progress=float(fraction), message=text)

    def snooze(self, delay: Duration) -> None:
        """End this attempt and run the task again from the start after a delay. Does not count as an attempt."""
        raise Snooze(seconds(delay))

    async def step(self, name: str, function: Callable[P, Awaitable[R] | R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function once over all attempts of the task; later attempts return its recorded result."""
        from tenuto.sdk.values.codecs import result_codec

        codec = result_codec(function, f"step {name!r}")
        with self._in_flight(name):
            no, record = await self.replay.next(name, "step")
            if record:
                return codec.decode(record.value)
            result: Any = function(*args, **kwargs)
            if asyncio.iscoroutine(result) or isinstance(result, asyncio.Future):
                result = await cast("Awaitable[Any]", result)
            await self.replay.record(no, name, json.loads(codec.encode(result) or "null"))
            return cast("R", result)

    @contextmanager
    def _in_flight(self, name: str) -> Generator[None]:
        if self._settled:
            raise StaleLease(f"the attempt has ended; step {name!r} runs in the next attempt")
        done = asyncio.get_running_loop().create_future()
        self._steps.add(done)
        try:
            yield
        finally:
            self._steps.discard(done)
            done.set_result(None)

    async def sleep(self, delay: Duration) -> None:
        """Wait without occupying a worker slot. The wait survives crashes and restarts."""
        length = seconds(delay)
        no, record = await self.replay.next("sleep", "sleep")
        if record is None:
            await self.api.ask("record_step", step_no=no, name="sleep", kind="sleep", value={"seconds": length})
            raise Suspend({"for": "time", "seconds": length})
        if (left := record.value["seconds"] - record.age) > 0:
            raise Suspend({"for": "time", "seconds": left})

    async def wait(self, name: str, *, timeout: Duration | None = None) -> Any:
        """Return the value of a signal sent to the run; raise TimeoutError if none arrives within `timeout`."""
        limit = None if timeout is None else (seconds(timeout), self.replay.take())
        no = self.replay.take()
        left = None if limit is None else await self._time_left(f"{name} timeout", *limit)
        record = await self.replay.find(no, name, "signal")
        if record is None:
            taken = await self.api.ask("take_signal", step_no=no, name=name)
            if taken["found"]:
                return taken["value"]
            if left is None or left > 0:
                raise Suspend({"for": "signal", "name": name, **({} if left is None else {"timeout_seconds": left})})
            await self.api.ask("record_step", step_no=no, name=name, kind="signal", value=TIMED_OUT)
        if record is None or record.value == TIMED_OUT:
            raise TimeoutError(f"signal {name!r} was not sent within {timeout}")
        return record.value

    async def _time_left(self, name: str, length: float, no: int) -> float:
        """Return the remaining seconds of a timeout that began when the first attempt reached this point."""
        if record := await self.replay.find(no, name, "sleep"):
            return record.value["seconds"] - record.age
        await self.api.ask("record_step", step_no=no, name=name, kind="sleep", value={"seconds": length})
        return length

    def start(self, task: Task[P, R], *args: P.args, **kwargs: P.kwargs) -> Starting[R]:
        """Start a child task with `await ctx.start(child, …)`, or pass the result to `ctx.gather`."""
        chosen, rest = split_options(task, kwargs)
        for key in OF_FIRST & chosen.start_options.keys():
            raise InvalidInput(
                f"{task.name}: {key} is an option of a run, and a child belongs to the run of its parent",
                "leave it out",
            )
        detail = detail_of(chosen, chosen.limits_of(args, rest))
        return Starting(self, chosen, chosen.encode_args(args, rest), detail)

    def map(self, task: Task[..., R], inputs: Sequence[Any]) -> list[Starting[R]]:
        """Prepare one child task per input; a tuple is the arguments: `await ctx.gather(*ctx.map(resize, images))`."""
        return [self.start(task, *(item if isinstance(item, tuple) else (item,))) for item in inputs]

    async def start_all(self, starting: Sequence[Starting[Any]]) -> list[Child[Any]]:
        """Start several child tasks as one recorded step."""
        step_name = ", ".join(dict.fromkeys(child.task.name for child in starting))[:200]
        no, record = await self.replay.next(step_name, "child")
        if record:
            ids: list[str] = record.value
        else:
            kinds = [json.dumps({**child.task.kind(), "optional": True}) for child in starting]
            known = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
            ids = await self.api.ask(
                "start_children",
                kinds=[json.loads(kind) for kind in known],
                inputs=[json.loads(child.input) for child in starting],
                task_kinds=[known[kind] for kind in kinds],
                details=[{"task": no, **child.detail} for no, child in enumerate(starting) if child.detail],
                step_no=no,
                step_name=step_name,
            )
        if len(ids) != len(starting):
            raise RuntimeError(
                f"step {no} started {len(ids)} children on an earlier attempt and {len(starting)} now; "
                "a task must start the same children on every attempt"
            )
        return [Child(task_id, child.task) for task_id, child in zip(ids, starting, strict=True)]

    async def gather(self, *children: Starting[Any] | Child[Any], return_exceptions: bool = False) -> list[Any]:
        """Wait for child tasks and return their results, in order. The waiting task occupies no worker slot."""
        new = [child for child in children if isinstance(child, Starting)]
        started = iter(await self.start_all(new) if new else [])
        waited = [next(started) if isinstance(child, Starting) else child for child in children]
        answers = await self.api.ask("poll_tasks", task_ids=[child.task_id for child in waited])
        ended = {answer["id"]: answer for answer in answers}
        if open_children := [child.task_id for child in waited if child.task_id not in ended]:
            raise Suspend({"for": "children", "tasks": open_children})
        results = [await self._result(child, ended[child.task_id]) for child in waited]
        if not return_exceptions:
            for result in results:
                if isinstance(result, ChildFailed):
                    raise result
        return results

    async def _result(self, child: Child[Any], ended: dict[str, Any]) -> Any:
        if ended["status"] != "completed":
            return ChildFailed(child.task.name, child.task_id, ended["status"], ended["error"])
        output = ended["output"]
        if is_spilled(output):
            output = json.loads(await self.get(DataObject(UUID(output["$object"]))))
        return child.task.decode_result(output)

    async def put(self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None) -> DataObject:
        """Store bytes as a data object. It is kept for as long as this task, or a task it is passed to, is stored."""
        text = b64encode(data).decode()
        return DataObject(UUID(await self.api.ask("put_object", data=text, type=type, metadata=metadata)))

    async def get(self, object: DataObject) -> bytes:
        """Return the bytes of a data object."""
        return b64decode(await self.api.ask("get_object", id=str(object.id)))

    async def flush(self) -> None:
        """Finish pending steps and save unsaved run data. Called before the attempt completes."""
        await self.settle()
        await self.data.flush()

    async def settle(self) -> None:
        """Wait until steps in progress are recorded, because the next attempt would repeat them. Called before the
        attempt ends."""
        await asyncio.sleep(0)  # let a step that was just called begin
        while self._steps:
            await asyncio.wait(self._steps)
        self._settled = True
