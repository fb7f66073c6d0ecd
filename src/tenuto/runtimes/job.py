"""Runs tasks of the operator `python`: in a thread, or in a process if their function is declared with
executor="process"."""

import json
import sys
from typing import cast

from tenuto.model.json import JsonObject
from tenuto.runtimes.base import Attempt, Handle, RuntimeHost
from tenuto.runtimes.process import ProcessRuntime
from tenuto.runtimes.thread import ThreadRuntime
from tenuto.sdk.task import AnyTask, Task


class JobRuntime:
    """Chooses a thread or a process for each attempt, according to the executor of its function. If the module of the
    function is not imported yet, the attempt starts in a thread, where the import counts as part of the attempt. The
    operator then snoozes a task that must run in a process."""

    def __init__(self, host: RuntimeHost, max_processes: int) -> None:
        self._threads = ThreadRuntime(host)
        self._processes = ProcessRuntime(host, max_processes)

    def submit(self, attempt: Attempt) -> Handle:
        runtime = self._processes if _executor(attempt.input) == "process" else self._threads
        return runtime.submit(attempt)

    async def close(self) -> None:
        """End the idle processes."""
        await self._processes.close()


def _executor(input: str | None) -> str | None:
    """Return the executor of the task that a job runs; None if it is a plain function or not imported yet."""
    facts = cast("dict[str, JsonObject]", json.loads(input or "{}"))
    config = cast(JsonObject, facts.get("job", {}).get("config") or {})
    module, _, name = str(config.get("task")).partition(":")
    task: object = getattr(sys.modules.get(module), name, None) if name else None
    return cast(AnyTask, task).runs_in if isinstance(task, Task) else None
