"""Combines all figures into one JSON object: medians, spreads, and the ratios of Tenuto to each peer and to the
best."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.peers.install import node_version, version
from bench.peers.measure import Figures
from bench.peers.peer import Peer

MANNER = {
    "drain": "filled beforehand, vacuum analyze and checkpoint, then the workers start; from the moment every worker "
    "process has run its first task until the store holds no open task (start-up excluded, last commit included)",
    "enqueue": "wall time of the sending calls in one or two processes, nobody working; bulk in the system's own "
    "batch call",
    "latency": "from before the sending call in one process until the first line of the task in the worker, idle "
    "system, random pauses of 15 to 45 ms; median over repetitions of each repetition's percentile",
    "chain, fan": "as drain; every task counts; a fan of n is n tasks and one that follows them all",
    "idle": "transactions of the system's database by pg_stat_database, and resident memory of the worker's "
    "processes, before any task ran",
    "ratios": "*_vs_* is Tenuto's figure divided by the peer's: above 1 is faster, except latency, where below 1 is "
    "faster; best: of the peers in this run (latency: of those on Postgres)",
}
GRAPHS = ("chain", "fan10", "fan1000")


@dataclass
class Record:
    """All measurements by system and figure, and what could not be measured."""

    skipped: dict[str, str]
    repetitions: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    taken: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, peer: Peer, figures: Figures) -> None:
        for name, value in figures.items():
            self.taken.setdefault(peer.name, {}).setdefault(name, []).append(value)

    def medians(self, system: str) -> Figures:
        return {name: statistics.median(values) for name, values in self.taken.get(system, {}).items()}


def report(about: dict[str, object], peers: list[Peer], record: Record) -> dict[str, object]:
    systems = {peer.name: _system(peer, record) for peer in peers}
    node = {"node": node_version()} if any(peer.runs_on == "node" for peer in peers) else {}
    return {
        **about,
        **node,
        **ratios({peer.name: record.medians(peer.name) for peer in peers}, peers),
        "systems": systems,
        "skipped": record.skipped,
        "failed": record.failed,
        "manner": MANNER,
    }


def _system(peer: Peer, record: Record) -> dict[str, object]:
    spread = {
        name: [_rounded(min(values)), _rounded(max(values))]
        for name, values in record.taken.get(peer.name, {}).items()
        if len(values) > 1
    }
    figures = _nested(record.medians(peer.name))
    return {"version": version(peer), "settings": peer.settings, **figures, "lowest_and_highest": _nested(spread)}


def ratios(medians: dict[str, Figures], peers: list[Peer]) -> dict[str, object]:
    """Return all ratios; an empty object if Tenuto was not measured."""
    ours = medians.pop("tenuto", None)
    if not ours:
        return {}
    on_postgres = {peer.name for peer in peers if peer.store == "postgres"}
    result: dict[str, object] = {
        f"drain_vs_{name}": _ratio("drain_per_s", ours, figures) for name, figures in medians.items()
    }
    result["enqueue_vs_best"] = _ratio("enqueue_bulk_per_s", ours, _best(medians, max))
    result["enqueue_one_vs_best"] = _ratio("enqueue_one_per_s", ours, _best(medians, max))
    postgres_only = {name: figures for name, figures in medians.items() if name in on_postgres}
    for percentile in ("p50", "p95"):
        result[f"latency_{percentile}_vs_best"] = _ratio(f"latency_{percentile}_ms", ours, _best(postgres_only, min))
    for graph in GRAPHS:
        for name, figures in medians.items():
            if ratio := _ratio(f"{graph}_tasks_per_s", ours, figures):
                result[f"{graph}_vs_{name}"] = ratio
    unlimited = {"limited_drain_per_s.1": ours.get("drain_per_s.1", 0.0)}
    unlimited["limited_enqueue_per_s.1"] = ours.get("enqueue_bulk_per_s.1", 0.0)
    for name in ("drain", "enqueue"):
        result[f"limited_{name}_vs_unlimited"] = _ratio(f"limited_{name}_per_s", ours, unlimited)
    return {name: value for name, value in result.items() if value}


def _best(medians: dict[str, Figures], choose: Callable[[list[float]], float]) -> Figures:
    names = {name for figures in medians.values() for name in figures}
    return {name: choose([f[name] for f in medians.values() if name in f]) for name in names}


def _ratio(figure: str, ours: Figures, theirs: Figures) -> dict[str, float]:
    """Return the ratio for each number of processes for which both have the figure."""
    names = [name for name in ours if name.startswith(f"{figure}.") and name in theirs]
    return {name.rsplit(".")[-1]: round(ours[name] / theirs[name], 3) for name in sorted(names) if theirs[name]}


def _nested(figures: dict[str, float] | dict[str, list[float]]) -> dict[str, object]:
    """Convert {"drain_per_s.1": x} to {"drain_per_s": {"1": x}}."""
    result: dict[str, object] = {}
    for name, value in figures.items():
        figure, _, processes = name.partition(".")
        shown = _rounded(value) if isinstance(value, float | int) else value
        if processes:
            inner = result.setdefault(figure, {})
            assert isinstance(inner, dict)
            inner[processes] = shown
        else:
            result[figure] = shown
    return result


def _rounded(value: float) -> float:
    return round(value, 3) if value < 100 else round(value)
