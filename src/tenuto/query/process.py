"""The trusted side of a process that runs one query. The messages of the process are checked; its result is passed on
unchanged."""

import json
import shutil
import struct
from collections.abc import AsyncGenerator, Awaitable
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass
from typing import Protocol, cast

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json, JsonObject
from tenuto.model.queries import QueryFormat
from tenuto.model.text import clean
from tenuto.query.frames import HEAD, MAX_CONTROL_BYTES, MAX_ERROR_CHARS, MAX_FRAME_BYTES, pack, pack_json
from tenuto.query.limits import MAX_DATASETS, QueryLimits
from tenuto.runtimes.sandbox.capabilities import SandboxCapabilities
from tenuto.runtimes.sandbox.runtime import Sandbox, of_python
from tenuto.runtimes.sandbox.spec import MB, Code, Limits, Spec
from tenuto.runtimes.sandbox.template_client import SandboxTemplate
from tenuto.runtimes.sandbox.uids import borrowed_uid
from tenuto.storage.scratch import scratch_folder

PROGRAM = "tenuto.query.engine"
CPU_SHARE = 2  # seconds of CPU per second of the time limit: DuckDB has two threads
ADDRESS_SPACE_SHARE = 4  # threads reserve much more than they use
BUILD_CPU_SECONDS = 30


class QueryData(Protocol):
    """The files of a query, by number. The process of the query can request nothing else."""

    async def read(self, number: int, offset: int, length: int) -> bytes: ...

    async def rows(self, number: int, page: int) -> bytes: ...


@dataclass(frozen=True)
class Views:
    """The views of a query, as its process gets them, and the data behind them."""

    views: list[JsonObject]
    data: QueryData


@dataclass(frozen=True)
class QueryEnd:
    """The end of a result: how many rows were sent, and whether the result has more rows."""

    rows: int
    truncated: bool


class QueryFailed(InvalidInput):
    """A query is refused, fails or exceeds a limit; the message says why."""


class QueryProcess:
    """One process, from its start to its end. It runs at most one query."""

    def __init__(self, sandbox: Sandbox, held: AsyncExitStack, limits: QueryLimits) -> None:
        self._sandbox, self._held, self._limits = sandbox, held, limits

    async def parse(self, sql: str, format: QueryFormat, max_rows: int) -> list[str]:
        """Send the query; return the names of the tables that it reads. Raises QueryFailed if the query is refused."""
        await self._send({"sql": sql, "format": format, "max_rows": max_rows})
        match await self._receive_object():
            case {"tables": list(tables)} if all(isinstance(name, str) for name in tables):
                names = cast("list[str]", tables)
            case other:
                raise self._protocol_error(other)
        if len(names) > MAX_DATASETS:
            raise QueryFailed(f"the query reads more than {MAX_DATASETS} datasets", "split it into several")
        return names

    async def run(self, views: Views) -> AsyncGenerator[bytes | QueryEnd]:
        """Yield the blocks of the result, then its end."""
        await self._send({"views": cast(Json, views.views)})
        scanned = sent = 0
        while True:
            kind, body = await self._receive()
            if kind == b"B":
                sent += len(body)
                if sent > self._limits.result_bytes:
                    raise QueryFailed(
                        f"the result has more than {self._limits.result_bytes:,} bytes", "select less, or aggregate"
                    )
                yield body
                continue
            match self._checked(body):
                case {"read": [int(number), int(offset), int(length)]} if 0 < length <= MAX_FRAME_BYTES:
                    scanned += await self._reply(views.data.read(number, offset, length))
                case {"rows": [int(number), int(page)]} if page >= 0:
                    scanned += await self._reply(views.data.rows(number, page))
                case {"done": {"rows": int(rows), "truncated": bool(truncated)}} if sent:
                    yield QueryEnd(rows, truncated)
                    return
                case other:
                    raise self._protocol_error(other)
            if scanned > self._limits.scan_bytes:
                raise QueryFailed(
                    f"the query reads more than {self._limits.scan_bytes:,} bytes", "select fewer columns"
                )

    def kill(self) -> None:
        """End the process now; a call that waits for it raises QueryFailed."""
        self._sandbox.kill()

    async def end(self) -> None:
        """End the process and everything that it started, and release its folder and its user id."""
        await self._held.aclose()

    @property
    def is_alive(self) -> bool:
        return self._sandbox.process.returncode is None

    async def _reply(self, work: Awaitable[bytes]) -> int:
        data = await work
        try:
            await self._sandbox.write(pack(b"B", data))
        except ConnectionError:
            raise await self._exit_error() from None
        return len(data)

    async def _send(self, message: JsonObject) -> None:
        try:
            await self._sandbox.write(pack_json(message))
        except ConnectionError:
            raise await self._exit_error() from None

    async def _receive_object(self) -> JsonObject:
        kind, body = await self._receive()
        if kind != b"J":
            raise self._protocol_error(kind)
        return self._checked(body)

    async def _receive(self) -> tuple[bytes, bytes]:
        try:
            kind, length = cast("tuple[bytes, int]", HEAD.unpack(await self._sandbox.read_exactly(HEAD.size)))
            if length > {b"J": MAX_CONTROL_BYTES, b"B": MAX_FRAME_BYTES}.get(kind, -1):
                raise self._protocol_error(kind)
            return kind, await self._sandbox.read_exactly(length)
        except (EOFError, ConnectionError, struct.error):
            raise await self._exit_error() from None

    def _checked(self, body: bytes) -> JsonObject:
        try:
            message: Json = json.loads(body)
        except (ValueError, RecursionError):
            raise self._protocol_error(body[:60]) from None
        match message:
            case {"error": str(error)}:
                raise QueryFailed(clean(error[:MAX_ERROR_CHARS]))
            case dict():
                return message
            case _:
                raise self._protocol_error(message)

    def _protocol_error(self, message: object) -> QueryFailed:
        return QueryFailed(f"the query was ended: its process sent {str(message)[:60]!r}, which no query sends")

    async def _exit_error(self) -> QueryFailed:
        code = await self._sandbox.process.wait()
        return QueryFailed(f"the process of the query {self._sandbox.how_it_ended(code)}")


async def start_process(
    template: SandboxTemplate, capabilities: SandboxCapabilities, limits: QueryLimits, hidden: tuple[str, ...]
) -> QueryProcess:
    """Start a process that is ready for a query."""
    held = AsyncExitStack()
    try:
        folder = held.enter_context(scratch_folder())
        uid = held.enter_context(borrowed_uid() if capabilities.root else nullcontext())
        if uid is not None and not capabilities.walls:
            shutil.chown(folder, uid, uid)
        spec = Spec(
            Code(),
            limits=Limits(
                cpu=BUILD_CPU_SECONDS + int(CPU_SHARE * limits.seconds),
                memory=limits.memory,
                address_space=ADDRESS_SPACE_SHARE * limits.memory,
                files=64,
                processes=64,
                file_size=0,
                scratch=1 * MB,
            ),
            walls=capabilities.walls,
            uid=uid,
            root=str(folder),
            shown=of_python(),
            hidden=hidden,
            cwd="/tmp" if capabilities.walls else str(folder),  # noqa: S108 (inside the walls it is the sandbox's own)
            program=PROGRAM,
        )
        sandbox = await template.start_sandbox(spec)
        held.push_async_callback(sandbox.end)
    except BaseException:
        await held.aclose()
        raise
    return QueryProcess(sandbox, held, limits)
