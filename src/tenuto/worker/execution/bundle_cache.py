"""Bundles that a machine keeps unpacked, for all its workers: those not used for long make room for others."""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

MAX_CACHE_BYTES = 2 * 1024**3  # bytes of all together
UNUSED_AFTER_SECONDS = 86_400.0  # seconds after which nothing runs from it any more


def is_there(place: Path) -> bool:
    """Whether it is unpacked; if so, it counts as used now."""
    try:
        os.utime(place)
    except FileNotFoundError:
        return False
    return True


def prune(cache: Path, *, most: int = MAX_CACHE_BYTES, unused: float = UNUSED_AFTER_SECONDS) -> None:
    """Remove what was not used for the longest time, until the rest takes no more than `most`."""
    kept = sorted((place for place in cache.iterdir() if len(place.name) == 64), key=_used_at)
    sizes = {place: _size(place) for place in kept}
    total, now = sum(sizes.values()), time.time()
    for place in kept:
        if total <= most or now - _used_at(place) < unused:
            return
        _remove(place)
        total -= sizes[place]


def _used_at(place: Path) -> float:
    with suppress(OSError):
        return place.stat().st_mtime
    return 0.0


def _size(place: Path) -> int:
    """Of what is there: another worker may be removing it."""
    total = 0
    for folder, _, files in os.walk(place):
        for name in files:
            with suppress(OSError):
                total += Path(folder, name).stat().st_size
    return total


def _remove(place: Path) -> None:
    """At once for those who look for it, then for good."""
    away = Path(tempfile.mkdtemp(dir=place.parent))
    with suppress(OSError):
        place.rename(away / "bundle")
    shutil.rmtree(away, ignore_errors=True)
