"""The cache of unpacked bundles, shared by all workers of a machine. Removes the least recently used bundles when the
cache is too large."""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

MAX_CACHE_BYTES = 2 * 1024**3  # total size of the cache
UNUSED_AFTER_SECONDS = 86_400.0  # a bundle may be removed if it was not used for this long


def is_there(place: Path) -> bool:
    """Return whether the bundle is unpacked. If it is, mark it as used now."""
    try:
        os.utime(place)
    except FileNotFoundError:
        return False
    return True


def prune(cache: Path, *, most: int = MAX_CACHE_BYTES, unused: float = UNUSED_AFTER_SECONDS) -> None:
    """Remove the least recently used bundles until the rest takes at most `most` bytes. Keep bundles that were used
    within the last `unused` seconds."""
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
    """Return the size of the files that exist; another worker may be removing them."""
    total = 0
    for folder, _, files in os.walk(place):
        for name in files:
            with suppress(OSError):
                total += Path(folder, name).stat().st_size
    return total


def _remove(place: Path) -> None:
    """Move the folder away atomically, then delete it."""
    away = Path(tempfile.mkdtemp(dir=place.parent))
    with suppress(OSError):
        place.rename(away / "bundle")
    shutil.rmtree(away, ignore_errors=True)
