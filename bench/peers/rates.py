"""From what the workers noted down to tasks a second."""

import bisect
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO


@dataclass
class Tallies:
    """Follows the files `<pid>.runs`: the moments and counts of every process, as they grow."""

    folder: Path
    open: dict[Path, TextIO] = field(default_factory=dict)
    seen: dict[Path, list[tuple[int, int]]] = field(default_factory=dict)

    def read(self) -> int:
        """Tasks run so far by all processes together."""
        for path in self.folder.glob("*.runs"):
            file = self.open.setdefault(path, path.open())
            marks = self.seen.setdefault(path, [])
            while (line := file.readline()).endswith("\n"):
                at, count = line.split()
                marks.append((int(at), int(count)))
            if line:  # half a line: read it again when it is whole
                file.seek(file.tell() - len(line))
        return sum(marks[-1][1] for marks in self.seen.values() if marks)

    def close(self) -> None:
        for file in self.open.values():
            file.close()

    def rate(self, total: int, ended: float) -> float:
        """Tasks a second from the moment every process was at work until the store said that all had ended."""
        everyone = max(marks[0][0] for marks in self.seen.values())
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
