"""Computes tasks/s from the files that workers write."""

import bisect
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tallies:
    """Follows the files `<pid>.runs`: times and task counts of every process."""

    folder: Path
    read_to: dict[Path, int] = field(default_factory=dict)
    seen: dict[Path, list[tuple[int, int]]] = field(default_factory=dict)

    def read(self) -> int:
        """Return the number of tasks run so far by all processes."""
        for path in self.folder.glob("*.runs"):
            start = self.read_to.get(path, 0)
            with path.open("rb") as file:
                file.seek(start)
                fresh = file.read()
            whole = fresh[: fresh.rfind(b"\n") + 1]  # an incomplete line is read again when it is complete
            self.read_to[path] = start + len(whole)
            marks = self.seen.setdefault(path, [])
            marks += [(int(at), int(count)) for at, count in map(bytes.split, whole.splitlines())]
        return sum(marks[-1][1] for marks in self.seen.values() if marks)

    def rate(self, total: int, ended: float) -> float:
        """Return tasks/s from when every process had started working until the store confirmed that all tasks had
        ended."""
        everyone = max(marks[0][0] for marks in self.seen.values() if marks)
        before = sum(_count_at(marks, everyone) for marks in self.seen.values())
        return (total - before) / (ended - everyone / 1e9)


def _count_at(marks: list[tuple[int, int]], at: int) -> float:
    """Return the count of one process at a time, interpolated between its marks."""
    after = bisect.bisect_left(marks, (at, 0))
    if after == 0:
        return 0.0
    if after == len(marks):
        return float(marks[-1][1])
    (t0, n0), (t1, n1) = marks[after - 1], marks[after]
    return n0 + (n1 - n0) * (at - t0) / (t1 - t0)
