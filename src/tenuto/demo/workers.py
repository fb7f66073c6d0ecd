"""The workers of the demo: processes that end with it, even if it is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tenuto.runtimes.local_processes import this_host

TENUTO = (sys.executable, "-c", "from tenuto.cli.main import main; main()")
APPS = ("tenuto.demo.shop:app", "tenuto.demo.orders.jobs:app")
STOP_SECONDS = 15.0
LOG_LINES = 30  # that are printed of a worker when the demo fails


@dataclass(frozen=True)
class DemoWorker:
    """A `tenuto worker`: a process that watches, and its child, which runs tasks."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def pids(self) -> list[int]:
        """Return the ids of the processes that run."""
        try:
            watching = psutil.Process(self.process.pid)
            return [watching.pid, *(child.pid for child in watching.children(recursive=True))]
        except psutil.NoSuchProcess:
            return []

    def is_ready(self) -> bool:
        return f" runs {APPS[0]}" in self.log.read_text(errors="replace")

    def kill(self) -> None:
        """Kill all processes of the worker at once, the one that watches the others first."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def last_lines(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-LOG_LINES:])


@contextmanager
def running_workers(home: Path, environment: Mapping[str, str], number: int) -> Generator[list[DemoWorker]]:
    """Start workers, and stop them at the end. They read from a pipe whose other end only this process has."""
    pipe, held_open = os.pipe()
    started: list[DemoWorker] = []
    try:
        started += [_start(home, home / f"worker-{no}.log", environment, pipe) for no in range(1, number + 1)]
        yield started
    finally:
        for worker in started:
            worker.process.terminate()
        for worker in started:
            try:
                worker.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                worker.kill()
        os.close(pipe)
        os.close(held_open)


def _start(home: Path, log: Path, environment: Mapping[str, str], pipe: int) -> DemoWorker:
    # Where a dispatcher cannot find out that a process of its host has ended, the lease has to expire first.
    lease = [] if this_host() else ["--lease", "5s"]
    command = [*TENUTO, "worker", *APPS, "--queues", "default", "--grace", "1s", *lease]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=home,
            env={**environment, "TENUTO_PARENT_PIPE": str(pipe)},
            pass_fds=[pipe],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # so that Ctrl-C reaches only the demo, which stops them
        )
    return DemoWorker(process, log)
