"""What a running task may ask and say: `ctx`."""

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
LONGEST_MESSAGE = 1024  # of progress; the kernel keeps no more
OF_FIRST = {*OF_RUN, "connection"} - {"metadata"}  # said of a run when it starts; its children belong to it


class Context:
    """The first parameter of a task that is called `ctx`. Plain functions get the same without `await`."""

    def __init__(
        self, attempt: RunningAttempt, port: AttemptApi, *, loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        self._attempt = attempt
        self.port = port
        self._loop = loop
        self.replay = Replay(port, attempt.no)
        self.task_id = attempt.task_id
        self.run_id = attempt.run_id
        self.attempt = attempt.no
        self.metadata: dict[str, Any] = json.loads(attempt.metadata) if attempt.metadata else {}
        self.log = logging.getLogger("tenuto.task")
        self.data = RunData(port)
        self._steps: set[asyncio.Future[None]] = set()  # in flight
        self._settled = False

    @property
    def cancelled(self) -> bool:
        """Somebody wants this to stop: a person, the task's timeout or the worker's end."""
        return self._attempt.cancelled

    def heartbeat(self) -> None:
        """I am alive: what `heartbeat_timeout` waits for."""
        self.port.tell("progress")

    def progress(self, fraction: float, message: str | None = None) -> None:
        """How far it is, from 0 to 1."""
        if not 0 <= fraction <= 1:
            raise ValueError(f"progress is {fraction}, not a number from 0 to 1")
        said = None if message is None else clean(str(message))[:LONGEST_MESSAGE]
        self.port.tell("progress", progress=float(fraction), message=said)

    def snooze(self, delay: Duration) -> None:
        """Stop here and start again from the top after a while, at no charge."""
        raise Snooze(seconds(delay))

    async def step(self, name: str, function: Callable[P, Awaitable[R] | R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function once across all attempts; later attempts get its recorded result."""
        from tenuto.sdk.values.codecs import result_codec

        codec = result_codec(function, f"step {name!r}")
        with self._in_flight(name):
            no, found = await self.replay.next(name, "step")
            if found:
                return codec.decode(found.value)
            result: Any = function(*args, **kwargs)
            if asyncio.iscoroutine(result) or isinstance(result, asyncio.Future):
                result = await cast("Awaitable[Any]", result)
            await self.replay.record(no, name, json.loads(codec.encode(result) or "null"))
            return cast("R", result)

    @contextmanager
    def _in_flight(self, name: str) -> Generator[None]:
        if self._settled:
            raise StaleLease(f"the attempt has ended; step {name!r} is left to the next one")
        done = asyncio.get_running_loop().create_future()
        self._steps.add(done)
        try:
            yield
        finally:
            self._steps.discard(done)
            done.set_result(None)

    async def sleep(self, delay: Duration) -> None:
        """Wait a time without holding a slot; survives every crash."""
        length = seconds(delay)
        no, found = await self.replay.next("sleep", "sleep")
        if found is None:
            await self.port.ask("record_step", step_no=no, name="sleep", kind="sleep", value={"seconds": length})
            raise Suspend({"for": "time", "seconds": length})
        if (left := found.value["seconds"] - found.age) > 0:
            raise Suspend({"for": "time", "seconds": left})

    async def wait(self, name: str, *, timeout: Duration | None = None) -> Any:
        """The value of a signal sent to the run, whenever it comes; TimeoutError when it does not come in time."""
        limit = None if timeout is None else (seconds(timeout), self.replay.take())
        no = self.replay.take()
        left = None if limit is None else await self._time_left(f"{name} timeout", *limit)
        found = await self.replay.find(no, name, "signal")
        if found is None:
            taken = await self.port.ask("take_signal", step_no=no, name=name)
            if taken["found"]:
                return taken["value"]
            if left is None or left > 0:
                raise Suspend({"for": "signal", "name": name, **({} if left is None else {"timeout_seconds": left})})
            await self.port.ask("record_step", step_no=no, name=name, kind="signal", value=TIMED_OUT)
        if found is None or found.value == TIMED_OUT:
            raise TimeoutError(f"no signal {name!r} came within {timeout}")
        return found.value

    async def _time_left(self, name: str, length: float, no: int) -> float:
        """Of a time that began when the first attempt came here."""
        if found := await self.replay.find(no, name, "sleep"):
            return found.value["seconds"] - found.age
        await self.port.ask("record_step", step_no=no, name=name, kind="sleep", value={"seconds": length})
        return length

    def start(self, task: Task[P, R], *args: P.args, **kwargs: P.kwargs) -> Starting[R]:
        """Start a child: `await ctx.start(child, …)`, or hand it to `ctx.gather`."""
        chosen, rest = split_options(task, kwargs)
        for key in OF_FIRST & chosen.said.keys():
            raise InvalidInput(
                f"{task.name}: {key} is said of a run, and a child is part of its parent's", "leave it out"
            )
        detail = detail_of(chosen, chosen.limits_of(args, rest))
        return Starting(self, chosen, chosen.encode_args(args, rest), detail)

    def map(self, task: Task[..., R], inputs: Sequence[Any]) -> list[Starting[R]]:
        """A child for each input (a tuple: its arguments): `await ctx.gather(*ctx.map(resize, images))`."""
        return [self.start(task, *(item if isinstance(item, tuple) else (item,))) for item in inputs]

    async def start_all(self, starting: Sequence[Starting[Any]]) -> list[Child[Any]]:
        """Start many children as one step."""
        step_name = ", ".join(dict.fromkeys(child.task.name for child in starting))[:200]
        no, found = await self.replay.next(step_name, "child")
        if found:
            ids: list[str] = found.value
        else:
            kinds = [json.dumps({**child.task.kind(), "optional": True}) for child in starting]
            known = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
            ids = await self.port.ask(
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
        """The results of children in order. While they run this task holds no slot."""
        new = [child for child in children if isinstance(child, Starting)]
        started = iter(await self.start_all(new) if new else [])
        waited = [next(started) if isinstance(child, Starting) else child for child in children]
        answers = await self.port.ask("poll_tasks", task_ids=[child.task_id for child in waited])
        ended = {answer["task_id"]: answer for answer in answers}
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
        """Store bytes as a data object; this task holds it, and whoever it is passed to."""
        text = b64encode(data).decode()
        return DataObject(UUID(await self.port.ask("put_object", data=text, type=type, metadata=metadata)))

    async def get(self, object: DataObject) -> bytes:
        """The bytes of a data object."""
        return b64decode(await self.port.ask("get_object", id=str(object.id)))

    async def flush(self) -> None:
        """Before the attempt completes: what was written without waiting is written."""
        await self.settle()
        await self.data.flush()

    async def settle(self) -> None:
        """Before the attempt ends: steps that nobody waits for are recorded, or the next attempt would repeat them."""
        await asyncio.sleep(0)  # one that was called just now begins
        while self._steps:
            await asyncio.wait(self._steps)
        self._settled = True
