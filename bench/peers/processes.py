"""The processes of a system: senders, and workers with the files they write."""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.peers.peer import ROOT, Peer, Purpose
from bench.peers.services import Services

TIMEOUT_SECONDS = 180.0


class PeerFailed(Exception):
    """A program of the system failed; the message is its last line of output."""


@dataclass(frozen=True)
class Sent:
    """When sending began and ended, in monotonic seconds."""

    started: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.started


class Senders:
    """The sending processes of one system, which keep running. Most work uses one of them, parallel sending uses
    several."""

    def __init__(self, processes: list[subprocess.Popen[str]], log: Path) -> None:
        self.processes, self.log = processes, log

    def tell(self, what: str, *, processes: int = 1, **order: float) -> Sent:
        used = self.processes[:processes]
        for process in used:
            assert process.stdin
            process.stdin.write(json.dumps({"do": what, **order}) + "\n")
            process.stdin.flush()
        answers = [self._answer(process) for process in used]
        return Sent(min(a["started"] for a in answers), max(a["ended"] for a in answers))

    def _answer(self, process: subprocess.Popen[str]) -> dict[str, float]:
        assert process.stdout
        line = process.stdout.readline()
        if not line:
            raise PeerFailed(f"the sender ended: {last_line(self.log)}")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerFailed(answer["error"])
        return answer


@contextmanager
def senders(peer: Peer, services: Services, count: int) -> Iterator[Senders]:
    """Start the senders; they end when their standard input is closed."""
    with tempfile.TemporaryDirectory(prefix="tenuto-sender-") as folder, ExitStack() as stack:
        path = Path(folder) / "log"
        log = stack.enter_context(path.open("a"))
        started = [
            stack.enter_context(
                subprocess.Popen(
                    peer.send, cwd=ROOT, env=environment(peer, services), text=True,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                )
            )
            for _ in range(count)
        ]  # fmt: skip
        yield Senders(started, path)


@dataclass(frozen=True)
class Workers:
    """The worker processes of one system."""

    processes: list[subprocess.Popen[bytes]]
    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def check(self) -> None:
        """Raise PeerFailed if a worker has ended by itself."""
        for process in self.processes:
            if process.poll() is not None:
                raise PeerFailed(f"a worker ended with exit code {process.returncode}: {last_line(self.log)}")

    def latencies(self) -> list[float]:
        """Return the latencies in milliseconds, in the order in which the tasks were sent."""
        lines = [line.split() for file in self.folder.glob("*.late") for line in file.read_text().splitlines()]
        return [took / 1e6 for _, took in sorted((int(sent), int(took)) for sent, took in lines)]


@contextmanager
def workers(peer: Peer, services: Services, processes: int, purpose: Purpose) -> Iterator[Workers]:
    """Start the workers; at the end stop them and kill what is left of their process groups."""
    with tempfile.TemporaryDirectory(prefix="tenuto-worker-") as folder:
        log = (Path(folder) / "log").open("a")
        env = {**environment(peer, services), "BENCH_TALLY": folder, "BENCH_FOR": purpose}
        started = [
            subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log, start_new_session=True)
            for command in peer.work(processes, purpose)
        ]
        try:
            yield Workers(started, Path(folder))
        finally:
            for process in started:
                process.terminate()
            for process in started:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            log.close()


def environment(peer: Peer, services: Services) -> dict[str, str]:
    url = services.url(peer)
    own = {"TENUTO_DATABASE_URL": url} if peer.runs_on == "tenuto" else {}
    return {**os.environ, "PYTHONPATH": str(ROOT), "BENCH_URL": url, **own, **dict(peer.environment)}


def last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else "it said nothing"


def deadline() -> Iterator[None]:
    """Yield until the time limit for a system is reached, then raise PeerFailed."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < end:
        yield
    raise PeerFailed(f"it was not done after {TIMEOUT_SECONDS:.0f} s")
