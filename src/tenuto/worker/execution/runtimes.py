"""The runtimes of a worker, by the name in `Task.runs_in`. To add a runtime, add a line to RUNTIMES, and its name to
`RuntimeName` in `sdk/option_types.py`."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tenuto.runtimes.base import Runtime
from tenuto.runtimes.invoke import CoroutineRuntime
from tenuto.runtimes.process import ProcessRuntime
from tenuto.runtimes.thread import ThreadRuntime
from tenuto.worker.execution.sandboxes import WorkerRuntimeHost, open_sandboxes


def per_core(concurrency: int) -> int:
    return min(concurrency, os.cpu_count() or 1)


@dataclass(frozen=True)
class RuntimeEntry:
    """How to open a runtime, and how many attempts run in it at the same time. All runtimes without `slots` together
    have as many slots as the concurrency of the worker."""

    open: Callable[[WorkerRuntimeHost], Runtime]
    slots: Callable[[int], int] | None = None  # computes the number from the concurrency of the worker


Runtimes = Mapping[str, RuntimeEntry]

RUNTIMES: Runtimes = {
    "async": RuntimeEntry(CoroutineRuntime),
    "thread": RuntimeEntry(ThreadRuntime),
    "process": RuntimeEntry(ProcessRuntime, slots=per_core),
    "sandbox": RuntimeEntry(open_sandboxes, slots=per_core),
}


def groups(names: set[str], runtimes: Runtimes) -> list[tuple[str, ...]]:
    """Return the names in groups; the runtimes of a group share slots."""
    if unknown := names - runtimes.keys():
        raise AssertionError(f"there is no runtime {min(unknown)!r}; this worker has {', '.join(runtimes)}")
    used = [name for name in runtimes if name in names]
    light = tuple(name for name in used if runtimes[name].slots is None)
    own = [(name,) for name in used if name not in light]
    return [light, *own] if light else own
