"""Finds the files of committed partitions in an object store."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from tenuto.model.attempt_files import DATASETS
from tenuto.storage.base import Store, StoredItem

GLOB = "**/*.parquet"
MARKER = "_done"  # written after the files of a partition; it is no data


def stored_files(store: Store, location: str, glob: str = GLOB) -> Iterator[StoredItem]:
    """Yield the files of a committed partition."""
    prefix = f"{DATASETS}{location}"
    after: str | None = None
    while page := store.list(prefix, after=after):
        yield from (item for item in page if _matches(item.key.removeprefix(prefix), glob))
        after = page[-1].key


def _matches(path: str, glob: str) -> bool:
    """Whether a path matches a glob. `**/` also stands for no folder, and the marker is never data."""
    return path != MARKER and (fnmatchcase(path, glob) or fnmatchcase(path, glob.removeprefix("**/")))
