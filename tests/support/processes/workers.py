"""Workers as processes: started, signalled, killed, and ended with the test that started them."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.processes.command_line import start
from tests.support.processes.fork_server import NAME_CHARS
from tests.support.processes.forked_tenuto import ForkedTenuto
from tests.support.waiting import kill, wait_until, wait_until_dead

READY = re.compile(r"worker (\S+) runs ")


class WorkerProcess:
    """One worker: its supervisor, the child with the tasks, and the processes below that."""

    def __init__(self, process: "subprocess.Popen[bytes] | ForkedTenuto", log: Path) -> None:
        self.process, self._log = process, log
        self._seen: dict[int, psutil.Process] = {}

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def log(self) -> str:
        return self._log.read_text()

    @property
    def name(self) -> str:
        """As the database knows its first process."""
        found = READY.search(self.log)
        assert found, self.log
        return f"{found[1]}:1"

    def wait_for_ready(self) -> None:
        def ready() -> bool:
            assert self.process.poll() is None, self.log
            return READY.search(self.log) is not None

        wait_until(ready)
        self.children()  # remembered, so that they are ended even when their supervisor is gone

    def children(self) -> list[psutil.Process]:
        """The processes with user code, one for each of `--processes`."""
        return self._below(self.pid, "tenuto.worker.process.main")

    def pool(self) -> list[psutil.Process]:
        """The processes of tasks with executor="process"."""
        return [found for child in self.children() for found in self._below(child.pid, "tenuto.runtimes.process_child")]

    def everybody(self) -> list[psutil.Process]:
        """Supervisor first."""
        return [psutil.Process(self.pid), *self.children(), *self.pool()]

    def _below(self, pid: int, module: str) -> list[psutil.Process]:
        try:
            found = [
                one
                for one in psutil.Process(pid).children()
                if module in one.cmdline() or one.name() == module[-NAME_CHARS:]  # a program, or a fork
            ]
        except psutil.NoSuchProcess:
            return []
        self._seen.update((one.pid, one) for one in found)
        return found

    def tell(self, number: int) -> None:
        """To the supervisor alone, as an init system or Ctrl-C does."""
        self.process.send_signal(number)

    def tell_all(self, number: int) -> None:
        """To every process of it."""
        for one in self.everybody():
            one.send_signal(number)

    def kill(self) -> None:
        """kill -9 of the whole worker at once, as when its machine goes away."""
        everybody = self.everybody()
        kill(everybody)
        wait_until_dead(everybody)

    def wait(self, timeout: float = 120.0) -> int:
        return self.process.wait(timeout)

    def end(self) -> None:
        """Whatever state it is in, nothing of it stays."""
        if self.process.poll() is None:
            self.kill()
        self.process.wait(60)
        kill(self._seen.values())


class Fleet:
    """The workers of one test."""

    def __init__(self, database: str, folder: Path) -> None:
        self.database, self.folder = database, folder
        self.storage: str | None = None  # None: a folder of the home
        self.variables: dict[str, str] = {}  # of the environment of workers
        self.workers: list[WorkerProcess] = []

    def start(
        self,
        app: str,
        *flags: str,
        wait: bool = True,
        url: str | None = None,
        from_start: bool = False,
        inherited: Sequence[int] = (),
    ) -> WorkerProcess:
        """`tenuto worker` for tests/journeys/apps/<app>.py, or for a file elsewhere."""
        target = app if app.endswith(".py") else f"tests.journeys.apps.{app}:app"
        flags = flags if "--concurrency" in flags else (*flags, "--concurrency", "10")
        log = self.folder / f"worker{len(self.workers) + 1}.log"
        with log.open("wb") as file:
            environment = self._environment(url or self.database)
            process = start(
                "worker",
                target,
                *flags,
                environment=environment,
                output=file,
                from_start=from_start,
                inherited=inherited,
            )
        worker = WorkerProcess(process, log)
        self.workers.append(worker)
        if wait:
            worker.wait_for_ready()
        return worker

    def _environment(self, url: str) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
        home = str(self.folder / "home")
        storage = {"TENUTO_STORAGE": self.storage} if self.storage else {}
        paths = {"TENUTO_HOME": home, "JOURNEY_FOLDER": str(self.folder)}
        return {**clean, "TENUTO_DATABASE_URL": url, **paths, **storage, **self.variables}

    def open_gate(self, name: str) -> None:
        """Lets go what waits in `at_gate(name)`."""
        (self.folder / f"{name}.gate").touch()

    def effects(self) -> list[str]:
        """What tasks did to the world, in order."""
        file = self.folder / "effects"
        return file.read_text().splitlines() if file.exists() else []

    def end(self) -> None:
        for worker in self.workers:
            worker.end()


@contextmanager
def a_fleet(database: str, folder: Path) -> Iterator[Fleet]:
    fleet = Fleet(database, folder)
    try:
        yield fleet
    finally:
        fleet.end()
        for no, worker in enumerate(fleet.workers, 1):  # shown when the test fails
            print(f"--- worker {no}\n{worker.log}")
