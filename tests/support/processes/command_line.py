"""Runs `tenuto` as a user does: as a process, with an environment."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tenuto.cli.main import main
from tests.support.waiting import wait_until

TENUTO = Path(sys.executable).with_name("tenuto")
ROOT = Path(__file__).parents[3]
WRITE = os.O_WRONLY | os.O_CREAT
# To start Python and import costs several times what most commands do: each is a fork of a process that has done both.
READY = multiprocessing.get_context("forkserver")
PRELOADED = ["tenuto.cli.root", "tenuto.db.install.install", "tenuto.sdk.client.client", "pydantic.type_adapter"]
READY.set_forkserver_preload([*PRELOADED, "pytest"])


def tenuto(*arguments: str, **environment: str | Path) -> subprocess.CompletedProcess[str]:
    """What the command said and how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        process = READY.Process(target=_be_tenuto, args=[arguments, _environment(environment), Path.cwd(), out, err])
        process.start()
        process.join()
        assert process.exitcode is not None
        return subprocess.CompletedProcess([TENUTO, *arguments], process.exitcode, out.read_text(), err.read_text())


def _be_tenuto(arguments: tuple[str, ...], environment: dict[str, str], here: Path, out: Path, err: Path) -> None:
    for number, file, flags in ((0, Path(os.devnull), os.O_RDONLY), (1, out, WRITE), (2, err, WRITE)):
        os.dup2(os.open(file, flags, 0o600), number)
    be_tenuto(arguments, environment, here)


def be_tenuto(arguments: Sequence[str], environment: dict[str, str], here: Path) -> None:
    """As if the program had been started by a shell."""
    os.chdir(here)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [str(TENUTO.parent), *(path for path in sys.path if path.startswith((sys.prefix, sys.base_prefix)))]
    sys.argv = [str(TENUTO), *arguments]
    main()


@dataclass(frozen=True)
class Running:
    """A command that stays until it is told to stop."""

    process: subprocess.Popen[bytes]
    output: Path

    def said(self) -> str:
        return self.output.read_text()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Tell it to stop; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)


@contextmanager
def running(*arguments: str, ready: str, **environment: str | Path) -> Iterator[Running]:
    """A command that has said `ready`; modules of the repository can be imported by it."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [TENUTO, *arguments],
                cwd=ROOT,
                env=_environment(environment),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                preexec_fn=_hear_interrupts,
            )
        command = Running(process, output)
        try:
            wait_until(lambda: ready in command.said() or process.poll() is not None, timeout=60)
            assert ready in command.said(), command.said()
            yield command
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(60)


def _environment(said: dict[str, str | Path]) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    return {**clean, **{name: str(value) for name, value in said.items()}, "TERM": "dumb"}


def _hear_interrupts() -> None:
    """What a shell runs in the background is deaf to Ctrl-C, and so would be all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
