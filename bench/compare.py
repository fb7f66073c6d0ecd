"""Compares Tenuto with other systems on the same work and machine: `python bench/compare.py [--quick] [--json]`."""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from bench.peers import measure
from bench.peers.install import install
from bench.peers.measure import Figures, System
from bench.peers.peer import Peer
from bench.peers.plot import draw
from bench.peers.processes import PeerFailed, senders
from bench.peers.registry import PEERS, TENUTO
from bench.peers.report import Record, report
from bench.peers.services import Services, services
from bench.record import RESULTS, facts, save

Work = Callable[[System], Figures]
Say = Callable[[str], None]
# A repetition that would end after this time is not started. The rest of five minutes is for the start of the systems
# and the idle measurement.
QUICK_SECONDS = 220
WORK: dict[str, Work] = {
    "enqueue and drain, 1 process": partial(measure.enqueue_and_drain, processes=1),
    "enqueue and drain, 2 processes": partial(measure.enqueue_and_drain, processes=2),
    "latency, 1 process": partial(measure.latency, processes=1),
    "latency, 2 processes": partial(measure.latency, processes=2),
    "chains of 3": partial(measure.chains, processes=1),
    "fans of 10": partial(measure.fans, processes=1, width=10),
    "fans of 1000": partial(measure.fans, processes=1, width=1000),
}
OURS: dict[str, Work] = {"enqueue and drain with a limit": measure.limited}


def main() -> None:
    names = [peer.name for peer in PEERS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="half the sizes; at most five minutes with fast peers")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--peers", default=",".join(names), help="which ones, separated by commas (default: all)")
    parser.add_argument("--without-tenuto", action="store_true", help="only the peers, to try their settings")
    parser.add_argument("--only", default="", help="only the work whose name holds this text")
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    wanted = options.peers.split(",")
    if unknown := set(wanted) - set(names):
        parser.error(f"unknown peers {sorted(unknown)}; there are {', '.join(names)}")
    systems = [] if options.without_tenuto else [TENUTO]
    systems += [peer for peer in PEERS if peer.name in wanted]
    result = compare(systems, options)
    print(json.dumps(result, indent=None if options.json else 2))
    if not (options.quick or options.only or options.without_tenuto):
        save("compare", result)
        (RESULTS / "compare.svg").write_text(draw(result))


def compare(peers: list[Peer], options: argparse.Namespace) -> dict[str, object]:
    """Install the systems, start the servers, do all the work in turns and combine the medians."""
    say: Say = (lambda _: None) if options.json else (lambda text: print(text, file=sys.stderr, flush=True))
    say("installing what is missing …")
    record = Record(skipped=install(peers))
    peers = [peer for peer in peers if peer.name not in record.skipped]
    with services(redis=any(peer.store == "redis" for peer in peers)) as servers, ExitStack() as stack:
        systems: list[System] = []
        for peer in peers:
            with _failures(record, peer, "start", say):
                systems.append(_system(peer, servers, stack, quick=options.quick))
        ours = [system for system in systems if system.peer is TENUTO]
        work = [(name, do, systems) for name, do in WORK.items()] + [(name, do, ours) for name, do in OURS.items()]
        _repeat([piece for piece in work if options.only in piece[0]], options, record, say)
        if options.only in "idle":
            _do("idle", measure.idle, ours if options.quick else systems, record, say)
        about = {"quick": options.quick, "repetitions": record.repetitions}
        return report(facts(servers.postgres) | about, peers, record)


def _repeat(work: list[tuple[str, Work, list[System]]], options: argparse.Namespace, record: Record, say: Say) -> None:
    """Repeat all the work. In each piece of work the systems take turns, so that other load affects all of them
    alike."""
    started = time.monotonic()
    for done in range(options.repetitions):
        if done and options.quick and (time.monotonic() - started) * (done + 1) / done > QUICK_SECONDS:
            return
        for name, do, systems in work:
            if options.quick and time.monotonic() - started > QUICK_SECONDS:
                record.skipped[name] = f"no time was left for it within the {QUICK_SECONDS} s of --quick"
            else:
                _do(name, do, systems, record, say)
        record.repetitions = done + 1


def _do(name: str, do: Work, systems: list[System], record: Record, say: Say) -> None:
    for system in systems:
        with _failures(record, system.peer, name, say):
            measure.clear(system)
            figures = do(system)
            record.add(system.peer, figures)
            if figures:
                say(f"{name}: {system.peer.name} { {key: round(value, 1) for key, value in figures.items()} }")


def _system(peer: Peer, servers: Services, stack: ExitStack, *, quick: bool) -> System:
    servers.create(peer)
    sending = stack.enter_context(senders(peer, servers, 2))
    sending.tell("prepare")
    return System(peer, servers, sending, quick)


@contextmanager
def _failures(record: Record, peer: Peer, work: str, say: Say) -> Iterator[None]:
    """Record the failure of one system without ending the comparison."""
    try:
        yield
    except PeerFailed as error:
        record.failed[f"{peer.name}: {work}"] = str(error)
        say(f"{work}: {peer.name} failed: {error}")


if __name__ == "__main__":
    main()
