"""The settings of processes that run tasks, and the limits after which a process is replaced."""

from dataclasses import dataclass, field

from tenuto.model.log_output import LogOutput


@dataclass(frozen=True)
class ProcessLimits:
    """A process is replaced when it has run `tasks` tasks, or when it uses `memory` bytes. None: no limit."""

    tasks: int | None = None
    memory: int | None = None  # resident bytes

    def reached(self, pid: int, tasks: int) -> str | None:
        """Return a text for the log about the limit that the process has reached; None if it has reached none."""
        if self.tasks is not None and tasks >= self.tasks:
            return f"has run {tasks:,} tasks (--max-tasks-per-process {self.tasks})"
        if self.memory is not None and (used := _resident_bytes(pid)) >= self.memory:
            return f"uses {used / 1e6:,.0f} MB of memory (--max-memory-per-process {self.memory / 1e6:,.0f}MB)"
        return None


def _resident_bytes(pid: int) -> int:
    import psutil

    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:  # it has ended
        return 0


@dataclass(frozen=True)
class JobSettings:
    """The settings that a process needs to run tasks of jobs."""

    operators: str  # module:function that returns the app of the operators
    storage: str  # the URL of the object store that datasets are in
    allowed_hosts: list[str]  # hosts with private addresses that jobs may contact


@dataclass(frozen=True)
class ProcessSettings:
    """The settings that a process needs to run the tasks of a worker."""

    targets: list[str] = field(default_factory=list[str])  # module:app of each app; empty: only bundles
    log: LogOutput = field(default_factory=LogOutput)
    limits: ProcessLimits = field(default_factory=ProcessLimits)
    hashes_code: bool = False  # a process reports the hash of its own files, which may be newer than the worker's
    jobs: JobSettings | None = None  # None: it runs no tasks of jobs
