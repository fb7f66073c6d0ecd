"""The verbs of running attempts, answered by SQL: every one is fenced by its attempt."""

import asyncio
import random
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, get_origin
from uuid import UUID

from tenuto.db import attempts, run_data, upkeep
from tenuto.db.call import Conn
from tenuto.db.errors import Unreachable
from tenuto.db.pool import Pool
from tenuto.model.errors import InvalidInput
from tenuto.sdk.objects import Objects
from tenuto.sdk.port import Json
from tenuto.worker.attempt import Attempt
from tenuto.worker.session import Session

LARGEST_OUTPUT = 900_000  # of text; beyond it a data object carries the result
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0  # between questions to a database that is away

Fence = dict[str, Any]
Verb = Callable[..., Awaitable[Json]]


class Ports:
    """Opens a port for each attempt that wants one."""

    def __init__(self, pool: Pool, session: Session, org_id: UUID, objects: Objects) -> None:
        self.pool, self.session, self.org_id, self.objects = pool, session, org_id, objects
        self.progress: dict[str, tuple[Attempt, float | None, str | None]] = {}

    def open(self, attempt: Attempt) -> "AttemptPort":
        return AttemptPort(self, attempt)

    async def follow(self, attempt: Attempt) -> str:
        """Its slots, with what was too large for a row fetched."""
        return await self.objects.follow_slots(attempt.slots or "")

    async def store(self, attempt: Attempt, output: str) -> Json:
        """What stands for an output that is too large for a row; the task holds the object."""
        parts = get_origin(getattr(attempt.task, "returns", None)) is tuple
        return await self.objects.spill(output, holder=UUID(attempt.task_id), parts=parts)

    def too_large(self, output: str | None) -> bool:
        return output is not None and len(output) > LARGEST_OUTPUT


class AttemptPort:
    """One attempt's way to the kernel."""

    def __init__(self, ports: Ports, attempt: Attempt) -> None:
        self._ports, self._attempt = ports, attempt
        self._session = (ports.session.id, UUID(ports.session.token))

    async def ask(self, verb: str, **arguments: Json) -> Json:
        if verb not in VERBS:
            raise InvalidInput(f"a task cannot ask {verb!r}", f"it can ask {', '.join(sorted(VERBS))}")
        pause = FIRST_PAUSE
        while True:
            try:
                return await self._ask(verb, arguments)
            except Unreachable:  # no fault of the attempt: it is not charged, it waits
                if self._attempt.stop is not None or self._attempt.over:
                    raise
            await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 (jitter, not a secret)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _ask(self, verb: str, arguments: dict[str, Json]) -> Json:
        """Once. The answer may be lost after the deed is done, so every verb can be repeated: steps, signals and
        children answer what was recorded, a value put twice stands in the history twice, and a second object is
        collected."""
        answer = VERBS[verb]
        if answer in OBJECT_VERBS:
            return await answer(self, **arguments)
        async with self._ports.pool.connection() as conn:
            return await answer(conn, self, **arguments)

    def tell(self, verb: str, **arguments: Json) -> None:
        if verb == "progress":
            known = self._ports.progress.get(self._attempt.task_id, (None, None, None))
            fraction, message = arguments.get("progress"), arguments.get("message")
            self._ports.progress[self._attempt.task_id] = (
                self._attempt,
                known[1] if fraction is None else fraction,
                known[2] if message is None else message,
            )

    @property
    def fence(self) -> Fence:
        session_id, token = self._session
        return {
            "session_id": session_id,
            "token": token,
            "task_id": UUID(self._attempt.task_id),
            "attempt": self._attempt.no,
        }

    @property
    def objects(self) -> Objects:
        return self._ports.objects

    @property
    def org_id(self) -> UUID:
        return self._ports.org_id

    @property
    def run_id(self) -> UUID:
        return UUID(self._attempt.run_id)


async def _get_steps(conn: Conn, port: AttemptPort) -> Json:
    now = await upkeep.now(conn)
    steps = await run_data.get_steps(conn, org_id=port.org_id, task_id=port.fence["task_id"])
    return [
        {
            "step_no": step.step_no,
            "name": step.name,
            "kind": step.kind,
            "value": step.value,
            "age": (now - step.created_at).total_seconds(),
        }
        for step in steps
    ]


async def _record_step(conn: Conn, port: AttemptPort, **step: Json) -> Json:
    return await run_data.record_step(conn, **port.fence, **step)


async def _take_signal(conn: Conn, port: AttemptPort, *, step_no: int, name: str) -> Json:
    return asdict(await run_data.take_signal(conn, **port.fence, step_no=step_no, name=name))


async def _start_children(conn: Conn, port: AttemptPort, **start: Json) -> Json:
    ids = await attempts.start_children(conn, **port.fence, **start)
    return [str(task_id) for task_id in ids]


async def _poll_tasks(conn: Conn, port: AttemptPort, *, task_ids: list[str]) -> Json:
    ended = await attempts.poll_tasks(conn, org_id=port.org_id, task_ids=[UUID(task_id) for task_id in task_ids])
    return [{**asdict(row), "task_id": str(row.task_id)} for row in ended]


async def _put_task_data(conn: Conn, port: AttemptPort, *, values: Json, tags: list[str] | None = None) -> Json:
    await run_data.put_task_data(conn, **port.fence, values=values, tags=tags)


async def _get_run_data(conn: Conn, port: AttemptPort, **query: Json) -> Json:
    rows = await run_data.get_run_data(conn, org_id=port.org_id, run_id=port.run_id, **query)
    return [{"id": str(row.id), "key": row.key, "value": row.value, "tags": row.tags} for row in rows]


async def _put_object(port: AttemptPort, *, data: str, type: str, metadata: Json = None) -> Json:
    holder = port.fence["task_id"]
    stored = await port.objects.put(b64decode(data), type=type, metadata=metadata, holder=holder)
    return str(stored.id)


async def _get_object(port: AttemptPort, *, id: str) -> Json:
    return b64encode(await port.objects.get(UUID(id))).decode()


OBJECT_VERBS = (_put_object, _get_object)
VERBS: dict[str, Verb] = {
    "put_object": _put_object,
    "get_object": _get_object,
    "get_steps": _get_steps,
    "record_step": _record_step,
    "take_signal": _take_signal,
    "start_children": _start_children,
    "poll_tasks": _poll_tasks,
    "put_task_data": _put_task_data,
    "get_run_data": _get_run_data,
}
