"""The calls of running attempts, over SQL or HTTP. During an outage an attempt waits and retries its call."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import get_origin
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.model.backoff import Backoff
from tenuto.runtimes.base import Attempt
from tenuto.sdk.context.attempt_api import Json
from tenuto.sdk.context.control import Fail
from tenuto.sdk.values.data_objects import AttemptFence, ObjectStoreBase
from tenuto.sdk.values.wire_format import load
from tenuto.worker.process.session import WorkerSession

MAX_INPUT_BYTES = 512 * 1024 * 1024  # per attempt; decoded inputs take two to three times as much memory
MAX_CONCURRENT_FETCHES = 2  # attempts that may fetch large inputs at the same time, to bound memory
MAX_INLINE_OUTPUT_CHARS = 900_000  # a larger output is stored as a data object
MAX_PAUSE_SECONDS = 2.0  # between retries during an outage


class AttemptApis(ABC):
    """Creates the API of each attempt that needs one, and collects the progress reports of all attempts."""

    def __init__(self, session: WorkerSession) -> None:
        self.session = session
        self.progress: dict[str, tuple[Attempt, float | None, str | None]] = {}
        self._fetches = asyncio.Semaphore(MAX_CONCURRENT_FETCHES)

    @abstractmethod
    def open(self, attempt: Attempt) -> "WorkerAttemptApi": ...

    @abstractmethod
    def objects_of(self, attempt: Attempt) -> ObjectStoreBase:
        """Return the store from which the attempt reads data objects, and in which it creates them."""

    async def fetch_missing(self, attempt: Attempt) -> None:
        """Fetch the data that the attempt needs before it starts and that the claim did not include."""
        if attempt.is_partial:
            async with self._fetches:
                await self._fetch_inputs(attempt)
        if attempt.has_objects:
            attempt.slots = await self.objects_of(attempt).follow_slots(attempt.slots or "")
        if attempt.has_past:
            counted = await self.open(attempt).call("get_failures")
            attempt.failures = counted["failures"]
            attempt.number = counted["failures"] + counted["losses"] + 1

    async def _fetch_inputs(self, attempt: Attempt) -> None:
        """Fetch input, metadata and slots that were too large for the claim, about 16 MB at a time. Raises Fail if they
        are larger than MAX_INPUT_BYTES."""
        count, api = load(attempt.slots or "")["$fetch"], self.open(attempt)
        slots: list[str] = []
        size = 0
        while not (slots or size) or len(slots) < count:
            for part, _, value in await api.call("get_inputs", first=len(slots)):
                size += len(value or "") + 1
                match part:
                    case "slot":
                        slots.append(value)
                    case "input":
                        attempt.input = value
                    case _:
                        attempt.metadata = value
            if size > MAX_INPUT_BYTES:
                raise Fail(
                    f"the inputs of the task are too large: {len(slots)} of {count} are {size / 1e6:,.0f} MB, but a"
                    f" task can take {MAX_INPUT_BYTES / 1e6:,.0f} MB; pass data objects (ctx.put, ctx.get) instead"
                )
        attempt.slots = f"[{','.join(slots)}]" if count else None

    async def store(self, attempt: Attempt, output: str) -> Json:
        """Store an output that is too large for a row, and return the JSON value that refers to it. The task has
        references to the stored objects, so they are kept."""
        parts = get_origin(getattr(attempt.task, "returns", None)) is tuple
        session = self.session.current
        fence: AttemptFence = {
            "session_id": session.session_id,
            "token": session.token,
            "task_id": UUID(attempt.task_id),
            "attempt": attempt.no,
        }
        return await self.objects_of(attempt).spill(output, holder=fence, parts=parts)


class WorkerAttemptApi(ABC):
    """The API of one attempt."""

    def __init__(self, apis: AttemptApis, attempt: Attempt) -> None:
        self._apis, self.attempt = apis, attempt
        self.session = apis.session.current  # the session that claimed it
        self.org = self.session.org

    @abstractmethod
    async def call(self, verb: str, **arguments: Json) -> Json:
        """Make the call; if the backend is unreachable, `retry` it."""

    async def retry(self, problem: Unreachable, call: Callable[..., Awaitable[Json]], *args: object) -> Json:
        """Repeat the call until the outage ends; an outage does not count as a failure of the attempt. Raises the last
        problem if the attempt is stopped meanwhile.

        The first call may have taken effect although its result got lost. Every call can be repeated nevertheless.
        Calls for steps, signals and children return what was recorded. If a value is put twice, it appears twice in the
        history. If a data object is stored twice, the one whose id got lost is garbage-collected.
        """
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while self.attempt.stop is None and not self.attempt.over:
            await asyncio.sleep(backoff.after(problem))
            try:
                return await call(*args)
            except Unreachable as again:
                problem = again
        raise problem

    def send(self, verb: str, **arguments: Json) -> None:
        if verb == "progress":
            known = self._apis.progress.get(self.attempt.task_id, (None, None, None))
            fraction, message = arguments.get("progress"), arguments.get("message")
            self._apis.progress[self.attempt.task_id] = (
                self.attempt,
                known[1] if fraction is None else fraction,
                known[2] if message is None else message,
            )
