"""A worker with sandboxes, and probes that run inside and outside of them."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
import psycopg

from tests.support.database.attempts import start_tasks
from tests.support.processes.command_line import TENUTO
from tests.support.processes.terminal import ROOT, BackgroundCommand
from tests.support.waiting import wait_until

FIRST, LAST = 60_706, 61_183  # users of sandboxes
SCRATCH, SHARED = "/tmp", "/dev/shm/tenuto-probe"  # noqa: S108 (the sandbox's own; removed by its test)
UNPRIVILEGED = ["unshare", "--user"]  # not root, and may read what root may: Python lies in root's folder


@dataclass(frozen=True)
class End:
    """How a probe ended."""

    status: str
    output: Any
    error: dict[str, Any]

    @property
    def message(self) -> str:
        return self.error.get("message", "")


class SandboxWorker:
    """One worker that runs tests.support.sandbox.probe_app."""

    def __init__(self, db: psycopg.Connection, worker: "subprocess.Popen[bytes]", log: Path, home: Path) -> None:
        self.db, self._worker, self._log, self.home = db, worker, log, home

    @property
    def pid(self) -> int:
        """Of the process that has the database's address and claims."""
        return psutil.Process(self._worker.pid).children()[0].pid

    @property
    def log(self) -> str:
        return self._log.read_text()

    def begin(self, task: str, *arguments: Any, **more: Any) -> UUID:
        kind = {"max_attempts": 1, "timeout_seconds": 60, **more}
        return start_tasks(self.db, f"probe.{task}", list(arguments), **kind)[0]

    def end_of(self, task_id: UUID) -> End:
        asked = "select outcome, output, error from tenuto.task_attempts where task_id = %s and end_no = 0"
        wait_until(lambda: self.db.execute(asked, [task_id]).fetchone() is not None)
        outcome, output, error = self.db.execute(asked, [task_id]).fetchone() or ("", None, None)
        return End(outcome, output, error or {})

    def inside(self, probe: str, *arguments: Any, **more: Any) -> End:
        return self.end_of(self.begin("inside", probe, list(arguments), **more))

    def outside(self, probe: str, *arguments: Any) -> Any:
        """What the probe answers where nothing holds it back."""
        end = self.end_of(self.begin("outside", probe, list(arguments)))
        assert end.status == "completed", end.error
        return end.output

    def assert_blocked(self, probe: str, *arguments: Any) -> str:
        """The control succeeds, the sandbox does not; answers what it was told."""
        self.outside(probe, *arguments)
        end = self.inside(probe, *arguments)
        assert end.status == "failed", f"{probe} answered {end.output!r:.200}"
        return f"{end.error['type']}: {end.message}"

    def processes_inside(self) -> list[psutil.Process]:
        """Processes of sandboxes, seen from outside."""
        return [one for one in psutil.Process(self._worker.pid).children(recursive=True) if _is_inside(one)]

    def running(self, module: str) -> list[int]:
        """Processes below the worker that run this module."""
        below = {one.pid for one in psutil.Process(self.pid).children(recursive=True)}
        found = psutil.process_iter(["cmdline"])
        return [one.pid for one in found if one.pid in below and module in (one.info["cmdline"] or ())]


def _is_inside(one: psutil.Process) -> bool:
    try:
        return FIRST <= one.uids().real <= LAST and one.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def start_sandbox_worker(
    database: str, folder: Path, *flags: str, prefix: list[str] | None = None
) -> Iterator[SandboxWorker]:
    """A worker with its own home and a secret in its environment."""
    home, log = folder / "home", folder / "worker.log"
    home.mkdir(exist_ok=True)
    (home / "pepper").write_text("canary of the home")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    said = {"TENUTO_DATABASE_URL": database, "TENUTO_HOME": str(home), "CANARY": "canary of the environment"}
    with log.open("wb") as file:
        worker = subprocess.Popen(
            [*(prefix or []), TENUTO, "worker", "tests.support.sandbox.probe_app:app", *flags],
            cwd=ROOT, env={**clean, **said}, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
        )  # fmt: skip
    staying = BackgroundCommand(worker, log)
    try:
        staying.wait_for("tasks at once")
        with psycopg.connect(database, autocommit=True) as db:
            yield SandboxWorker(db, worker, log, home)
    finally:
        staying.end()
