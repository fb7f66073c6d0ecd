"""Two terminals: a command that keeps running in one, commands that end in the other."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.postgres.server import copy_home
from tests.support.processes.forked_tenuto import ROOT, forked_tenuto
from tests.support.waiting import kill, wait_until, wait_until_dead

__all__ = ["ROOT", "BackgroundCommand", "Terminal", "newcomer"]

BIN = Path(sys.executable).parent
# Plugins of pytest that libraries of ours bring along: to import them takes twice as long as all the rest of pytest.
UNUSED_PLUGINS = "-p no:anyio -p no:pgrls -p no:schemathesis"


class Terminal:
    """A command line as a reader of the docs has it: the project's programs on the path, nothing else of ours."""

    def __init__(self, folder: Path, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
        path = os.pathsep.join((str(forked_tenuto()), str(BIN), os.environ["PATH"]))
        self.folder = folder
        self.environment = {
            **clean,
            "PATH": path,
            "TERM": "dumb",
            "COLUMNS": "200",
            "PYTEST_ADDOPTS": UNUSED_PLUGINS,
            **environment,
        }

    def run(self, command: str, *, timeout: float = 90.0) -> "subprocess.CompletedProcess[str]":
        """A command that ends by itself."""
        return subprocess.run(
            ["/bin/bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    @contextmanager
    def running(self, command: str, log: Path) -> Iterator["BackgroundCommand"]:
        """A command that stays until Ctrl-C, which comes at the end of the block and must end it well."""
        with log.open("wb") as file:
            process = subprocess.Popen(
                shlex.split(command),
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        staying = BackgroundCommand(process, log)
        try:
            yield staying
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0, staying.said()
        except BaseException:
            print(f"--- {command}\n{staying.said()}")
            raise
        finally:
            staying.end()


@contextmanager
def newcomer(migrated_home: Path | None = None, *, below: str | None = None) -> Iterator[Terminal]:
    """A reader with an empty folder, without a database or with a copy of this home; what they started is stopped
    afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="tenuto-newcomer-", dir=below))
    folder.chmod(0o755)  # the embedded server may run as another user
    if migrated_home is not None:
        copy_home(migrated_home, folder / "home")
    terminal = Terminal(folder, TENUTO_HOME=str(folder / "home"))
    try:
        yield terminal
    finally:
        terminal.run("tenuto db stop")
        shutil.rmtree(folder)


class BackgroundCommand:
    """The process of a command that stays, and what it has said so far."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self._process, self._log = process, log

    def said(self) -> str:
        return self._log.read_text()

    def wait_for(self, text: str, *, times: int = 1, timeout: float = 120.0) -> None:
        """Until it has said this so often."""

        def heard() -> bool:
            assert self._process.poll() is None, self.said()
            return self.said().count(text) >= times

        wait_until(heard, timeout=timeout)

    def end(self) -> None:
        """Whatever state it is in, nothing of it stays."""
        if self._process.poll() is None:
            everybody = [*psutil.Process(self._process.pid).children(recursive=True), psutil.Process(self._process.pid)]
            kill(everybody)
            wait_until_dead(everybody)
        self._process.wait(60)
