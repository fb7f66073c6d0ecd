"""Finds the known name that is most similar to an unknown one, in bounded time: the names may be hostile. Without the
bounds, comparing two names of 40 kB takes half a minute."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice

MAX_NAME_CHARS = 100  # longer names are similar to nothing
MAX_NAMES = 1000
MAX_COMPARED = 10  # two names of 100 characters take up to a millisecond; the cheap estimate chooses which


def most_similar(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Returns the known name that is most similar to `name`, or None if no name is similar enough."""
    if len(name) > MAX_NAME_CHARS:
        return None
    matcher = SequenceMatcher(None, "", name)
    estimates: list[tuple[float, str]] = []
    for other in islice((other for other in known if len(other) <= MAX_NAME_CHARS), MAX_NAMES):
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() >= cutoff and (estimate := matcher.quick_ratio()) >= cutoff:
            estimates.append((estimate, other))
    best: tuple[float, str] | None = None
    for _, other in nlargest(MAX_COMPARED, estimates):
        matcher.set_seq1(other)
        found = (matcher.ratio(), other)
        if found[0] >= cutoff and (best is None or found > best):
            best = found
    return None if best is None else best[1]
