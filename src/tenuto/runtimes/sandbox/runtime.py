"""Runs untrusted code: each attempt in its own sandbox, which is removed completely afterwards."""

import asyncio
import json
import math
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tenuto.model.errors import Forbidden
from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.outcomes import Blocked, Completed, Failed, Interrupted, Lost, Outcome, describe
from tenuto.runtimes.process import OsProcess, Process, ProcessHandle, ProcessRuntime
from tenuto.runtimes.sandbox import spec
from tenuto.runtimes.sandbox.attempt_api import SandboxAttemptApi
from tenuto.runtimes.sandbox.child import MAX_LINE_BYTES
from tenuto.runtimes.sandbox.child_tasks import ChildType
from tenuto.runtimes.sandbox.messages import InvalidMessage, check
from tenuto.runtimes.sandbox.spec import MB, Code, Limits, Spec
from tenuto.runtimes.sandbox.uids import borrowed_uid
from tenuto.sdk.retries import NEVER
from tenuto.sdk.values.wire_format import load

MAX_BUILD_ERROR_CHARS = 4096  # of the error output of a sandbox while it is built
MAX_OUTPUT_BYTES = 512 * MB  # for all messages of an attempt: reading them delays other attempts
MAX_MESSAGE_BYTES = 1 * MB
MAY_BE_LONG = (b'{"call"', b'{"outcome"')
BUILD_TIMEOUT_SECONDS = 60.0  # long, because a very busy machine is slow
CPU_MARGIN_SECONDS = 2.0  # the CPU limit ends a sandbox this long after the timeout, if the worker did not


@dataclass(frozen=True)
class SandboxHost:
    """The settings of all sandboxes of a worker: what the worker can enforce, the folders that sandboxes must not see,
    and their limits."""

    root: bool  # can change users and build walls
    walls: bool
    hidden: tuple[str, ...]
    limits: Limits


@dataclass(frozen=True)
class SandboxCode:
    """The code of one attempt, the files that the sandbox sees, and the types of tasks that it may start."""

    code: Code
    shown: tuple[str, ...]
    path: tuple[str, ...]
    may_start: Mapping[str, ChildType]
    version: str | None = None  # of a bundle: its hash


Prepare = Callable[[Attempt, Path], Awaitable[SandboxCode]]


class SandboxRuntime(ProcessRuntime):
    """Starts a sandbox for each attempt; a sandbox is never reused."""

    def __init__(self, host: RuntimeHost, trusted: SandboxHost, prepare: Prepare) -> None:
        super().__init__(host)
        self._trusted, self._prepare = trusted, prepare

    async def _run_in_process(self, handle: ProcessHandle) -> Outcome:
        from tenuto.storage.scratch import scratch_folder

        attempt = handle.attempt
        attempt.timeout = attempt.timeout or self._trusted.limits.wall
        async with AsyncExitStack() as stack:
            folder = stack.enter_context(scratch_folder())
            try:
                prepared = await self._prepare(attempt, folder)
            except NoCodeToRun as refusal:
                return Failed(describe(refusal), NEVER)
            uid = stack.enter_context(borrowed_uid() if self._trusted.root else nullcontext())
            spec = self._spec(prepared, folder, uid, attempt.timeout)
            process = handle.process = await start(spec)
            stack.push_async_callback(process.end)
            if attempt.stop is not None:  # asked to stop while it was being built
                return attempt.stop
            self._host.began(attempt)
            api = SandboxAttemptApi(self._host.open_api(attempt), attempt, may_start=prepared.may_start)
            outcome = await self._listen(process, attempt, api)
            return Blocked(outcome.mismatch, prepared.version) if isinstance(outcome, Blocked) else outcome

    async def _listen(self, process: "Sandbox", attempt: Attempt, api: SandboxAttemptApi) -> Outcome:
        try:
            outcome = await self._exchange_messages(process, attempt, api)
        except (InvalidMessage, ValueError) as problem:  # ValueError: a line without end
            message = (
                str(problem)
                if isinstance(problem, InvalidMessage)
                else f"it sent a message of more than {MAX_LINE_BYTES:,} bytes"
            )
            return Failed({"type": "InvalidMessage", "message": f"the sandbox was ended: {message}"})
        if isinstance(outcome, Completed) and '"$object"' in (outcome.output or ""):
            try:
                api.check_objects(load(outcome.output or "null"))
            except Forbidden as refusal:
                return Failed(describe(refusal))
        # An interrupted attempt does not count, so only the worker may report an attempt as interrupted.
        if isinstance(outcome, Interrupted):
            return Failed(
                {
                    "type": "InvalidMessage",
                    "message": "the sandbox was ended: it reported a cancellation that was not requested",
                }
            )
        return outcome

    def _spec(self, prepared: SandboxCode, folder: Path, uid: int | None, timeout: float) -> Spec:
        trusted = self._trusted
        if uid is not None and not trusted.walls:
            shutil.chown(folder, uid, uid)
        return Spec(
            code=prepared.code,
            limits=replace(trusted.limits, cpu=trusted.limits.cpu or math.ceil(timeout + CPU_MARGIN_SECONDS)),
            walls=trusted.walls,
            uid=uid,
            root=str(folder),
            shown=(*of_python(), *prepared.shown),
            hidden=trusted.hidden,
            path=prepared.path,
            cwd="/tmp" if trusted.walls else str(folder),  # noqa: S108 (inside the walls it is the sandbox's own)
        )


