"""The measurements: each function does one piece of work on one system and returns its figures."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import psutil

from bench.peers.peer import Peer
from bench.peers.processes import Senders, Workers, deadline, workers
from bench.peers.rates import Tallies
from bench.peers.services import Services

Figures = dict[str, float]
WARM_UP = 10
GAP = 0.03


@dataclass(frozen=True)
class System:
    """A system that is ready to be measured."""

    peer: Peer
    services: Services
    senders: Senders
    quick: bool

    def scaled(self, count: int) -> int:
        return count if self.quick else count * 2


def enqueue_and_drain(system: System, processes: int) -> Figures:
    """Measure the tasks/s that `processes` processes send one by one, send in bulk, and then run."""
    one = system.scaled(system.peer.sizes.one)
    took = system.senders.tell("send", processes=processes, count=one).seconds
    figures = {f"enqueue_one_per_s.{processes}": one * processes / took}
    many = system.scaled(system.peer.sizes.drain) // processes
    if system.peer.bulk:
        took = system.senders.tell("send_many", processes=processes, count=many).seconds
        figures[f"enqueue_bulk_per_s.{processes}"] = many * processes / took
    else:
        system.senders.tell("send", processes=processes, count=many)
    rate = _finish(system, (one + many) * processes, processes)
    return figures | {f"drain_per_s.{processes}": rate}


def clear(system: System) -> None:
    """Run the tasks that a failed measurement left behind, so that they do not count in the next measurement."""
    if system.services.ended(system.peer):
        return
    with workers(system.peer, system.services, 2, "throughput") as working:
        _wait_for_end(system, working)


def limited(system: System) -> Figures:
    """Measure the tasks/s that are sent in bulk and then run, under a limit by key."""
    count = system.scaled(system.peer.sizes.limited)
    took = system.senders.tell("send_limited", count=count).seconds
    return {"limited_enqueue_per_s.1": count / took, "limited_drain_per_s.1": _finish(system, count, 1)}


def latency(system: System, processes: int) -> Figures:
    """Measure the milliseconds from before the sending call to the task's first line, on an idle system."""
    count = 60 if system.quick else 200
    system.services.settle(system.peer)
    with workers(system.peer, system.services, processes, "latency") as working:
        system.senders.tell("send_late", count=1)
        _wait_for_latencies(working, 1)
        time.sleep(1.0)  # until every process of the system is up and waiting again
        system.senders.tell("send_late", count=WARM_UP, gap=GAP)
        _wait_for_latencies(working, 1 + WARM_UP)
        system.senders.tell("send_late", count=count, gap=GAP)
        _wait_for_latencies(working, 1 + WARM_UP + count)
        taken = sorted(working.latencies()[-count:])
    return {
        f"latency_p50_ms.{processes}": statistics.median(taken),
        f"latency_p95_ms.{processes}": taken[int(len(taken) * 0.95)],
    }


def chains(system: System, processes: int) -> Figures:
    """Measure tasks/s of chains of three, all sent beforehand."""
    count = system.scaled(system.peer.sizes.chains)
    return _graphs(
        system, processes, "chain_tasks_per_s", count, 3, lambda: system.senders.tell("send_chains", count=count)
    )


def fans(system: System, processes: int, *, width: int) -> Figures:
    """Measure tasks/s of fans, all sent beforehand: `width` parallel tasks, and one task that follows all of them."""
    sizes = system.peer.sizes
    count = system.scaled({10: sizes.fans_of_10, 1000: sizes.fans_of_1000}[width])
    send = partial(system.senders.tell, "send_fans", count=count, width=width)
    return _graphs(system, processes, f"fan{width}_tasks_per_s", count, width + 1, send)


def _graphs(system: System, processes: int, name: str, count: int, tasks: int, send: Callable[[], object]) -> Figures:
    if not count:
        return {}
    send()
    return {f"{name}.{processes}": _finish(system, count * tasks, processes)}


def idle(system: System) -> Figures:
    """Measure transactions/s and memory of an idle worker, before it ran any task."""
    seconds = 10 if system.quick else 30
    with workers(system.peer, system.services, 1, "latency") as working:
        time.sleep(5.0)
        before, started = system.services.transactions(system.peer), time.monotonic()
        time.sleep(seconds)
        working.check()
        ran = system.services.transactions(system.peer) - before
        rate = ran / (time.monotonic() - started)
        tree = [p for worker in working.processes for p in _tree(worker.pid)]
        sizes = [process.memory_info().rss / 1e6 for process in tree]
    postgres = {"idle_transactions_per_s": rate} if system.peer.store == "postgres" else {}
    return {**postgres, "idle_processes": len(sizes), "rss_mb_largest": max(sizes), "rss_mb_all": sum(sizes)}


def _tree(pid: int) -> list[psutil.Process]:
    top = psutil.Process(pid)
    return [top, *top.children(recursive=True)]


def _finish(system: System, total: int, processes: int) -> float:
    """Start workers and wait until all tasks have run and the store confirms it; return tasks/s."""
    system.services.settle(system.peer)
    with workers(system.peer, system.services, processes, "throughput") as working:
        tallies = Tallies(working.folder)
        for _ in deadline():
            if tallies.read() >= total:
                break
            working.check()
            time.sleep(0.02)
        _wait_for_end(system, working)
        ended = time.monotonic()
    return tallies.rate(total, ended)


def _wait_for_end(system: System, working: Workers) -> None:
    for _ in deadline():
        if system.services.ended(system.peer):
            return
        working.check()
        time.sleep(0.005)


def _wait_for_latencies(working: Workers, count: int) -> None:
    for _ in deadline():
        if len(working.latencies()) >= count:
            return
        working.check()
        time.sleep(0.02)
