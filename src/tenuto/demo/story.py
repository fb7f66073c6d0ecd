"""Runs the demo: a database of its own, two workers, both scenes, and what to try next."""

import asyncio
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from uuid import UUID

from tenuto.db import embedded, installation
from tenuto.db.connection.errors import DatabaseProblem, ServerFailed
from tenuto.db.install import install
from tenuto.demo.crash import show_crash
from tenuto.demo.home import FOLDER, demo_home
from tenuto.demo.orders.jobs import app as orders
from tenuto.demo.rollback import show_rollback
from tenuto.demo.screen import Screen
from tenuto.demo.stage import Stage, UnexpectedResult
from tenuto.demo.workers import DemoWorker, running_workers
from tenuto.runtimes.sandbox.capabilities import SandboxUnavailable, find_capabilities
from tenuto.sdk.connect import connect

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
START_OVER = f"remove it (rm -r {FOLDER}), and the next demo creates a new one"
NO_VARIABLES: Mapping[str, str] = {}
QUERY = "select region, sum(total) as total from orders_daily group by region"


class Stopped(Exception):
    """A signal stopped the demo."""


class StopSignals:
    """Remembers that a signal came, and cancels the scenes. Starting and stopping the database is not interrupted."""

    def __init__(self) -> None:
        self._received = False
        self._cancel: Callable[[], object] | None = None

    @contextmanager
    def received(self) -> Generator[None]:
        """Receive signals during the block."""
        before = {number: signal.signal(number, self._receive) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def check(self) -> None:
        if self._received:
            raise Stopped

    @contextmanager
    def cancels_this_task(self) -> Generator[None]:
        """Cancel the current task if a signal comes during the block. Raises Stopped then."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        self._cancel = lambda: task and loop.call_soon_threadsafe(task.cancel)
        try:
            self.check()
            yield
        except asyncio.CancelledError:
            raise Stopped from None
        finally:
            self._cancel = None

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        if not self._received and self._cancel:
            self._cancel()
        self._received = True


@dataclass(frozen=True)
class Commands:
    """How the user calls the commands that the demo prints: `TENUTO_HOME=.demo tenuto …`. `ignored` are variables that
    are set here and with which the commands would use other data."""

    program: str
    ignored: tuple[str, ...] = ()

    def line(self, arguments: str, variables: Mapping[str, str] = NO_VARIABLES) -> str:
        unset = f"env {' '.join(f'-u {name}' for name in self.ignored)} " if self.ignored else ""
        settings = " ".join(f"{name}={value}" for name, value in {"TENUTO_HOME": FOLDER, **variables}.items())
        return f"{unset}{settings} {shlex.quote(self.program)} {arguments}"


@dataclass(frozen=True)
class DemoSettings:
    """Where and how the demo runs. `environment`: that of the workers. `keep` is called at the end, while this process
    still has the home."""

    folder: Path
    environment: Mapping[str, str]
    pg_bin: Path | None
    commands: Commands
    colours: bool
    keep: Callable[[], None] | None


def run_demo(settings: DemoSettings) -> int:
    """Run the demo, and return its exit code."""
    screen, signals = Screen(colours=settings.colours), StopSignals()
    try:
        with signals.received(), demo_home(settings.folder) as home:
            _play(home, settings, screen, signals)
            signals.check()
            if settings.keep is not None:
                settings.keep()
        return 0
    except Stopped:
        screen.line("Stopped. No process is left running.")
    except UnexpectedResult as problem:
        screen.line(f"The demo failed: {problem}", colour="red", bold=True)
    except BrokenPipeError:  # as with `tenuto demo | head`; Python writes the rest of its buffer when it exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        screen.close()
    return 1


def _play(home: Path, settings: DemoSettings, screen: Screen, signals: StopSignals) -> None:
    started = time.monotonic()
    screen.line(f"The demo runs in {FOLDER}, on a database of its own.")
    with _database(home, settings.pg_bin, screen, signals) as url:
        with running_workers(home, settings.environment, 2) as workers:
            next_lines = asyncio.run(_run_scenes(url, home, workers, settings.commands, screen, signals))
        screen.waits("stopping the database")
    screen.line(f"All of this took {time.monotonic() - started:.1f} s, and no process is left running. Try next:")
    for line in next_lines:
        screen.line(f"  {line}")


@contextmanager
def _database(home: Path, pg_bin: Path | None, screen: Screen, signals: StopSignals) -> Generator[str]:
    """Yield the URL of the database of the demo; the database ends with the block."""
    with ExitStack() as opened:
        was_running = False
        try:
            screen.waits("starting the database")
            was_running = embedded.status(home).running
            url = opened.enter_context(embedded.server(home, pg_bin=pg_bin))
            signals.check()
            screen.waits("installing the tables and functions of Tenuto")
            install.migrate(url)
            signals.check()
        except (DatabaseProblem, OSError, ValueError) as problem:
            if not was_running:  # it can run although it cannot be used
                with suppress(DatabaseProblem, OSError, ValueError):
                    embedded.stop(home)
            signals.check()  # Ctrl-C reaches the programs of Postgres, too
            raise ServerFailed(f"the database in {home} cannot be used: {problem}; {START_OVER}") from problem
        yield url


async def _run_scenes(
    url: str, home: Path, workers: list[DemoWorker], commands: Commands, screen: Screen, signals: StopSignals
) -> list[str]:
    """Run both scenes, and return the lines about what to try next."""
    try:
        with signals.cancels_this_task():
            async with connect(orders, url) as tn:
                direct = tn.direct
                copied = await direct.pool.call(installation.get_installation, installation=None)
                if copied.copy_problem:
                    raise ServerFailed(f"{copied.copy_problem}; {START_OVER}")
                stage = Stage(tn, workers, home, screen)
                took = await stage.wait("both workers run", lambda: _all_run(workers))
                pids = " and ".join(str(worker.process.pid) for worker in workers)
                screen.line(f"Two workers are ready after {took:.1f} s: processes {pids}.")
                screen.line()
                task = await show_crash(stage)
                screen.line()
                changed = await show_rollback(stage)
                screen.line()
                screen.waits("stopping the workers")
                return await _next_lines(commands, task, changed)
    except (Stopped, DatabaseProblem, BrokenPipeError):
        raise
    except Exception as problem:
        screen.waits("stopping")
        for worker in workers:
            screen.line(f"{worker.log}:")
            screen.line(worker.last_lines())
        if isinstance(problem, UnexpectedResult):
            raise
        raise UnexpectedResult(f"{type(problem).__name__}: {problem}") from problem


async def _all_run(workers: list[DemoWorker]) -> bool:
    return all(worker.is_ready() for worker in workers)


async def _next_lines(commands: Commands, task: UUID, changed_version: int) -> list[str]:
    """Return three commands with what they show, and the one that stops the database which they start."""
    sandbox: dict[str, str] = {}
    try:
        await find_capabilities(weak=False)
    except SandboxUnavailable:  # it needs root; the data is this user's own
        sandbox["TENUTO_QUERY_SANDBOX"] = "weak"
    query = commands.line(f'query "{QUERY}" --as-of orders@{changed_version}', sandbox)
    if sys.platform != "linux":  # there is no sandbox for queries
        query = commands.line(f"diff orders {changed_version - 1} {changed_version}")
    return [
        "both attempts of the order, and its steps:",
        f"  {commands.line(f'tasks show {task}')}",
        "where the total of a day comes from:",
        f"  {commands.line('datasets lineage orders_daily.total')}",
        f"the data of version {changed_version}, which is not current any more:",
        f"  {query}",
        f"They start the database again; {commands.line('db stop')} stops it.",
    ]