class NoCodeToRun(Exception):
    """There is no code to run; a retry would not help."""


class Sandbox(Process):
    """One sandbox and the connection to it."""

    spec: Spec
    received = 0  # bytes

    def read(self, line: bytes) -> dict[str, Any]:
        self.received += len(line)
        if self.received > MAX_OUTPUT_BYTES or (len(line) > MAX_MESSAGE_BYTES and not line.startswith(MAY_BE_LONG)):
            raise InvalidMessage("it sent more messages, or a longer message, than an attempt is allowed to send")
        return check(line)

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        async for message in super().messages():
            yield message
            await asyncio.sleep(0)  # a sandbox that sends without pause must not delay others

    def kill(self) -> None:
        """End the process that built the sandbox, and everything inside with it."""
        with suppress(ProcessLookupError):
            self.process.terminate()

    async def read_exactly(self, length: int) -> bytes:
        """Read a number of bytes, for programs whose messages are not lines."""
        return await self._reader.readexactly(length)

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def end(self) -> None:
        """End the sandbox with everything it started."""
        self.alive = False
        self.kill()
        await self.process.wait()
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    def how_it_died(self, code: int) -> Lost:
        message = f"the sandbox {self.how_it_ended(code)}"
        return Lost({"type": "SandboxDied", "message": message, "exit_code": code})

    def how_it_ended(self, code: int) -> str:
        """Return a text about how the sandbox ended. It has no subject: the caller writes "the sandbox" before it."""
        if code >= 0:
            return f"exited with code {code} before its work ended"
        name = signal.Signals(-code).name
        limits = self.spec.limits
        match -code:
            case signal.SIGXCPU:
                return f"was ended by {name}: it used more than its {limits.cpu} s of CPU time"
            case signal.SIGXFSZ:
                return f"was ended by {name}: it wrote a file of more than {limits.file_size // MB} MB"
            case spec.OUT_OF_MEMORY:
                return f"was ended: its processes together used more than {limits.memory // MB} MB of memory"
            case signal.SIGKILL:
                return f"was killed by {name}: most likely the machine was out of memory"
            case _:
                memory = (
                    f"; it has {limits.memory // MB} MB of memory" if -code in (signal.SIGSEGV, signal.SIGABRT) else ""
                )
                return f"was killed by {name}{memory}"


def of_python() -> tuple[str, ...]:
    """Return the folders that Python needs, and the folder of this package."""
    ours = str(Path(__file__).parents[1])
    paths = [sys.prefix, sys.base_prefix, ours, *(path for path in sys.path if "site-packages" in path)]
    return tuple(dict.fromkeys(str(way) for path in paths for way in (Path(path), Path(path).resolve())))


async def start(spec: Spec) -> Sandbox:
    """Start a sandbox that waits for an attempt. The sandbox inherits nothing from this process except the connection.
    Raises CannotBuild if it cannot be built."""
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": spec.cwd, "TMPDIR": spec.cwd}
    ours, theirs = socket.socketpair()
    with closing(theirs):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-m", "tenuto.runtimes.sandbox.builder", str(theirs.fileno()), spec.to_json(),
            pass_fds=(theirs.fileno(),), env=environment, cwd="/", start_new_session=True,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip

    async def errors() -> bytes:
        return await process.stderr.read(MAX_BUILD_ERROR_CHARS) if process.stderr else b""

    return await connect_sandbox(process, ours, spec, errors)


async def connect_sandbox(
    process: OsProcess, ours: socket.socket, spec: Spec, errors: Callable[[], Awaitable[bytes]]
) -> Sandbox:
    """Wait until a new process has built its sandbox; return the sandbox. Raises CannotBuild if it fails or takes too
    long. `errors`: returns the error output of the process."""
    reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE_BYTES)
    sandbox = Sandbox(process, reader, writer)
    sandbox.spec = spec
    try:
        # The process sends a line when the sandbox is built. The line is empty if that failed.
        ready = await asyncio.wait_for(reader.readline(), BUILD_TIMEOUT_SECONDS)
        if not ready:
            problem = await errors()
            await sandbox.end()
            ended = f"it ended with code {process.returncode} and printed nothing"
            raise CannotBuild(problem.decode("utf-8", "replace").strip() or ended)
        if failure := json.loads(ready).get("failed"):  # no user code has run in it yet
            raise CannotBuild(str(failure))
    except TimeoutError:
        await sandbox.end()
        raise CannotBuild(f"it was not built within {BUILD_TIMEOUT_SECONDS:.15g} s") from None
    except BaseException:
        await sandbox.end()
        raise
    return sandbox


class CannotBuild(Exception):
    """This machine or user cannot build a sandbox; the message says what failed."""
