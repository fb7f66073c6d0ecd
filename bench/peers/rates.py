"""From what the workers noted down to tasks a second."""

import bisect
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tallies:
    """Follows the files `<pid>.runs`: the moments and counts of every process, as they grow."""

    folder: Path
    read_to: dict[Path, int] = field(default_factory=dict)
    seen: dict[Path, list[tuple[int, int]]] = field(default_factory=dict)

    def read(self) -> int:
        """Tasks run so far by all processes together."""
        for path in self.folder.glob("*.runs"):
            start = self.read_to.get(path, 0)
            with path.open("rb") as file:
                file.seek(start)
                fresh = file.read()
            whole = fresh[: fresh.rfind(b"\n") + 1]  # half a line is read again when it is whole
            self.read_to[path] = start + len(whole)
            marks = self.seen.setdefault(path, [])
            marks += [(int(at), int(count)) for at, count in map(bytes.split, whole.splitlines())]
        return sum(marks[-1][1] for marks in self.seen.values() if marks)

    def rate(self, total: int, ended: float) -> float:
        """Tasks a second from the moment every process was at work until the store said that all had ended."""
        everyone = max(marks[0][0] for marks in self.seen.values() if marks)
        before = sum(_count_at(marks, everyone) for marks in self.seen.values())
        return (total - before) / (ended - everyone / 1e9)


def _count_at(marks: list[tuple[int, int]], at: int) -> float:
    """The count of one process at a moment, on the straight line between its marks."""
    after = bisect.bisect_left(marks, (at, 0))
    if after == 0:
        return 0.0
    if after == len(marks):
        return float(marks[-1][1])
    (t0, n0), (t1, n1) = marks[after - 1], marks[after]
    return n0 + (n1 - n0) * (at - t0) / (t1 - t0)
